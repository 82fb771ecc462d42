"""Finding names of people in a text.

Belongs here: the contexts in which a capitalised word is a name. Not here: word lists (`lexicon.py`), numbers and
handles (`references.py`).

A capitalised word is looked at together with what stands right before and behind it; that is one pass over a text and
plain comparisons, for half of all posts of an account hold a name.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Literal

from servicebench_data.dialogues.lexicon import (
    COMMON_WORDS,
    PLACE_NOUNS,
    PLACE_OPENINGS,
    PLACES,
    SMALL_PLACE_NOUNS,
    SMALL_PLACE_OPENINGS,
    load_given_names,
)
from servicebench_data.dialogues.spans import Span

Certainty = Literal["sure", "likely", "none"]

NAME = r"(?:[A-Z]['’])?[A-Z][a-zà-öø-ÿ]+(?:[-'’]?[A-Z][a-zà-öø-ÿ]+)?"
WORD = re.compile(rf"\b{NAME}")
SURNAME = re.compile(rf"(?:\s[A-Z]\.?)?\s({NAME})|\s[A-Z]\.?(?=[\s,!?]|$)(?<!\sI)(?<!\sA)")
FOLLOWING = re.compile(rf"(?:\s(?:{NAME}|[A-Z]\.?(?=\s))){{1,3}}")
# What before and behind a given name shows that it is part of a place; in the engine's syntax, too.
OPENING = re.compile(rf"\b(?:(?i:{'|'.join(SMALL_PLACE_OPENINGS)})|{'|'.join(PLACE_OPENINGS)})\.? $")
ANY_OPENING = re.compile(OPENING.pattern, re.IGNORECASE)
SMALL_NOUN = re.compile(rf"\s(?:{'|'.join(SMALL_PLACE_NOUNS)})\b")
ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
ANY_WORD = re.compile(r"[^\W_]+(?:_\w+)?")

# What introduces a name, whatever it is.
INTRODUCTIONS = (
    " name is", " name's", " name’s", " name", " names", " passenger", " passengers", " guest", " in the name of",
    " under the name of", " booked under", " mr", " mrs", " ms", " miss", " mx", " dr", " capt", " captain",
    " sincerely", " signed",
)  # fmt: skip
# A greeting: a name follows when the sentence pauses behind it.
GREETINGS = (
    " hi", " hello", " hey", " dear", " hiya", " hola", " aloha", " howdy", " morning", " afternoon", " evening",
    " day", " thanks", " thank you", " thx", " ty", " cheers", " sorry", " welcome", " congrats",
    " congratulations", " regards", " best", " love", " yes", " no", " ok", " okay", " there",
)  # fmt: skip
# What a name may follow: a given name that is also a word is then a name.
MENTIONS = (
    " spoke to", " spoke with", " speaking to", " speaking with", " talked to", " talked with", " talking to",
    " talking with", " chatted with", " agent", " rep", " manager", " supervisor", " named", " called",
    " by the name of", " this is", " i am", " i'm", " i’m", " it's", " it’s", " driver", " with",
)  # fmt: skip
# How an account addresses a customer, whatever the name looks like.
ADDRESSES = (" hi", " hello", " hey", " dear", " thanks", " thank you", " sorry")
PAUSES = frozenset(",.!?:;)&…\n-–—*^[")
STOPS = frozenset(".!?…\n-–—*^[")
TAIL = 24
LONGEST_OPENING = max(map(len, PLACE_OPENINGS)) + 3


class NameFinder:
    """Finds names in posts; `brands` are words of brands in lower case, which are no names."""

    def __init__(self, brands: frozenset[str]) -> None:
        names = load_given_names()
        self.other = frozenset(COMMON_WORDS | brands | PLACES | PLACE_NOUNS)
        self.plain = names.plain - brands - COMMON_WORDS - PLACES
        self.ambiguous = names.ambiguous - brands

    def find(self, text: str, *, is_account: bool, known: Mapping[str, str]) -> Iterator[Span]:
        """Yield names, the surest first; `known` are words that other posts of the dialogue showed to be names."""
        if known:
            yield from find_known(text, known)
        end = 0
        for match in WORD.finditer(text):
            if match.start() >= end and self.is_name(text, match, is_account=is_account):
                end = self.find_end(text, match)
                yield Span(match.start(), end, "person", normalise_name(match.group()))

    def find_unusual(self, text: str) -> Iterator[Span]:
        """Yield given names in capitals or small letters behind a greeting or an introduction."""
        for match in ANY_WORD.finditer(text):
            word = match.group().lower()
            if word in self.plain and len(word) > 2 and not match.group().istitle():
                before = read_before(text, match.start())
                if before.endswith(INTRODUCTIONS) or before.endswith(GREETINGS) or before.endswith(MENTIONS):
                    yield Span(match.start(), match.end(), "person", word)

    def is_name(self, text: str, match: re.Match[str], *, is_account: bool) -> bool:
        """Tell whether a capitalised word is the name of a person here."""
        word = normalise_name(match.group())
        if word in self.plain:
            return not is_place(text, match, is_account=is_account)
        if word in self.other and word not in self.ambiguous:
            return False
        certainty = judge_context(text, match, is_account=is_account)
        if word in self.ambiguous:
            return certainty != "none"
        return certainty == "sure" or (certainty == "likely" and self.find_end(text, match) > match.end())

    def find_end(self, text: str, match: re.Match[str]) -> int:
        """Return where the name ends, with an initial and a surname."""
        following = SURNAME.match(text, match.end())
        if following is None:
            return match.end()
        surname = following.group(1)
        if surname is None:
            return following.end()
        return match.end() if normalise_name(surname) in self.other else following.end()


def is_place(text: str, match: re.Match[str], *, is_account: bool) -> bool:
    """Tell whether a given name is part of a place, by the word right before it or the nouns behind it."""
    opening = find_opening(text, match.start(), OPENING)
    if opening is None:
        is_introduced = read_before(text, match.start()).endswith(INTRODUCTIONS)
        return not is_introduced and has_place_noun(text, match.end())
    before = read_before(text, opening)
    is_addressed = is_account and before.endswith(ADDRESSES) and pauses(read_behind(text, match.end()))
    return not before.endswith(INTRODUCTIONS) and not is_addressed


def find_opening(text: str, start: int, pattern: re.Pattern[str]) -> int | None:
    """Return where a word begins that makes the name at `start` a place; None where there is none, or it is a street.

    "St" behind a name or an ordinal ends a street: "on 5th St. Sarah told me".
    """
    opening = pattern.search(text, max(0, start - LONGEST_OPENING), start)
    if opening is None:
        return None
    words = text[: opening.start()].rsplit(None, 1)
    is_street = (
        opening.group().lower().startswith("st")
        and bool(words)
        and (ORDINAL.fullmatch(words[-1]) or (WORD.fullmatch(words[-1]) and words[-1].lower() not in COMMON_WORDS))
    )
    return None if is_street else opening.start()


def has_place_noun(text: str, end: int) -> bool:
    """Tell whether the capitalised words behind a name, or a small one behind those, make it a place or a thing."""
    following = FOLLOWING.match(text, end)
    for word in following.group().lower().split() if following else ():
        if word in PLACE_NOUNS:
            return True
        if word in COMMON_WORDS:
            return False
    return SMALL_NOUN.match(text, following.end() if following else end) is not None


def judge_context(text: str, match: re.Match[str], *, is_account: bool) -> Certainty:
    """Tell how sure the words around make it that a capitalised word is a name."""
    start = match.start()
    before = read_before(text, start)
    behind = read_behind(text, match.end())
    if before.endswith(INTRODUCTIONS):
        return "sure"
    if pauses(behind) and before.endswith(GREETINGS):
        return "sure"
    if (
        is_account
        and text[start - 2 : start] == ", "
        and (not behind or behind in STOPS)
        and not is_listed(text, start)
    ):
        return "sure"
    is_addressed = is_account and start == 0 and behind == ","
    return "likely" if is_addressed or before.endswith(MENTIONS) else "none"


def is_listed(text: str, start: int) -> bool:
    """Tell whether the word before a comma is capitalised, as in a list of places."""
    words = text[:start].rstrip(" ,").rsplit(None, 1)
    return not words or words[-1][:1].isupper()


def read_before(text: str, start: int) -> str:
    """Return the words right before a place, in lower case, with a blank in front and no signs behind."""
    return " " + text[max(0, start - TAIL) : start].lower().rstrip(" ,!:.\n")


def read_behind(text: str, end: int) -> str:
    """Return the sign right behind a place, over one blank; empty at the end of the text."""
    return text[end : end + 2].lstrip(" ")[:1]


def pauses(behind: str) -> bool:
    """Tell whether the sentence pauses at what stands behind a word."""
    return not behind or behind in PAUSES


def normalise_name(name: str) -> str:
    """Return the form in which a name is the same: lower case, no possessive."""
    return name.lower().removesuffix("'s").removesuffix("’s")


def find_known(text: str, known: Mapping[str, str]) -> Iterator[Span]:
    """Yield the words that are known to be names in this dialogue, as the person whose name they are part of.

    The San Diego of somebody called Diego stays, unless "San" is part of the name.
    """
    pending: Span | None = None
    for match in ANY_WORD.finditer(text):
        value = known.get(match.group().lower())
        if value is None:
            continue
        opening = find_opening(text, match.start(), ANY_OPENING)
        if opening is not None and text[opening : match.start()].strip(". ").lower() not in known:
            continue
        span = Span(match.start(), match.end(), "person", value)
        if pending is not None and pending.value == value and text[pending.end : span.start] == " ":
            span = pending._replace(end=span.end)
        elif pending is not None:
            yield pending
        pending = span
    if pending is not None:
        yield pending
