"""What people decide on topics and dialogues: it holds while the item does, says so when not, and can be withdrawn."""

from functools import cache
from typing import Any

import pyarrow as pa
import pytest

from schemas.journeys import Coding, Recoding, Topic, TopicMember
from schemas.review import Override
from servicebench_data.journeys.deciding import CodingTables, TopicTables, apply_to_codings, apply_to_topics
from servicebench_data.journeys.decisions import Decisions, digest_topics, load_decisions, settle_topics
from servicebench_data.journeys.maps import map_stages
from servicebench_data.journeys.registry import Registry
from servicebench_data.lake.arrow import arrow_schema, from_records, to_records
from servicebench_data.lake.store import Lake
from servicebench_data.review.overrides import merge_overrides
from tests.journeys.words import airline
from tests.review.items import decide

TOPICS = {"t1": ["d1", "d2", "d3"], "t2": ["d4", "d5"], "t3": ["d6"]}
STAGES = map_stages(airline())


@cache
def embeddings() -> pa.Table:
    names = [f"d{number}" for number in range(1, 8)]
    return pa.table({"dialogue_id": names, "text_sha256": [f"{number:064x}" for number in range(1, 8)]})


@cache
def found() -> TopicTables:
    """Three topics of three, two and one dialogues; a seventh dialogue is in none."""
    topics = [
        Topic(
            industry="airline", topic_id=name, size=len(ids), core_size=len(ids), keywords=["bag"],
            representative_ids=ids, category_id=None if name == "t3" else "delayed_baggage",
            nearest_category_id="delayed_baggage", similarity=0.6, margin=0.1, rival_category_id="damaged_baggage",
            is_novel=name == "t3", decision=None, merged_into=None, fit_count=7,
            embedding_model="words",
        )
        for name, ids in TOPICS.items()
    ]  # fmt: skip
    members = [describe_member(dialogue, topic) for topic, ids in TOPICS.items() for dialogue in ids]
    return TopicTables(from_records(Topic, topics), from_records(TopicMember, [*members, describe_member("d7", None)]))


def describe_member(dialogue: str, topic: str | None) -> TopicMember:
    return TopicMember(
        industry="airline", dialogue_id=dialogue, topic_id=topic, found_topic_id=topic, is_core=topic is not None,
        note="clustered" if topic else "outlier",
    )  # fmt: skip


@cache
def coded() -> pa.Table:
    """What the head said: delayed baggage of every dialogue, and of the last one nothing."""
    rows = [
        Coding(
            industry="airline", dialogue_id=f"d{number}",
            category_id="delayed_baggage" if number < 7 else None, stage_id="baggage" if number < 7 else None,
            confidence=0.6, margin=0.2, rival_category_id="damaged_baggage", method="head",
            unassigned_reason=None if number < 7 else "low_confidence", map_version=1,
        )
        for number in range(1, 8)
    ]  # fmt: skip
    return from_records(Coding, rows)


def on_topic(topic: str, action: str, value: str = "", **given: Any) -> Override:
    digests = digest_topics(*found(), embeddings())
    keys = {"kind": "topic", "industry": "airline", "item_sha256": digests.get(topic, "c" * 64)}
    return decide(topic, action, value, **{**keys, **given})


def on_dialogue(dialogue: str, action: str, value: str = "", **given: Any) -> Override:
    keys = {"kind": "dialogue", "industry": "airline", "item_sha256": f"{int(dialogue[1:]):064x}"}
    return decide(dialogue, action, value, **{**keys, **given})


def apply(*overrides: Override) -> tuple[TopicTables, CodingTables]:
    decisions = Decisions(
        {entry.item_id: entry for entry in overrides if entry.kind == "topic"},
        {entry.item_id: entry for entry in overrides if entry.kind == "dialogue"},
    )
    topics = apply_to_topics(found(), embeddings(), decisions, airline())
    return topics, apply_to_codings(coded(), topics, embeddings(), decisions, airline())


def index(table: pa.Table, key: str) -> dict[str, dict[str, Any]]:
    return {row[key]: row for row in table.to_pylist()}


def outcomes(codings: CodingTables) -> dict[str, tuple[str, int]]:
    return {row["item_id"]: (row["outcome"], row["dialogue_count"]) for row in codings.recoding.to_pylist()}


def test_without_decisions_nothing_changes() -> None:
    topics, codings = apply()
    assert topics == found()
    assert codings.coding.equals(coded())
    assert codings.recoding.schema == arrow_schema(Recoding)
    assert codings.recoding.num_rows == 0


def test_a_recoded_topic_and_all_its_dialogues_get_the_category() -> None:
    topics, codings = apply(on_topic("t1", "recode", "baggage_theft"))
    row = index(topics.topic, "topic_id")["t1"]
    assert (row["category_id"], row["decision"], row["is_novel"]) == ("baggage_theft", "recode", False)
    assert row["nearest_category_id"] == "delayed_baggage"
    rows = index(codings.coding, "dialogue_id")
    for name in TOPICS["t1"]:
        assert (rows[name]["category_id"], rows[name]["stage_id"]) == ("baggage_theft", STAGES["baggage_theft"])
        assert (rows[name]["method"], rows[name]["confidence"], rows[name]["margin"]) == ("override", None, None)
        assert rows[name]["rival_category_id"] == "delayed_baggage"
    assert {rows[name]["method"] for name in ("d4", "d5", "d6", "d7")} == {"head"}
    assert outcomes(codings) == {"t1": ("applied", 3)}


def test_a_dialogues_own_decision_comes_before_its_topics() -> None:
    _, codings = apply(
        on_topic("t1", "recode", "baggage_theft"),
        on_dialogue("d2", "recode", "damaged_baggage"),
        on_dialogue("d7", "recode", "tarmac_holds"),
    )
    rows = index(codings.coding, "dialogue_id")
    assert [rows[name]["category_id"] for name in ("d1", "d2", "d7")] == [
        "baggage_theft", "damaged_baggage", "tarmac_holds",
    ]  # fmt: skip
    assert rows["d7"]["unassigned_reason"] is None
    assert outcomes(codings) == {"d2": ("applied", 1), "d7": ("applied", 1), "t1": ("applied", 2)}


def test_what_is_no_complaint_leaves_with_the_reason() -> None:
    topics, codings = apply(on_topic("t2", "not_a_complaint"), on_dialogue("d1", "not_a_complaint"))
    assert index(topics.topic, "topic_id")["t2"]["category_id"] is None
    rows = index(codings.coding, "dialogue_id")
    for name in ("d1", "d4", "d5"):
        assert (rows[name]["category_id"], rows[name]["stage_id"]) == (None, None)
        assert (rows[name]["unassigned_reason"], rows[name]["method"]) == ("not_a_complaint", "override")


def test_a_merged_topic_counts_in_the_other_and_follows_it() -> None:
    topics, codings = apply(on_topic("t2", "merge", "t1"), on_topic("t1", "recode", "baggage_theft"))
    rows = index(topics.topic, "topic_id")
    assert (rows["t2"]["merged_into"], rows["t2"]["category_id"], rows["t2"]["size"]) == ("t1", "baggage_theft", 2)
    assert (rows["t1"]["size"], rows["t1"]["core_size"]) == (5, 5)
    members = index(topics.topic_member, "dialogue_id")
    assert (members["d4"]["topic_id"], members["d4"]["found_topic_id"]) == ("t1", "t2")
    coding = index(codings.coding, "dialogue_id")
    assert [coding[name]["category_id"] for name in ("d1", "d4")] == ["baggage_theft", "baggage_theft"]
    assert outcomes(codings) == {"t1": ("applied", 5), "t2": ("applied", 2)}


def test_merges_in_a_row_end_in_the_last_and_merges_in_a_circle_are_refused() -> None:
    topics, _ = apply(on_topic("t3", "merge", "t2"), on_topic("t2", "merge", "t1"))
    assert index(topics.topic, "topic_id")["t3"]["merged_into"] == "t1"
    assert index(topics.topic_member, "dialogue_id")["d6"]["topic_id"] == "t1"
    circle, codings = apply(on_topic("t3", "merge", "t2"), on_topic("t2", "merge", "t3"))
    assert circle.topic_member.equals(found().topic_member)
    assert outcomes(codings) == {"t2": ("refused", 0), "t3": ("refused", 0)}


def test_the_next_build_starts_from_the_topics_as_they_were_found() -> None:
    topics, _ = apply(on_topic("t2", "merge", "t1"))
    assert Registry(topics.topic, topics.topic_member).topic_of["d4"] == "t2"
    old = found().topic_member.drop_columns(["found_topic_id"])
    assert Registry(found().topic, old).topic_of["d4"] == "t2"


def test_a_proposal_is_reported_and_changes_no_coding() -> None:
    topics, codings = apply(on_topic("t3", "propose", "Lounge Access"))
    row = index(topics.topic, "topic_id")["t3"]
    assert (row["decision"], row["category_id"], row["is_novel"]) == ("propose", None, True)
    assert codings.coding.equals(coded())
    assert codings.recoding.to_pylist()[0]["value"] == "Lounge Access"
    assert outcomes(codings) == {"t3": ("proposal", 0)}


@pytest.mark.parametrize(
    ("override", "outcome"),
    [
        (on_topic("t1", "recode", "baggage_theft", item_sha256="d" * 64), "stale"),
        (on_topic("t9", "recode", "baggage_theft"), "missing"),
        (on_topic("t1", "recode", "no_longer_in_the_map"), "refused"),
        (on_topic("t1", "merge", "t9"), "refused"),
        (on_topic("t1", "keep"), "kept"),
        (on_dialogue("d1", "recode", "baggage_theft", item_sha256="d" * 64), "stale"),
        (on_dialogue("d1", "recode", "no_longer_in_the_map"), "refused"),
        (on_dialogue("d1", "keep"), "kept"),
        (on_dialogue("d99", "not_a_complaint"), "missing"),
    ],
)
def test_what_no_longer_holds_is_flagged_and_changes_nothing(override: Override, outcome: str) -> None:
    topics, codings = apply(override)
    assert topics.topic.equals(found().topic)
    assert topics.topic_member.equals(found().topic_member)
    assert codings.coding.equals(coded())
    row = codings.recoding.to_pylist()[0]
    assert (row["outcome"], row["dialogue_count"]) == (outcome, 0)
    assert (row["author"], row["reason"]) == (override.author, override.reason)


def test_new_dialogues_in_a_topic_leave_a_decision_on_it_standing() -> None:
    before = digest_topics(*found(), embeddings())
    more = pa.concat_tables([embeddings(), pa.table({"dialogue_id": ["d0"], "text_sha256": ["e" * 64]})])
    assert digest_topics(*found(), more) == before
    assert settle_topics({"t1": on_topic("t1", "keep")}, before, list(STAGES)) == {"t1": "kept"}
    rows = [row.model_copy(update={"representative_ids": [*row.representative_ids, "d7"]})
            for row in to_records(Topic, found().topic)]  # fmt: skip
    assert digest_topics(from_records(Topic, rows), found().topic_member, more) == before, "d7 is in no core"


def test_decisions_of_another_industry_are_not_read(lake: Lake) -> None:
    merge_overrides(lake.overrides, [on_topic("t1", "keep"), on_topic("h1", "keep", industry="hotel")])
    decisions = load_decisions(lake.overrides, "airline")
    assert list(decisions.topics) == ["t1"]
    assert decisions.digest != load_decisions(lake.overrides, "hotel").digest
    assert decisions.digest[1] == Decisions().digest[1]
