"""Complaint categories, from the one that is handled best to the one that is handled worst.

Belongs here: means by category with their empirical Bayes estimates, ranks and tests. Not here: other slices.

Means of small groups are extreme by chance alone, so each is drawn towards the common mean by what is chance in it:
normal means with a normal prior, the prior's variance by Paule and Mandel, intervals with Morris's allowance for prior
mean and weight being estimated. The variance within a category is pooled over categories, between source dialogues.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import CategoryRanking
from servicebench_data.journeys.arrays import Floats, Integers, list_places, load_library
from servicebench_data.measures.clustered import ROUNDING, take_residuals
from servicebench_data.measures.inference import adjust, divide_safely, find_p, find_quantile
from servicebench_data.measures.labels import find_labels, join_labels
from servicebench_data.measures.reading import (
    Codes,
    Marks,
    encode,
    keep_finite,
    keep_marked,
    make_table,
    read_conversations,
    read_numbers,
)

ALL = "all"
LEAST_RANKED = 10
LEAST_SHRUNKEN = 4


class Groups(NamedTuple):
    """Means of groups with what is chance in them.

    Attributes:
        n: Values.
        clusters: Clusters.
        mean: Mean over the values.
        sd: Standard deviation over the values; not a number for a single one.
        variance: Sampling variance of the mean, pooled; not a number where no group has two clusters.
        freedom: Degrees of freedom of the pooled variance.
    """

    n: Integers
    clusters: Integers
    mean: Floats
    sd: Floats
    variance: Floats
    freedom: int


class Shrunken(NamedTuple):
    """Empirical Bayes estimates with the ends of their intervals, and the weight of each mean in its own estimate."""

    mean: Floats
    low: Floats
    high: Floats
    weight: Floats


def make_rankings(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per agent (and `all`) and category of an experiment that has a scored conversation."""
    facts = keep_finite(read_conversations(connection, experiment_id), "total")
    labels = {name: entry.justice for name, entry in find_labels(connection, experiment_id).items()}
    agents = encode(facts, "agent")
    shown = {ALL: facts} | {name: keep_marked(facts, agents.places == place) for place, name in enumerate(agents.names)}
    everyone = [label for name in agents.names for label in labels[name]]
    return make_table(
        CategoryRanking,
        [
            {"experiment_id": experiment_id, "agent": name, **row}
            for name, rows in shown.items()
            if len(rows)
            for row in rank_categories(rows, join_labels(labels.get(name, everyone)))
        ],
    )


def rank_categories(facts: pa.Table, label: str) -> Iterator[dict[str, Any]]:
    """Rows of an agent's categories."""
    codes = encode(facts, "industry", "category_id")
    values = read_numbers(facts, "total")
    groups = pool_groups(values, encode(facts, "cluster_id").places, codes)
    shrunken = shrink(groups.mean, groups.variance, groups.freedom)
    difference, error = compare_with_all(groups)
    p = find_p(divide_safely(difference, error), np.full(len(error), float(groups.freedom)))
    ranks = rank(shrunken.mean, groups.n >= LEAST_RANKED)
    columns = {
        "n": groups.n,
        "clusters": groups.clusters,
        "mean": groups.mean,
        "sd": groups.sd,
        "standard_error": np.sqrt(groups.variance),
        "weight": shrunken.weight,
        "shrunken": shrunken.mean,
        "low": shrunken.low,
        "high": shrunken.high,
        "difference": difference,
        "p": p,
        "p_adjusted": adjust(p, "fdr_bh"),
    }
    for place, name in enumerate(codes.names):
        industry, category = name.split("/", 1)
        yield {
            "industry": industry,
            "category_id": category,
            "rank": ranks.get(place),
            "ranked": len(ranks),
            "label": join_labels([label, explain(groups.n[place], shrunken.mean[place])]),
            **{key: column[place] for key, column in columns.items()},
        }


def pool_groups(values: Floats, clusters: Integers, codes: Codes) -> Groups:
    """Mean of each group, and its variance from the pooled one of cluster means within groups."""
    count, width = len(codes.names), int(clusters.max(initial=0)) + 1
    cells, places = np.unique(codes.places * width + clusters, return_inverse=True)
    sizes = np.bincount(places)
    inner, group = np.bincount(places, values) / sizes, cells // width
    n, members = np.bincount(codes.places, minlength=count), np.bincount(group, minlength=count)
    centre = np.bincount(group, inner, count) / members
    freedom = int((members - 1).sum())
    spread = float((take_residuals(inner, centre[group]) ** 2).sum()) / freedom if freedom else np.nan
    parts = np.bincount(group, (sizes / n[group]) ** 2, count)
    variance = (spread * parts).astype(np.float64)
    mean = np.bincount(codes.places, values, count) / n
    squares = np.bincount(codes.places, take_residuals(values, mean[codes.places]) ** 2, count).astype(np.float64)
    sd = np.sqrt(divide_safely(squares, (n - 1).astype(np.float64)))
    return Groups(n, members, mean, sd, variance, freedom)


def shrink(mean: Floats, variance: Floats, freedom: int) -> Shrunken:
    """Empirical Bayes estimates of normal means.

    Args:
        mean: Means.
        variance: Sampling variance of each.
        freedom: Degrees of freedom of the variances.
    """
    count = len(mean)
    if count < LEAST_SHRUNKEN or not (np.isfinite(variance).all() and (variance > ROUNDING).all()):
        nothing = np.full(count, np.nan)
        return Shrunken(nothing, nothing, nothing, nothing)
    combined = load_library("statsmodels.stats.meta_analysis").combine_effects(mean, variance, method_re="iterated")
    prior = max(float(combined.tau2), 0.0)
    precision = 1 / (variance + prior)
    common = float(combined.mean_effect_re)
    chance = variance * precision * (count - 3) / (count - 1)
    estimate = mean - chance * (mean - common)
    spread = (
        variance * (1 - chance * (1 - precision / precision.sum())) + 2 / (count - 3) * chance**2 * (mean - common) ** 2
    )
    reach = find_quantile(freedom) * np.sqrt(spread)
    return Shrunken(estimate, estimate - reach, estimate + reach, 1 - chance)


def compare_with_all(groups: Groups) -> tuple[Floats, Floats]:
    """Difference of each mean from that over all values, and its standard error."""
    share = groups.n / groups.n.sum()
    parts = share**2 * groups.variance
    error = np.sqrt((1 - share) ** 2 * groups.variance + parts.sum() - parts)
    return groups.mean - float((share * groups.mean).sum()), np.where(share < 1, error, np.nan)


def rank(values: Floats, is_ranked: Marks) -> dict[int, int]:
    """Rank of each place that is ranked and has a value, 1 for the highest; ties by place."""
    places = np.flatnonzero(is_ranked & np.isfinite(values))
    ranks = load_library("scipy.stats").rankdata(-values[places], method="ordinal")
    return dict(zip(list_places(places), list_places(ranks), strict=True))


def explain(n: int, estimate: float) -> str:
    """Why a row has no rank, in words; empty where it has one."""
    if not np.isfinite(estimate):
        return "too few categories or source dialogues to shrink"
    return "" if n >= LEAST_RANKED else f"not ranked: fewer than {LEAST_RANKED} conversations"
