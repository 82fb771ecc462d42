"""Turns as a model sees them, and the source's own words for what it quotes.

Belongs here: numbering turns, and finding a quote in the turn that it names. Not here: what a quote must support.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from schemas.industry import FactKind
from servicebench_data.scenarios.extraction import extract_values
from servicebench_data.scenarios.reading import SourceTurn

_LEAST_WORDS = 2
OF_COMPANY = "which is the company's: quote a turn of the customer, or leave this out."
#: Signs that a model writes for one another, or puts right ("dont", "it's"); what is kept is always the source's.
_APOSTROPHE = "['’‘`]?"
_ALIKE = {**dict.fromkeys("'’‘`", _APOSTROPHE), **dict.fromkeys('"“”', '["“”]')}
_WORD = re.compile(r"[^\W_]+")
#: A place that lies within neither a word nor a number.
_APART = re.compile(r"(?!(?<=\w)\w|(?<=\d[.,])\d|(?<=\d)[.,]\d)")
_ADDRESSED = re.compile(r"\A[.,\s]*(?:(?:@\w+|@?\[user-\d+\])[\s;:,]*)+")
_STOPS = ".!?…"
_ENDS = ' \t\n"“”.,;:!?…'


@dataclass(frozen=True)
class Quoted:
    """A stretch of a turn, in the source's own words.

    Attributes:
        turn: The turn.
        start: Where it begins in the turn's text.
        text: The stretch.
    """

    turn: SourceTurn
    start: int
    text: str

    @property
    def post_ids(self) -> list[str]:
        """Posts that it stands in."""
        return self.turn.find_posts(self.start, self.start + len(self.text))

    def find_post(self, value: str | None) -> str:
        """The post of a value inside it, else the one in which it begins."""
        place = self.text.find(value) if value else 0
        return self.turn.find_post(self.start + max(0, place))


def number_turns(
    turns: Iterable[SourceTurn], opening: Iterable[SourceTurn] = (), *, is_company_quoted: bool = False
) -> str:
    """Turns one a line, numbered as the tables number them; those of the opening say so.

    Line breaks within a turn become blanks, so that no text can begin a turn of its own; accounts that it begins with
    are left out.

    Args:
        turns: The turns.
        opening: Those before the first reply.
        is_company_quoted: Whether the company's turns may be quoted; else they get no number by which to do so.
    """
    first = {turn.turn_index for turn in opening}
    return "\n".join(
        f"[{name_turn(turn, is_company_quoted=is_company_quoted)}"
        f"{', before the first reply' if turn.turn_index in first else ''}] {tidy_line(turn.text)}"
        for turn in turns
    )


def tidy_line(text: str) -> str:
    """A turn as one line without the accounts that it begins with, for a model repeats them as if they were told."""
    line = " ".join(text.split())
    return _ADDRESSED.sub("", line) or line


def name_turn(turn: SourceTurn, *, is_company_quoted: bool) -> str:
    """Number and speaker of a turn."""
    if turn.role == "customer":
        return f"turn {turn.turn_index}, customer"
    return f"turn {turn.turn_index}, company" if is_company_quoted else "company, not to be quoted"


@lru_cache(maxsize=8192)
def find_words(text: str, words: str) -> tuple[int, int] | None:
    """Where words stand in a text, whatever white space, capitals and signs at their ends; None where they do not.

    A part of a word or of a number is not there: "3 hours" does not stand in "13 hours".
    """
    start = text.find(words)
    if start >= 0 and words.strip() and _APART.match(text, start) and _APART.match(text, start + len(words)):
        return start, start + len(words)
    parts = ["".join(map(admit, part, f"{part[1:]} ")) for part in words.strip(_ENDS).split()]
    words = r"\s+".join(parts)
    match = re.search(f"{_APART.pattern}{words}{_APART.pattern}", text, re.IGNORECASE) if parts else None
    return match.span() if match else None


def find_kinds(text: str, words: str) -> set[FactKind]:
    """Kinds of the values of a text that lie where words of it stand."""
    start, end = find_words(text, words) or (0, 0)
    return {value.kind for value in extract_values(text) if value.start < end and start < value.end}


def admit(sign: str, following: str) -> str:
    """Pattern of a sign of a quote: itself or one like it, and an apostrophe that may be missing before a letter."""
    own = _ALIKE.get(sign, re.escape(sign))
    return f"{own}{_APOSTROPHE}" if sign.isalpha() and following.isalpha() else own


def locate(
    where: str, turns: Mapping[int, SourceTurn], index: int | None, quote: str | None, *, role: str | None = "customer"
) -> Quoted | str:
    """What is quoted, or in words for the model why it is not.

    Args:
        where: What the quote belongs to, as `event 2`.
        turns: The turns that may be quoted, by number.
        index: Number of the turn that is named.
        quote: The words.
        role: Whose turn it must be; None where either side's will do.
    """
    if index is None or not quote:
        return f"{where} has no turn or no quote: give the turn's number and copy the words that say it."
    turn = turns.get(index)
    if turn is None:
        return f"{where} names turn {index}, which is not among the turns given: {', '.join(map(str, turns))}."
    if role is not None and turn.role != role:
        return f"{where} quotes turn {index}, {OF_COMPANY}"
    span = find_words(turn.text, quote)
    if span is None:
        return f'{where}: "{quote}" does not stand word for word in turn {index}.{point_to(turns, index, quote, role)}'
    found = turn.text[span[0] : span[1]]
    if len(_WORD.findall(found)) < _LEAST_WORDS and "[" not in found and not is_sentence(turn.text, span):
        return f'{where}: the quote "{found}" is too short to show anything: copy the whole clause.'
    return Quoted(turn, span[0], found)


def is_sentence(text: str, span: tuple[int, int]) -> bool:
    """Whether a stretch is a sentence of its own, however short: "Kicked."."""
    before, after = text[: span[0]].rstrip(), text[span[1] :].lstrip()
    return (not before or before[-1] in _STOPS) and (not after or after[0] in f"{_STOPS}[")


def point_to(turns: Mapping[int, SourceTurn], index: int, quote: str, role: str | None) -> str:
    """Where else the words stand, else how to copy them."""
    for other, turn in turns.items():
        if other != index and find_words(turn.text, quote):
            return f" It stands in turn {other}{'.' if role in (None, turn.role) else f', {OF_COMPANY}'}"
    return " Copy one unbroken stretch of it letter by letter."


def find_value(where: str, quoted: Quoted, value: str | None) -> tuple[str | None, str | None]:
    """The value in the quote's own words, and in words for the model why it is not there."""
    if value is None:
        return None, None
    span = find_words(quoted.text, value)
    if span is None:
        return value, f'{where}: the value "{value}" is not in its quote "{quoted.text}": copy it letter by letter.'
    return quoted.text[span[0] : span[1]], None
