"""Topics of an industry's complaints: found, or carried on from the previous build, and coded to the map.

Belongs here: which dialogue is in which topic, and what the tables say of it. Not here: the clustering itself
(`clusters.py`), what is taken over from the previous build (`carrying.py`), ids (`registry.py`), words (`keywords.py`).

Stored memberships are the truth. A build leaves the old dialogues where they are and puts each new one into the topic
with the nearest centre, by the same rule that reduces the outliers of a clustering. When the industry has grown by a
quarter it is clustered again, for topics that it lacks. Only with another embedding model, or where a single build
changes more than a fifth of the dialogues, does all of it begin anew, and the topics take over the ids of those that
they continue.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from schemas.industry import Industry
from schemas.journeys import Topic, TopicMember
from servicebench_data.industries import list_brand_words
from servicebench_data.journeys.arrays import Floats, Vectors, average_groups, find_nearest, list_places
from servicebench_data.journeys.carrying import carry_topics, extend_topics, has_outgrown
from servicebench_data.journeys.clusters import FEWEST, cluster_texts, sample_rows
from servicebench_data.journeys.corpus import Corpus, Placement, build_corpus
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
REPRESENTATIVES = 10


@dataclass(frozen=True)
class Topics:
    """What was found: the tables `topic` and `topic_member`, and counts for the record."""

    topic: pa.Table
    topic_member: pa.Table
    counts: dict[str, int]


def find_topics(
    dialogues: pa.Table, vectors: Vectors, industry: Industry, head: Head, previous: Registry | None = None, *,
    model: str, seed: int, min_dialogues: int,
) -> Topics:  # fmt: skip
    """Find the topics of an industry's complaints, or carry on those of the previous build.

    Args:
        dialogues: Complaints with `dialogue_id` and `customer_text`; in any order.
        vectors: Unit vector of each one's prepared customer text; a row of zeros for one without text.
        industry: The industry, for its brand words.
        head: The industry's head, for the centres of the categories.
        previous: Topics of the previous build.
        model: Key of the embedding model that made the vectors.
        seed: Seed of the reduction and of the sample that is fitted.
        min_dialogues: With fewer complaints than this, no topics are sought.
    """
    corpus = build_corpus(dialogues, vectors, industry, model)
    if corpus.filled < min_dialogues or len(corpus.vectors) < FEWEST:
        return report_too_few(industry.id, corpus)
    placed = place_dialogues(corpus, previous, seed)
    reduced = reduce_outliers(corpus, placed)
    return report_topics(industry, head, corpus, reduced, previous)


def place_dialogues(corpus: Corpus, previous: Registry | None, seed: int) -> Placement:
    """The previous build's topics, with more beside them where they were outgrown; or those of a clustering."""
    carried = carry_topics(corpus, previous)
    if carried is None or previous is None:
        return fit_topics(corpus, seed)
    if has_outgrown(corpus, carried):
        return extend_topics(corpus, carried, fit_topics(corpus, seed), previous.topic_of)
    return carried


def fit_topics(corpus: Corpus, seed: int) -> Placement:
    """Cluster the complaints, or a sample of them where there are many."""
    rows = sample_rows(corpus.vectors, seed)
    texts = [corpus.texts[row] for row in list_places(corpus.first[rows])]
    labels = np.full(len(corpus.vectors), -1, dtype=np.int64)
    labels[rows] = cluster_texts(texts, corpus.vectors[rows], seed)
    none = np.zeros(len(labels), dtype=bool)
    return Placement(labels, labels >= 0, corpus.filled, is_fitted=True, was_left=none)


def reduce_outliers(corpus: Corpus, placed: Placement) -> Placement:
    """Put outliers into the topic with the nearest centre where it is near enough, or too many would be left.

    Those that were left before are left first.
    """
    free = np.flatnonzero(placed.labels < 0)
    count = int(placed.labels.max(initial=-1)) + 1
    if not len(free) or not count:
        return placed
    nearest, cosine = find_nearest(corpus.vectors[free], find_centres(corpus, placed, count))
    order = np.lexsort((cosine, ~placed.was_left[free]))
    left = np.cumsum(corpus.weights[free][order]) <= OUTLIER_SHARE * corpus.weights.sum()
    stays = np.zeros(len(free), dtype=bool)
    stays[order] = left & (cosine[order] < NEAR)
    labels = placed.labels.copy()
    labels[free[~stays]] = nearest[~stays]
    return replace(placed, labels=labels)


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
    names = name_topics(industry.id, groups, previous.topic_of if previous else {}, placed.names)
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
    # Those that the clustering put there come first: they do not change with what is added later.
    order = np.lexsort((-(corpus.vectors[inside] @ centre), ~placed.is_core[inside]))
    nearest = inside[order][:REPRESENTATIVES]
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
        fit_count=placed.fit_count, embedding_model=corpus.model,
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
