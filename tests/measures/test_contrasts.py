"""Comparisons of agents: paired on cells, adjusted within families, and honest about what is missing."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from schemas.judging import Score
from schemas.measures_statistics import AgentContrast
from schemas.simulation import Conversation
from servicebench_data.journeys.arrays import load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.clustered import estimate_means
from servicebench_data.measures.contrasts import adjust_families, make_contrasts
from servicebench_data.measures.inference import adjust, find_p
from tests.measures.worlds import EXPERIMENT, World

STYLES = ("passive_cold", "assertive_warm")


def contrast(world: World, folder: Path) -> dict[tuple[str, str, str, str], AgentContrast]:
    """Rows of agents `a` and `b` (or of whom the key names) by measure, slice and its value."""
    with world.open(folder) as connection:
        rows = to_records(AgentContrast, make_contrasts(connection, EXPERIMENT))
    return {(row.measure, row.by, row.value, row.agent_a + row.agent_b): row for row in rows}


def draw_world(agents: str = "ab", scenarios: int = 12, seed: int = 3) -> World:
    """Two industries, two styles, two repeats, whole scores at random."""
    random, world = np.random.default_rng(seed), World()
    for scenario in range(scenarios):
        for style in STYLES:
            for repeat in range(2):
                for agent in agents:
                    scores = {"one": [int(score) for score in random.integers(1, 6, 3)]}
                    industry = "hotel" if scenario % 3 else "airline"
                    world.add(agent, scenario, scores, style=style, repeat=repeat, industry=industry)
    return world


def test_cells_are_paired_over_the_means_of_repeats(tmp_path: Path) -> None:
    world = World()
    for scenario, (left, right) in enumerate([((2, 4), (1,)), ((5,), (3, 3)), ((4,), (2, 4))]):
        for agent, scores in (("a", left), ("b", right)):
            for repeat, value in enumerate(scores):
                world.add(agent, scenario, {"one": (value, value, value)}, repeat=repeat)
    world.add("a", 7, {"one": (5, 5, 5)})  # nothing to compare with
    row = contrast(world, tmp_path)["total", "all", "all", "ab"]
    assert (row.n, row.clusters) == (3, 3)
    assert (row.mean_a, row.mean_b) == (pytest.approx(4), pytest.approx(7 / 3))
    other = load_library("scipy.stats").ttest_rel([3, 5, 4], [1, 3, 3])
    assert (row.t, row.p) == (pytest.approx(other.statistic), pytest.approx(other.pvalue))
    assert (row.low, row.high) == pytest.approx(tuple(other.confidence_interval(0.95)))
    assert row.correlation == pytest.approx(np.corrcoef([3, 5, 4], [1, 3, 3])[0, 1])


def test_the_primary_outcome_is_macro_and_its_clusters_are_dialogues(tmp_path: Path) -> None:
    world = draw_world()
    found = contrast(world, tmp_path)
    row = found["total", "macro", "all", "ab"]
    by_industry = [found["total", "industry", name, "ab"] for name in ("airline", "hotel")]
    assert (row.is_primary, row.family, row.n, row.clusters) == (True, "primary", 24, 12)
    assert row.difference == pytest.approx(sum(part.difference or 0 for part in by_industry) / 2)
    errors = [part.standard_error or 0 for part in by_industry]
    assert row.standard_error == pytest.approx(np.linalg.norm(errors) / 2)
    assert sum(other.is_primary for other in found.values()) == 1
    assert [part.clusters for part in by_industry] == [4, 8]


def test_holm_runs_over_the_pairs_and_not_over_what_is_exploratory(tmp_path: Path) -> None:
    found = contrast(draw_world("abc"), tmp_path)
    primary = sorted((row for row in found.values() if row.is_primary), key=lambda row: row.p or 0)
    assert [row.p_adjusted for row in primary] == pytest.approx(step_down([row.p or 0 for row in primary]))
    assert {row.adjustment for row in primary} == {"holm"}
    explored = [row for row in found.values() if row.family == "exploratory"]
    assert explored
    assert {(row.p_adjusted, row.adjustment) for row in explored} == {(None, "none")}


def test_categories_go_by_the_rate_of_false_discoveries_and_customers_by_holm(tmp_path: Path) -> None:
    random, world = np.random.default_rng(6), World()
    for scenario in range(24):
        for customer in ("one", "two"):
            for agent, less in (("a", 0), ("b", scenario % 4 == 0)):
                score = int(random.integers(2, 6)) - less
                world.add(agent, scenario, {"j": (score,) * 3}, customer=customer, category=f"c{scenario % 4}")
    found = contrast(world, tmp_path)
    for by, family, method in (("category", "categories", "fdr_bh"), ("customer", "customers", "holm")):
        rows = [row for row in found.values() if (row.by, row.measure) == (by, "total")]
        other = load_library("statsmodels.stats.multitest").multipletests([row.p or 0 for row in rows], method=method)
        assert len(rows) == {"category": 4, "customer": 2}[by]
        assert [row.p_adjusted for row in rows] == pytest.approx(other[1])
        adjustment = "benjamini_hochberg" if method == "fdr_bh" else "holm"
        assert {(row.family, row.adjustment) for row in rows} == {(family, adjustment)}


def step_down(p: list[float]) -> list[float]:
    """Holm by hand, of p in ascending order."""
    steps = [min((len(p) - place) * value, 1.0) for place, value in enumerate(p)]
    return [max(steps[: place + 1]) for place in range(len(p))]


def test_adjustments_are_the_textbooks() -> None:
    p = np.array([0.001, 0.04, 0.03, np.nan, 0.005, 0.6])
    assert adjust(p, "holm") == pytest.approx([0.005, 0.09, 0.09, np.nan, 0.02, 0.6], nan_ok=True)
    assert adjust(p, "fdr_bh") == pytest.approx([0.005, 0.05, 0.05, np.nan, 0.0125, 0.6], nan_ok=True)
    other = load_library("statsmodels.stats.multitest").multipletests(p[np.isfinite(p)], method="fdr_bh")[1]
    assert adjust(p, "fdr_bh")[np.isfinite(p)] == pytest.approx(other)
    assert np.isnan(adjust(np.array([np.nan]), "holm")).all()
    assert np.isnan(adjust(np.array([np.nan]), "fdr_bh")).all()


def test_families_are_adjusted_apart() -> None:
    adjusted = adjust_families(
        np.array([0.02, 0.02, 0.03, 0.02, 0.03]), ["one", "two", "two", "categories", "categories"]
    )
    assert adjusted == pytest.approx([0.02, 0.04, 0.04, 0.03, 0.03])


def test_what_is_missing_could_have_been_anything_on_the_scale(tmp_path: Path) -> None:
    world = World()
    for scenario in range(4):
        world.add("a", scenario, {"one": (3, 3, 3)}, end="invalid" if scenario == 0 else "agreed")
        world.add("b", scenario, {"one": (2, 2, None if scenario == 1 else 2)})
    found = contrast(world, tmp_path)
    row = found["total", "all", "all", "ab"]
    assert (row.n, row.difference) == (2, pytest.approx(1))
    assert row.worst_case == pytest.approx(((1 - 2) + (3 - 5) + 1 + 1) / 4)
    assert row.best_case == pytest.approx(((5 - 2) + (3 - 1) + 1 + 1) / 4)
    assert (row.invalid_a, row.invalid_b, row.is_comparable) == (0.25, 0.0, False)
    rate = found["agreement_rate", "all", "all", "ab"]
    assert (rate.n, rate.worst_case, rate.best_case) == (3, -0.25, 0.0)
    assert found["exchanges", "all", "all", "ab"].worst_case is None


def test_invalid_conversations_have_no_turns_and_three_points_are_still_comparable(tmp_path: Path) -> None:
    world = World()
    for scenario in range(100):
        world.add("a", scenario, {"one": (3, 3, 3)}, end="invalid" if scenario < 3 else "agreed", exchanges=scenario)
        world.add("b", scenario, {"one": (3, 3, 3)})
    found = contrast(world, tmp_path)
    assert found["exchanges", "all", "all", "ab"].n == 97
    assert found["total", "all", "all", "ab"].is_comparable


def test_what_cannot_be_computed_says_so_in_words(tmp_path: Path) -> None:
    world = World().add("a", 0, {"one": (3, 3, 3)}).add("b", 0, {"one": (2, 2, 2)})
    world.add("a", 1, {"one": (3, 3, 3)}, industry="airline")
    found = contrast(world, tmp_path)
    alone, macro = found["total", "all", "all", "ab"], found["total", "macro", "all", "ab"]
    assert (alone.difference, alone.p, alone.low) == (1.0, None, None)
    assert "too few source dialogues" in alone.label
    assert (macro.n, macro.difference) == (1, None)
    assert "an industry has no value for both" in macro.label
    none = found["total", "industry", "airline", "ab"]
    assert (none.n, none.difference) == (0, None)
    assert "nothing that both have a value for" in none.label


def test_alike_differences_have_no_p_and_one_agent_no_row(tmp_path: Path) -> None:
    world = World()
    for scenario in range(5):
        world.add("a", scenario, {"rules": (3, 3, 3)}, made_by="offline").add("b", scenario, {"rules": (2, 2, 2)})
    row = contrast(world, tmp_path / "two")["total", "all", "all", "ab"]
    assert (row.difference, row.standard_error, row.p, row.low) == (1.0, 0.0, None, None)
    assert row.label == "judge not validated; rule engine; scripted agent; the difference is the same everywhere"
    assert contrast(World().add("a", 0, {"one": (3, 3, 3)}), tmp_path / "one") == {}


def test_p_is_uniform_where_agents_do_not_differ() -> None:
    random, draws, clusters = np.random.default_rng(5), 1000, 25
    shared = random.normal(0, 1, (draws, clusters, 1))
    values = (shared + random.normal(0, 1, (draws, clusters, 4))).ravel()
    places = np.tile(np.repeat(np.arange(clusters), 4), draws)
    means = estimate_means(values, places, np.repeat(np.arange(draws), clusters * 4), draws)
    test = load_library("scipy.stats").kstest
    p = find_p(means.mean / means.standard_error, means.freedom)
    assert test(p, "uniform").pvalue > 0.01
    naive = estimate_means(values, np.arange(len(values)), np.repeat(np.arange(draws), clusters * 4), draws)
    assert test(find_p(naive.mean / naive.standard_error, naive.freedom), "uniform").pvalue < 0.01


def test_rows_do_not_depend_on_the_order_of_conversations(tmp_path: Path) -> None:
    world = draw_world()
    with world.open(tmp_path) as connection:
        before = make_contrasts(connection, EXPERIMENT)
    world.rows[Conversation].reverse()
    world.rows[Score].reverse()
    with world.open(tmp_path) as connection:
        after: pa.Table = make_contrasts(connection, EXPERIMENT)
    assert before.equals(after)
