"""Quantiles, intervals of shares, regressions, p-values and their adjustment, over statsmodels and scipy.

Belongs here: the typed edge to those libraries. Not here: which tests are a family, or what is estimated.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Literal, cast

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers, load_library

Adjustment = Literal["holm", "fdr_bh"]


#: Share of intervals that are to hold the truth.
LEVEL = 0.95


def find_quantile(freedom: Any) -> Floats:
    """Student's t above which half of what the level leaves out lies, for each number of degrees of freedom."""
    return load_library("scipy.stats").t.ppf((1 + LEVEL) / 2, freedom)


def find_wilson(count: Floats, size: Any) -> tuple[Floats, Floats]:
    """Ends of Wilson's interval for so many of so many; neither needs to be whole."""
    find = load_library("statsmodels.stats.proportion").proportion_confint
    return find(count, size, alpha=1 - LEVEL, method="wilson")


def fit_clustered(outcome: Floats, design: Floats, clusters: Integers) -> Any:
    """Ordinary least squares whose errors are clustered, with Student's t over the clusters; statsmodels' result."""
    model = load_library("statsmodels.regression.linear_model").OLS(outcome, design)
    return model.fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)


def find_p(t: Floats, freedom: Floats) -> Floats:
    """Two-sided p of each t; not a number where t is none."""
    return cast("Floats", 2 * load_library("scipy.stats").t.sf(np.abs(t), freedom))


def adjust(p: Floats, method: Adjustment) -> Floats:
    """P adjusted over those that are numbers: by Holm, or by Benjamini and Hochberg."""
    adjusted = np.full(len(p), np.nan)
    known = np.isfinite(p)
    if method == "fdr_bh":
        adjusted[known] = load_library("scipy.stats").false_discovery_control(p[known], method="bh")
    elif known.any():
        with spare_garbage():
            adjusted[known] = load_library("statsmodels.stats.multitest").multipletests(p[known], method="holm")[1]
    return adjusted


@contextmanager
def spare_garbage() -> Generator[None]:
    """Let a collection of garbage pass over all that stands: statsmodels asks for one with every call.

    In a process that holds as much as a build does, each takes half a second.
    """
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def divide_safely(above: Floats, below: Floats) -> Floats:
    """Quotients; not a number where there is nothing to divide by."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)
