"""Rankings of categories: small groups are drawn in, the truth is nearer for it, and the tests are what they say."""

from pathlib import Path

import numpy as np
import pytest

from schemas.judging import Score
from schemas.measures_statistics import CategoryRanking
from schemas.simulation import Conversation
from servicebench_data.journeys.arrays import Floats, load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.inference import find_p
from servicebench_data.measures.ranking import Groups, compare_with_all, make_rankings, pool_groups, shrink
from servicebench_data.measures.reading import Codes
from tests.measures.worlds import EXPERIMENT, World

DRAWS = 1000
SIZES = np.array([2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 15, 20, 3, 4, 6, 9, 14, 5, 2, 7])


def draw_groups(draws: int, between: float, seed: int = 11) -> tuple[Floats, list[Groups]]:
    """True means of the groups by draw, and what is seen: so many clusters of three values in each."""
    random = np.random.default_rng(seed)
    truth = 3 + random.normal(0, between, (draws, len(SIZES)))
    owner = np.repeat(np.arange(len(SIZES)), SIZES)
    values = truth[:, owner, None] + random.normal(0, 0.6, (draws, len(owner), 1))
    values = values + random.normal(0, 0.4, (draws, len(owner), 3))
    codes = Codes(np.repeat(owner, 3), [str(place) for place in range(len(SIZES))])
    clusters = np.repeat(np.arange(len(owner)), 3)
    return truth, [pool_groups(row.ravel(), clusters, codes) for row in values]


def test_shrinking_brings_means_nearer_to_the_truth_and_intervals_hold_it() -> None:
    truth, groups = draw_groups(DRAWS, between=0.3)
    found = [shrink(group.mean, group.variance, group.freedom) for group in groups]
    means = np.array([group.mean for group in groups])
    shrunken = np.array([entry.mean for entry in found])
    assert ((shrunken - truth) ** 2).mean() < 0.75 * ((means - truth) ** 2).mean()
    low, high = np.array([entry.low for entry in found]), np.array([entry.high for entry in found])
    assert 0.93 <= ((low <= truth) & (truth <= high)).mean() <= 0.97


def test_the_variance_of_a_mean_is_pooled_and_knows_its_clusters() -> None:
    _, groups = draw_groups(DRAWS, between=0.0)
    means = np.array([group.mean for group in groups])
    assert np.array([group.variance for group in groups]).mean(axis=0) == pytest.approx(means.var(axis=0), rel=0.15)


def test_p_is_uniform_where_categories_do_not_differ() -> None:
    _, groups = draw_groups(DRAWS, between=0.0)
    for place in (0, 8, 11):
        tests = [compare_with_all(group) for group in groups]
        t = np.array([difference[place] / error[place] for difference, error in tests])
        p = find_p(t, np.full(DRAWS, float(groups[0].freedom)))
        assert load_library("scipy.stats").kstest(p, "uniform").pvalue > 0.01


def test_a_small_group_is_drawn_in_further_than_a_large_one() -> None:
    mean, variance = np.array([5.0, 5.0, 1.0, 3.0, 3.0, 2.0]), np.array([1.0, 0.01, 0.1, 0.1, 0.1, 0.1])
    found = shrink(mean, variance, 40)
    assert found.mean[0] < found.mean[1] < 5
    assert found.weight[0] < found.weight[1]
    assert (found.low < found.mean).all()


def test_groups_that_are_alike_by_chance_are_one() -> None:
    found = shrink(np.array([3.0, 3.01, 2.99, 3.0, 3.02]), np.full(5, 0.5), 40)
    assert np.ptp(found.mean) < 0.02
    assert np.isnan(shrink(np.array([3.0, 4.0, 5.0]), np.full(3, 0.5), 40).mean).all()


def make_world() -> World:
    """Six categories; `rare` has nine conversations, the others twelve or more; agent `b` is one point below."""
    random, world, scenario = np.random.default_rng(2), World(), 0
    for category, size, level in [
        ("rare", 3, 5), ("bed", 4, 4), ("bill", 5, 3), ("door", 6, 2), ("food", 4, 3), ("wifi", 5, 3),
    ]:  # fmt: skip
        for _ in range(size):
            for repeat in range(3):
                for agent, less in (("a", 0), ("b", 1)):
                    score = int(np.clip(level - less + random.integers(-1, 2), 1, 5))
                    world.add(agent, scenario, {"one": (score,) * 3}, category=category, repeat=repeat)
            scenario += 1
    return world


def test_categories_are_ranked_by_their_shrunken_means_from_ten_conversations(tmp_path: Path) -> None:
    world = make_world()
    with world.open(tmp_path) as connection:
        rows = to_records(CategoryRanking, make_rankings(connection, EXPERIMENT))
    assert {row.agent for row in rows} == {"a", "all", "b"}
    of_a = {row.category_id: row for row in rows if row.agent == "a"}
    assert (of_a["rare"].n, of_a["rare"].rank) == (9, None)
    assert "fewer than 10" in of_a["rare"].label
    ranked = sorted((row for row in of_a.values() if row.rank), key=lambda row: row.rank or 0)
    assert [row.category_id for row in ranked][0::4] == ["bed", "door"]
    assert [row.rank for row in ranked] == [1, 2, 3, 4, 5]
    assert {row.ranked for row in ranked} == {5}
    p = np.array([row.p for row in of_a.values()])
    other = load_library("statsmodels.stats.multitest").multipletests(p, method="fdr_bh")[1]
    assert [row.p_adjusted for row in of_a.values()] == pytest.approx(other)
    assert of_a["bed"].sd == pytest.approx(np.std(level_scores(world, "a", "bed"), ddof=1))
    whole = sum(row.n * row.mean for row in of_a.values()) / sum(row.n for row in of_a.values())
    assert of_a["bed"].difference == pytest.approx(of_a["bed"].mean - whole)
    assert next(row for row in rows if (row.agent, row.category_id) == ("all", "rare")).rank == 1


def level_scores(world: World, agent: str, category: str) -> list[int]:
    """Scores of an agent's conversations in a category."""
    scenarios = {name for name, row in world.scenarios.items() if row["category_id"] == category}
    talks = {
        row["conversation_id"]
        for row in world.rows[Conversation]
        if row["agent"] == agent and row["scenario_id"] in scenarios
    }
    rows = world.rows[Score]
    return [row["score"] for row in rows if row["conversation_id"] in talks and row["dimension"] == "procedural"]


def test_single_dialogues_are_not_shrunken_and_say_so(tmp_path: Path) -> None:
    world = World()
    for scenario in range(6):
        world.add("a", scenario, {"one": (scenario % 5 + 1,) * 3}, category=f"c{scenario}")
    with world.open(tmp_path) as connection:
        rows = to_records(CategoryRanking, make_rankings(connection, EXPERIMENT))
    assert {(row.shrunken, row.rank, row.p, row.standard_error) for row in rows} == {(None, None, None, None)}
    assert all("too few categories or source dialogues" in row.label for row in rows)
