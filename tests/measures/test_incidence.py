"""Cumulative outcomes: by hand, turn by turn, and with intervals that hold the truth."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.measures_statistics import CumulativeOutcome
from servicebench_data.journeys.arrays import Floats, load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.clustered import draw_counts
from servicebench_data.measures.incidence import CAUSES, Ends, accumulate, count_ends, estimate_curve, make_incidence
from tests.measures.worlds import EXPERIMENT, World, is_covered

TURNS = 6


def accumulate_once(turn: list[int], cause: list[int]) -> Floats:
    """Incidence by turn and cause, each conversation its own cluster."""
    ends = Ends(np.array(turn), np.array(cause), np.arange(len(turn)))
    return accumulate(count_ends(ends, TURNS, len(turn)).sum(axis=0).reshape(TURNS, -1))


def accumulate_plainly(turn: list[int], cause: list[int]) -> Floats:
    """The same turn by turn: of those still there, who ends how; after the last one nothing is added."""
    ends, staying, found = list(zip(turn, cause, strict=True)), 1.0, np.zeros((TURNS, len(CAUSES)))
    for place in range(TURNS):
        found[place] = found[place - 1] if place else 0
        at_risk = sum(when > place for when in turn)
        hazards = [ends.count((place + 1, number)) / max(at_risk, 1) for number in range(len(CAUSES))]
        found[place] += np.array(hazards) * staying
        staying *= 1 - sum(hazards)
    return found


def test_what_is_censored_leaves_the_risk_without_an_event() -> None:
    found = accumulate_once([1, 2, 2, 3, 4], [0, -1, 1, 0, -1])
    # At risk: 5, 4, 2, 1. Agreed at 1 of 5; disengaged at 2 of 4 times 4/5; agreed at 3 of 2 times 3/4 of 4/5.
    assert found[:4, 0] == pytest.approx([1 / 5, 1 / 5, 1 / 5 + 3 / 10, 1 / 2])
    assert found[:4, 1] == pytest.approx([0, 1 / 5, 1 / 5, 1 / 5])


@given(st.lists(st.tuples(st.integers(1, TURNS), st.integers(-1, 2)), min_size=2, max_size=40))
@settings(max_examples=60)
def test_incidence_is_that_of_going_turn_by_turn(rows: list[tuple[int, int]]) -> None:
    turn, cause = (list(column) for column in zip(*rows, strict=True))
    found = accumulate_once(turn, cause)
    assert found == pytest.approx(accumulate_plainly(turn, cause), abs=1e-9)
    assert (np.diff(found, axis=0) >= 0).all()
    assert (found.sum(axis=1) <= 1 + 1e-9).all()


def test_without_early_censoring_it_is_the_share(tmp_path: Path) -> None:
    world = World()
    for scenario, (end, turns) in enumerate(
        [("agreed", 1), ("agreed", 3), ("disengaged", 2), ("capped", 4), ("failed", 1), ("invalid", 1)]
    ):
        world.add("a", scenario, exchanges=turns, end=end)
    with world.open(tmp_path) as connection:
        rows = to_records(CumulativeOutcome, make_incidence(connection, EXPERIMENT))
    found = {(row.turn, row.outcome): row for row in rows}
    assert len(rows) == 4 * len(CAUSES)
    assert [found[turn, "agreed"].incidence for turn in (1, 2, 3, 4)] == pytest.approx([0.2, 0.2, 0.4, 0.4])
    assert [found[turn, "disengaged"].incidence for turn in (1, 2)] == pytest.approx([0, 0.2])
    assert found[4, "failed"].incidence == pytest.approx(0.2)
    assert [found[turn, "agreed"].at_risk for turn in (1, 2, 3, 4)] == [5, 3, 2, 1]
    assert {(row.n, row.clusters) for row in rows} == {(5, 5)}


def test_where_all_or_none_ended_so_the_interval_is_not_empty() -> None:
    ends = Ends(np.full(40, 2), np.zeros(40, dtype=np.int64), np.repeat(np.arange(20), 2))
    curve = estimate_curve(ends, 2, np.vstack([np.ones(20), draw_counts(20, 200, 1)]))
    other = load_library("statsmodels.stats.proportion").proportion_confint(0, 20, method="wilson")
    assert (curve.incidence[0, 0], curve.low[0, 0], curve.high[0, 0]) == pytest.approx((0, *other))
    assert (curve.incidence[1, 0], curve.high[1, 0]) == pytest.approx((1, 1))
    assert not curve.is_bootstrapped.any()


def test_one_dialogue_has_no_interval(tmp_path: Path) -> None:
    with World().add("a", 0, exchanges=2).add("a", 0, repeat=1, exchanges=1).open(tmp_path) as connection:
        rows = to_records(CumulativeOutcome, make_incidence(connection, EXPERIMENT))
    assert {(row.low, row.high, row.interval) for row in rows} == {(None, None, "none")}


@pytest.mark.slow
def test_bootstrapped_intervals_hold_the_truth() -> None:
    random, clusters, size = np.random.default_rng(4), 60, 3
    weights = np.vstack([np.ones(clusters), draw_counts(clusters, 200, 1)])
    places, held = np.repeat(np.arange(clusters), size), []
    for _ in range(1000):
        # A dialogue that is easy agrees early and often; the rest leaves, or is cut off at the cap.
        easy = np.repeat(random.random(clusters) < 0.5, size)
        cause = np.where(random.random(clusters * size) < np.where(easy, 0.8, 0.3), 0, 1)
        turn = random.integers(1, np.where(easy, 3, 6))
        cause = np.where(turn == TURNS - 1, -1, cause)
        curve = estimate_curve(Ends(turn, cause, places), TURNS, weights)
        held.append((curve.low[1, 0], curve.high[1, 0]))
    low, high = np.array(held).T
    assert 0.93 <= is_covered(low, high, 0.5 * 0.8 + 0.5 * 0.3 * 2 / 5) <= 0.97
