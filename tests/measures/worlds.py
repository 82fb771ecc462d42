"""Made experiments in an in-memory database, with the facts over them: nobody played any of them.

Belongs here: what the tests of statistics share. Not here: tests.
"""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from schemas.judging import Judgment, Score
from schemas.records import Record
from schemas.scenarios import Scenario
from schemas.simulation import Conversation, MessageRow
from servicebench_data.journeys.arrays import Floats
from servicebench_data.judging.ensemble import make_judgments
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.lake.database import Limits
from servicebench_data.measures.facts import open_facts
from tests.rows import plain_row

EXPERIMENT = "made"
DIMENSIONS = ("interactional", "procedural", "distributive")
ENDS = {
    "agreed": ("agreement", "accepted"),
    "disengaged": ("disengagement", "left"),
    "capped": ("turn_cap", "turn_cap"),
    "failed": ("failed", "agent_empty"),
    "invalid": ("invalid", "simulator_fault"),
    "unplayed": ("failed", "over_budget"),
}
Scores = Mapping[str, Sequence[int | None]]
Row = dict[str, Any]


class World:
    """Conversations of an experiment with their scores, added one by one."""

    def __init__(self) -> None:
        self.conversations: list[Row] = []
        self.messages: list[Row] = []
        self.scores: list[Row] = []
        self.scenarios: dict[str, Row] = {}

    def add(self, agent: str, scenario: int, scores: Scores | None = None, **given: Any) -> "World":
        """One conversation; `scores` has the three dimensions by judge.

        Further: style, repeat, disclosure, customer, industry, category, severity, end (a key of `ENDS`), exchanges,
        words (of the agent's only message), own (judges of the agent's family), made_by (of agent).
        """
        name = f"c{len(self.conversations):05}"
        industry, end = given.get("industry", "hotel"), ENDS[given.get("end", "agreed")]
        self.conversations.append(
            fill(
                Conversation, conversation_id=name, experiment_id=EXPERIMENT, scenario_id=f"s{scenario:04}",
                industry=industry, agent=agent, agent_made_by=given.get("made_by", f"maker/{agent}"), customer="rules",
                style=given.get("style", "passive_cold"), disclosure=given.get("disclosure", "progressive"),
                guidance="none", repeat=given.get("repeat", 0), end=end[0], end_detail=end[1],
                exchanges=given.get("exchanges", 3), is_valid=end[0] != "invalid", is_self_play=False,
            )
        )  # fmt: skip
        self.scenarios[f"s{scenario:04}"] = fill(
            Scenario, scenario_id=f"s{scenario:04}", industry=industry, stage_id="stage",
            cluster_id=f"s{scenario:04}",
            category_id=given.get("category", "room"), severity=given.get("severity", "low"),
        )  # fmt: skip
        text = "word " * given.get("words", 20)
        self.messages.append(fill(MessageRow, conversation_id=name, message_index=1, role="agent", text=text))
        self.scores += score(name, scores or {}, given.get("own", ()))
        return self

    @contextmanager
    def open(self, folder: Path) -> Generator[duckdb.DuckDBPyConnection]:
        """The rows as tables, with the facts over them."""
        judged = make_judgments(
            {Conversation: tabulate(Conversation, self.conversations)}, tabulate(Score, self.scores)
        )
        with open_facts({}, Limits(1.0, 1, folder)) as connection:
            insert(connection, Conversation, tabulate(Conversation, self.conversations))
            insert(connection, MessageRow, tabulate(MessageRow, self.messages))
            insert(connection, Scenario, tabulate(Scenario, list(self.scenarios.values())))
            insert(connection, Score, tabulate(Score, self.scores))
            insert(connection, Judgment, judged)
            yield connection


@cache
def find_template(record: type[Record]) -> Row:
    return plain_row(record)


def fill(record: type[Record], **given: Any) -> Row:
    """A valid row with the given values."""
    return {**find_template(record), **given}


def tabulate(record: type[Record], rows: Sequence[Row]) -> pa.Table:
    """Rows as the record's table."""
    return pa.Table.from_pylist(list(rows), schema=arrow_schema(record))


def insert(connection: duckdb.DuckDBPyConnection, record: type[Record], table: pa.Table) -> None:
    """Put rows into the record's table."""
    connection.register("incoming", table)
    connection.execute(f"INSERT INTO {record.table.group}.{record.table.name} FROM incoming")
    connection.unregister("incoming")


def score(conversation: str, scores: Scores, own: Iterable[str]) -> list[Row]:
    """Scores of a conversation; None for a missing one."""
    return [
        fill(
            Score, conversation_id=conversation, judge=judge, dimension=dimension, score=value,
            judge_made_by="offline" if judge == "rules" else f"maker/{judge}", grading_version="1-1-made",
            status="missing" if value is None else "scored", has_injection=False, is_own_family=judge in own,
        )
        for judge, values in scores.items()
        for dimension, value in zip(DIMENSIONS, values, strict=True)
    ]  # fmt: skip


def is_covered(low: Floats, high: Floats, truth: float) -> float:
    """Share of intervals that hold the truth."""
    return float(((low <= truth) & (truth <= high)).mean())
