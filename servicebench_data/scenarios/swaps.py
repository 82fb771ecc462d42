"""Values that changed places: each is in the source, but with another's words.

Belongs here: which words a value goes with. Not here: whether the source holds the value at all (`evidence.py`).
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from servicebench_data.scenarios.extraction import Value, extract_values
from servicebench_data.scenarios.respelling import respell, spell_digits
from servicebench_data.scenarios.vocabulary import COMMON

NEAR = 4
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*|\d[\d:.,]*\d|[,.;:!?]|\d|[$£€]", re.IGNORECASE)
_BREAKS = frozenset({",", ".", ";", ":", "!", "?", "and", "but"})
_INSTEAD = re.compile(r"\b(?:instead of|rather than|and not) (?:[a-z]+ )?[$£€]?(\d[\d:.,]*\d|\d)", re.IGNORECASE)
_TURNING = re.compile(r"\b(?:instead of|rather than|and not) ", re.IGNORECASE)
_KINDS = frozenset({"amount", "time", "date", "duration", "count", "place"})
_NUMBER = re.compile(r"\d[\d:.,]*\d|\d")


class Bond(NamedTuple):
    """A word and the value that stands nearest to it."""

    kind: str
    word: str
    canonical: str
    text: str


@lru_cache(maxsize=1024)
def list_values(text: str, brands: frozenset[str]) -> tuple[Value, ...]:
    """Values of the kinds that can change places, in one spelling."""
    return tuple(value for value in extract_values(respell(text).text, not_places=brands) if value.kind in _KINDS)


@lru_cache(maxsize=1024)
def bind(text: str, brands: frozenset[str]) -> tuple[Bond, ...]:
    """The words near a value, each with the nearest of its kind."""
    values = list_values(text, brands)
    tokens = [(match.group().lower(), *match.span()) for match in _WORD.finditer(respell(text).text)]
    bonds: list[Bond] = []
    for kind in sorted({value.kind for value in values}):
        nearest: dict[int, list[tuple[int, int]]] = {}
        of_kind = [value for value in values if value.kind == kind]
        for number, value in enumerate(of_kind):
            for index, steps in reach(tokens, value):
                nearest.setdefault(index, []).append((steps, number))
        for index, found in sorted(nearest.items()):
            (steps, number), *others = sorted(found)
            word, start, _ = tokens[index]
            is_value = any(value.start <= start < value.end for value in values)
            if len(word) > 2 and word not in COMMON and not is_value and not (others and others[0][0] == steps):
                bonds.append(Bond(kind, word, of_kind[number].canonical, of_kind[number].text))
    return tuple(bonds)


def reach(tokens: Sequence[tuple[str, int, int]], value: Value) -> Iterator[tuple[int, int]]:
    """Words near a value in both directions within its clause, with the number of words between."""
    before = [index for index, (_, _, end) in enumerate(tokens) if end <= value.start]
    after = [index for index, (_, start, _) in enumerate(tokens) if start >= value.end]
    for indexes in (before[::-1], after):
        for steps, index in enumerate(indexes[: NEAR + 1]):
            if tokens[index][0] in _BREAKS:
                break
            yield index, steps


def find_swaps(text: str, source: str, brands: frozenset[str]) -> Iterator[str]:
    """Values that in the source go with other words, where the words that both share never agree."""
    yield from find_turned(text, source)
    canonicals = {value.kind: set[str]() for value in list_values(source, brands)}
    for value in list_values(source, brands):
        canonicals[value.kind].add(value.canonical)
    if not any(len(canonicals.get(value.kind, ())) > 1 for value in list_values(text, brands)):
        return
    said: dict[tuple[str, str], set[str]] = {}
    for bond in bind(source, brands):
        said.setdefault((bond.kind, bond.word), set()).add(bond.canonical)
    told: dict[str, list[tuple[bool, str]]] = {}
    for bond in bind(text, brands):
        expected = said.get((bond.kind, bond.word), set[str]())
        if len(expected) == 1 and bond.canonical in canonicals[bond.kind]:
            told.setdefault(bond.kind, []).append((bond.canonical in expected, bond.text))
    for found in told.values():
        if not any(agrees for agrees, _ in found):
            yield found[0][1]


def find_turned(text: str, source: str) -> Iterator[str]:
    """Numbers that the text puts after "instead of" and the source before it."""
    if not (_TURNING.search(text) and _TURNING.search(source)):
        return
    rejected = set(_INSTEAD.findall(spell_digits(source)))
    asserted = set(_NUMBER.findall(_INSTEAD.sub(" ", spell_digits(source))))
    told = spell_digits(text)
    for match in _INSTEAD.finditer(told):
        if match[1] in asserted and match[1] not in rejected:
            before = [number.start() for number in _NUMBER.finditer(told, 0, match.start())]
            yield told[before[-1] if before else match.start() : match.end()]
