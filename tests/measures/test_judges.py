"""Judges against each other: the paper's own tables, a planted preference, and p where there is none."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.measures_statistics import JudgeAdvantage, JudgeConsistency
from servicebench_data.journeys.arrays import load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.judges import (
    Bench,
    center_twice,
    count_extremes,
    find_advantages,
    make_judge_advantages,
    make_judge_consistency,
)
from tests.measures.worlds import EXPERIMENT, World

# SB Table 7: mean and standard deviation by judge (DeepSeek-V4-Pro, GPT-5, Llama 3.3 70B, Qwen3-32B) and agent (GPT-5,
# DeepSeek-V4-Pro, Qwen3-32B, GPT-4o, Llama 3.3 70B, Gemini 2.5 Flash, GPT-4o mini).
MEANS = np.array([
    [3.64, 3.58, 3.14, 2.94, 2.56, 2.75, 2.41],
    [3.92, 3.84, 3.53, 3.30, 3.00, 2.95, 2.64],
    [4.35, 4.29, 4.22, 3.78, 3.65, 3.46, 3.15],
    [4.48, 4.36, 4.25, 3.76, 3.25, 3.22, 3.03],
])  # fmt: skip
SPREADS = np.array([
    [0.62, 0.66, 0.73, 0.65, 0.58, 0.70, 0.51],
    [0.47, 0.51, 0.69, 0.69, 0.72, 0.73, 0.71],
    [0.69, 0.82, 0.84, 1.04, 1.01, 1.09, 1.09],
    [0.66, 0.84, 0.93, 1.04, 0.94, 1.02, 1.00],
])  # fmt: skip
ENSEMBLE = np.array([4.10, 4.02, 3.79, 3.44, 3.11, 3.10, 2.81])
# SB Table 6, by the same judges and agents.
ADVANTAGES = np.array([
    [0.13, 0.15, -0.19, -0.04, -0.18, 0.12, 0.01],
    [0.09, 0.07, -0.06, 0.03, 0.03, -0.03, -0.12],
    [-0.22, -0.19, 0.07, -0.03, 0.27, 0.04, 0.06],
    [0.00, -0.04, 0.19, 0.04, -0.11, -0.13, 0.05],
])  # fmt: skip


def test_the_papers_advantages_come_out_of_its_means() -> None:
    overall = np.sqrt((SPREADS**2).mean(axis=1) + MEANS.var(axis=1))  # over all conversations, agents alike
    found = center_twice((MEANS - MEANS.mean(axis=1, keepdims=True)) / overall[:, None])
    assert np.corrcoef(found.ravel(), ADVANTAGES.ravel())[0, 1] >= 0.98
    assert np.sqrt(((found - ADVANTAGES) ** 2).mean()) <= 0.03
    raw = center_twice(MEANS)
    assert np.corrcoef(raw.ravel(), ADVANTAGES.ravel())[0, 1] < 0.85  # without standardising it is another table


def test_the_papers_ensemble_is_the_mean_of_its_judges() -> None:
    assert MEANS.mean(axis=0) == pytest.approx(ENSEMBLE, abs=0.006)


@given(st.lists(st.lists(st.floats(-3, 3), min_size=4, max_size=4), min_size=2, max_size=6))
def test_rows_and_columns_of_advantages_sum_to_nothing(means: list[list[float]]) -> None:
    found = center_twice(np.array(means))
    assert found.sum(axis=0) == pytest.approx(np.zeros(4), abs=1e-9)
    assert found.sum(axis=1) == pytest.approx(np.zeros(len(means)), abs=1e-9)


def draw_bench(seed: int, favour: float = 0.0, clusters: int = 60) -> Bench:
    """Three judges, four agents, two styles: judge 0 gives agent 0 so much more, in standard deviations of noise."""
    random = np.random.default_rng(seed)
    cluster, style, agent = (entry.ravel() for entry in np.indices((clusters, 2, 4)))
    quality = random.normal(0, 1, (clusters, 4))[cluster, agent] + 0.3 * agent + 0.1 * style
    taste = random.normal(0, 0.6, (clusters, 3))[cluster]  # a judge's own view of a dialogue
    scores = quality[:, None] + taste + random.normal(0, 0.8, (len(agent), 3))
    scores[agent == 0, 0] += favour
    return Bench(scores * np.array([0.5, 1.0, 2.0]) + np.array([3.0, 2.0, 4.0]), agent, cluster)


def test_a_planted_preference_is_found_at_its_size() -> None:
    bench = draw_bench(1, favour=0.5, clusters=800)
    found = find_advantages(bench, 4)
    planted = 0.5 * 0.5 / bench.scores[:, 0].std(ddof=1)
    assert found.advantage[0, 0] == pytest.approx(planted * (1 - 1 / 3) * (1 - 1 / 4), abs=0.03)
    assert found.p[0, 0] < 0.001
    assert found.advantage[1:, 0] == pytest.approx(np.full(2, -planted / 3 * 3 / 4), abs=0.03)


def test_p_is_uniform_where_no_judge_favours_anyone() -> None:
    p = np.array([find_advantages(draw_bench(seed, clusters=25), 4).p for seed in range(250)])
    for judge, agent in ((0, 0), (1, 2), (2, 3)):
        assert load_library("scipy.stats").kstest(p[:, judge, agent], "uniform").pvalue > 0.01


def test_p_is_that_of_all_signs_where_dialogues_are_few() -> None:
    sums = np.array([1.0, 2.0, -0.5, 1.5, 0.7, 0.1])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1).T
    exact = (np.abs(signs @ sums) >= abs(sums.sum()) - 1e-9).mean()
    assert count_extremes(sums[:, None])[0] == pytest.approx(exact)


def test_one_dialogue_says_nothing_about_favour() -> None:
    assert count_extremes(np.array([[1.0, -2.0]])).tolist() == [1.0, 1.0]


def test_a_generous_judge_and_a_wide_scale_favour_nobody() -> None:
    bench = draw_bench(3)
    shifted = bench._replace(scores=bench.scores * np.array([3.0, 1.0, 0.2]) + np.array([0.0, 9.0, 1.0]))
    for before, after in zip(find_advantages(bench, 4), find_advantages(shifted, 4), strict=True):
        assert after == pytest.approx(before, abs=1e-9)


def make_world(judges: tuple[str, ...] = ("one", "two"), agents: str = "ab") -> World:
    random, world = np.random.default_rng(7), World()
    for scenario in range(15):
        for agent in agents:
            scores = {judge: [int(score) for score in random.integers(1, 6, 3)] for judge in judges}
            world.add(agent, scenario, scores, own=("one",) if agent == "a" else ())
    return world


def read_rows(world: World, folder: Path) -> tuple[dict[tuple[str, str, str], JudgeAdvantage], list[JudgeConsistency]]:
    with world.open(folder) as connection:
        advantages = to_records(JudgeAdvantage, make_judge_advantages(connection, EXPERIMENT))
        means = to_records(JudgeConsistency, make_judge_consistency(connection, EXPERIMENT))
    return {(row.measure, row.judge, row.agent): row for row in advantages}, list(means)


def test_only_own_family_is_marked_and_not_called_self_preference(tmp_path: Path) -> None:
    found, means = read_rows(make_world(), tmp_path)
    own = {key for key, row in found.items() if row.is_own_family}
    assert {key[1:] for key in own} == {("one", "a")}
    assert "not compared with people's scores" in found["total", "one", "a"].label
    assert found["total", "two", "a"].label == "judge not validated"
    cells = [row for row in found.values() if row.measure == "total"]
    least = min(cells, key=lambda row: row.p or 0)
    assert least.p_adjusted == pytest.approx(min(4 * (least.p or 0), 1))
    assert found["total", "one", "a"].label.startswith("judge not validated; self-play; ")
    assert {row.judge for row in means} == {"one", "two", "ensemble"}
    told = {(row.judge, row.agent): row.label for row in means if row.measure == "total"}
    own = {key for key, label in told.items() if label == "judge not validated; self-play"}
    assert own == {("one", "a"), ("ensemble", "a")}
    assert {told["one", "b"], told["two", "a"]} == {"judge not validated"}
    of_a = {row.judge: row.mean for row in means if (row.measure, row.agent) == ("total", "a")}
    assert of_a["ensemble"] == pytest.approx((of_a["one"] + of_a["two"]) / 2)


def test_the_ensemble_and_advantages_are_over_what_every_judge_scored(tmp_path: Path) -> None:
    world = make_world().add("a", 3, {"one": (5, 5, 5), "two": (None, 5, 5)}, repeat=1)
    found, means = read_rows(world, tmp_path)
    assert (found["total", "one", "a"].n, found["procedural", "one", "a"].n) == (15, 16)
    counts = {row.judge: row.n for row in means if (row.measure, row.agent) == ("total", "a")}
    assert counts == {"one": 16, "two": 15, "ensemble": 15}


def test_the_rule_engine_leaves_the_bench_where_models_sit(tmp_path: Path) -> None:
    found, means = read_rows(make_world(("one", "rules", "two")), tmp_path)
    assert {judge for _, judge, _ in found} == {"one", "two"} == {row.judge for row in means} - {"ensemble"}


def test_one_judge_or_one_agent_has_no_advantage_and_says_so(tmp_path: Path) -> None:
    for place, world in enumerate((make_world(("one",)), make_world(agents="a"))):
        found, means = read_rows(world, tmp_path / str(place))
        assert {(row.advantage, row.p, row.p_adjusted) for row in found.values()} == {(None, None, None)}
        assert all("needs two judges and two agents" in row.label for row in found.values())
        assert means


def test_a_judge_that_gives_all_the_same_has_no_advantage(tmp_path: Path) -> None:
    world = World()
    for scenario in range(4):
        for agent in "ab":
            world.add(agent, scenario, {"one": (3, 3, 3), "two": (scenario + 1, 3, 3)})
    found, _ = read_rows(world, tmp_path)
    assert found["total", "two", "a"].advantage is None
    assert "do not vary" in found["total", "two", "a"].label
