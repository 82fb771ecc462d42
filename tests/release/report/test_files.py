"""Pages lie where they should, and what cannot be written is said with its remedy."""

import shutil
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from assets.cli import app
from servicebench_data.lake.store import Lake, LakeError
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.release.report.files import write_reports
from servicebench_data.release.report.reading import ReportError
from tests.release.report.made import EXPERIMENT


@pytest.fixture
def home(published: Path, tmp_path: Path) -> Lake:
    shutil.copyfile(published, tmp_path / FILE_NAME)
    return Lake(tmp_path)


def change(lake: Lake, statement: str) -> None:
    with duckdb.connect(str(lake.home / FILE_NAME)) as connection:
        connection.execute(statement)


def test_the_command_writes_the_page_into_the_home(home: Lake) -> None:
    done = CliRunner().invoke(app, ["report", "--home", str(home.home)])
    assert done.exit_code == 0, done.output
    page = home.home / "reports" / f"{EXPERIMENT}.html"
    assert str(page) in done.output.replace("\n", "")
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_can_be_written_elsewhere(home: Lake, tmp_path: Path) -> None:
    target = tmp_path / "here" / "page.html"
    assert write_reports(home, EXPERIMENT, target) == [target]
    assert target.is_file()


def test_nothing_published_is_told(tmp_path: Path) -> None:
    with pytest.raises(LakeError, match="does not exist yet"):
        write_reports(Lake(tmp_path))


def test_no_experiment_is_an_error_only_for_who_asked(home: Lake) -> None:
    change(home, "DELETE FROM simulation.experiment")
    assert write_reports(home) == []
    with pytest.raises(ReportError, match="servicebench run FILE"):
        write_reports(home, must_be=True)


def test_the_page_of_an_experiment_that_is_gone_goes_too(home: Lake, tmp_path: Path) -> None:
    gone = home.home / "reports" / "gone.html"
    gone.parent.mkdir()
    gone.write_text("quotes what was to be forgotten", encoding="utf-8")
    assert [page.name for page in write_reports(home)] == [f"{EXPERIMENT}.html"]
    assert not gone.exists()
    (kept,) = gone.parent.iterdir()
    change(home, "DELETE FROM simulation.experiment")
    write_reports(home)
    assert not kept.exists()


def test_one_page_holds_one_experiment(home: Lake, tmp_path: Path) -> None:
    change(
        home,
        "INSERT INTO simulation.experiment SELECT * REPLACE ('other' AS experiment_id) FROM simulation.experiment",
    )
    with pytest.raises(ReportError, match="--experiment"):
        write_reports(home, target=tmp_path / "page.html")
    with pytest.raises(ReportError, match=r"no experiment 'none'.*other, try"):
        write_reports(home, "none")
    assert [page.stem for page in write_reports(home)] == ["other", "try"]
