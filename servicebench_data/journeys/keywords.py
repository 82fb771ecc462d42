"""Keywords of topics: class-based TF-IDF over the topics' core texts with our own words-that-count.

Belongs here: which words can be keywords and how they are ranked. Not here: finding topics (`topics.py`).
"""

import re
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers

KEYWORD_COUNT = 10
# Not words of the customer: mask tokens, handles, links, entities.
NOISE = re.compile(r"\[[a-z_]+(?:-\d+)?\]|[@#]\w+|https?://\S+|www\.\S+|&\w+;", re.IGNORECASE)
WORD = r"(?u)\b[a-z][a-z]+(?:['’][a-z]+)?\b"
# Frequent in every complaint on X, beyond scikit-learn's English list.
FILLER = frozenset(
    """
    ain ain't aint amp aren can't cant couldn couldn't couldnt did didn didn't didnt does doesn doesn't doesnt doing don
    don't dont dm dms gonna gotta got get gets getting going gone guys hadn hasn haven haven't havent hello help hey hi
    how's i'd i'll i'm i've isn isn't isnt it's its it’s i’m i’ve id im ive just know let's let like ll lol make need ok
    okay omg one please pls plz put re really right said say says should shouldn shouldn't sorry still sure tell thank
    thanks that's that’s thats the them there's thing things think they're they've told trying u ur ve very wanna want
    wasn wasn't wasnt way we're we've were weren what's why will won won't wont wouldn wouldn't wouldnt wtf ya yeah yes
    yet you're you've youre can’t didn’t don’t won’t doesn’t isn’t wasn’t haven’t couldn’t wouldn’t you’re we’re they’re
    today yesterday now day days time new good bad great love use used
    """.split()
)


def rank_keywords(texts: Sequence[str], topics: Integers, count: int, stop: Sequence[str]) -> list[list[str]]:
    """Most telling words of each topic by c-TF-IDF, best first.

    Args:
        texts: Core texts of the topics.
        topics: Topic of each text, from 0 to `count` - 1.
        count: Number of topics.
        stop: Words that cannot be keywords besides the general ones: brands, handles.
    """
    joined = [" ".join(texts[row] for row in np.flatnonzero(topics == topic)) for topic in range(count)]
    cleaned = [NOISE.sub(" ", text).lower() for text in joined]
    if not any(re.search(WORD, text) for text in cleaned):
        return [[] for _ in range(count)]
    weights, names = weigh_words(cleaned, [*FILLER, *split_words(stop)])
    return [pick_words(row, names) for row in weights]


def split_words(phrases: Sequence[str]) -> list[str]:
    """The single words of brand names and handles, lower case, with and without possessive."""
    words = {word for phrase in phrases for word in re.findall(r"[a-z0-9'’&]+", phrase.lower())}
    words |= {phrase.lower().replace(" ", "") for phrase in phrases}
    return sorted(words | {f"{word}'s" for word in words} | {f"{word}’s" for word in words})


def weigh_words(documents: Sequence[str], stop: Sequence[str]) -> tuple[Floats, list[str]]:
    """c-TF-IDF weight of each word in each document, and the words."""
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer  # noqa: PLC0415

    ignored = sorted(set(cast("frozenset[str]", ENGLISH_STOP_WORDS)) | set(stop))
    vectorizer: Any = CountVectorizer(token_pattern=WORD, stop_words=None)
    analyse = vectorizer.build_analyzer()
    vectorizer = CountVectorizer(analyzer=WordFilter(analyse, frozenset(ignored)))
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
    order = sorted(np.flatnonzero(weights > 0), key=lambda place: (-weights[place], names[place]))
    return [names[place] for place in order[:KEYWORD_COUNT]]
