"""Counts of every step, whether they add up, and whether the tables of a build belong together.

Belongs here: what must hold across tables before anything is published. Not here: rules of one table
(`lake/expectations.py`).
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from schemas.records import Record
from schemas.scenarios import Candidate, Scenario
from servicebench_data.industries import list_industries
from servicebench_data.lake.database import Limits, add_views, fetch_table, open_database
from servicebench_data.lake.expectations import KEY_LIMIT, Finding, orphan_condition
from servicebench_data.lake.generations import compare_generation, lake_records, list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.lake.tables import RECORDS, quote_name

SQL = (Path(__file__).parent / "steps.sql").read_text(encoding="utf-8")

# What goes into a step is what went on from the one before; dialogues are made of posts and have no such sum.
BALANCES = (
    ("screening", "dialogues"),
    ("coding", "screening"),
    ("release_grade", "coding"),
    ("candidates", "release_grade"),
    ("scenarios", "candidates"),
)

Files = Mapping[str, Sequence[Path]]


def count_steps(files: Files, limits: Limits) -> pa.Table:
    """Rows by step, industry and outcome, as the table of `BuildStep`."""
    with open_database(limits) as connection:
        add_views(connection, files)
        return fetch_table(connection, SQL)


def check_balance(steps: pa.Table) -> list[Finding]:
    """Whether what came into each step is what left it, industry by industry."""
    rows = steps.to_pylist()
    return [check_step(rows, step, before) for step, before in BALANCES]


def check_step(rows: Iterable[Mapping[str, object]], step: str, before: str) -> Finding:
    """One balance: all rows of the step against what the step before passed on."""
    came: dict[str, int] = {}
    left: dict[str, int] = {}
    for row in rows:
        industry, count = str(row["industry"]), int(str(row["row_count"]))
        if row["step"] == step:
            left[industry] = left.get(industry, 0) + count
        elif row["step"] == before and row["outcome"] == "made":
            came[industry] = count
    wrong = sorted(name for name in {*came, *left} if came.get(name, 0) != left.get(name, 0))
    keys = tuple(f"{name}: {came.get(name, 0)} came in, {left.get(name, 0)} left" for name in wrong)
    return Finding(f"balance:{step}", not wrong, len(wrong), keys[:KEY_LIMIT])


def check_references(files: Files, limits: Limits) -> list[Finding]:
    """Every reference between tables, those to later tables included; one to a table that is not there is broken."""
    with open_database(limits) as connection:
        add_views(connection, files)
        return [
            check_reference(connection, record, index)
            if reference.table in files
            else Finding(name_reference(record, index), False, 0, (), f"table {reference.table!r} is not there")
            for record in RECORDS
            if record.table.name in files
            for index, reference in enumerate(record.table.references)
        ]


def name_reference(record: type[Record], index: int) -> str:
    """Name of a reference's rule."""
    reference = record.table.references[index]
    return f"reference:{record.table.name}.{'+'.join(reference.columns)}->{reference.table}"


def check_reference(connection: duckdb.DuckDBPyConnection, record: type[Record], index: int) -> Finding:
    """One reference of a record."""
    reference = record.table.references[index]
    condition = orphan_condition(reference.columns, reference.table, reference.to)
    key = " || ' / ' || ".join(f"t.{quote_name(column)}::VARCHAR" for column in record.table.key)
    rows = connection.execute(
        f"SELECT {key} AS k FROM {quote_name(record.table.name)} AS t WHERE {condition} ORDER BY k"  # noqa: S608
    ).fetchall()
    keys = tuple(str(row[0]) for row in rows[:KEY_LIMIT])
    return Finding(name_reference(record, index), not rows, len(rows), keys)


def find_left_out(lake: Lake) -> list[str]:
    """Industries that the scenarios were not chosen from, for what they are made of is missing or out of date."""
    return sorted(set(list_industries()) - set(list_sources(lake, Scenario, Candidate)))


def check_generation(lake: Lake, industries: Iterable[str]) -> list[Finding]:
    """Whether each stored table was made from the tables that are stored now, and none is missing."""
    missing, stale = compare_generation(lake, industries, lake_records())
    return [
        Finding("complete", not missing, len(missing), tuple(missing[:KEY_LIMIT]), "materialise what is missing"),
        Finding("one_generation", not stale, len(stale), tuple(stale[:KEY_LIMIT]), "materialise what is out of date"),
    ]
