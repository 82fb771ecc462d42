"""The Dagster instance of a home: where runs and their history are kept.

Belongs here: preparing the instance's folder and opening it. Not here: definitions.
"""

import os
import shutil
import sys
from pathlib import Path

import dagster as dg

CONFIGURATION = Path(__file__).parent / "dagster.yaml"


def prepare_instance(home: Path) -> Path:
    """Folder of the home's Dagster instance, with the shipped configuration; one that an operator edited stays."""
    folder = home / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "dagster.yaml").exists():
        shutil.copyfile(CONFIGURATION, folder / "dagster.yaml")
    return folder


def open_instance(home: Path) -> dg.DagsterInstance:
    """The home's Dagster instance, whose runs stand in the UI's history."""
    return dg.DagsterInstance.from_config(str(prepare_instance(home)))


def start_ui(home: Path, arguments: list[str]) -> None:
    """Replace this process by `dagster dev` on the home's instance."""
    environment = {**os.environ, "DAGSTER_HOME": str(prepare_instance(home)), "SERVICEBENCH_HOME": str(home)}
    # By this interpreter, for an environment that was not activated has no `dagster` on its path.
    command = [sys.executable, "-m", "dagster", "dev", "-m", "assets.definitions", *arguments]
    os.execve(command[0], command, environment)  # noqa: S606  (fixed program, arguments from the command line)
