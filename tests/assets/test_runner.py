"""Running the graph from the command line."""

from pathlib import Path

import dagster as dg

from assets.instance import open_instance
from assets.runner import hold_log


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
