"""Reads a dialogue's customer turns into sentences that are told in both persons, with the values and cues they hold.

Belongs here: the one pass over the turns that every part is made from. Not here: the parts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from servicebench_data.scenarios import fragments, hidden, sentences, subjects
from servicebench_data.scenarios.extraction import Value, asks_for_flight, extract_values
from servicebench_data.scenarios.reports import is_empty_answer, is_guess, is_report
from servicebench_data.scenarios.rewriting import tell_first, tell_third
from servicebench_data.scenarios.tidying import tidy

#: Somebody else's words, whose "we" and "you" are not the customer's.
_SPOKEN = re.compile(
    r"""["“][^"“”]*\b(?:I|we|you|my|our|your|yourself|us|me)\b[^"“”]*["”]"""
    r"""|(?<!\w)['‘](?:[^'‘’]|(?<=\w)['’](?=\w))*\b(?:we|you|my|our|your|yourself|us|me)\b"""
    r"""(?:[^'‘’]|(?<=\w)['’](?=\w))*['’](?!\w)""",
    re.IGNORECASE,
)

#: Somebody else's words over more than one sentence.
_QUOTED = re.compile(r"""["“][^"“”\n]{2,200}["”]|(?<!\w)['‘](?:[^'‘’\n]|(?<=\w)['’](?=\w)){2,200}['’](?!\w)""")
_SPEAKERS = re.compile(r"\b(?:I|we|you|my|our|your|us|me)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SourceTurn:
    """A masked turn of a dialogue, as `schemas.dialogues.Turn` has it."""

    turn_index: int
    role: str
    text: str
    post_ids: tuple[str, ...]
    post_offsets: tuple[int, ...]

    def find_post(self, position: int) -> str:
        """The post that a character of the turn belongs to."""
        index = max(0, sum(offset <= position for offset in self.post_offsets) - 1)
        return self.post_ids[min(index, len(self.post_ids) - 1)]

    def find_posts(self, start: int, end: int) -> list[str]:
        """The posts that a stretch of the turn belongs to, in order."""
        bounds = [*self.post_offsets[1:], len(self.text) + 1]
        return [
            post
            for post, begin, stop in zip(self.post_ids, self.post_offsets, bounds, strict=False)
            if begin < end and start < stop
        ] or [self.find_post(start)]


@dataclass(frozen=True, slots=True)
class Reading:
    """A customer's sentence as read.

    Attributes:
        turn: The turn it stands in.
        start: Where its quote begins in the turn's text.
        quote: The exact stretch.
        kind: What it is: report, question, request or noise.
        plain: Tidied and with its subject, still in the customer's person.
        first: Told in the first person; missing where it cannot be told well.
        third: Told as an event; missing where it cannot be told well.
        values: Values with spans in the turn's text.
        is_opening: Whether it stands before the account's first reply.
        company: How the company is called, without article.
        brands: Names of the known brands.
    """

    turn: SourceTurn
    start: int
    quote: str
    kind: sentences.Kind
    plain: str
    first: str | None
    third: str | None
    values: tuple[Value, ...]
    is_opening: bool
    company: str
    brands: tuple[str, ...]

    @property
    def post_ids(self) -> list[str]:
        """Posts of the quote."""
        return self.turn.find_posts(self.start, self.start + len(self.quote))


@cache
def split_brands(brands: tuple[str, ...]) -> frozenset[str]:
    """The words of brand names, which are no places."""
    return frozenset(word for brand in brands for word in brand.split())


def extract_turns(
    turns: Sequence[SourceTurn], brands: Mapping[str, str]
) -> Iterator[tuple[SourceTurn, list[Value], bool]]:
    """The customer's turns with their values, and whether each stands before the account's first reply.

    Args:
        turns: All turns of the dialogue.
        brands: Brand by lower-case handle; brands are no places.
    """
    not_places = split_brands(tuple(sorted(set(brands.values()))))
    is_flight_asked, is_opening, has_customer = False, True, False
    for turn in turns:
        if turn.role != "customer":
            is_flight_asked = asks_for_flight(turn.text)
            is_opening = is_opening and not has_customer
            continue
        has_customer = True
        yield turn, extract_values(turn.text, is_flight_asked=is_flight_asked, not_places=not_places), is_opening
        is_flight_asked = False


def read_turns(turns: Sequence[SourceTurn], brands: Mapping[str, str], company: str) -> list[Reading]:
    """Readings of all customer turns, in order, without sentences that say the same again.

    Args:
        turns: All turns of the dialogue.
        brands: Brand by lower-case handle.
        company: How the company is called, without article.
    """
    found: list[Reading] = []
    seen: set[str] = set()
    for turn, values, is_opening in extract_turns(turns, brands):
        for sentence in sentences.split_sentences(turn.text):
            for reading in _read_with_pieces(turn, sentence, values, (brands, company), is_opening=is_opening):
                key = "".join(letter for letter in reading.plain.lower() if letter.isalnum())
                if key and key not in seen:
                    seen.add(key)
                    found.append(reading)
    return found


def _read_with_pieces(
    turn: SourceTurn,
    sentence: sentences.Sentence,
    values: list[Value],
    names: tuple[Mapping[str, str], str],
    *,
    is_opening: bool,
) -> list[Reading]:
    """A sentence's reading; where it cannot be told as a whole, first the clauses of it that are reports by themselves.

    The whole stays, for what it asks or wishes.
    """
    whole = _read_sentence(turn, sentence, values, names, is_opening=is_opening)
    is_usable = whole.third is not None and not is_guess(whole.third)
    if is_usable or (whole.kind == "noise" and not sentences.is_plea(whole.quote)):
        return [whole]
    for piece in sentences.list_clauses(turn.text, sentence):
        reading = _read_sentence(turn, piece, values, names, is_opening=is_opening)
        if reading.third is not None and reading.kind == "report" and is_report(reading.third):
            return [reading, whole if whole.third is None else replace(whole, first=None, third=None)]
    return [whole]


def _read_sentence(
    turn: SourceTurn,
    sentence: sentences.Sentence,
    values: list[Value],
    names: tuple[Mapping[str, str], str],
    *,
    is_opening: bool,
) -> Reading:
    brands, company = names
    stripped = sentences.strip_address(sentence.text, brands)
    kind = sentences.classify(stripped)
    plain, kind = _make_plain(tidy(stripped, brands), kind)
    is_told = kind == "report" and bool(plain) and not is_spoken(turn.text, sentence)
    is_told = is_told and not is_empty_answer(plain)
    return Reading(
        turn=turn,
        start=sentence.start,
        quote=sentence.text,
        kind=kind,
        plain=plain,
        first=tell_first(plain) if is_told else None,
        third=tell_third(plain, company) if is_told else None,
        values=tuple(value for value in values if sentence.start <= value.start and value.end <= sentence.end),
        is_opening=is_opening,
        company=company,
        brands=tuple(sorted(set(brands.values()))),
    )


def is_spoken(text: str, sentence: sentences.Sentence) -> bool:
    """Whether a sentence of a text holds words in which somebody else's "we" or "you" is not the customer's.

    A quotation may begin before the sentence or end behind it.
    """
    if _SPOKEN.search(sentence.text):
        return True
    overlaps = (
        text[max(match.start(), sentence.start) : min(match.end(), sentence.end)]
        for match in _QUOTED.finditer(text)
        if (match.start() < sentence.start < match.end()) or (match.start() < sentence.end < match.end())
    )
    return any(_SPEAKERS.search(overlap) for overlap in overlaps)


def _make_plain(text: str, kind: sentences.Kind) -> tuple[str, sentences.Kind]:
    if kind in {"question", "request"}:
        meant = hidden.read_why(text) or fragments.read_asked(text) or _read_doubt(text, kind)
    else:
        meant = hidden.read_sarcasm(text)
    if meant is not None:
        return meant, "report"
    if kind != "report":
        return text, kind
    plain = _complete(text)
    is_by_another = plain.startswith("I ") and not text.startswith("I ") and subjects.BY_ANOTHER.search(text)
    return (text if is_by_another else plain), kind


def _complete(text: str) -> str:
    plain = subjects.complete_subject(text).rstrip("? ")
    leading = fragments.read_leading(text) if plain == text.rstrip("? ") else None
    if leading is not None and tell_first(leading) is not None:
        return leading
    if tell_first(plain) is None:
        return fragments.read_fragment(text) or plain
    return plain


def _read_doubt(text: str, kind: sentences.Kind) -> str | None:
    """A statement that only ends in a question mark: "The status on your website seems not to be working?"."""
    plain = text.rstrip("? ")
    if kind != "question" or plain == text or len(text.split()) < 6 or sentences.is_asking(text):
        return None
    told = tell_third(subjects.complete_subject(plain), "company")
    return subjects.complete_subject(plain) if told is not None and is_report(told) else None
