"""The data files of an export: Parquet and JSON Lines.

Belongs here: writing one table's rows to a file, and what is said about that file. Not here: which tables there are.
"""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

import duckdb
import pyarrow as pa

from servicebench_data.lake.parquet import write_batches
from servicebench_data.lake.store import digest_file
from servicebench_data.release.export.tables import WHOLE, PublishedTable, stream_rows

FileFormat = Literal["parquet", "jsonl"]
#: Rows that are held at once, and rows of a Parquet row group.
BATCH_ROWS = 20_000


class DataFile(NamedTuple):
    """One data file.

    Attributes:
        table: Table that its rows belong to.
        split: Part of the table.
        format: How it is written.
        path: Where it lies, from the export's folder on.
        rows: Rows in it.
        size: Bytes.
        sha256: SHA-256 of its bytes.
    """

    table: str
    split: str
    format: FileFormat
    path: str
    rows: int
    size: int
    sha256: str


def write_table(
    connection: duckdb.DuckDBPyConnection, table: PublishedTable, folder: Path, kind: FileFormat
) -> Iterator[DataFile]:
    """Write each split of a table to a file of its own."""
    for split in table.splits:
        batches = stream_rows(connection, table, split, batch_rows=BATCH_ROWS)
        place = name_file(table, split, kind)
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        rows = write_batches(target, table.schema, batches) if kind == "parquet" else write_lines(target, batches)
        yield DataFile(table.name, split, kind, place, rows, target.stat().st_size, digest_file(target))


def name_file(table: PublishedTable, split: str, kind: FileFormat) -> str:
    """Path of a split's file within the export."""
    name = table.name if split == WHOLE else f"{table.name}-{split}"
    return f"{kind}/{table.group}/{name}.{kind}"


def write_lines(path: Path, batches: Iterable[pa.Table]) -> int:
    """Write rows as JSON Lines; returns how many.

    Every line is ASCII: signs outside it are escaped, line separators of Unicode among them, at which many readers of
    lines break. A missing value is `null`, and no key is ever left out.
    """
    count = 0
    with path.open("w", encoding="ascii", newline="\n") as file:
        for batch in batches:
            count += batch.num_rows
            file.writelines(f"{json.dumps(row, default=format_moment, allow_nan=False)}\n" for row in batch.to_pylist())
    return count


def format_moment(value: object) -> str:
    """A time as RFC 3339 in UTC, always with microseconds, so that texts sort as times do.

    Raises:
        TypeError: It is no time.
    """
    if not isinstance(value, datetime):
        raise TypeError(f"{type(value).__name__} is no type of a published column; use text, number, bool or time.")
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
