"""Table `agent_measure`: the mean of every measure by agent and cut, with its interval.

Belongs here: which interval a measure has, and what the reader is told beside it. Not here: which conversation enters
which mean (`means.sql`), formulas of intervals (`intervals.py`), the value of a single conversation (`facts.sql`).

A measure that has no value in a cut is a row with n = 0 and no mean, so that n and missing always add up to all
conversations. Three means of all conversations are given: each counts once (`all`); the unweighted mean of the
industries' means (`macro`, the headline), missing unless every industry that was played has a value; and the mean in
which each weighs as much as the complaints that its scenario stands for (`prevalence`).
"""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.measures import AgentMeasure
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.clustered import Means
from servicebench_data.measures.intervals import find_design_effect, find_intervals
from servicebench_data.measures.labels import find_judge_labels, find_labels, join_labels
from servicebench_data.measures.reading import JUSTICE, make_table, read_numbers

SQL = (Path(__file__).parent / "means.sql").read_text(encoding="utf-8")
SHOWN = ("agent", "measure", "by", "value", "n", "missing", "clusters", "mean", "sd", "standard_error")


def make_agent_measures(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """Rows of `agent_measure` of an experiment.

    Args:
        connection: A database from `open_facts`.
        experiment_id: The experiment.
    """
    found = fetch_table(connection, SQL, {"experiment": experiment_id})
    labels = find_labels(connection, experiment_id)
    judges = find_judge_labels(connection, experiment_id)
    rates = np.array([is_rate(str(measure)) for measure in found["measure"].to_pylist()], dtype=np.bool_)
    rows = found.select(SHOWN).to_pylist()
    for row, more in zip(rows, describe_intervals(found, rates), strict=True):
        given = labels[row["agent"]]
        told = given.justice if row["measure"] in JUSTICE else given.other
        label = [*judges[row["agent"], row["value"]], *given.other] if row["by"] == "judge" else told
        row.update(more, experiment_id=experiment_id, label=join_labels(label))
    return make_table(AgentMeasure, rows)


def describe_intervals(found: pa.Table, rates: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Interval, how it was made, and design effect of each row."""
    given = Means(*(read_numbers(found, name) for name in Means._fields))
    low, high = find_intervals(given, rates)
    kinds = np.where(np.isfinite(low), np.where(rates, "cluster_wilson", "cluster_t"), "none").tolist()
    columns = zip(low, high, kinds, find_design_effect(given), strict=True)
    return [dict(zip(("low", "high", "interval", "design_effect"), column, strict=True)) for column in columns]


def is_rate(measure: str) -> bool:
    """Whether a measure is 1 or 0 for a conversation."""
    return "_rate" in measure or measure.startswith("first_goodwill_")
