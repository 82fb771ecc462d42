"""Whether playing the same set again gives the same.

Belongs here: means by repeat, and the agreement of repeats. Not here: variance components over agents (`variance.py`).

Agreement is ICC(1): of one way, repeats taken as drawn at random for each cell. Its interval is by jackknife over the
source dialogues, on the logarithm of the ratio of mean squares, for cells of one dialogue are not independent.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import RunToRun
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.clustered import ROUNDING, Means, estimate_macro, estimate_means
from servicebench_data.measures.inference import find_quantile
from servicebench_data.measures.intervals import find_intervals
from servicebench_data.measures.labels import find_labels, join_labels
from servicebench_data.measures.means import is_rate
from servicebench_data.measures.reading import (
    CELL,
    JUSTICE,
    encode,
    keep_finite,
    keep_marked,
    make_table,
    read_conversations,
    read_numbers,
)

MEASURES = (*JUSTICE, "agreement_rate", "disengagement_rate", "goodwill_standing_usd", "exchanges")
ALL = "all"


class Agreement(NamedTuple):
    """ICC(1) with its interval; the reason, in words, where something is missing."""

    icc: float = np.nan
    low: float = np.nan
    high: float = np.nan
    reason: str = ""


class Squares(NamedTuple):
    """Sums from which mean squares come, each a number or one for each cluster."""

    values: Floats
    cells: Floats
    total: Floats
    of_cells: Floats
    of_values: Floats
    of_sizes: Floats


def make_run_to_run(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per agent, measure and repeat, and one over all repeats, of an experiment."""
    facts = read_conversations(connection, experiment_id)
    agents, labels = encode(facts, "agent"), find_labels(connection, experiment_id)
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(agents.names):
        own = keep_marked(facts, agents.places == place)
        for measure in MEASURES:
            told = labels[name].justice if measure in JUSTICE else labels[name].other
            for row in list_runs(keep_finite(own, measure), measure):
                label = join_labels([*told, row["label"]])
                rows.append({**row, "experiment_id": experiment_id, "agent": name, "measure": measure, "label": label})
    return make_table(RunToRun, rows)


def list_runs(facts: pa.Table, measure: str) -> Iterator[dict[str, Any]]:
    """Rows of an agent's measure; none where it has no value."""
    if len(facts) == 0:
        return
    values, runs = read_numbers(facts, measure), encode(facts, "repeat")
    cells, clusters = encode(facts, *CELL).places, encode(facts, "cluster_id").places
    means = estimate_means(values, clusters, runs.places, len(runs.names))
    nothing = {"icc": np.nan, "low": np.nan, "high": np.nan, "label": ""}
    for name, row in zip(runs.names, list_means(means, measure), strict=True):
        yield {"run": name, **row, **nothing}
    found = measure_agreement(values, cells, clusters)
    mean = estimate_macro(values, clusters, runs.places, len(runs.names))
    # Runs are of the same source dialogues, so that more of them add no degrees of freedom.
    (whole,) = list_means(mean._replace(freedom=mean.clusters - 1.0), measure)
    yield {
        "run": ALL,
        **whole,
        "sd": means.mean.std(ddof=1) if len(means.mean) > 1 else np.nan,
        "icc": found.icc,
        "low": found.low,
        "high": found.high,
        "label": found.reason,
    }


def list_means(means: Means, measure: str) -> list[dict[str, Any]]:
    """Each mean with its interval."""
    low, high = find_intervals(means, np.full(len(means.mean), is_rate(measure)))
    columns = (means.n, means.clusters, means.mean, means.sd, low, high)
    names = ("n", "clusters", "mean", "sd", "mean_low", "mean_high")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def measure_agreement(values: Floats, cells: Integers, clusters: Integers) -> Agreement:
    """ICC(1) of the cells.

    Args:
        values: Values.
        cells: Cell of each value, from 0.
        clusters: Cluster of each value, from 0; a cell lies within one.
    """
    parts = sum_squares(values, cells, clusters)
    whole = Squares(*(column.sum(axis=0) for column in parts))
    if not float(whole.values) > float(whole.cells):
        return Agreement(reason="one repeat")
    between, within, size = find_mean_squares(whole)
    if not within > ROUNDING * max(float(np.abs(values).max()), 1.0) ** 2:
        return Agreement(icc=1.0 if between > ROUNDING else np.nan, reason="all repeats of a cell are alike")
    icc = find_icc(np.log(np.maximum(between, ROUNDING) / within), size)
    if len(parts.values) < 3:
        return Agreement(float(icc), reason="too few source dialogues for an interval")
    left = Squares(*(total - column for total, column in zip(whole, parts, strict=True)))
    return Agreement(float(icc), *jackknife(whole, left))


def sum_squares(values: Floats, cells: Integers, clusters: Integers) -> Squares:
    """Sums by cluster; values are taken less their mean, which changes nothing but the rounding."""
    values = values - values.mean()
    sizes = np.bincount(cells)
    kept, first = np.unique(cells, return_index=True)
    totals, owners = np.bincount(cells, values)[kept], clusters[first]
    sizes, count = sizes[kept].astype(np.float64), int(clusters.max()) + 1
    columns = (sizes, np.ones(len(kept)), totals, totals**2 / sizes)
    sums = [np.bincount(owners, column, count) for column in columns]
    squares, of_sizes = np.bincount(clusters, values**2, count), np.bincount(owners, sizes**2, count)
    used = np.bincount(owners, minlength=count) > 0
    return Squares(*(column[used].astype(np.float64) for column in (*sums, squares, of_sizes)))


def find_mean_squares(sums: Squares) -> tuple[Any, Any, Any]:
    """Mean squares between and within cells, and the mean number of repeats that stands for unequal ones."""
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (sums.of_cells - sums.total**2 / sums.values) / (sums.cells - 1)
        within = (sums.of_values - sums.of_cells) / (sums.values - sums.cells)
        size = (sums.values - sums.of_sizes / sums.values) / (sums.cells - 1)
    return between, within, size


def find_icc(log_ratio: Any, size: Any) -> Any:
    """ICC(1) from the logarithm of the ratio of mean squares; few unequal repeats could put it below -1."""
    ratio = np.exp(log_ratio)
    return np.maximum((ratio - 1) / (ratio + size - 1), -1.0)


def jackknife(whole: Squares, left: Squares) -> tuple[float, float, str]:
    """Interval from what is left without each cluster, and the reason where there is none."""
    between, within, _ = find_mean_squares(left)
    if not ((between > 0).all() and (within > 0).all()):
        return np.nan, np.nan, "one source dialogue holds all of the variance"
    between_all, within_all, size = find_mean_squares(whole)
    logs, count = np.log(between / within), len(between)
    centre = float(np.log(between_all / within_all))
    error = float(np.sqrt((count - 1) / count * ((logs - logs.mean()) ** 2).sum()))
    reach = float(find_quantile(count - 1)) * error
    return float(find_icc(centre - reach, size)), float(find_icc(centre + reach, size)), ""
