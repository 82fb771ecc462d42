"""Who does what in a sentence, so that a text that gives a deed to somebody else is found.

Belongs here: subjects of verbs in the past. Not here: whether the deed was done (`denial.py`).

A doer is the customer, somebody of the customer's, or somebody else; "he" and "they" may be anybody but the customer.
Sentences of posts that begin with a verb ("Waited two hours") are the customer's where the verb is what customers do.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from servicebench_data.scenarios.vocabulary import PEOPLE, is_past, stem
from servicebench_data.scenarios.wordlists import word_set

_SENTENCE = re.compile(r"[^.!?;:\n]+(?:\.(?=\d)[^.!?;:\n]+)*")
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|,|\d\S*", re.IGNORECASE)
_CUSTOMER = word_set("i we me us customer customers party")
_CARE = word_set("service care support relations")
_ANYBODY = word_set("he she they you it")
_KIN = frozenset(
    word
    for word in PEOPLE
    if PEOPLE[word]
    in word_set(
        "wife husband son daughter mother father brother sister uncle aunt grandmother grandfather cousin nephew "
        "niece girlfriend boyfriend fiance fiancee partner baby toddler friend neighbor boss roommate colleague"
    )
)
_COMPANY = word_set(
    "airline hotel restaurant store company shop app website desk service support staff crew agent agents rep reps "
    "representative representatives employee employees associate associates worker workers team guys guy lady woman "
    "man people bank carrier kitchen warehouse counter clerk clerks hotline helpline dispatch management"
)
_HELPERS = word_set(
    "have has had having would will did do does not never just also already only then even all both finally again "
    "to ever still later now almost nearly once twice immediately promptly simply first"
)
#: "I offered me a voucher": whoever did it, it was not the customer.
_ON_ONESELF = re.compile(r"\bI (?:\w+ly |just |then |also |even )?([a-z]+) (?:(?:up on|at|on|to|off) )?me\b")
_BEING = word_set("was were been be is are am being got get")
_LIGHT = frozenset(stem(word) for word in word_set("have do get go come make be want need let see try seem feel know"))
_POSTED = frozenset(
    stem(word)
    for word in word_set(
        "wait miss leave order pay spend find stand call book buy ask drive fly stay send sleep sit report email "
        "tweet request walk speak request stood message"
    )
)


class Doer(NamedTuple):
    """Who does something: the class, and the word where it is a noun."""

    side: str
    word: str


def read_doers(text: str, brands: frozenset[str], *, is_post: bool) -> dict[str, list[tuple[Doer, str]]]:
    """Doers by stem of the verb, each with the words that say so.

    Args:
        text: A sentence or more.
        brands: Words of the brands' names in lower case.
        is_post: Whether it is a post, in which the subject "I" may be left out and "you" is the company.
    """
    found: dict[str, list[tuple[Doer, str]]] = {}
    for sentence in _SENTENCE.findall(text):
        words = [match.group().lower().replace("’", "'") for match in _WORD.finditer(sentence)]
        last: Doer | None = None
        for index, word in enumerate(words):
            if not is_past(word) or stem(word) in _LIGHT:
                continue
            doer, start = find_doer(words, index, brands, last)
            is_left_out = doer is None and start < 0 and is_post
            if is_left_out and words[index + 1 : index + 2] in (["me"], ["us"]):
                doer, start = Doer("anybody", ""), index
            elif is_left_out and stem(word) in _POSTED:
                doer, start = Doer("customer", ""), index
            if doer is not None:
                last = doer
                found.setdefault(stem(word), []).append((doer, " ".join(words[max(start, 0) : index + 1])))
    return found


def find_doer(words: list[str], index: int, brands: frozenset[str], last: Doer | None) -> tuple[Doer | None, int]:
    """Doer of the verb at an index and where its words begin; before the sentence where nothing stands there."""
    place, is_passive = index - 1, False
    while place >= 0 and (words[place] in _HELPERS or words[place] in _BEING or words[place].endswith(("n't", "ly"))):
        is_passive = is_passive or words[place] in _BEING
        place -= 1
    if is_passive:
        return find_agent(words, index, brands)
    if place < 0:
        return None, -1
    if words[place] in {"and", ",", "but", "then"}:
        return last, place + 1
    return read_doer(words, place, brands), max(0, place - 1)


def find_agent(words: list[str], index: int, brands: frozenset[str]) -> tuple[Doer | None, int]:
    """Doer of a passive, who stands after "by"."""
    for place in range(index + 1, min(index + 8, len(words))):
        if words[place] == "by":
            for end in range(place + 1, min(place + 6, len(words))):
                doer = read_doer(words, end, brands)
                if doer is not None and not words[end].endswith("'s"):
                    return doer, index
    return None, 0


def read_doer(words: list[str], place: int, brands: frozenset[str]) -> Doer | None:
    """Who a word stands for; None where it is no person and no company."""
    word = words[place]
    if word in _CUSTOMER:
        is_care = words[place + 1 : place + 2] and words[place + 1] in _CARE
        return None if is_care else Doer("customer", "")
    if word in _ANYBODY:
        return Doer("anybody", "")
    if word in PEOPLE:
        return Doer("kin" if word in _KIN else "other", PEOPLE[word])
    return Doer("other", "") if word in _COMPANY or word in brands else None


def find_wrong_doers(text: str, source: str, brands: frozenset[str], *, is_event: bool) -> Iterator[str]:
    """Words that give a deed of the source to somebody else.

    Args:
        text: What is told.
        source: The customer's words that it rests on.
        brands: Words of the brands' names in lower case.
        is_event: Whether it is told in the third person, where "they" may be the customer's party.
    """
    yield from (match.group() for match in _ON_ONESELF.finditer(text) if is_past(match.group(1).lower()))
    said = read_doers(source, brands, is_post=True)
    for verb, doers in read_doers(text, brands, is_post=False).items():
        known = [doer for doer, _ in said.get(verb, [])]
        for doer, span in doers:
            if is_event and doer.side == "anybody":
                continue
            if known and not any(fits(doer, other) for other in known):
                yield span


def fits(told: Doer, said: Doer) -> bool:
    """Whether two doers may be the same."""
    if "anybody" in {told.side, said.side}:
        return "customer" not in {told.side, said.side}
    if told.side != said.side:
        return False
    return not told.word or not said.word or told.word == said.word
