"""Where the variance of scores comes from: scenarios, styles, agents, runs and judges.

Belongs here: variance components of unbalanced data. Not here: what follows for planning (`power.py`).

Henderson's first method: for each factor the sum over its levels of the squared total over the count is a known linear
function of the components, whatever is missing; as many equations as factors are solved. statsmodels fits such crossed
models by likelihood, in time that grows with the cube of the levels; the tests compare the two on a small set. A
negative estimate is one of a component near 0: it stands as 0, marked.

Two factors that part the scores alike cannot be told from each other; the variance stands at the first, which says so.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import VarianceComponent
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.measures.clustered import ROUNDING
from servicebench_data.measures.labels import join_labels
from servicebench_data.measures.reading import JUSTICE, encode, keep_marked, make_table, read_numbers, read_scores

#: Columns that part the scores, from coarse to fine.
FACTORS: Mapping[str, tuple[str, ...]] = {
    "agent": ("agent",),
    "judge": ("judge",),
    "style": ("style",),
    "scenario": ("scenario_id",),
    "scenario_x_style": ("scenario_id", "style", "disclosure", "customer"),
    "agent_x_scenario": ("agent", "scenario_id"),
    "agent_x_scenario_x_style": ("agent", "scenario_id", "style", "disclosure", "customer"),
    "run": ("conversation_id",),
    "residual": ("conversation_id", "judge"),
}


class Design(NamedTuple):
    """What follows from which scores there are, whatever they say.

    Attributes:
        factors: Level of each score, by factor that can be told from the others.
        expected: Henderson's equations: by factor, what each component adds to its sum of squares.
        levels: Number of levels of all factors.
        included: What else stands in a factor's component.
        reasons: Why the other factors have none.
    """

    factors: Mapping[str, Integers]
    expected: Floats
    levels: Mapping[str, int]
    included: Mapping[str, list[str]]
    reasons: Mapping[str, str]


class Components(NamedTuple):
    """Estimates by factor, levels of all, what each stands in for, and why the others have none."""

    estimates: Mapping[str, float]
    levels: Mapping[str, int]
    included: Mapping[str, list[str]]
    reasons: Mapping[str, str]


def make_variance_components(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per dimension, and total, and component of an experiment that has scores."""
    scores = read_scores(connection, experiment_id)
    designs: dict[bytes, Design] = {}
    rows: list[dict[str, Any]] = []
    for measure in JUSTICE:
        values = read_numbers(scores, measure)
        known = np.isfinite(values)
        if not known.any():
            continue
        if known.tobytes() not in designs:  # mostly all dimensions are scored together
            kept = keep_marked(scores, known)
            designs[known.tobytes()] = set_up(
                {name: encode(kept, *columns).places for name, columns in FACTORS.items()}
            )
        found = split_variance(values[known], designs[known.tobytes()])
        about = {"experiment_id": experiment_id, "measure": measure, "n": int(known.sum())}
        rows += [{**about, **row} for row in list_rows(found)]
    return make_table(VarianceComponent, rows)


def list_rows(found: Components) -> Iterator[dict[str, Any]]:
    """Rows of one measure; agents are compared and not a sample of any, so that theirs is none."""
    told = {name: max(value, 0.0) for name, value in found.estimates.items() if name != "agent"}
    whole = sum(told.values())
    for name in FACTORS:
        if name == "agent":
            continue
        variance = told.get(name, np.nan)
        more = f"includes {', '.join(found.included[name])}" if found.included.get(name) else ""
        yield {
            "component": name,
            "variance": variance,
            "sd": np.sqrt(variance),
            "share": variance / whole if whole > 0 else np.nan,
            "levels": found.levels[name],
            "is_negative": found.estimates.get(name, 0.0) < 0,
            "label": join_labels([found.reasons.get(name, ""), more]),
        }


def split_variance(values: Floats, design: Design) -> Components:
    """Components of the factors that can be told apart.

    Args:
        values: Scores.
        design: What `set_up` says of them.
    """
    names = list(design.factors)
    if np.linalg.matrix_rank(design.expected) < len(names):
        reasons = {**design.reasons, **dict.fromkeys(names, "too few scores to tell components apart")}
        return Components({}, design.levels, {}, reasons)
    squares = [sum_squares(values, places) for places in design.factors.values()]
    solution = np.linalg.solve(design.expected, np.array(squares) - float(values.sum()) ** 2 / len(values))
    scale = ROUNDING * float(values.var())
    estimates = {name: 0.0 if abs(value) < scale else float(value) for name, value in zip(names, solution, strict=True)}
    return Components(estimates, design.levels, design.included, design.reasons)


def sum_squares(values: Floats, places: Integers) -> float:
    """Sum over the levels of the squared total over the count."""
    return float((np.bincount(places, values) ** 2 / np.bincount(places)).sum())


def choose_factors(
    factors: Mapping[str, Integers], levels: Mapping[str, int]
) -> tuple[list[str], dict[str, list[str]], dict[str, str]]:
    """Factors to estimate, what each includes, and why the others are left out."""
    kept: list[str] = []
    included: dict[str, list[str]] = {}
    reasons: dict[str, str] = {}
    for name, places in factors.items():
        same = next((other for other in kept if is_same(factors[other], places, levels[other], levels[name])), None)
        if levels[name] < 2:
            reasons[name] = f"only one {name}" if name in {"agent", "judge", "style", "scenario"} else "only one level"
        elif same is not None:
            reasons[name] = f"cannot be told from {same}"
            included.setdefault(same, []).append(name)
        else:
            kept.append(name)
    return kept, included, reasons


def is_same(first: Integers, second: Integers, first_levels: int, second_levels: int) -> bool:
    """Whether two factors part the scores alike."""
    return first_levels == second_levels == len(np.unique(first * second_levels + second))


def set_up(factors: Mapping[str, Integers]) -> Design:
    """What can be estimated, and Henderson's equations for it.

    Args:
        factors: Level of each score by factor, from coarse to fine; the last one has each score by itself.
    """
    levels = {name: int(places.max()) + 1 for name, places in factors.items()}
    names, included, reasons = choose_factors(factors, levels)
    kept = {name: factors[name] for name in names}
    expected = np.zeros((len(kept), len(kept)))
    for column, others in enumerate(kept.values()):
        whole = float((np.bincount(others).astype(np.float64) ** 2).sum()) / len(others)
        for row, places in enumerate(kept.values()):
            expected[row, column] = weigh(places, np.bincount(places), others) - whole
    return Design(kept, expected, levels, included, reasons)


def weigh(places: Integers, sizes: Integers, others: Integers) -> float:
    """Expected share of one factor's component in another's sum of squares."""
    width = int(others.max()) + 1
    cells, counts = np.unique(places * width + others, return_counts=True)
    return float((counts.astype(np.float64) ** 2 / sizes[cells // width]).sum())
