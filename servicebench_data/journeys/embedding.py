"""Vectors of the complaints' customer side, as a table.

Belongs here: which dialogues are embedded, and the table. Not here: how a text becomes a vector (`embeddings/`).
"""

import hashlib
from typing import Any, cast

import numpy as np
import pyarrow as pa

from schemas.industry import Industry
from schemas.journeys import Embedding
from servicebench_data.embeddings import prepare_text
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import list_brand_words
from servicebench_data.journeys.arrays import Vectors
from servicebench_data.lake.arrow import arrow_schema, keep_rows, sort_rows


def select_complaints(dialogues: pa.Table, screenings: pa.Table) -> pa.Table:
    """Rows of the dialogues that were kept as complaints, by dialogue id."""
    kept = cast("list[str]", screenings.filter(screenings["is_kept"])["dialogue_id"].to_pylist())
    return sort_rows(keep_rows(dialogues, "dialogue_id", kept), "dialogue_id")


def embed_complaints(complaints: pa.Table, industry: Industry, embedder: Embedder) -> pa.Table:
    """Table `embedding` of an industry's complaints, in their order; a text without a word gets a vector of zeros."""
    brands = list_brand_words(industry)
    texts = [prepare_text(text, brands) for text in cast("list[str]", complaints["customer_text"].to_pylist())]
    filled = [row for row, text in enumerate(texts) if text]
    found = embedder([texts[row] for row in filled]) if filled else np.zeros((0, 1), dtype=np.float32)
    vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    vectors[filled] = found
    columns = {
        "industry": [industry.id] * len(texts),
        "dialogue_id": complaints["dialogue_id"],
        "text_sha256": [hashlib.sha256(text.encode()).hexdigest() for text in texts],
        "vector": list(vectors),
        "model": [embedder.key] * len(texts),
    }
    return pa.Table.from_pydict(columns, schema=arrow_schema(Embedding))


def read_vectors(embeddings: pa.Table) -> Vectors:
    """The vectors of a table `embedding`, a row each in its order."""
    if not embeddings.num_rows:
        return np.zeros((0, 1), dtype=np.float32)
    flat = cast("Any", embeddings["vector"].combine_chunks()).flatten()
    return np.asarray(flat.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(embeddings.num_rows, -1)
