"""How large a difference between two agents a set of scenarios can show, and how many it takes for one of a size.

Belongs here: planning from the variance so far. Not here: tests of the differences there are.

Two agents are compared on paired cells, so what counts is the variance of the difference: of the true one between
source dialogues (omega squared in Miller's formula), of a cell's within a dialogue, and of single conversations of
either agent, which repeats divide. Student's t takes the place of the normal quantiles, so that few dialogues are not
flattered; for many the two agree. The outcome is macro total justice; a plan takes the industries to have equal shares.
"""

from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.clustered import ROUNDING, estimate_macro, sum_clusters
from servicebench_data.measures.reading import (
    CELL,
    Marks,
    average_cells,
    encode,
    keep_finite,
    read_conversations,
    read_numbers,
)

LEAST_PAIRS = 3
#: In standard deviations; a larger effect needs no more dialogues.
HUGE = 100.0
KNOWN = "SELECT DISTINCT experiment_id FROM measures.conversation_fact ORDER BY experiment_id"


class PowerError(ValueError):
    """There is nothing to plan from; the message says what to do."""


@dataclass(frozen=True)
class Aim:
    """What is to be seen, and how surely.

    Attributes:
        difference: Difference between two agents, in points.
        power: Chance of seeing it.
        repeats: Conversations to be held in each cell.
        alpha: Level of the test.
    """

    difference: float
    power: float = 0.8
    repeats: int = 3
    alpha: float = 0.05


class Noise(NamedTuple):
    """Variance of a difference between two agents.

    Attributes:
        dialogues: Of the true difference between source dialogues.
        cells: Of a cell's within its dialogue, repeats apart.
        runs: Of a single conversation of either agent, added up.
        clusters: Source dialogues that both played.
        scenarios: Scenarios among them.
        cells_each: Cells of a dialogue.
        has_repeats: Whether any cell was played again; else what differs between runs stands with cells.
        standard_error: Of the macro difference there is.
        freedom: Its degrees of freedom.
        difference: The macro difference there is.
    """

    dialogues: float
    cells: float
    runs: float
    clusters: int
    scenarios: int
    cells_each: float
    has_repeats: bool
    standard_error: float
    freedom: float
    difference: float


class Forecast(NamedTuple):
    """What a pair of agents needs, and what it has.

    Attributes:
        agent_a: First agent.
        agent_b: Second agent.
        noise: Variance of their difference.
        needed: Scenarios to see the difference aimed at.
        needed_holm: The same at the first step of Holm over all pairs.
        seen: Smallest difference that the present set can see; missing where the noise is 0.
        seen_holm: The same at the first step of Holm.
    """

    agent_a: str
    agent_b: str
    noise: Noise
    needed: int
    needed_holm: int
    seen: float
    seen_holm: float


def plan_power(connection: duckdb.DuckDBPyConnection, experiment_id: str, aim: Aim) -> list[Forecast]:
    """A forecast for each pair of agents with enough source dialogues in common.

    Raises:
        PowerError: There is no such experiment, no such pair, or the aim is none.
    """
    check_aim(aim)
    facts = read_conversations(connection, experiment_id)
    if len(facts) == 0:
        known = fetch_table(connection, KNOWN)["experiment_id"].to_pylist()
        raise PowerError(
            f"experiment {experiment_id!r} has no conversations in the published file; those that have are {known}. "
            "Hold them with `servicebench run FILE`."
        )
    scored = keep_finite(facts, "total")
    agents = encode(scored, "agent").names
    pairs = [(pair, noise) for pair in combinations(agents, 2) if (noise := measure_noise(scored, *pair)) is not None]
    if not pairs:
        raise PowerError(
            f"experiment {experiment_id!r} has no two agents with scores on {LEAST_PAIRS} source dialogues in common; "
            "let two agents play the same scenarios."
        )
    return [forecast(pair, noise, aim, len(pairs)) for pair, noise in pairs]


def check_aim(aim: Aim) -> None:
    """Refuse what cannot be aimed at.

    Raises:
        PowerError: A number is out of its range.
    """
    if not (aim.difference > 0 and 0 < aim.alpha < aim.power < 1 and aim.repeats >= 1):
        raise PowerError(
            f"{aim!r} cannot be aimed at; the difference is above 0, repeats are at least 1, "
            "and the power lies between the level and 1."
        )


def forecast(pair: tuple[str, str], noise: Noise, aim: Aim, pairs: int) -> Forecast:
    """What a pair needs and has, by itself and as one of several."""
    levels = (aim.alpha, aim.alpha / pairs)
    needed = [count_scenarios(noise, aim, alpha) for alpha in levels]
    return Forecast(*pair, noise, needed[0], needed[1], *(detectable(noise, aim.power, alpha) for alpha in levels))


def count_scenarios(noise: Noise, aim: Aim, alpha: float) -> int:
    """Scenarios that show the difference aimed at, by Miller's formula with Student's t."""
    test = load_library("statsmodels.stats.power").TTestPower()
    each, effect = noise.scenarios / noise.clusters, aim.difference / max(find_spread(noise, aim.repeats), ROUNDING)
    if test.power(min(effect, HUGE), LEAST_PAIRS, alpha) >= aim.power:
        return ceil(LEAST_PAIRS * each)
    dialogues = float(np.squeeze(test.solve_power(effect, alpha=alpha, power=aim.power)))
    return ceil(dialogues * each - ROUNDING)


def find_spread(noise: Noise, repeats: int) -> float:
    """Standard deviation of the difference over source dialogues with so many repeats."""
    return float(np.sqrt(noise.dialogues + (noise.cells + noise.runs / repeats) / noise.cells_each))


def detectable(noise: Noise, power: float, alpha: float) -> float:
    """Smallest difference that the present set can see; not a number where there is no noise to go by."""
    if not noise.standard_error > ROUNDING:
        return float("nan")
    count = noise.freedom + 1
    effect = load_library("statsmodels.stats.power").TTestPower().solve_power(nobs=count, alpha=alpha, power=power)
    return float(np.squeeze(effect)) * float(np.sqrt(count)) * noise.standard_error


def measure_noise(facts: pa.Table, first: str, second: str) -> Noise | None:
    """Variance of the difference between two agents; None where they have too few source dialogues in common.

    Args:
        facts: Conversations that have a score.
        first: First agent.
        second: Second agent.
    """
    cells, agents = encode(facts, *CELL), encode(facts, "agent")
    values = read_numbers(facts, "total")
    means = average_cells(values, cells, agents)
    sides = [agents.names.index(first), agents.names.index(second)]
    kept = np.isfinite(means[:, sides[0]]) & np.isfinite(means[:, sides[1]])
    _, place = np.unique(cells.places, return_index=True)
    cluster, industry, scenario = (
        encode(facts, name).places[place][kept] for name in ("cluster_id", "industry", "scenario_id")
    )
    if len(np.unique(cluster)) < LEAST_PAIRS:
        return None
    difference = means[kept][:, sides[0]] - means[kept][:, sides[1]]
    runs, chance, has_repeats = measure_runs(values, cells.places, agents.places, sides, kept)
    between, within, size = part_dialogues(difference, cluster, industry)
    names, industry = np.unique(industry, return_inverse=True)
    macro = estimate_macro(difference, cluster, industry, len(names))
    return Noise(
        dialogues=max((between - within) / size, 0.0) if size > 1 + ROUNDING else max(between - chance, 0.0),
        cells=max(within - chance, 0.0) if size > 1 + ROUNDING else 0.0,
        runs=runs,
        clusters=len(np.unique(cluster)),
        scenarios=len(np.unique(scenario)),
        cells_each=len(difference) / len(np.unique(cluster)),
        has_repeats=has_repeats,
        standard_error=float(macro.standard_error[0]),
        freedom=float(macro.freedom[0]),
        difference=float(macro.mean[0]),
    )


def measure_runs(
    values: Floats,
    cells: Integers,
    agents: Integers,
    sides: list[int],
    kept: Marks,
) -> tuple[float, float, bool]:
    """Variance of single conversations of both agents, what it adds to a cell's difference, and whether it is known."""
    runs, chance, known = 0.0, 0.0, False
    for side in sides:
        own = (agents == side) & kept[cells]
        sizes = np.bincount(cells[own], minlength=len(kept))
        totals = np.bincount(cells[own], values[own], len(kept))
        left = values[own] - (totals / np.maximum(sizes, 1))[cells[own]]
        freedom = int(sizes.sum() - (sizes > 0).sum())
        if freedom > 0:
            variance = float((left**2).sum()) / freedom
            runs, known = runs + variance, True
            chance += variance * float((1 / sizes[sizes > 0]).mean())
    return runs, chance, known


def part_dialogues(difference: Floats, cluster: Integers, industry: Integers) -> tuple[float, float, float]:
    """Mean squares of the difference between source dialogues and within them, and cells of a dialogue; by industry."""
    sizes = np.bincount(industry)
    left = difference - (np.bincount(industry, difference) / np.maximum(sizes, 1))[industry]
    alone = np.zeros_like(cluster)
    _, sums = sum_clusters(left, cluster, alone)
    _, counts = sum_clusters(np.ones(len(left)), cluster, alone)
    means, groups = sums / counts, len(np.unique(industry))
    within = float((left**2).sum() - (counts * means**2).sum()) / max(len(left) - len(counts), 1)
    between = float((counts * means**2).sum()) / max(len(counts) - groups, 1)
    size = (counts.sum() - (counts**2).sum() / counts.sum()) / (len(counts) - 1)
    return between, max(within, 0.0), float(size)
