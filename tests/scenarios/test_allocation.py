import math
import random

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.scenarios import BackgroundSentence, Candidate, Fact
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.scenarios.allocation import (
    Drawn,
    allocate,
    choose_split,
    draw_release,
    find_clusters,
)
from servicebench_data.scenarios.duplicates import find_groups
from servicebench_data.scenarios.members import Member, list_members

CELLS = st.tuples(st.sampled_from(["air", "food", "hotel"]), st.sampled_from(["a", "b", "c", "d", "e"]))
COUNTS = st.dictionaries(CELLS, st.integers(0, 60), max_size=15)
MEMBERS = st.lists(
    st.tuples(
        CELLS, st.sampled_from(["ann", "bob", "cy", "di"]), st.sampled_from(["lost", "Lost!", "late", "cold", ""])
    ),
    max_size=40,
)


def make_members(rows: list[tuple[tuple[str, str], str, str]]) -> list[Member]:
    return [Member(f"s{index:03}", *cell, 2, author, text, text) for index, (cell, author, text) in enumerate(rows)]


def group(members: list[Member]) -> dict[str, str]:
    """Groups of near-duplicates by their words alone."""
    return find_groups(members, np.eye(len(members), dtype=np.float32))


def draw(members: list[Member], size: int, seed: int = 7) -> list[Drawn]:
    return draw_release(members, group(members), size=size, seed=seed, evaluation_share=0.8)


@given(COUNTS, st.integers(1, 300))
def test_sum_caps_and_presence(counts: dict[tuple[str, str], int], size: int) -> None:
    given_out = allocate(counts, size)
    filled = [cell for cell, count in counts.items() if count]
    assert sum(given_out.values()) == min(size, sum(counts.values()))
    assert all(0 <= given_out[cell] <= counts[cell] for cell in filled)
    if size >= len(filled):
        assert all(given_out[cell] >= 1 for cell in filled)
    assert allocate(dict(reversed(counts.items())), size) == given_out


@given(COUNTS, st.integers(1, 300))
def test_bigger_categories_never_get_less(counts: dict[tuple[str, str], int], size: int) -> None:
    given_out = allocate(counts, size)
    for one, more in given_out.items():
        for other, less in given_out.items():
            if one[0] == other[0] and counts[one] > counts[other] and size >= len(given_out):
                assert more >= less - 1


def test_industries_share_equally_and_pass_on_what_they_cannot_use() -> None:
    counts = {("air", "a"): 1000, ("food", "a"): 1000, ("hotel", "a"): 10}
    assert allocate(counts, 300) == {("air", "a"): 145, ("food", "a"): 145, ("hotel", "a"): 10}


def test_within_an_industry_by_the_square_root() -> None:
    got = allocate({("air", "a"): 10_000, ("air", "b"): 100}, 112)
    assert got == {("air", "a"): 101, ("air", "b"): 11}
    assert math.sqrt(10_000) / math.sqrt(100) == 10


def test_too_small_a_size_serves_the_first_categories() -> None:
    assert allocate({("air", "b"): 5, ("air", "a"): 5, ("food", "a"): 5}, 2) == {
        ("air", "a"): 1, ("air", "b"): 1, ("food", "a"): 0,
    }  # fmt: skip


@given(MEMBERS, st.integers(1, 50), st.integers(0, 3), st.randoms(use_true_random=False))
def test_draw_is_determined_and_ignores_order(rows: list, size: int, seed: int, chance: random.Random) -> None:
    members = make_members(rows)
    drawn = draw(members, size, seed)
    kept = set(group(members).values())
    chance.shuffle(members)
    assert draw(members, size, seed) == drawn
    assert len({entry.scenario_id for entry in drawn}) == len(drawn) == min(size, len(kept))
    assert all(0 < entry.inclusion_probability <= 1 for entry in drawn)


@given(MEMBERS)
def test_clusters_hold_authors_and_near_duplicates_together(rows: list) -> None:
    members = make_members(rows)
    groups = group(members)
    clusters = find_clusters(members, groups)
    for one in members:
        for other in members:
            is_same_group = groups[one.scenario_id] == groups[other.scenario_id]
            if one.customer_id == other.customer_id or is_same_group:
                assert clusters[one.scenario_id] == clusters[other.scenario_id]


def test_strangers_with_other_words_are_apart() -> None:
    rows = [
        (("air", "a"), "ann", "my bag is lost"),
        (("air", "a"), "bob", "it was late"),
        (("air", "b"), "cy", "It was LATE!"),
    ]
    members = make_members(rows)
    clusters = find_clusters(members, group(members))
    assert clusters["s000"] != clusters["s001"] == clusters["s002"]


def test_one_that_is_left_out_still_joins_its_author_to_its_group() -> None:
    rows = [
        (("air", "a"), "ann", "it was late"),
        (("air", "a"), "bob", "It was LATE!"),
        (("air", "a"), "bob", "my bag is lost"),
    ]
    members = make_members(rows)
    drawn = draw(members, 3)
    assert [entry.scenario_id for entry in drawn] == ["s000", "s002"]
    assert len({entry.cluster_id for entry in drawn}) == 1


def test_split_is_fixed_and_near_its_share() -> None:
    sides = [choose_split(f"c{number}", 0.8) for number in range(2000)]
    assert sides == [choose_split(f"c{number}", 0.8) for number in range(2000)]
    assert sides.count("evaluation") / 2000 == pytest.approx(0.8, abs=0.03)


def test_a_new_candidate_moves_no_other_beyond_one_place() -> None:
    members = make_members([(("air", "a"), f"author{number}", chr(97 + number % 26) * (2 + number)) for number in
                            range(30)])  # fmt: skip
    before = {entry.scenario_id for entry in draw(members[:-1], 10)}
    after = {entry.scenario_id for entry in draw(members, 10)}
    assert len(before - after) <= 1


def test_only_valid_candidates_are_members() -> None:
    row = dict.fromkeys(Candidate.model_fields) | {
        "industry": "airline", "made_by": "offline", "category_id": "a", "stage_id": "s", "fact_count": 2,
        "customer_only_count": 0,
    }  # fmt: skip
    rows = [row | {"scenario_id": f"s{n}", "dialogue_id": f"d{n}", "is_valid": n != 1} for n in range(3)]
    tables = {
        "candidate": pa.Table.from_pylist(rows, schema=arrow_schema(Candidate)),
        "dialogue": pa.table(
            {
                "dialogue_id": ["d0", "d1", "d2"], "customer_id": ["x", "y", "z"], "customer_text": ["a", "b", None],
                "opening": ["Lost in Denver", "b", "Late"],
            }
        ),
        "background": pa.Table.from_pylist(
            [told("s0", "It was lost in Denver.", is_inferred=False), told("s0", "I am sad.", is_inferred=True)],
            schema=arrow_schema(BackgroundSentence),
        ),
        "fact": pa.Table.from_pylist([{"scenario_id": "s0", "value": "Denver"}], schema=arrow_schema(Fact)),
    }  # fmt: skip
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, table)
        members = list_members(connection)
        assert [(member.scenario_id, member.told) for member in members] == [
            ("s0", "Lost in It was lost in."), ("s2", "Late"),
        ]  # fmt: skip
        connection.register("dialogue", tables["dialogue"].slice(0, 2))
        with pytest.raises(ValueError, match="has no dialogue"):
            list_members(connection)


def told(scenario_id: str, text: str, *, is_inferred: bool) -> dict[str, object]:
    return {"scenario_id": scenario_id, "sentence_index": int(is_inferred), "text": text, "is_inferred": is_inferred}
