"""Complaints with their vectors, equal vectors as one, and where each of them is placed.

Belongs here: the shapes that finding and carrying topics share. Not here: either of the two.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.industry import Industry
from servicebench_data.embeddings import prepare_text
from servicebench_data.industries import list_brand_words
from servicebench_data.journeys.arrays import Floats, Integers, Vectors, list_places


@dataclass(frozen=True)
class Corpus:
    """Complaints with text, equal vectors as one.

    Attributes:
        ids: Dialogue of each row, ascending.
        texts: Prepared text of each row.
        place: Distinct vector of each row; -1 for a dialogue without text.
        vectors: The distinct vectors, in an order that depends on nothing but them.
        first: A row of each distinct vector.
        model: Key of the embedding model.
    """

    ids: list[str]
    texts: list[str]
    place: Integers
    vectors: Vectors
    first: Integers
    model: str

    @property
    def weights(self) -> Floats:
        """Dialogues of each distinct vector."""
        return np.bincount(self.place[self.place >= 0], minlength=len(self.vectors)).astype(np.float64)

    @property
    def filled(self) -> int:
        """Dialogues with text."""
        return int((self.place >= 0).sum())


@dataclass(frozen=True)
class Placement:
    """Where the distinct vectors are.

    Attributes:
        labels: Topic of each (-1: none).
        is_core: Whether a clustering put it there.
        fit_count: Complaints at the last clustering.
        is_fitted: Whether that was in this build.
        was_left: Whether it was in no topic in the previous build.
        names: Ids of the first topics, which were carried on.
    """

    labels: Integers
    is_core: NDArray[np.bool_]
    fit_count: int
    is_fitted: bool
    was_left: NDArray[np.bool_]
    names: tuple[str, ...] = ()


def build_corpus(dialogues: pa.Table, vectors: Vectors, industry: Industry, model: str) -> Corpus:
    """Complaints by id, with equal vectors joined."""
    ids = cast("list[str]", dialogues["dialogue_id"].to_pylist())
    order = np.argsort(np.array(ids, dtype=object), kind="stable").astype(np.int64)
    brands = list_brand_words(industry)
    raw = cast("list[str]", dialogues["customer_text"].to_pylist())
    texts = [prepare_text(raw[row], brands) for row in list_places(order)]
    rows = np.ascontiguousarray(vectors[order], dtype=np.float32)
    has_text = np.array([bool(text) for text in texts], dtype=bool) & (np.abs(rows).sum(axis=1) > 0)
    distinct, first, inverse = np.unique(rows[has_text], axis=0, return_index=True, return_inverse=True)
    place = np.full(len(ids), -1, dtype=np.int64)
    place[has_text] = inverse.reshape(-1)
    return Corpus(
        [ids[row] for row in list_places(order)],
        texts,
        place,
        distinct,
        np.flatnonzero(has_text)[first].astype(np.int64),
        model,
    )
