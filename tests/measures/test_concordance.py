"""The coefficients come out as the libraries have them, for every resample, and the intervals hold what they must."""

import warnings
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score, mean_absolute_error

from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.journeys.kappas import compute_alpha
from servicebench_data.measures import concordance
from servicebench_data.measures.concordance import (
    compute_bias,
    compute_error,
    compute_kappa,
    compute_spearman,
    draw_weights,
    estimate,
    round_up,
)

POINTS = st.integers(1, 5).map(float)
PAIRS = st.lists(st.tuples(POINTS, POINTS), min_size=3, max_size=25)
TABLES = st.lists(st.lists(st.one_of(st.just(float("nan")), POINTS), min_size=3, max_size=3), min_size=4, max_size=12)


def split(pairs: list[tuple[float, float]]) -> tuple[Floats, Floats]:
    table = np.array(pairs)
    return table[:, 0], table[:, 1]


def weigh(count: int, seed: int = 1) -> Floats:
    """All once, and a few resamples."""
    draws = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), 3)
    return np.vstack([np.ones(count), draws]).astype(np.float64)


def repeat(values: Floats, weights: Floats) -> Floats:
    """A resample as a library wants it."""
    return np.repeat(values, weights.astype(np.int64))


def correlate(left: Floats, right: Floats) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        found: Any = stats.spearmanr(left, right)
        return float(found.statistic)


@settings(max_examples=60)
@given(PAIRS)
def test_spearman_is_scipys_for_every_resample(pairs: list[tuple[float, float]]) -> None:
    left, right = split(pairs)
    weights = weigh(len(left))
    wanted = [correlate(repeat(left, row), repeat(right, row)) for row in weights]
    np.testing.assert_allclose(compute_spearman(left, right, weights), wanted, atol=1e-9)


def judge_kappa(left: Floats, right: Floats) -> float:
    """By scikit-learn; it divides by zero where both always say one thing."""
    if len({*left, *right}) == 1:
        return float("nan")
    labels = [1, 2, 3, 4, 5]
    return float(cohen_kappa_score(left.astype(int), right.astype(int), labels=labels, weights="quadratic"))


@settings(max_examples=60)
@given(PAIRS)
def test_kappa_is_scikit_learns_for_every_resample(pairs: list[tuple[float, float]]) -> None:
    left, right = split(pairs)
    weights = weigh(len(left))
    wanted = [judge_kappa(repeat(left, row), repeat(right, row)) for row in weights]
    np.testing.assert_allclose(compute_kappa(left, right, weights), wanted, atol=1e-9)


@settings(max_examples=30)
@given(PAIRS)
def test_error_and_bias_are_those_of_every_resample(pairs: list[tuple[float, float]]) -> None:
    left, right = split(pairs)
    weights = weigh(len(left))
    errors = [mean_absolute_error(repeat(left, row), repeat(right, row)) for row in weights]
    biases = [float(np.mean(repeat(left, row) - repeat(right, row))) for row in weights]
    np.testing.assert_allclose(compute_error(left, right, weights), errors, atol=1e-12)
    np.testing.assert_allclose(compute_bias(left, right, weights), biases, atol=1e-12)


def judge_alpha(scores: Floats, level: Any) -> float:
    """By the package `krippendorff`, which wants raters by items and refuses what has no value."""
    try:
        return float(krippendorff.alpha(scores.T, level_of_measurement=level))
    except (ValueError, ZeroDivisionError):
        return float("nan")


@pytest.mark.parametrize("metric", ["ordinal", "interval"])
@settings(max_examples=60, deadline=None)
@given(table=TABLES)
def test_alpha_is_krippendorffs_also_with_missing_scores(metric: Any, table: list[list[float]]) -> None:
    scores = np.array(table)
    paired = np.isfinite(scores).sum(axis=1) >= 2
    if len(np.unique(scores[paired][np.isfinite(scores[paired])])) < 2:
        return
    weights = weigh(len(scores))
    got = compute_alpha(scores, weights, metric)
    assert got[0] == pytest.approx(judge_alpha(scores, metric), abs=1e-9)
    for value, row in zip(got[1:], weights[1:], strict=True):
        drawn = np.repeat(scores, row.astype(np.int64), axis=0)
        left = drawn[np.isfinite(drawn).sum(axis=1) >= 2]
        if len(np.unique(left[np.isfinite(left)])) < 2:
            assert np.isnan(value)
        else:
            assert value == pytest.approx(judge_alpha(drawn, metric), abs=1e-9)


def test_a_worked_case_by_hand() -> None:
    left, right = np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 4, 3])
    once = np.ones((1, 4))
    assert compute_spearman(left, right, once)[0] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert compute_error(left, right, once)[0] == 0.5
    assert compute_kappa(left, right, once)[0] == pytest.approx(1 - 0.5 / 2.5)


@pytest.mark.parametrize("compute", [compute_spearman, compute_kappa])
def test_constant_scores_have_no_value(compute: Any) -> None:
    same = np.full(5, 3.0)
    assert np.isnan(compute(same, same, np.ones((1, 5)))[0])


def test_two_pairs_have_no_rank_correlation() -> None:
    assert np.isnan(compute_spearman(np.array([1.0, 2]), np.array([1.0, 2]), np.ones((1, 2)))[0])


def test_means_are_rounded_halves_up() -> None:
    assert round_up(np.array([2.5, 3.5, 10 / 3, 11 / 3, 1.0])).tolist() == [3, 4, 3, 4, 1]


def test_whole_clusters_are_drawn() -> None:
    clusters = np.array([0, 0, 1, 2, 2, 2])
    weights = draw_weights(clusters)
    assert weights.shape == (concordance.DRAWS + 1, 6)
    assert (weights[0] == 1).all()
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 3] == weights[:, 5]).all()
    assert (weights[1:, [0, 2, 3]].sum(axis=1) == 3).all()


@pytest.mark.parametrize(("count", "has_interval"), [(9, False), (10, True)])
def test_few_clusters_have_a_value_and_no_interval(count: int, has_interval: bool) -> None:
    clusters = np.arange(count)
    values = np.linspace(0, 1, concordance.DRAWS + 1)
    assert (estimate(values, clusters).low is not None) is has_interval
    assert estimate(values, clusters).value == 0.0


def test_what_most_resamples_lack_has_no_interval() -> None:
    values = np.full(concordance.DRAWS + 1, np.nan)
    values[:100] = 0.3
    assert estimate(values, np.arange(50)) == (pytest.approx(0.3), None, None)


def draw_clustered(draws: np.random.Generator, clusters: int, size: int) -> tuple[Floats, Floats, Integers]:
    """Made scores of a judge that stand half a point above people's, alike within a cluster."""
    places = np.repeat(np.arange(clusters), size)
    quality = draws.normal(0, 1, clusters)[places]
    shift = draws.normal(0.5, 0.6, clusters)[places]
    people = quality + draws.normal(0, 0.5, len(places))
    return people + shift + draws.normal(0, 0.5, len(places)), people, places


@pytest.mark.slow
def test_intervals_of_the_bias_hold_the_truth_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concordance, "DRAWS", 400)
    draws = np.random.default_rng(7)
    held = narrow = 0
    for _ in range(1000):
        judge, people, clusters = draw_clustered(draws, 60, 4)
        for places, name in ((clusters, "clusters"), (np.arange(len(judge)), "single")):
            found = estimate(compute_bias(judge, people, draw_weights(places)), places)
            assert found.low is not None
            assert found.high is not None
            if name == "clusters":
                held += found.low <= 0.5 <= found.high
            else:
                narrow += found.low <= 0.5 <= found.high
    assert 0.93 <= held / 1000 <= 0.97
    # What the clusters are for: conversations drawn one by one give intervals that are too short.
    assert narrow / 1000 < 0.85


@pytest.mark.slow
def test_intervals_of_the_rank_correlation_hold_the_truth_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concordance, "DRAWS", 400)
    draws, held = np.random.default_rng(8), 0
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman of two normal scores whose correlation is 0.6
    for _ in range(500):
        table = draws.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 120)
        places = np.arange(120)
        found = estimate(compute_spearman(table[:, 0], table[:, 1], draw_weights(places)), places)
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.93 <= held / 500 <= 0.97
