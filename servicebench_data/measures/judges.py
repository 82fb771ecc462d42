"""What judges make of agents: how far they agree, and whom each favours beyond the others.

Belongs here: tables by judge and agent. Not here: judges against people.

The rule engine sits on this bench only where no model does. Each judge's scores are standardised over all that it
scored; means are over the conversations that every judge scored. A judge's advantage for an agent is its standardised
mean, less its own mean, less the agent's mean over judges, plus the grand mean. Its p comes from flipping the signs of
whole source dialogues on the judge's standardised score less the mean of the other judges'.
"""

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_statistics import JudgeAdvantage, JudgeConsistency
from schemas.records import Record
from servicebench_data.journeys.arrays import Floats, Integers, load_library
from servicebench_data.measures.clustered import estimate_means, find_interval, sum_clusters
from servicebench_data.measures.inference import adjust
from servicebench_data.measures.intervals import DIGITS
from servicebench_data.measures.labels import find_judge_labels, join_labels
from servicebench_data.measures.reading import JUSTICE, encode, make_table, read_numbers, read_scores

ENSEMBLE = "ensemble"
FLIPS = 9999
FLIPS_AT_ONCE = 1000
SEED = 2026
OWN_FAMILY = "own family: not compared with people's scores here but in self_preference"


class Bench(NamedTuple):
    """Scores of one measure by conversation and judge.

    Attributes:
        scores: By conversation and judge; not a number where there is none.
        agent: Agent of each conversation.
        cluster: Cluster of each conversation.
    """

    scores: Floats
    agent: Integers
    cluster: Integers


class Advantages(NamedTuple):
    """By judge and agent: standardised means, advantages and their p; and by agent what they are from."""

    standardised: Floats
    advantage: Floats
    p: Floats
    n: Integers
    clusters: Integers


class Sitting(NamedTuple):
    """Who judged whom in an experiment, and the benches by measure.

    Attributes:
        judges: Names of the judges.
        agents: Names of the agents.
        own_family: Judges and agents of one family.
        labels: What is to be known of a judge's scores, by agent and judge.
        benches: Scores by measure.
    """

    judges: list[str]
    agents: list[str]
    own_family: set[tuple[str, str]]
    labels: Mapping[tuple[str, str], list[str]]
    benches: Mapping[str, Bench]


def make_judge_advantages(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per measure, judge and agent of an experiment; without figures where one judge sat alone."""
    return write_rows(JudgeAdvantage, connection, experiment_id, list_advantages)


def make_judge_consistency(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per measure, judge (and the ensemble of several) and agent of an experiment."""
    return write_rows(JudgeConsistency, connection, experiment_id, list_means)


def write_rows(
    record: type[Record], connection: duckdb.DuckDBPyConnection, experiment_id: str, listing: Any
) -> pa.Table:
    """The rows that a listing makes of each measure."""
    sitting = read_sitting(connection, experiment_id)
    rows = [
        {"experiment_id": experiment_id, "measure": measure, **row}
        for measure, bench in sitting.benches.items()
        for row in listing(sitting, bench)
    ]
    return make_table(record, rows)


def read_sitting(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> Sitting:
    """Scores of the grading version that counts, by measure."""
    scores = read_scores(connection, experiment_id)
    judges, agents, talks = (encode(scores, name) for name in ("judge", "agent", "conversation_id"))
    _, first = np.unique(talks.places, return_index=True)
    clusters = encode(scores, "cluster_id").places[first]
    benches: dict[str, Bench] = {}
    for measure in JUSTICE if len(scores) else ():
        matrix = np.full((len(talks.names), len(judges.names)), np.nan)
        matrix[talks.places, judges.places] = read_numbers(scores, measure)
        benches[measure] = Bench(matrix, agents.places[first], clusters)
    triples = zip(*(scores[name].to_pylist() for name in ("judge", "agent", "is_own_family")), strict=True)
    own_family = {(judge, agent) for judge, agent, is_own in triples if is_own}
    return Sitting(judges.names, agents.names, own_family, find_judge_labels(connection, experiment_id), benches)


def list_advantages(sitting: Sitting, bench: Bench) -> Iterator[dict[str, Any]]:
    """Rows of one measure."""
    found = find_advantages(bench, len(sitting.agents))
    adjusted = adjust(found.p.ravel(), "holm").reshape(found.p.shape)
    reason = explain(sitting, found)
    for (j, judge), (a, agent) in product(enumerate(sitting.judges), enumerate(sitting.agents)):
        is_own = (judge, agent) in sitting.own_family
        yield {
            "judge": judge,
            "agent": agent,
            "n": found.n[a],
            "clusters": found.clusters[a],
            "standardised": found.standardised[j, a],
            "advantage": found.advantage[j, a],
            "p": found.p[j, a],
            "p_adjusted": adjusted[j, a],
            "is_own_family": is_own,
            "label": join_labels([reason, *sitting.labels[agent, judge], OWN_FAMILY if is_own else ""]),
        }


def explain(sitting: Sitting, found: Advantages) -> str:
    """Why there are no advantages, in words; empty where there are."""
    if len(sitting.judges) < 2 or len(sitting.agents) < 2:
        return "an advantage needs two judges and two agents"
    return (
        "" if np.isfinite(found.advantage).all() else "a judge's scores do not vary, or no conversation has all judges"
    )


def find_advantages(bench: Bench, agents: int) -> Advantages:
    """Advantages of every judge for every agent with their p; not a number for one judge or one agent."""
    judges = bench.scores.shape[1]
    whole = np.isfinite(bench.scores).all(axis=1)
    z, agent, cluster = standardise(bench.scores)[whole], bench.agent[whole], bench.cluster[whole]
    n = np.bincount(agent, minlength=agents)
    with np.errstate(invalid="ignore"):  # no conversation of an agent has all judges
        means = np.array([np.bincount(agent, column, agents) / n for column in z.T])
    clusters = np.bincount(sum_clusters(np.ones(len(agent)), cluster, agent)[0], minlength=agents)
    if judges < 2 or agents < 2 or not np.isfinite(means).all():
        nothing = np.full((judges, agents), np.nan)
        return Advantages(means, nothing, nothing, n, clusters)
    return Advantages(means, center_twice(means), flip_signs(z, agent, cluster, means), n, clusters)


def standardise(scores: Floats) -> Floats:
    """Each judge's scores less their mean, over their standard deviation; not a number where they do not vary."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return load_library("scipy.stats").zscore(scores, ddof=1, nan_policy="omit")


def center_twice(means: Floats) -> Floats:
    """What is left of a matrix of judges by agents without its rows' and columns' means."""
    return means - means.mean(axis=1, keepdims=True) - means.mean(axis=0, keepdims=True) + means.mean()


def flip_signs(z: Floats, agent: Integers, cluster: Integers, means: Floats) -> Floats:
    """Two-sided p by judge and agent, from signs of whole clusters.

    Flipped is what a cluster adds to the mean of the judge's score less that of the others, less what it adds to the
    same over all agents: neither a judge that is generous to all nor its own view of a dialogue favours an agent.
    """
    judges, agents = means.shape
    general = (judges * means - means.sum(axis=0)).mean(axis=1) / (judges - 1)
    contrast = (judges * z - z.sum(axis=1, keepdims=True)) / (judges - 1) - general
    sums = np.zeros((int(cluster.max()) + 1, agents, judges))
    np.add.at(sums, (cluster, agent), contrast / np.bincount(agent, minlength=agents)[agent][:, None])
    sums -= sums.mean(axis=1, keepdims=True)
    return count_extremes(sums.reshape(len(sums), -1)).reshape(agents, judges).T


def count_extremes(sums: Floats) -> Floats:
    """P of each column's sum among those with random signs of the rows; with all signs where the rows are few."""
    if len(sums) < 2:  # a single row's sign changes no size
        return np.ones_like(sums[0])
    test = load_library("scipy.stats").permutation_test
    found = test(
        (np.ones(len(sums)),), partial(add_up, sums), permutation_type="samples", vectorized=True, n_resamples=FLIPS,
        batch=FLIPS_AT_ONCE, alternative="greater", rng=np.random.default_rng(SEED),
    )  # fmt: skip
    return found.pvalue


def add_up(sums: Floats, signs: Floats, axis: int) -> Floats:
    """Size of each column's sum with the rows' signs, which lie along the axis; rounding breaks no tie."""
    lying: Floats = np.moveaxis(signs, axis, -1)
    return np.abs(lying @ sums).round(DIGITS)


def list_means(sitting: Sitting, bench: Bench) -> Iterator[dict[str, Any]]:
    """Mean and spread by judge and agent; the ensemble over the conversations that every judge scored."""
    columns, own = dict(zip(sitting.judges, bench.scores.T, strict=True)), sitting.own_family
    if len(sitting.judges) > 1:
        columns[ENSEMBLE] = bench.scores.mean(axis=1)
        own = own | {(ENSEMBLE, agent) for _, agent in own}
    for judge, scores in columns.items():
        kept = np.isfinite(scores)
        means = estimate_means(scores[kept], bench.cluster[kept], bench.agent[kept], len(sitting.agents))
        low, high = find_interval(means)
        for place, agent in enumerate(sitting.agents):
            if means.n[place]:
                yield {
                    "judge": judge,
                    "agent": agent,
                    "n": means.n[place],
                    "clusters": means.clusters[place],
                    "mean": means.mean[place],
                    "sd": means.sd[place],
                    "standard_error": means.standard_error[place],
                    "low": low[place],
                    "high": high[place],
                    "is_own_family": (judge, agent) in own,
                    "label": join_labels(tell_labels(sitting, judge, agent)),
                }


def tell_labels(sitting: Sitting, judge: str, agent: str) -> Iterator[str]:
    """What is to be known of a judge's scores of an agent; of the ensemble's, what is of any of its judges'."""
    for name in sitting.judges if judge == ENSEMBLE else [judge]:
        yield from sitting.labels[agent, name]
