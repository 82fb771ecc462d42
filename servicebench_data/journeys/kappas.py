"""Agreement beyond chance, Cohen's kappa and Krippendorff's alpha, over resamples; intervals from resamples.

Belongs here: the coefficients by statsmodels' kappa of a table, and what is made of resamples. Not here: whose codes or
scores they are, or how resamples are drawn.

A table counts pairs of values. Of two raters it has one pair for each item, and its kappa is Cohen's. Of any number it
has every ordered pair of an item's values, each by 1 / (raters of the item - 1): Krippendorff's coincidences. Their
kappa k is his alpha but for his allowance for N values, alpha = k + (1 - k) / N, so that only the table and ordinal
distances are our own. No library that may be shipped has alpha as it is needed: statsmodels, scipy and scikit-learn
have none; nltk's knows no ordinal distance and takes twenty times as long for a sample; `krippendorff` and
`agreement` are under the GPL. The tests compare with the former.
"""

from typing import Literal, NamedTuple

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers, load_library

INTERVAL = (0.025, 0.975)
#: With fewer resamples that have a value than this share there is no interval.
DEFINED_SHARE = 0.5
#: Means that differ by less differ by rounding.
DIGITS = 12

Metric = Literal["nominal", "ordinal", "interval"]


class Estimate(NamedTuple):
    """A value with its 95% interval; each is missing where it is undefined."""

    value: float | None
    low: float | None
    high: float | None


class Pairs(NamedTuple):
    """Pairs of values of one item.

    Attributes:
        item: Item of each.
        first: One value.
        second: The other.
        share: What the pair counts.
    """

    item: Integers
    first: Floats
    second: Floats
    share: Floats


NOTHING = Estimate(None, None, None)


def estimate(values: Floats) -> Estimate:
    """The value over all, which comes first, with the percentiles of the resamples' values that are numbers."""
    if not np.isfinite(values[0]):
        return NOTHING
    drawn = values[1:][np.isfinite(values[1:])]
    if len(drawn) == 0 or len(drawn) < DEFINED_SHARE * (len(values) - 1):
        return Estimate(float(values[0]), None, None)
    low, high = np.quantile(drawn, INTERVAL)
    return Estimate(float(values[0]), float(low), float(high))


def compute_kappa(left: Floats, right: Floats, weights: Floats, metric: Literal["nominal", "interval"]) -> Floats:
    """Cohen's kappa of two raters, by resample; not a number where both always say one thing.

    Args:
        left: One rater's values.
        right: The other's.
        weights: How often each item is drawn, by resample.
        metric: How far values are apart: not at all or entirely, or by squares, which makes the kappa of scores that
            are not whole Lin's concordance.
    """
    return compare(Pairs(np.arange(len(left)), left, right, np.ones(len(left))), weights, metric)


def compute_alpha(scores: Floats, weights: Floats, metric: Metric) -> Floats:
    """Krippendorff's alpha of any number of raters, by resample; not a number where only one value occurs.

    Args:
        scores: By item and rater; not a number where one did not rate.
        weights: How often each item is drawn, by resample.
        metric: How far values are apart: not at all or entirely, by ranks among all values, or by squares.
    """
    given = np.isfinite(scores)
    others = ~np.eye(scores.shape[1], dtype=np.bool_)
    item, first, second = np.nonzero(given[:, :, None] & given[:, None, :] & others)
    share = 1 / (given.sum(axis=1)[item] - 1)
    kappa = compare(Pairs(item, scores[item, first], scores[item, second], share), weights, metric)
    return kappa + (1 - kappa) / np.where(np.isfinite(kappa), weights[:, item] @ share, 1.0)


def compare(pairs: Pairs, weights: Floats, metric: Metric) -> Floats:
    """Kappa of each resample's table."""
    values, places = np.unique(np.stack([pairs.first, pairs.second]).round(DIGITS), return_inverse=True)
    cells, width = places[0] * len(values) + places[1], len(values)
    kappa = np.full(len(weights), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        for row, drawn in enumerate(weights[:, pairs.item] * pairs.share):
            if drawn.any():
                table = np.bincount(cells, drawn, width**2).astype(np.float64)
                kappa[row] = find_kappa(table.reshape(width, width), values, metric)
    return kappa


def find_kappa(table: Floats, values: Floats, metric: Metric) -> float:
    """Kappa of a table; of coincidences where the metric is ordinal."""
    find = load_library("statsmodels.stats.inter_rater").cohens_kappa
    if metric == "nominal":
        return find(table, return_results=False)
    counts: Floats = table.sum(axis=1)
    scores = counts.cumsum() - counts / 2 if metric == "ordinal" else values
    return find(table, weights=scores, wt="quadratic", return_results=False)
