"""A stretch of text that is masked.

Belongs here: the record that the finders of names and references share, and choosing among overlapping ones.
Not here: finding them.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

MaskKind = Literal["person", "user", "phone", "email", "booking", "order", "loyalty", "case", "card"]


class Span(NamedTuple):
    """A value to mask: where it stands, of which kind, and the form in which equal values are equal."""

    start: int
    end: int
    kind: MaskKind
    value: str


def choose_spans(spans: Iterable[Span]) -> list[Span]:
    """Return spans in order without overlaps; of two that overlap, the one found first in `spans` stays."""
    chosen: list[Span] = []
    for span in spans:
        if all(span.end <= other.start or span.start >= other.end for other in chosen):
            chosen.append(span)
    return sorted(chosen)
