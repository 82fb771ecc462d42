"""When runs start by themselves: a weekly schedule, and sensors on the folders of raw posts and of experiments.

Belongs here: deciding whether a run is due. Not here: what a run does.

Dagster does not look at running runs when a schedule ticks, and takes a run whose process was killed for running.
Whether a build is alive is therefore asked of the home's lock, which a killed process lets go: each tick ends the run
that was killed, so that none waits for it.

What a sensor asks for carries no run key, for Dagster never launches the same key twice, and a folder may return to
what it was. The cursor says what was asked for last; whether that came to anything is asked of the history.
"""

import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

import dagster as dg
from pydantic import Field, TypeAdapter, ValidationError

from assets.instance import end_killed
from assets.product import ProductBase
from assets.steps import EXPERIMENTS
from schemas.records import Strict
from schemas.scenarios import Scenario
from servicebench_data.industries import list_industries
from servicebench_data.lake.lock import find_killed, is_locked
from servicebench_data.lake.sources import is_source, list_sources, stamp
from servicebench_data.lake.store import digest_file, digest_json
from servicebench_data.lake.tables import RECORDS
from servicebench_data.simulation.files import list_experiments

JOB_NAME = "scenario_build"
EXPERIMENT_JOB_NAME = "experiment_run"
#: What publishes the tables, and shows them.
PUBLISHING = ("build_step", "build", "report")
RUBRIC = "rubric_item"
PLAN_JOB_NAME = "model_plan"
PLAN = "writing_plan"
WAITING = (dg.DagsterRunStatus.QUEUED, dg.DagsterRunStatus.NOT_STARTED, dg.DagsterRunStatus.STARTING)
WAITING_SECONDS = 600
#: Tag of a run that a sensor asked for: the state of the files that it is to take in.
STATE = "servicebench/state"
#: What failed is tried again after a while, which doubles with each failure in a row.
RETRY_SECONDS = 900
LONGEST_RETRY_SECONDS = 86_400


class Asked(Strict):
    """The last run that was asked for.

    Attributes:
        state: State of the files that it is to take in.
        at: When it was asked for, seconds.
        tries: How often it was asked for in a row.
    """

    state: str
    at: float
    tries: int = Field(1, ge=1)


class Seen(Strict):
    """Cursor of the sensor on posts: the folder's state at the last tick, and the last build asked for."""

    state: str = ""
    asked: Asked | None = None


T = TypeVar("T")
SEEN = TypeAdapter(Seen)
ASKED_BY_NAME = TypeAdapter(dict[str, Asked])


def make_job() -> Any:
    """The job that makes everything: one in-process run over all industries."""
    return dg.define_asset_job(
        JOB_NAME,
        selection=dg.AssetSelection.all() - dg.AssetSelection.assets(PLAN) - select_played(),
        description="From raw posts to the published file. Launch it over all industries at once.",
        executor_def=dg.in_process_executor,
    )


def select_played() -> dg.AssetSelection:
    """Tables that are made experiment by experiment."""
    names = [record.table.name for record in RECORDS if record.table.per == "experiment"]
    return dg.AssetSelection.assets(*names)


def make_experiment_job() -> Any:
    """The job that holds an experiment's conversations, judges and publishes them: one run for one experiment."""
    return dg.define_asset_job(
        EXPERIMENT_JOB_NAME,
        selection=select_played() | dg.AssetSelection.assets(RUBRIC, *PUBLISHING),
        description="Conversations and judgments of one experiment, over the scenarios that are released. What the "
        "ledger holds is not asked for again.",
        executor_def=dg.in_process_executor,
    )


def make_plan_job() -> Any:
    """The job that tells what the model's work would take, and asks no model."""
    return dg.define_asset_job(
        PLAN_JOB_NAME,
        selection=dg.AssetSelection.assets(PLAN).upstream().required_multi_asset_neighbors(),
        description="What writing the scenarios by the model would take: items, calls, tokens, cost, by task. Makes "
        "what comes before, asks no model, spends nothing; the table is in the metadata of `writing_plan`. Launch it "
        "over all industries at once, with `model` set in the resource.",
        executor_def=dg.in_process_executor,
    )


def tag_range(first: str, last: str) -> dict[str, str]:
    """Tags of one run over a range of industries."""
    return {"dagster/asset_partition_range_start": first, "dagster/asset_partition_range_end": last}


def tag_experiment(name: str) -> dict[str, str]:
    """Tags of one run of an experiment."""
    return {"dagster/partition": name}


def tag_all() -> dict[str, str]:
    """Tags of one run over all industries."""
    names = list_industries()
    return tag_range(names[0], names[-1])


def read_cursor(kind: TypeAdapter[T], cursor: str | None) -> T:
    """What a sensor noted; as good as nothing where it noted nothing, or in another form."""
    try:
        return kind.validate_json(cursor or "{}")
    except ValidationError:
        return kind.validate_python({})


def ask(before: Asked | None, state: str) -> Asked:
    """What is noted of a run that is asked for now."""
    tries = before.tries if before and before.state == state else 0
    return Asked(state=state, at=time.time(), tries=tries + 1)


def find_reason_to_wait(instance: dg.DagsterInstance, asked: Asked | None, state: str) -> str | None:
    """Why a state is not to be taken in now: it was, it is being taken in, or that failed a moment ago; else None.

    A run that a person cancelled is not tried again.
    """
    if asked is None or asked.state != state:
        return None
    since = datetime.fromtimestamp(asked.at - 1, UTC)  # the history's times are cut off
    runs = instance.get_runs(dg.RunsFilter(tags={STATE: state}, created_after=since), limit=1)
    if runs and runs[0].status != dg.DagsterRunStatus.FAILURE:
        return "is as it was at the last run" if runs[0].is_finished else "is being taken in by a run"
    due = asked.at + min(RETRY_SECONDS * 2 ** (asked.tries - 1), LONGEST_RETRY_SECONDS)
    if time.time() >= due:
        return None
    return f"made the last run fail; it is tried again after {datetime.fromtimestamp(due, UTC):%Y-%m-%d %H:%M} UTC"


def find_reason_to_skip(instance: dg.DagsterInstance, product: ProductBase) -> str | None:
    """Why no build should start now; None where one may."""
    if not list_sources(product.lake):
        return "no posts are registered: run `servicebench build --posts FILE`, or copy a file into the posts folder"
    if is_locked(product.settings.home):
        return "a build is running in this home"
    waiting = instance.get_run_records(dg.RunsFilter(job_name=JOB_NAME, statuses=list(WAITING)))
    now = datetime.now(UTC)
    if any((now - record.create_timestamp).total_seconds() < WAITING_SECONDS for record in waiting):
        return "a build is waiting to start"
    return None


@dg.schedule(
    job_name=JOB_NAME,
    cron_schedule="0 4 * * 1",
    execution_timezone="UTC",
    default_status=dg.DefaultScheduleStatus.RUNNING,
    description="Every Monday at 04:00 UTC, from all registered posts. Skips, and says why, when it cannot run.",
)
def weekly_build(
    context: dg.ScheduleEvaluationContext, watcher: dg.ResourceParam[ProductBase]
) -> dg.RunRequest | dg.SkipReason:
    """Request a build unless there is a reason to skip."""
    end_killed(context.instance, find_killed(watcher.settings.home))
    reason = find_reason_to_skip(context.instance, watcher)
    return dg.SkipReason(reason) if reason else dg.RunRequest(tags=tag_all(), run_config=read_posts())


@dg.sensor(
    job_name=JOB_NAME,
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Builds when the files in the posts folder have changed and been still for one tick.",
)
def posts_folder(
    context: dg.SensorEvaluationContext, watcher: dg.ResourceParam[ProductBase]
) -> dg.RunRequest | dg.SkipReason:
    """Request a build when the folder's files have changed since the last one and are no longer being written."""
    end_killed(context.instance, find_killed(watcher.settings.home))
    seen, now = read_cursor(SEEN, context.cursor), describe_folder(watcher)
    if now != seen.state:
        context.update_cursor(Seen(state=now, asked=seen.asked).model_dump_json())
        return dg.SkipReason("the posts folder has changed; waiting until it is still")
    reason = find_reason_to_wait(context.instance, seen.asked, now)
    reason = f"the posts folder {reason}" if reason else find_reason_to_skip(context.instance, watcher)
    if reason:
        return dg.SkipReason(reason)
    context.update_cursor(Seen(state=now, asked=ask(seen.asked, now)).model_dump_json())
    return dg.RunRequest(tags={**tag_all(), STATE: now}, run_config=read_posts())


def read_posts() -> dict[str, object]:
    """Run configuration of a build from registered posts, whatever the environment's default source is."""
    return {"resources": {"product": {"config": {"source": "posts"}}}}


def describe_folder(product: ProductBase) -> str:
    """Digest of names, sizes and times of the files in the posts folder."""
    folder = product.lake.posts
    files = sorted(path for path in folder.iterdir() if is_source(path)) if folder.is_dir() else []
    return digest_json([f"{path.name}|{stamp(path)}" for path in files])


@dg.sensor(
    job_name=EXPERIMENT_JOB_NAME,
    minimum_interval_seconds=60,
    default_status=dg.DefaultSensorStatus.RUNNING,
    description="Makes each file in the home's folder of experiments a partition, and runs it when it is new or has "
    "changed.",
)
def experiments_folder(
    context: dg.SensorEvaluationContext, watcher: dg.ResourceParam[ProductBase]
) -> dg.SensorResult | dg.SkipReason:
    """Request a run of each experiment whose file has not been run as it is."""
    end_killed(context.instance, find_killed(watcher.settings.home))
    found = {name: f"{name}:{digest_file(path)}" for name, path in list_experiments(watcher.lake).items()}
    known = read_cursor(ASKED_BY_NAME, context.cursor)
    reasons = {name: find_reason_to_wait(context.instance, known.get(name), found[name]) for name in found}
    due = [name for name, reason in reasons.items() if reason is None]
    if not due:
        return dg.SkipReason(describe_reasons(reasons))
    if watcher.lake.find(Scenario) is None:
        return dg.SkipReason("no scenario is released yet: run `servicebench build` first")
    if is_locked(watcher.settings.home):
        return dg.SkipReason("a build is running in this home")
    name = due[0]  # one after the other, for a run holds the home's lock
    return dg.SensorResult(
        run_requests=[dg.RunRequest(partition_key=name, tags={STATE: found[name]})],
        dynamic_partitions_requests=[EXPERIMENTS.build_add_request(sorted(found))],
        cursor=ASKED_BY_NAME.dump_json({**known, name: ask(known.get(name), found[name])}).decode(),
    )


def describe_reasons(reasons: Mapping[str, str | None]) -> str:
    """Why no experiment is run, one after the other."""
    return "; ".join(f"experiment {name} {reason}" for name, reason in reasons.items()) or "there is no experiment"
