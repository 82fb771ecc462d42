"""Made ratings and made scores in an in-memory database: nobody gave any of them.

Belongs here: what the tests of people's ratings share. Not here: tests.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from schemas.judging import Judgment, Rating, Score
from schemas.simulation import Conversation
from tests.measures.stored import DIMENSIONS, VERSION, Stored

EXPERIMENT = "made"


class Made(Stored):
    """Rows of an experiment that was never played.

    Args:
        clusters: Scenario of each conversation; conversations of one scenario are one cluster.
    """

    def __init__(self, clusters: Sequence[int]) -> None:
        super().__init__()
        for place, cluster in enumerate(clusters):
            self.put(
                Conversation, experiment_id=EXPERIMENT, conversation_id=name_conversation(place),
                scenario_id=f"s{cluster:04}", customer="rules", style="passive_cold", agent="a",
                agent_made_by="maker/a", is_self_play=False, industry="hotel",
                end="agreement", is_valid=True,
            )  # fmt: skip

    def rate(self, rater: str, scores: Mapping[int, int], question: str | None = None, **given: Any) -> "Made":
        """One person's scores by conversation, on all dimensions where no question is named."""
        about = "realism" if question and question.startswith("realism_") else "justice"
        for place, score in scores.items():
            for name in [question] if question else DIMENSIONS:
                self.put(
                    Rating, experiment_id=EXPERIMENT, conversation_id=name_conversation(place), rater=rater,
                    question=name, asks_about=about, score=score, state=given.get("state", "current"),
                )  # fmt: skip
        return self

    def judge(self, judge: str, scores: Mapping[int, int | None], **given: Any) -> "Made":
        """One judge's scores by conversation; None for a missing one."""
        for place, score in scores.items():
            for name in given.get("dimensions", DIMENSIONS):
                self.put(
                    Score, conversation_id=name_conversation(place), judge=judge, dimension=name, score=score,
                    judge_made_by=given.get("made_by", f"maker/{judge}"),
                    grading_version=given.get("version", VERSION), status="missing" if score is None else "scored",
                    has_injection=False, is_own_family=place in given.get("own", ()),
                )  # fmt: skip
        return self

    def ensemble(self) -> "Made":
        """A judgment of each conversation: the mean of its scores, where it has any."""
        for row in self.rows[Conversation]:
            name = row["conversation_id"]
            given = {
                score["dimension"]: score["score"] for score in self.rows[Score] if score["conversation_id"] == name
            }
            self.put(
                Judgment, conversation_id=name, ensemble="without_own_family", grading_version=VERSION,
                **dict.fromkeys(DIMENSIONS) | given, total=sum(given.values()) / 3 if given else None,
            )  # fmt: skip
        return self


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
