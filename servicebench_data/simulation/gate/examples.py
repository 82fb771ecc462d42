"""The examples that teach the gate's reader: sentences of agents under the labels that they bear.

Belongs here: reading and checking `examples/`. Not here: learning from them (`learning.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

import yaml

from schemas.industry import FactKind
from schemas.simulation import Flag
from servicebench_data.lake.store import digest_json
from servicebench_data.simulation.gate.spelling import respell_message

FOLDER = Path(__file__).parent / "examples"
FLAGS: tuple[Flag, ...] = get_args(Flag)
KINDS: tuple[FactKind, ...] = get_args(FactKind)
WALL, OPEN, NONE = "wall", "open", "none"
#: What the reader tells apart, in the order of its columns.
LABELS: tuple[str, ...] = (*FLAGS, WALL, OPEN, *KINDS)
_ASKING = frozenset({OPEN, *KINDS})


class ExamplesError(ValueError):
    """Examples that cannot be learnt from; the message names the file and the remedy."""


@dataclass(frozen=True)
class Example:
    """A sentence or short message, and what it does.

    Attributes:
        text: In the one spelling of `spelling.py`.
        labels: Those of `LABELS` that it bears.
    """

    text: str
    labels: frozenset[str]


def load_examples(folder: Path = FOLDER) -> list[Example]:
    """All examples, by file and in their order there.

    Raises:
        ExamplesError: There are none, a label is unknown, or a text stands in two places.
    """
    examples: dict[str, Example] = {}
    for path in sorted(folder.glob("*.yaml")):
        for example in read_file(path):
            if example.text in examples:
                raise ExamplesError(f"{path.name!r} repeats {example.text!r}; each example stands in one place only.")
            examples[example.text] = example
    if not examples:
        raise ExamplesError(f"{str(folder)!r} holds no examples; take them from the product's sources again.")
    return list(examples.values())


def read_file(path: Path) -> Iterator[Example]:
    """The examples of a file.

    Raises:
        ExamplesError: A label is unknown.
    """
    groups = cast("Mapping[str, str]", yaml.safe_load(path.read_text(encoding="utf-8")))
    for heading, lines in groups.items():
        labels = frozenset(heading.split()) - {NONE}
        if unknown := sorted(labels - set(LABELS)):
            raise ExamplesError(f"{path.name!r}: {heading!r} names {unknown!r}; use {NONE!r} or labels of {LABELS!r}.")
        implied = {"checks_facts"} if labels & _ASKING else set[str]()
        yield from (Example(spell_text(line), labels | implied) for line in lines.splitlines() if line.strip())


def spell_text(text: str) -> str:
    """A text as the reader sees it: in the one spelling, on one line."""
    return " ".join(respell_message(text).text.split())


def digest_examples(examples: Sequence[Example]) -> str:
    """Digest of all that the reader learns from."""
    return digest_json([[example.text, sorted(example.labels)] for example in examples])
