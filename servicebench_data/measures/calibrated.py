"""What people would give, by what a judge gave: calibrated means beside the judge's own, never in their place.

Belongs here: the table `justice_calibrated_to_people`. Not here: the line by itself (`calibration.py`).

Our definition: people's means are regressed on the judge's scores over the rated conversations of all agents, and each
score of the judge is put into the line. A rated conversation is put into a line from which the fifth of the source
dialogues that holds its own was left out, so that nobody's rating calibrates what it rated; the error that is told is
of those. Intervals draw source dialogues anew, for line and means at once. As the line is one for all agents, it takes
out neither that a judge favours one of them, nor that it is blind to something.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import CalibratedJustice
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.journeys.kappas import DEFINED_SHARE, NOTHING, Estimate
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.calibration import LEAST_CLUSTERS
from servicebench_data.measures.concordance import draw_weights
from servicebench_data.measures.inference import find_quantile
from servicebench_data.measures.judges import ENSEMBLE
from servicebench_data.measures.labels import find_judge_labels, find_labels, join_labels
from servicebench_data.measures.panels import DIMENSIONS, Bench, Flags, Panel, read_benches, read_panels
from servicebench_data.measures.reading import Codes, encode, make_table

FOLDS = 5
TOO_FEW = f"fewer than {LEAST_CLUSTERS} source dialogues are rated"
ALIKE = "the scores of rated conversations do not vary"

_TALKS = """
    SELECT conversation_id, agent, industry, cluster_id, coalesce(grading_version, '') AS grading_version,
           coalesce(scored_by, '') AS scored_by, interactional, procedural, distributive, total
    FROM measures.conversation_fact WHERE experiment_id = $experiment_id ORDER BY conversation_id
"""


class Talks(NamedTuple):
    """The conversations of an experiment.

    Attributes:
        place: Place of each, by id.
        clusters: Cluster of each.
        agents: Agent of each.
        cells: Agent and industry of each.
        agent_of_cell: Agent of each of those.
    """

    place: Mapping[str, int]
    clusters: Integers
    agents: Codes
    cells: Codes
    agent_of_cell: Integers


class Sample(NamedTuple):
    """What a judge gave on one dimension, and people to some of it.

    Attributes:
        scores: The judge's scores.
        people: People's mean of each conversation; not a number where nobody rated.
        clusters: Cluster of each.
        agents: Agent of each.
        cells: Agent and industry of each.
        lines: Line that calibrates each: the first rests on all that is rated, each other one leaves a fifth out.
    """

    scores: Floats
    people: Floats
    clusters: Integers
    agents: Integers
    cells: Integers
    lines: Integers


class Lines(NamedTuple):
    """Intercepts and slopes, by resample and line."""

    intercepts: Floats
    slopes: Floats


def make_calibrated_justice(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per judge of the grading version that counts, and the ensemble, by dimension and agent."""
    table = fetch_table(connection, _TALKS, {"experiment_id": experiment_id})
    talks, panels, headline = lay_out(table), read_panels(connection, experiment_id), read_headline(table)
    judges = [bench for bench in read_benches(connection, experiment_id) if is_graded_alike(bench, headline)]
    weights = draw_weights(np.arange(count_clusters(talks))) if panels else np.ones((1, count_clusters(talks)))
    of_agents, of_judges = find_labels(connection, experiment_id), find_judge_labels(connection, experiment_id)
    rows: list[dict[str, Any]] = []
    for bench, dimension in product((*judges, headline), DIMENSIONS):
        sample = take_sample(bench.scores.get(dimension, {}), panels.get(dimension), talks)
        for row in describe(sample, talks, weights) if len(sample.scores) else ():
            agent = row["agent"]
            told = of_agents[agent].justice if bench is headline else of_judges[agent, bench.judge]
            row["label"] = join_labels([*told, row["label"]])
            about = {"judge": bench.judge, "grading_version": bench.grading_version, "dimension": dimension}
            rows.append({"experiment_id": experiment_id, **about, **row})
    return make_table(CalibratedJustice, rows)


def is_graded_alike(bench: Bench, headline: Bench) -> bool:
    """Whether a judge's scores are of the headline's grading version."""
    return bench.grading_version == headline.grading_version


def count_clusters(talks: Talks) -> int:
    """How many clusters there are."""
    return int(talks.clusters.max(initial=-1)) + 1


def lay_out(table: pa.Table) -> Talks:
    """The conversations as places."""
    place = {str(name): number for number, name in enumerate(table["conversation_id"].to_pylist())}
    agents, cells = encode(table, "agent"), encode(table, "agent", "industry")
    _, first = np.unique(cells.places, return_index=True)
    return Talks(place, encode(table, "cluster_id").places, agents, cells, agents.places[first])


def read_headline(table: pa.Table) -> Bench:
    """The headline as if one judge gave it."""
    rows = table.to_pylist()
    scores = {
        dimension: {row["conversation_id"]: row[dimension] for row in rows if row[dimension] is not None}
        for dimension in DIMENSIONS
    }
    return Bench(ENSEMBLE, rows[0]["scored_by"], rows[0]["grading_version"], scores) if rows else Bench("", "", "", {})


def take_sample(scores: Mapping[str, float], panel: Panel | None, talks: Talks) -> Sample:
    """A judge's scores beside people's means, conversation by conversation."""
    rated: dict[str, float] = dict(zip(panel.conversations, panel.average(), strict=True)) if panel else {}
    places = np.array([talks.place[name] for name in scores], dtype=np.int64)
    people = np.array([rated.get(name, np.nan) for name in scores], dtype=np.float64)
    given, clusters = np.array(list(scores.values()), dtype=np.float64), talks.clusters[places]
    who = talks.agents.places[places], talks.cells.places[places]
    return Sample(given, people, clusters, *who, choose_lines(people, clusters))


def choose_lines(people: Floats, clusters: Integers) -> Integers:
    """Line of each conversation: 0 where nobody rated it; the rated ones of a source dialogue share another."""
    lines, known = np.zeros(len(people), dtype=np.int64), np.isfinite(people)
    lines[known] = np.unique(clusters[known], return_inverse=True)[1] % FOLDS + 1
    return lines


def describe(sample: Sample, talks: Talks, weights: Floats) -> Iterator[dict[str, Any]]:
    """Rows of a judge on one dimension, one for each agent that it scored.

    Args:
        sample: What it gave, and people.
        talks: The conversations.
        weights: How often each cluster is drawn: all once, then by resample.
    """
    known, reason = np.isfinite(sample.people), explain(sample)
    nothing = np.full((len(weights), FOLDS + 1), np.nan)
    lines = Lines(nothing, nothing) if reason else find_lines(sample, weights)
    raw, calibrated = average_agents(sample, talks, weights, lines)
    fitted = fit(sample, lines)
    rated = len(np.unique(sample.clusters[known]))
    shared = {
        "calibration_transcripts": int(known.sum()),
        "calibration_clusters": rated,
        "calibrated_error": find_error(fitted[known], sample.people[known]),
        "raw_error": find_error(sample.scores[known], sample.people[known]),
        "label": reason,
    }
    for place in np.unique(sample.agents):
        own = sample.clusters[sample.agents == place]
        value, low, high = surround(calibrated[:, place], min(len(np.unique(own)), rated) - 1)
        yield {
            "agent": talks.agents.names[place], "n": len(own), "clusters": len(np.unique(own)), "raw": raw[place],
            "calibrated": value, "low": low, "high": high, **shared,
        }  # fmt: skip


def surround(values: Floats, freedom: int) -> Estimate:
    """The value over all, which comes first, with Student's interval by the standard deviation of the others.

    The percentiles of so skew-free a number would leave out the truth too often where source dialogues are few.
    """
    value, drawn = float(values[0]), values[1:][np.isfinite(values[1:])]
    if not np.isfinite(value):
        return NOTHING
    if freedom < LEAST_CLUSTERS - 1 or len(drawn) < DEFINED_SHARE * (len(values) - 1):
        return Estimate(value, None, None)
    reach = float(find_quantile(freedom)) * float(drawn.std(ddof=1))
    return Estimate(value, value - reach, value + reach)


def fit(sample: Sample, lines: Lines) -> Floats:
    """Each conversation by its line."""
    return lines.intercepts[0, sample.lines] + lines.slopes[0, sample.lines] * sample.scores


def explain(sample: Sample) -> str:
    """Why there is no line, in words; empty where there is one."""
    known = np.isfinite(sample.people)
    if len(np.unique(sample.clusters[known])) < LEAST_CLUSTERS:
        return TOO_FEW
    return ALIKE if np.ptp(sample.scores[known]) == 0 else ""


def find_error(scores: Floats, people: Floats) -> float:
    """Root mean squared distance; not a number where there is none."""
    find = load_library("sklearn.metrics").root_mean_squared_error
    return float(find(people, scores)) if len(scores) and np.isfinite(scores).all() else np.nan


def find_lines(sample: Sample, weights: Floats) -> Lines:
    """Lines of least squares: through all that is rated, and without each fifth of it."""
    known = np.isfinite(sample.people)
    x, y = sample.scores[known], sample.people[known]
    rated, first, places = np.unique(sample.clusters[known], return_index=True, return_inverse=True)
    columns = (np.ones(len(x)), x, y, x * y, x * x)
    sums = np.column_stack([np.bincount(places, column) for column in columns])
    drawn, line_of = weights[:, rated], sample.lines[known][first]
    found = [solve((drawn[:, line_of != out] @ sums[line_of != out]).T) for out in range(FOLDS + 1)]
    intercepts, slopes = (np.column_stack(column) for column in zip(*found, strict=True))
    return Lines(intercepts, slopes)


def solve(sums: Floats) -> tuple[Floats, Floats]:
    """Intercept and slope of least squares by resample, from count and sums of x, y, xy and xx."""
    n, x, y, xy, xx = sums
    slope = divide(n * xy - x * y, n * xx - x * x)
    return divide(y - slope * x, n), slope


def divide(above: Floats, below: Floats) -> Floats:
    """Quotients; not a number where there is nothing to divide by, up to rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 1e-9, above / below, np.nan)


def average_agents(sample: Sample, talks: Talks, weights: Floats, lines: Lines) -> tuple[Floats, Floats]:
    """Mean of the industries' means by agent: as the judge gave it, and calibrated by resample."""
    shape = (len(weights), len(talks.cells.names))
    counts, scores, fitted = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for line in np.unique(sample.lines):
        count, total = add_up(sample, sample.lines == line, weights, shape[1])
        counts += count
        scores += total
        fitted += lines.intercepts[:, [line]] * count + lines.slopes[:, [line]] * total
    return average_macro(divide(scores, counts), talks)[0], average_macro(divide(fitted, counts), talks)


def add_up(sample: Sample, rows: Flags, weights: Floats, cells: int) -> tuple[Floats, Floats]:
    """How many of some conversations each cell has, and the sum of their scores, by resample."""
    clusters, places = np.unique(sample.clusters[rows], return_inverse=True)
    spots = places * cells + sample.cells[rows]
    size = len(clusters) * cells
    counts, sums = (np.bincount(spots, given, size).reshape(-1, cells) for given in (None, sample.scores[rows]))
    drawn = weights[:, clusters]
    return drawn @ counts, drawn @ sums


def average_macro(means: Floats, talks: Talks) -> Floats:
    """Unweighted mean over the industries of each agent, by resample."""
    agents = range(len(talks.agents.names))
    return np.column_stack([means[:, talks.agent_of_cell == place].mean(axis=1) for place in agents])
