"""p-values and their adjustment for how many there are, over statsmodels and scipy.

Belongs here: the typed edge to those libraries. Not here: which tests are a family.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, cast

import numpy as np

from servicebench_data.journeys.arrays import Floats, load_library

Adjustment = Literal["holm", "fdr_bh"]


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
