"""Runs the graph from the command line, in this process, recorded in the home's Dagster history.

Belongs here: launching a run and showing its progress. Not here: arguments and printing of results.
"""

import sqlite3
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import dagster as dg
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from sqlalchemy import event as database_event
from sqlalchemy.engine import Engine

from assets.automation import EXPERIMENT_JOB_NAME, JOB_NAME, PLAN, PLAN_JOB_NAME, tag_experiment, tag_range
from assets.definitions import build_definitions
from assets.instance import open_instance
from assets.product import PAYER
from assets.progress import WATCHER
from assets.steps import EXPERIMENTS
from servicebench_data.embeddings.model import import_library
from servicebench_data.industries import list_industries
from servicebench_data.lake.suites import import_expectations
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.scenarios.writing.plan import PlanRow, add_plans
from servicebench_data.settings import Settings

if TYPE_CHECKING:
    from servicebench_data.simulation.running import Standing

POLL_SECONDS = 0.3


def run_build(settings: Settings, industries: Sequence[str], console: Console) -> bool:
    """Build and publish; returns whether it succeeded.

    Args:
        settings: Settings of the build.
        industries: Industries to build, in the product's order; neighbours share one run.
        console: Where progress is shown.
    """
    if not (settings.home / FILE_NAME).exists():
        threading.Thread(target=load_libraries, name="libraries").start()
    job = build_definitions(settings).resolve_job_def(JOB_NAME)
    with open_instance(settings.home) as instance:
        return all(run_job(job, instance, console, tags).success for tags in tag_runs(industries))


def load_libraries() -> None:
    """Import what a first build needs in any case, while it reads and threads posts, which leaves a core idle."""
    import_expectations()
    import_library()


def tag_runs(industries: Sequence[str]) -> list[dict[str, str]]:
    """Tags of the runs that build some industries; several pay from one purse, and keep to the caps together."""
    ranges = split_ranges(industries)
    payer = {PAYER: uuid4().hex} if len(ranges) > 1 else {}
    return [{**tag_range(first, last), **payer} for first, last in ranges]


def run_plan(settings: Settings, industries: Sequence[str], console: Console) -> list[PlanRow] | None:
    """What the model's work would take; None where what comes before it cannot be made.

    Args:
        settings: Settings of the build that is planned.
        industries: Industries, in the product's order.
        console: Where progress is shown.
    """
    job = build_definitions(settings).resolve_job_def(PLAN_JOB_NAME)
    plans: list[list[PlanRow]] = []
    with open_instance(settings.home) as instance:
        for first, last in split_ranges(industries):
            result = run_job(job, instance, console, tag_range(first, last))
            if not result.success:
                return None
            rows: Any = result.asset_materializations_for_node(PLAN)[0].metadata["rows"].value
            plans.append([PlanRow(**row) for row in rows])
    return add_plans(plans)


def split_ranges(industries: Sequence[str]) -> list[tuple[str, str]]:
    """First and last of each stretch of neighbouring industries."""
    known = list_industries()
    ranges: list[tuple[str, str]] = []
    for name in industries:
        if ranges and known.index(ranges[-1][1]) + 1 == known.index(name):
            ranges[-1] = (ranges[-1][0], name)
        else:
            ranges.append((name, name))
    return ranges


def run_experiment(settings: Settings, name: str, console: Console) -> bool:
    """Hold an experiment's conversations, judge and publish them; returns whether all of it succeeded.

    Args:
        settings: Settings of the run.
        name: Name of an experiment of the home.
        console: Where progress is shown.
    """
    job = build_definitions(settings).resolve_job_def(EXPERIMENT_JOB_NAME)
    with open_instance(settings.home) as instance:
        instance.add_dynamic_partitions(str(EXPERIMENTS.name), [name])
        return run_job(job, instance, console, tag_experiment(name)).success


def run_job(
    job: dg.JobDefinition, instance: dg.DagsterInstance, console: Console, tags: Mapping[str, str]
) -> dg.ExecuteInProcessResult:
    """One in-process run over what the tags name."""
    steps = len(list(job.graph.node_dict))
    run_id = dg.DagsterRun(job.name).run_id
    with hold_log(instance, run_id), show_progress(instance, run_id, console, steps):
        result = job.execute_in_process(
            instance=instance,
            run_id=run_id,
            tags=dict(tags),
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
            raise_on_error=False,
        )
    for event in result.all_events:
        report_failure(event, console)
    return result


@contextmanager
def hold_log(instance: dg.DagsterInstance, run_id: str) -> Generator[None]:
    """Hold the files of the run's event log open, and write to them without waiting for the disk.

    Dagster opens and closes them with every event, and SQLite folds its write-ahead log into the file whenever the last
    connection closes: half of the time that an event takes. A killed process loses nothing of what it wrote to that
    log; only a power failure does, and then the history's last events alone.
    """
    instance.get_records_for_run(run_id)  # so that the run's file is there
    with ExitStack() as stack:
        database_event.listen(Engine, "connect", trust_system)
        stack.callback(database_event.remove, Engine, "connect", trust_system)
        for path in sorted((Path(instance.root_directory) / "history").rglob("*.db")):
            if path.stem in {run_id, "index", "runs"}:
                connection = stack.enter_context(closing(sqlite3.connect(path)))
                connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        yield


def trust_system(connection: Any, record: object) -> None:
    """Let SQLite leave it to the system when a transaction reaches the disk."""
    del record
    if isinstance(connection, sqlite3.Connection):
        connection.execute("PRAGMA synchronous = NORMAL")


def report_failure(event: dg.DagsterEvent, console: Console) -> None:
    """Print why a step failed, or the run before any step, and which checks did."""
    if event.is_step_failure:
        print_cause(str(event.step_key), event.step_failure_data.error, console)
    elif event.is_job_failure and not event.job_failure_data.first_step_failure_event:
        print_cause("run", event.job_failure_data.error, console)
    elif event.event_type == dg.DagsterEventType.ASSET_CHECK_EVALUATION:
        data: Any = event.event_specific_data
        if not data.passed:
            console.print(f"[red]check {data.check_name}[/red]: {data.description}")
            text = data.metadata.get("failures")
            console.print(text.value if text else "", markup=False, highlight=False)


def print_cause(what: str, error: Any, console: Console) -> None:
    """Print the innermost cause of an error."""
    while error and error.cause:
        error = error.cause
    console.print(f"[red]{what}[/red]:", end=" ")
    console.print(error.message.strip() if error else "failed", markup=False, highlight=False)


@contextmanager
def show_progress(instance: dg.DagsterInstance, run_id: str, console: Console, steps: int) -> Generator[None]:
    """A bar of finished steps, with the last line that the running one logged, and one of conversations."""
    columns = (BarColumn(24), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
    stop = threading.Event()
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("starting", total=steps)
        watcher = threading.Thread(
            target=watch, args=(instance, run_id, progress, task, stop), daemon=True, name="progress"
        )
        watcher.start()
        token = WATCHER.set(ConversationBar(progress))
        try:
            yield
        finally:
            WATCHER.reset(token)
            stop.set()
            watcher.join()


class ConversationBar:
    """A bar of conversations that are over: agreed, left, failed, cost, time left."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: Any = None
        self._start = time.monotonic()

    def __call__(self, standing: "Standing") -> None:
        """Show how a run stands."""
        if self._task is None:
            self._task, self._start = self._progress.add_task("conversations"), time.monotonic()
        seconds = (time.monotonic() - self._start) / standing.done * (standing.total - standing.done)
        ends, cost = standing.ends, standing.cost_usd
        price = "cost unknown" if cost is None else f"USD {cost:.2f}"
        words = (
            f"{ends['agreement']} agreed, {ends['disengagement']} left, {ends['turn_cap']} capped, {ends['failed']} "
            f"failed, {ends['invalid']} invalid; {price}; about {seconds:.0f} s left"
        )
        self._progress.update(self._task, completed=standing.done, total=standing.total, description=words)


def watch(instance: dg.DagsterInstance, run_id: str, progress: Progress, task: Any, stop: threading.Event) -> None:
    """Follow a run's event log until told to stop."""
    cursor: str | None = None
    while not stop.wait(POLL_SECONDS):
        page = instance.get_records_for_run(run_id, cursor=cursor)
        cursor = page.cursor
        for record in page.records:
            event = record.event_log_entry.dagster_event
            if event and event.is_step_success:
                progress.advance(task)
            elif not event:
                progress.update(task, description=record.event_log_entry.user_message[:100])
