"""Schedule and sensor: when they ask for a build, and what they say when they do not."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from assets import automation
from assets.automation import JOB_NAME, experiments_folder, posts_folder, weekly_build
from assets.definitions import build_definitions
from assets.instance import open_instance
from assets.product import ProductBase, make_resources
from servicebench_data.lake.sample import ROOT
from servicebench_data.settings import Settings

#: A run that holds the home's lock and does not end.
KILLED = """
import sys, time
from pathlib import Path
import dagster as dg
from assets.instance import open_instance
from assets.product import ProductBase, make_resources
from servicebench_data.settings import Settings

@dg.op
def wait(product: dg.ResourceParam[ProductBase]) -> None:
    print("held", flush=True)
    time.sleep(600)

home = Path(sys.argv[1])
resources = make_resources(Settings.load({}, home=home))
job = dg.GraphDefinition("waiting", node_defs=[wait]).to_job(
    resource_defs={"product": resources["product"]}, executor_def=dg.in_process_executor
)
with open_instance(home) as instance:
    job.execute_in_process(instance=instance)
"""


@pytest.fixture
def product(tmp_path: Path) -> ProductBase:
    return make_resources(Settings.load({}, home=tmp_path / "home"))["watcher"]


def add_posts(product: ProductBase, name: str = "posts.csv", text: str = "tweet_id\n1\n") -> None:
    product.lake.posts.mkdir(parents=True, exist_ok=True)
    (product.lake.posts / name).write_text(text)


def tick(sensor: Any, product: ProductBase, instance: dg.DagsterInstance, cursor: str | None = None) -> Any:
    """Let a schedule or sensor look once; returns what it asks for, or why it does not, and the cursor after it."""
    if isinstance(sensor, dg.ScheduleDefinition):
        return tick_schedule(product, instance), None
    with dg.build_sensor_context(instance=instance, resources={"watcher": product}, cursor=cursor) as context:
        result = sensor(context)
        return result, context.cursor


def tick_until_still(product: ProductBase, instance: dg.DagsterInstance, cursor: str | None) -> tuple[Any, str | None]:
    """Let the sensor on posts look twice: at a change, and once the folder is still."""
    return tick(posts_folder, product, instance, tick(posts_folder, product, instance, cursor)[1])


def tick_schedule(product: ProductBase, instance: dg.DagsterInstance) -> dg.RunRequest | dg.SkipReason:
    with dg.build_schedule_context(instance=instance, resources={"watcher": product}) as context:
        result = weekly_build(context)
    assert isinstance(result, dg.RunRequest | dg.SkipReason)
    return result


def test_the_schedule_skips_without_posts_and_says_what_to_do(product: ProductBase) -> None:
    with dg.instance_for_test() as instance:
        result = tick_schedule(product, instance)
    assert isinstance(result, dg.SkipReason)
    assert "--posts" in (result.skip_message or "")


def test_the_schedule_asks_for_one_run_over_all_industries_from_posts(product: ProductBase) -> None:
    add_posts(product)
    with dg.instance_for_test() as instance:
        result = tick_schedule(product, instance)
    assert isinstance(result, dg.RunRequest)
    assert result.tags["dagster/asset_partition_range_start"] == "airline"
    assert result.run_config["resources"]["product"]["config"] == {"source": "posts"}


def test_a_running_build_is_not_overlapped_and_a_killed_one_blocks_nothing(product: ProductBase) -> None:
    add_posts(product)
    code = (
        "import sys, time; from pathlib import Path; from servicebench_data.lake.lock import hold_lock\n"
        "with hold_lock(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    with (
        dg.instance_for_test() as instance,
        subprocess.Popen(
            [sys.executable, "-c", code, str(product.settings.home)], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as holder,
    ):
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        instance.add_run(dg.DagsterRun(JOB_NAME, status=dg.DagsterRunStatus.STARTED))
        during = tick_schedule(product, instance)
        holder.kill()
        holder.wait()
        after = tick_schedule(product, instance)
    assert isinstance(during, dg.SkipReason)
    assert "running" in (during.skip_message or "")
    assert isinstance(after, dg.RunRequest)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in whose history a run that was killed stands as running."""
    home = tmp_path_factory.mktemp("killed") / "home"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(home)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    ) as child:
        assert child.stdout is not None
        assert "held\n" in iter(child.stdout.readline, "")
        child.kill()
    return home


def list_statuses(instance: dg.DagsterInstance) -> list[str]:
    return sorted(run.status.value for run in instance.get_runs())


def read_reason(instance: dg.DagsterInstance) -> str:
    """Why the run that failed did so."""
    (run,) = instance.get_runs(dg.RunsFilter(statuses=[dg.DagsterRunStatus.FAILURE]))
    events = [entry.dagster_event for entry in instance.all_logs(run.run_id)]
    return next(str(event.message) for event in events if event and event.is_job_failure)


@pytest.mark.parametrize("sensor", [weekly_build, posts_folder, experiments_folder])
def test_a_killed_run_is_ended_at_the_next_tick_with_its_reason(sensor: Any, killed: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(killed, tmp_path / "home"))
    product = make_resources(Settings.load({}, home=home))["watcher"]
    add_posts(product)
    with open_instance(home) as instance:
        assert list_statuses(instance) == ["STARTED"]
        asked = tick(sensor, product, instance)[0]
        assert list_statuses(instance) == ["FAILURE"]
        assert "process was killed" in read_reason(instance)
        tick(sensor, product, instance)
        assert len(instance.all_logs(instance.get_runs()[0].run_id, of_type=dg.DagsterEventType.RUN_FAILURE)) == 1
    if sensor is weekly_build:
        assert isinstance(asked, dg.RunRequest)


def test_a_killed_run_is_ended_by_the_next_run_and_one_that_lives_is_left(killed: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(killed, tmp_path / "home"))

    @dg.op
    def look(context: dg.OpExecutionContext, product: dg.ResourceParam[ProductBase]) -> None:
        assert list_statuses(context.instance) == ["FAILURE", "STARTED"]
        tick_schedule(product, context.instance)
        assert list_statuses(context.instance) == ["FAILURE", "STARTED"]

    resources = make_resources(Settings.load({}, home=home))
    job = dg.GraphDefinition("next", node_defs=[look]).to_job(
        resource_defs={"product": resources["product"]}, executor_def=dg.in_process_executor
    )
    with open_instance(home) as instance:
        assert job.execute_in_process(instance=instance).success
        assert list_statuses(instance) == ["FAILURE", "SUCCESS"]
        tick_schedule(resources["watcher"], instance)
        assert list_statuses(instance) == ["FAILURE", "SUCCESS"]


def test_no_run_has_a_longest_time(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        assert instance.run_monitoring_enabled
        assert instance.run_monitoring_max_runtime_seconds == 0


def test_a_folder_that_returns_to_what_it_was_is_built_again(product: ProductBase, tmp_path: Path) -> None:
    cursor, states = None, []
    with open_instance(product.settings.home) as instance:
        for names in ([], ["more.csv"], []):
            shutil.rmtree(product.lake.posts, ignore_errors=True)
            for name in ["posts.csv", *names]:
                add_posts(product, name)
                shutil.copystat(ROOT / "sample" / "posts.csv", product.lake.posts / name)
            request, cursor = tick_until_still(product, instance, cursor)
            assert isinstance(request, dg.RunRequest)
            assert request.run_key is None, "Dagster launches the same key once in a home's life"
            instance.add_run(dg.DagsterRun(JOB_NAME, tags=request.tags, status=dg.DagsterRunStatus.SUCCESS))
            states.append(request.tags[automation.STATE])
            assert isinstance(tick(posts_folder, product, instance, cursor)[0], dg.SkipReason)
    assert states[0] == states[2] != states[1]


def test_a_build_that_failed_is_tried_again_after_a_while_that_grows(
    product: ProductBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_posts(product)
    job = build_definitions(product.settings).resolve_job_def(JOB_NAME)
    with open_instance(product.settings.home) as instance:
        request, cursor = tick_until_still(product, instance, None)
        assert isinstance(request, dg.RunRequest)
        waits = tick(posts_folder, product, instance, cursor)[0]
        assert isinstance(waits, dg.SkipReason), "asked for, and not launched yet"
        done = job.execute_in_process(
            instance=instance, tags=dict(request.tags), run_config=request.run_config, raise_on_error=False
        )
        assert not done.success
        reasons = []
        for _ in range(3):
            reason = tick(posts_folder, product, instance, cursor)[0]
            assert isinstance(reason, dg.SkipReason)
            reasons.append(str(reason.skip_message))
            with monkeypatch.context() as patch:
                patch.setattr(automation, "RETRY_SECONDS", 0)
                request, cursor = tick(posts_folder, product, instance, cursor)
            assert isinstance(request, dg.RunRequest)
            instance.add_run(dg.DagsterRun(JOB_NAME, tags=request.tags, status=dg.DagsterRunStatus.FAILURE))
    assert all("tried again after" in reason for reason in reasons)
    assert len(set(reasons)) == 3


@pytest.mark.parametrize(
    ("status", "words"),
    [("SUCCESS", "as it was"), ("STARTED", "taken in"), ("STARTING", "taken in"), ("CANCELED", "as it was")],
)
def test_a_build_that_is_done_under_way_or_cancelled_is_not_asked_for_again(
    product: ProductBase, monkeypatch: pytest.MonkeyPatch, status: str, words: str
) -> None:
    monkeypatch.setattr(automation, "RETRY_SECONDS", 0)
    add_posts(product)
    with open_instance(product.settings.home) as instance:
        request, cursor = tick_until_still(product, instance, None)
        instance.add_run(dg.DagsterRun(JOB_NAME, tags=request.tags, status=dg.DagsterRunStatus(status)))
        reason = tick(posts_folder, product, instance, cursor)[0]
    assert isinstance(reason, dg.SkipReason)
    assert words in str(reason.skip_message)


@pytest.mark.parametrize("cursor", ["", "seen|built", "{", '{"state": 1}'])
def test_a_cursor_in_another_form_is_as_good_as_none(product: ProductBase, cursor: str) -> None:
    add_posts(product)
    with dg.instance_for_test() as instance:
        assert isinstance(tick_until_still(product, instance, cursor)[0], dg.RunRequest)
        assert isinstance(tick(experiments_folder, product, instance, cursor)[0], dg.SkipReason)


def test_the_sensor_waits_until_the_folder_is_still_and_asks_once(product: ProductBase) -> None:
    add_posts(product)
    with (
        dg.instance_for_test() as instance,
        dg.build_sensor_context(instance=instance, resources={"watcher": product}) as context,
    ):
        first, second = posts_folder(context), posts_folder(context)
        third = posts_folder(context)
        add_posts(product, "more.csv", "tweet_id\n2\n")
        fourth, fifth = posts_folder(context), posts_folder(context)
    assert isinstance(first, dg.SkipReason)
    assert "still" in (first.skip_message or "")
    assert isinstance(second, dg.RunRequest)
    assert isinstance(third, dg.SkipReason)
    assert isinstance(fourth, dg.SkipReason)
    assert isinstance(fifth, dg.RunRequest)


def test_an_unknown_setting_is_refused_at_launch(product: ProductBase) -> None:
    @dg.op
    def use(product: dg.ResourceParam[ProductBase]) -> None:
        del product

    job = dg.GraphDefinition("one", node_defs=[use]).to_job(resource_defs={"product": product})
    with pytest.raises(dg.DagsterInvalidConfigError, match="sede"):
        job.execute_in_process(run_config={"resources": {"product": {"config": {"sede": 1}}}})
