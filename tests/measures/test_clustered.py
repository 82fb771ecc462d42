"""Clustered means: equal to what other libraries compute, and their intervals hold the truth as often as they say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.measures.clustered import estimate_macro, estimate_mean, estimate_means, find_interval
from servicebench_data.measures.intervals import find_intervals
from tests.measures.worlds import is_covered

DRAWS = 1000


def draw_clusters(draws: int, clusters: int, size: int, seed: int = 1) -> tuple[Floats, Integers, Integers]:
    """Values with much in common within clusters, their clusters and the draw of each; the true mean is 3."""
    random = np.random.default_rng(seed)
    shared = random.normal(0, 1, (draws, clusters, 1))
    values = 3 + shared + random.normal(0, 0.7, (draws, clusters, size))
    places = np.broadcast_to(np.arange(clusters)[None, :, None], values.shape).ravel()
    return values.ravel(), places, np.repeat(np.arange(draws), clusters * size)


def test_an_error_is_what_a_regression_with_clusters_gives() -> None:
    values, clusters, _ = draw_clusters(1, 12, 5)
    kept = np.arange(len(values)) % 7 != 0
    found = estimate_mean(values[kept], clusters[kept])
    model = load_library("statsmodels.regression.linear_model").OLS(values[kept], np.ones(kept.sum()))
    other = model.fit(cov_type="cluster", cov_kwds={"groups": clusters[kept]}, use_t=True)
    assert found.mean[0] == pytest.approx(other.params[0])
    assert found.standard_error[0] == pytest.approx(other.bse[0])
    assert np.ravel(find_interval(found)) == pytest.approx(other.conf_int()[0])


def test_single_values_per_cluster_give_the_ordinary_error() -> None:
    values = np.array([1.0, 2.0, 2.0, 5.0])
    found = estimate_mean(values, np.arange(4))
    assert found.standard_error[0] == pytest.approx(values.std(ddof=1) / 2)
    assert (found.n[0], found.clusters[0], found.freedom[0]) == (4, 4, 3)


@given(st.lists(st.tuples(st.floats(1, 5), st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=40))
def test_groups_are_as_if_alone(rows: list[tuple[float, int, int]]) -> None:
    values, clusters, groups = (np.array(column) for column in zip(*rows, strict=True))
    found = estimate_means(values, clusters, groups, 3)
    for group in range(3):
        kept = groups == group
        if not kept.any():
            assert np.isnan(found.mean[group])
            continue
        alone = estimate_mean(values[kept], clusters[kept])
        for column, other in zip(found, alone, strict=True):
            assert column[group] == pytest.approx(other[0], nan_ok=True)


def test_one_cluster_has_no_error_and_alike_values_no_interval() -> None:
    assert np.isnan(estimate_mean(np.array([1.0, 2.0]), np.array([0, 0])).standard_error[0])
    alike = estimate_mean(np.array([0.1, 0.1, 0.1]), np.arange(3))
    assert alike.standard_error[0] == 0
    assert np.isnan(find_interval(alike)).all()


def test_clusters_that_are_alike_leave_no_interval_though_their_values_differ() -> None:
    found = estimate_mean(np.array([2.0, 4.0, 2.0, 4.0]), np.array([0, 0, 1, 1]))
    assert (found.standard_error[0], found.sd[0]) == (0, pytest.approx(np.sqrt(4 / 3)))
    assert np.isnan(find_interval(found)).all()
    assert np.isnan(find_intervals(found, np.zeros(1, dtype=np.bool_))).all()


def test_the_macro_mean_weighs_strata_alike_and_adds_their_variances() -> None:
    values, clusters = np.array([1.0, 2.0, 3.0, 5.0, 4.0, 6.0]), np.arange(6)
    strata = np.array([0, 0, 0, 0, 1, 1])
    found = estimate_macro(values, clusters, strata, 2)
    assert found.mean[0] == pytest.approx((2.75 + 5) / 2)
    parts = values[:4].var(ddof=1) / 4, values[4:].var(ddof=1) / 2
    assert found.standard_error[0] == pytest.approx(np.sqrt(sum(parts)) / 2)
    assert found.freedom[0] == pytest.approx(sum(parts) ** 2 / (parts[0] ** 2 / 3 + parts[1] ** 2 / 1))


def test_a_cluster_in_two_strata_counts_once() -> None:
    values, strata = np.array([1.0, 2.0, 3.0, 1.0, 2.0, 3.0]), np.repeat([0, 1], 3)
    shared = estimate_macro(values, np.tile(np.arange(3), 2), strata, 2).standard_error[0]
    apart = estimate_macro(values, np.arange(6), strata, 2).standard_error[0]
    assert shared == pytest.approx(apart * np.sqrt(2))


def test_an_empty_stratum_leaves_no_macro_mean() -> None:
    assert np.isnan(estimate_macro(np.array([1.0, 2.0]), np.arange(2), np.zeros(2, dtype=np.int64), 2).mean[0])


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    values, clusters, draws = draw_clusters(DRAWS, 30, 4)
    assert 0.93 <= is_covered(*find_interval(estimate_means(values, clusters, draws, DRAWS)), 3) <= 0.97
    every = np.arange(len(values)) % (30 * 4)
    assert is_covered(*find_interval(estimate_means(values, every, draws, DRAWS)), 3) < 0.85  # without clusters


def test_macro_intervals_hold_the_truth_as_often_as_they_say() -> None:
    values, clusters, _ = draw_clusters(DRAWS, 40, 3)
    strata = np.repeat(np.repeat([0, 1, 2], [20, 12, 8]), 3)
    truths = np.array([1.0, 2.0, 6.0])
    table = values.reshape(DRAWS, -1) + truths[strata]
    found = [find_interval(estimate_macro(row, clusters[: len(strata)], strata, 3)) for row in table]
    low, high = np.array(found)[:, :, 0].T
    assert 0.93 <= is_covered(low, high, 6) <= 0.97
