"""Which conversations a person is asked to rate, and in which order.

Belongs here: the draw. Not here: what the person sees (`page.py`).

All raters get the same conversations, for only those that several people rated tell anything; each rater gets them in
an order of its own, so that what comes late is not the same for all. Both follow from the seed and the ids alone.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from schemas.judging import RatingEntry
from schemas.simulation import Conversation
from servicebench_data.judging.ratings.questions import list_questions
from servicebench_data.judging.ratings.transcripts import settle_rating
from servicebench_data.simulation.chance import digest, rank_evenly


def choose_conversations(
    conversations: Sequence[Conversation], begun: Collection[str], *, count: int, seed: int
) -> list[str]:
    """Conversations to be rated: those that somebody has rated, then others, in turn from each agent and industry.

    Args:
        conversations: Those that can be rated.
        begun: Ids of those that somebody has rated.
        count: How many.
        seed: Seed of the draw.
    """
    cells: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in conversations:
        cells[row.agent, row.industry].append(row.conversation_id)
    ranked = rank_evenly(cells.values(), partial(digest, seed))
    return sorted(ranked, key=lambda name: name not in begun)[:count]


def order_for(rater: str, conversation_ids: Collection[str], seed: int) -> list[str]:
    """The conversations in a rater's order."""
    return sorted(conversation_ids, key=lambda name: digest(seed, rater.casefold(), name))


def find_begun(latest: Collection[RatingEntry], digests: Mapping[str, str]) -> set[str]:
    """Conversations of which there is a rating that holds."""
    return {entry.conversation_id for entry in latest if settle_rating(entry, digests) == "current"}


def find_done(latest: Collection[RatingEntry], digests: Mapping[str, str], rater: str) -> set[str]:
    """Conversations for which a person has answered every question."""
    answered: dict[str, set[str]] = defaultdict(set)
    for entry in latest:
        if entry.rater.casefold() == rater.casefold() and settle_rating(entry, digests) == "current":
            answered[entry.conversation_id].add(entry.question)
    asked = {entry.question_id for entry in list_questions()}
    return {name for name, questions in answered.items() if asked <= questions}
