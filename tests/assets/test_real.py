"""The main job on real posts, where they are at hand."""

import io
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from assets.runner import run_build
from servicebench_data.industries import list_industries
from servicebench_data.lake.sources import register_files
from servicebench_data.lake.store import Lake
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.settings import Settings
from tests.conftest import SHARED_DATA


@pytest.mark.real
@pytest.mark.slow
def test_real_posts_become_a_published_build_that_adds_up(built: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    register_files(Lake(home), [SHARED_DATA / "posts" / "twcs_union.csv.gz"], lambda path: path)
    # The journey maps' texts were embedded for the sample already.
    (home / "cache").symlink_to(built / "cache")
    console = Console(file=io.StringIO(), width=200)
    done = run_build(Settings.load({}, home=home), list_industries(), console)
    assert done, console.file
    with duckdb.connect(str(home / FILE_NAME), read_only=True) as connection:
        steps = dict(
            connection.execute("SELECT step, sum(row_count)::INTEGER FROM release.build_step GROUP BY step").fetchall()
        )
        real = connection.execute("SELECT DISTINCT is_sample FROM scenarios.scenario").fetchall()
        licence = connection.execute("SELECT license FROM release.build").fetchall()
    assert steps["posts"] == 31_640
    assert steps["dialogues"] == steps["screening"]
    assert steps["dialogues"] >= 350
    assert real == [(False,)]
    assert "CC BY-NC-SA" in licence[0][0]
