"""Variance components: the planted ones come back, unbalanced as well, and what cannot be told apart says so."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from schemas.measures_statistics import VarianceComponent
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.variance import FACTORS, make_variance_components, set_up, split_variance
from tests.measures.worlds import EXPERIMENT, World

TRUTH = {
    "agent": 0.3, "judge": 0.1, "style": 0.05, "scenario": 0.4, "scenario_x_style": 0.1, "agent_x_scenario": 0.2,
    "agent_x_scenario_x_style": 0.15, "run": 0.25, "residual": 0.35,
}  # fmt: skip


def draw(seed: int, shape: tuple[int, int, int, int, int], kept: float) -> tuple[Floats, Mapping[str, Integers]]:
    """Scores with the planted components: scenarios, agents, styles, repeats, judges; a share of conversations kept."""
    random = np.random.default_rng(seed)
    scenario, agent, style, repeat, judge = (entry.ravel() for entry in np.indices(shape))
    cell = (scenario * 100 + agent) * 100 + style
    run = np.unique(cell * 100 + repeat, return_inverse=True)[1]
    parts = {
        "agent": agent, "judge": judge, "style": style, "scenario": scenario,
        "scenario_x_style": scenario * 100 + style, "agent_x_scenario": scenario * 100 + agent,
        "agent_x_scenario_x_style": cell, "run": run, "residual": np.arange(len(run)),
    }  # fmt: skip
    drawn = random.random(int(run.max()) + 1)[run] < kept
    factors = {name: np.unique(places[drawn], return_inverse=True)[1] for name, places in parts.items()}
    values = np.zeros(int(drawn.sum()))
    for name, places in factors.items():
        values += random.normal(0, np.sqrt(TRUTH[name]), int(places.max()) + 1)[places]
    return values, factors


def split(values: Floats, factors: Mapping[str, Integers]) -> Mapping[str, float]:
    return split_variance(values, set_up(factors)).estimates


def test_planted_components_come_back_from_unbalanced_data() -> None:
    found = [split(*draw(seed, (16, 3, 3, 2, 2), kept=0.8)) for seed in range(120)]
    assert list(found[0]) == list(FACTORS)
    for name, truth in TRUTH.items():
        estimates = np.array([entry[name] for entry in found])
        error = estimates.std(ddof=1) / np.sqrt(len(estimates))
        assert abs(estimates.mean() - truth) < 3.5 * error, name


def test_balanced_estimates_are_those_of_the_analysis_of_variance() -> None:
    random = np.random.default_rng(1)
    table = random.normal(0, 1, (10, 1)) + random.normal(0, 0.7, (10, 4))
    scenario, run = (entry.ravel() for entry in np.indices(table.shape))
    factors = {"scenario": scenario, "run": scenario * 4 + run}
    found = split(table.ravel(), factors)
    within = table.var(axis=1, ddof=1).mean()
    between = 4 * table.mean(axis=1).var(ddof=1)
    assert found == {"scenario": pytest.approx((between - within) / 4), "run": pytest.approx(within)}


@pytest.mark.filterwarnings("ignore::Warning:statsmodels")
def test_likelihood_gives_the_same_for_balanced_data() -> None:
    random = np.random.default_rng(6)
    scenario, judge, repeat = (entry.ravel() for entry in np.indices((12, 5, 2)))
    values = random.normal(0, 1, 12)[scenario] + random.normal(0, 0.8, 5)[judge] + random.normal(0, 0.5, len(repeat))
    factors = {"judge": judge, "scenario": scenario, "residual": np.arange(len(values))}
    found = split(values, factors)
    frame = load_library("pandas").DataFrame({"y": values, "s": scenario, "j": judge, "all": 1})
    model = load_library("statsmodels.regression.mixed_linear_model").MixedLM.from_formula(
        "y ~ 1", frame, groups="all", vc_formula={"j": "0 + C(j)", "s": "0 + C(s)"}
    )
    other = model.fit(reml=True)
    assert [found["judge"], found["scenario"]] == pytest.approx(list(other.vcomp), rel=0.02)
    assert found["residual"] == pytest.approx(other.scale, rel=0.02)


def make_world(*, judges: int = 2, repeats: int = 2, styles: int = 2, agents: str = "ab") -> World:
    random, world = np.random.default_rng(9), World()
    for scenario in range(12):
        for style in ("passive_cold", "assertive_warm")[:styles]:
            for repeat in range(repeats):
                for agent in agents:
                    scores = {f"j{judge}": [int(s) for s in random.integers(1, 6, 3)] for judge in range(judges)}
                    world.add(agent, scenario, scores, style=style, repeat=repeat)
    return world


def read_rows(world: World, folder: Path) -> dict[str, VarianceComponent]:
    with world.open(folder) as connection:
        rows = to_records(VarianceComponent, make_variance_components(connection, EXPERIMENT))
    return {row.component: row for row in rows if row.measure == "total"}


def test_rows_have_shares_and_negative_estimates_stand_as_nothing(tmp_path: Path) -> None:
    rows = read_rows(make_world(), tmp_path)
    assert set(rows) == set(FACTORS) - {"agent"}
    assert sum(row.share or 0 for row in rows.values()) == pytest.approx(1)
    negative = [row for row in rows.values() if row.is_negative]
    assert negative  # scores are at random, so that about half of the components are
    assert {(row.variance, row.sd, row.share) for row in negative} == {(0.0, 0.0, 0.0)}
    assert (rows["scenario"].levels, rows["style"].levels, rows["judge"].levels, rows["run"].levels) == (12, 2, 2, 96)


def test_what_cannot_be_told_apart_says_so_in_words(tmp_path: Path) -> None:
    rows = read_rows(make_world(judges=1, repeats=1), tmp_path / "one")
    assert rows["judge"].label == "only one judge"
    assert rows["run"].label == rows["residual"].label == "cannot be told from agent_x_scenario_x_style"
    assert rows["agent_x_scenario_x_style"].label == "includes run, residual"
    assert [rows[name].variance for name in ("judge", "run", "residual")] == [None, None, None]
    lone = read_rows(World().add("a", 0, {"one": (3, 3, 3)}), tmp_path / "two")
    assert {row.variance for row in lone.values()} == {None}
    assert all(row.label for row in lone.values())
