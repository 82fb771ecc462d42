"""Everything a dialogue says, indexed by canonical value, so that generated text can be held against it.

Belongs here: what the source says, and whether a stretch of generated text is in it. Not here: which parts are
checked (`grounding`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from servicebench_data.scenarios import numerals
from servicebench_data.scenarios.extraction import Value, extract_values
from servicebench_data.scenarios.wordlists import word_set

_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+(?:[.,:]\d+)*", re.IGNORECASE)
_TOKEN = re.compile(r"\[[a-z]+-?\d*\]")
_CAPITAL = re.compile(r"(?<=[a-z,;:)\d'\]] )[A-Z][A-Za-z']+")
_ROUTE = re.compile(r"\bfrom ([A-Z][\w' ]*?) to ([A-Z][\w']*)")
_NEGATION = re.compile(
    r"\b(?:not|never|no|cannot|nobody|nothing|none|without|neither|nor|dont|didnt|cant|wont|isnt|wasnt|doesnt|"
    r"havent|hasnt|couldnt|wouldnt|arent|werent|unable|nope)\b|\bw/o\b|n[’']t\b",
    re.IGNORECASE,
)
_ALWAYS_KNOWN = word_set(
    "i usd january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday id"
)
#: Phrases that deny nothing.
_NO_DENIAL = re.compile(r"\bnot to mention\b", re.IGNORECASE)
#: Kinds whose canonical form must be found; a place or product may also be found as the same words.
VALUE_KINDS = ("amount", "date", "time", "duration", "place", "flight_number", "count", "product")


def normalise(text: str) -> str:
    """Words and numbers in lower case, one blank between, with a blank at both ends."""
    return (
        f" {' '.join(match.group().lower().replace(',', '') for match in _WORDS.finditer(text.replace('’', chr(39))))} "
    )


@dataclass(frozen=True)
class Evidence:
    """What a dialogue says.

    Attributes:
        text: All turns, normalised.
        values: Canonical values by kind.
        numbers: Canonical numbers, in digits or words.
        tokens: Typed tokens.
        names: Words that may be capitalised: those of the source and the brands.
        counts: Numbers by counted noun.
        routes: Pairs of places told as "from A to B", in lower case.
        brand_words: Words of the brands' names, which are no places.
    """

    text: str
    values: dict[str, frozenset[str]]
    numbers: frozenset[str]
    tokens: frozenset[str]
    names: frozenset[str]
    counts: dict[str, frozenset[str]]
    routes: frozenset[tuple[str, str]]
    brand_words: frozenset[str]

    def holds(self, value: Value) -> bool:
        """Whether the source says this value."""
        if value.canonical in self.values.get(value.kind, ()):
            return True
        if value.kind == "flight_number":
            return value.canonical in self.numbers
        return normalise(value.text) in self.text

    def find_faults(self, text: str) -> Iterator[tuple[str, str]]:
        """Pairs of check and offending words in a generated text."""
        values = extract_values(text, not_places=self.brand_words)
        for value in values:
            if value.kind in VALUE_KINDS and not self.holds(value):
                yield value.kind, value.text
        yield from (("reference", token) for token in _TOKEN.findall(text) if token not in self.tokens)
        yield from (
            ("number", text[start:end])
            for start, end, number in numerals.find_numbers(_TOKEN.sub(" ", text))
            if number not in self.numbers
        )
        yield from (("name", match.group()) for match in _CAPITAL.finditer(text) if not self._knows_name(match.group()))
        yield from self._find_contradictions(values, text)

    def _knows_name(self, word: str) -> bool:
        plain = word.lower().removesuffix("'s").strip("'")
        return plain in self.names or plain in _ALWAYS_KNOWN or plain.rstrip("s") in self.names

    def _find_contradictions(self, values: Iterable[Value], text: str) -> Iterator[tuple[str, str]]:
        for value in values:
            number, _, noun = value.canonical.partition(" ")
            if value.kind == "count" and noun in self.counts and number not in self.counts[noun]:
                yield "contradiction", value.text
        for origin, target in find_routes(text):
            if (target, origin) in self.routes and (origin, target) not in self.routes:
                yield "contradiction", f"from {origin} to {target}"


def find_routes(text: str) -> list[tuple[str, str]]:
    """Pairs of places told as "from A to B", in lower case."""
    return [(match.group(1).lower().strip(), match.group(2).lower()) for match in _ROUTE.finditer(text)]


def has_negation(text: str) -> bool:
    """Whether a text denies something."""
    return _NEGATION.search(_NO_DENIAL.sub(" ", text)) is not None


def gather(texts: Sequence[str], brands: Iterable[str]) -> Evidence:
    """Index the texts of a source.

    Args:
        texts: Turns, and whatever else the generated text may lean on.
        brands: Names that may stand for handles.
    """
    brands = sorted(set(brands))
    brand_words = frozenset(word for brand in brands for word in brand.split())
    values = [value for text in texts for value in extract_values(text, not_places=brand_words)]
    kinds: dict[str, set[str]] = {}
    counts: dict[str, set[str]] = {}
    for value in values:
        kinds.setdefault(value.kind, set()).add(value.canonical)
        if value.kind == "count":
            number, _, noun = value.canonical.partition(" ")
            counts.setdefault(noun, set()).add(number)
    words = normalise(" ".join([*texts, *brands])).split()
    return Evidence(
        text=normalise(" ".join([*texts, *brands])),
        values={kind: frozenset(found) for kind, found in kinds.items()},
        numbers=frozenset(number for text in texts for _, _, number in numerals.find_numbers(text)),
        tokens=frozenset(token for text in texts for token in _TOKEN.findall(text)),
        names=frozenset(word for entry in words for word in (entry, entry.removesuffix("'s"))),
        counts={noun: frozenset(found) for noun, found in counts.items()},
        brand_words=brand_words,
        routes=frozenset(route for text in texts for route in find_routes(text)),
    )
