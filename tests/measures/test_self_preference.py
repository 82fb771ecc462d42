"""Self-preference against people: the planted size comes back, by as sure an interval as it says, and never unrated."""

from pathlib import Path

import numpy as np
import pytest

from schemas.measures_ratings import SelfPreference
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.panels import Flags
from servicebench_data.measures.self_preference import UNRATED, compare, make_self_preference
from tests.measures.worlds import EXPERIMENT, World, is_covered

PEOPLE = {"Ann": (3, 3, 3), "Bo": (3, 3, 3)}


def draw(seed: int, favour: float, clusters: int = 30) -> tuple[Floats, Flags, Integers]:
    """A strict judge less three people, on four agents of which the first is of its family, in two styles."""
    random = np.random.default_rng(seed)
    cluster, agent, _ = (entry.ravel() for entry in np.indices((clusters, 4, 2)))
    quality = 0.8 * (agent == 0) + random.normal(0, 1, clusters)[cluster]  # its own family's is the better one
    view = random.normal(0, 0.5, clusters)[cluster] + random.normal(0, 0.3, (clusters, 4))[cluster, agent]
    judge = quality - 0.7 + view + random.normal(0, 0.5, len(agent)) + favour * (agent == 0)
    people = quality[:, None] + random.normal(0, 0.7, (len(agent), 3))
    return judge - people.mean(axis=1), agent == 0, cluster


def test_a_planted_favour_is_found_at_its_size_beside_merit_and_strictness() -> None:
    found = compare(*draw(1, favour=0.5, clusters=600))
    assert found.difference == pytest.approx(0.5, abs=3 * found.standard_error)
    assert found.standard_error < 0.04
    assert found.other_bias == pytest.approx(-0.7, abs=0.08)
    assert found.p < 1e-6


def test_intervals_hold_the_favour_and_p_is_uniform_where_there_is_none() -> None:
    found = [compare(*draw(seed, favour=0.0)) for seed in range(1000)]
    low, high = np.array([(entry.low, entry.high) for entry in found]).T
    assert 0.93 <= is_covered(low, high, 0.0) <= 0.97
    assert load_library("scipy.stats").kstest([entry.p for entry in found], "uniform").pvalue > 0.01


def test_it_is_the_difference_of_the_mean_gaps() -> None:
    gaps, is_own, clusters = draw(2, favour=0.3)
    found = compare(gaps, is_own, clusters)
    assert (found.own_bias, found.other_bias) == (
        pytest.approx(gaps[is_own].mean()),
        pytest.approx(gaps[~is_own].mean()),
    )
    assert found.difference == pytest.approx(found.own_bias - found.other_bias)
    assert (found.low + found.high) / 2 == pytest.approx(found.difference)


def read_rows(world: World, folder: Path) -> dict[tuple[str, str], SelfPreference]:
    with world.open(folder) as connection:
        rows = to_records(SelfPreference, make_self_preference(connection, EXPERIMENT))
    return {(row.judge, row.dimension): row for row in rows}


def play(scenarios: int, rated: int) -> World:
    """Judge `one` gives agent a, of its family, a point more than people do, `two` as people do but for a little."""
    world = World()
    for scenario in range(scenarios):
        for agent in "ab":
            off = scenario % 2
            scores = {"one": (3 + (agent == "a"), 3 + off, 3), "two": (3, 3 - off, 3), "rules": (5, 5, 5)}
            people = PEOPLE if scenario < rated else {}
            world.add(agent, scenario, scores, own=("one",) if agent == "a" else (), rated=people)
    return world


def test_each_model_judge_has_a_row_and_figures_where_its_family_was_rated(tmp_path: Path) -> None:
    found = read_rows(play(12, rated=10), tmp_path)
    assert {judge for judge, _ in found} == {"one", "two"}
    row = found["one", "total"]
    assert (row.family, row.own_transcripts, row.other_transcripts, row.clusters) == ("one", 10, 10, 10)
    assert row.difference == pytest.approx(1 / 3)
    assert row.own_bias == pytest.approx(1 / 3 + 1 / 6)
    assert found["one", "interactional"].difference == 1
    assert found["one", "interactional"].label == "judge and people are as far apart everywhere"
    assert found["two", "total"].label == "no rated agent is of its family"
    assert found["two", "total"].difference is None


def test_without_ratings_nothing_is_said_and_why(tmp_path: Path) -> None:
    found = read_rows(play(12, rated=0), tmp_path)
    assert {(row.difference, row.p, row.own_transcripts, row.label) for row in found.values()} == {
        (None, None, 0, UNRATED)
    }


def test_few_source_dialogues_have_a_difference_and_no_interval(tmp_path: Path) -> None:
    row = read_rows(play(12, rated=9), tmp_path)["one", "total"]
    assert row.difference is not None
    assert (row.low, row.p, row.p_adjusted) == (None, None, None)
    assert row.label == "fewer than 10 rated source dialogues on one side"
