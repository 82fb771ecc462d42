"""Vectors of texts, from the cache where they are there and from the model where they are not.

Belongs here: joining texts, cache and model. Not here: preparing texts; callers do so with `prepare_text`, for they
know the brands.
"""

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from servicebench_data.embeddings.cache import VectorCache
from servicebench_data.embeddings.model import EmbeddingModel, Encoded, Vectors
from servicebench_data.embeddings.preparation import PREPARATION_VERSION

Progress = Callable[[int, int], None]

STORE_EVERY = 256


class EmbedStats(NamedTuple):
    """What a call did, in distinct texts: newly encoded, found in the cache, and longer than the model reads."""

    new: int
    cached: int
    truncated: int


def embed_texts(
    texts: Sequence[str], *, cache: VectorCache, model: EmbeddingModel, progress: Progress | None = None
) -> tuple[Vectors, EmbedStats]:
    """Unit vectors of prepared texts, a row each in their order.

    Args:
        texts: Texts as `prepare_text` returns them; equal ones are encoded once.
        cache: Where vectors are kept.
        model: What encodes the texts that the cache does not have.
        progress: Called with the number of distinct texts that have a vector and the number of all.

    Raises:
        ValueError: A text is empty.
    """
    if empty := [place for place, text in enumerate(texts) if not text.strip()]:
        raise ValueError(f"text {empty[0]!r} of {len(texts)} is empty; leave texts with nothing left out and say so.")
    distinct = list(dict.fromkeys(texts))
    keys = [digest_text(text) for text in distinct]
    found = cache.find(model.key, keys)
    missing = np.flatnonzero(found.rows < 0).tolist()
    report = partial(shift_progress, progress or ignore_progress, len(distinct))
    report(0, len(missing))
    if missing:
        fill_cache([distinct[row] for row in missing], cache, model, progress=report)
        found = cache.find(model.key, keys)
    row_of = dict(zip(distinct, found.rows.tolist(), strict=True))
    rows = np.array([row_of[text] for text in texts], dtype=np.int64)
    truncated = int(found.is_truncated[found.rows].sum())
    return found.vectors[rows], EmbedStats(len(missing), len(distinct) - len(missing), truncated)


def fill_cache(texts: Sequence[str], cache: VectorCache, model: EmbeddingModel, *, progress: Progress) -> None:
    """Encode texts and store their vectors every so often, so that a build that is stopped keeps most of its work."""
    keys: list[bytes] = []
    batches: list[Encoded] = []
    done = 0
    for places, encoded in model.encode(texts):
        keys.extend(digest_text(texts[place]) for place in places)
        batches.append(encoded)
        done += len(places)
        progress(done, len(texts))
        if len(keys) >= STORE_EVERY or done == len(texts):
            vectors = np.concatenate([batch.vectors for batch in batches])
            cache.add(model.key, keys, vectors, np.concatenate([batch.is_truncated for batch in batches]))
            keys, batches = [], []


def digest_text(text: str) -> bytes:
    """SHA-256 of a prepared text and the version of the preparation: what identifies a vector within a model's."""
    return hashlib.sha256(f"{PREPARATION_VERSION}\0{text}".encode()).digest()


def shift_progress(report: Progress, total: int, done: int, missing: int) -> None:
    """Report progress over all texts, given that over the missing ones."""
    report(total - missing + done, total)


def ignore_progress(done: int, total: int) -> None:
    """Take no notice of progress."""
    del done, total
