"""Words of a message that speak to a judge in place of the customer: finding them, and leaving them out.

Belongs here: by the classes and rules of `injections.yaml` and by what a reader has learned, which sentences are meant
for whoever grades. Not here: other readings of a text (`hidden.py`), learning (`reader.py`), names of agents
(`masking.py`).

A judge never sees such words, and nothing stands in their place, so that they can neither raise nor lower a score: the
message reads as it would without them. (A note in their place is one more thing that a judge may weigh.) Only where
nothing else was said a note stands for it. The message itself stays as it is in its table, and the rules by which it
was cut are told beside the verdict. Who is spoken to decides: what an agent asks of the customer, claims, or asserts
about its own fairness stays, true or not. So does what a customer thinks of the agent in marks: some rules, and what is
learned, hold for the agent's words alone.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, get_args

import yaml

from schemas.simulation import Role
from servicebench_data.judging.examples import is_telling
from servicebench_data.judging.hidden import NUMERALS, find_encoded, fold, list_readings, show_plainly, squeeze
from servicebench_data.judging.reader import score_sentence
from servicebench_data.judging.sentences import split_sentences

FILE = Path(__file__).parent / "injections.yaml"
#: What stands for a message of which nothing is meant for the customer.
LEFT_OUT = "[nothing is said to the customer]"
#: Sentences that are read together where none speaks to a judge by itself.
WIDEST = 6
#: Words of a scrap that belongs to a torn sentence, at most.
MOST_IN_SCRAP = 3
#: What words are called that no rule knows, but the reader.
LEARNED = "learned"
#: Whose words a rule is for, by what it says.
ROLES: Mapping[str | None, tuple[Role, ...]] = {None: get_args(Role), "agent": ("agent",)}
_ENDS = (".", "!", "?", "。", "！", "？")

_UNSEEN = r"display:\s*none|hidden|font-size:\s*0|opacity:\s*0|color:\s*(?:white|#fff)|aria-label|alt=|title="
_HIDDEN_PLACES = re.compile(
    r"<!--.*?(?:-->|\Z)|/\*.*?\*/|\[//\]: ?#.*|\{#.*?#\}|\{%\s*comment.*?endcomment\s*%\}|(?m:^[ \t]*%.*$)|"
    rf"<(?P<tag>\w+)\b[^>]*(?:{_UNSEEN})[^>]*>(?:.*?</(?P=tag)>)?|"
    r"<(?:meta|script|style|template|noscript)\b.*?(?:>|</\w+>)",
    re.DOTALL | re.IGNORECASE,
)

#: What only leads over to what comes next.
_LEAD = re.compile(r"(?:(?<![^\n.!?])[ \t]*(?:\w+[ \t]+){0,2}\w+:|^[ \t]*(?:`{3,}|~{3,})\w*)\s*\Z", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """A rule: classes that must all be found in a sentence, classes of which none may be, and whose words it is for."""

    kind: str
    needed: tuple[str, ...]
    barred: tuple[str, ...]
    roles: tuple[Role, ...]


@dataclass(frozen=True)
class Bounds:
    """Scores of the learned reader from which a sentence speaks to a judge.

    Attributes:
        alone: Where nothing else tells so.
        agreed: Where it holds a weak class.
        beside: Where its neighbour speaks to a judge.
    """

    alone: float
    agreed: float
    beside: float


@dataclass(frozen=True)
class Lexicon:
    """The file in a form that can be matched.

    Attributes:
        version: Its version.
        classes: A pattern for each class.
        telling: Classes that only words to a judge hold.
        scraps: Classes that do so in a scrap of words.
        weak: Classes that mark a neighbour, and condemn what was hidden.
        rules: The rules, in order.
        markers: Parts of words without one of which a shifted or reversed text is not looked at.
        phrases: Phrases by what they are with their letters torn apart and as they are usually written.
        learned: Bounds of the learned reader.
    """

    version: int
    classes: Mapping[str, re.Pattern[str]]
    telling: tuple[str, ...]
    scraps: tuple[str, ...]
    weak: tuple[str, ...]
    rules: tuple[Rule, ...]
    markers: tuple[str, ...]
    phrases: tuple[tuple[str, re.Pattern[str]], ...]
    learned: Bounds


@dataclass(frozen=True)
class Stretch:
    """A stretch of a message that speaks to a judge, and by which rule."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Cleaned:
    """A message as a judge may see it, and the rules by which words were left out."""

    text: str
    kinds: tuple[str, ...]


class Seen(dict[str, bool]):
    """Which classes are found in a folded text; each is looked for when it is asked for, and once."""

    def __init__(self, folded: str) -> None:
        super().__init__()
        self.folded = folded

    def __missing__(self, name: str) -> bool:
        """Look for a class."""
        self[name] = load_lexicon().classes[name].search(self.folded) is not None
        return self[name]


@cache
def load_lexicon() -> Lexicon:
    """Read the file once."""
    content: dict[str, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    classes = {
        name: re.compile("|".join(f"(?:{entry})" for entry in entries), re.MULTILINE)
        for name, entries in content["words"].items()
    }
    rules = tuple(
        Rule(row["kind"], tuple(row["all"]), tuple(row.get("none", ())), ROLES[row.get("by")])
        for row in content["rules"]
    )
    phrases = tuple(
        (phrase.replace(" ", ""), re.compile(phrase.replace(" ", "[^a-z0-9]+"))) for phrase in content["phrases"]
    )
    return Lexicon(
        content["version"],
        classes,
        tuple(content["telling"]),
        tuple(content["scraps"]),
        tuple(content["weak"]),
        rules,
        tuple(content["markers"]),
        phrases,
        Bounds(**content["learned"]),
    )


@lru_cache(maxsize=4096)  # the same opening stands in the conversations of every agent
def clean_message(text: str, role: Role = "agent") -> Cleaned:
    """Leave out what speaks to a judge, and show the rest plainly; an honest message stays as it is."""
    stretches = find_injections(text, role)
    if not stretches:
        return Cleaned(show_plainly(text), ())
    edges = [0, *(edge for stretch in stretches for edge in (stretch.start, stretch.end)), len(text)]
    kept = [text[start:end].strip() for start, end in zip(edges[::2], edges[1::2], strict=True)]
    plain = show_plainly(" ".join(filter(None, kept))).strip()
    return Cleaned(plain or LEFT_OUT, tuple(dict.fromkeys(stretch.kind for stretch in stretches)))


def find_injections(text: str, role: Role = "agent") -> list[Stretch]:
    """Stretches that speak to a judge, in order, none touching another."""
    concealed = list(find_concealed(text))
    units = split_sentences(text)
    kinds = [name_kind(text[start:end], role) or name_concealed(concealed, start, end) for start, end in units]
    if not any(kinds):
        kinds = read_together(text, units, role)
    spread(text, units, kinds, role)
    found = [Stretch(*unit, kind) for unit, kind in zip(units, kinds, strict=True) if kind]
    return join(text, [widen(text, stretch) for stretch in (*concealed, *found)])


def name_concealed(concealed: Sequence[Stretch], start: int, end: int) -> str | None:
    """The kind of what is concealed and fills a sentence or more."""
    return next((stretch.kind for stretch in concealed if stretch.start <= start and end <= stretch.end), None)


def find_concealed(text: str) -> Iterator[Stretch]:
    """What is hidden from the customer's eye and has to do with grading; for that alone is hidden from no customer."""
    for reading in find_encoded(text):
        if is_suspicious(reading.text):
            yield Stretch(reading.start, reading.end, "encoded")
    for place in _HIDDEN_PLACES.finditer(text):
        if is_suspicious(place[0]):
            yield Stretch(place.start(), place.end(), "comment")


def is_suspicious(text: str) -> bool:
    """Whether hidden words have to do with grading, or give orders."""
    return has_any(fold(text), (*load_lexicon().weak, "ignore")) or name_kind(text, "agent") is not None


@lru_cache(maxsize=16_384)  # scripted agents and the customer of the rules say the same sentences again and again
def name_kind(text: str, role: Role) -> str | None:
    """The rule by which words speak to a judge, however they are written; None where they do not."""
    folded = fold(text)
    found = match_rules(folded, role) or match_learned(folded, role)
    if found:
        return found
    markers = load_lexicon().markers
    readings = (reading for reading in list_readings(folded) if any(marker in reading for marker in markers))
    return "encoded" if any(match_rules(reading, role) for reading in readings) else None


def match_learned(folded: str, role: Role) -> str | None:
    """Whether words speak to a judge as far as the reader has learned, by name; None where they do not."""
    if not is_telling(folded):
        return None
    lexicon = load_lexicon()
    score = score_learned(folded, role)
    is_weak = score > lexicon.learned.agreed and has_any(folded, lexicon.weak)
    return LEARNED if is_weak or score > lexicon.learned.alone else None


def score_learned(folded: str, role: Role) -> float:
    """How much somebody's words look to the learned reader as words to a judge do; it knows how agents write alone."""
    return score_sentence(" ".join(folded.split())) if role == "agent" else -math.inf


def match_rules(folded: str, role: Role) -> str | None:
    """The first rule that holds for somebody's words."""
    seen = Seen(folded)
    for rule in load_lexicon().rules:
        is_due = role in rule.roles and all(seen[name] for name in rule.needed)
        if is_due and not any(seen[name] for name in rule.barred):
            return rule.kind
    return None


def read_together(text: str, units: Sequence[tuple[int, int]], role: Role) -> list[str | None]:
    """Kinds of sentences that speak to a judge only when they are read as one, or letter by letter."""
    kinds: list[str | None] = [None] * len(units)
    for width in range(1, min(WIDEST, len(units)) + 1):
        for first in range(len(units) - width + 1):
            kind = name_whole([text[slice(*unit)] for unit in units[first : first + width]], role)
            if kind:
                kinds[first : first + width] = [kind] * width
        if any(kinds):
            break
    return kinds


def name_whole(pieces: Sequence[str], role: Role) -> str | None:
    """The kind of some pieces that follow each other, where none but the last ends as a sentence does."""
    folded = " ".join(fold(" ".join(pieces)).split())
    if is_torn(folded):
        return "split"
    is_one = len(pieces) > 1 and not any(piece.rstrip().endswith(_ENDS) for piece in pieces[:-1])
    return match_rules(folded, role) if is_one else None


def is_torn(folded: str) -> bool:
    """Whether a phrase stands there with its letters torn apart."""
    letters, spelled = squeeze(folded), folded.translate(NUMERALS)
    return any(tight in letters and not usual.search(spelled) for tight, usual in load_lexicon().phrases)


def spread(text: str, units: Sequence[tuple[int, int]], kinds: list[str | None], role: Role) -> None:
    """In a message that speaks to a judge let go, too, what only a judge is told, and what goes on from there."""
    hits = [kind for kind in kinds if kind]
    if not hits:
        return
    folded = [fold(text[slice(*unit)]) for unit in units]
    for number, sentence in enumerate(folded):
        kinds[number] = kinds[number] or (hits[0] if is_told(sentence) else None)
    for steps in (range(1, len(units)), range(len(units) - 2, -1, -1)):
        for number in steps:
            neighbour = kinds[number - steps.step]
            if neighbour and not kinds[number] and goes_on(folded[number], neighbour, role):
                kinds[number] = neighbour


def is_told(folded: str) -> bool:
    """Whether only a judge is told such a thing, or it is a scrap of an order."""
    lexicon = load_lexicon()
    return has_any(folded, lexicon.telling) or (is_scrap(folded) and has_any(folded, lexicon.scraps))


def goes_on(folded: str, kind: str, role: Role) -> bool:
    """Whether a sentence goes on from one that speaks to a judge: a torn one goes on in any scrap of words."""
    lexicon = load_lexicon()
    if has_any(folded, lexicon.weak) or (kind == "split" and is_scrap(folded)):
        return True
    return score_learned(folded, role) > lexicon.learned.beside


def is_scrap(folded: str) -> bool:
    """Whether some words are a piece of a sentence."""
    return len(folded.split()) <= MOST_IN_SCRAP and not folded.rstrip().endswith(_ENDS)


def has_any(folded: str, names: Sequence[str]) -> bool:
    """Whether any of some classes is found."""
    return any(load_lexicon().classes[name].search(folded) for name in names)


def widen(text: str, stretch: Stretch) -> Stretch:
    """A stretch with what only leads over to it: a fence, or a word or two and a colon on the same or a line before."""
    led = _LEAD.search(text, 0, stretch.start)
    return Stretch(led.start(), stretch.end, stretch.kind) if led else stretch


def join(text: str, stretches: Sequence[Stretch]) -> list[Stretch]:
    """Stretches in order, those that overlap or have only blanks between them as one."""
    joined: list[Stretch] = []
    for stretch in sorted(stretches, key=lambda entry: (entry.start, entry.end)):
        last = joined[-1] if joined else None
        if last and not text[last.end : stretch.start].strip():
            joined[-1] = Stretch(last.start, max(last.end, stretch.end), last.kind)
        else:
            joined.append(stretch)
    return joined
