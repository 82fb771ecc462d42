"""Parquet files, typed: the one place that calls pyarrow's reader and writer, whose annotations are incomplete.

Belongs here: reading and writing one file. Not here: where files lie (`store.py`).
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet

_parquet = cast("Any", pyarrow.parquet)


def read_file(path: Path, schema: pa.Schema | None = None) -> pa.Table:
    """Read a whole file, with the given schema where there is one."""
    return _parquet.ParquetFile(path, memory_map=True).read().cast(schema) if schema else _parquet.read_table(path)


def write_file(path: Path, table: pa.Table) -> None:
    """Write a table, compressed with zstd."""
    _parquet.write_table(table, path, compression="zstd")


def read_shape(path: Path) -> tuple[list[str], int]:
    """Column names and number of rows, from the file's footer alone."""
    metadata = _parquet.ParquetFile(path)
    return list(metadata.schema_arrow.names), int(metadata.metadata.num_rows)


def write_batches(path: Path, schema: pa.Schema, batches: Iterable[pa.Table]) -> int:
    """Write tables of one schema one after the other, compressed with zstd; returns how many rows there were."""
    count = 0
    with _parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            count += batch.num_rows
            writer.write_table(batch)
    return count
