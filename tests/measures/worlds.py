"""Made experiments of any number of agents, judges and people: nobody played any of them.

Belongs here: what the tests of statistics share. Not here: tests.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.judging import Judgment, Rating, Score
from schemas.records import Record
from schemas.scenarios import Scenario
from schemas.simulation import Conversation, MessageRow
from servicebench_data.journeys.arrays import Floats
from servicebench_data.judging.ensemble import make_judgments
from tests.measures.stored import DIMENSIONS, VERSION, Row, Stored, fill

EXPERIMENT = "made"
ENDS = {
    "agreed": ("agreement", "accepted"),
    "disengaged": ("disengagement", "left"),
    "capped": ("turn_cap", "turn_cap"),
    "failed": ("failed", "agent_empty"),
    "invalid": ("invalid", "simulator_fault"),
    "unplayed": ("failed", "over_budget"),
}
Scores = Mapping[str, Sequence[int | None]]


class World(Stored):
    """Conversations of an experiment with their scores, added one by one."""

    def __init__(self) -> None:
        super().__init__()
        self.scenarios: dict[str, Row] = {}

    def add(self, agent: str, scenario: int, scores: Scores | None = None, **given: Any) -> "World":
        """One conversation; `scores` has the three dimensions by judge.

        Further: style, repeat, disclosure, customer, industry, category, severity, end (a key of `ENDS`), exchanges,
        words (of the agent's only message), own (judges of the agent's family), made_by (of agent), rated
        (three dimensions by person).
        """
        name = f"c{len(self.rows[Conversation]):05}"
        industry, end = given.get("industry", "hotel"), ENDS[given.get("end", "agreed")]
        self.put(
            Conversation, conversation_id=name, experiment_id=EXPERIMENT, scenario_id=f"s{scenario:04}",
            industry=industry, agent=agent, agent_made_by=given.get("made_by", f"maker/{agent}"),
            customer=given.get("customer", "rules"),
            style=given.get("style", "passive_cold"), disclosure=given.get("disclosure", "progressive"),
            guidance="none", repeat=given.get("repeat", 0), end=end[0], end_detail=end[1],
            exchanges=given.get("exchanges", 3), is_valid=end[0] != "invalid", is_self_play=False,
        )  # fmt: skip
        self.scenarios[f"s{scenario:04}"] = fill(
            Scenario, scenario_id=f"s{scenario:04}", industry=industry, stage_id="stage",
            cluster_id=f"s{scenario:04}",
            category_id=given.get("category", "room"), severity=given.get("severity", "low"),
        )  # fmt: skip
        text = "word " * given.get("words", 20)
        self.put(MessageRow, conversation_id=name, message_index=1, role="agent", text=text)
        self.rows[Score] += score(name, scores or {}, given.get("own", ()))
        for rater, ratings in given.get("rated", {}).items():
            for question, value in zip(DIMENSIONS, ratings, strict=True):
                self.put(
                    Rating, experiment_id=EXPERIMENT, conversation_id=name, rater=rater, question=question,
                    asks_about="justice", score=value, state="current",
                )  # fmt: skip
        return self

    def write(self, folder: Path) -> Mapping[str, list[Path]]:
        """Parquet files by table, with the judgments that follow from the scores."""
        self.rows[Scenario] = list(self.scenarios.values())
        tables: dict[type[Record], pa.Table] = {Conversation: self.tabulate(Conversation)}
        self.rows[Judgment] = make_judgments(tables, self.tabulate(Score)).to_pylist()
        return super().write(folder)


def score(conversation: str, scores: Scores, own: Iterable[str]) -> list[Row]:
    """Scores of a conversation; None for a missing one."""
    return [
        fill(
            Score, conversation_id=conversation, judge=judge, dimension=dimension, score=value,
            judge_made_by="offline" if judge == "rules" else f"maker/{judge}", grading_version=VERSION,
            status="missing" if value is None else "scored", has_injection=False, is_own_family=judge in own,
        )
        for judge, values in scores.items()
        for dimension, value in zip(DIMENSIONS, values, strict=True)
    ]  # fmt: skip


def is_covered(low: Floats, high: Floats, truth: float) -> float:
    """Share of intervals that hold the truth."""
    return float(((low <= truth) & (truth <= high)).mean())
