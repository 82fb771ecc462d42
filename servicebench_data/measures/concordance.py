"""How well scores go together: rank correlation, quadratic kappa, error and bias, over resamples of conversations.

Belongs here: the coefficients by scipy, scikit-learn and statsmodels, each for many resamples. Not here: whose scores
are compared; Krippendorff's alpha and intervals (`journeys/kappas.py`).

A row of weights says how often each conversation is in a resample. Whole source dialogues are drawn, so that resamples
differ in size; those of one size go to a library in one call.
"""

import warnings
from collections.abc import Callable

import numpy as np

from servicebench_data.journeys import kappas
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.journeys.kappas import DIGITS, Estimate
from servicebench_data.measures.clustered import draw_counts

DRAWS = 2000
SEED = 20260101
#: With fewer source dialogues than this the bootstrap's intervals are too short to be shown.
LEAST_CLUSTERS = 10
#: Fewer pairs than this say nothing about rank order.
LEAST_PAIRS = 3

#: A coefficient of two rows of scores, for each row of weights.
Compare = Callable[[Floats, Floats, Floats], Floats]


def draw_weights(clusters: Integers) -> Floats:
    """Weights of the conversations: all of them once, then resamples of whole clusters.

    Args:
        clusters: Cluster of each conversation.
    """
    names, places = np.unique(clusters, return_inverse=True)
    counts = draw_counts(len(names), DRAWS, SEED)[:, places]
    return np.vstack([np.ones(len(clusters)), counts])


def estimate(values: Floats, clusters: Integers) -> Estimate:
    """The value over all conversations, with an interval where they are of enough clusters.

    Args:
        values: A coefficient for each row of `draw_weights`.
        clusters: Cluster of each conversation.
    """
    found = kappas.estimate(values)
    return found if len(np.unique(clusters)) >= LEAST_CLUSTERS else Estimate(found.value, None, None)


def resample(compute: Callable[[Floats, Floats], Floats], left: Floats, right: Floats, weights: Floats) -> Floats:
    """A statistic of each resample; not a number of an empty one.

    Args:
        compute: What gives a number for each row of two tables, by resample and drawn conversation.
        left: Scores.
        right: Scores to compare with.
        weights: How often each conversation is drawn, by resample.
    """
    found, counts = np.full(len(weights), np.nan), weights.astype(np.int64)
    sizes = counts.sum(axis=1)
    for size in np.unique(sizes[sizes > 0]):
        rows = np.flatnonzero(sizes == size)
        drawn = np.repeat(np.tile(np.arange(len(left)), len(rows)), counts[rows].ravel()).reshape(-1, size)
        found[rows] = compute(left[drawn], right[drawn])
    return found


def compute_spearman(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation; not a number where one side is constant. Means that differ by rounding tie."""
    return resample(correlate, left.round(DIGITS), right.round(DIGITS), weights)


def correlate(left: Floats, right: Floats) -> Floats:
    """Rank correlation of each two rows."""
    if left.shape[1] < LEAST_PAIRS:
        return np.full(len(left), np.nan)
    stats = load_library("scipy.stats")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", stats.ConstantInputWarning)
        return stats.spearmanrho(left, right, axis=1).statistic


def compute_kappa(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Cohen's kappa with quadratic weights."""
    return kappas.compute_kappa(left, right, weights, "interval")


def compute_error(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Mean absolute difference."""
    return resample(average_apart, left, right, weights)


def average_apart(left: Floats, right: Floats) -> Floats:
    """Mean absolute difference of each two rows."""
    return load_library("sklearn.metrics").mean_absolute_error(left.T, right.T, multioutput="raw_values")


def compute_bias(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Mean of the first less the second."""
    return resample(subtract_means, left, right, weights)


def subtract_means(left: Floats, right: Floats) -> Floats:
    """Mean of the first less that of the second, of each two rows."""
    return left.mean(axis=1) - right.mean(axis=1)


def round_up(scores: Floats) -> Floats:
    """Means of people as whole scores, halves up."""
    return np.floor(scores + 0.5 + 1e-9)
