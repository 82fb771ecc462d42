"""The DuckDB engine that this group computes in, and the limits it keeps.

Belongs here: opening a connection under limits, running the group's SQL files, writing Parquet. Not here: any rule
about posts.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyarrow as pa
from numpy.typing import NDArray

from servicebench_data.lake.database import Limits


@contextmanager
def open_engine(limits: Limits) -> Generator[duckdb.DuckDBPyConnection]:
    """Open an in-memory database in UTC under `limits` that keeps the order of rows; its scratch folder goes with it.

    Row numbers of files and row ids of tables are places in an order here, so insertion order is kept.
    """
    limits.scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="dialogues-", dir=limits.scratch) as folder:
        connection = duckdb.connect(
            config={
                "memory_limit": f"{round(limits.memory_gb * 1024)}MiB",
                "threads": limits.threads,
                "temp_directory": folder,
                "preserve_insertion_order": True,
            }
        )
        try:
            connection.execute("SET TimeZone = 'UTC'")
            connection.execute("SET enable_progress_bar = false")
            yield connection
        finally:
            connection.close()


def run_script(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run the statements of an SQL file of this package.

    A file's macros, temporary tables and views are its output; nothing is formatted into it.
    """
    connection.execute((files(__package__ or __name__) / f"{name}.sql").read_text(encoding="utf-8"))


def fetch_value(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """Return the one value of a query."""
    row = connection.execute(sql).fetchone()
    if row is None:
        raise LookupError(f"the query {sql!r} returned no row; use an aggregate")
    return row[0]


def fetch_counts(
    connection: duckdb.DuckDBPyConnection, sql: str, parameters: Mapping[str, object] | None = None
) -> dict[str, int]:
    """Return the columns of a one-row query of counts by name; a missing sum is 0."""
    cursor = connection.execute(sql, parameters or {})
    names = [column[0] for column in cursor.description or []]
    row = cursor.fetchone() or ()
    return {name: int(value or 0) for name, value in zip(names, row, strict=True)}


def write_parquet(
    connection: duckdb.DuckDBPyConnection, sql: str, path: Path, parameters: Mapping[str, object] | None = None
) -> None:
    """Stream the rows of `sql`, in its order, into a Parquet file that replaces `path` when it is complete.

    Nearly all texts here differ from each other, so looking for a dictionary of many values is time lost.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    target = str(partial).replace("'", "''")
    try:
        connection.execute(
            f"COPY ({sql}) TO '{target}' (FORMAT parquet, COMPRESSION snappy, STRING_DICTIONARY_PAGE_SIZE_LIMIT 1000)",
            parameters or {},
        )
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def store_table(connection: duckdb.DuckDBPyConnection, name: str, table: pa.Table | Mapping[str, NDArray[Any]]) -> None:
    """Copy an Arrow table, or arrays by column, into a temporary table of the engine."""
    connection.register(f"{name}_given", table)
    connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM {name}_given")  # noqa: S608
    connection.unregister(f"{name}_given")
