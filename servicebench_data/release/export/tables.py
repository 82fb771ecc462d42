"""What a published file says about its own tables: columns, types, keys, comments.

Belongs here: reading the file's catalogue, so that a build of an older version is exported as it is. Not here: rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

import duckdb
import pyarrow as pa

from schemas.scenarios import Scenario, Split
from servicebench_data.lake.columns import Column
from servicebench_data.lake.database import fetch_table
from servicebench_data.lake.tables import RECORDS, arrow_field, quote_name

TABLES = """
SELECT t.schema_name AS "group", t.table_name AS name, coalesce(t.comment, '') AS description,
       coalesce(k.constraint_column_names, []) AS key
FROM duckdb_tables() AS t
LEFT JOIN duckdb_constraints() AS k
    ON k.table_oid = t.table_oid AND k.database_oid = t.database_oid AND k.constraint_type = 'PRIMARY KEY'
WHERE t.database_name = current_database()
ORDER BY t.schema_name, t.table_name
"""
COLUMNS = """
SELECT column_name AS name, data_type AS type, is_nullable, coalesce(comment, '') AS description
FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = $group AND table_name = $name
ORDER BY column_index
"""
TYPES: dict[str, type] = {
    "VARCHAR": str,
    "BIGINT": int,
    "DOUBLE": float,
    "BOOLEAN": bool,
    "TIMESTAMP WITH TIME ZONE": datetime,
}
#: Name of the only part of a table that is not told apart into splits.
WHOLE = "full"


@dataclass(frozen=True)
class PublishedTable:
    """A table of a published file.

    Attributes:
        group: Schema that it stands in.
        name: Its name, which no other schema repeats.
        description: What one row is.
        key: Columns that identify a row, and by which rows are sorted.
        columns: Its columns, with types and descriptions; their further rules are not read.
    """

    group: str
    name: str
    description: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        """Arrow schema; each column carries its description, and says whether it may be missing."""
        return pa.schema([arrow_field(column) for column in self.columns])

    @property
    def place(self) -> str:
        """Name for SQL."""
        return f"{quote_name(self.group)}.{quote_name(self.name)}"

    @property
    def splits(self) -> tuple[str, ...]:
        """Parts that its rows are told apart into."""
        return get_args(Split) if self.name == Scenario.table.name else (WHOLE,)


def list_tables(connection: duckdb.DuckDBPyConnection) -> list[PublishedTable]:
    """Tables of the database in use, in the order of the pipeline; none that must not leave the lake."""
    kept_back = {record.table.name for record in RECORDS if record.table.is_raw or not record.table.is_published}
    places = {record.table.name: place for place, record in enumerate(RECORDS)}
    rows = [row for row in fetch_table(connection, TABLES).to_pylist() if row["name"] not in kept_back]
    tables = [read_table(connection, row) for row in rows]
    return sorted(tables, key=lambda table: places.get(table.name, len(places)))


def read_table(connection: duckdb.DuckDBPyConnection, row: dict[str, Any]) -> PublishedTable:
    """One table with its columns."""
    place = {"group": str(row["group"]), "name": str(row["name"])}
    columns = tuple(
        read_column(place["name"], column) for column in fetch_table(connection, COLUMNS, place).to_pylist()
    )
    return PublishedTable(**place, description=row["description"], key=tuple(row["key"]), columns=columns)


def read_column(table: str, row: dict[str, Any]) -> Column:
    """One column as the catalogue describes it.

    Raises:
        TypeError: It has a type that no published column has.
    """
    kind = str(row["type"]).removesuffix("[]")
    if kind not in TYPES:
        raise TypeError(f"column {row['name']!r} of {table!r} has type {row['type']!r}; export knows {sorted(TYPES)}.")
    return Column(
        name=row["name"],
        type=TYPES[kind],
        is_list=kind != row["type"],
        is_nullable=row["is_nullable"],
        choices=(),
        lower=None,
        is_lower_open=False,
        upper=None,
        min_length=None,
        max_length=None,
        pattern=None,
        description=row["description"],
    )


def stream_rows(
    connection: duckdb.DuckDBPyConnection, table: PublishedTable, split: str, *, batch_rows: int
) -> Iterator[pa.Table]:
    """Rows of a split in the order of the key, in batches, so that a large table never stands in memory whole."""
    columns = ", ".join(quote_name(column.name) for column in table.columns)
    order = ", ".join(quote_name(name) for name in table.key) or "ALL"
    where, parameters = "", dict[str, str]()
    if split != WHOLE:
        where, parameters = "WHERE split = $split", {"split": split}
    query = f"SELECT {columns} FROM {table.place} {where} ORDER BY {order}"  # noqa: S608  (names of the catalogue)
    for batch in connection.sql(query, params=parameters).to_arrow_reader(batch_rows):
        if batch.num_rows:
            yield pa.Table.from_batches([batch]).cast(table.schema)
