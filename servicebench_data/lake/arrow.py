"""Records to Arrow tables and back.

Belongs here: conversion with the exact schema. Not here: files.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar, cast

import pyarrow as pa
import pyarrow.compute

from schemas.records import Record
from servicebench_data.lake.tables import arrow_schema

__all__ = ["arrow_schema", "conform", "from_records", "keep_rows", "sort_rows", "to_records"]


T = TypeVar("T", bound=Record)

_compute = cast("Any", pyarrow.compute)


def from_records(record: type[Record], rows: Iterable[Record]) -> pa.Table:
    """Arrow table of the given records."""
    return pa.Table.from_pylist([row.model_dump() for row in rows], schema=arrow_schema(record))


def to_records(record: type[T], table: pa.Table) -> Sequence[T]:
    """Records of an Arrow table, each validated.

    Raises:
        pydantic.ValidationError: A row breaks the record.
    """
    return [record.model_validate(row) for row in table.to_pylist()]


def conform(record: type[Record], table: pa.Table) -> pa.Table:
    """The table with exactly the record's columns, in its order and types.

    Raises:
        ValueError: A column is missing or superfluous, cannot be cast, or is null where it must not be.
    """
    schema = arrow_schema(record)
    wanted, found = Counter(schema.names), Counter(table.column_names)
    missing, extra = wanted - found, found - wanted
    if missing or extra:
        raise ValueError(
            f"table {record.table.name!r} lacks columns {sorted(missing)} and has superfluous ones {sorted(extra)}; "
            f"make it match {record.__name__}."
        )
    try:
        result = table.select(schema.names).cast(schema)
        result.validate()
    except (ValueError, pa.ArrowNotImplementedError) as error:
        raise ValueError(
            f"table {record.table.name!r} does not fit {record.__name__}: {error}; make it match."
        ) from error
    return result


def keep_rows(table: pa.Table, column: str, values: Iterable[str]) -> pa.Table:
    """Rows whose text in a column is one of the values."""
    wanted = pa.array(list(values), pa.string())
    return table.filter(_compute.is_in(table[column], value_set=wanted))


def sort_rows(table: pa.Table, *columns: str) -> pa.Table:
    """Rows in ascending order of the columns."""
    return cast("pa.Table", cast("Any", table).sort_by([(column, "ascending") for column in columns]))
