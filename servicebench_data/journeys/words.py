"""Words as evidence for a category: TF-IDF over words and word parts of the map's texts.

Belongs here: from texts to sparse features and back to plain arrays that can be stored. Not here: what is learned from
them (`head.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from servicebench_data.journeys.arrays import Floats, load_library

WORD = r"(?u)\b\w[\w']*\b"


@dataclass(frozen=True)
class Lexicon:
    """The words and word parts that count, each with its rarity.

    Attributes:
        words: Words and pairs of words.
        parts: Three to five letters within a word, its ends marked by a space.
        rarity: Inverse document frequency of the words, then of the parts.
    """

    words: list[str]
    parts: list[str]
    rarity: Floats


def learn_lexicon(texts: Sequence[str]) -> Lexicon:
    """Words that occur and word parts that occur twice, with their rarity among the texts."""
    words, parts = count_words(None).fit(texts), count_parts(None).fit(texts)
    names = [[str(name) for name in part.get_feature_names_out()] for part in (words, parts)]
    lexicon = Lexicon(names[0], names[1], np.ones(len(names[0]) + len(names[1])))
    present = np.asarray((count_features(texts, lexicon) > 0).sum(axis=0)).ravel()
    rarity = np.log((1 + len(texts)) / (1 + present)) + 1
    return Lexicon(names[0], names[1], rarity.astype(np.float64))


def weigh_features(texts: Sequence[str], lexicon: Lexicon) -> Any:
    """Sparse matrix of the texts: logarithmic counts times rarity; words and parts each at unit length."""
    normalize = load_library("sklearn.preprocessing").normalize
    counts = count_features(texts, lexicon)
    counts.data = (1 + np.log(counts.data)) * lexicon.rarity[counts.indices]
    edge = len(lexicon.words)
    halves = [normalize(half) for half in (counts[:, :edge], counts[:, edge:])]
    return join_halves(halves)


def count_features(texts: Sequence[str], lexicon: Lexicon) -> Any:
    """Sparse counts of words, then parts."""
    halves = [count_words(lexicon.words).transform(texts), count_parts(lexicon.parts).transform(texts)]
    return join_halves(halves)


def join_halves(halves: Sequence[Any]) -> Any:
    """Sparse matrices side by side."""
    sparse = load_library("scipy.sparse")
    return sparse.csr_matrix(sparse.hstack(halves), dtype=np.float64)


def count_words(vocabulary: Sequence[str] | None) -> Any:
    """Counter of words and pairs of words."""
    library = load_library("sklearn.feature_extraction.text")
    return library.CountVectorizer(token_pattern=WORD, ngram_range=(1, 2), vocabulary=vocabulary)


def count_parts(vocabulary: Sequence[str] | None) -> Any:
    """Counter of word parts."""
    floor = 2 if vocabulary is None else 1
    library = load_library("sklearn.feature_extraction.text")
    return library.CountVectorizer(analyzer="char_wb", ngram_range=(3, 5), min_df=floor, vocabulary=vocabulary)
