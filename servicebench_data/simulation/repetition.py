"""Whether a message says much the same as an earlier one, or says one thing twice.

Belongs here: those comparisons. Not here: what follows from it.
"""

from collections.abc import Sequence
from functools import lru_cache

from servicebench_data.scenarios.sentences import split_sentences
from servicebench_data.scenarios.vocabulary import split_words

#: Share of words in common from which two messages count as the same (Jaccard).
SAME = 0.7
#: Words from which on a sentence that comes again is no refrain ("I want my bag.") but a model that goes in circles.
LONG = 8


@lru_cache(maxsize=4096)
def collect_words(message: str) -> frozenset[str]:
    """Words of a message; the same ones are held against each further message."""
    return frozenset(split_words(message))


def find_repeated(message: str, earlier: Sequence[str]) -> str | None:
    """The earlier message that this one repeats; None where it is new."""
    words = collect_words(message)
    for other in earlier:
        others = collect_words(other)
        if words and len(words & others) >= SAME * len(words | others):
            return other
    return None


def find_circle(message: str) -> str | None:
    """A long sentence that stands in the message twice, word for word; None where there is none."""
    seen: set[tuple[str, ...]] = set()
    for sentence in split_sentences(message):
        words = tuple(split_words(sentence.text))
        if len(words) >= LONG and words in seen:
            return sentence.text
        seen.add(words)
    return None
