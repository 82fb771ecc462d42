"""The rubric: reading it, telling it to a judge, and making a dimension's score of its items.

Belongs here: what follows from `rubric.yaml` alone. Not here: asking a judge (`tasks.py`), versions (`versions.py`).
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import yaml
from pydantic import ValidationError

from schemas.judging import Dimension
from schemas.rubric import Cap, Rubric, RubricDimension

FILE = Path(__file__).parent / "rubric.yaml"
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


class RubricError(ValueError):
    """A file that is no rubric; the message names it and the remedy."""


@dataclass(frozen=True)
class LoadedRubric:
    """The rubric with the digest of its file."""

    spec: Rubric
    sha256: str


@dataclass(frozen=True)
class Verdict:
    """A dimension's score and the cap that lowered it, where one did."""

    score: int
    cap: Cap | None = None


def load_rubric(path: Path = FILE) -> LoadedRubric:
    """Read a rubric.

    Raises:
        RubricError: It does not have the form of one.
    """
    text = path.read_text(encoding="utf-8")
    try:
        spec = Rubric.model_validate(yaml.safe_load(text))
    except (yaml.YAMLError, ValidationError) as error:
        raise RubricError(f"rubric {str(path)!r} does not have the form that it must: {error}; mend it.") from error
    return LoadedRubric(spec, hashlib.sha256(text.encode()).hexdigest())


@cache
def find_rubric() -> LoadedRubric:
    """The rubric in force, read once."""
    return load_rubric()


def score_dimension(dimension: RubricDimension, items: Mapping[str, int]) -> Verdict:
    """The rounded mean of a dimension's items, halves up, lowered to the least cap that holds.

    Raises:
        ValueError: Items are missing, or are not the dimension's.
    """
    if set(items) != set(dimension.items):
        raise ValueError(
            f"scores of {sorted(items)!r} are given where the items are {sorted(dimension.items)!r}; give each of them."
        )
    count = len(items)
    mean = (2 * sum(items.values()) + count) // (2 * count)
    holding = [cap for cap in dimension.caps if items[cap.item] <= cap.at_most]
    lowest = min(holding, key=lambda cap: cap.cap, default=None)
    return Verdict(lowest.cap, lowest) if lowest and lowest.cap < mean else Verdict(mean)


def tell_rubric(rubric: Rubric, dimensions: Iterable[Dimension]) -> str:
    """The rubric of some dimensions as Markdown, for a judge; caps are left out, for code applies them."""
    lines: list[str] = []
    for name in dimensions:
        dimension = rubric.dimensions[name]
        lines += [f"## {name}", dimension.question]
        for item_id, item in dimension.items.items():
            quoted = "the agent's words" if item.quotes == "agent" else "words of either side"
            due = f"quotes: {quoted}, at least one from a score of {item.quoted_from} on"
            lines += [f"### {name}.{item_id}", f"{item.question} ({due})"]
            lines += [f"- {point}: {item.anchors[point]}" for point in sorted(item.anchors)]
    return "\n".join(lines)
