"""What the ledger says in sum, by task and model.

Belongs here: the report's rows. Not here: printing them.
"""

from functools import cache
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa

from servicebench_data.models.ledger import Ledger


class TaskSum(NamedTuple):
    """A task's calls by one model.

    Attributes:
        task: The task that made them first.
        model: The model.
        calls: Answered calls.
        requests: Requests sent for all of its calls, retries and failed ones among them.
        reused: How often an answer was taken from the ledger instead of being paid for.
        refused: Answers that their last check refused.
        failed: Calls without an answer.
        tokens_in: Tokens of the questions, where known.
        tokens_out: Tokens of the answers, where known.
        cost_usd: Price of the calls whose price is known; None where none is.
        unpriced: Answered calls of unknown price.
        p50_seconds: Half of the calls took at most as long.
        p95_seconds: 95 of 100 calls took at most as long.
    """

    task: str
    model: str
    calls: int
    requests: int
    reused: int
    refused: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    unpriced: int
    p50_seconds: float | None
    p95_seconds: float | None


@cache
def read_query() -> str:
    """The report's SQL."""
    return Path(__file__).with_name("ledger_report.sql").read_text(encoding="utf-8")


def sum_calls(ledger: Ledger) -> list[TaskSum]:
    """Sums by task and model, in their order."""
    with ledger.engine.connect() as connection:
        rows = connection.execute(sa.text(read_query())).all()
    return [read_row(*row) for row in rows]


def read_row(task: str, model: str, *values: float | None) -> TaskSum:
    """A row with whole numbers where they are counts; PostgreSQL sums them as decimals."""
    counts = [int(value or 0) for value in values[:7]]
    cost, unpriced, p50, p95 = values[7:]
    return TaskSum(
        task,
        model,
        *counts,
        cost_usd=read_number(cost),
        unpriced=int(unpriced or 0),
        p50_seconds=read_number(p50),
        p95_seconds=read_number(p95),
    )


def read_number(value: float | None) -> float | None:
    """A number as float; None stays."""
    return None if value is None else float(value)
