"""95% intervals of means and rates from their clustered standard errors.

Belongs here: Wilson's interval, the design effect, and which interval is taken. Not here: the standard errors
(`means.sql`), or Student's t (`clustered.py`).

A mean has mean ± t times its standard error, none where that is 0. A rate has Wilson's interval at n over
the design effect, with the adjustment of Korn and Graubard for few clusters, and never at more than n; where all values
are alike the design effect cannot be seen, and each cluster counts as one observation.
"""

import numpy as np
from numpy.typing import NDArray

from servicebench_data.journeys.arrays import Floats
from servicebench_data.measures.clustered import Means, find_interval
from servicebench_data.measures.inference import find_quantile, find_wilson

DIGITS = 12


def find_design_effect(given: Means) -> Floats:
    """Squared standard error over that of as many independent values; not a number where the values are alike."""
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = given.standard_error**2 * given.n / given.sd**2
    return np.where(given.sd > 0, effect, np.nan)


def find_wilson_interval(given: Means) -> tuple[Floats, Floats]:
    """Ends of the interval of each rate."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = given.n / find_design_effect(given) * (find_quantile(given.n - 1) / find_quantile(given.freedom)) ** 2
    size = np.where(np.isfinite(size), np.minimum(size, given.n), given.clusters)
    known = np.isfinite(given.standard_error) & (size > 0)
    low, high = np.full(len(size), np.nan), np.full(len(size), np.nan)
    if known.any():
        count = np.clip(given.mean * size, 0, size)
        low[known], high[known] = find_wilson(count[known], size[known])
    return low, high


def find_intervals(given: Means, rates: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Ends of each interval: Wilson's for rates, by t for means; last digits are rounded away."""
    by_t, by_wilson = find_interval(given), find_wilson_interval(given)
    low: Floats = np.where(rates, by_wilson[0], by_t[0])
    high: Floats = np.where(rates, by_wilson[1], by_t[1])
    return low.round(DIGITS), high.round(DIGITS)
