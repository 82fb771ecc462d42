"""Vectors as numpy arrays: types, unit length, centres, and arithmetic that other thread counts do not change.

Belongs here: small numeric steps that head and topics share. Not here: anything about categories or topics.
"""

import hashlib
import importlib
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Vectors = NDArray[np.float32]
Integers = NDArray[np.int64]
BLOCK_ROWS = 4096


class Embedder(Protocol):
    """Turns texts into unit vectors, one row each, equal texts into equal rows."""

    def __call__(self, texts: Sequence[str], /) -> Vectors:
        """Embed the texts in their order."""
        ...


def load_library(name: str) -> Any:
    """A library without complete annotations, imported when it is first needed; this is where its types end."""
    return cast("Any", importlib.import_module(name))


def list_places(places: Integers) -> list[int]:
    """Places as plain numbers."""
    return cast("list[int]", places.tolist())


def scale_rows(rows: NDArray[np.floating[Any]]) -> Floats:
    """Rows at unit length; a row of zeros stays one."""
    wide = rows.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths > 0, lengths, 1.0)


def average_groups(rows: NDArray[np.floating[Any]], groups: Integers, count: int) -> Floats:
    """Unit-length centre of each group; rows of group -1 belong to none, an empty group has a centre of zeros."""
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, groups[groups >= 0], rows[groups >= 0])
    return scale_rows(sums)


def find_nearest(rows: NDArray[np.floating[Any]], centres: Floats) -> tuple[Integers, Floats]:
    """Nearest centre of each row by cosine, and that cosine; ties go to the first centre."""
    best = np.zeros(len(rows), dtype=np.int64)
    cosine = np.zeros(len(rows))
    for start in range(0, len(rows), BLOCK_ROWS):
        block = scale_rows(rows[start : start + BLOCK_ROWS]) @ centres.T
        best[start : start + BLOCK_ROWS] = block.argmax(axis=1)
        cosine[start : start + BLOCK_ROWS] = block.max(axis=1)
    return best, np.clip(cosine, -1.0, 1.0)


def digest_rows(rows: Vectors, salt: str) -> list[str]:
    """A salted hash of each row, for choices that must not depend on the order or on other rows."""
    return [hashlib.blake2b(row.tobytes(), key=salt.encode()[:64], digest_size=16).hexdigest() for row in rows]


@contextmanager
def hold_one_thread() -> Generator[None]:
    """Run linear algebra on one thread, so that its last digits do not depend on the machine's load or settings."""
    with load_library("threadpoolctl").threadpool_limits(limits=1):
        yield
