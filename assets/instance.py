"""The Dagster instance of a home: where runs and their history are kept.

Belongs here: preparing the instance's folder, opening it, ending runs that are dead. Not here: definitions.
"""

import os
import shutil
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from servicebench_data.lake.lock import find_killed

CONFIGURATION = Path(__file__).parent / "dagster.yaml"
SHOWN_RUNS = 5


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


def end_killed(instance: dg.DagsterInstance | None, run_id: str) -> None:
    """Mark a run whose process was killed as failed: Dagster would take it for running, and queue others behind it."""
    run = instance.get_run_by_id(run_id) if instance and run_id else None
    if instance and run and not run.is_finished:
        instance.report_run_failed(run, "The run's process was killed: it holds the home's build lock no more.")


def list_runs(home: Path) -> list[tuple[str, ...]]:
    """The last runs, newest first: id, job, industries or experiment, status, start, minutes."""
    if not (home / "dagster").is_dir():
        return []
    with open_instance(home) as instance:
        end_killed(instance, find_killed(home))
        return [describe_run(record) for record in instance.get_run_records(limit=SHOWN_RUNS)]


def describe_run(record: dg.RunRecord) -> tuple[str, ...]:
    """A run as texts; what is not known yet is empty."""
    run, start, end = record.dagster_run, record.start_time, record.end_time
    first, last = (run.tags.get(f"dagster/asset_partition_range_{edge}", "") for edge in ("start", "end"))
    over = run.tags.get("dagster/partition", first if first == last else f"{first} to {last}")
    started = f"{datetime.fromtimestamp(start, UTC):%Y-%m-%d %H:%M}" if start else ""
    minutes = f"{(end - start) / 60:.1f}" if start and end else ""
    return run.run_id[:8], run.job_name, over, run.status.value.lower(), started, minutes


def start_ui(home: Path, arguments: list[str]) -> None:
    """Replace this process by `dagster dev` on the home's instance."""
    environment = {**os.environ, "DAGSTER_HOME": str(prepare_instance(home)), "SERVICEBENCH_HOME": str(home)}
    # By this interpreter, for an environment that was not activated has no `dagster` on its path.
    command = [sys.executable, "-m", "dagster", "dev", "-m", "assets.definitions", *arguments]
    # Dagster ends its own processes by the signal of Ctrl-C, which a job that a shell put in the background ignores.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execve(command[0], command, environment)  # noqa: S606  (fixed program, arguments from the command line)
