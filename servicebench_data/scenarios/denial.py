"""Whether two sentences deny the same things, and whether one says the opposite of the other.

Belongs here: negation and opposites, word by word. Not here: who did it (`actors.py`).

Within a clause the words after a negation are denied, those before it are left open; a second negation ("did not
refuse to pay") affirms again. Only a word that one side denies and the other affirms is a conflict.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from servicebench_data.scenarios.vocabulary import COMMON, OPPOSED, PEOPLE, is_past, stem
from servicebench_data.scenarios.wordlists import word_set

#: How many telling words a negation reaches; what stands beyond is left open.
REACH = 4
_CLAUSE = re.compile(
    r"[.;:!?,()&+…]|-+ | -+|\b(?:and|but|because|bc|b/c|cause|cuz|coz|why|how|what|whether|b4|unless|"
    r"so|when|which|who|where|although|though|while|until|as|if|since|by|from|that|"
    r"after|before|yet|than)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"w/o(?:ut)?|[a-z]+(?:['’][a-z]+)*|\d+(?:[.,:]\d+)*", re.IGNORECASE)
_PLAIN = word_set("not never no cannot without neither nor unable w/o w/out dont didnt cant wont isnt wasnt doesnt "
                  "havent hasnt couldnt wouldnt arent werent")  # fmt: skip
#: Negations that stand for what is done to nothing, so that they deny the verb before them as well.
_OBJECT = word_set("no nothing nobody none")
_VERBS = frozenset(stem(word) for word in ("refuse", "deny", "fail", "decline", "reject", "stop", "miss", "withhold"))
_IDIOM = re.compile(
    r"#\w+|(?:^|(?<=[.!?] ))\W*no (?=(?:i|we|you|they|he|she|it)\b)|"
    r"\bnot (?:to mention|only|until)\b|"
    r"(?<!can )(?<!could )(?<!would )(?<!did )(?<!does )(?<!do )\bnot just\b|"
    r"\bno (?:wonder|matter|doubt)\b|\bfor nothing\b|\bnothing but\b|"
    r"\bnot (?:\w+ ){0,6}?until\b|\bn[’']t (?=(?:\w+ ){0,6}?until\b)|\b(?:almost|nearly|barely) miss\w*|\bwhy not\b|"
    r"\b(?:do|did|does) ?n[o’']t (?:know|think|believe|care|mind)\b|"
    r"\b(?:can|could)(?: ?not|n?['’]t) (?:believe|wait)\b|\bnear miss\w*|"
    r"\bmissed calls?\b",
    re.IGNORECASE,
)
_SKIPPED = (COMMON - word_set("here come came take took tell told ask asked give gave")) | word_set(
    "people person party even longer least unless sort kind lot bit anymore either else agent staff desk"
)
_ARTICLES = word_set("a an the my our your his her their its this that these those any some")
_SMALL = word_set("to for of with by and or me us him them it back up out so very too")
_BASE = word_set(
    "get give take have receive offer provide issue bring grant pay keep return replace refund open close send make "
    "find lose want need ask tell buy order load leave reach help answer call write read see use"
)
_HAVING = word_set("get got give gave given have had has receive received offer offered provide provided issue issued "
                   "bring brought grant granted is was were be been")  # fmt: skip
#: Verbs whose particle makes their opposite.
_PARTICLE = re.compile(r"\b(check|turn|switch|log|sign)(?:ed|ing|s)?[ -](in|out|on|off)\b", re.IGNORECASE)
_ORDER = frozenset({stem("before"), stem("after")})
_AROUND = re.compile(r"\b(before|after) (?:(?:the|a|an|my|our|we|i|they) )?([a-z]+)", re.IGNORECASE)
_DOWN = re.compile(r"\bturn(?:ed|ing|s)? down\b|\bout of (?=stock)", re.IGNORECASE)


class Word(NamedTuple):
    """The words that affirm or deny something, and of a thing the verb before it: empty where it is the subject."""

    span: str
    verb: str | None


@dataclass
class Said:
    """Stems that a text affirms, denies or leaves open, with the words that do it."""

    affirmed: dict[str, Word] = field(default_factory=dict[str, Word])
    denied: dict[str, Word] = field(default_factory=dict[str, Word])
    open: set[str] = field(default_factory=set[str])


@lru_cache(maxsize=1024)
def read_said(text: str) -> Said:
    """What a text affirms and denies; the words are those of the text."""
    said = Said()
    plain = _DOWN.sub(_put_refusal, _IDIOM.sub(_blank, text))
    start = 0
    for match in [*_CLAUSE.finditer(plain), None]:
        _read_clause((text, plain), (start, match.start() if match else len(plain)), said)
        start = match.end() if match else len(plain)
    return said


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())


def _put_refusal(match: re.Match[str]) -> str:
    return "refuse".ljust(len(match.group()))


def _read_clause(texts: tuple[str, str], bounds: tuple[int, int], said: Said) -> None:
    text, plain = texts
    words = [(match.group().lower().replace("’", "'"), match) for match in _TOKEN.finditer(plain, *bounds)]
    deniers = [index for index, (word, _) in enumerate(words) if is_denier(word)]
    for index, (word, match) in enumerate(words):
        if not is_telling(word):
            continue
        before = [place for place in deniers if place < index and count_telling(words[place + 1 : index]) < REACH]
        reached = len(before) + any(
            words[place][0] in _OBJECT and is_past(word) for place in deniers if 1 <= place - index <= 2
        )
        if reached:
            first = words[before[0]][1] if before else match
            found = Word(text[first.start() : match.end()], find_verb(words, index))
            (said.denied if reached % 2 else said.affirmed).setdefault(stem(word), found)
        elif any(place != index for place in deniers):
            said.open.add(stem(word))
        else:
            said.affirmed.setdefault(stem(word), Word(match.group(), find_verb(words, index)))


def find_verb(words: Sequence[tuple[str, re.Match[str]]], index: int) -> str | None:
    """The verb before a thing: empty where it begins the clause; None where the word is no thing with an article."""
    place = index - 1
    while place >= 0 and index - place < 3 and words[place][0] not in _ARTICLES and not words[place][0].endswith("'s"):
        place -= 1
    if place < 0 or index - place >= 3 or (place < index - 1 and is_past(words[index - 1][0])):
        return None
    before = [word for word, _ in words[:place] if word not in _SMALL and not is_denier(word)]
    verb = next((word for word in reversed(before) if is_past(word) or word in _BASE), "")
    return "have" if verb in _HAVING else stem(verb)


def count_telling(words: Sequence[tuple[str, re.Match[str]]]) -> int:
    """Telling words among others."""
    return sum(is_telling(word) for word, _ in words)


def is_denier(word: str) -> bool:
    """Whether a word denies what follows."""
    word = word.removesuffix("'s")
    return word in _PLAIN or word in _OBJECT or word.endswith("n't") or (len(word) > 3 and stem(word) in _VERBS)


def is_telling(word: str) -> bool:
    """Whether a word tells enough to be held against the other side."""
    plain = word.removesuffix("'s")
    return (
        plain[0].isalpha()
        and (len(plain) > 2)
        and plain not in _SKIPPED
        and plain not in PEOPLE
        and word not in _PLAIN
        and plain not in _OBJECT
        and not word.endswith("n't")
    )


@lru_cache(maxsize=1024)
def has_denier(text: str) -> bool:
    """Whether a text denies anything."""
    return _DOWN.search(text) is not None or any(
        is_denier(match.group().lower().replace("’", "'")) for match in _TOKEN.finditer(text)
    )


def find_denials(text: str, source: str) -> Iterator[str]:
    """Words that the text denies and the source only affirms, or the reverse."""
    if not has_denier(text) and not has_denier(source):
        return
    told, said = read_said(text), read_said(source)
    sides = (
        (told.denied, said.affirmed, said.denied, told.affirmed),
        (told.affirmed, said.denied, said.affirmed, told.denied),
    )
    for mine, theirs, same, opposed in sides:
        for name, word in mine.items():
            is_turned = name in theirs and name not in same and share_verb(word, theirs[name])
            if is_turned and is_settled(name, opposed, told, said):
                yield word.span


def share_verb(one: Word, other: Word) -> bool:
    """Whether two things go with the same verb, as far as can be told."""
    return one.verb is None or other.verb is None or one.verb == other.verb


def is_settled(name: str, opposed: Mapping[str, Word], told: Said, said: Said) -> bool:
    """Whether no side leaves a word open, and the text does not say both of it."""
    return name not in opposed and name not in told.open and name not in said.open


@lru_cache(maxsize=1024)
def list_stems(text: str) -> Mapping[str, str]:
    """The words of a text by stem; a verb and its particle are one word."""
    plain = _PARTICLE.sub(_join, text)
    found = {stem(match.group()): match.group() for match in _TOKEN.finditer(plain)}
    return found | {stem(_join(match)): match.group() for match in _PARTICLE.finditer(text)}


def _join(match: re.Match[str]) -> str:
    return f"{match[1]}{match[2]}".lower()


def find_opposites(text: str, source: str) -> Iterator[str]:
    """Words of the text whose opposite the source says, where neither side says both."""
    own, theirs = list_stems(text), list_stems(source)
    for name in own:
        for mine, others in OPPOSED.get(name, ()):
            if others & theirs.keys() and not mine & theirs.keys() and not others & own.keys():
                is_denied = name in read_said(text).denied or bool(others & read_said(source).denied.keys())
                if not is_denied and (name not in _ORDER or is_same_order(own[name], text, source)):
                    yield own[name]


def is_same_order(word: str, text: str, source: str) -> bool:
    """Whether both sides speak of what comes before or after the same thing."""
    told, said = (
        {stem(match[2]) for match in _AROUND.finditer(words) if is_own == (match[1].lower() == word.lower())}
        for words, is_own in ((text, True), (source, False))
    )
    return bool(told & said)
