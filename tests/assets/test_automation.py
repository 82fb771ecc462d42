"""Schedule and sensor: when they ask for a build, and what they say when they do not."""

import subprocess
import sys
from pathlib import Path

import dagster as dg
import pytest

from assets.automation import JOB_NAME, posts_folder, weekly_build
from assets.product import ProductBase, make_resources
from servicebench_data.lake.sample import ROOT
from servicebench_data.settings import Settings


@pytest.fixture
def product(tmp_path: Path) -> ProductBase:
    return make_resources(Settings.load({}, home=tmp_path / "home"))["watcher"]


def add_posts(product: ProductBase, name: str = "posts.csv", text: str = "tweet_id\n1\n") -> None:
    product.lake.posts.mkdir(parents=True, exist_ok=True)
    (product.lake.posts / name).write_text(text)


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
