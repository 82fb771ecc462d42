"""Which texts are alike: by the cosine of their vectors, by the words they share, or because they are equal.

Belongs here: links between places in a list, and the groups that links make, whatever the texts are. Memory stays
bounded: vectors are compared block by block, word pairs through an index of MinHash sketches. Not here: what is done
with a group (`duplicates.py`).
"""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

import numpy as np

from servicebench_data.journeys.arrays import Integers, Vectors, hold_one_thread, load_library

Link = tuple[int, int]

BLOCK_CELLS = 8_000_000
#: 42 bands of three: texts that share 40% of their word pairs meet in a band with a chance of 94%, with 5% hardly ever.
BANDS, ROWS = 42, 3
SKETCH_SEED = 1
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def link_equal(keys: Sequence[str]) -> list[Link]:
    """Each place with the first that has the same key; an empty key links nothing."""
    first: dict[str, int] = {}
    return [(first[key], place) for place, key in enumerate(keys) if key and first.setdefault(key, place) != place]


def link_vectors(vectors: Vectors, least: float) -> list[Link]:
    """Links of unit vectors whose cosine is at least as large; of each group only as many as hold it together."""
    links = np.zeros((0, 2), dtype=np.int64)
    size = len(vectors)
    step = max(1, BLOCK_CELLS // max(size, 1))
    with hold_one_thread():
        for start in range(0, size, step):
            rows, columns = np.nonzero(vectors[start : start + step] @ vectors[start:].T >= least)
            later = columns > rows
            found = np.column_stack([rows[later], columns[later]]) + start
            links = thin_links(np.concatenate([links, found]), size)
    return [(int(one), int(other)) for one, other in links]


def thin_links(links: Integers, size: int) -> Integers:
    """The fewest links that make the same groups: each place with the first of its group."""
    labels = np.array(label_groups(links, size), dtype=np.int64)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    heads = first[inverse]
    later = np.flatnonzero(heads != np.arange(size))
    return np.column_stack([heads[later], later])


def link_words(texts: Sequence[str], least: float) -> list[Link]:
    """Links of texts that share at least that part of their word pairs (Jaccard), found by MinHash, then counted."""
    library = load_library("datasketch")
    index = library.MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    pairs = [pair_words(text) for text in texts]
    filled = [place for place, found in enumerate(pairs) if found]
    encoded = ([entry.encode() for entry in pairs[place]] for place in filled)
    sketches = library.MinHash.generator(encoded, num_perm=BANDS * ROWS, seed=SKETCH_SEED)
    links: list[Link] = []
    for place, sketch in zip(filled, sketches, strict=True):
        met = cast("list[int]", index.query(sketch))
        links += [(other, place) for other in met if measure_overlap(pairs[other], pairs[place]) >= least]
        index.insert(place, sketch)
    return links


def list_words(text: str) -> list[str]:
    """Words of a text in lower case, without numbers and signs."""
    return _WORD.findall(text.lower())


def pair_words(text: str) -> frozenset[str]:
    """Each two words that follow one another; the word itself where there is only one."""
    words = list_words(text)
    return frozenset(map(" ".join, pairwise(words))) or frozenset(words)


def measure_overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Share of the entries of two sets that both have."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def label_groups(links: "Iterable[Link] | Integers", size: int) -> list[int]:
    """Number of the group of each place: places that links join, directly or by way of others, are one."""
    ends = np.array(links if isinstance(links, np.ndarray) else list(links), dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(ends), dtype=np.int8)
    graph = load_library("scipy.sparse").coo_matrix((ones, (ends[:, 0], ends[:, 1])), shape=(size, size))
    _, labels = load_library("scipy.sparse.csgraph").connected_components(graph, directed=False)
    return [int(label) for label in labels]
