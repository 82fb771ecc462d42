"""Whether every scenario that a task was asked for is there or failed with its reasons.

Belongs here: rows in are rows made plus rows failed, task by task, and whether anything was left undone. Not here:
rules of one table, which follow from its record.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from schemas.models import TaskFailure
from schemas.records import Record
from schemas.scenarios import BackgroundSentence, Candidate, CasePolicy, Event, Expectation, Severity
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.expectations import Finding, find_missing, judge_keys
from servicebench_data.scenarios.writing.stages import STAGES

SQL = (Path(__file__).parent / "balance.sql").read_text(encoding="utf-8")
#: Records of the tables that are weighed.
WEIGHED: tuple[type[Record], ...] = (
    Candidate, Event, Severity, BackgroundSentence, Expectation, CasePolicy, TaskFailure
)  # fmt: skip
#: Share of the written scenarios that may stay unanswered, for a fault of the moment must not hold up all the rest.
UNANSWERED_SHARE = 0.05
_UNDONE = """
    SELECT count(*) FILTER (WHERE made_by <> 'offline'),
           (SELECT count(*) FROM task_failure WHERE status = 'unanswered'),
           (SELECT count(*) FROM task_failure WHERE status = 'over_budget'),
           (SELECT min(reasons[1]) FROM task_failure WHERE status <> 'invalid')
    FROM candidate
"""


def check_balance(files: Mapping[str, Sequence[Path]], limits: Limits) -> list[Finding]:
    """One finding for each task, one for the rejections, and one for what was left undone.

    Args:
        files: Parquet files of the `WEIGHED` tables, by table.
        limits: What DuckDB may take.
    """
    if missing := find_missing(WEIGHED, files, "materialise what is missing"):
        return missing
    with open_database(limits) as connection:
        add_views(connection, files)
        wrong = connection.execute(SQL).fetchall()
        (counts,) = connection.execute(_UNDONE).fetchall()
    tasks = [*(stage.task.name for stage in STAGES), "rejection"]
    found = [judge_task(task, [row for row in wrong if row[0] == task]) for task in tasks]
    strange = [row for row in wrong if row[0] not in tasks]
    return [*found, judge_task("unknown", strange), judge_undone(*counts)]


def judge_task(task: str, wrong: Sequence[tuple[str, str, str]]) -> Finding:
    """Whether a task accounts for all that came to it."""
    return judge_keys(f"balance:{task}", [f"{row[1]} {row[2]}" for row in wrong])


def judge_undone(written: int, unanswered: int, over_budget: int, reason: str | None) -> Finding:
    """Whether the model got to everything: no cap stopped it, and hardly any call stayed without an answer."""
    is_done = not over_budget and unanswered <= UNANSWERED_SHARE * written
    remedy = "mend this and build again, what was answered costs nothing"
    note = f"{remedy}: {over_budget} stopped by a cap, {unanswered} unanswered of {written}; {reason}"
    return Finding("finished", is_done, over_budget + unanswered, (), "" if is_done else note)


def is_finished(failures: pa.Table) -> bool:
    """Whether no failure is of a kind that another run could mend."""
    return all(status == "invalid" for status in failures["status"].to_pylist())
