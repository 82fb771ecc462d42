"""Near-duplicates are found by vectors, by words and by equality; one of a group may be released, the rest are told."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.scenarios.allocation import draw_release
from servicebench_data.scenarios.duplicates import (
    LEAST_OVERLAP,
    choose_kept,
    count_groups,
    find_groups,
    tabulate_duplicates,
)
from servicebench_data.scenarios.likeness import (
    label_groups,
    link_equal,
    link_vectors,
    link_words,
    list_words,
    measure_overlap,
    pair_words,
    thin_links,
)
from servicebench_data.scenarios.members import Member, tell_plainly

WORDS = st.sampled_from("bag lost late gate crew seat food cold rude wait".split())  # noqa: SIM905
TEXTS = st.lists(st.lists(WORDS, max_size=9).map(" ".join), max_size=25)
LINKS = st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20)
QUEUE = "we stood in a queue at the desk for the whole morning and nobody came to help us at all"
SOUP = "the soup was cold and the waiter laughed when my daughter asked for another bowl of it"


def make_member(number: int, told: str, **given: Any) -> Member:
    row = {"industry": "air", "category_id": "a", "fact_count": 2, "customer_id": f"c{number}", "customer_text": ""}
    return Member(**{"scenario_id": f"s{number:03}", **row, "told": told, **given})


def stand_apart(size: int) -> np.ndarray[Any, Any]:
    """Vectors of which no two are alike."""
    return np.eye(size, dtype=np.float32)


def group(members: list[Member]) -> dict[str, str]:
    return find_groups(members, stand_apart(len(members)))


@given(TEXTS)
def test_words_link_just_the_texts_that_share_enough_word_pairs(texts: list[str]) -> None:
    pairs = [pair_words(text) for text in texts]
    wanted = {
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if pairs[one] and pairs[other] and measure_overlap(pairs[one], pairs[other]) >= 0.8
    }
    assert set(link_words(texts, 0.8)) == wanted


@given(st.integers(0, 40), st.integers(1, 900), st.sampled_from([0.2, 0.6, 0.95]))
def test_blocks_make_the_groups_that_all_pairs_make(size: int, cells: int, least: float) -> None:
    rows = np.random.default_rng(size).normal(size=(size, 3)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    every = [(one, other) for one, other in combinations(range(size), 2) if rows[one] @ rows[other] >= least]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("servicebench_data.scenarios.likeness.BLOCK_CELLS", cells)
        links = link_vectors(rows, least)
    assert label_groups(links, size) == label_groups(every, size)
    assert len(links) <= max(0, size - 1)


@given(LINKS)
def test_thinned_links_make_the_same_groups_with_fewer_links(links: list[tuple[int, int]]) -> None:
    thin = thin_links(np.array(links, dtype=np.int64).reshape(-1, 2), 12)
    labels = label_groups(links, 12)
    assert label_groups(thin, 12) == labels
    assert len(thin) == 12 - len(set(labels))


def test_an_empty_key_links_nothing() -> None:
    assert link_equal(["", "a", "", "b", "a"]) == [(1, 4)]


def test_values_brands_and_numbers_are_taken_out() -> None:
    text = "@BrightHelp Bright lost [booking-1], my bag from Denver: 3 hours and $50.20 gone"
    told = tell_plainly(text, ["Denver", "3 hours"], ["Bright", "BrightHelp"])
    assert list_words(told) == ["lost", "my", "bag", "from", "and", "gone"]
    assert not set(told) & set("@[]0123456789")
    assert tell_plainly("50 Denver", ["Denver"], []) == ""


def test_swapped_values_make_a_near_duplicate() -> None:
    pairs = (("Denver", "3 hours"), ("Boston", "5 hours"))
    texts = [tell_plainly(f"{QUEUE} in {place} for {time}", [place, time], []) for place, time in pairs]
    groups = group([make_member(0, texts[0]), make_member(1, texts[1]), make_member(2, SOUP)])
    assert groups == {"s000": "s000", "s001": "s000", "s002": "s002"}


def test_vectors_alone_are_enough() -> None:
    members = [make_member(0, QUEUE), make_member(1, SOUP), make_member(2, "the seat was broken")]
    vectors = stand_apart(3)
    vectors[1] = [0.9, np.sqrt(1 - 0.81), 0.0]
    assert find_groups(members, vectors) == {"s000": "s000", "s001": "s000", "s002": "s002"}


def test_equal_words_of_the_customer_are_enough_whatever_was_made_of_them() -> None:
    rows = ((QUEUE, "Lost my bag, 3 DAYS!"), (SOUP, "lost my bag 20 days"), ("seat broken", ""), ("wifi gone", ""))
    members = [make_member(number, told, customer_text=text) for number, (told, text) in enumerate(rows)]
    assert group(members) == {"s000": "s000", "s001": "s000", "s002": "s002", "s003": "s003"}


def test_the_one_of_the_rarest_category_is_kept_then_the_richest_then_the_first() -> None:
    rare = [make_member(0, QUEUE), make_member(1, QUEUE, category_id="b"), make_member(2, SOUP)]
    assert choose_kept(rare, group(rare)) == {"s000": "s001", "s002": "s002"}
    rich = [make_member(0, QUEUE), make_member(1, QUEUE, fact_count=5), make_member(2, QUEUE, fact_count=5)]
    assert choose_kept(rich, group(rich)) == {"s000": "s001"}


@given(TEXTS, st.integers(1, 30))
def test_all_valid_candidates_are_drawn_not_drawn_or_left_out(texts: list[str], size: int) -> None:
    members = [make_member(number, text) for number, text in enumerate(texts)]
    vectors = stand_apart(len(members))
    groups = find_groups(members, vectors)
    rows = tabulate_duplicates(members, vectors, groups).to_pylist()
    drawn = [entry.scenario_id for entry in draw_release(members, groups, size=size, seed=1, evaluation_share=0.8)]
    left_out = {row["scenario_id"] for row in rows}
    assert len({groups[entry] for entry in drawn}) == len(drawn) == min(size, len(members) - len(left_out))
    assert not left_out & set(drawn)
    assert count_groups(groups)["near-duplicates left out"] == len(left_out)
    for row in rows:
        assert groups[row["scenario_id"]] == groups[row["kept_scenario_id"]]
        assert row["kept_scenario_id"] not in left_out


def test_a_row_says_how_alike_the_two_are() -> None:
    members = [make_member(0, QUEUE), make_member(1, QUEUE.replace("morning", "evening"))]
    vectors = stand_apart(2)
    (row,) = tabulate_duplicates(members, vectors, find_groups(members, vectors)).to_pylist()
    assert (row["scenario_id"], row["kept_scenario_id"], row["cosine"]) == ("s001", "s000", 0.0)
    assert LEAST_OVERLAP <= row["overlap"] < 1
