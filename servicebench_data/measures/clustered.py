"""Means whose standard errors know that conversations about one source dialogue are not independent.

Belongs here: clustered means, overall, by group and over strata, and their intervals. Not here: which measure of which
conversations; p-values (`inference.py`).

A mean's error is that of statsmodels' regression on a constant, with Student's t with G - 1 degrees of freedom for G
clusters; with one conversation per cluster that is the ordinary standard error. The mean over strata is our own, for
a regression gives all strata one factor for few clusters and knows no degrees of freedom by Satterthwaite.
"""

from typing import NamedTuple

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.inference import find_quantile, fit_clustered

ROUNDING = 1e-12


class Means(NamedTuple):
    """Means by group; what a group is too small for is not a number.

    Attributes:
        n: Values.
        clusters: Clusters among them.
        mean: Mean.
        sd: Standard deviation over the values.
        standard_error: Clustered standard error of the mean.
        freedom: Degrees of freedom of the interval.
    """

    n: Integers | Floats
    clusters: Integers | Floats
    mean: Floats
    sd: Floats
    standard_error: Floats
    freedom: Floats


def estimate_means(values: Floats, clusters: Integers, groups: Integers, count: int) -> Means:
    """Mean of each group with its clustered standard error.

    Args:
        values: Values without missing ones.
        clusters: Cluster of each value, from 0.
        groups: Group of each value, from 0.
        count: Number of groups.
    """
    parts = [describe_values(values[rows], clusters[rows]) for rows in split_groups(groups, count)]
    return Means(*(np.array([part[place] for part in parts]) for place in range(len(Means._fields))))


def split_groups(groups: Integers, count: int) -> list[Integers]:
    """Places of each group's values."""
    return np.split(np.argsort(groups, kind="stable"), np.cumsum(count_values(groups, count)))[:-1]


def describe_values(values: Floats, clusters: Integers) -> tuple[int, int, float, float, float, float]:
    """What `Means` has of one group."""
    n, size = len(values), len(np.unique(clusters))
    if n == 0:
        return 0, 0, np.nan, np.nan, np.nan, np.nan
    mean = float(values.mean())
    sd = float(np.std(take_residuals(values, mean), ddof=1)) if n > 1 else np.nan
    if size < 2:
        return n, size, mean, sd, np.nan, np.nan
    error = float(fit_clustered(values, np.ones(n), clusters).bse[0])
    return n, size, mean, sd, error if error > ROUNDING * max(abs(mean), 1.0) else 0.0, size - 1.0


def take_residuals(values: Floats, means: Floats | float) -> Floats:
    """What is left of the values without the means; rounding that stands for nothing is nothing."""
    left = values - means
    return np.where(np.abs(left) < ROUNDING * np.maximum(np.abs(values), 1.0), 0.0, left)


def estimate_mean(values: Floats, clusters: Integers) -> Means:
    """Mean of all values; arrays of one."""
    return estimate_means(values, clusters, np.zeros(len(values), dtype=np.int64), 1)


def estimate_macro(values: Floats, clusters: Integers, strata: Integers, count: int) -> Means:
    """Unweighted mean over strata; arrays of one, not a number where a stratum has no value.

    A cluster may lie in several strata. Degrees of freedom by Satterthwaite over the strata.
    """
    by, whole = estimate_means(values, clusters, strata, count), estimate_mean(values, clusters)
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.sqrt(by.clusters / (by.clusters - 1.0)) / (by.n * count)
        sums = np.bincount(clusters, take_residuals(values, by.mean[strata]) * scale[strata])
        parts = by.standard_error**2
        freedom = parts.sum() ** 2 / (parts**2 / by.freedom).sum()
    error = np.sqrt((sums**2).sum()) if (by.clusters > 1).all() else np.nan
    return whole._replace(
        mean=np.array([by.mean.mean()]),
        standard_error=np.array([error]),
        freedom=np.array([freedom if np.isfinite(freedom) else by.freedom.sum()]),
    )


def count_values(groups: Integers, count: int) -> Integers:
    """Number of values of each group."""
    return np.bincount(groups, minlength=count).astype(np.int64)


def sum_clusters(values: Floats, clusters: Integers, groups: Integers) -> tuple[Integers, Floats]:
    """Sum of the values of each cluster within each group: the group and the sum."""
    width = int(clusters.max(initial=0)) + 1
    cells, places = np.unique(groups * width + clusters, return_inverse=True)
    return (cells // width).astype(np.int64), np.bincount(places, values, len(cells)).astype(np.float64)


def find_interval(means: Means) -> tuple[Floats, Floats]:
    """Ends of the 95% interval of each mean by Student's t.

    None where the error is 0: values, or clusters, that are all alike show no uncertainty, and not that there is none.
    """
    known = means.standard_error > 0
    reach = np.where(known, find_quantile(means.freedom), np.nan)
    return means.mean - reach * means.standard_error, means.mean + reach * means.standard_error


def draw_counts(clusters: int, draws: int, seed: int) -> Floats:
    """How often each cluster is in each of the bootstrap's resamples: one row per resample."""
    counts = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), draws)
    return counts.astype(np.float64)
