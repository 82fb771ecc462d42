"""`servicebench export` on the built sample: what it prints, writes and refuses."""

from pathlib import Path

import duckdb

from servicebench_data.lake.parquet import read_shape
from servicebench_data.release.publish import FILE_NAME, list_builds
from tests.assets.test_cli import call


def test_a_kept_build_becomes_a_folder_that_holds_its_scenarios(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "release"
    build = list_builds(built)[0].stem
    done = call("export", "--out", str(folder), "--build", build[:12], "--format", "parquet", home=built)
    assert done.returncode == 0, done.stderr
    assert f"Build {build}" in done.stdout
    assert 'load_dataset("' in done.stdout
    assert {path.name for path in folder.iterdir()} == {"README.md", "croissant.json", "parquet"}
    with duckdb.connect(str(built / FILE_NAME), read_only=True) as connection:
        counts = dict(connection.execute("SELECT split, count(*) FROM scenarios.scenario GROUP BY split").fetchall())
    for side, count in counts.items():
        assert read_shape(folder / "parquet" / "scenarios" / f"scenario-{side}.parquet")[1] == count


def test_what_cannot_be_exported_is_one_line(built: Path, tmp_path: Path) -> None:
    there = call("export", "--out", str(tmp_path), home=built)
    assert (there.returncode, "Traceback" in there.stderr) == (2, False)
    assert "exists already" in there.stderr
    unknown = call("export", "--out", str(tmp_path / "new"), "--build", "1999", home=built)
    assert (unknown.returncode, "Traceback" in unknown.stderr) == (2, False)
    assert "0 builds match '1999'" in unknown.stderr
    assert not (tmp_path / "new").exists()
