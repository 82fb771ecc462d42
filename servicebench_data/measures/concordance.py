"""How well scores go together: rank correlation, quadratic kappa, error, bias, Krippendorff's alpha, over resamples.

Belongs here: the coefficients, each for many weightings of the conversations at once, and bootstrap intervals. Not
here: whose scores are compared.

A row of weights says how often each conversation is in a resample. Ranks, means and coincidences are computed from
them as matrices, for scipy, scikit-learn and the package `krippendorff` take one sample at a time, which makes 2,000
resamples of every judge and person a matter of minutes; the tests hold each coefficient against those libraries.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.clustered import draw_counts

DRAWS = 2000
SEED = 20260101
INTERVAL = (0.025, 0.975)
#: With fewer source dialogues than this the bootstrap's intervals are too short to be shown.
LEAST_CLUSTERS = 10
#: With fewer resamples that have a value than this share there is no interval.
DEFINED_SHARE = 0.5
#: Fewer pairs than this say nothing about rank order.
LEAST_PAIRS = 3

Metric = Literal["ordinal", "interval"]
#: A coefficient of two rows of scores, for each row of weights.
Compare = Callable[[Floats, Floats, Floats], Floats]


class Estimate(NamedTuple):
    """A value with its 95% interval; each is missing where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


NOTHING = Estimate(None, None, None)


def draw_weights(clusters: Integers) -> Floats:
    """Weights of the conversations: all of them once, then resamples of whole clusters.

    Args:
        clusters: Cluster of each conversation.
    """
    names, places = np.unique(clusters, return_inverse=True)
    counts = draw_counts(len(names), DRAWS, SEED)[:, places]
    return np.vstack([np.ones(len(clusters)), counts])


def estimate(values: Floats, clusters: Integers) -> Estimate:
    """The value over all conversations, which comes first, with the percentiles of the others.

    Args:
        values: A coefficient for each row of `draw_weights`.
        clusters: Cluster of each conversation.
    """
    if not np.isfinite(values[0]):
        return NOTHING
    drawn = values[1:][np.isfinite(values[1:])]
    if len(np.unique(clusters)) < LEAST_CLUSTERS or len(drawn) < DEFINED_SHARE * (len(values) - 1):
        return Estimate(float(values[0]), None, None)
    low, high = np.quantile(drawn, INTERVAL)
    return Estimate(float(values[0]), float(low), float(high))


def compute_spearman(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Spearman's rank correlation; not a number where one side is constant."""
    if len(left) < LEAST_PAIRS:
        return np.full(len(weights), np.nan)
    x, y = rank(left, weights), rank(right, weights)
    total = weights.sum(axis=1)
    x -= average(x, weights, total)
    y -= average(y, weights, total)
    below = np.sqrt((weights * x**2).sum(axis=1) * (weights * y**2).sum(axis=1))
    return np.clip(divide((weights * x * y).sum(axis=1), below), -1.0, 1.0)


def rank(values: Floats, weights: Floats) -> Floats:
    """Rank of each value within each resample; equal values share the middle of their places."""
    names, places = np.unique(values, return_inverse=True)
    counts = weights @ (places[:, None] == np.arange(len(names))).astype(np.float64)
    middle = counts.cumsum(axis=1) - (counts - 1) / 2
    return middle[:, places]


def average(values: Floats, weights: Floats, total: Floats) -> Floats:
    """Mean of each row by its weights, as a column."""
    return ((weights * values).sum(axis=1) / total)[:, None]


def compute_kappa(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Cohen's kappa with quadratic weights; of scores that are not whole it is Lin's concordance."""
    total = weights.sum(axis=1)
    x, y = weights @ left / total, weights @ right / total
    spread = weights @ left**2 / total - x**2 + weights @ right**2 / total - y**2
    return 1 - divide(weights @ (left - right) ** 2 / total, spread + (x - y) ** 2)


def compute_error(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Mean absolute difference."""
    return weights @ np.abs(left - right) / weights.sum(axis=1)


def compute_bias(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Mean of the first less the second."""
    return weights @ (left - right) / weights.sum(axis=1)


def compute_alpha(scores: Floats, weights: Floats, metric: Metric) -> Floats:
    """Krippendorff's alpha of any number of raters; not a number where only one value occurs.

    Args:
        scores: By conversation and rater; not a number where one did not rate.
        weights: By resample and conversation.
        metric: Whether scores differ by their ranks among all, or by their distance.
    """
    values = np.unique(scores[np.isfinite(scores)])
    given = (scores[:, :, None] == values).sum(axis=1).astype(np.float64)
    raters = given.sum(axis=1)
    paired = raters >= 2
    given, raters, weights = given[paired], raters[paired], weights[:, paired]
    pairs = given[:, :, None] * given[:, None, :] - given[:, :, None] * np.eye(len(values))
    flat = (pairs / (raters - 1)[:, None, None]).reshape(len(given), len(values) ** 2)
    together = (weights @ flat).reshape(len(weights), len(values), len(values))
    counts = together.sum(axis=2)
    apart = measure_distances(values, counts, metric)
    observed = (together * apart).sum(axis=(1, 2))
    expected = (counts[:, :, None] * counts[:, None, :] * apart).sum(axis=(1, 2))
    return 1 - divide(observed * (counts.sum(axis=1) - 1), expected)


def measure_distances(values: Floats, counts: Floats, metric: Metric) -> Floats:
    """Squared distance of each two values, by resample."""
    places = counts.cumsum(axis=1) - counts / 2 if metric == "ordinal" else np.broadcast_to(values, counts.shape)
    return (places[:, :, None] - places[:, None, :]) ** 2


def divide(above: Floats, below: Floats) -> Floats:
    """Quotients; not a number where there is nothing to divide by, up to rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 1e-9, above / below, np.nan)


def round_up(scores: Floats) -> Floats:
    """Means of people as whole scores, halves up."""
    return np.floor(scores + 0.5 + 1e-9)
