"""An embedder for tests: a text's vector is the sum of fixed random vectors of its words, so likeness is shared words.

Belongs here: what the tests of this group share. Not here: tests.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.industry import Industry
from servicebench_data.industries import load_industry
from servicebench_data.journeys.head import Head, train_head

WIDTH = 64


@cache
def word_vector(word: str) -> NDArray[np.float64]:
    """The vector of a word."""
    seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
    return np.random.default_rng(seed).normal(size=WIDTH)


def embed_words(texts: Sequence[str], /) -> NDArray[np.float32]:
    """Unit vectors of texts."""
    rows = [np.sum([word_vector(word) for word in re.findall(r"\w+", text.lower())], axis=0) for text in texts]
    vectors = np.array(rows).reshape(len(texts), WIDTH)
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@cache
def airline() -> Industry:
    """The largest map."""
    return load_industry("airline")


@cache
def airline_head() -> Head:
    """Its head over word vectors."""
    return train_head(airline(), embed_words)


def tabulate(texts: Sequence[str], first: int = 0) -> pa.Table:
    """Complaints with the given texts."""
    ids = [f"d{first + place:05}" for place in range(len(texts))]
    return pa.table({"dialogue_id": pa.array(ids, pa.string()), "customer_text": pa.array(texts, pa.string())})


def embed_table(dialogues: pa.Table) -> NDArray[np.float32]:
    """Vectors of the dialogues' prepared texts; zeros where no word is left."""
    texts = airline_head().prepare([row["customer_text"] for row in dialogues.to_pylist()])
    vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    filled = [row for row, text in enumerate(texts) if text]
    if filled:
        vectors[filled] = embed_words([texts[row] for row in filled])
    return vectors


def map_examples() -> list[str]:
    """The examples of the map, as complaints."""
    return [example for category in airline().journey.categories for example in category.examples]
