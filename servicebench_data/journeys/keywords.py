"""Keywords of topics: class-based TF-IDF over the topics' core texts with our own words-that-count.

Belongs here: which words can be keywords and how they are ranked. Not here: finding topics (`topics.py`).
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from servicebench_data.journeys.arrays import Floats, Integers, list_places, load_library

KEYWORD_COUNT = 10
# Not words of the customer: mask tokens, handles, links, entities.
NOISE = re.compile(r"\[[a-z_]+(?:-\d+)?\]|[@#]\w+|https?://\S+|www\.\S+|&\w+;", re.IGNORECASE)
WORD = r"(?u)\b[a-z][a-z]+(?:['’][a-z]+)?\b"
FILLER_FILE = Path(__file__).parent / "filler.yaml"


def rank_keywords(texts: Sequence[str], topics: Integers, count: int, stop: Sequence[str]) -> list[list[str]]:
    """Most telling words of each topic by c-TF-IDF, best first.

    Args:
        texts: Core texts of the topics.
        topics: Topic of each text, from 0 to `count` - 1.
        count: Number of topics.
        stop: Words that cannot be keywords besides the general ones: brands, handles.
    """
    joined = [" ".join(texts[row] for row in list_places(np.flatnonzero(topics == topic))) for topic in range(count)]
    cleaned = [NOISE.sub(" ", text).lower() for text in joined]
    if not any(re.search(WORD, text) for text in cleaned):
        return [[] for _ in range(count)]
    weights, names = weigh_words(cleaned, [*read_filler(), *split_words(stop)])
    return [pick_words(row, names) for row in weights]


@cache
def read_filler() -> list[str]:
    """Words of no matter."""
    return str(yaml.safe_load(FILLER_FILE.read_text(encoding="utf-8"))["words"]).split()


def split_words(phrases: Sequence[str]) -> list[str]:
    """The single words of brand names and handles, lower case, with and without possessive."""
    words = {word for phrase in phrases for word in re.findall(r"[a-z0-9'’&]+", phrase.lower())}
    words |= {phrase.lower().replace(" ", "") for phrase in phrases}
    return sorted(words | {f"{word}'s" for word in words} | {f"{word}’s" for word in words})


def weigh_words(documents: Sequence[str], stop: Sequence[str]) -> tuple[Floats, list[str]]:
    """c-TF-IDF weight of each word in each document, and the words."""
    library = load_library("sklearn.feature_extraction.text")
    ignored = frozenset(library.ENGLISH_STOP_WORDS) | frozenset(stop)
    analyse = library.CountVectorizer(token_pattern=WORD).build_analyzer()
    vectorizer = library.CountVectorizer(analyzer=WordFilter(analyse, ignored))
    try:
        counts: Any = vectorizer.fit_transform(documents).toarray().astype(np.float64)
    except ValueError:
        # Every word was a stop word.
        return np.zeros((len(documents), 0)), []
    names = [str(name) for name in vectorizer.get_feature_names_out()]
    frequency = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    rarity = np.log1p(counts.sum() / len(documents) / counts.sum(axis=0))
    return frequency * rarity, names


class WordFilter:
    """A vectorizer's analyzer without the ignored words."""

    def __init__(self, analyse: Any, ignored: frozenset[str]) -> None:
        """Wrap an analyzer."""
        self.analyse = analyse
        self.ignored = ignored

    def __call__(self, text: str) -> list[str]:
        """Words of the text that count."""
        return [word for word in self.analyse(text) if word not in self.ignored]


def pick_words(weights: Floats, names: Sequence[str]) -> list[str]:
    """Words of positive weight, heaviest first, equal ones by name."""
    order = sorted(list_places(np.flatnonzero(weights > 0)), key=lambda place: (-weights[place], names[place]))
    return [names[place] for place in order[:KEYWORD_COUNT]]
