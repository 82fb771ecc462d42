"""Records to Arrow tables and back.

Belongs here: conversion with the exact schema. Not here: files.
"""

from collections.abc import Iterable, Sequence
from typing import TypeVar

import pyarrow as pa

from schemas.records import Record
from servicebench_data.lake.tables import arrow_schema

__all__ = ["arrow_schema", "conform", "from_records", "to_records"]


T = TypeVar("T", bound=Record)


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
    missing, extra = set(schema.names) - set(table.column_names), set(table.column_names) - set(schema.names)
    if missing or extra:
        raise ValueError(
            f"table {record.table.name!r} lacks columns {sorted(missing)} and has unknown ones {sorted(extra)}; "
            f"make it match {record.__name__}."
        )
    try:
        result = table.select(schema.names).cast(schema)
        result.validate()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise ValueError(f"table {record.table.name!r} does not fit {record.__name__}: {error}") from error
    return result
