"""Judges and people on made ratings: tables against other ways of computing, and statuses at their borders."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
import statsmodels.formula.api as smf
from pandas import DataFrame
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from schemas.judging import Rating, Score
from schemas.measures_ratings import (
    CustomerRealism,
    JudgeCalibration,
    JudgeStatus,
    JudgeValidity,
    RaterAgreement,
)
from servicebench_data.journeys.kappas import Estimate
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.calibration import make_judge_calibration
from servicebench_data.measures.judge_status import Evidence, judge_judge, make_judge_status
from servicebench_data.measures.labels import find_labels
from servicebench_data.measures.making import add_made
from servicebench_data.measures.raters import average_pairs, make_rater_agreement
from servicebench_data.measures.realism import make_customer_realism
from servicebench_data.measures.validity import make_judge_validity
from tests.measures.people import EXPERIMENT, Made, clip, draw_people
from tests.measures.stored import VERSION

COUNT = 120


pytestmark = pytest.mark.usefixtures("few_draws")


def make_made(seed: int = 3) -> tuple[Made, dict[int, int], list[dict[int, int]]]:
    """Three people and a judge half a point above them, on two conversations for each scenario."""
    quality, people = draw_people(seed, COUNT, 3)
    judge = clip(quality + 0.5 + np.random.default_rng(seed + 1).normal(0, 0.7, COUNT))
    made = Made([place // 2 for place in range(COUNT)]).judge("j", judge)
    for name, scores in zip(("Ann", "Bo", "Cy"), people, strict=True):
        made.rate(name, scores)
    return made, judge, people


def correlate(left: Any, right: Any) -> float:
    found: Any = stats.spearmanr(left, right)
    return float(found.statistic)


def as_rows(scores: list[dict[int, int]]) -> Any:
    return np.array([[given[place] for given in scores] for place in range(COUNT)], dtype=np.float64)


def read_validity(made: Made, folder: Path) -> dict[tuple[str, str], JudgeValidity]:
    with made.open(folder) as connection:
        rows = to_records(JudgeValidity, make_judge_validity(connection, EXPERIMENT))
    return {(row.dimension, row.measure): row for row in rows}


def test_validity_is_what_the_libraries_say(tmp_path: Path) -> None:
    made, judge, people = make_made()
    found = read_validity(made, tmp_path)
    given, mean = np.array(list(judge.values()), dtype=np.float64), as_rows(people).mean(axis=1)
    rounded = np.floor(mean + 0.5).astype(int)
    wanted = {
        "spearman": correlate(given, mean),
        "quadratic_kappa": cohen_kappa_score(given.astype(int), rounded, labels=[1, 2, 3, 4, 5], weights="quadratic"),
        "mean_absolute_error": np.abs(given - mean).mean(),
        "bias": (given - mean).mean(),
        "krippendorff_alpha": krippendorff.alpha(
            np.column_stack([as_rows(people), given]).T, level_of_measurement="ordinal"
        ),
    }
    for name, value in wanted.items():
        row = found["procedural", name]
        assert row.value == pytest.approx(value, abs=1e-9)
        assert row.low is not None
        assert row.high is not None
        assert row.low < value < row.high
        assert (row.transcripts, row.raters, row.ratings_per_transcript, row.clusters) == (COUNT, 3, 3, COUNT // 2)
    assert len(found) == 4 * 5


def test_the_ceiling_is_each_person_against_the_mean_of_the_others(tmp_path: Path) -> None:
    made, _, people = make_made()
    table = as_rows(people)
    others = [np.delete(table, place, axis=1).mean(axis=1) for place in range(3)]
    wanted = np.mean([correlate(table[:, place], others[place]) for place in range(3)])
    errors = np.mean([np.abs(table[:, place] - others[place]).mean() for place in range(3)])
    found = read_validity(made, tmp_path)
    assert found["distributive", "spearman"].ceiling == pytest.approx(wanted, abs=1e-9)
    assert found["distributive", "mean_absolute_error"].ceiling == pytest.approx(errors, abs=1e-9)
    assert found["distributive", "bias"].ceiling is None
    alone = krippendorff.alpha(table.T, level_of_measurement="ordinal")
    assert found["distributive", "krippendorff_alpha"].ceiling == pytest.approx(alone, abs=1e-9)


def test_a_single_person_is_no_ceiling(tmp_path: Path) -> None:
    made = Made(range(12)).judge("j", {place: 1 + place % 5 for place in range(12)})
    made.rate("Ann", {place: 1 + (place + 1) % 5 for place in range(12)})
    row = read_validity(made, tmp_path)["total", "spearman"]
    assert row.value is not None
    assert row.ceiling is None


def test_only_current_ratings_and_common_conversations_enter(tmp_path: Path) -> None:
    made = Made(range(14)).judge("j", {place: 1 + place % 5 for place in range(12)})
    made.rate("Ann", {place: 1 + place % 5 for place in range(10)}).rate("Ann", {10: 1, 11: 5}, state="stale")
    made.rate("Ann", {12: 1, 13: 2})
    row = read_validity(made, tmp_path)["total", "mean_absolute_error"]
    assert (row.transcripts, row.value) == (10, 0)


def test_without_ratings_only_statuses_have_rows(tmp_path: Path) -> None:
    made = (
        Made(range(3)).judge("j", {0: 1, 1: 2, 2: 3}).judge("rules", {0: 1}, made_by="offline").judge("mute", {0: None})
    )
    with made.open(tmp_path) as connection:
        makers = (make_judge_validity, make_rater_agreement, make_judge_calibration, make_customer_realism)
        assert [make(connection, EXPERIMENT).num_rows for make in makers] == [0, 0, 0, 0]
        statuses = read_statuses(connection)
        assert make_judge_status(connection, "another").num_rows == 0
    assert {name: row.status for name, row in statuses.items()} == {
        "j": "not_validated", "rules": "offline", "mute": "not_validated",
    }  # fmt: skip


def read_statuses(connection: Any) -> dict[str, JudgeStatus]:
    return {row.judge: row for row in to_records(JudgeStatus, make_judge_status(connection, EXPERIMENT))}


def find_status(made: Made, folder: Path) -> JudgeStatus:
    with made.open(folder) as connection:
        return read_statuses(connection)["j"]


def make_rated(conversations: int, raters: int) -> Made:
    """A judge that people agree with on all conversations but for a little noise."""
    quality, people = draw_people(5, conversations, raters)
    made = Made(range(conversations)).judge("j", clip(quality))
    for place, scores in enumerate(people):
        made.rate(f"person {place}", scores)
    return made


@pytest.mark.parametrize(
    ("conversations", "raters", "status", "words"),
    [
        (100, 3, "validated", "Spearman"),
        (99, 3, "not_validated", "99 conversations"),
        (100, 2, "not_validated", "0 conversations"),
        (120, 4, "validated", "120 conversations"),
    ],
)
def test_a_judge_is_validated_from_a_hundred_conversations_with_three_people_on(
    tmp_path: Path, conversations: int, raters: int, status: str, words: str
) -> None:
    found = find_status(make_rated(conversations, raters), tmp_path)
    assert found.status == status
    assert words in found.reason
    assert found.transcripts == (conversations if raters >= 3 else 0)


def test_conversations_that_only_two_people_rated_do_not_count(tmp_path: Path) -> None:
    made = make_rated(100, 3)
    made.rows[Rating] = [
        row for row in made.rows[Rating] if (row["rater"], row["conversation_id"]) != ("person 2", "c0000")
    ]
    found = find_status(made, tmp_path)
    assert (found.status, found.transcripts) == ("not_validated", 99)


def test_one_dimension_that_is_not_rated_leaves_a_conversation_out(tmp_path: Path) -> None:
    made = make_rated(100, 3)
    made.rows[Rating].pop()
    assert find_status(made, tmp_path).transcripts == 99


def test_a_constant_judge_is_refused_whoever_agrees(tmp_path: Path) -> None:
    made = Made(range(100)).judge("j", dict.fromkeys(range(100), 5))
    found = find_status(made, tmp_path)
    assert found.status == "refused"
    assert "do not vary" in found.reason
    few = Made(range(19)).judge("j", dict.fromkeys(range(19), 5))
    assert find_status(few, tmp_path).status == "not_validated"


def test_a_judge_that_is_constant_on_one_dimension_is_refused(tmp_path: Path) -> None:
    varied = {place: 1 + place % 5 for place in range(30)}
    made = Made(range(30)).judge("j", varied, dimensions=("interactional", "procedural"))
    made.judge("j", dict.fromkeys(range(30), 4), dimensions=("distributive",))
    found = find_status(made, tmp_path)
    assert (found.status, "4 on distributive" in found.reason) == ("refused", True)


@pytest.mark.parametrize(
    ("spearman", "transcripts", "status"),
    [
        (Estimate(0.5, 0.3, 0.7), 100, "validated"),
        (Estimate(math.nextafter(0.5, 0), 0.3, 0.7), 100, "refused"),
        (Estimate(math.nextafter(0.5, 0), 0.3, 0.7), 10, "refused"),
        (Estimate(0.5, 0.3, 0.7), 99, "not_validated"),
        (Estimate(0.3, None, None), 10, "refused"),
        (Estimate(None, None, None), 9, "not_validated"),
        (Estimate(None, None, None), 100, "not_validated"),
        (Estimate(-0.4, -0.6, 0.0), 60, "refused"),
    ],
)
def test_the_border_of_the_rank_correlation(spearman: Estimate, transcripts: int, status: str) -> None:
    assert judge_judge(Evidence(False, "", transcripts, 3, spearman))[0] == status


def test_a_judge_that_contradicts_people_is_refused(tmp_path: Path) -> None:
    quality, people = draw_people(5, 100, 3)
    made = Made(range(100)).judge("j", clip(6 - quality))
    for place, scores in enumerate(people):
        made.rate(f"person {place}", scores)
    found = find_status(made, tmp_path)
    assert found.status == "refused"
    assert found.spearman is not None
    assert found.spearman < -0.5


@pytest.mark.parametrize(
    ("conversations", "judge", "words"),
    [
        (100, "as people", []),
        (99, "as people", ["judge not validated"]),
        (100, "constant", ["judge not validated", "judge refused"]),
    ],
)
def test_agents_numbers_carry_the_status_of_their_judges(
    tmp_path: Path, conversations: int, judge: str, words: list[str]
) -> None:
    made = make_rated(conversations, 3)
    if judge == "constant":
        made.rows[Score].clear()
        made.judge("j", dict.fromkeys(range(conversations), 5))
    made.ensemble()
    with made.open(tmp_path) as connection:
        add_made(connection, JudgeStatus, make_judge_status(connection, EXPERIMENT))
        labels = find_labels(connection, EXPERIMENT)
    assert len(labels) == 1
    assert [label for entry in labels.values() for label in entry.justice if label.startswith("judge")] == words


def test_a_refusal_tells_its_number_interval_and_n(tmp_path: Path) -> None:
    quality, people = draw_people(5, 24, 3)
    made = Made(range(24)).judge("j", clip(6 - quality))
    for place, scores in enumerate(people):
        made.rate(f"person {place}", scores)
    found = find_status(made, tmp_path)
    assert (found.status, found.transcripts) == ("refused", 24)
    assert (found.spearman or 0) < 0
    interval = f"{found.spearman:.3f} [{found.spearman_low:.3f}, {found.spearman_high:.3f}]"
    assert found.reason == f"Spearman with people is {interval} over 24 conversations, below 0.5"


@pytest.mark.parametrize(("rated", "status"), [(9, "not_validated"), (10, "refused")])
def test_a_total_that_is_alike_wherever_people_rated_is_refused_from_ten_on(
    tmp_path: Path, rated: int, status: str
) -> None:
    made = Made(range(12)).judge("j", {place: 3 if place < rated else 1 for place in range(12)})
    for rater in ("Ann", "Bo", "Cy"):
        made.rate(rater, {place: 1 + place % 5 for place in range(rated)})
    found = find_status(made, tmp_path)
    assert (found.status, found.spearman, found.transcripts) == (status, None, rated)
    assert ("do not vary: each of 10 rated conversations has 3 in total" in found.reason) == (rated == 10)


def test_people_who_give_all_the_same_refuse_nobody(tmp_path: Path) -> None:
    made = Made(range(12)).judge("j", {place: 1 + place % 5 for place in range(12)})
    for rater in ("Ann", "Bo", "Cy"):
        made.rate(rater, dict.fromkeys(range(12), 4))
    assert find_status(made, tmp_path).status == "not_validated"


def test_versions_of_grading_never_mix(tmp_path: Path) -> None:
    made = make_rated(100, 3).judge("j", dict.fromkeys(range(100), 3), version="2-1-made")
    with made.open(tmp_path) as connection:
        rows = to_records(JudgeStatus, make_judge_status(connection, EXPERIMENT))
    assert {row.grading_version: row.status for row in rows} == {VERSION: "validated", "2-1-made": "refused"}


def read_agreement(made: Made, folder: Path) -> Mapping[tuple[str, str, str, str], RaterAgreement]:
    with made.open(folder) as connection:
        rows = to_records(RaterAgreement, make_rater_agreement(connection, EXPERIMENT))
    return {(row.question, row.measure, row.rater_a, row.rater_b): row for row in rows}


def test_people_agree_as_scipy_says_and_the_mean_is_over_pairs(tmp_path: Path) -> None:
    made, _, people = make_made()
    found = read_agreement(made, tmp_path)
    table = as_rows(people)
    pairs = {
        ("Ann", "Bo"): correlate(table[:, 0], table[:, 1]),
        ("Ann", "Cy"): correlate(table[:, 0], table[:, 2]),
        ("Bo", "Cy"): correlate(table[:, 1], table[:, 2]),
    }
    for pair, value in pairs.items():
        assert found["interactional", "spearman", *pair].value == pytest.approx(value, abs=1e-9)
    mean = found["interactional", "mean_pairwise_spearman", "all", "all"]
    assert mean.value == pytest.approx(np.mean(list(pairs.values())), abs=1e-9)
    others = found["interactional", "against_others", "Cy", "others"]
    assert others.value == pytest.approx(correlate(table[:, 2], table[:, :2].mean(axis=1)), abs=1e-9)


#: The paper's Table 14: Spearman of three pairs of people by dimension, and the mean that it prints.
TABLE_14 = [
    ((0.870, 0.779, 0.774), 0.808),
    ((0.903, 0.810, 0.763), 0.825),
    ((0.766, 0.758, 0.791), 0.772),
]


@pytest.mark.parametrize(("pairs", "printed"), TABLE_14)
def test_the_mean_over_pairs_is_the_papers(pairs: tuple[float, ...], printed: float) -> None:
    assert average_pairs([np.array([value]) for value in pairs])[0] == pytest.approx(printed, abs=0.0005 + 1e-9)


def test_people_who_share_no_conversation_have_no_correlation(tmp_path: Path) -> None:
    made = Made(range(20)).rate("Ann", {place: 1 + place % 5 for place in range(10)})
    made.rate("Bo", {place: 1 + place % 5 for place in range(10, 20)})
    found = read_agreement(made, tmp_path)
    row = found["procedural", "spearman", "Ann", "Bo"]
    assert (row.value, row.transcripts) == (None, 0)
    assert found["procedural", "mean_pairwise_spearman", "all", "all"].value is None
    assert found["procedural", "krippendorff_alpha", "all", "all"].value is None


def test_one_person_agrees_with_nobody(tmp_path: Path) -> None:
    assert read_agreement(Made(range(5)).rate("Ann", {0: 1, 1: 2, 2: 3}), tmp_path) == {}


def test_calibration_is_the_regression_with_errors_by_cluster(tmp_path: Path) -> None:
    made, judge, people = make_made()
    with made.open(tmp_path) as connection:
        rows = to_records(JudgeCalibration, make_judge_calibration(connection, EXPERIMENT))
    row = next(row for row in rows if row.dimension == "procedural")
    data = DataFrame(
        {
            "judge": list(judge.values()),
            "people": as_rows(people).mean(axis=1),
            "cluster": [place // 2 for place in range(COUNT)],
        }
    )
    slope, intercept = np.polyfit(data["judge"], data["people"], 1)
    assert (row.slope, row.intercept) == (pytest.approx(slope), pytest.approx(intercept))
    error = find_clustered_error(data)
    reach = stats.t.ppf(0.975, COUNT // 2 - 1) * error
    assert row.slope_low == pytest.approx(slope - reach)
    assert row.slope_high == pytest.approx(slope + reach)
    assert row.r_squared == pytest.approx(smf.ols("people ~ judge", data).fit().rsquared)


def find_clustered_error(data: DataFrame) -> float:
    """Standard error of the slope by the sandwich, written out."""
    x = np.column_stack([np.ones(len(data)), data["judge"]])
    bread = np.linalg.inv(x.T @ x)
    left = data["people"].to_numpy() - x @ (bread @ x.T @ data["people"].to_numpy())
    sums = np.array([(x[rows] * left[rows, None]).sum(axis=0) for rows in group(data["cluster"].to_numpy())])
    n, clusters = len(data), len(sums)
    factor = clusters / (clusters - 1) * (n - 1) / (n - 2)
    return float(np.sqrt((factor * bread @ (sums.T @ sums) @ bread)[1, 1]))


def group(clusters: Any) -> list[Any]:
    return [np.flatnonzero(clusters == name) for name in np.unique(clusters)]


def test_a_planted_line_is_found(tmp_path: Path) -> None:
    draws = np.random.default_rng(11)
    judge = {place: int(value) for place, value in enumerate(draws.integers(1, 6, 800))}
    people = clip(1.5 + 0.5 * np.array(list(judge.values())) + draws.normal(0, 0.3, 800))
    made = Made(range(800)).judge("j", judge).rate("Ann", people)
    with made.open(tmp_path) as connection:
        rows = to_records(JudgeCalibration, make_judge_calibration(connection, EXPERIMENT))
    assert rows[0].slope == pytest.approx(0.5, abs=0.05)
    assert rows[0].intercept == pytest.approx(1.5, abs=0.15)


@pytest.mark.parametrize("scores", [dict.fromkeys(range(30), 3), {place: 1 + place % 5 for place in range(9)}])
def test_a_constant_judge_or_few_clusters_have_no_line(tmp_path: Path, scores: dict[int, int]) -> None:
    made = Made(range(30)).judge("j", scores).rate("Ann", {place: 1 + place % 4 for place in range(30)})
    with made.open(tmp_path) as connection:
        rows = to_records(JudgeCalibration, make_judge_calibration(connection, EXPERIMENT))
    assert {(row.slope, row.intercept, row.r_squared) for row in rows} == {(None, None, None)}


def test_realism_is_the_mean_over_conversations_of_the_means_over_people(tmp_path: Path) -> None:
    made = Made([0, 1, 2]).rate("Ann", {0: 1, 1: 5, 2: 3}, "realism_overall").rate("Bo", {0: 2}, "realism_overall")
    with made.open(tmp_path) as connection:
        rows = to_records(CustomerRealism, make_customer_realism(connection, EXPERIMENT))
    found = {(row.by, row.value): row for row in rows}
    assert set(found) == {("all", "all"), ("style", "passive_cold"), ("industry", "hotel")}
    row = found["all", "all"]
    assert row.mean == pytest.approx((1.5 + 5 + 3) / 3)
    assert (row.n, row.ratings, row.raters, row.clusters) == (3, 4, 2, 3)
    reach = stats.t.ppf(0.975, 2) * stats.sem([1.5, 5, 3])
    assert (row.low, row.high) == (pytest.approx(row.mean - reach), pytest.approx(row.mean + reach))
