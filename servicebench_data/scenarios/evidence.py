"""Everything a dialogue says, indexed by canonical value, so that generated text can be held against it.

Belongs here: what the source says, and whether a stretch of generated text is in it. Not here: which parts are
checked (`grounding`).
"""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from servicebench_data.dialogues.lexicon import load_given_names
from servicebench_data.scenarios import numerals
from servicebench_data.scenarios.canonical import canonicalise
from servicebench_data.scenarios.extraction import Value, extract_values
from servicebench_data.scenarios.gazetteer import name_airport
from servicebench_data.scenarios.reading import split_brands
from servicebench_data.scenarios.respelling import Respelled, imply_forms, name_forms, respell, spell_digits
from servicebench_data.scenarios.vocabulary import OBJECTS, PEOPLE, find_strangers, split_words, stem
from servicebench_data.scenarios.wordlists import word_set

_WORDS = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+(?:[.,:]\d+)*", re.IGNORECASE)
_TOKEN = re.compile(r"\[[a-z]+-?\d*\]")
_CAPITAL = re.compile(r"(?<=[a-z,;:)\d'\]] )[A-Z][A-Za-z']+")
_ROUTE = re.compile(r"\bfrom ([A-Z][\w' ]*?) to ([A-Z][\w']*)")
_ROUTE_BACK = re.compile(r"\bto ([A-Z][\w']*(?: [A-Z][\w']*)?)\s+from ([A-Z][\w']*)")
_FIRST_WORD = re.compile(r"(?:^|(?<=[.!?] ))[A-Z][a-z]+")
_RELATIVE = re.compile(
    r"\b(?:(?:this|last|next|past|previous|following) (?:night|morning|afternoon|evening|weekend|week|month|year|"
    r"summer|winter|spring|fall|autumn)|yesterday|today|tonight|tomorrow)\b",
    re.IGNORECASE,
)
_SITE = re.compile(r" (?:airport|store|location|restaurant|hotel|branch|resort)$", re.IGNORECASE)
_COOLING = re.compile(r"\ba/? ?c\b|\bair[ -]?con", re.IGNORECASE)
#: The telephone as a way, not as a thing.
_NO_OBJECT = re.compile(r"\bphone (?:calls?|numbers?)\b|\b(?:by|on the|over the|via) phone\b", re.IGNORECASE)
_BARE = re.compile(r"(?<![\w$£€.:,/-])(\d+(?:\.\d+)?)(?![\w:/%-]|[.,]\d| ?(?:[a-z]+ )?[a-z$£€])", re.IGNORECASE)
_ALWAYS_KNOWN = word_set(
    "i usd january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday id mon tue tues wed thu thurs fri sat sun jan feb mar apr jun jul aug "
    "sep sept oct nov dec mr mrs ms dr"
)
_EMPTY = frozenset[str]()
_JOINED_BEFORE = frozenset("$£€.")
_POINTS = frozenset(".,:")
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
        digits: The same with all numerals in digits.
        values: Canonical values by kind.
        forms: Other forms of the values by kind.
        numbers: Canonical numbers, in digits or words.
        bare: Numbers that stand alone, as the second of "50 minutes instead of 20".
        tokens: Typed tokens.
        stems: Stems of all words.
        names: Words that may be capitalised: those of the source and the brands.
        counts: Numbers by counted noun.
        routes: Pairs of origin and target, in lower case, airports by code and by name.
        brands: Names of the brands.
        brand_words: Words of the brands' names, which are no places.
    """

    text: str
    digits: str
    values: dict[str, frozenset[str]]
    forms: dict[str, frozenset[str]]
    numbers: frozenset[str]
    bare: frozenset[str]
    tokens: frozenset[str]
    stems: frozenset[str]
    names: frozenset[str]
    counts: dict[str, frozenset[str]]
    routes: frozenset[tuple[str, str]]
    brands: tuple[str, ...]
    brand_words: frozenset[str]

    def narrow(self, texts: Iterable[str]) -> "Evidence":
        """What these texts say, with the same brands."""
        return gather_brands(tuple(texts), self.brands)

    def holds(self, value: Value) -> bool:
        """Whether the source says this value."""
        if value.canonical in self.values.get(value.kind, ()):
            return True
        if value.kind == "flight_number":
            return value.canonical in self.numbers
        if value.kind == "amount" and self._knows_currency(value):
            return False
        forms = name_forms(value.kind, value.canonical)
        if normalise(value.text) in self.text or self.forms.get(value.kind, frozenset()) & forms:
            return True
        return self._holds_otherwise(value)

    def _holds_otherwise(self, value: Value) -> bool:
        """Whether the source says a value in words of its own."""
        number, _, noun = value.canonical.partition(" ")
        if value.kind == "duration":
            return self._holds_duration(value, number, noun)
        if value.kind == "count":
            return value.text.lower().startswith("one more") or self._holds_count(number, noun)
        if value.kind == "place":
            return _SITE.search(value.text) is not None and normalise(_SITE.sub("", value.text)) in self.text
        is_cooling = _COOLING.search(value.text) is not None and _COOLING.search(self.text) is not None
        is_said = all(stem(word) in self.stems for word in split_words(value.text))
        return value.kind == "product" and (is_cooling or is_said)

    def _knows_currency(self, value: Value) -> bool:
        """Whether the source says the number in another currency."""
        number = value.canonical.partition(" ")[0]
        return any(amount.partition(" ")[0] == number for amount in self.values.get("amount", ()))

    def _holds_duration(self, value: Value, number: str, unit: str) -> bool:
        """Whether a duration is there without its unit, or for "an hour" as "hour" without article and number."""
        if not unit:
            return False
        is_article = re.match(r"an? ", value.text, re.IGNORECASE) is not None
        alone = rf" {unit}'|(?<! half)(?<! per)(?<! every)(?<! happy)(?<! rush)(?<=[a-z]) {unit} "
        return (f" {unit}" in self.text and number in self.bare) or (
            is_article and re.search(alone, self.digits) is not None
        )

    def _holds_count(self, number: str, noun: str) -> bool:
        """Whether the number stands near a word of the noun's stem and nothing else is counted so."""
        if number in self.bare and noun in self.counts:
            return True
        root = re.escape(stem(noun))
        near = rf" {re.escape(number)}(?: \S+){{0,3}} {root}|\b{root}\S*(?: \S+){{0,3}} {re.escape(number)} "
        return len(root) > 2 and noun not in self.counts and re.search(near, self.digits) is not None

    def find_faults(self, text: str) -> Iterator[tuple[str, str]]:
        """Pairs of check and offending words in a generated text."""
        plain = respell(text)
        values = extract_values(plain.text, not_places=self.brand_words)
        yield from self._find_values(plain, values)
        yield from (("reference", token) for token in _TOKEN.findall(text) if token not in self.tokens)
        yield from (("date", found) for found in _RELATIVE.findall(text) if not self._knows_day(found))
        yield from (("name", match.group()) for match in _CAPITAL.finditer(text) if not self._knows_name(match.group()))
        yield from (
            ("name", word)
            for word in _FIRST_WORD.findall(text)
            if word.lower() in load_given_names().plain and not self._knows_name(word)
        )
        yield from (("product", word) for word in find_strangers(_NO_OBJECT.sub(" ", text), self.names, OBJECTS))
        yield from self._find_contradictions(plain, values, text)

    def find_values(self, text: str, sources: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Pairs of check and offending words for values, tokens and numbers that these sources do not hold."""
        plain = respell(text)
        texts = list(sources)
        values = [value for value in extract_values(plain.text, not_places=self.brand_words) if value.kind != "product"]
        if self._stands_in(plain, values, " ".join(texts)):
            return
        said = self.narrow(texts)
        yield from said._find_values(plain, values)  # noqa: SLF001 - one of this class
        yield from (("reference", token) for token in _TOKEN.findall(text) if token not in said.tokens)
        yield from said._find_contradictions(plain, values, text)  # noqa: SLF001

    def _stands_in(self, plain: Respelled, values: Sequence[Value], said: str) -> bool:
        """Whether all values and numbers stand letter by letter in a text, so that nothing need be looked up."""
        spans = numerals.find_numbers(plain.text)
        words = [value.text for value in values] + [plain.text[start:end] for start, end, _ in spans]
        return " from " not in plain.text and all(stands_alone(word, said) for word in words)

    def _find_values(self, plain: Respelled, values: Sequence[Value]) -> Iterator[tuple[str, str]]:
        for value in values:
            if value.kind in VALUE_KINDS and not self.holds(value):
                yield value.kind, plain.cut(value.start, value.end)
        hidden = [(value.start, value.end) for value in values if value.kind in VALUE_KINDS]
        blank = _TOKEN.sub(lambda match: " " * len(match.group()), plain.text)
        yield from (
            ("number", plain.cut(start, end))
            for start, end, number in numerals.find_numbers(blank)
            if number not in self.numbers
            and plain.text[start:end].lower() != "one"
            and not any(begin <= start and end <= stop for begin, stop in hidden)
        )

    def _knows_day(self, words: str) -> bool:
        plain = normalise(words)
        return (
            plain in self.text
            or f"{plain.rstrip()}'" in self.text
            or canonicalise("date", words) in self.values.get("date", ())
        )

    def _knows_name(self, word: str) -> bool:
        plain = word.lower().removesuffix("'s").strip("'")
        return plain in self.names or plain in _ALWAYS_KNOWN or plain.rstrip("s") in self.names

    def _find_contradictions(self, plain: Respelled, values: Iterable[Value], text: str) -> Iterator[tuple[str, str]]:
        for value in values:
            number, _, noun = value.canonical.partition(" ")
            if (
                value.kind == "count"
                and noun in self.counts
                and number not in self.counts[noun] | self.bare
                and not self.holds(value)
            ):
                yield "contradiction", plain.cut(value.start, value.end)
        for origin, target in find_routes(text):
            if (target, origin) in self.routes and (origin, target) not in self.routes:
                yield "contradiction", f"from {origin} to {target}"


def stands_alone(word: str, text: str) -> bool:
    """Whether a value stands in a text letter by letter, and not as part of a longer word, number or amount."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        is_inside = _is_word(before) or before in _JOINED_BEFORE or _is_word(after) or after == "%"
        if not is_inside and not (after in _POINTS and text[end + 1 : end + 2].isdecimal()):
            return True
        start = text.find(word, start + 1)
    return False


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def find_people(text: str, sources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """People, by what they are, whom the sources do not name."""
    strangers = find_strangers(text, (), PEOPLE)
    if strangers:
        known = [word.removesuffix("'s") for source in sources for word in split_words(source)]
        yield from (("person_role", word) for word in find_strangers(text, known, PEOPLE))


def find_routes(text: str) -> list[tuple[str, str]]:
    """Pairs of places told as "from A to B" or "to B from A", in lower case."""
    found = [match.group(1, 2) for match in _ROUTE.finditer(text)]
    found += [match.group(2, 1) for match in _ROUTE_BACK.finditer(text)]
    return [(origin.lower().strip(), target.lower().strip()) for origin, target in found]


def imply_routes(text: str) -> Iterator[tuple[str, str]]:
    """The same with airports also by what they are called."""
    for origin, target in find_routes(text):
        yield from itertools.product({origin, *name_airport(origin)}, {target, *name_airport(target)})


def gather(texts: Sequence[str], brands: Iterable[str]) -> Evidence:
    """Index the texts of a source.

    Args:
        texts: Turns, and whatever else the generated text may lean on.
        brands: Names that may stand for handles.
    """
    return gather_brands(tuple(texts), tuple(sorted(set(brands))))


@lru_cache(maxsize=512)
def gather_brands(texts: tuple[str, ...], brands: tuple[str, ...]) -> Evidence:
    """Index texts; the same few are held against many sentences."""
    brand_words = split_brands(brands)
    read = [read_text(text, brand_words) for text in texts]
    named = tuple(normalise(" ".join(brands)).split())
    return Evidence(
        text=f" {' '.join(word for words in (*(entry.words for entry in read), named) for word in words)} ",
        digits=f" {' '.join(word for entry in read for word in entry.digits)} ",
        values=_group(pair for entry in read for pair in entry.values),
        forms=_group(form for entry in read for form in entry.forms),
        numbers=_EMPTY.union(*(entry.numbers for entry in read)),
        bare=_EMPTY.union(*(entry.bare for entry in read)),
        tokens=_EMPTY.union(*(entry.tokens for entry in read)),
        stems=_EMPTY.union(*(entry.stems for entry in read), map(stem, named)),
        names=_EMPTY.union(*(entry.names for entry in read), list_names(named)),
        counts=_group(pair for entry in read for pair in entry.counts),
        brands=brands,
        brand_words=brand_words,
        routes=frozenset(route for entry in read for route in entry.routes),
    )


def list_names(words: Iterable[str]) -> frozenset[str]:
    """Words, and those in the possessive without it."""
    return frozenset(name for word in words for name in (word, word.removesuffix("'s")))


class ReadText(NamedTuple):
    """What one text adds to the index, as `Evidence` names it; words in their order."""

    words: tuple[str, ...]
    digits: tuple[str, ...]
    values: frozenset[tuple[str, str]]
    forms: frozenset[tuple[str, str]]
    counts: frozenset[tuple[str, str]]
    numbers: frozenset[str]
    bare: frozenset[str]
    tokens: frozenset[str]
    stems: frozenset[str]
    names: frozenset[str]
    routes: tuple[tuple[str, str], ...]


@lru_cache(maxsize=16384)
def read_text(text: str, brand_words: frozenset[str]) -> ReadText:
    """Read one text; a turn, a quote or a statement is part of many indexes, and none reaches over its end."""
    plain, digits = respell(text).text, spell_digits(text)
    values = [value for entry in (text, plain) for value in extract_values(entry, not_places=brand_words)]
    words = tuple(normalise(text).split())
    counted = (value.canonical.partition(" ") for value in values if value.kind == "count")
    forms = frozenset((value.kind, form) for value in values for form in imply_forms(value.kind, value.canonical))
    places = [word for kind, form in forms if kind == "place" for word in re.split(r"[ -]+", form)]
    return ReadText(
        words=words,
        digits=tuple(normalise(digits).split()),
        values=frozenset((value.kind, value.canonical) for value in values),
        forms=forms,
        counts=frozenset((noun, number) for number, _, noun in counted),
        numbers=frozenset(number for entry in (text, plain, digits) for _, _, number in numerals.find_numbers(entry)),
        bare=frozenset(_BARE.findall(digits)),
        tokens=frozenset(_TOKEN.findall(text)),
        stems=frozenset(map(stem, words)),
        names=list_names([*words, *places]),
        routes=tuple(imply_routes(text)),
    )


def _group(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, set()).add(value)
    return {key: frozenset(found) for key, found in groups.items()}
