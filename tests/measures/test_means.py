"""Means, their errors and intervals come out as by hand, as statsmodels has them, and as often right as they say."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import statsmodels.api as sm
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from schemas.judging import Judgment, Score
from schemas.measures import AgentMeasure
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.judging.ensemble import make_judgments
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.measures.clustered import Means, estimate_macro, find_interval
from servicebench_data.measures.intervals import find_intervals
from servicebench_data.measures.means import make_agent_measures
from tests.measures.talks import EXPERIMENT, Talks

Key = tuple[str, str, str, str]


def measure(talks: Talks, folder: Path) -> dict[Key, dict[str, Any]]:
    """Rows by agent, measure, cut and value; each is valid."""
    with talks.open(folder) as connection:
        table = make_agent_measures(connection, EXPERIMENT)
    rows = [AgentMeasure.model_validate(row).model_dump() for row in table.to_pylist()]
    return {(row["agent"], row["measure"], row["by"], row["value"]): row for row in rows}


def play(talks: Talks, name: str, total: float | None, **given: Any) -> None:
    """A conversation with its total justice, or without one."""
    talks.talk(name, **given)
    if total is not None:
        talks.settle(name, (total, total, total))


def test_a_mean_has_its_spread_error_and_interval(tmp_path: Path) -> None:
    talks = Talks()
    for number, score in enumerate((1.0, 2.0, 4.0, 5.0)):
        play(talks, f"c{number}", score, scenario_id=talks.scenario(f"s{number}"))
    row = measure(talks, tmp_path)["ours", "total", "all", "all"]
    error = math.sqrt(10 / 3 / 4)
    assert (row["n"], row["missing"], row["clusters"], row["mean"]) == (4, 0, 4, 3.0)
    assert row["sd"] == pytest.approx(math.sqrt(10 / 3))
    assert row["standard_error"] == pytest.approx(error)
    assert row["high"] - row["mean"] == pytest.approx(stats.t.ppf(0.975, 3) * error)
    assert row["mean"] - row["low"] == pytest.approx(stats.t.ppf(0.975, 3) * error)
    assert (row["interval"], row["design_effect"]) == ("cluster_t", pytest.approx(1.0))
    assert row["label"] == ""


def test_conversations_of_one_cluster_count_as_what_they_are(tmp_path: Path) -> None:
    talks = Talks()
    for number, cluster in enumerate("aabb"):
        play(
            talks,
            f"c{number}",
            2.0 if cluster == "a" else 4.0,
            scenario_id=talks.scenario(f"s{number}", cluster_id=cluster),
        )
    row = measure(talks, tmp_path)["ours", "total", "all", "all"]
    # Two clusters of sums -2 and 2: sqrt(2 * 8) / 4. As four independent ones it were sqrt(4 / 3 / 4).
    assert (row["n"], row["clusters"], row["standard_error"]) == (4, 2, pytest.approx(1.0))
    assert row["design_effect"] == pytest.approx(3.0)


def test_one_cluster_has_a_mean_and_no_interval(tmp_path: Path) -> None:
    talks = Talks()
    talks.scenario()
    play(talks, "c1", 2.0)
    play(talks, "c2", 5.0, end="left")
    rows = measure(talks, tmp_path)
    for name in ("total", "agreement_rate"):
        row = rows["ours", name, "all", "all"]
        assert row["mean"] == {"total": 3.5, "agreement_rate": 0.5}[name]
        assert (row["interval"], row["low"], row["high"], row["standard_error"]) == ("none", None, None, None)
        assert row["sd"] is not None


def test_what_is_missing_is_counted_and_enters_no_mean(tmp_path: Path) -> None:
    talks = Talks()
    for number, (score, end) in enumerate(((3.0, "accepted"), (None, "left"), (None, "simulator_fault"))):
        play(talks, f"c{number}", score, end=end, scenario_id=talks.scenario(f"s{number}"))
    rows = measure(talks, tmp_path)
    counts = {key[1]: (row["n"], row["missing"], row["mean"]) for key, row in rows.items() if key[2:] == ("all", "all")}
    assert counts["total"] == (1, 2, 3.0)
    assert counts["agreement_rate"] == (2, 1, 0.5)
    assert counts["invalid_rate"] == (3, 0, pytest.approx(1 / 3))
    assert counts["coverage_all"] == (0, 3, None)
    assert counts["cost_usd"] == (3, 0, 0.5)


def test_a_rate_has_wilsons_interval_at_n_without_clusters(tmp_path: Path) -> None:
    talks = Talks()
    for number in range(10):
        play(
            talks, f"c{number}", 3.0, end="accepted" if number < 3 else "left", scenario_id=talks.scenario(f"s{number}")
        )
    rows = measure(talks, tmp_path)
    row = rows["ours", "agreement_rate", "all", "all"]
    assert (row["low"], row["high"]) == pytest.approx(proportion_confint(3, 10, method="wilson"))
    assert row["interval"] == "cluster_wilson"
    none = rows["ours", "unresolved_rate", "all", "all"]
    assert (none["mean"], none["low"], none["design_effect"]) == (0.0, 0.0, None)
    assert none["high"] == pytest.approx(proportion_confint(0, 10, method="wilson")[1])


def test_a_rate_whose_values_are_alike_is_as_sure_as_its_clusters_are_many(tmp_path: Path) -> None:
    talks = Talks()
    for number in range(12):
        play(talks, f"c{number:02}", 3.0, scenario_id=talks.scenario(f"s{number:02}", cluster_id=f"k{number % 4}"))
    row = measure(talks, tmp_path)["ours", "agreement_rate", "all", "all"]
    assert (row["low"], row["high"]) == pytest.approx(proportion_confint(4, 4, method="wilson"))


def test_the_headline_weighs_industries_alike_and_needs_a_value_in_each(tmp_path: Path) -> None:
    talks = Talks()
    scores = {"airline": (1.0, 2.0, 3.0, 2.0), "hotel": (4.0, 5.0)}
    for industry, column in scores.items():
        for number, score in enumerate(column):
            name = f"{industry}-{number}"
            play(talks, name, score, industry=industry, scenario_id=talks.scenario(f"s-{name}", industry=industry))
    talks.talk("late", industry="retail", end="over_budget", scenario_id=talks.scenario("s-late", industry="retail"))
    rows = measure(talks, tmp_path)
    whole = rows["ours", "total", "macro", "all"]
    assert (whole["mean"], whole["low"], whole["n"], whole["missing"]) == (None, None, 6, 1)
    talks.rows[Conversation].pop()
    row = measure(talks, tmp_path)["ours", "total", "macro", "all"]
    parts = [rows["ours", "total", "industry", industry]["standard_error"] for industry in scores]
    assert row["mean"] == (2.0 + 4.5) / 2
    assert row["standard_error"] == pytest.approx(math.hypot(*parts) / 2)
    assert (row["n"], row["missing"], row["clusters"]) == (6, 0, 6)


def test_a_cluster_in_two_industries_brings_their_covariance(tmp_path: Path) -> None:
    talks = Talks()
    for number, score in enumerate((1.0, 3.0, 5.0)):
        for industry in ("airline", "hotel"):
            name = f"{industry}-{number}"
            scenario_id = talks.scenario(f"s-{name}", industry=industry, cluster_id=f"k{number}")
            play(talks, name, score, industry=industry, scenario_id=scenario_id)
    rows = measure(talks, tmp_path)
    # The two industries are the same thing twice, so that their mean is no surer than either.
    one = rows["ours", "total", "industry", "airline"]["standard_error"]
    assert rows["ours", "total", "macro", "all"]["standard_error"] == pytest.approx(one)


def test_prevalence_weighs_by_what_a_scenario_stands_for(tmp_path: Path) -> None:
    talks = Talks()
    for number, (score, chance) in enumerate(((2.0, 0.1), (4.0, 1.0), (5.0, 0.5))):
        play(
            talks,
            f"c{number}",
            score,
            scenario_id=talks.scenario(f"s{number}", category_id=f"k{number}", inclusion_probability=chance),
        )
    row = measure(talks, tmp_path)["ours", "total", "prevalence", "all"]
    mean = (10 * 2 + 1 * 4 + 2 * 5) / 13
    parts = [10 * (2 - mean) / 13, (4 - mean) / 13, 2 * (5 - mean) / 13]
    assert row["mean"] == pytest.approx(mean)
    assert row["standard_error"] == pytest.approx(math.sqrt(3 / 2 * sum(part**2 for part in parts)))


def test_a_severity_is_standardised_over_the_industries_that_have_all(tmp_path: Path) -> None:
    talks = Talks()
    drawn = [
        ("airline", "low", 1.0),
        ("airline", "low", 1.0),
        ("airline", "high", 3.0),
        ("hotel", "low", 5.0),
        ("hotel", "high", 5.0),
        ("retail", "low", 2.0),
    ]
    for number, (industry, severity, score) in enumerate(drawn):
        play(
            talks,
            f"c{number}",
            score,
            industry=industry,
            scenario_id=talks.scenario(f"s{number}", industry=industry, severity=severity),
        )
    rows = measure(talks, tmp_path)
    assert rows["ours", "total", "severity", "low"]["mean"] == pytest.approx((1 + 1 + 5 + 2) / 4)
    assert rows["ours", "total", "severity_mix", "low"]["mean"] == pytest.approx((1 + 5) / 2)
    assert rows["ours", "total", "severity_mix", "low"]["n"] == 3
    assert rows["ours", "total", "severity_mix", "high"]["mean"] == pytest.approx((3 + 5) / 2)


def test_each_judge_has_a_mean_of_its_own_over_all_conversations(tmp_path: Path) -> None:
    talks = Talks()
    for number in range(3):
        name = talks.talk(f"c{number}", scenario_id=talks.scenario(f"s{number}"))
        talks.judge(name, (3, 3, 4 + number % 2), judge="mild")
        if number:
            talks.judge(name, (1, 2, 3), judge="harsh")
        talks.settle(name, (3.0, 3.0, 3.0))
    rows = measure(talks, tmp_path)
    mild, harsh = (rows["ours", "total", "judge", judge] for judge in ("mild", "harsh"))
    assert (mild["n"], mild["missing"], mild["mean"]) == (3, 0, pytest.approx(31 / 9))
    assert (harsh["n"], harsh["missing"], harsh["mean"]) == (2, 1, 2.0)
    assert mild["label"] == "judge not validated"


def test_labels_say_who_judged_and_who_played(tmp_path: Path) -> None:
    talks = Talks()
    talks.scenario()
    agents: dict[str, dict[str, Any]] = {"script": {"agent_made_by": "offline"}, "twin": {"is_self_play": True}}
    for agent, kind in agents.items():
        name = talks.talk(agent, agent=agent, **kind)
        talks.judge(name, (3, 3, 3), judge="rules", judge_made_by="offline")
        talks.settle(name, (3.0, 3.0, 3.0), judges=["rules"])
    rows = measure(talks, tmp_path)
    assert rows["script", "total", "all", "all"]["label"] == "judge not validated; rule engine; scripted agent"
    assert rows["script", "exchanges", "all", "all"]["label"] == "scripted agent"
    assert rows["twin", "procedural", "all", "all"]["label"] == "judge not validated; rule engine; self-play"


def test_what_a_judge_gave_its_own_family_is_self_play_and_the_headline_is_not(tmp_path: Path) -> None:
    talks = Talks()
    talks.scenario()
    for agent in ("kin", "other"):
        name = talks.talk(agent, agent=agent)
        talks.judge(name, (3, 3, 3), judge="near", is_own_family=agent == "kin")
        talks.judge(name, (4, 4, 4), judge="far")
        talks.settle(name, (4.0, 4.0, 4.0), judges=["far"])
    rows = measure(talks, tmp_path)
    labels = {
        key: rows[key[0], "total", "judge", key[1]]["label"]
        for key in (("kin", "near"), ("kin", "far"), ("other", "near"))
    }
    assert labels == {
        ("kin", "near"): "judge not validated; self-play", ("kin", "far"): "judge not validated",
        ("other", "near"): "judge not validated",
    }  # fmt: skip
    assert rows["kin", "total", "macro", "all"]["label"] == "judge not validated"


def test_coverage_by_turn_keeps_dialogues_that_are_over(tmp_path: Path) -> None:
    talks = Talks()
    talks.scenario()
    talks.scenario("s2")
    for scenario_id in ("s1", "s2"):
        talks.know("x", scenario_id=scenario_id)
    short = talks.talk("c1", messages=4)
    talks.tell(short, "x", 2, "elicited")
    talks.talk("c2", messages=8, scenario_id="s2")
    rows = measure(talks, tmp_path)
    found = [rows["ours", "coverage_by_turn", "turn", str(turn)] for turn in (1, 2, 3, 4)]
    assert [row["mean"] for row in found] == [0.0, 0.5, 0.5, 0.5]
    assert {row["n"] for row in found} == {2}


CLUSTERED = st.lists(
    st.tuples(st.integers(1, 5), st.integers(0, 6), st.sampled_from(("airline", "hotel"))), min_size=4, max_size=40
)


@settings(max_examples=6, phases=[Phase.generate])
@given(CLUSTERED)
def test_errors_are_those_of_a_regression_on_a_constant_with_clustered_errors(
    tmp_path: Path, drawn: list[tuple[int, int, str]]
) -> None:
    talks = Talks()
    for number, (score, cluster, industry) in enumerate(drawn):
        scenario = talks.scenario(f"s{number:02}", cluster_id=f"k{cluster}", industry=industry)
        play(talks, f"c{number:02}", float(score), scenario_id=scenario, industry=industry)
    rows = measure(talks, tmp_path)
    for by, value in (("all", "all"), ("industry", "airline"), ("industry", "hotel")):
        kept = [(score, cluster) for score, cluster, industry in drawn if value in {"all", industry}]
        if not kept:
            continue
        scores, clusters = (np.array(column, dtype=float) for column in zip(*kept, strict=True))
        row = rows["ours", "total", by, value]
        assert row["mean"] == pytest.approx(scores.mean())
        if len(set(clusters)) < 2:
            assert row["standard_error"] is None
            continue
        fit = sm.OLS(scores, np.ones(len(scores))).fit(cov_type="cluster", cov_kwds={"groups": clusters})
        assert row["standard_error"] == pytest.approx(float(fit.bse[0]), abs=1e-9)
    check_macro(rows["ours", "total", "macro", "all"], drawn)


def check_macro(row: dict[str, Any], drawn: list[tuple[int, int, str]]) -> None:
    """The headline is the same by SQL and by numpy, to its interval, also of clusters that lie in both industries."""
    scores, clusters, industries = (np.array(column) for column in zip(*drawn, strict=True))
    names, strata = np.unique(industries, return_inverse=True)
    other = estimate_macro(scores.astype(np.float64), clusters, strata, len(names))
    low, high = find_interval(other)
    wanted = {"mean": other.mean, "standard_error": other.standard_error, "low": low, "high": high}
    for name, (value,) in wanted.items():
        found = math.nan if row[name] is None else row[name]
        assert found == pytest.approx(value, rel=1e-6, abs=1e-9, nan_ok=True), name


def simulate(seed: int, draws: int, clusters: int, is_rate: bool) -> tuple[Means, float]:
    """Means of many experiments of known truth: conversations of a cluster share what is theirs."""
    rng = np.random.default_rng(seed)
    sizes = np.tile([1, 2, 3, 4, 6], clusters // 5 + 1)[:clusters]
    of_cluster = np.repeat(np.arange(clusters), sizes)
    shared, own = rng.normal(0, 0.6, (draws, clusters)), rng.normal(0, 0.8, (draws, sizes.sum()))
    latent = shared[:, of_cluster] + own
    values = (latent > 0.3).astype(float) if is_rate else 3 + latent
    truth = float(stats.norm.sf(0.3, scale=1.0)) if is_rate else 3.0
    n, mean = len(of_cluster), values.mean(axis=1)
    left = values - mean[:, None]
    sums = np.array([np.bincount(of_cluster, row, clusters) for row in left])
    error = np.sqrt(clusters / (clusters - 1) * (sums**2).sum(axis=1)) / n
    full = np.ones(draws)
    return Means(n * full, clusters * full, mean, values.std(axis=1, ddof=1), error, (clusters - 1) * full), truth


@pytest.mark.parametrize("clusters", [12, 60])
@pytest.mark.parametrize("is_rate", [False, True])
def test_intervals_hold_the_truth_as_often_as_they_say(clusters: int, is_rate: bool) -> None:
    given, truth = simulate(seed=7, draws=1000, clusters=clusters, is_rate=is_rate)
    low, high = find_intervals(given, np.full(1000, is_rate))
    held = float(((low <= truth) & (truth <= high)).mean())
    assert 0.93 <= held <= 0.97


def test_intervals_that_ignore_clusters_would_not_hold_it() -> None:
    given, truth = simulate(seed=7, draws=1000, clusters=60, is_rate=False)
    blind = given._replace(standard_error=given.sd / np.sqrt(given.n), freedom=given.n - 1)
    low, high = find_intervals(blind, np.zeros(1000, dtype=np.bool_))
    assert ((low <= truth) & (truth <= high)).mean() < 0.9


# SB Table 1, airline, 200 conversations each: three dimensions, their total, and goodwill as SB Table 11 has it.
PUBLISHED = {
    "GPT-5": ((3.3050, 3.4950, 3.8200), 3.5400, 91.2, 0.456), "GPT-4o": ((2.6500, 2.6400, 3.2600), 2.8500, 72.2, 0.361),
    "GPT-4o mini": ((2.2150, 2.1750, 2.8000), 2.3967, 69.0, 0.345),
    "DeepSeek-V4-Pro": ((3.5000, 3.4050, 3.9150), 3.6067, 70.2, 0.351),
}  # fmt: skip


def test_totals_and_normalised_goodwill_are_the_papers(tmp_path: Path) -> None:
    talks = Talks()
    for number in range(200):
        talks.scenario(f"s{number:03}")
    for agent, (dimensions, _, goodwill, _) in PUBLISHED.items():
        scores = [spread(round(mean * 200)) for mean in dimensions]
        for number in range(200):
            name = talks.talk(f"{agent}-{number:03}", agent=agent, scenario_id=f"s{number:03}", messages=2)
            talks.judge(name, tuple(column[number] for column in scores))  # type: ignore[arg-type]
            talks.offer(name, "1:0", goodwill)
    tables: dict[type[Record], pa.Table] = {
        Conversation: pa.Table.from_pylist(talks.rows[Conversation], schema=arrow_schema(Conversation))
    }
    given = pa.Table.from_pylist(talks.rows[Score], schema=arrow_schema(Score))
    talks.rows[Judgment] = make_judgments(tables, given).to_pylist()
    rows = measure(talks, tmp_path)
    for agent, (dimensions, total, _, normalised) in PUBLISHED.items():
        found = [
            rows[agent, name, "industry", "airline"]["mean"] for name in ("interactional", "procedural", "distributive")
        ]
        assert found == pytest.approx(list(dimensions))
        assert round(rows[agent, "total", "industry", "airline"]["mean"], 4) == total
        assert round(rows[agent, "goodwill_normalised", "industry", "airline"]["mean"], 3) == normalised


def spread(points: int) -> list[int]:
    """200 whole scores that sum to so many points."""
    low, more = divmod(points, 200)
    return [low + (number < more) for number in range(200)]
