"""From a judge's verdict on a conversation to rows, scored or not.

Belongs here: the rows of one conversation and judge. Not here: asking (`judging.py`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schemas.experiment import JudgeSpec
from schemas.judging import Dimension, Score, ScoreStatus, SubScore
from schemas.simulation import Conversation
from servicebench_data.judging.quotes import Found
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric, score_dimension
from servicebench_data.judging.tasks import ItemAnswer, list_evidence
from servicebench_data.judging.versions import name_grading_version
from servicebench_data.judging.view import JudgeView
from servicebench_data.simulation.agents.families import OFFLINE, find_family


@dataclass(frozen=True)
class Seat:
    """A judge before a conversation.

    Attributes:
        conversation: The conversation.
        spec: The judge as the experiment names it.
        has_injection: Whether words to the judge were left out of the agent's messages.
    """

    conversation: Conversation
    spec: JudgeSpec
    has_injection: bool = False

    @property
    def made_by(self) -> str:
        """Who judges."""
        return self.spec.model or OFFLINE

    @property
    def is_own_family(self) -> bool:
        """Whether judge and agent are of one model family; rules and scripts are of none."""
        families = find_family(self.made_by), find_family(self.conversation.agent_made_by)
        return OFFLINE not in families and families[0] == families[1]


@dataclass(frozen=True)
class Judged:
    """Rows of one judge on one conversation."""

    scores: tuple[Score, ...]
    sub_scores: tuple[SubScore, ...] = ()


@dataclass(frozen=True)
class ItemVerdict:
    """What a judge gave an item, with its evidence."""

    score: int
    evidence: tuple[Found, ...] = ()


def refuse(
    seat: Seat,
    status: ScoreStatus,
    reason: str,
    *,
    cost_usd: float | None = None,
    dimensions: Sequence[Dimension] = DIMENSIONS,
) -> Judged:
    """Rows without a score, and why; `cost_usd` is the price of all of them."""
    share = None if cost_usd is None else cost_usd / len(dimensions)
    return Judged(tuple(write_score(seat, name, (status, None, reason), share) for name in dimensions))


def settle(
    seat: Seat, name: Dimension, items: Mapping[str, ItemVerdict], reason: str, cost_usd: float | None = None
) -> Judged:
    """Rows of a dimension: its score follows from its items."""
    verdict = score_dimension(find_rubric().spec.dimensions[name], {item: entry.score for item, entry in items.items()})
    capped = f" [at most {verdict.score}: {verdict.cap.why}]" if verdict.cap else ""
    rows = tuple(write_sub_score(seat, name, item_id, entry) for item_id, entry in items.items())
    return Judged((write_score(seat, name, ("scored", verdict.score, reason + capped), cost_usd),), rows)


def write_score(
    seat: Seat, name: Dimension, what: tuple[ScoreStatus, int | None, str], cost_usd: float | None
) -> Score:
    """The row of a dimension."""
    status, score, reason = what
    return Score(
        conversation_id=seat.conversation.conversation_id,
        judge=seat.spec.name,
        judge_made_by=seat.made_by,
        dimension=name,
        grading_version=name_grading_version(),
        status=status,
        score=score,
        reason=reason,
        is_own_family=seat.is_own_family,
        has_injection=seat.has_injection,
        cost_usd=cost_usd,
    )


def write_sub_score(seat: Seat, name: Dimension, item_id: str, entry: ItemVerdict) -> SubScore:
    """The row of an item."""
    return SubScore(
        conversation_id=seat.conversation.conversation_id,
        judge=seat.spec.name,
        dimension=name,
        grading_version=name_grading_version(),
        item_id=item_id,
        score=entry.score,
        quotes=[found.text for found in entry.evidence],
        message_indexes=[found.message_index for found in entry.evidence],
    )


def read_items(view: JudgeView, name: Dimension, items: Mapping[str, ItemAnswer]) -> dict[str, ItemVerdict]:
    """Items of an accepted answer, their quotes in the transcript's own words."""
    return {
        item_id: ItemVerdict(item.score, tuple(keep_found(view, name, item_id, item)))
        for item_id, item in items.items()
    }


def keep_found(view: JudgeView, name: Dimension, item_id: str, item: ItemAnswer) -> Iterator[Found]:
    """Where the quotes of an item stand."""
    return (entry for entry in list_evidence(view, name, item_id, item) if isinstance(entry, Found))


def add_up(parts: Iterable[Judged]) -> Judged:
    """Rows of several parts together."""
    listed = list(parts)
    return Judged(
        tuple(score for part in listed for score in part.scores),
        tuple(row for part in listed for row in part.sub_scores),
    )
