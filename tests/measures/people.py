"""Made ratings and made scores in an in-memory database: nobody gave any of them.

Belongs here: what the tests of people's ratings share. Not here: tests.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.judging import Judgment, Rating, Score
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import write_file
from servicebench_data.measures.facts import open_facts
from tests.rows import plain_row

EXPERIMENT = "made"
DIMENSIONS = ("interactional", "procedural", "distributive")
VERSION = "1-1-made"


Row = dict[str, Any]


class Made:
    """Rows of an experiment that was never played.

    Args:
        clusters: Scenario of each conversation; conversations of one scenario are one cluster.
    """

    def __init__(self, clusters: Sequence[int]) -> None:
        self.conversations: list[Row] = [
            fill(
                Conversation, experiment_id=EXPERIMENT, conversation_id=name_conversation(place),
                scenario_id=f"s{cluster:04}", customer="rules", style="passive_cold", agent="a",
                agent_made_by="maker/a", is_self_play=False, industry="hotel",
                end="agreement", is_valid=True,
            )
            for place, cluster in enumerate(clusters)
        ]  # fmt: skip
        self.ratings: list[Row] = []
        self.scores: list[Row] = []
        self.judgments: list[Row] = []

    def rate(self, rater: str, scores: Mapping[int, int], question: str | None = None, **given: Any) -> "Made":
        """One person's scores by conversation, on all dimensions where no question is named."""
        about = "realism" if question and question.startswith("realism_") else "justice"
        self.ratings += [
            fill(
                Rating, experiment_id=EXPERIMENT, conversation_id=name_conversation(place), rater=rater,
                question=name, asks_about=about, score=score, state=given.get("state", "current"),
            )
            for place, score in scores.items()
            for name in ([question] if question else DIMENSIONS)
        ]  # fmt: skip
        return self

    def judge(self, judge: str, scores: Mapping[int, int | None], **given: Any) -> "Made":
        """One judge's scores by conversation; None for a missing one."""
        self.scores += [
            fill(
                Score, conversation_id=name_conversation(place), judge=judge, dimension=name, score=score,
                judge_made_by=given.get("made_by", f"maker/{judge}"), grading_version=given.get("version", VERSION),
                status="missing" if score is None else "scored", has_injection=False, is_own_family=False,
            )
            for place, score in scores.items()
            for name in given.get("dimensions", DIMENSIONS)
        ]  # fmt: skip
        return self

    def ensemble(self) -> "Made":
        """A judgment of each conversation, whatever it says."""
        self.judgments = [
            fill(
                Judgment, conversation_id=row["conversation_id"], ensemble="without_own_family",
                grading_version=VERSION,
            )
            for row in self.conversations
        ]  # fmt: skip
        return self

    @contextmanager
    def open(self, folder: Path) -> Generator[duckdb.DuckDBPyConnection]:
        """The rows as tables, with the facts over them."""
        rows = {
            Conversation: self.conversations, Rating: self.ratings, Score: self.scores, Judgment: self.judgments,
        }  # fmt: skip
        files = {record.table.name: [store(folder, record, entries)] for record, entries in rows.items()}
        with open_facts(files, Limits(1.0, 1, folder)) as connection:
            yield connection


def store(folder: Path, record: type[Record], rows: Sequence[Row]) -> Path:
    path = folder / f"{record.table.name}.parquet"
    write_file(path, pa.Table.from_pylist(list(rows), schema=arrow_schema(record)))
    return path


@cache
def find_template(record: type[Record]) -> Row:
    return plain_row(record)


def fill(record: type[Record], **given: Any) -> Row:
    return {**find_template(record), **given}


def name_conversation(place: int) -> str:
    return f"c{place:04}"


def draw_people(
    seed: int, count: int, raters: int, noise: float = 0.8
) -> tuple["np.ndarray[Any, np.dtype[np.float64]]", list[dict[int, int]]]:
    """A made quality of each conversation, and what made people give: that with noise, whole, within 1 to 5."""
    draws = np.random.default_rng(seed)
    quality = draws.normal(3, 1, count)
    given = [clip(quality + draws.normal(0, noise, count)) for _ in range(raters)]
    return quality, given


def clip(values: "np.ndarray[Any, np.dtype[np.float64]]") -> dict[int, int]:
    """Whole scores within 1 to 5, by conversation."""
    return {place: int(value) for place, value in enumerate(np.clip(np.rint(values), 1, 5))}
