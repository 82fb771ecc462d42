"""Asks the published file what the report shows.

Belongs here: the SQL files of `queries/`, run read-only, and what to say where a table is missing. Not here: what is
drawn of an answer (`figures/`).
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from servicebench_data.lake.database import fetch_table
from servicebench_data.lake.tables import quote_text

QUERIES = Path(__file__).parent / "queries"

Row = dict[str, Any]


class ReportError(ValueError):
    """The report cannot be written; the message says why and what to do."""


@dataclass(frozen=True)
class Answer:
    """What a query gave.

    Attributes:
        columns: Names of the columns.
        rows: The rows.
        missing: What the file lacks for it; empty where it has all.
    """

    columns: Sequence[str]
    rows: Sequence[Row]
    missing: str = ""


@cache
def read_query(name: str) -> str:
    """Text of a query's file."""
    return (QUERIES / f"{name}.sql").read_text(encoding="utf-8").strip()


def show_query(name: str, experiment: str) -> str:
    """A query as a person can run it on the published file."""
    return f"SET VARIABLE experiment = {quote_text(experiment)};\n\n{read_query(name)};"


@contextmanager
def open_file(path: Path, experiment: str) -> Generator[duckdb.DuckDBPyConnection]:
    """The published file, read-only, with the experiment that the queries are about."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"SET VARIABLE experiment = {quote_text(experiment)}")
        yield connection


def ask(connection: duckdb.DuckDBPyConnection, name: str) -> Answer:
    """Run a query; a file that lacks a table or column of it is an answer, too.

    Args:
        connection: See `open_file`.
        name: Name of the query's file.
    """
    try:
        table = fetch_table(connection, read_query(name))
    except (duckdb.CatalogException, duckdb.BinderException) as error:
        return Answer([], [], describe_lack(error))
    return Answer(table.column_names, table.to_pylist())


def describe_lack(error: duckdb.Error) -> str:
    """What a file lacks for a query, from DuckDB's complaint."""
    found = re.search(r'(?:Table|column|View)[^"]*?(?:name )?"?([A-Za-z_]+)"? (?:does not exist|not found)', str(error))
    what = f"`{found[1]}`" if found else str(error).splitlines()[0]
    return (
        f"The published file does not hold {what}, from which this is made. Publish anew with `servicebench run FILE`."
    )


def list_experiments(path: Path) -> list[str]:
    """Experiments that the file holds, by name."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute("SELECT experiment_id FROM simulation.experiment ORDER BY ALL").fetchall()
    return [str(row[0]) for row in rows]
