"""Running the graph from the command line."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import dagster as dg
import pytest
from rich.progress import Progress
from sqlalchemy import NullPool, create_engine, text

from assets.instance import open_instance
from assets.product import find_payer
from assets.runner import ConversationBar, hold_log, tag_runs
from assets.steps import stop_if_cancelled
from servicebench_data.simulation.running import Standing


@dg.op
def say(context: dg.OpExecutionContext) -> None:
    context.log.info("said")


@dg.job(executor_def=dg.in_process_executor)
def speak() -> None:
    say()


def test_a_log_that_is_held_is_folded_only_at_the_end_and_loses_nothing(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        run_id = dg.DagsterRun(speak.name).run_id
        with hold_log(instance, run_id):
            (log,) = (tmp_path / "dagster" / "history").rglob(f"{run_id}.db")
            assert speak.execute_in_process(instance=instance, run_id=run_id).success
            assert log.with_name(f"{log.name}-wal").stat().st_size
        assert not log.with_name(f"{log.name}-wal").exists()
        entries = instance.all_logs(run_id)
    assert any(entry.user_message == "said" for entry in entries)
    assert any(entry.dagster_event_type == dg.DagsterEventType.RUN_SUCCESS for entry in entries if entry.dagster_event)


def test_libraries_loaded_beside_a_run_stay_offline_and_are_those_that_it_uses(
    offline_environment: dict[str, str],
) -> None:
    program = """
import sys, threading
from assets.runner import load_libraries
from servicebench_data.embeddings.model import BUNDLED, load_model
from servicebench_data.lake.suites import define_batch
beside = threading.Thread(target=load_libraries)
beside.start()
define_batch()
model = load_model(BUNDLED, "float32")
beside.join()
import huggingface_hub.constants
print(huggingface_hub.constants.HF_HUB_OFFLINE, type(model) is sys.modules["sentence_transformers"].SentenceTransformer)
"""
    kept = {name: value for name, value in offline_environment.items() if not name.startswith("HF_")}
    done = subprocess.run([sys.executable, "-c", program], env=kept, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]


@dg.op
def lose_the_interrupt(context: dg.OpExecutionContext) -> None:
    context.instance.report_run_canceling(context.run)
    stop_if_cancelled(context)
    context.log.info("went on")


@dg.job(executor_def=dg.in_process_executor)
def be_cancelled() -> None:
    lose_the_interrupt()


def test_a_run_that_was_cancelled_stops_though_the_interrupt_was_lost(tmp_path: Path) -> None:
    with open_instance(tmp_path) as instance:
        with pytest.raises(KeyboardInterrupt):
            be_cancelled.execute_in_process(instance=instance)
        (run,) = instance.get_runs()
        assert run.status == dg.DagsterRunStatus.CANCELED
        assert not any(entry.user_message == "went on" for entry in instance.all_logs(run.run_id))


def test_the_runs_of_one_command_pay_from_one_purse_and_any_other_from_its_own() -> None:
    tags = tag_runs(["airline", "restaurant", "retail"])
    assert [entry["dagster/asset_partition_range_end"] for entry in tags] == ["airline", "retail"]
    purses = {find_payer(dg.DagsterRun("build", tags=entry)) for entry in tags}
    assert len(purses) == 1
    assert not purses & {find_payer(dg.DagsterRun("build", tags=entry)) for entry in tag_runs(["airline", "retail"])}
    alone = dg.DagsterRun("build", tags=tag_runs(["airline", "hotel"])[0])
    assert find_payer(alone) == alone.run_id


@pytest.mark.parametrize(("cost", "words"), [(0.0, "USD 0.00"), (1.234, "USD 1.23"), (None, "cost unknown")])
def test_the_bar_of_conversations_tells_no_price_that_is_not_known(cost: float | None, words: str) -> None:
    with Progress(disable=True) as progress:
        ConversationBar(progress)(Standing(4, Counter(agreement=1), cost))
        assert words in progress.tasks[0].description


def test_while_a_run_lasts_its_history_is_not_waited_for(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'some.db'}", poolclass=NullPool)

    def ask() -> int:
        with engine.connect() as connection:
            return connection.execute(text("PRAGMA synchronous")).scalar_one()

    usual = ask()
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance, hold_log(instance, dg.DagsterRun("job").run_id):
        assert ask() == 1
    assert ask() == usual == 2
