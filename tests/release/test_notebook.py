"""The notebook runs from top to bottom on a published file, and says what is missing where it cannot."""

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from servicebench_data.lake.sample import ROOT

pytestmark = pytest.mark.skipif(
    not all(importlib.util.find_spec(name) for name in ("marimo", "altair")), reason="needs the extra `notebook`"
)

NOTEBOOK = ROOT / "notebooks" / "analysis.py"
CHARTS = ("justice", "differences", "price", "where", "ends", "offers", "known", "gates")


# In a process of its own: transformers takes one that has loaded marimo for a notebook, and fails there.
PROGRAM = f"""
import importlib.util, json, sys

spec = importlib.util.spec_from_file_location("notebook", {str(NOTEBOOK)!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
outputs, found = module.app.run()
charts = [name for name in {CHARTS!r} if name in found]
rows = {{name: [row for rows in found[name].to_dict()["datasets"].values() for row in rows] for name in charts}}
shown = "".join(getattr(output, "text", "") for output in outputs if output is not None)
print(json.dumps({{"shown": shown, "defined": sorted(found), "rows": rows}}, default=str))
"""


def run(file: Path) -> dict[str, Any]:
    """Run all cells on a file, named as on the command line: what was shown, what was defined, rows of the charts."""
    command = [sys.executable, "-W", "error::UserWarning", "-c", PROGRAM, "--file", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_chart_draws_what_the_file_holds(analysed: Path) -> None:
    made = run(analysed)
    for title in ("Who is more just", "Is it real", "At what price", "What to doubt", "What the gates selected"):
        assert title in made["shown"]
    rows = made["rows"]
    assert [name for name in CHARTS if not rows[name]] == []
    with duckdb.connect(str(analysed), read_only=True) as connection:
        query = "SELECT agent, total FROM measures.leaderboard ORDER BY place"
        assert [(row["agent"], row["total"]) for row in rows["price"]] == connection.execute(query).fetchall()
    assert {row["pair"] for row in rows["differences"]} == {"curt less fair", "curt less lavish", "fair less lavish"}


def test_a_file_without_an_experiment_says_how_to_get_one(analysed: Path, tmp_path: Path) -> None:
    empty = Path(shutil.copy(analysed, tmp_path / "empty.duckdb"))
    with duckdb.connect(str(empty)) as connection:
        connection.execute("DELETE FROM simulation.conversation")
    made = run(empty)
    assert "servicebench run experiments/sample.yaml" in made["shown"]
    assert "leaders" not in made["defined"]


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    made = run(tmp_path / "none.duckdb")
    assert "make run" in made["shown"]
    assert "connection" not in made["defined"]
