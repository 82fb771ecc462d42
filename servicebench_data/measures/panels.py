"""People's ratings and judges' scores of an experiment as arrays.

Belongs here: reading both, conversation by conversation. Not here: any statistic.

Only current ratings enter. A person's total is the mean of the three dimensions where all three are given; so is a
judge's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

import duckdb
import numpy as np
from numpy.typing import NDArray

from schemas.judging import Dimension
from schemas.measures_ratings import Rated
from servicebench_data.journeys.arrays import Floats, Integers
from servicebench_data.lake.database import fetch_table

TOTAL: Rated = "total"
#: One yes or no for each conversation, or person.
Flags = NDArray[np.bool_]
DIMENSIONS: tuple[Rated, ...] = (*get_args(Dimension), TOTAL)

_RATINGS = """
    WITH given AS (
        SELECT r.question, r.asks_about, r.conversation_id, r.rater, r.score, c.cluster_id, c.customer, c.style,
               c.industry
        FROM judging.rating AS r
        JOIN measures.conversation_fact AS c USING (experiment_id, conversation_id)
        WHERE experiment_id = $experiment_id AND r.state = 'current'
    )
    SELECT question, conversation_id, rater, score::DOUBLE AS score, cluster_id, customer, style, industry FROM given
    UNION ALL
    SELECT 'total', conversation_id, rater, avg(score), any_value(cluster_id), any_value(customer), any_value(style),
           any_value(industry)
    FROM given WHERE asks_about = 'justice'
    GROUP BY conversation_id, rater HAVING count(*) = 3
    ORDER BY question, conversation_id, rater
"""
_SCORES = """
    WITH given AS (
        SELECT judge, judge_made_by, grading_version, dimension, conversation_id, score, is_own_family
        FROM measures.score_fact WHERE experiment_id = $experiment_id
    )
    SELECT judge, judge_made_by, grading_version, dimension, conversation_id, score::DOUBLE AS score, is_own_family
    FROM given
    UNION ALL
    SELECT judge, judge_made_by, grading_version, 'total', conversation_id, avg(score), is_own_family
    FROM given GROUP BY ALL HAVING count(*) = 3
    ORDER BY judge, grading_version, dimension, conversation_id
"""


class Panel(NamedTuple):
    """What people gave to one question.

    Attributes:
        conversations: Conversations that somebody rated, by id.
        raters: People who rated any of them, by name.
        scores: By conversation and person; not a number where one did not rate.
        clusters: Cluster of each conversation, as a place.
        traits: Customer, style and industry of each conversation.
    """

    conversations: Sequence[str]
    raters: Sequence[str]
    scores: Floats
    clusters: Integers
    traits: Sequence[Mapping[str, str]]

    @property
    def counts(self) -> Integers:
        """People who rated each conversation."""
        return np.isfinite(self.scores).sum(axis=1)

    def keep(self, rows: Flags) -> "Panel":
        """Some of the conversations, with the people who rated them."""
        scores = self.scores[rows]
        rated: Flags = np.atleast_1d(np.isfinite(scores).any(axis=0))
        return Panel(
            [name for name, is_kept in zip(self.conversations, rows, strict=True) if is_kept],
            [name for name, is_kept in zip(self.raters, rated, strict=True) if is_kept],
            scores[:, rated],
            self.clusters[rows],
            [entry for entry, is_kept in zip(self.traits, rows, strict=True) if is_kept],
        )

    def average(self) -> Floats:
        """Mean of the people who rated each conversation."""
        return np.nansum(self.scores, axis=1) / self.counts

    def average_others(self, place: int) -> Floats:
        """Mean of the people other than one; not a number where nobody else rated."""
        others = np.delete(self.scores, place, axis=1)
        count = np.isfinite(others).sum(axis=1)
        return np.where(count > 0, np.nansum(others, axis=1) / np.maximum(count, 1), np.nan)


class Bench(NamedTuple):
    """A judge under one grading version.

    Attributes:
        judge: Its name.
        made_by: Its model.
        grading_version: The version.
        scores: By dimension or total, its score of each conversation.
        own: Conversations that it scored whose agent is of its own model family.
    """

    judge: str
    made_by: str
    grading_version: str
    scores: Mapping[str, Mapping[str, float]]
    own: Collection[str] = frozenset()


class Pairing(NamedTuple):
    """A judge's scores beside people's, over the conversations that have both.

    Attributes:
        judge: The judge's scores.
        panel: What people gave to the same conversations.
    """

    judge: Floats
    panel: Panel


def read_panels(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> dict[str, Panel]:
    """What people gave, by question; `total` is the mean of the three dimensions."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in fetch_table(connection, _RATINGS, {"experiment_id": experiment_id}).to_pylist():
        rows.setdefault(row["question"], []).append(row)
    return {question: make_panel(entries) for question, entries in rows.items()}


def make_panel(rows: Sequence[Mapping[str, Any]]) -> Panel:
    """What people gave to one question, as arrays."""
    first = {row["conversation_id"]: row for row in reversed(rows)}
    conversations, raters = sorted(first), sorted({row["rater"] for row in rows})
    row_of = {name: place for place, name in enumerate(conversations)}
    column_of = {name: place for place, name in enumerate(raters)}
    scores = np.full((len(conversations), len(raters)), np.nan)
    for row in rows:
        scores[row_of[row["conversation_id"]], column_of[row["rater"]]] = row["score"]
    clusters = np.unique([str(first[name]["cluster_id"]) for name in conversations], return_inverse=True)[1]
    traits = [{name: first[entry][name] for name in ("customer", "style", "industry")} for entry in conversations]
    return Panel(conversations, raters, scores, clusters, traits)


def read_benches(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> list[Bench]:
    """The judges with what they scored, by name and grading version."""
    scores: dict[tuple[str, str, str], dict[str, dict[str, float]]] = {}
    own: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in fetch_table(connection, _SCORES, {"experiment_id": experiment_id}).to_pylist():
        key = (row["judge"], row["judge_made_by"], row["grading_version"])
        scores.setdefault(key, {}).setdefault(row["dimension"], {})[row["conversation_id"]] = row["score"]
        if row["is_own_family"]:
            own[key].add(row["conversation_id"])
    return [Bench(*key, scores[key], own[key]) for key in sorted(scores)]


def pair(bench: Bench, panels: Mapping[str, Panel]) -> Iterator[tuple[Rated, Pairing]]:
    """A judge beside the people, for each dimension and the total that both scored."""
    for dimension in DIMENSIONS:
        if dimension in panels and dimension in bench.scores:
            pairing = pair_one(bench.scores[dimension], panels[dimension])
            if len(pairing.judge):
                yield dimension, pairing


def pair_one(scores: Mapping[str, float], panel: Panel) -> Pairing:
    """A judge beside the people on one dimension."""
    given = np.array([scores.get(name, np.nan) for name in panel.conversations], dtype=np.float64)
    known = np.isfinite(given)
    return Pairing(given[known], panel.keep(known))
