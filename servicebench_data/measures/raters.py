"""People against people: how those who rate the same conversations agree.

Belongs here: the table `rater_agreement`. Not here: the coefficients (`concordance.py`).
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import RaterAgreement
from servicebench_data.journeys.arrays import Floats
from servicebench_data.journeys.kappas import compute_alpha
from servicebench_data.measures.concordance import compute_spearman, draw_weights, estimate
from servicebench_data.measures.panels import Flags, Panel, read_panels
from servicebench_data.measures.reading import make_table
from servicebench_data.measures.validity import average_known, choose_metric

ALL = "all"


def make_rater_agreement(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per question, measure and pair of people."""
    rows = [
        {"experiment_id": experiment_id, "question": question, **row}
        for question, panel in read_panels(connection, experiment_id).items()
        for row in describe_people(panel, question)
    ]
    return make_table(RaterAgreement, rows)


def describe_people(panel: Panel, question: str) -> Iterator[dict[str, Any]]:
    """Each pair, the mean over pairs, everybody together, and each against the others."""
    weights = draw_weights(panel.clusters)
    pairs: list[Floats] = []
    for first, second in combinations(range(len(panel.raters)), 2):
        left, right = panel.scores[:, first], panel.scores[:, second]
        pairs.append(correlate(left, right, weights))
        yield describe(panel, ("spearman", panel.raters[first], panel.raters[second]), pairs[-1], find(left, right))
    shared = panel.counts >= 2
    if pairs:
        yield describe(panel, ("mean_pairwise_spearman", ALL, ALL), average_pairs(pairs), shared)
        alpha = compute_alpha(panel.scores, weights, choose_metric(question))
        yield describe(panel, ("krippendorff_alpha", ALL, ALL), alpha, shared)
    for place, name in enumerate(panel.raters if pairs else ()):
        own, others = panel.scores[:, place], panel.average_others(place)
        yield describe(panel, ("against_others", name, "others"), correlate(own, others, weights), find(own, others))


def average_pairs(pairs: Sequence[Floats]) -> Floats:
    """Unweighted mean over the pairs that have a value."""
    return average_known(pairs, [1] * len(pairs), len(pairs[0]))


def correlate(left: Floats, right: Floats, weights: Floats) -> Floats:
    """Spearman over the conversations that both rated."""
    both = find(left, right)
    return compute_spearman(left[both], right[both], weights[:, both])


def find(left: Floats, right: Floats) -> Flags:
    """Conversations that both rated."""
    return np.isfinite(left) & np.isfinite(right)


def describe(panel: Panel, who: tuple[str, str, str], values: Floats, rows: Flags) -> dict[str, Any]:
    """A row: measure and pair, its value, and how much it rests on."""
    clusters = panel.clusters[rows]
    found = estimate(values, clusters)
    return {
        "measure": who[0],
        "rater_a": who[1],
        "rater_b": who[2],
        **found._asdict(),
        "transcripts": int(rows.sum()),
        "clusters": len(np.unique(clusters)),
    }
