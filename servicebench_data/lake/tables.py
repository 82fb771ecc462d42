"""The registry of all tables, and their Arrow and DuckDB schemas.

Belongs here: deriving storage schemas from records. Not here: reading or writing files (`store.py`).
"""

from datetime import datetime
from functools import cache

import pyarrow as pa

from schemas import (
    dialogues,
    journeys,
    judging,
    measures,
    measures_ratings,
    measures_statistics,
    models,
    release,
    scenarios,
    simulation,
)
from schemas.records import Record
from servicebench_data.lake.columns import Column, read_columns

# In the order in which the pipeline makes them.
RECORDS: tuple[type[Record], ...] = (
    dialogues.Post, dialogues.QuarantinedPost, dialogues.Turn, dialogues.Dialogue, dialogues.Screening,
    journeys.StageRow, journeys.CategoryRow, journeys.Embedding, journeys.Topic, journeys.TopicMember,
    journeys.TopicChange, journeys.Coding, journeys.Recoding, journeys.CodingChange,
    scenarios.Event, scenarios.Severity, scenarios.Fact, scenarios.BackgroundSentence, scenarios.Expectation,
    scenarios.CaseFieldRow, scenarios.CasePolicy, scenarios.GroundingFailure, scenarios.Candidate, models.TaskFailure,
    scenarios.ScenarioDecision,
    scenarios.Scenario, scenarios.NearDuplicate, scenarios.ScenarioDiversity,
    simulation.ExperimentRow, simulation.Playing, simulation.Conversation, simulation.MessageRow, simulation.OfferRow,
    simulation.GateFlagRow, simulation.FactOpening, simulation.FactDisclosure, simulation.SimulatorFault,
    simulation.DeclaredAct,
    judging.RubricItem, judging.Score, judging.SubScore, judging.Judgment, judging.PaddedScore, judging.Rating,
    measures_ratings.JudgeStatus, measures_ratings.JudgeValidity, measures_ratings.RaterAgreement,
    measures_ratings.JudgeCalibration, measures_ratings.CalibratedJustice, measures_ratings.SelfPreference,
    measures_ratings.CustomerRealism,
    measures.AgentMeasure,
    measures_statistics.AgentContrast, measures_statistics.CategoryRanking, measures_statistics.CumulativeOutcome,
    measures_statistics.LengthEffect, measures_statistics.PaddingEffect,
    measures_statistics.JudgeAdvantage, measures_statistics.JudgeConsistency,
    measures_statistics.VarianceComponent, measures_statistics.RunToRun,
    release.Build, release.BuildStep,
)  # fmt: skip

ARROW_TYPES: dict[type, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    datetime: pa.timestamp("us", tz="UTC"),
}
SQL_TYPES: dict[type, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    datetime: "TIMESTAMPTZ",
}


@cache
def record_of(table: str) -> type[Record]:
    """The record of a table by the table's name.

    Raises:
        KeyError: No such table.
    """
    by_name = {record.table.name: record for record in RECORDS}
    if table not in by_name:
        raise KeyError(f"no table {table!r}; the tables are {', '.join(sorted(by_name))}.")
    return by_name[table]


@cache
def arrow_schema(record: type[Record]) -> pa.Schema:
    """Arrow schema of a record's table; lists of numbers with a fraction are vectors of 32-bit floats."""
    fields = [arrow_field(column) for column in read_columns(record)]
    return pa.schema(fields)


def arrow_field(column: Column) -> "pa.Field[pa.DataType]":
    """Arrow field of one column."""
    kind = ARROW_TYPES[column.type]
    if column.is_list:
        kind = pa.list_(pa.float32() if column.type is float else kind)
    return pa.field(column.name, kind, nullable=column.is_nullable, metadata={"description": column.description})


def describe_table(record: type[Record]) -> str:
    """First sentence of the record's docstring, on one line."""
    return " ".join((record.__doc__ or "").split("\n\n")[0].split())


def write_ddl(record: type[Record]) -> list[str]:
    """Statements that create the published table with its constraints and comments.

    Foreign keys are checked before publishing (see `checks.py`) and not declared: DuckDB would keep an index for each.
    """
    name = f"{record.table.group}.{quote_name(record.table.name)}"
    columns = read_columns(record)
    parts = [sql_column(column) for column in columns]
    parts.append(f"PRIMARY KEY ({', '.join(quote_name(entry) for entry in record.table.key)})")
    return [
        f"CREATE TABLE {name} ({', '.join(parts)})",
        f"COMMENT ON TABLE {name} IS {quote_text(describe_table(record))}",
        *(
            f"COMMENT ON COLUMN {name}.{quote_name(column.name)} IS {quote_text(column.description)}"
            for column in columns
        ),
    ]


def sql_column(column: Column) -> str:
    """Definition of one column with its checks."""
    kind = SQL_TYPES[column.type] + ("[]" if column.is_list else "")
    checks = "".join(f" CHECK (NOT ({rule}))" for rule in violations(column).values())
    return f"{quote_name(column.name)} {kind}{'' if column.is_nullable else ' NOT NULL'}{checks}"


def violations(column: Column) -> dict[str, str]:
    """SQL conditions under which a present value breaks a rule of its column, by the rule's name."""
    name = quote_name(column.name)
    rules: dict[str, str] = {}
    if column.choices:
        choices = ", ".join(quote_text(entry) for entry in column.choices)
        rules["in_set"] = f"NOT list_has_all([{choices}], {name})" if column.is_list else f"{name} NOT IN ({choices})"
    if column.is_list:
        rules["items"] = f"list_aggregate({name}, 'count') < len({name})"
    bounds: list[str] = []
    if column.type is float:  # a sum is finite only when every item is
        bounds.append(f"NOT isfinite({f'list_sum({name})' if column.is_list else name})")
    if column.lower is not None:
        bounds.append(f"{name} {'<=' if column.is_lower_open else '<'} {column.lower}")
    if column.upper is not None:
        bounds.append(f"{name} > {column.upper}")
    if bounds:
        rules["range"] = " OR ".join(bounds)
    lengths = [f"len({name}) < {column.min_length}"] if column.min_length is not None else []
    if column.max_length is not None:
        lengths.append(f"len({name}) > {column.max_length}")
    if lengths:
        rules["length"] = " OR ".join(lengths)
    if column.pattern is not None:
        rules["pattern"] = f"NOT regexp_matches({name}, {quote_text(column.pattern)})"
    return rules


def quote_name(name: str) -> str:
    """A name as SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quote_text(text: str) -> str:
    """A text of our own as SQL literal; text from outside goes in as a bound parameter instead."""
    return "'" + text.replace("'", "''") + "'"
