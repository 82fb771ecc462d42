"""Topics of the previous build carried on: dialogues stay where they are, new clusters become topics beside them.

Belongs here: whether and how stored memberships are taken over. Not here: clustering (`clusters.py`), or what becomes
of dialogues that are in no topic (`topics.py`).

What the previous build stored is the truth. The cores of its topics are never taken apart: from them follow a topic's
id, centre, category and what reviewers saw of it. A new clustering only adds topics, and no build moves more than
`MOVED_SHARE` of the dialogues that it knows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from servicebench_data.journeys.arrays import Integers, list_places
from servicebench_data.journeys.corpus import Corpus, Placement
from servicebench_data.journeys.registry import Registry

# With so many times the complaints of the last clustering, or of the previous build, there is a new one.
GROWTH = 1.25
# Most of the known dialogues that the topics of a new clustering may take from where they were.
MOVED_SHARE = 0.04


def carry_topics(corpus: Corpus, previous: Registry | None) -> Placement | None:
    """The previous build's memberships, or None where nothing can be carried on.

    That is where there were no topics, another embedding model found them, or more than a fifth of what either build
    holds is not in the other.
    """
    if previous is None or not previous.topics.num_rows or previous.model not in {None, corpus.model}:
        return None
    before, core = previous.topic_of, previous.core
    known = sum(dialogue in before for dialogue in corpus.ids)
    if known * GROWTH < max(len(corpus.ids), len(before)):
        return None
    names = sorted({name for name in before.values() if name is not None})
    labels = vote_labels(corpus, before, names)
    is_core = np.zeros(len(labels), dtype=bool)
    for place, dialogue in zip(list_places(corpus.place), corpus.ids, strict=True):
        is_core[place] |= place >= 0 and dialogue in core and labels[place] >= 0
    was_left = (count_known(corpus, before) > 0) & (labels < 0)
    numbered, kept = drop_empty(labels, names)
    return Placement(numbered, is_core, previous.fit_count, is_fitted=False, was_left=was_left, names=kept)


def has_outgrown(corpus: Corpus, carried: Placement) -> bool:
    """Whether the complaints are so many more than at the last clustering that new topics are to be sought."""
    return corpus.filled > carried.fit_count * GROWTH


def extend_topics(corpus: Corpus, carried: Placement, fitted: Placement, before: Mapping[str, str | None]) -> Placement:
    """The carried topics, and beside them those new clusters of which they hold less than half in their cores.

    A new topic takes the cluster's members that are in no old core. The largest come first; one with which too many
    known dialogues would have moved is left out.

    Args:
        corpus: The complaints.
        carried: The topics carried on.
        fitted: The same complaints clustered anew.
        before: Topic of each dialogue of the previous build.
    """
    known = count_known(corpus, before)
    labels, is_core, was_left = carried.labels.copy(), carried.is_core.copy(), carried.was_left.copy()
    clusters = [np.flatnonzero(fitted.labels == label) for label in range(int(fitted.labels.max(initial=-1)) + 1)]
    left = MOVED_SHARE * known.sum()
    for members in sorted(clusters, key=lambda places: -float(corpus.weights[places].sum())):
        free = members[~carried.is_core[members]]
        moved = known[free].sum()
        if 2 * corpus.weights[free].sum() > corpus.weights[members].sum() and moved <= left:
            labels[free] = labels.max(initial=-1) + 1
            is_core[free], was_left[free] = True, False
            left -= moved
    numbered, kept = drop_empty(labels, carried.names)
    return replace(fitted, labels=numbered, is_core=is_core, was_left=was_left, names=kept)


def count_known(corpus: Corpus, before: Mapping[str, str | None]) -> Integers:
    """Dialogues of each distinct vector that the previous build knew."""
    pairs = zip(list_places(corpus.place), corpus.ids, strict=True)
    places = np.array([place for place, dialogue in pairs if place >= 0 and dialogue in before], dtype=np.int64)
    return np.bincount(places, minlength=len(corpus.vectors)).astype(np.int64)


def vote_labels(corpus: Corpus, before: Mapping[str, str | None], names: Sequence[str]) -> Integers:
    """Old topic of each distinct vector: that of most of its dialogues, ties by name."""
    number = {name: place for place, name in enumerate(names)}
    votes: dict[int, Counter[str]] = {}
    for place, dialogue in zip(list_places(corpus.place), corpus.ids, strict=True):
        name = before.get(dialogue)
        if place >= 0 and name is not None:
            votes.setdefault(place, Counter())[name] += 1
    labels = np.full(len(corpus.vectors), -1, dtype=np.int64)
    for place, counter in votes.items():
        labels[place] = number[min(counter, key=lambda name: (-counter[name], name))]
    return labels


def drop_empty(labels: Integers, names: Sequence[str]) -> tuple[Integers, tuple[str, ...]]:
    """The same labels without gaps, and the names of those that are left; labels above all names have none."""
    left, numbers = np.unique(labels[labels >= 0], return_inverse=True)
    result = labels.copy()
    result[labels >= 0] = numbers
    return result, tuple(names[label] for label in list_places(left) if label < len(names))
