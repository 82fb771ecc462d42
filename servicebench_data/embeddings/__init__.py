"""Texts to vectors: prepared, encoded by a pinned model, kept on disk so that the same text always has the same vector.

Belongs here: preparing a text (`preparation`), the model (`model`), the vectors on disk (`cache`) and the one function
that joins them (`embedding`). Does not belong here: what is done with vectors (topics, codings, the complaint filter).
"""

from servicebench_data.embeddings.cache import VectorCache
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.embeddings.embedding import EmbedStats, Progress, digest_text, embed_texts
from servicebench_data.embeddings.model import (
    BUNDLED,
    EmbeddingModel,
    EmbeddingModelError,
    describe_calibration,
    find_model,
)
from servicebench_data.embeddings.preparation import PREPARATION_VERSION, prepare_text

__all__ = [
    "BUNDLED",
    "PREPARATION_VERSION",
    "EmbedStats",
    "Embedder",
    "EmbeddingModel",
    "EmbeddingModelError",
    "Progress",
    "VectorCache",
    "describe_calibration",
    "digest_text",
    "embed_texts",
    "find_model",
    "prepare_text",
]
