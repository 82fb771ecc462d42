"""Whether longer messages go with higher or lower scores.

Belongs here: the regression of scores on length. Not here: the test with padded messages (`padding.py`).

Our definition: score and log mean words per message are standardised over the conversations that enter; agents, cells
(scenario, style, disclosure, customer) and the number of turns are held fixed; errors are clustered by source dialogue.
Cells are taken out of all columns instead of being columns themselves, which gives the same slopes; as they lie within
clusters they take no degrees of freedom. What comes out is an association: length was not assigned.
"""

from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import LengthEffect
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.inference import adjust, fit_clustered
from servicebench_data.measures.labels import find_labels, join_labels
from servicebench_data.measures.reading import (
    CELL,
    JUSTICE,
    encode,
    keep_finite,
    make_table,
    read_conversations,
    read_numbers,
)

LEAST_CLUSTERS = 3
SMALLEST = 1e-9


class Observations(NamedTuple):
    """What the regression is on, one entry per conversation."""

    score: Floats
    length: Floats
    turns: Floats
    agent: Integers
    cell: Integers
    cluster: Integers


class Slope(NamedTuple):
    """The standardised slope on length with its clustered inference; the reason, in words, where there is none."""

    beta: float = np.nan
    standard_error: float = np.nan
    low: float = np.nan
    high: float = np.nan
    t: float = np.nan
    p: float = np.nan
    reason: str = ""


def make_length_effects(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per dimension and total of an experiment that has scores."""
    facts = keep_finite(read_conversations(connection, experiment_id), "log_mean_words")
    labels = find_labels(connection, experiment_id)
    label = join_labels(["an association", *(text for entry in labels.values() for text in entry.justice)])
    rows: list[dict[str, Any]] = []
    for measure in JUSTICE:
        scored = keep_finite(facts, measure)
        if len(scored) == 0:
            continue
        observed = keep_repeated(observe(scored, measure))
        slope = regress(observed)._asdict()
        reason = slope.pop("reason")
        counts = {"n": len(observed.score), "clusters": len(np.unique(observed.cluster))}
        text = join_labels([label, reason])
        rows.append({"experiment_id": experiment_id, "measure": measure, "label": text, **counts, **slope})
    adjusted = adjust(np.array([row["p"] for row in rows], dtype=np.float64), "holm")
    return make_table(LengthEffect, [{**row, "p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)])


def observe(facts: pa.Table, measure: str) -> Observations:
    """Columns of the regression."""
    score, length, turns = (read_numbers(facts, name) for name in (measure, "log_mean_words", "exchanges"))
    agent, cell, cluster = (encode(facts, *names).places for names in (("agent",), CELL, ("cluster_id",)))
    return Observations(score, length, turns, agent, cell, cluster)


def keep_repeated(observed: Observations) -> Observations:
    """Conversations of cells that have at least two; of a single one nothing is left beside its cell."""
    kept = np.bincount(observed.cell)[observed.cell] > 1
    score, length, turns = (column[kept] for column in (observed.score, observed.length, observed.turns))
    agent, cell, cluster = (column[kept] for column in (observed.agent, observed.cell, observed.cluster))
    return Observations(score, length, turns, agent, cell, cluster)


def regress(observed: Observations) -> Slope:
    """Slope of the standardised score on standardised length."""
    clusters = len(np.unique(observed.cluster))
    if clusters < LEAST_CLUSTERS:
        return Slope(reason="too few source dialogues with two conversations in one cell")
    score, length, turns = (standardise(column) for column in observed[:3])
    if not (score.any() and length.any()):
        return Slope(reason="scores or lengths do not vary")
    others = [turns, *((observed.agent == place).astype(np.float64) for place in np.unique(observed.agent)[1:])]
    columns = np.column_stack([take_cells_out(column, observed.cell) for column in (score, length, *others)])
    rest, design = columns[:, 0], drop_dependent(columns[:, 1:])
    if design is None or not np.abs(rest).max() > SMALLEST:
        return Slope(reason="length or score does not vary beyond agent, scenario and turns")
    return fit(rest, design, np.unique(observed.cluster, return_inverse=True)[1])


def fit(rest: Floats, design: Floats, clusters: Integers) -> Slope:
    """Ordinary least squares with clustered errors; the first column's slope."""
    result = fit_clustered(rest, design, clusters)
    low, high = (float(end) for end in result.conf_int()[0])
    beta, error = float(result.params[0]), float(result.bse[0])
    if not error > SMALLEST:
        return Slope(beta, reason="no chance is left for an interval")
    return Slope(beta, error, low, high, float(result.tvalues[0]), float(result.pvalues[0]))


def standardise(column: Floats) -> Floats:
    """A column with mean 0 and standard deviation 1; zeros where it does not vary."""
    spread = float(column.std(ddof=1))
    return (column - column.mean()) / spread if spread > SMALLEST else np.zeros_like(column)


def take_cells_out(column: Floats, cells: Integers) -> Floats:
    """A column less its mean in each cell."""
    sizes = np.maximum(np.bincount(cells), 1)
    return column - (np.bincount(cells, column) / sizes)[cells]


def drop_dependent(design: Floats) -> Floats | None:
    """The columns that say something beyond those before, length last to be dropped; None where length says nothing."""
    if len(design) <= design.shape[1] + 1:
        return None
    ordered = np.column_stack([design[:, 1:], design[:, 0]])
    scale = np.sqrt(len(design))
    _, upper = np.linalg.qr(ordered)
    kept = np.abs(np.diag(upper)) / scale > 1e-7
    if not kept[-1]:
        return None
    return np.column_stack([design[:, 0], ordered[:, :-1][:, kept[:-1]]])
