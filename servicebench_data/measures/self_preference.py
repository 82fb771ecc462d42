"""Whether judges are kinder to agents of their own model family than people are.

Belongs here: the table `self_preference`. Not here: judges against judges (`judges.py`), which cannot tell a judge's
favour from the agents' merit.

Our definition: judge less people on the rated conversations of its own family's agents, less the same on the other
agents'; errors are clustered by source dialogue. A judge that is hard or generous to all favours nobody. One that uses
less of the scale than people do shows a difference where its family's agents are better or worse than the others, so
read it beside the judge's calibration.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import SelfPreference
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.calibration import LEAST_CLUSTERS
from servicebench_data.measures.inference import adjust, fit_clustered
from servicebench_data.measures.panels import DIMENSIONS, Bench, Flags, Pairing, pair, read_benches, read_panels
from servicebench_data.measures.reading import make_table
from servicebench_data.simulation.agents.families import OFFLINE, find_family

SMALLEST = 1e-9
UNRATED = "nobody rated a conversation that it scored"


class Preference(NamedTuple):
    """A judge's kindness to its own family beyond people's; what is missing is not a number, and the label says why."""

    own_transcripts: int = 0
    other_transcripts: int = 0
    clusters: int = 0
    own_bias: float = np.nan
    other_bias: float = np.nan
    difference: float = np.nan
    standard_error: float = np.nan
    low: float = np.nan
    high: float = np.nan
    p: float = np.nan
    label: str = UNRATED


def make_self_preference(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per model judge, grading version and dimension, also where nobody rated anything."""
    panels = read_panels(connection, experiment_id)
    benches = [bench for bench in read_benches(connection, experiment_id) if bench.made_by != OFFLINE]
    rows: list[dict[str, Any]] = []
    for bench in benches:
        pairings: Mapping[str, Pairing] = dict(pair(bench, panels))
        rows += [describe(bench, dimension, pairings.get(dimension)) for dimension in DIMENSIONS]
    adjusted = adjust_dimensions(rows)
    return make_table(
        SelfPreference,
        [{**row, "experiment_id": experiment_id, "p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)],
    )


def describe(bench: Bench, dimension: str, pairing: Pairing | None) -> dict[str, Any]:
    """The row of a judge on one dimension."""
    return {
        "judge": bench.judge,
        "family": find_family(bench.made_by),
        "grading_version": bench.grading_version,
        "dimension": dimension,
        **(compare_pairing(bench, pairing) if pairing else Preference())._asdict(),
    }


def adjust_dimensions(rows: list[dict[str, Any]]) -> Floats:
    """P of each row by Holm over the judges of its dimension."""
    p = np.array([row["p"] for row in rows], dtype=np.float64)
    dimensions = np.array([row["dimension"] for row in rows], dtype=np.str_)
    adjusted = np.full(len(rows), np.nan)
    for dimension in DIMENSIONS:
        adjusted[dimensions == dimension] = adjust(p[dimensions == dimension], "holm")
    return adjusted


def compare_pairing(bench: Bench, pairing: Pairing) -> Preference:
    """A judge beside the people, on its own family and on others."""
    panel = pairing.panel
    is_own = np.array([name in bench.own for name in panel.conversations], dtype=np.bool_)
    return compare(pairing.judge - panel.average(), is_own, panel.clusters)


def compare(gaps: Floats, is_own: Flags, clusters: Integers) -> Preference:
    """Mean gap on the judge's own family less that on others.

    Args:
        gaps: Judge less people, by conversation.
        is_own: Whether the agent is of the judge's family.
        clusters: Cluster of each conversation.
    """
    counts = (int(is_own.sum()), int((~is_own).sum()), len(np.unique(clusters)))
    if not all(counts):
        return Preference(*counts, label=f"no rated agent is {'of' if counts[1] else 'outside'} its family")
    own, other = float(gaps[is_own].mean()), float(gaps[~is_own].mean())
    found = Preference(*counts, own, other, own - other, label="")
    if min(len(np.unique(clusters[side])) for side in (is_own, ~is_own)) < LEAST_CLUSTERS:
        return found._replace(label=f"fewer than {LEAST_CLUSTERS} rated source dialogues on one side")
    with np.errstate(invalid="ignore"):  # the error of what is alike everywhere may come out as the root of -1e-33
        fit = fit_clustered(gaps, np.column_stack([np.ones(len(gaps)), is_own.astype(np.float64)]), clusters)
        error, (low, high), p = float(fit.bse[1]), fit.conf_int()[1], float(fit.pvalues[1])
    if not error > SMALLEST:
        return found._replace(label="judge and people are as far apart everywhere")
    return found._replace(standard_error=error, low=float(low), high=float(high), p=p)
