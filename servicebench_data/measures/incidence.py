"""How conversations had ended by each turn, as competing risks.

Belongs here: cumulative incidence with its intervals. Not here: rates at the end.

Aalen and Johansen: what ends one way can no longer end another way, and what the cap on turns ends is censored there.
statsmodels estimates it from how often each turn with each cause occurs, anew for every resample of the dialogues.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import CumulativeOutcome
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.journeys.kappas import INTERVAL
from servicebench_data.measures.clustered import draw_counts
from servicebench_data.measures.inference import find_wilson
from servicebench_data.measures.intervals import DIGITS
from servicebench_data.measures.reading import Marks, encode, keep_results, make_table, read_conversations, read_numbers

CAUSES = ("agreed", "disengaged", "failed")
DRAWS = 1000
SEED = 2026


class Ends(NamedTuple):
    """Ends of conversations: the turn from 1, the cause as its place in `CAUSES` (-1 for censored), the cluster."""

    turn: Integers
    cause: Integers
    cluster: Integers


class Curve(NamedTuple):
    """Cumulative incidence by turn and cause, with its interval and how that was made, and the number at risk."""

    incidence: Floats
    low: Floats
    high: Floats
    is_bootstrapped: Marks
    at_risk: Integers


def make_incidence(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per agent, turn and cause of an experiment, up to its longest conversation."""
    facts = keep_results(read_conversations(connection, experiment_id))
    if len(facts) == 0:
        return make_table(CumulativeOutcome, [])
    agents, clusters = encode(facts, "agent"), encode(facts, "cluster_id").places
    ends = Ends(np.maximum(read_numbers(facts, "exchanges"), 1).astype(np.int64), find_causes(facts), clusters)
    turns, weights = int(ends.turn.max()), draw_weights(int(clusters.max()) + 1)
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(agents.names):
        kept = agents.places == place
        own = Ends(*(column[kept] for column in ends))
        rows += [{"experiment_id": experiment_id, "agent": name, **row} for row in write_curve(own, turns, weights)]
    return make_table(CumulativeOutcome, rows)


def find_causes(facts: pa.Table) -> Integers:
    """Cause of each end; the cap on turns is none."""
    pairs = zip(facts["outcome"].to_pylist(), facts["end_detail"].to_pylist(), strict=True)
    names = [
        "" if detail == "turn_cap" else "failed" if outcome == "unresolved" else outcome for outcome, detail in pairs
    ]
    return np.array([CAUSES.index(name) if name else -1 for name in names], dtype=np.int64)


def draw_weights(clusters: int) -> Floats:
    """Weights of the clusters: first all of them once, then the resamples."""
    return np.vstack([np.ones(clusters), draw_counts(clusters, DRAWS, SEED)])


def write_curve(ends: Ends, turns: int, weights: Floats) -> Iterator[dict[str, Any]]:
    """Rows of one agent."""
    clusters = len(np.unique(ends.cluster))
    curve = estimate_curve(ends, turns, weights)
    for turn in range(turns):
        for cause, name in enumerate(CAUSES):
            kind = "cluster_bootstrap" if curve.is_bootstrapped[turn, cause] else "cluster_wilson"
            yield {
                "turn": turn + 1,
                "outcome": name,
                "incidence": curve.incidence[turn, cause],
                "low": curve.low[turn, cause],
                "high": curve.high[turn, cause],
                "interval": kind if clusters > 1 else "none",
                "at_risk": curve.at_risk[turn],
                "n": len(ends.turn),
                "clusters": clusters,
            }


def estimate_curve(ends: Ends, turns: int, weights: Floats) -> Curve:
    """Incidence with percentile intervals; by Wilson at the number of clusters where all or none ended so."""
    counts = count_ends(ends, turns, weights.shape[1])
    drawn = np.stack([accumulate(row) for row in (weights @ counts).reshape(len(weights), turns, -1)])
    clusters, incidence = len(np.unique(ends.cluster)), drawn[0]
    at_risk = (ends.turn[:, None] > np.arange(turns)).sum(axis=0)
    if clusters < 2:
        nothing = np.full(incidence.shape, np.nan)
        return Curve(incidence, nothing, nothing, nothing > 0, at_risk)
    by_wilson = np.clip(np.stack(find_wilson(incidence * clusters, clusters)), 0.0, 1.0)
    varies = (incidence > 0) & (incidence < 1)
    low, high = np.where(varies, np.nanquantile(drawn[1:], INTERVAL, axis=0), by_wilson)
    return Curve(incidence, low, high, varies, at_risk)


def count_ends(ends: Ends, turns: int, clusters: int) -> Floats:
    """Conversations by cluster, and by turn and cause in one, censored ones first."""
    causes = len(CAUSES) + 1
    kinds = (ends.turn - 1) * causes + ends.cause + 1
    size = turns * causes
    return (
        np.bincount(ends.cluster * size + kinds, minlength=clusters * size).reshape(clusters, size).astype(np.float64)
    )


def accumulate(counts: Floats) -> Floats:
    """Cumulative incidence by Aalen and Johansen, by turn and cause.

    Args:
        counts: Conversations by turn and cause, censored ones first.
    """
    turn, cause = np.indices(counts.shape).reshape(2, -1)
    fit = load_library("statsmodels.duration.survfunc").CumIncidenceRight
    with np.errstate(divide="ignore", invalid="ignore"):  # nobody is at risk after the last end
        incidence = np.column_stack(fit(turn, cause, freq_weights=counts.ravel()).cinc)
    # There the last value stays; the ends' rounding is taken off, for whether all have ended is asked.
    return np.fmax.accumulate(incidence).round(DIGITS)
