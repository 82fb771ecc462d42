"""Planning: Miller's formula for many dialogues, and a plan that keeps its promise when it is carried out."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from servicebench_data.journeys.arrays import Floats, load_library
from servicebench_data.measures.clustered import estimate_means
from servicebench_data.measures.inference import find_p
from servicebench_data.measures.power import (
    Aim,
    Noise,
    PowerError,
    count_scenarios,
    detectable,
    find_spread,
    measure_noise,
    plan_power,
)
from tests.measures.worlds import EXPERIMENT, World

TRUTH = Noise(0.3, 0.2, 1.0, 100, 100, 2.0, True, 0.05, 99.0, 0.0)


def test_many_dialogues_are_millers_formula() -> None:
    normal = load_library("scipy.stats").norm.ppf
    reach = normal(0.975) + normal(0.8)
    spread = 0.3 + (0.2 + 1.0 / 3) / 2
    assert find_spread(TRUTH, 3) == pytest.approx(np.sqrt(spread))
    assert count_scenarios(TRUTH, Aim(0.02), 0.05) == pytest.approx(reach**2 * spread / 0.02**2, rel=0.001)
    assert detectable(TRUTH._replace(freedom=99999.0), 0.8, 0.05) == pytest.approx(reach * 0.05, rel=0.001)


def test_scenarios_that_share_a_dialogue_are_worth_less() -> None:
    assert count_scenarios(TRUTH._replace(scenarios=150), Aim(0.1), 0.05) == pytest.approx(
        1.5 * count_scenarios(TRUTH, Aim(0.1), 0.05), abs=1.5
    )


def test_a_smaller_difference_or_more_surety_takes_more_and_repeats_take_less() -> None:
    base = count_scenarios(TRUTH, Aim(0.2), 0.05)
    assert count_scenarios(TRUTH, Aim(0.1), 0.05) > 3.5 * base
    assert count_scenarios(TRUTH, Aim(0.2, power=0.95), 0.05) > base
    assert count_scenarios(TRUTH, Aim(0.2), 0.01) > base
    assert count_scenarios(TRUTH, Aim(0.2, repeats=9), 0.05) < base
    assert count_scenarios(TRUTH._replace(dialogues=0, cells=0, runs=0), Aim(0.2), 0.05) == 3
    assert np.isnan(detectable(TRUTH._replace(standard_error=0.0), 0.8, 0.05))


def draw_scores(seed: int, clusters: int, repeats: int, difference: float) -> pa.Table:
    """Two agents, two styles: scores with the noise of `TRUTH` between them, and much that they share."""
    random = np.random.default_rng(seed)
    cluster, style, repeat, agent = (entry.ravel() for entry in np.indices((clusters, 2, repeats, 2)))
    shared = random.normal(0, 1, clusters)[cluster] + random.normal(0, 0.5, clusters * 2)[cluster * 2 + style]
    own = (
        random.normal(0, np.sqrt(0.3), clusters)[cluster]
        + random.normal(0, np.sqrt(0.2), clusters * 2)[cluster * 2 + style]
    )
    total = shared + agent * (own + difference) + random.normal(0, np.sqrt(0.5), len(cluster))
    return pa.table({
        "scenario_id": [f"s{place}" for place in cluster], "cluster_id": [f"s{place}" for place in cluster],
        "style": [str(place) for place in style], "disclosure": ["progressive"] * len(cluster),
        "customer": ["rules"] * len(cluster), "industry": [f"i{place % 3}" for place in cluster],
        "agent": ["ab"[place] for place in agent], "repeat": repeat, "total": total,
    })  # fmt: skip


def test_the_planted_noise_comes_back() -> None:
    found = [measure_noise(draw_scores(seed, 40, 3, 0.1), "a", "b") for seed in range(250)]
    means = np.array([entry[:3] for entry in found if entry]).mean(axis=0)
    assert means == pytest.approx(np.array(TRUTH[:3]), rel=0.12)
    once = measure_noise(draw_scores(1, 200, 1, 0.1), "a", "b")
    assert once is not None
    assert (once.has_repeats, once.runs) == (False, 0.0)
    assert once.cells == pytest.approx(0.2 + 1.0, rel=0.25)  # what single conversations add stands with the cells
    assert find_spread(once, 3) == pytest.approx(find_spread(TRUTH, 1), rel=0.15)


def test_a_plan_keeps_its_promise() -> None:
    difference, draws = 0.25, 2000
    count = count_scenarios(TRUTH, Aim(difference), 0.05)
    assert share_found(count, difference, draws) == pytest.approx(0.8, abs=0.03)
    assert share_found(count // 2, difference, draws) < 0.6
    assert share_found(count, 0.0, draws) == pytest.approx(0.05, abs=0.015)


def share_found(count: int, difference: float, draws: int) -> float:
    """Share of experiments with so many dialogues, two styles and three repeats that find a difference."""
    random = np.random.default_rng(count)
    cells: Floats = random.normal(difference, np.sqrt(0.3), (draws, count, 1))
    cells = cells + random.normal(0, np.sqrt(0.2 + 1.0 / 3), (draws, count, 2))
    places = np.tile(np.repeat(np.arange(count), 2), draws)
    means = estimate_means(cells.ravel(), places, np.repeat(np.arange(draws), count * 2), draws)
    return float((find_p(means.mean / means.standard_error, means.freedom) < 0.05).mean())


def test_pairs_are_forecast_and_what_is_not_there_is_said(tmp_path: Path) -> None:
    random, world = np.random.default_rng(4), World()
    for scenario in range(12):
        for agent in "abc":
            score = int(random.integers(1, 6))
            world.add(agent, scenario, {"one": (score,) * 3})
    with world.open(tmp_path) as connection:
        found = plan_power(connection, EXPERIMENT, Aim(0.5))
        assert [(entry.agent_a, entry.agent_b) for entry in found] == [("a", "b"), ("a", "c"), ("b", "c")]
        assert all(entry.needed_holm > entry.needed > 12 for entry in found)
        assert all(entry.seen_holm > entry.seen > 0.5 for entry in found)
        with pytest.raises(PowerError, match=r"'nothing' has no conversations .* \['made'\]"):
            plan_power(connection, "nothing", Aim(0.5))
        with pytest.raises(PowerError, match="difference is above 0"):
            plan_power(connection, EXPERIMENT, Aim(0.0))
    lone = World().add("a", 0, {"one": (3, 3, 3)})
    with lone.open(tmp_path / "lone") as connection, pytest.raises(PowerError, match="no two agents"):
        plan_power(connection, EXPERIMENT, Aim(0.5))
