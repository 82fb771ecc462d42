"""What judges give for words that say nothing.

Belongs here: scores of padded conversations against those of the same without padding. Not here: padding and asking
(`judging`), or the regression on length, which nobody assigned (`length.py`).

Our definition: the mean over pairs of the padded score less the original one, by judge; errors are clustered by source
dialogue. A pair needs both scores, in the total all six, and what lacks one is counted.
"""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import PaddingEffect
from servicebench_data.journeys.arrays import Floats
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.clustered import estimate_mean, find_interval
from servicebench_data.measures.labels import join_labels
from servicebench_data.measures.reading import make_table
from servicebench_data.simulation.agents.families import OFFLINE

PAIRS = """
    WITH verdict AS (
        SELECT p.judge, p.judge_made_by, p.grading_version, p.conversation_id, c.cluster_id, p.dimension,
               p.padded_words / nullif(p.words, 0) AS words_ratio, s.score AS original, p.score AS padded
        FROM judging.padded_score AS p
        LEFT JOIN judging.score AS s USING (conversation_id, judge, dimension, grading_version)
        JOIN measures.conversation_fact AS c USING (conversation_id)
        WHERE c.experiment_id = $experiment_id
    ),
    pair AS (
        SELECT * RENAME (dimension AS measure) FROM verdict
        UNION ALL BY NAME
        SELECT judge, judge_made_by, grading_version, conversation_id, cluster_id, 'total' AS measure, words_ratio,
               CASE WHEN count(original) = 3 THEN avg(original) END AS original,
               CASE WHEN count(padded) = 3 THEN avg(padded) END AS padded
        FROM verdict
        GROUP BY ALL
    )
    SELECT *, padded - original AS shift
    FROM pair
    ORDER BY judge, judge_made_by, grading_version, measure, conversation_id
"""
WHO = ("judge", "judge_made_by", "grading_version", "measure")
RULES = "rule engine: it scores declared acts, which padding leaves alone, so that its shift is 0 by construction"

Pair = Mapping[str, Any]


def make_padding_effects(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per judge and justice measure of an experiment that tests padding."""
    pairs = fetch_table(connection, PAIRS, {"experiment_id": experiment_id}).to_pylist()
    rows = [
        {"experiment_id": experiment_id, **dict(zip(WHO, key, strict=True)), **estimate_shift(list(group))}
        for key, group in groupby(pairs, itemgetter(*WHO))
    ]
    return make_table(PaddingEffect, [{**row, "label": tell_label(row)} for row in rows])


def estimate_shift(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Figures of one judge and measure."""
    whole = [pair for pair in pairs if pair["shift"] is not None]
    clusters = np.unique([pair["cluster_id"] for pair in whole], return_inverse=True)[1]
    found = {name: estimate_mean(take(whole, name), clusters) for name in ("original", "padded", "shift")}
    # An agent that wrote nothing has no ratio.
    ratios = take([pair for pair in whole if pair["words_ratio"] is not None], "words_ratio")
    shift = found["shift"]
    low, high = find_interval(shift)
    return {
        "n": shift.n[0],
        "missing": len(pairs) - len(whole),
        "clusters": shift.clusters[0],
        "words_ratio": ratios.mean() if len(ratios) else np.nan,
        "original_mean": found["original"].mean[0],
        "padded_mean": found["padded"].mean[0],
        "shift": shift.mean[0],
        "sd": shift.sd[0],
        "standard_error": shift.standard_error[0],
        "low": low[0],
        "high": high[0],
    }


def take(pairs: Sequence[Pair], name: str) -> Floats:
    """A number of each pair."""
    return np.array([pair[name] for pair in pairs], dtype=np.float64)


def tell_label(row: Mapping[str, Any]) -> str:
    """What to know of a row's figures, and why one is missing."""
    if row["n"] == 0:
        reason = "no conversation has a score both ways"
    elif row["clusters"] < 2:
        reason = "one source dialogue leaves no interval"
    else:
        reason = "" if row["standard_error"] > 0 else "no chance is left for an interval"
    return join_labels([RULES if row["judge_made_by"] == OFFLINE else "", reason])
