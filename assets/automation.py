"""When runs start by themselves: a weekly schedule, and sensors on the folders of raw posts and of experiments.

Belongs here: deciding whether a run is due. Not here: what a run does.

Dagster does not look at running runs when a schedule ticks, and a run whose process was killed stays "started" in its
history for hours. Whether a build is alive is therefore asked of the home's lock, which a killed process lets go.
"""

import json
from datetime import UTC, datetime
from typing import Any

import dagster as dg

from assets.product import ProductBase
from assets.steps import EXPERIMENTS
from schemas.scenarios import Scenario
from servicebench_data.industries import list_industries
from servicebench_data.lake.lock import is_locked
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
    seen, built = (context.cursor or "|").split("|")
    now = describe_folder(watcher)
    if now == built:
        return dg.SkipReason("the posts folder is as it was at the last build")
    if now != seen:
        context.update_cursor(f"{now}|{built}")
        return dg.SkipReason("the posts folder has changed; waiting until it is still")
    reason = find_reason_to_skip(context.instance, watcher)
    if reason:
        return dg.SkipReason(reason)
    context.update_cursor(f"{now}|{now}")
    return dg.RunRequest(run_key=now, tags=tag_all(), run_config=read_posts())


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
    found = {name: digest_file(path) for name, path in list_experiments(watcher.lake).items()}
    known: dict[str, str] = json.loads(context.cursor or "{}")
    changed = [name for name in found if known.get(name) != found[name]]
    if not changed:
        return dg.SkipReason("no experiment is new or has changed")
    if watcher.lake.find(Scenario) is None:
        return dg.SkipReason("no scenario is released yet: run `servicebench build` first")
    if is_locked(watcher.settings.home):
        return dg.SkipReason("a build is running in this home")
    name = changed[0]  # one after the other, for a run holds the home's lock
    return dg.SensorResult(
        run_requests=[dg.RunRequest(run_key=f"{name}:{found[name]}", partition_key=name)],
        dynamic_partitions_requests=[EXPERIMENTS.build_add_request(sorted(found))],
        cursor=json.dumps({**known, name: found[name]}, sort_keys=True),
    )
