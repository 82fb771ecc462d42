"""Plain valid rows of any record, and every way to break one column, both read from the record's fields.

Belongs here: rows that follow from a record alone. Not here: tables that belong together (`tables.py`).
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from schemas.records import Record
from servicebench_data.lake.columns import Column, read_columns

MOMENT = datetime(2026, 3, 2, 6, 31, 5, 123456, tzinfo=UTC)


class Break(NamedTuple):
    """One way to break a column, with the rule that must find it."""

    rule: str
    column: str
    value: Any


def plain_row(record: type[Record], number: int = 0, **given: Any) -> dict[str, Any]:
    """A valid row; rows of different numbers have different keys."""
    row = {column.name: plain_value(column, number) for column in read_columns(record)}
    unknown = set(given) - set(row)
    assert not unknown, f"{record.__name__} has no columns {sorted(unknown)}"
    return {**row, **given}


def plain_record(record: type[Record], number: int = 0, **given: Any) -> Record:
    """`plain_row` as a checked record."""
    return record.model_validate(plain_row(record, number, **given))


def plain_value(column: Column, number: int) -> Any:
    """A valid value of a column."""
    if column.choices:
        value: Any = column.choices[0]
    elif column.pattern:
        value = f"{number:064x}"
    elif column.type is str:
        value = f"{column.name} {number:05}"
    elif column.type is bool:
        value = True
    elif column.type is datetime:
        value = MOMENT
    else:
        value = plain_number(column, number)
    return [value] * max(column.min_length or 1, 1) if column.is_list else value


def plain_number(column: Column, number: int) -> int | float:
    """A number within a column's bounds."""
    if column.upper is not None:
        return column.type(column.upper)
    return column.type((column.lower or 0) + 1 + number)


def list_breaks(column: Column) -> Iterator[Break]:
    """Every kind of value that the column must refuse."""
    for rule, value in break_values(column):
        yield Break(f"{rule}:{column.name}", column.name, [value] if column.is_list and rule == "in_set" else value)


def break_values(column: Column) -> Iterator[tuple[str, Any]]:
    """Kind of rule and a value that breaks it."""
    if not column.is_nullable:
        yield "not_null", None
    if column.choices:
        yield "in_set", "no such choice"
    if column.is_list:
        yield "items", [*plain_value(column, 0), None]
        if column.min_length:
            yield "length", []
        if column.type is float:
            yield "range", [0.5, float("nan")]
    else:
        yield from break_scalar(column)


def break_scalar(column: Column) -> Iterator[tuple[str, Any]]:
    """Kind of rule and a single value that breaks it."""
    if column.type is float:
        yield "range", float("nan")
        yield "range", float("inf")
    if column.lower is not None:
        yield "range", column.type(column.lower) if column.is_lower_open else column.type(column.lower - 1)
    if column.upper is not None:
        yield "range", column.type(column.upper + 1)
    if column.min_length is not None:
        yield "length", "x" * (column.min_length - 1)
    if column.max_length is not None:
        yield "length", "x" * (column.max_length + 1)
    if column.pattern is not None:
        yield "pattern", "no such form"
        yield "pattern", plain_value(column, 0) + "\n"
