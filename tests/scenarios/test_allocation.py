import math
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.scenarios import Candidate
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.scenarios.allocation import (
    Member,
    allocate,
    choose_split,
    draw_release,
    find_clusters,
    list_members,
    normalise_text,
)

CELLS = st.tuples(st.sampled_from(["air", "food", "hotel"]), st.sampled_from(["a", "b", "c", "d", "e"]))
COUNTS = st.dictionaries(CELLS, st.integers(0, 60), max_size=15)
MEMBERS = st.lists(
    st.tuples(
        CELLS, st.sampled_from(["ann", "bob", "cy", "di"]), st.sampled_from(["lost", "Lost!", "late", "cold", ""])
    ),
    max_size=40,
)


def make_members(rows: list[tuple[tuple[str, str], str, str]]) -> list[Member]:
    return [Member(f"s{index:03}", *cell, author, text) for index, (cell, author, text) in enumerate(rows)]


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
    drawn = draw_release(members, size=size, seed=seed, evaluation_share=0.8)
    chance.shuffle(members)
    assert draw_release(members, size=size, seed=seed, evaluation_share=0.8) == drawn
    assert len({entry.scenario_id for entry in drawn}) == len(drawn) == min(size, len(members))
    assert all(0 < entry.inclusion_probability <= 1 for entry in drawn)


@given(MEMBERS)
def test_clusters_hold_authors_and_equal_texts_together(rows: list) -> None:
    members = make_members(rows)
    clusters = find_clusters(members)
    for one in members:
        for other in members:
            if one.customer_id == other.customer_id or normalise_text(one.customer_text) == normalise_text(
                other.customer_text
            ):
                assert clusters[one.scenario_id] == clusters[other.scenario_id]


def test_strangers_with_other_words_are_apart() -> None:
    rows = [
        (("air", "a"), "ann", "my bag is lost"),
        (("air", "a"), "bob", "it was late"),
        (("air", "b"), "cy", "It was LATE!"),
    ]
    clusters = find_clusters(make_members(rows))
    assert clusters["s000"] != clusters["s001"] == clusters["s002"]


def test_split_is_fixed_and_near_its_share() -> None:
    sides = [choose_split(f"c{number}", 0.8) for number in range(2000)]
    assert sides == [choose_split(f"c{number}", 0.8) for number in range(2000)]
    assert sides.count("evaluation") / 2000 == pytest.approx(0.8, abs=0.03)


def test_a_new_candidate_moves_no_other_beyond_one_place() -> None:
    members = make_members([(("air", "a"), f"author{number}", f"text {number} x") for number in range(30)])
    before = {entry.scenario_id for entry in draw_release(members[:-1], size=10, seed=7, evaluation_share=0.8)}
    after = {entry.scenario_id for entry in draw_release(members, size=10, seed=7, evaluation_share=0.8)}
    assert len(before - after) <= 1


def test_only_valid_candidates_are_members() -> None:
    row = dict.fromkeys(Candidate.model_fields) | {
        "industry": "air", "made_by": "offline", "category_id": "a", "stage_id": "s", "fact_count": 2,
        "customer_only_count": 0,
    }  # fmt: skip
    rows = [row | {"scenario_id": f"s{n}", "dialogue_id": f"d{n}", "is_valid": n != 1} for n in range(3)]
    candidates = pa.Table.from_pylist(rows, schema=arrow_schema(Candidate))
    dialogues = pa.table(
        {"dialogue_id": ["d0", "d1", "d2"], "customer_id": ["x", "y", "z"], "customer_text": ["a", "b", None]}
    )
    assert [member.scenario_id for member in list_members(candidates, dialogues)] == ["s0", "s2"]
    with pytest.raises(ValueError, match="has no dialogue"):
        list_members(candidates, dialogues.slice(0, 2))
