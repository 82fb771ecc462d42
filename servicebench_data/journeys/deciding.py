"""What follows from people's decisions for the tables of topics and codings.

Belongs here: applying decisions that hold. Not here: whether they do (`decisions.py`).

A topic's own decision is about every dialogue in it; a dialogue's own decision is about it alone and comes first. A
merge points one topic at another: its dialogues count there and follow what is decided there. What the clustering found
stays in `found_topic_id` and `nearest_category_id`, so that a decision can be withdrawn.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import pyarrow as pa

from schemas.industry import Industry
from schemas.journeys import Coding, Embedding, Recoding, Topic, TopicMember
from servicebench_data.journeys.decisions import (
    DIALOGUE,
    NOT_A_COMPLAINT,
    TOPIC,
    Decisions,
    Outcomes,
    Overrides,
    digest_dialogues,
    digest_topics,
    find_target,
    is_merge,
    load_decisions,
    settle_dialogues,
    settle_topics,
)
from servicebench_data.journeys.maps import map_stages
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.store import Lake


class TopicTables(NamedTuple):
    """The tables `topic` and `topic_member`."""

    topic: pa.Table
    topic_member: pa.Table


class CodingTables(NamedTuple):
    """The tables `coding` and `recoding`."""

    coding: pa.Table
    recoding: pa.Table


def apply_to_topics(found: TopicTables, embeddings: pa.Table, decisions: Decisions, industry: Industry) -> TopicTables:
    """The tables with the decisions on topics in them.

    Args:
        found: The topics as they were found.
        embeddings: Table `embedding` of the industry.
        decisions: What people decided.
        industry: The industry with its map.
    """
    digests = digest_topics(*found, embeddings)
    outcomes = settle_topics(decisions.topics, digests, list(map_stages(industry)))
    topics = decide_topics(found.topic, decisions.topics, outcomes)
    return TopicTables(topics, decide_members(found.topic_member, topics))


def apply_to_codings(
    codings: pa.Table, topics: TopicTables, embeddings: pa.Table, decisions: Decisions, industry: Industry
) -> CodingTables:
    """The codings with what people decided, and what became of each decision.

    Args:
        codings: The head's codings.
        topics: The topics with the decisions on them.
        embeddings: Table `embedding` of the industry.
        decisions: What people decided.
        industry: The industry with its map.
    """
    stages = map_stages(industry)
    of_topics = settle_topics(decisions.topics, digest_topics(*topics, embeddings), list(stages))
    of_dialogues = settle_dialogues(decisions.dialogues, digest_dialogues(embeddings), list(stages))
    verdicts = find_verdicts(topics.topic, topics.topic_member, decisions, of_dialogues)
    counts = count_followers(decisions, of_topics, verdicts, topics.topic_member)
    return CodingTables(
        decide_codings(codings, verdicts, stages), report_decisions(decisions, of_topics, of_dialogues, counts)
    )


def review_topics(lake: Lake, industry: Industry) -> pa.Table:
    """What became of the decisions on an industry's topics, as rows of `recoding`, before any coding."""
    topics, members = lake.read(Topic, industry.id), lake.read(TopicMember, industry.id)
    decisions = Decisions(load_decisions(lake.overrides, industry.id).topics)
    digests = digest_topics(topics, members, lake.read(Embedding, industry.id))
    outcomes = settle_topics(decisions.topics, digests, list(map_stages(industry)))
    verdicts = find_verdicts(topics, members, decisions, {})
    return report_decisions(decisions, outcomes, {}, count_followers(decisions, outcomes, verdicts, members))


def decide_topics(topics: pa.Table, decisions: Overrides, outcomes: Outcomes) -> pa.Table:
    """Table `topic` with the decisions in it; the table itself where there are none."""
    if not decisions:
        return topics
    rows = {row.topic_id: row for row in to_records(Topic, topics)}
    targets = {name: decisions[name].value for name, outcome in outcomes.items() if is_merge(decisions[name], outcome)}
    ends = {name: find_target(name, targets) or name for name in rows}
    decided = {name: row.model_copy(update=describe_decision(row, decisions, outcomes)) for name, row in rows.items()}
    sizes, cores = Counter[str](), Counter[str]()
    for name, row in rows.items():
        sizes[ends[name]] += row.size
        cores[ends[name]] += row.core_size
    for name, end in ends.items():
        if name != end:
            target = decided[end]
            update = {"merged_into": end, "category_id": target.category_id, "is_novel": target.is_novel}
            decided[name] = decided[name].model_copy(update=update)
        elif sizes[name] != rows[name].size:
            decided[name] = decided[name].model_copy(update={"size": sizes[name], "core_size": cores[name]})
    names = sorted(decided, key=lambda name: (-decided[name].size, name))
    return from_records(Topic, [decided[name] for name in names])


def describe_decision(topic: Topic, decisions: Overrides, outcomes: Outcomes) -> dict[str, Any]:
    """What a decision changes in a topic's own row."""
    override = decisions.get(topic.topic_id)
    if override is None or outcomes[topic.topic_id] not in {"applied", "proposal"}:
        return {}
    changes: dict[str, Any] = {"decision": override.action}
    if override.action == "recode":
        changes |= {"category_id": override.value, "is_novel": False}
    elif override.action == NOT_A_COMPLAINT:
        changes |= {"category_id": None, "is_novel": False}
    return changes


def decide_members(members: pa.Table, topics: pa.Table) -> pa.Table:
    """Table `topic_member` with merged topics in place of those that were found."""
    names = cast("list[str]", topics["topic_id"].to_pylist())
    merged = {
        name: target
        for name, target in zip(names, topics["merged_into"].to_pylist(), strict=True)
        if target is not None
    }
    if not merged:
        return members
    rows = to_records(TopicMember, members)
    return from_records(
        TopicMember,
        [row.model_copy(update={"topic_id": merged.get(row.found_topic_id or "", row.found_topic_id)}) for row in rows],
    )


@dataclass(frozen=True)
class Verdict:
    """What a person decided on a coding: a category, or none for no complaint; and the decision's kind and item."""

    category_id: str | None
    kind: str
    item_id: str


def find_verdicts(topics: pa.Table, members: pa.Table, decisions: Decisions, outcomes: Outcomes) -> dict[str, Verdict]:
    """Verdict on each dialogue that some decision is about.

    Args:
        topics: Table `topic` with its decisions.
        members: Table `topic_member`.
        decisions: The decisions.
        outcomes: What became of those on dialogues.
    """
    columns = ("topic_id", "decision", "category_id")
    rows = zip(*(cast("list[str | None]", topics[name].to_pylist()) for name in columns), strict=True)
    of_topic = {
        str(name): Verdict(category, TOPIC, str(name))
        for name, decision, category in rows
        if decision in {"recode", NOT_A_COMPLAINT}
    }
    pairs = zip(
        cast("list[str]", members["dialogue_id"].to_pylist()),
        cast("list[str | None]", members["topic_id"].to_pylist()),
        strict=True,
    )
    verdicts = {dialogue: of_topic[topic] for dialogue, topic in pairs if topic in of_topic}
    for dialogue, override in decisions.dialogues.items():
        if outcomes[dialogue] == "applied":
            category = override.value if override.action == "recode" else None
            verdicts[dialogue] = Verdict(category, DIALOGUE, dialogue)
    return verdicts


def decide_codings(codings: pa.Table, verdicts: Mapping[str, Verdict], stages: Mapping[str, str]) -> pa.Table:
    """Table `coding` in which the verdicts stand in place of what the head said.

    Args:
        codings: The head's codings.
        verdicts: Verdict on each dialogue that has one.
        stages: Stage of each category.
    """
    if not verdicts:
        return codings
    rows = to_records(Coding, codings)
    return from_records(Coding, [override_coding(row, verdicts.get(row.dialogue_id), stages) for row in rows])


def override_coding(coding: Coding, verdict: Verdict | None, stages: Mapping[str, str]) -> Coding:
    """A coding as a person decided it, if one did; what the head thought most likely stays visible as the rival."""
    if verdict is None:
        return coding
    category = verdict.category_id
    rival = coding.rival_category_id if coding.category_id == category else coding.category_id
    return coding.model_copy(
        update={
            "category_id": category,
            "stage_id": None if category is None else stages[category],
            "confidence": None,
            "margin": None,
            "rival_category_id": rival if rival != category else None,
            "method": "override",
            "unassigned_reason": "not_a_complaint" if category is None else None,
        }
    )


def count_followers(
    decisions: Decisions, topics: Outcomes, verdicts: Mapping[str, Verdict], members: pa.Table
) -> Counter[tuple[str, str]]:
    """Dialogues whose coding follows from each decision, or for a merge whose topic does, by kind and item."""
    counts = Counter((verdict.kind, verdict.item_id) for verdict in verdicts.values())
    found = Counter(cast("list[str | None]", members["found_topic_id"].to_pylist()))
    merged = [name for name, override in decisions.topics.items() if is_merge(override, topics[name])]
    counts.update({(TOPIC, name): found[name] for name in merged})
    return counts


def report_decisions(
    decisions: Decisions, topics: Outcomes, dialogues: Outcomes, counts: Mapping[tuple[str, str], int]
) -> pa.Table:
    """Table `recoding`: every decision that counts, with what became of it and how many dialogues follow."""
    rows = [
        Recoding(
            **override.model_dump(exclude={"value", "cell"}),
            value=override.value or None,
            outcome=outcomes[item],
            dialogue_count=counts.get((kind, item), 0),
        )
        for kind, overrides, outcomes in ((DIALOGUE, decisions.dialogues, dialogues), (TOPIC, decisions.topics, topics))
        for item, override in sorted(overrides.items())
    ]
    return from_records(Recoding, rows)
