"""Ids of topics: kept while the members are, new otherwise, and every change listed."""

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from schemas.journeys import Coding, Topic, TopicChange, TopicMember
from servicebench_data.journeys.registry import Registry, list_changes, list_recodings, name_topics
from servicebench_data.lake.arrow import from_records

OLD: dict[str, str | None] = {
    "a1": "airline-bags",
    "a2": "airline-bags",
    "a3": "airline-bags",
    "b1": "airline-wifi",
    "b2": "airline-wifi",
}


def make_change(topic: str, change: str, before: str | None, after: str | None) -> TopicChange:
    row = {"industry": "airline", "topic_id": topic, "change": change, "before": before, "after": after}
    return TopicChange.model_validate(row)


def make_codings(codes: dict[str, str | None]) -> pa.Table:
    rows = [
        Coding(
            industry="airline", dialogue_id=name, category_id=code, stage_id=code and "baggage", confidence=0.8,
            margin=0.5, rival_category_id=None, method="head", map_version=1,
            unassigned_reason=None if code else "low_confidence",
        )
        for name, code in codes.items()
    ]  # fmt: skip
    return from_records(Coding, rows)


def make_registry(members: dict[str, str | None], codes: dict[str, str | None]) -> Registry:
    topics = [
        Topic(
            industry="airline", topic_id=name, size=1, core_size=1, keywords=["bag"], representative_ids=["a1"],
            category_id=code, similarity=0.7, margin=0.1, rival_category_id="damaged_baggage", is_novel=code is None,
            nearest_category_id=code or "delayed_baggage", decision=None, merged_into=None, fit_count=len(members),
            embedding_model="words",
        )
        for name, code in codes.items()
    ]  # fmt: skip
    rows = [
        TopicMember(
            industry="airline", dialogue_id=dialogue, topic_id=name, found_topic_id=name, is_core=name is not None,
            note="clustered" if name else "outlier",
        )
        for dialogue, name in members.items()
    ]  # fmt: skip
    return Registry(from_records(Topic, topics), from_records(TopicMember, rows))


def test_a_topic_keeps_its_id_while_most_members_stay() -> None:
    groups = [["b1", "b2", "n1"], ["a1", "a2", "n2", "n3", "n4", "n5"]]
    assert name_topics("airline", groups, OLD) == ["airline-wifi", "airline-bags"]


def test_a_topic_of_other_members_gets_a_new_id() -> None:
    names = name_topics("airline", [["a1", "a2", "a3"], ["n1", "n2"]], OLD)
    assert names[0] == "airline-bags"
    assert names[1] not in OLD.values()


def test_of_two_halves_the_larger_keeps_the_id() -> None:
    names = name_topics("airline", [["a1"], ["a2", "a3"]], OLD)
    assert names[1] == "airline-bags"
    assert names[0] not in OLD.values()


def test_without_a_previous_build_ids_come_from_the_members_alone() -> None:
    first = name_topics("airline", [["a1", "a2"], ["b1"]], {})
    assert first == name_topics("airline", [["a2", "a1"], ["b1"]], {})
    assert first != name_topics("hotel", [["a1", "a2"], ["b1"]], {})


def test_no_topics_need_no_ids() -> None:
    assert name_topics("airline", [], OLD) == []


@given(st.lists(st.lists(st.integers(0, 40), min_size=1, max_size=8), min_size=1, max_size=8))
def test_naming_the_same_groups_again_changes_nothing(drawn: list[list[int]]) -> None:
    seen: set[int] = set()
    groups: list[list[str]] = []
    for group in drawn:
        fresh = [number for number in dict.fromkeys(group) if number not in seen]
        seen.update(fresh)
        if fresh:
            groups.append([f"d{number:02}" for number in fresh])
    names = name_topics("airline", groups, {})
    members: dict[str, str | None] = {
        dialogue: name for name, group in zip(names, groups, strict=True) for dialogue in group
    }
    assert len(set(names)) == len(groups)
    assert name_topics("airline", groups[::-1], members) == names[::-1]


def test_every_change_is_listed() -> None:
    before = make_registry(OLD, {"airline-bags": "delayed_baggage", "airline-wifi": "inflight_wifi_failures"})
    moved: dict[str, str | None] = {**OLD, "a3": "airline-new", "b1": "airline-new", "b2": "airline-new"}
    after = make_registry(moved, {"airline-bags": "damaged_baggage", "airline-new": None})
    assert list_changes("airline", before, after) == [
        make_change("airline-new", "new", None, None),
        make_change("airline-wifi", "retired", "inflight_wifi_failures", None),
        make_change("airline-bags", "recoded", "delayed_baggage", "damaged_baggage"),
        make_change("airline-bags", "moved", "3", "1"),
        make_change("airline-wifi", "moved", "2", "2"),
    ]


def test_dialogues_that_had_no_topic_and_got_one_are_listed_and_new_ones_are_not() -> None:
    codes: dict[str, str | None] = {"airline-bags": "delayed_baggage", "airline-wifi": None}
    before = make_registry({**OLD, "n1": None, "n2": None}, codes)
    joined: dict[str, str | None] = {**OLD, "n1": "airline-wifi", "n2": None, "n3": "airline-bags"}
    assert list_changes("airline", before, make_registry(joined, codes)) == [
        make_change("airline-wifi", "joined", None, "1")
    ]


def test_an_unchanged_build_has_no_changes() -> None:
    registry = make_registry(OLD, {"airline-bags": "delayed_baggage", "airline-wifi": None})
    assert list_changes("airline", registry, registry) == []


def test_an_empty_registry_is_one_in_which_everything_is_new() -> None:
    empty = Registry(from_records(Topic, []), from_records(TopicMember, []))
    registry = make_registry({"a1": "airline-bags"}, {"airline-bags": "delayed_baggage"})
    assert list_changes("airline", empty, registry) == [make_change("airline-bags", "new", None, "delayed_baggage")]
    assert isinstance(empty.topics, pa.Table)


def test_nothing_has_changed_where_there_was_no_build_before() -> None:
    registry = make_registry(OLD, {"airline-bags": "delayed_baggage"})
    assert list_changes("airline", None, registry) == []
    assert list_recodings(None, make_codings({"a1": "delayed_baggage"})) == []


CODES = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([None, "delayed_baggage", "damaged_baggage"]))


@given(CODES, CODES)
def test_just_the_dialogues_that_both_builds_know_and_code_otherwise_are_listed(
    before: dict[str, str | None], after: dict[str, str | None]
) -> None:
    found = list_recodings(make_codings(before), make_codings(after))
    expected = [name for name in sorted(before.keys() & after.keys()) if before[name] != after[name]]
    assert [row.dialogue_id for row in found] == expected
    assert all(row.before_category_id == before[row.dialogue_id] for row in found)
    assert all(row.category_id == after[row.dialogue_id] for row in found)
