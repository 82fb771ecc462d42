"""Facts of an experiment as arrays, and rows of numbers as tables.

Belongs here: what all statistics share at both ends. Not here: any statistic.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from schemas.records import Record
from servicebench_data.journeys.arrays import Floats, Integers, list_places
from servicebench_data.lake.arrow import arrow_schema, sort_rows
from servicebench_data.lake.database import fetch_table

Marks = NDArray[np.bool_]
_compute = cast("Any", pyarrow.compute)
#: Outcomes of a conversation that has a result; of a simulator's fault and of what was never played nothing is known.
RESULTS = ("agreed", "disengaged", "unresolved")
JUSTICE = ("interactional", "procedural", "distributive", "total")
#: What, beside the agent and the repeat, is varied: conversations of one cell differ by chance alone.
CELL = ("scenario_id", "style", "disclosure", "customer")

CONVERSATIONS = """
    WITH measured AS (
        PIVOT (
            SELECT conversation_id, measure, value
            FROM measures.conversation_measure
            WHERE experiment_id = $experiment_id
        )
        ON measure IN (
            'interactional', 'procedural', 'distributive', 'total', 'agreement_rate', 'disengagement_rate',
            'unresolved_rate', 'goodwill_offered_max_usd', 'goodwill_standing_usd', 'violation_rate', 'exchanges',
            'words_per_agent_message', 'coverage_elicited', 'coverage_all', 'cost_usd'
        )
        USING any_value(value)
    )
    SELECT measured.*, f.scenario_id, f.cluster_id, f.industry, f.stage_id, f.category_id, f.severity, f.agent,
           f.customer, f.style, f.disclosure, f."repeat", f.outcome, f.end_detail, f.log_mean_words
    FROM measures.conversation_fact AS f
    JOIN measured USING (conversation_id)
    WHERE f.experiment_id = $experiment_id
    ORDER BY f.conversation_id
"""
SCORES = """
    WITH bench AS (
        SELECT *, bool_or(judge_made_by <> 'offline') OVER () AS has_models
        FROM measures.score_fact
        WHERE experiment_id = $experiment_id AND is_latest
    )
    SELECT conversation_id, scenario_id, cluster_id, style, disclosure, customer, agent, judge,
           bool_or(is_own_family) AS is_own_family,
           avg(score) FILTER (WHERE dimension = 'interactional') AS interactional,
           avg(score) FILTER (WHERE dimension = 'procedural') AS procedural,
           avg(score) FILTER (WHERE dimension = 'distributive') AS distributive,
           CASE WHEN count(DISTINCT dimension) = 3 THEN avg(score) END AS total
    FROM bench
    WHERE (judge_made_by <> 'offline') = has_models
    GROUP BY ALL
    ORDER BY conversation_id, judge
"""


class Codes(NamedTuple):
    """A column as places in the sorted list of its values."""

    places: Integers
    names: list[str]


def read_conversations(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """All conversations of an experiment with who talked, how it ended and what was measured, by id."""
    return fetch_table(connection, CONVERSATIONS, {"experiment_id": experiment_id})


def read_scores(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """Scores by conversation and judge, of the grading version that counts; the rules only where no model judges."""
    return fetch_table(connection, SCORES, {"experiment_id": experiment_id})


def encode(table: pa.Table, *columns: str) -> Codes:
    """Places of the rows' combinations of values of the columns; `all` for no column, `unknown` for a missing value."""
    parts = [encode_one(table, column) for column in columns]
    if not parts:
        return Codes(np.zeros(len(table), dtype=np.int64), ["all"])
    places = parts[0].places
    for part in parts[1:]:
        places = places * max(len(part.names), 1) + part.places
    _, first, places = np.unique(places, return_index=True, return_inverse=True)
    values = [[part.names[place] for place in list_places(part.places[first])] for part in parts]
    return Codes(places.astype(np.int64), ["/".join(combination) for combination in zip(*values, strict=True)])


def encode_one(table: pa.Table, column: str) -> Codes:
    """Places of the rows' values of a column."""
    texts = _compute.fill_null(table[column].cast(pa.string()), "unknown").combine_chunks()
    coded = _compute.dictionary_encode(texts)
    found: list[str] = coded.dictionary.to_pylist()
    names = sorted(found)
    place = {name: index for index, name in enumerate(names)}
    ranks = np.array([place[name] for name in found], dtype=np.int64)
    return Codes(ranks[coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)], names)


def read_numbers(table: pa.Table, column: str) -> Floats:
    """A column of numbers; missing ones are not a number."""
    numbers = _compute.fill_null(table[column].cast(pa.float64()), math.nan)
    return np.array(numbers.to_numpy(), dtype=np.float64)


def keep_finite(table: pa.Table, column: str) -> pa.Table:
    """Rows that have a number in the column."""
    return keep_marked(table, np.isfinite(read_numbers(table, column)))


def keep_results(table: pa.Table) -> pa.Table:
    """Conversations that have a result."""
    return keep_marked(table, mark_results(table) > 0)


def keep_marked(table: pa.Table, marks: Marks) -> pa.Table:
    """Rows that are marked."""
    return table.filter(cast("Any", pa.array(marks, pa.bool_())))


def make_table(record: type[Record], rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The rows as the record's table, sorted by its key; what is not a number is missing.

    Raises:
        ValueError: A row has other columns than the record.
    """
    schema = arrow_schema(record)
    wrong = next((row for row in rows if set(row) != set(schema.names)), None)
    if wrong is not None:
        raise ValueError(
            f"a row of {record.table.name!r} differs from {record.__name__} in the columns "
            f"{sorted(set(wrong) ^ set(schema.names))}; make it match."
        )
    columns = {name: [read_value(row[name]) for row in rows] for name in schema.names}
    return sort_rows(pa.Table.from_pydict(columns, schema=schema), *record.table.key)


def read_value(value: Any) -> Any:
    """A value as Python has it; None in place of what is not a number."""
    plain: Any = cast("Any", value).item() if isinstance(value, np.generic) else value
    return None if isinstance(plain, float) and not math.isfinite(plain) else plain


def mark_results(table: pa.Table) -> Floats:
    """1 for a conversation that has a result, else 0."""
    marks = _compute.is_in(table["outcome"], value_set=pa.array(RESULTS))
    return np.array(marks.to_numpy(), dtype=np.float64)


def average_cells(values: Floats, rows: Codes, columns: Codes) -> Floats:
    """Mean of the values that are numbers by row and column; not a number where there is none."""
    width, size = len(columns.names), len(rows.names) * len(columns.names)
    kept = np.isfinite(values)
    places = (rows.places * width + columns.places)[kept]
    with np.errstate(invalid="ignore"):
        means = np.bincount(places, values[kept], size) / np.bincount(places, minlength=size)
    return means.reshape(len(rows.names), width)
