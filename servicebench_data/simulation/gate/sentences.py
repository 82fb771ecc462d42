"""An agent's message as sentences in one spelling, each of which can be quoted as it stands in the message.

Belongs here: where sentences begin and end, lists, and words that are quoted from others. Not here: what they mean.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from servicebench_data.scenarios.respelling import Respelled
from servicebench_data.simulation.gate.spelling import respell_message

_END = re.compile(
    r"(?<!\bno)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bdr)(?<!\bst)(?<!\be\.g)(?<!\bi\.e)(?<!\bapprox)"
    r"(?<!\d[ap])(?<! [ap]\.m)(?<!\n\d)"
    r"[.!?]+[\"')]*(?=\s|$|[^\w\s.,!?])|\n+|;|(?<=[\U0001f300-\U0001faff☀-➿])\ufe0f?(?=\s)|$"
)
_BULLET = re.compile(r"^\s*(?:-|\d{1,2}[.)]|[a-z]\)|\(\d\))\s*")
_QUOTED = re.compile(r'"[^"\n]{2,}?"|(?<![\w])\'[a-z][^\'\n]{2,60}\'(?!\w)')
_COLON = re.compile(r":\s*$")


@dataclass(frozen=True)
class Sentence:
    """A sentence of a message.

    Attributes:
        text: Its words in one spelling; words quoted from others are blanked.
        start: Where it begins in the respelled message.
        spelled: The respelled message.
        is_question: Whether it ends with a question mark.
        is_item: Whether it is an entry of a list.
        lead: Words that lead into the list that it is an entry of; empty elsewhere.
    """

    text: str
    start: int
    spelled: Respelled
    is_question: bool
    is_item: bool
    lead: str

    def quote(self, start: int = 0, end: int | None = None) -> str:
        """The stretch as it stands in the message, without blank ends."""
        last = len(self.text) if end is None else end
        return self.spelled.cut(self.start + start, self.start + last).strip(" \n\t-*•,;:")


@lru_cache(maxsize=1024)
def split_message(message: str) -> tuple[Sentence, ...]:
    """The sentences of a message."""
    spelled = respell_message(message)
    return tuple(_mark_lists(list(_cut(spelled)), spelled))


def _cut(spelled: Respelled) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(spelled.text):
        if spelled.text[start : match.end()].strip():
            yield start, match.end()
        start = match.end()


def _mark_lists(spans: Sequence[tuple[int, int]], spelled: Respelled) -> Iterator[Sentence]:
    lead = ""
    for start, end in spans:
        raw = spelled.text[start:end]
        bullet = _BULLET.match(raw)
        is_item = bullet is not None and _begins_line(spelled.text, start)
        if not is_item and not _continues_item(spelled.text, start):
            lead = ""
        first = start + (bullet.end() if bullet and is_item else len(raw) - len(raw.lstrip()))
        text = _QUOTED.sub(_blank, spelled.text[first:end])
        if text.strip(" \n.!?"):
            yield Sentence(text, first, spelled, text.rstrip(" \n\"')").endswith("?"), is_item, lead)
        if _COLON.search(raw):
            lead = text


def _begins_line(text: str, start: int) -> bool:
    before = text[:start].rstrip(" ")
    return not before or before.endswith("\n")


def _continues_item(text: str, start: int) -> bool:
    """Whether the line that a stretch stands in begins as an entry of a list."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    return bool(line.strip()) and _BULLET.match(line) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
