"""From a judge's scores to what people would have given: a line for each judge and dimension.

Belongs here: the table `judge_calibration`. Not here: how well they agree (`validity.py`).

People's means are regressed on the judge's scores by ordinary least squares with errors by source dialogue. A line, not
steps: a step function over five points has as many parameters as scores, and few ratings fall on the outer ones.
"""

import math
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import JudgeCalibration
from servicebench_data.measures.inference import fit_clustered
from servicebench_data.measures.panels import Pairing, pair, read_benches, read_panels
from servicebench_data.measures.reading import make_table

#: With fewer source dialogues than this there is no line.
LEAST_CLUSTERS = 10


class Line(NamedTuple):
    """A fitted line; not a number where there is none."""

    intercept: float = math.nan
    intercept_low: float = math.nan
    intercept_high: float = math.nan
    slope: float = math.nan
    slope_low: float = math.nan
    slope_high: float = math.nan
    r_squared: float = math.nan
    residual_sd: float = math.nan


def make_judge_calibration(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per judge, grading version and dimension, for what people rated."""
    panels = read_panels(connection, experiment_id)
    rows: list[dict[str, Any]] = []
    for bench in read_benches(connection, experiment_id):
        for dimension, pairing in pair(bench, panels):
            rows.append({
                "experiment_id": experiment_id, "judge": bench.judge, "grading_version": bench.grading_version,
                "dimension": dimension, **fit_line(pairing)._asdict(), "transcripts": len(pairing.judge),
                "clusters": len(np.unique(pairing.panel.clusters)),
            })  # fmt: skip
    return make_table(JudgeCalibration, rows)


def fit_line(pairing: Pairing) -> Line:
    """People's means by the judge's scores; nothing for a constant judge or too few source dialogues."""
    clusters = pairing.panel.clusters
    if len(np.unique(clusters)) < LEAST_CLUSTERS or np.ptp(pairing.judge) == 0:
        return Line()
    design = np.column_stack([np.ones(len(pairing.judge)), pairing.judge])
    fit = fit_clustered(pairing.panel.average(), design, clusters)
    (intercept, slope), ends = fit.params, fit.conf_int()
    r_squared = fit.rsquared if fit.centered_tss > 0 else math.nan
    left = math.sqrt(max(float(fit.scale), 0.0))
    return Line(intercept, ends[0][0], ends[0][1], slope, ends[1][0], ends[1][1], r_squared, left)
