"""A model and a cache joined to the one thing that other groups need: vectors of texts.

Belongs here: that pairing, and what it did. Not here: which texts.
"""

from collections.abc import Sequence
from pathlib import Path

from servicebench_data.embeddings.cache import VectorCache
from servicebench_data.embeddings.embedding import Progress, embed_texts
from servicebench_data.embeddings.model import Vectors, find_model


class Embedder:
    """Vectors of prepared texts from one model, each computed once.

    Args:
        model: Name of the model.
        folder: Where vectors are kept.
        progress: Called with texts done and all texts.

    Attributes:
        new: Texts that the model encoded so far.
        cached: Texts whose vectors were there already.
        truncated: Texts that are longer than the model reads; what comes after does not count in their vectors.
    """

    def __init__(self, model: str, folder: Path, progress: Progress | None = None) -> None:
        self._model = find_model(model)
        self._cache = VectorCache(folder)
        self._progress = progress
        self.new = 0
        self.cached = 0
        self.truncated = 0

    @property
    def key(self) -> str:
        """What identifies the model: name, weights and precision."""
        return self._model.key

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, a row for each text."""
        vectors, stats = embed_texts(texts, cache=self._cache, model=self._model, progress=self._progress)
        self.new += stats.new
        self.cached += stats.cached
        self.truncated += stats.truncated
        return vectors
