"""BERTopic over given vectors, made reproducible; the one module that touches bertopic, umap and hdbscan.

Belongs here: which vectors are fitted, how, what cluster each falls in, and where each lies in a picture. Not here:
what clusters become (`topics.py`) or how a picture looks.

Fitting costs far more than assigning, so at most `FIT_LIMIT` distinct vectors are fitted. Each vector's own hash
decides whether it is among them: the sample does not depend on the order, and most of it stays when vectors are added.
"""

import sys
import warnings
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any

import numpy as np

from servicebench_data.journeys.arrays import (
    Floats,
    Integers,
    Vectors,
    digest_rows,
    hold_one_thread,
    load_library,
    scale_rows,
)  # fmt: skip

FIT_LIMIT = 8000
NEIGHBOURS = 15
DIMENSIONS = 5
EPOCHS = 200
# Below this many distinct texts the neighbourhood graph is no more than noise.
FEWEST = 10
#: Clients of models that BERTopic imports where it finds them, though only their users would need them: they take
#: seconds, and one asks the network for its price list.
CLIENTS = ("litellm", "openai")
#: Packages whose functions numba compiles.
COMPILED = ("umap", "pynndescent")


def sample_rows(vectors: Vectors, seed: int, limit: int = FIT_LIMIT) -> Integers:
    """Places of the vectors to fit, ascending: all of them, or those with the lowest hashes."""
    if len(vectors) <= limit:
        return np.arange(len(vectors), dtype=np.int64)
    order = np.argsort(np.array(digest_rows(vectors, f"fit-{seed}")), kind="stable")
    return np.sort(order[:limit]).astype(np.int64)


def cluster_texts(texts: Sequence[str], vectors: Vectors, seed: int) -> Integers:
    """Cluster of each text, numbered from 0; -1 for those that fall in none.

    Args:
        texts: Distinct prepared texts in an order that depends on nothing but them.
        vectors: Their unit vectors.
        seed: Seed of the reduction.
    """
    if len(texts) < FEWEST:
        return np.full(len(texts), -1, dtype=np.int64)
    with warnings.catch_warnings(), hold_one_thread():
        warnings.simplefilter("ignore")
        model = build_model(vectors, seed)
        # The words are counted elsewhere, from core texts alone; BERTopic needs at least one word in each text.
        labels, _ = model.fit_transform([text or "empty" for text in texts], embeddings=vectors)
    return number_clusters(np.asarray(labels, dtype=np.int64))


@contextmanager
def hide_modules(names: Sequence[str]) -> Generator[None]:
    """Let imports of the named modules fail for a while as if they were not installed, unless they are loaded."""
    hidden = [name for name in names if name not in sys.modules]
    modules: dict[str, Any] = sys.modules  # None is what the import system takes for "not there"
    modules.update(dict.fromkeys(hidden))
    try:
        yield
    finally:
        for name in hidden:
            modules.pop(name, None)


@cache
def load_umap() -> Any:
    """umap, its compiled functions kept on disk: compiling them anew takes each process ten seconds.

    Where they cannot be kept (no folder that may be written), they are compiled as ever.
    """
    umap, dispatcher = load_library("umap"), load_library("numba.core.dispatcher").Dispatcher
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] in COMPILED]
    with suppress(RuntimeError):
        for module in modules:
            for function in list(vars(module).values()):
                if isinstance(function, dispatcher):
                    function.enable_caching()
    return umap


def compile_ahead() -> None:
    """Compile what fitting needs, so that the first build need not."""
    count = 3 * FEWEST
    cluster_texts([f"text {row}" for row in range(count)], np.eye(count, dtype=np.float32), seed=0)


def build_model(vectors: Vectors, seed: int) -> Any:
    """BERTopic with every part given: nothing is left to a default that changes with the size or the machine."""
    neighbours = min(NEIGHBOURS, len(vectors) - 1)
    reduce = load_umap().UMAP(
        n_neighbors=neighbours, n_components=min(DIMENSIONS, len(vectors) - 2), min_dist=0.0, metric="cosine",
        n_epochs=EPOCHS, random_state=seed, n_jobs=1, precomputed_knn=find_neighbours(vectors, neighbours),
    )  # fmt: skip
    size = choose_cluster_size(len(vectors))
    cluster = load_library("hdbscan").HDBSCAN(
        min_cluster_size=size, min_samples=min(5, size), metric="euclidean", cluster_selection_method="leaf",
        core_dist_n_jobs=1,
    )  # fmt: skip
    count = load_library("sklearn.feature_extraction.text").CountVectorizer(token_pattern=r"(?u)\b\w+\b")  # noqa: S106
    with hide_modules(CLIENTS):
        bertopic = load_library("bertopic")
    return bertopic.BERTopic(
        embedding_model=None, umap_model=reduce, hdbscan_model=cluster, calculate_probabilities=False, verbose=False,
        vectorizer_model=count, top_n_words=1,
    )  # fmt: skip


def choose_cluster_size(count: int) -> int:
    """Smallest cluster worth a topic: 5 texts, and more in proportion to what is fitted."""
    return max(5, round(count / 300))


def find_neighbours(vectors: Vectors, count: int) -> tuple[Any, Any, None]:
    """Exact nearest neighbours by cosine distance, each row's own first, ties by place.

    UMAP's own search is approximate, takes longer at this size, and is the part of it whose result can vary.
    """
    units = scale_rows(vectors)
    places = np.zeros((len(units), count), dtype=np.int32)
    distances = np.zeros((len(units), count), dtype=np.float32)
    for start in range(0, len(units), 1024):
        block = 1.0 - units[start : start + 1024] @ units.T
        rows = np.arange(len(block))
        block[rows, start + rows] = -1.0
        near = np.argsort(block, axis=1, kind="stable")[:, :count]
        places[start : start + 1024] = near
        distances[start : start + 1024] = np.maximum(np.take_along_axis(block, near, axis=1), 0.0)
    return places, distances, None


def number_clusters(labels: Integers) -> Integers:
    """The same clusters numbered by their first member, so that the numbers do not hang on the library's order."""
    seen = list(dict.fromkeys(label for label in labels.tolist() if label >= 0))
    numbers = {label: number for number, label in enumerate(seen)}
    return np.array([numbers.get(label, -1) for label in labels.tolist()], dtype=np.int64)


def lay_out(vectors: Vectors, seed: int) -> Floats:
    """Places of distinct vectors in a picture, two numbers each between 0 and 1: near where their meanings are."""
    if len(vectors) < FEWEST:
        return np.full((len(vectors), 2), 0.5)
    neighbours = min(NEIGHBOURS, len(vectors) - 1)
    with warnings.catch_warnings(), hold_one_thread():
        warnings.simplefilter("ignore")
        reduce = load_umap().UMAP(
            n_neighbors=neighbours, n_components=2, min_dist=0.1, metric="cosine", init="pca", n_epochs=EPOCHS,
            random_state=seed, n_jobs=1, precomputed_knn=find_neighbours(vectors, neighbours),
        )  # fmt: skip
        places = np.asarray(reduce.fit_transform(vectors), dtype=np.float64)
    # A few far islands must not push all others into one corner: the outermost hundredth is drawn in.
    low, high = np.quantile(places, (0.005, 0.995), axis=0)
    return np.clip((places - low) / np.maximum(high - low, 1e-9), -0.03, 1.03)
