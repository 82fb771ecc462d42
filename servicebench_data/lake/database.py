"""DuckDB connections that behave the same everywhere.

Belongs here: limits, time zone, scratch space, and views over files of the lake. Not here: any query of a group.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import duckdb
import pyarrow as pa


@dataclass(frozen=True)
class Limits:
    """What DuckDB may take of the machine.

    Attributes:
        memory_gb: Memory, GiB.
        threads: Threads.
        scratch: Folder it spills to.
    """

    memory_gb: float
    threads: int
    scratch: Path


@contextmanager
def open_database(limits: Limits) -> Generator[duckdb.DuckDBPyConnection]:
    """An in-memory database in UTC, without insertion order and within the limits; closed on leaving."""
    limits.scratch.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(
        config={
            "memory_limit": f"{round(limits.memory_gb * 1024)}MiB",
            "threads": limits.threads,
            "temp_directory": str(limits.scratch),
            "preserve_insertion_order": False,
        }
    )
    try:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection
    finally:
        connection.close()


def add_views(connection: duckdb.DuckDBPyConnection, files: Mapping[str, Sequence[Path]]) -> None:
    """A view by each name over its Parquet files."""
    for name, paths in files.items():
        relation = connection.read_parquet([str(path) for path in paths], union_by_name=True)
        relation.create_view(name)


def fetch_table(
    connection: duckdb.DuckDBPyConnection, query: str, parameters: Mapping[str, object] | None = None
) -> pa.Table:
    """The result of a query as an Arrow table."""
    return cast("pa.Table", connection.sql(query, params=parameters or {}).to_arrow_table())
