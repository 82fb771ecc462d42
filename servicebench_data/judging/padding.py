"""Padding: a conversation whose agent writes half as many words again that say nothing, for judges to score once more.

Belongs here: which conversations are padded, with which words, and the rows of their scores. Not here: asking judges
(`judging.py`), or what padding does to scores (`measures/padding.py`).

What is padded is the judge's view, masked and cleaned already, so that the two views of a pair differ in the padding
and in nothing else. Scores of padded views have a table of their own and enter no score of an agent.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import cycle
from pathlib import Path

import yaml

from schemas.judging import PaddedScore, Score
from schemas.simulation import Conversation
from servicebench_data.judging.view import JudgeView, Line
from servicebench_data.lake.store import digest_file
from servicebench_data.simulation.chance import digest, rank_evenly

FILE = Path(__file__).parent / "padding.yaml"
#: Words that are added, as a share of those of a message.
SHARE = 0.5


@cache
def read_fillers() -> tuple[str, ...]:
    """The sentences that say nothing."""
    return tuple(yaml.safe_load(FILE.read_text(encoding="utf-8"))["fillers"])


@cache
def name_padding_version() -> str:
    """The version, such as `0.5-0a1b2c3d`: of how much is added, and a digest of the sentences."""
    return f"{SHARE}-{digest_file(FILE)[:8]}"


def draw_padded(conversations: Iterable[Conversation], count: int, seed: int) -> frozenset[str]:
    """Ids of the conversations to pad, from each agent as many, give or take one; a higher count keeps the fewer."""
    by_agent: dict[str, list[str]] = defaultdict(list)
    for row in conversations:
        by_agent[row.agent].append(row.conversation_id)
    return frozenset(rank_evenly(by_agent.values(), partial(digest, "padding", seed))[:count])


def pad_view(view: JudgeView, conversation_id: str) -> JudgeView:
    """The view with longer messages of the agent; all else stays as it is."""
    return replace(view, transcript=tuple(pad_line(line, conversation_id) for line in view.transcript))


def pad_line(line: Line, conversation_id: str) -> Line:
    """A message with its padding behind it; the customer's as it is."""
    if line.role != "agent":
        return line
    return replace(line, text=" ".join([line.text, *choose_fillers(line, conversation_id)]))


def choose_fillers(line: Line, conversation_id: str) -> Iterator[str]:
    """Whole sentences until they have at least half as many words as the message; each once before one comes again."""
    due = math.ceil(SHARE * count_words(line))
    shuffle = partial(digest, conversation_id, line.message_index)
    for filler in cycle(sorted(read_fillers(), key=shuffle)):
        if due <= 0:
            return
        due -= len(filler.split())
        yield filler


def count_words(*lines: Line) -> int:
    """Words of some messages, as spaces part them."""
    return sum(len(line.text.split()) for line in lines)


def mark_padded(scores: Iterable[Score], original: JudgeView, padded: JudgeView) -> Iterator[PaddedScore]:
    """Rows of a padded view's scores, with the words of the agent before and after."""
    before, after = (
        count_words(*(line for line in view.transcript if line.role == "agent")) for view in (original, padded)
    )
    version = name_padding_version()
    for score in scores:
        yield PaddedScore(**score.model_dump(), padding_version=version, words=before, padded_words=after)
