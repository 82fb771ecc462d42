"""`servicebench review` on conversations: it writes the page, takes in ratings, and tells how far people have come."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from assets.cli import app
from servicebench_data.judging.ratings.store import read_ratings
from servicebench_data.lake.store import Lake
from servicebench_data.review.cells import ReviewError
from servicebench_data.review.overrides import write_overrides
from tests.judging.rated import EXPERIMENT, make_home, row, write
from tests.review.items import decide


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "home").home


def run(home: Path, *arguments: str | Path) -> str:
    done = CliRunner().invoke(app, ["review", *map(str, arguments), "--home", str(home)])
    if done.exception:
        raise done.exception
    return done.output


def test_page_import_and_standing(home: Path, tmp_path: Path) -> None:
    assert "4 conversations to rate" in run(home, "--experiment", EXPERIMENT, "--rater", "Ann Lee", "--sample", "4")
    assert (Lake(home).reviews / f"ratings-{EXPERIMENT}-Ann-Lee.html").is_file()
    files = [write(tmp_path, row(rater=name), name=f"{name}.csv") for name in ("Ann", "Bo", "Cy")]
    said = run(home, *(part for path in files for part in ("--apply", path)))
    assert "12 scores taken in, 0 were known already" in said
    assert f"run again: {EXPERIMENT}" in said
    assert "3 people rated 1 conversations, 1 of them by three" in " ".join(run(home).split())
    assert "Nothing has changed" in run(home, "--apply", files[0])
    changed = write(tmp_path, row(procedural=1, rated_at="2026-03-01T12:00:00Z"))
    assert "1 of them differ" in run(home, "--apply", changed)


def test_ratings_and_decisions_are_not_mixed_up(home: Path, tmp_path: Path) -> None:
    decisions = tmp_path / "decisions.csv"
    decisions.write_text(write_overrides([decide()]), encoding="utf-8")
    with pytest.raises(ReviewError, match="apply them one by one"):
        run(home, "--apply", write(tmp_path, row()), "--apply", decisions)
    assert read_ratings(Lake(home), EXPERIMENT) == []


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--experiment", "tri"], "'tri'"),
        (["--apply", "no-such.csv"], "no-such.csv"),
        (["--experiment", EXPERIMENT, "--industry", "airline"], "give one of them"),
    ],
)
def test_bad_input_is_named(home: Path, arguments: list[str], word: str) -> None:
    with pytest.raises(ReviewError, match=word):
        run(home, *arguments)
