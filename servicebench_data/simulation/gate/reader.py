"""The learned reader: how much a sentence looks like examples of each label.

Belongs here: the learned numbers, kept as plain arrays, and their use. Not here: learning them (`learning.py`), or what
follows for a message (`rules.py`, `asking.py`).

What was learnt is kept beside this module, so that a reading needs no library, no time and no home, and is the same on
every machine. The file knows the digest of the examples that it was learnt from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from servicebench_data.simulation.gate.features import Numbers, weigh_text

FILE = Path(__file__).parent / "reader.npz"


@dataclass(frozen=True)
class Bounds:
    """Scores from which a label is taken to be borne.

    Attributes:
        alone: Where only the reader sees it.
        agreed: Where the patterns see it, too.
    """

    alone: float
    agreed: float


@dataclass(frozen=True)
class Reader:
    """Weights of one linear model for each label.

    Attributes:
        labels: Names of the columns.
        rarity: How rare each feature is among the examples.
        weights: A row for each feature, in whole steps of `steps`.
        steps: Size of a step in each column.
        intercepts: Score of a text without features in each column.
        digest: Of the examples that it was learnt from.
    """

    labels: tuple[str, ...]
    rarity: Numbers
    weights: NDArray[np.int8]
    steps: Numbers
    intercepts: Numbers
    digest: str

    def score(self, text: str) -> Numbers:
        """Score of each label, above nought where it is likelier than not.

        Args:
            text: In the one spelling of `spelling.py`.
        """
        places, amounts = weigh_text(text, self.rarity)
        return amounts @ self.weights[places].astype(np.float32) * self.steps + self.intercepts


def write_reader(path: Path, reader: Reader) -> None:
    """Keep a reader as plain arrays."""
    np.savez_compressed(
        path,
        labels=np.array(reader.labels),
        rarity=reader.rarity.astype(np.float16),
        weights=reader.weights,
        steps=reader.steps,
        intercepts=reader.intercepts,
        digest=np.array(reader.digest),
    )


@cache
def read_reader(path: Path = FILE) -> Reader:
    """The reader that was learnt; nothing in the file is executed."""
    with np.load(path, allow_pickle=False) as kept:
        return Reader(
            tuple(str(label) for label in kept["labels"]),
            kept["rarity"].astype(np.float32),
            kept["weights"],
            kept["steps"],
            kept["intercepts"],
            str(kept["digest"]),
        )


@cache
def read_bounds() -> Mapping[str, Bounds]:
    """The bounds of each label, from `reader.yaml`."""
    content: Mapping[str, Mapping[str, float]] = yaml.safe_load(FILE.with_suffix(".yaml").read_text(encoding="utf-8"))
    return {label: Bounds(**bounds) for label, bounds in content.items()}


@lru_cache(maxsize=4096)
def score_text(text: str) -> Mapping[str, float]:
    """Score of a text for each label, above nought where it is likelier than not."""
    reader = read_reader()
    return dict(zip(reader.labels, reader.score(" ".join(text.split())).tolist(), strict=True))


def bears(text: str, label: str, *, is_agreed: bool = False) -> bool:
    """Whether a text bears a label.

    Args:
        text: In the one spelling of `spelling.py`.
        label: One of the reader's labels.
        is_agreed: Whether the patterns see it, too.
    """
    return is_enough(score_text(text)[label], label, is_agreed=is_agreed)


def is_enough(score: float, label: str, *, is_agreed: bool) -> bool:
    """Whether a score bears a label; less is enough where the patterns see it, too."""
    bounds = read_bounds()[label]
    return score > (bounds.agreed if is_agreed else bounds.alone)
