"""A small experiment, run over a home as the command line does.

Belongs here: the experiment, running it, and asking the published file. Not here: homes (`conftest.py`), any test.
"""

import io
from pathlib import Path
from typing import Any

import duckdb
import yaml
from rich.console import Console

from assets.runner import run_experiment
from servicebench_data.lake.store import Lake
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.settings import Settings
from servicebench_data.simulation.files import register_experiment

SMALL: dict[str, Any] = {
    "title": "A small one.",
    "agents": [{"name": "just", "script": "just"}, {"name": "evader", "script": "evader"}],
    "styles": "balanced",
    "scenarios": {"limit": 4},
    "turn_cap": 8,
    "repeats": 1,
}


def write_experiment(folder: Path, name: str = "small", **given: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **given}), encoding="utf-8")
    return path


def run(home: Path, name: str = "small", **given: Any) -> str:
    """Register and run an experiment; returns what was printed."""
    path = write_experiment(home.parent / "files", name, **given)
    settings = Settings.load({}, home=home, source="sample")
    loaded = register_experiment(Lake(home), path)
    console = Console(file=io.StringIO(), width=200)
    assert isinstance(console.file, io.StringIO)
    assert run_experiment(settings, loaded.experiment_id, console), console.file.getvalue()
    return console.file.getvalue()


def ask(home: Path, query: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(home / FILE_NAME), read_only=True) as connection:
        return connection.execute(query).fetchall()
