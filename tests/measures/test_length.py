"""Length and scores: a planted slope is found at its size, none where there is none, words where nothing can be."""

from pathlib import Path

import numpy as np
import pytest

from schemas.measures_statistics import LengthEffect
from servicebench_data.journeys.arrays import Floats, load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.length import Observations, make_length_effects, observe, regress
from servicebench_data.measures.reading import keep_finite, read_conversations
from tests.measures.worlds import EXPERIMENT, World, is_covered


def draw(seed: int, slope: float, clusters: int = 40, agents: int = 4) -> Observations:
    """Scores that fall by `slope` per unit of log length, beside agents, scenarios in their style, and turns."""
    random = np.random.default_rng(seed)
    cluster, style, agent = (entry.ravel() for entry in np.indices((clusters, 2, agents)))
    cell = cluster * 2 + style
    # Longer agents are better and harder scenarios make longer talk: without fixed effects the slope is another one.
    easy = random.normal(0, 1, clusters * 2)[cell]
    length = 0.5 * agent - 0.4 * easy + random.normal(0, 0.5, len(cell)) * (0.5 + random.random(clusters))[cluster]
    turns = np.round(5 + random.normal(0, 1, len(cell)))
    noise = random.normal(0, 0.4, len(cell)) + random.normal(0, 0.2, (clusters, agents))[cluster, agent]
    score = agent + easy - 0.2 * turns + slope * length + noise
    return Observations(score, length, turns, agent, cell, cluster)


def standard(observed: Observations, slope: float) -> float:
    """The slope in standard deviations, as the sample has them."""
    return slope * float(observed.length.std(ddof=1) / observed.score.std(ddof=1))


def test_a_planted_slope_is_found_at_its_size() -> None:
    observed = draw(1, slope=-0.8, clusters=400)
    found = regress(observed)
    assert found.beta == pytest.approx(standard(observed, -0.8), abs=3 * found.standard_error)
    assert found.standard_error < 0.02
    assert found.p < 1e-6
    naive = np.polyfit(observed.length, observed.score, 1)[0]
    assert abs(naive + 0.8) > 0.3  # what it would be without agents and scenarios


def test_intervals_hold_the_slope_and_p_is_uniform_where_there_is_none() -> None:
    drawn = [draw(seed, slope=0.0) for seed in range(1000)]
    found = [regress(observed) for observed in drawn]
    low, high = np.array([(slope.low, slope.high) for slope in found]).T
    assert 0.93 <= is_covered(low, high, 0.0) <= 0.97
    assert load_library("scipy.stats").kstest([slope.p for slope in found], "uniform").pvalue > 0.01


def test_it_is_the_regression_with_a_column_for_each_cell() -> None:
    observed = draw(3, slope=-0.5, clusters=12)
    score, length, turns = ((column - column.mean()) / column.std(ddof=1) for column in observed[:3])
    columns = [length, turns, *list_columns(observed.agent)[1:], *list_columns(observed.cell)]
    model = load_library("statsmodels.regression.linear_model").OLS(score, np.column_stack(columns)).fit()
    assert regress(observed).beta == pytest.approx(model.params[0])


def list_columns(places: "np.ndarray[tuple[int, ...], np.dtype[np.int64]]") -> list[Floats]:
    """A column of ones and zeros for each place."""
    return [(places == place).astype(np.float64) for place in np.unique(places)]


def make_world(agents: str = "ab", *, words: int = 0) -> World:
    random, world = np.random.default_rng(1), World()
    for scenario in range(20):
        for agent in agents:
            long = int(random.integers(10, 60))
            level = int(np.clip(5 - long // 15 + random.integers(0, 2), 1, 5))
            turns = int(random.integers(2, 6))
            world.add(agent, scenario, {"one": (level, 3, 3)}, words=words or long, exchanges=turns)
    return world


def measure(world: World, folder: Path) -> dict[str, LengthEffect]:
    with world.open(folder) as connection:
        return {row.measure: row for row in to_records(LengthEffect, make_length_effects(connection, EXPERIMENT))}


def test_rows_are_the_regressions(tmp_path: Path) -> None:
    world = make_world()
    found = measure(world, tmp_path)
    assert list(found) == ["distributive", "interactional", "procedural", "total"]
    with world.open(tmp_path / "again") as connection:
        scored = keep_finite(read_conversations(connection, EXPERIMENT), "total")
    slope = regress(observe(scored, "total"))
    row = found["total"]
    assert (row.beta, row.p, row.n, row.clusters) == (pytest.approx(slope.beta), pytest.approx(slope.p), 40, 20)
    assert row.beta is not None
    assert row.beta < -0.5
    tested = [each for each in found.values() if each.p is not None]
    other = load_library("statsmodels.stats.multitest").multipletests([each.p for each in tested], method="holm")[1]
    assert [each.p_adjusted for each in tested] == pytest.approx(other)
    assert found["procedural"].p_adjusted is None
    assert row.label == "an association; judge not validated"
    assert found["procedural"].beta is None
    assert "do not vary" in found["procedural"].label


@pytest.mark.parametrize(
    ("agents", "words", "reason"),
    [("a", 0, "too few source dialogues with two conversations in one cell"), ("ab", 30, "do not vary")],
)
def test_what_cannot_be_computed_says_so_in_words(agents: str, words: int, reason: str, tmp_path: Path) -> None:
    row = measure(make_world(agents, words=words), tmp_path)["total"]
    assert (row.beta, row.t, row.p) == (None, None, None)
    assert reason in row.label


def test_length_that_is_the_agents_alone_says_nothing() -> None:
    observed = draw(1, slope=-0.8)
    found = regress(observed._replace(length=observed.agent.astype(np.float64)))
    assert np.isnan(found.beta)
    assert found.reason == "length or score does not vary beyond agent, scenario and turns"
