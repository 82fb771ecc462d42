"""The DuckDB engine that this group computes in, and the limits it keeps.

Belongs here: opening a connection under limits, running the group's SQL files, writing Parquet. Not here: any rule
about posts.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

@dataclass(frozen=True)
class Limits:
    """What the engine may use.

    Attributes:
        memory_mb: Memory for DuckDB's buffers; beyond it, data moves to the temporary folder.
        threads: Threads.
        temp_directory: Where data that does not fit goes; a folder of its own inside it is made and removed.
    """

    memory_mb: int = 1400
    threads: int = 2
    temp_directory: Path | None = None


@contextmanager
def open_engine(limits: Limits) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open an in-memory database in UTC under `limits`; its temporary folder goes when it closes."""
    if limits.temp_directory is not None:
        limits.temp_directory.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="servicebench-", dir=limits.temp_directory) as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": f"{limits.memory_mb}MB",
            "threads": limits.threads,
            "temp_directory": folder,
            "preserve_insertion_order": True,
        }
        connection = duckdb.connect(":memory:", config=settings)
        try:
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
        finally:
            connection.close()


def run_script(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Run the statements of an SQL file of this package.

    A file's macros, temporary tables and views are its output; nothing is formatted into it.
    """
    connection.execute((files(__package__ or __name__) / f"{name}.sql").read_text(encoding="utf-8"))


def fetch_value(connection: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object] = ()) -> Any:
    """Return the one value of a query."""
    row = connection.execute(sql, list(parameters)).fetchone()
    if row is None:
        raise LookupError(f"the query {sql!r} returned no row; use an aggregate")
    return row[0]


def fetch_counts(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, int]:
    """Return the columns of a one-row query of counts by name; a missing sum is 0."""
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description or []]
    row = cursor.fetchone() or ()
    return {name: int(value or 0) for name, value in zip(names, row, strict=True)}


def write_parquet(connection: duckdb.DuckDBPyConnection, sql: str, path: Path) -> None:
    """Stream the rows of `sql`, in its order, into a Parquet file that replaces `path` when it is complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    partial.unlink(missing_ok=True)
    target = str(partial).replace("'", "''")
    try:
        connection.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)")  # noqa: S608
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
