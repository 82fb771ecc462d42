"""Reply trees as arrays, against the plainest way of walking them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.dialogues.trees import (
    Rows,
    find_cuts,
    find_marked,
    find_stuck,
    follow,
    order_rows,
    split_levels,
)

FORESTS = st.lists(st.integers(0, 1_000_000), min_size=1, max_size=40)


def make_forest(numbers: list[int], seed: int) -> Rows:
    """A forest in which a row's parent has any number, smaller or larger."""
    plain = np.array([number % (index + 1) for index, number in enumerate(numbers)])
    names = np.random.default_rng(seed).permutation(len(numbers))
    parents = np.empty(len(numbers), np.int64)
    parents[names] = names[plain]
    return parents


def walk(parents: Rows, row: int) -> list[int]:
    """The row and all above it."""
    path = [row]
    while parents[path[-1]] != path[-1]:
        path.append(int(parents[path[-1]]))
    return path


@given(FORESTS, st.integers(0, 99))
def test_follow_leads_to_the_root(numbers: list[int], seed: int) -> None:
    parents = make_forest(numbers, seed)
    assert [walk(parents, row)[-1] for row in range(len(parents))] == follow(parents).tolist()


@given(FORESTS, st.integers(0, 99))
def test_nearest_marked_ancestor(numbers: list[int], seed: int) -> None:
    parents = make_forest(numbers, seed)
    marked = np.random.default_rng(seed).random(len(parents)) < 0.4
    for row, found in enumerate(find_marked(parents, marked)):
        path = walk(parents, row)
        assert found == next((above for above in path if marked[above]), path[-1])


@given(FORESTS, st.integers(0, 99))
def test_reading_order_is_a_walk_in_depth(numbers: list[int], seed: int) -> None:
    parents = make_forest(numbers, seed)
    children = [row for row in range(len(parents)) if parents[row] != row]
    siblings = np.array(sorted(children, key=lambda row: (parents[row], hash((row, seed)))), dtype=np.int64)
    places = order_rows(parents, siblings)
    for root in np.flatnonzero(parents == np.arange(len(parents))):
        stack, walked = [int(root)], []
        while stack:
            walked.append(stack.pop())
            stack.extend(int(row) for row in siblings[::-1] if parents[row] == walked[-1])
        assert sorted(walked, key=lambda row: places[row]) == walked


@given(FORESTS, st.integers(0, 99), st.integers(0, 3))
def test_how_many_levels_are_walked_changes_nothing(numbers: list[int], seed: int, shallow: int) -> None:
    parents = make_forest(numbers, seed)
    marked = np.random.default_rng(seed).random(len(parents)) < 0.4
    answers = np.flatnonzero(parents != np.arange(len(parents)))
    siblings = answers[np.lexsort((marked[answers], parents[answers]))]
    roots, levels = follow(parents), split_levels(parents, shallow)
    assert (follow(parents, levels) == roots).all()
    assert (find_marked(parents, marked, levels) == find_marked(parents, marked)).all()
    walked = [np.lexsort((order_rows(parents, siblings, some), roots)) for some in (levels, None)]
    assert (walked[0] == walked[1]).all()


@given(st.lists(st.integers(0, 1_000_000), min_size=1, max_size=40), st.integers(0, 99))
def test_each_cycle_is_cut_once_at_its_youngest(numbers: list[int], seed: int) -> None:
    parents = np.array(numbers) % len(numbers)
    ages = np.random.default_rng(seed).permutation(len(numbers))
    stuck = find_stuck(parents, follow(parents))
    cuts = find_cuts(parents, stuck, ages[stuck]) if len(stuck) else stuck
    mended = parents.copy()
    mended[cuts] = cuts
    assert len(find_stuck(mended, follow(mended))) == 0
    for cut in cuts:
        cycle = [int(cut)]
        while parents[cycle[-1]] != cut:
            cycle.append(int(parents[cycle[-1]]))
        assert ages[cut] == min(ages[cycle])
        assert sum(row in cuts for row in cycle) == 1


def test_a_chain_of_a_million_ends() -> None:
    parents = np.maximum(np.arange(1_000_000) - 1, 0)
    assert follow(parents).max() == 0
    places = order_rows(parents, np.arange(1, 1_000_000))
    assert (np.diff(places) == 1).all()
