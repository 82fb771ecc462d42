"""Judges against people: how their scores go together, and how far people's own go, which is the ceiling.

Belongs here: the table `judge_validity`. Not here: the coefficients (`concordance.py`), or what follows for a judge
(`judge_status.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import JudgeValidity, Rated, ValidityMeasure
from servicebench_data.journeys.arrays import Floats, load_library
from servicebench_data.journeys.kappas import Estimate, Metric, compute_alpha
from servicebench_data.measures.concordance import (
    Compare,
    compute_bias,
    compute_error,
    compute_kappa,
    compute_spearman,
    draw_weights,
    estimate,
    round_up,
)
from servicebench_data.measures.panels import TOTAL, Bench, Pairing, Panel, pair, read_benches, read_panels
from servicebench_data.measures.reading import make_table

COMPARED: dict[ValidityMeasure, Compare] = {
    "spearman": compute_spearman,
    "quadratic_kappa": compute_kappa,
    "mean_absolute_error": compute_error,
    "bias": compute_bias,
}
ALPHA: ValidityMeasure = "krippendorff_alpha"
#: People's own figures, by dimension and conversations.
Ceilings = dict[tuple[Rated, tuple[str, ...]], dict[ValidityMeasure, Estimate]]


def make_judge_validity(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per judge, grading version, dimension and measure, for what people rated."""
    panels = read_panels(connection, experiment_id)
    ceilings: Ceilings = {}
    rows = [
        {"experiment_id": experiment_id, **row}
        for bench in read_benches(connection, experiment_id)
        for dimension, pairing in pair(bench, panels)
        for row in describe(bench, dimension, pairing, ceilings)
    ]
    return make_table(JudgeValidity, rows)


def describe(bench: Bench, dimension: Rated, pairing: Pairing, ceilings: Ceilings) -> Iterator[dict[str, Any]]:
    """The rows of a judge on one dimension.

    Args:
        bench: The judge.
        dimension: The dimension.
        pairing: Its scores beside people's.
        ceilings: People's own figures so far, which all judges of the same conversations share; missing ones are added.
    """
    panel = pairing.panel
    weights = draw_weights(panel.clusters)
    key = (dimension, tuple(panel.conversations))
    if key not in ceilings:
        ceilings[key] = find_ceilings(panel, weights, dimension)
    values: dict[ValidityMeasure, Floats] = {
        name: compare_scores(name, pairing.judge, panel.average(), weights, dimension) for name in COMPARED
    }
    joined = np.column_stack([panel.scores, pairing.judge])  # the judge as one more person
    values[ALPHA] = compute_alpha(joined, weights, choose_metric(dimension))
    for name, value in values.items():
        found, top = estimate(value, panel.clusters), ceilings[key][name]
        yield {
            **describe_bench(bench, dimension),
            "measure": name,
            **found._asdict(),
            "ceiling": top.value,
            "ceiling_low": top.low,
            "ceiling_high": top.high,
            **describe_panel(panel),
        }


def describe_bench(bench: Bench, dimension: Rated) -> dict[str, str]:
    """Whose row it is."""
    return {
        "judge": bench.judge,
        "judge_made_by": bench.made_by,
        "grading_version": bench.grading_version,
        "dimension": dimension,
    }


def describe_panel(panel: Panel) -> Mapping[str, Any]:
    """How much was rated."""
    return {
        "transcripts": len(panel.conversations),
        "raters": len(panel.raters),
        "ratings_per_transcript": float(panel.counts.mean()),
        "clusters": len(np.unique(panel.clusters)),
    }


def compare_scores(name: ValidityMeasure, scores: Floats, people: Floats, weights: Floats, dimension: Rated) -> Floats:
    """A measure of scores against people's means; kappa is of whole scores, except for the total."""
    is_rounded = name == "quadratic_kappa" and dimension != TOTAL
    return COMPARED[name](scores, round_up(people) if is_rounded else people, weights)


def find_ceilings(panel: Panel, weights: Floats, dimension: Rated) -> dict[ValidityMeasure, Estimate]:
    """How far people go among themselves, by measure."""
    values: dict[ValidityMeasure, Floats] = {name: find_ceiling(name, panel, weights, dimension) for name in COMPARED}
    values[ALPHA] = compute_alpha(panel.scores, weights, choose_metric(dimension))
    return {name: estimate(value, panel.clusters) for name, value in values.items()}


def find_ceiling(name: ValidityMeasure, panel: Panel, weights: Floats, dimension: Rated) -> Floats:
    """The measure for each person against the others' mean, averaged over people by how much they share.

    Bias has none, for people's biases against each other cancel out.
    """
    if name == "bias":
        return np.full(len(weights), np.nan)
    values: list[Floats] = []
    shares: list[int] = []
    for place in range(len(panel.raters)):
        own, others = panel.scores[:, place], panel.average_others(place)
        both = np.isfinite(own) & np.isfinite(others)
        if both.any():
            values.append(compare_scores(name, own[both], others[both], weights[:, both], dimension))
            shares.append(int(both.sum()))
    return average_known(values, shares, len(weights))


def average_known(values: Sequence[Floats], shares: Sequence[int], count: int) -> Floats:
    """Mean by shares over those that are numbers; not a number where none is."""
    if not values:
        return np.full(count, np.nan)
    masked = load_library("numpy.ma")
    return masked.average(masked.masked_invalid(np.vstack(values)), axis=0, weights=shares).filled(np.nan)


def choose_metric(question: str) -> Metric:
    """Single scores are ordered; totals are means, whose distances count."""
    return "interval" if question == TOTAL else "ordinal"
