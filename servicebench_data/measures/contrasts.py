"""Pairs of agents, compared on the cells that both played.

Belongs here: the differences with their tests, families and bounds. Not here: means of single agents.

A cell is a scenario with a style, a disclosure and a customer; an agent's value there is the mean over its repeats. The
primary outcome is macro total justice; Holm adjusts it over the pairs of agents, and each named family by itself, but
for stages and categories, which are many and go by Benjamini and Hochberg. The other slices are exploratory and carry
plain p-values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import AgentContrast
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.clustered import (
    Means,
    count_values,
    estimate_macro,
    estimate_means,
    find_interval,
    split_groups,
)
from servicebench_data.measures.inference import adjust, divide_safely, find_p
from servicebench_data.measures.labels import AgentLabels, find_labels, join_labels
from servicebench_data.measures.reading import (
    CELL,
    JUSTICE,
    Codes,
    average_cells,
    encode,
    make_table,
    mark_results,
    read_conversations,
    read_numbers,
)

OUTCOMES = ("agreement_rate", "disengagement_rate", "unresolved_rate")
GOODWILL = ("goodwill_standing_usd", "goodwill_offered_max_usd", "violation_rate")
OTHERS = ("exchanges", "words_per_agent_message", "coverage_elicited", "coverage_all", "cost_usd")
MEASURES = (*JUSTICE, *OUTCOMES, *GOODWILL, *OTHERS)
#: Ends of the scale, where there are any: what a conversation without a value could have had.
SCALES = {**dict.fromkeys(JUSTICE, (1.0, 5.0)), **dict.fromkeys((*OUTCOMES, "violation_rate"), (0.0, 1.0))}
#: Columns that make the slices; those of the last three are for total justice alone.
SLICES: Mapping[str, tuple[str, ...]] = {
    "all": (),
    "industry": ("industry",),
    "severity": ("severity",),
    "style": ("style",),
    "disclosure": ("disclosure",),
    "customer": ("customer",),
    "stage": ("industry", "stage_id"),
    "category": ("industry", "category_id"),
}
FINE = ("customer", "stage", "category")
FAMILIES: Mapping[tuple[str, str], str] = {
    ("macro", "total"): "primary",
    **{("macro", measure): "dimensions" for measure in JUSTICE[:3]},
    **{("macro", measure): "outcomes" for measure in OUTCOMES},
    **{("macro", measure): "goodwill" for measure in GOODWILL},
    ("industry", "total"): "industries",
    ("severity", "total"): "severities",
    ("style", "total"): "styles",
    ("disclosure", "total"): "disclosures",
    ("customer", "total"): "customers",
    ("stage", "total"): "stages",
    ("category", "total"): "categories",
}
#: Families by the rate of false discoveries.
WIDE = frozenset({"stages", "categories"})
EXPLORATORY = "exploratory"
COMPARABLE = 0.03


@dataclass(frozen=True)
class Layout:
    """Who played what.

    Attributes:
        agents: Names of the agents.
        clusters: Cluster of each cell.
        slices: Slice of each cell, by what the cells are sliced by.
        invalid: Share of conversations without a result by agent and slice, by what they are sliced by.
        labels: What is to be known of each agent, for justice and for the rest.
    """

    agents: list[str]
    clusters: Integers
    slices: Mapping[str, Codes]
    invalid: Mapping[str, Floats]
    labels: Mapping[str, AgentLabels]


@dataclass(frozen=True)
class Grid:
    """One measure by cell and agent: what was seen, and the least and most that it could have been."""

    measure: str
    seen: Floats
    least: Floats
    most: Floats


@dataclass(frozen=True)
class Pair:
    """One measure of two agents on one way to slice the cells: places of the agents in the layout."""

    grid: Grid
    by: str
    first: int
    second: int


def make_contrasts(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per measure, slice and pair of agents of an experiment; none for a single agent."""
    facts = read_conversations(connection, experiment_id)
    cells, agents = encode(facts, *CELL), encode(facts, "agent")
    layout = lay_out(facts, cells, agents, find_labels(connection, experiment_id))
    grids = [lay_measure(facts, measure, cells, agents) for measure in MEASURES]
    rows = [
        row
        for first, second in combinations(range(len(layout.agents)), 2)
        for grid in grids
        for by in ("macro", *SLICES)
        if grid.measure == "total" or by not in FINE
        for row in compare(layout, Pair(grid, by, first, second))
    ]
    if rows:
        finish_rows(rows)
    return make_table(AgentContrast, [{**row, "experiment_id": experiment_id} for row in rows])


def lay_out(facts: pa.Table, cells: Codes, agents: Codes, labels: Mapping[str, AgentLabels]) -> Layout:
    """Clusters and slices of the cells, and the shares without a result."""
    _, first = np.unique(cells.places, return_index=True)
    slices = {by: encode(facts, *columns) for by, columns in SLICES.items()}
    lost = 1.0 - mark_results(facts)
    invalid = {by: average_cells(lost, agents, codes) for by, codes in slices.items()}
    return Layout(
        agents.names,
        encode(facts, "cluster_id").places[first],
        {by: Codes(codes.places[first], codes.names) for by, codes in slices.items()},
        invalid,
        labels,
    )


def lay_measure(facts: pa.Table, measure: str, cells: Codes, agents: Codes) -> Grid:
    """A measure by cell and agent, each the mean over repeats; not a number where there is none."""
    values = read_numbers(facts, measure)
    seen = average_cells(values, cells, agents)
    if measure not in SCALES:
        return Grid(measure, seen, np.full_like(seen, np.nan), np.full_like(seen, np.nan))
    least, most = (average_cells(np.where(np.isnan(values), end, values), cells, agents) for end in SCALES[measure])
    return Grid(measure, seen, least, most)


def compare(layout: Layout, pair: Pair) -> Iterator[dict[str, Any]]:
    """Rows of a pair: one for each slice, or the mean over industries."""
    codes, names = find_slices(layout, pair.by)
    left, right = pair.grid.seen[:, pair.first], pair.grid.seen[:, pair.second]
    kept = np.isfinite(left) & np.isfinite(right)
    left, right, groups = left[kept], right[kept], codes.places[kept]
    means = estimate(pair.by, left - right, layout.clusters[kept], groups, len(codes.names))
    columns = {
        **means._asdict(),
        "mean_a": average(pair.by, left, groups, len(codes.names)),
        "mean_b": average(pair.by, right, groups, len(codes.names)),
        "correlation": correlate(left, right, groups if pair.by != "macro" else np.zeros_like(groups), len(names)),
        **bound(layout, pair),
        **share_invalid(layout, pair),
    }
    for place, name in enumerate(names):
        yield {**describe(layout, pair, name), **{key: column[place] for key, column in columns.items()}}


def find_slices(layout: Layout, by: str) -> tuple[Codes, list[str]]:
    """Slices of the cells, and what the rows are called."""
    return (layout.slices["industry"], ["all"]) if by == "macro" else (layout.slices[by], layout.slices[by].names)


def estimate(by: str, values: Floats, clusters: Integers, groups: Integers, count: int) -> Means:
    """Means by slice, or the one over industries."""
    return (estimate_macro if by == "macro" else estimate_means)(values, clusters, groups, count)


def average(by: str, values: Floats, groups: Integers, count: int) -> Floats:
    """The same without what is uncertain about them."""
    with np.errstate(invalid="ignore"):
        means = np.bincount(groups, values, count) / count_values(groups, count)
    return np.array([means.mean()]) if by == "macro" else means


def correlate(left: Floats, right: Floats, groups: Integers, count: int) -> Floats:
    """Pearson's correlation within each group; not a number where one side does not vary."""
    pairs = [(left[rows], right[rows]) for rows in split_groups(groups, count)]
    return np.array([np.corrcoef(*pair)[0, 1] if all(varies(side) for side in pair) else np.nan for pair in pairs])


def varies(values: Floats) -> bool:
    """Whether values differ by more than rounding."""
    return len(values) > 0 and float(np.ptp(values)) > 1e-9


def bound(layout: Layout, pair: Pair) -> dict[str, Floats]:
    """Lowest and highest difference over all cells that both were to play, whatever is missing."""
    codes, names = find_slices(layout, pair.by)
    least = pair.grid.least[:, pair.first] - pair.grid.most[:, pair.second]
    most = pair.grid.most[:, pair.first] - pair.grid.least[:, pair.second]
    kept = np.isfinite(least)
    if not kept.any():
        return dict.fromkeys(("worst_case", "best_case"), np.full(len(names), np.nan))
    groups = codes.places[kept]
    return {
        "worst_case": average(pair.by, least[kept], groups, len(codes.names)),
        "best_case": average(pair.by, most[kept], groups, len(codes.names)),
    }


def share_invalid(layout: Layout, pair: Pair) -> dict[str, Any]:
    """Shares without a result of both, and whether they are near enough for a comparison."""
    shares = layout.invalid["all" if pair.by == "macro" else pair.by]
    first, second = shares[pair.first], shares[pair.second]
    return {
        "invalid_a": first,
        "invalid_b": second,
        "is_comparable": ~(np.abs(first - second) > COMPARABLE + 1e-9),
    }


def describe(layout: Layout, pair: Pair, value: str) -> dict[str, Any]:
    """What a row is about, before its figures."""
    measure = pair.grid.measure
    names = [layout.agents[place] for place in (pair.first, pair.second)]
    kind = 0 if measure in JUSTICE else 1
    family = FAMILIES.get((pair.by, measure), EXPLORATORY)
    return {
        "measure": measure,
        "by": pair.by,
        "value": value,
        "agent_a": names[0],
        "agent_b": names[1],
        "adjustment": find_adjustment(family),
        "family": family,
        "is_primary": family == "primary",
        "label": join_labels(label for name in names for label in layout.labels[name][kind]),
    }


def find_adjustment(family: str) -> Literal["holm", "benjamini_hochberg", "none"]:
    """How p is adjusted within a family."""
    if family == EXPLORATORY:
        return "none"
    return "benjamini_hochberg" if family in WIDE else "holm"


def finish_rows(rows: list[dict[str, Any]]) -> None:
    """Test every difference, adjust within the families, and say where a figure cannot be had."""
    means = Means(*(np.array([row[name] for row in rows]) for name in Means._fields))
    low, high = find_interval(means)
    t = divide_safely(means.mean, means.standard_error)
    p = find_p(t, means.freedom)
    adjusted = adjust_families(p, [row["family"] for row in rows])
    for place, row in enumerate(rows):
        row["difference"] = row.pop("mean")
        row.pop("freedom")
        row.update(low=low[place], high=high[place], t=t[place], p=p[place], p_adjusted=adjusted[place])
        row["label"] = join_labels([row["label"], explain(row)])


def adjust_families(p: Floats, families: list[str]) -> Floats:
    """P within each family but the exploratory one."""
    adjusted, names = np.full(len(p), np.nan), np.array(families)
    for name in sorted(set(families) - {EXPLORATORY}):
        adjusted[names == name] = adjust(p[names == name], "fdr_bh" if name in WIDE else "holm")
    return adjusted


def explain(row: Mapping[str, Any]) -> str:
    """Why a row has no test, in words; empty where it has one."""
    if not np.isfinite(row["difference"]):
        return "nothing that both have a value for" if row["n"] == 0 else "an industry has no value for both"
    if not np.isfinite(row["standard_error"]):
        return "too few source dialogues for an interval"
    return "" if np.isfinite(row["t"]) else "the difference is the same everywhere"
