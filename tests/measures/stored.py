"""Rows of made experiments, stored as tables with the facts over them: nobody played any of them.

Belongs here: what the builders of conversations share. Not here: what a conversation has (`talks.py`, `worlds.py`,
`people.py`), or tests.
"""

from collections import defaultdict
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from schemas.records import Record
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import write_file
from servicebench_data.measures.facts import open_facts
from servicebench_data.measures.making import READ
from tests.rows import plain_row

VERSION = "1-1-made"
DIMENSIONS = ("interactional", "procedural", "distributive")
Row = dict[str, Any]


class Stored:
    """Rows by table, added one by one."""

    def __init__(self) -> None:
        self.rows: dict[type[Record], list[Row]] = defaultdict(list)

    def put(self, record: type[Record], **given: Any) -> None:
        """A row; what is not given is plain."""
        self.rows[record].append(fill(record, **given))

    def tabulate(self, record: type[Record]) -> pa.Table:
        """A table's rows."""
        return pa.Table.from_pylist(self.rows[record], schema=arrow_schema(record))

    def write(self, folder: Path) -> Mapping[str, list[Path]]:
        """Parquet files by table."""
        folder.mkdir(parents=True, exist_ok=True)
        files = {record: folder / f"{record.table.name}.parquet" for record in list(self.rows)}
        for record, path in files.items():
            write_file(path, self.tabulate(record))
        return {record.table.name: [path] for record, path in files.items()}

    @contextmanager
    def open(self, folder: Path) -> Generator[duckdb.DuckDBPyConnection]:
        """The facts over these rows."""
        files = {**{record.table.name: [] for record in READ}, **self.write(folder)}
        with open_facts(files, Limits(1.0, 1, folder / "scratch")) as connection:
            yield connection

    def ask(self, folder: Path, query: str) -> list[Any]:
        """Rows of a query over the facts."""
        with self.open(folder) as connection:
            return connection.execute(query).fetchall()


@cache
def find_template(record: type[Record]) -> Row:
    return plain_row(record)


def fill(record: type[Record], **given: Any) -> Row:
    """A valid row with the given values."""
    return {**find_template(record), **given}
