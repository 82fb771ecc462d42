"""A text's words and word parts as numbers: what the learned reader sees of a sentence.

Belongs here: counting and weighing them. Not here: what they say (`reader.py`), or learning it (`learning.py`).

Words, their pairs and triples carry the wording, parts of words its slips and endings. Each is counted under the
checksum of its letters, so there is no vocabulary to keep, and a part that no example held adds next to nothing.
"""

import re
import zlib
from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

#: Places under which words and parts are counted; several may share one.
BUCKETS = 1 << 16
#: Longest run of words, shortest and longest part of a word.
MAX_WORDS, MIN_PART, MAX_PART = 3, 2, 5

Numbers = NDArray[np.float32]
Places = NDArray[np.int64]

_WORD = re.compile(r"\w+|[?!\[\]$£€]")


def list_runs(words: list[str]) -> Iterator[bytes]:
    """Words, and runs of neighbours."""
    for length in range(1, MAX_WORDS + 1):
        yield from (" ".join(words[start : start + length]).encode() for start in range(len(words) - length + 1))


def list_parts(text: str) -> Iterator[bytes]:
    """Parts of words, with the blanks that they begin or end at."""
    for word in text.split():
        padded = f" {word} "
        spans = [
            (start, start + length)
            for length in range(MIN_PART, MAX_PART + 1)
            for start in range(max(1, len(padded) - length + 1))
        ]
        if padded.isascii():
            letters = padded.encode()
            yield from (letters[start:end] for start, end in spans)
        else:
            yield from (padded[start:end].encode() for start, end in spans)


def place_features(names: Iterator[bytes], mark: bytes) -> tuple[Places, Numbers]:
    """Places of features of one sort, and how much each counts: less with every time that it occurs again."""
    first = zlib.crc32(mark)
    counts = Counter([zlib.crc32(name, first) % BUCKETS for name in names])
    places = np.fromiter(counts, dtype=np.int64, count=len(counts))
    return places, 1 + np.log(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))


def weigh_text(text: str, rarity: Numbers) -> tuple[Places, Numbers]:
    """Features of a text with their weights; words as a whole weigh as much as parts, however long the text.

    Args:
        text: In the one spelling of `spelling.py`.
        rarity: How rare each place is among the examples.
    """
    sorts = [place_features(list_runs(_WORD.findall(text)), b"w"), place_features(list_parts(text), b"p")]
    weights = [scale(amounts * rarity[places]) for places, amounts in sorts]
    return np.concatenate([places for places, _ in sorts]), np.concatenate(weights)


def scale(weights: Numbers) -> Numbers:
    """Weights scaled to length one; none stay none."""
    length = float(np.sqrt(np.dot(weights, weights)))
    return weights / length if length else weights
