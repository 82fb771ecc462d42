"""Topics of an industry's complaints: found, or carried on from the previous build, and coded to the map.

Belongs here: which dialogue is in which topic, and what the tables say of it. Not here: the clustering itself
(`clusters.py`), ids (`registry.py`), words (`keywords.py`).

Stored memberships are the truth. A build that brings few new dialogues leaves the old ones where they are and puts each
new one into the topic with the nearest centre, by the same rule that reduces the outliers of a fit; only when the
industry has grown by a quarter is it fitted anew, and the new topics take over the ids of those that they continue.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.industry import Industry
from schemas.journeys import Topic, TopicMember
from servicebench_data.embeddings import prepare_text
from servicebench_data.industries import list_brand_words
from servicebench_data.journeys.arrays import Floats, Integers, Vectors, average_groups, find_nearest, list_places
from servicebench_data.journeys.clusters import FEWEST, cluster_texts, sample_rows
from servicebench_data.journeys.head import Head
from servicebench_data.journeys.keywords import rank_keywords
from servicebench_data.journeys.outliers import OUTLIER_SHARE
from servicebench_data.journeys.registry import Registry, name_topics
from servicebench_data.lake.arrow import from_records

# An outlier joins the topic with the nearest centre at this cosine; where more than `OUTLIER_SHARE` of the dialogues
# would be left, the nearest of them join too.
NEAR = 0.45
# A topic whose centre is farther than this from every category's centre fits none.
NOVEL = 0.55
GROWTH = 1.25
REPRESENTATIVES = 10


@dataclass(frozen=True)
class Topics:
    """What was found: the tables `topic` and `topic_member`, and counts for the record."""

    topic: pa.Table
    topic_member: pa.Table
    counts: dict[str, int]


@dataclass(frozen=True)
class Corpus:
    """Complaints with text, equal vectors as one.

    Attributes:
        ids: Dialogue of each row, ascending.
        texts: Prepared text of each row.
        place: Distinct vector of each row; -1 for a dialogue without text.
        vectors: The distinct vectors, in an order that depends on nothing but them.
        first: A row of each distinct vector.
    """

    ids: list[str]
    texts: list[str]
    place: Integers
    vectors: Vectors
    first: Integers

    @property
    def weights(self) -> Floats:
        """Dialogues of each distinct vector."""
        return np.bincount(self.place[self.place >= 0], minlength=len(self.vectors)).astype(np.float64)


@dataclass(frozen=True)
class Placement:
    """Topic of each distinct vector (-1: none), whether the clustering put it there, and how many were fitted then."""

    labels: Integers
    is_core: NDArray[np.bool_]
    fit_count: int
    is_fitted: bool


def find_topics(
    dialogues: pa.Table, vectors: Vectors, industry: Industry, head: Head, previous: Registry | None = None, *,
    seed: int, min_dialogues: int,
) -> Topics:  # fmt: skip
    """Find the topics of an industry's complaints, or carry on those of the previous build.

    Args:
        dialogues: Complaints with `dialogue_id` and `customer_text`; in any order.
        vectors: Unit vector of each one's prepared customer text; a row of zeros for one without text.
        industry: The industry, for its brand words.
        head: The industry's head, for the centres of the categories.
        previous: Topics of the previous build.
        seed: Seed of the reduction and of the sample that is fitted.
        min_dialogues: With fewer complaints than this, no topics are sought.
    """
    corpus = build_corpus(dialogues, vectors, industry)
    if (corpus.place >= 0).sum() < min_dialogues or len(corpus.vectors) < FEWEST:
        return report_too_few(industry.id, corpus)
    placed = carry_topics(corpus, previous) or fit_topics(corpus, seed)
    reduced = reduce_outliers(corpus, placed)
    return report_topics(industry, head, corpus, reduced, previous)


def build_corpus(dialogues: pa.Table, vectors: Vectors, industry: Industry) -> Corpus:
    """Complaints by id, with equal vectors joined."""
    ids = cast("list[str]", dialogues["dialogue_id"].to_pylist())
    order = np.argsort(np.array(ids, dtype=object), kind="stable").astype(np.int64)
    brands = list_brand_words(industry)
    raw = cast("list[str]", dialogues["customer_text"].to_pylist())
    texts = [prepare_text(raw[row], brands) for row in list_places(order)]
    rows = np.ascontiguousarray(vectors[order], dtype=np.float32)
    has_text = np.array([bool(text) for text in texts], dtype=bool) & (np.abs(rows).sum(axis=1) > 0)
    distinct, first, inverse = np.unique(rows[has_text], axis=0, return_index=True, return_inverse=True)
    place = np.full(len(ids), -1, dtype=np.int64)
    place[has_text] = inverse.reshape(-1)
    return Corpus(
        [ids[row] for row in list_places(order)],
        texts,
        place,
        distinct,
        np.flatnonzero(has_text)[first].astype(np.int64),
    )


def fit_topics(corpus: Corpus, seed: int) -> Placement:
    """Cluster the complaints, or a sample of them where there are many."""
    rows = sample_rows(corpus.vectors, seed)
    texts = [corpus.texts[row] for row in list_places(corpus.first[rows])]
    labels = np.full(len(corpus.vectors), -1, dtype=np.int64)
    labels[rows] = cluster_texts(texts, corpus.vectors[rows], seed)
    return Placement(labels, labels >= 0, int((corpus.place >= 0).sum()), is_fitted=True)


def carry_topics(corpus: Corpus, previous: Registry | None) -> Placement | None:
    """The previous build's memberships, or None where there were none or the industry has changed too much since."""
    if previous is None or not previous.topics.num_rows:
        return None
    fit_count = int(cast("int", previous.topics["fit_count"][0].as_py()))
    before, core = previous.topic_of, previous.core
    count = int((corpus.place >= 0).sum())
    known = sum(dialogue in before for dialogue in corpus.ids)
    if not fit_count / GROWTH <= count <= fit_count * GROWTH or known * GROWTH < count:
        return None
    names = sorted({name for name in before.values() if name is not None})
    labels = vote_labels(corpus, before, names)
    is_core = np.zeros(len(labels), dtype=bool)
    for place, dialogue in zip(list_places(corpus.place), corpus.ids, strict=True):
        is_core[place] |= place >= 0 and dialogue in core and labels[place] >= 0
    return Placement(drop_empty(labels), is_core, fit_count, is_fitted=False)


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


def drop_empty(labels: Integers) -> Integers:
    """The same labels without gaps."""
    _, numbers = np.unique(labels[labels >= 0], return_inverse=True)
    result = labels.copy()
    result[labels >= 0] = numbers
    return result


def reduce_outliers(corpus: Corpus, placed: Placement) -> Placement:
    """Put outliers into the topic with the nearest centre where it is near enough, or too many would be left."""
    free = np.flatnonzero(placed.labels < 0)
    count = int(placed.labels.max(initial=-1)) + 1
    if not len(free) or not count:
        return placed
    nearest, cosine = find_nearest(corpus.vectors[free], find_centres(corpus, placed, count))
    order = np.argsort(cosine, kind="stable")
    left = np.cumsum(corpus.weights[free][order]) <= OUTLIER_SHARE * corpus.weights.sum()
    stays = np.zeros(len(free), dtype=bool)
    stays[order] = left & (cosine[order] < NEAR)
    labels = placed.labels.copy()
    labels[free[~stays]] = nearest[~stays]
    return Placement(labels, placed.is_core, placed.fit_count, placed.is_fitted)


def find_centres(corpus: Corpus, placed: Placement, count: int) -> Floats:
    """Centre of each topic: of its core, or of all its members where no core is left."""
    core = average_groups(corpus.vectors, np.where(placed.is_core, placed.labels, -1), count)
    every = average_groups(corpus.vectors, placed.labels, count)
    return np.where(np.abs(core).sum(axis=1, keepdims=True) > 0, core, every)


def report_too_few(industry: str, corpus: Corpus) -> Topics:
    """Tables that say that no topics were sought."""
    members = [
        TopicMember(
            industry=industry,
            dialogue_id=name,
            topic_id=None,
            found_topic_id=None,
            is_core=False,
            note="too_few_dialogues",
        )
        for name in corpus.ids
    ]
    counts = {"dialogues": len(corpus.ids), "too_few_dialogues": len(corpus.ids), "topics": 0}
    return Topics(from_records(Topic, []), from_records(TopicMember, members), counts)


def report_topics(
    industry: Industry, head: Head, corpus: Corpus, placed: Placement, previous: Registry | None
) -> Topics:
    """Tables and counts of the topics."""
    count = int(placed.labels.max(initial=-1)) + 1
    labels = np.where(corpus.place >= 0, placed.labels[corpus.place], -1)
    groups = [[corpus.ids[row] for row in list_places(np.flatnonzero(labels == topic))] for topic in range(count)]
    names = name_topics(industry.id, groups, previous.topic_of if previous else {})
    members = list_members(industry.id, corpus, placed, names)
    topics = describe_topics(industry, head, corpus, placed, names)
    counts = count_topics(corpus, placed, topics, names, previous)
    return Topics(from_records(Topic, topics), from_records(TopicMember, members), counts)


def list_members(industry: str, corpus: Corpus, placed: Placement, names: Sequence[str]) -> list[TopicMember]:
    """A row for each dialogue, by id."""
    rows: list[TopicMember] = []
    for dialogue, place in zip(corpus.ids, list_places(corpus.place), strict=True):
        label = int(placed.labels[place]) if place >= 0 else -1
        is_core = label >= 0 and bool(placed.is_core[place])
        note = "clustered" if is_core else "reduced" if label >= 0 else "outlier"
        topic = names[label] if label >= 0 else None
        keys = {"industry": industry, "dialogue_id": dialogue, "topic_id": topic, "found_topic_id": topic}
        rows.append(TopicMember.model_validate({**keys, "is_core": is_core, "note": note}))
    return rows


def describe_topics(
    industry: Industry, head: Head, corpus: Corpus, placed: Placement, names: Sequence[str]
) -> list[Topic]:
    """A row for each topic, largest first."""
    centres = find_centres(corpus, placed, len(names))
    core = np.flatnonzero(placed.is_core)
    texts = [corpus.texts[row] for row in list_places(corpus.first[core])]
    words = rank_keywords(texts, placed.labels[core], len(names), list_brand_words(industry))
    rows = [
        describe_topic(industry.id, head, corpus, placed, label, name=name, centre=centres[label], words=words[label])
        for label, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: (-row.size, row.topic_id))


def describe_topic(
    industry: str, head: Head, corpus: Corpus, placed: Placement, label: int, *,
    name: str, centre: Floats, words: list[str],
) -> Topic:  # fmt: skip
    """The row of one topic, coded to the category with the nearest centre."""
    inside = np.flatnonzero(placed.labels == label)
    # Those that the clustering put there stand for the topic: they do not change with what is added later.
    core = inside[placed.is_core[inside]]
    core = core if len(core) else inside
    nearest = core[np.argsort(-(corpus.vectors[core] @ centre), kind="stable")][:REPRESENTATIVES]
    cosine = head.centres @ centre
    best, rival = list_places(np.argsort(-cosine, kind="stable")[:2])
    is_novel = bool(cosine[best] < NOVEL)
    return Topic(
        industry=industry, topic_id=name, size=int(corpus.weights[inside].sum()),
        core_size=int(corpus.weights[inside][placed.is_core[inside]].sum()), keywords=words,
        representative_ids=[corpus.ids[row] for row in list_places(corpus.first[nearest])],
        category_id=None if is_novel else head.category_ids[best], nearest_category_id=head.category_ids[best],
        similarity=float(np.clip(cosine[best], -1, 1)), margin=float(np.clip(cosine[best] - cosine[rival], 0, 2)),
        rival_category_id=head.category_ids[rival], is_novel=is_novel, decision=None, merged_into=None,
        fit_count=placed.fit_count,
    )  # fmt: skip


def count_topics(
    corpus: Corpus, placed: Placement, topics: Sequence[Topic], names: Sequence[str], previous: Registry | None
) -> dict[str, int]:
    """Counts for the record: before and after the reduction, and what became of the previous build's topics."""
    old = {name for name in (previous.topic_of.values() if previous else ()) if name is not None}
    weights = corpus.weights
    return {
        "dialogues": len(corpus.ids),
        "distinct_texts": len(corpus.vectors),
        "no_text": int((corpus.place < 0).sum()),
        "outliers_before": int(weights[~placed.is_core].sum()),
        "outliers": int(weights[placed.labels < 0].sum()),
        "topics": len(topics),
        "novel_topics": sum(topic.is_novel for topic in topics),
        "kept_topics": len(old & set(names)),
        "new_topics": len(set(names) - old),
        "retired_topics": len(old - set(names)),
        "is_fitted_anew": int(placed.is_fitted),
    }
