"""Reply trees as arrays: roots, nearest marked ancestors and reading order.

Belongs here: functions on arrays of row numbers. Most trees are a few answers deep, and are walked level by level; what
lies deeper is reached by pointer doubling, a fixed number of whole-array steps for every doubling of a tree's depth, so
that a thread of a million answers ends as surely as one of three. Not here: posts, authors, accounts.

A forest is an array `parents`: `parents[i]` is the row of i's parent, and i itself for a root.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64]
Flags = NDArray[np.bool_]

SHALLOW = 24


class Levels(NamedTuple):
    """The rows of a forest by their depth.

    Attributes:
        steps: For each depth below the roots, down to some depth, the rows that lie there and their parents.
        deep: The rows further down, and those that reach no root.
    """

    steps: list[tuple[Rows, Rows]]
    deep: Rows


def split_levels(parents: Rows, shallow: int = SHALLOW) -> Levels:
    """Return the rows of a forest by their depth, down to `shallow`."""
    is_settled = parents == np.arange(len(parents))
    waiting = np.flatnonzero(~is_settled)
    above = parents[waiting]
    steps: list[tuple[Rows, Rows]] = []
    while len(waiting) and len(steps) < shallow:
        is_next = is_settled[above]
        rows = waiting[is_next]
        steps.append((rows, above[is_next]))
        waiting, above = waiting[~is_next], above[~is_next]
        is_settled[rows] = True
    return Levels(steps, waiting)


def follow(pointers: Rows, levels: Levels | None = None) -> Rows:
    """Return for each row the fixed point that its pointers lead to; on the way into a cycle, some other row.

    Args:
        pointers: For each row another one or itself.
        levels: Levels of a forest in which each row points to its parent or itself; those of `pointers` by default.
    """
    levels = levels or split_levels(pointers)
    ends = pointers.copy()
    for rows, _ in levels.steps:
        ends[rows] = ends[pointers[rows]]
    active = levels.deep
    # Reads at random places cost most of the time here, so each step reads once: what lies one reach further on.
    further = ends[ends[active]]
    for _ in range(len(active).bit_length() + 1):
        open_ends = further != ends[active]
        active, further = active[open_ends], further[open_ends]
        if not len(active):
            break
        ends[active] = further
        further = ends[further]
    return ends


def find_stuck(parents: Rows, ends: Rows) -> Rows:
    """Return the rows that reach no root: those on cycles and those that hang from one.

    Args:
        parents: Forest that may hold cycles.
        ends: What `follow` made of it.
    """
    return np.flatnonzero(parents[ends] != ends)


def find_cuts(parents: Rows, stuck: Rows, ages: Rows) -> Rows:
    """Return of each cycle the row with the smallest age, which a caller makes a root.

    Args:
        parents: Forest that may hold cycles.
        stuck: Rows that `find_stuck` returned.
        ages: Unique rank of each of them.
    """
    position = np.full(len(parents), -1, np.int64)
    position[stuck] = np.arange(len(stuck))
    pointers = position[parents[stuck]]
    youngest = ages
    for _ in range(len(stuck).bit_length() + 1):
        youngest = np.minimum(youngest, youngest[pointers])
        pointers = pointers[pointers]
    # After so many steps a pointer stands inside its cycle, and the minimum gathered from there is the cycle's own.
    ranks = np.unique(youngest[pointers])
    order = np.argsort(ages)
    return stuck[order[np.searchsorted(ages, ranks, sorter=order)]]


def find_marked(parents: Rows, marked: Flags, levels: Levels | None = None) -> Rows:
    """Return for each row its nearest marked ancestor, or itself where it is marked; a root where there is none."""
    return follow(np.where(marked, np.arange(len(parents)), parents), levels)


def order_rows(parents: Rows, siblings: Rows, levels: Levels | None = None) -> Rows:
    """Return each row's place in reading order: a row before its answers, each answer's subtree whole.

    Args:
        parents: Forest without cycles.
        siblings: All rows that have a parent; the answers to one row stand together, in reading order.
        levels: Levels of the forest.

    Returns:
        Places that increase along each tree; places of different trees do not compare.
    """
    levels = levels or split_levels(parents)
    # In a tree that is not deep, a row stands behind its parent and the whole subtrees of its elder siblings.
    sizes = np.ones(len(parents), np.int64)
    for rows, above in reversed(levels.steps):
        np.add.at(sizes, above, sizes[rows])
    gaps = measure_gaps(parents, siblings, sizes)
    places = np.zeros(len(parents), np.int64)
    for rows, above in levels.steps:
        places[rows] = places[above] + gaps[rows]
    if len(levels.deep):
        roots = follow(parents, levels)
        is_deep = np.zeros(len(parents), np.bool_)
        is_deep[roots[levels.deep]] = True
        order_deep(parents, siblings, is_deep[roots], places)
    return places


def measure_gaps(parents: Rows, siblings: Rows, sizes: Rows) -> Rows:
    """Return how far behind its parent each of the siblings stands, given the sizes of their subtrees."""
    gaps = np.zeros(len(parents), np.int64)
    owner = parents[siblings]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    ends = np.cumsum(sizes[siblings])
    begins = ends - sizes[siblings]
    gaps[siblings] = 1 + begins - np.repeat(begins[starts], np.diff(starts, append=len(owner)))
    return gaps


def order_deep(parents: Rows, siblings: Rows, is_deep: Flags, places: Rows) -> None:
    """Put the places of the rows of deep trees into `places`."""
    rows = np.flatnonzero(is_deep)
    position = np.full(len(parents), -1, np.int64)
    position[rows] = np.arange(len(rows))
    following = list_following(position[parents[rows]], position[siblings[is_deep[siblings]]])
    places[rows] = measure_distance(following)


def list_following(parents: Rows, siblings: Rows) -> Rows:
    """Return for each row the one that is read next; the end of a tree points to itself."""
    rows = np.arange(len(parents))
    first_child, next_sibling = link_siblings(parents, siblings)
    # Where the reader goes after a whole subtree: to the next sibling of the nearest row upwards that has one.
    last = next_sibling < 0
    climb = follow(np.where(last & (parents != rows), parents, rows))
    after = np.where(next_sibling[climb] >= 0, next_sibling[climb], rows)
    return np.where(first_child >= 0, first_child, after)


def link_siblings(parents: Rows, siblings: Rows) -> tuple[Rows, Rows]:
    """Return each row's first child and next sibling, -1 for none."""
    first_child = np.full(len(parents), -1, np.int64)
    next_sibling = np.full(len(parents), -1, np.int64)
    if len(siblings):
        owner = parents[siblings]
        same = owner[1:] == owner[:-1]
        next_sibling[siblings[:-1][same]] = siblings[1:][same]
        starts = np.concatenate([[True], ~same])
        first_child[owner[starts]] = siblings[starts]
    return first_child, next_sibling


def measure_distance(following: Rows) -> Rows:
    """Return minus the number of steps from each row to the end of its list."""
    pointers = following.copy()
    active = np.arange(len(pointers))
    reached, further = pointers, pointers[pointers]
    distance = (pointers != active).astype(np.int64)
    while True:
        is_open = further != reached
        active, reached, further = active[is_open], reached[is_open], further[is_open]
        if not len(active):
            return -distance
        # All reads come before all writes, so one step doubles every row's reach.
        gained = distance[reached]
        distance[active] += gained
        pointers[active] = further
        reached, further = further, pointers[further]
