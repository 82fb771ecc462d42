"""Hypothesis strategies for the rows of any record, built from its columns.

Belongs here: strategies. Not here: what is tested with them.
"""

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from schemas.records import Record
from servicebench_data.lake.columns import Column, read_columns

AWKWARD = st.sampled_from([
    "", " ", "\n", "\r\n", "\t", "'", '"', '""', "''; DROP TABLE post; --", "\\", "a,b", "None", "nan", "NULL",
    "\u200b", "👩‍👩‍👧 🏳️‍🌈", "日本語", "İ", "e\u0301", "\ufeff", "[booking-1]", "x" * 200, "$1", "?", "%s", "{}",
])  # fmt: skip


def records(record: type[Record]) -> st.SearchStrategy[list[Record]]:
    """A few records with different keys."""
    keys = record.table.key
    return st.lists(
        st.fixed_dictionaries({column.name: values(column) for column in read_columns(record)}),
        min_size=1,
        max_size=4,
        unique_by=lambda row: tuple(row[name] for name in keys),
    ).map(lambda rows: [record.model_validate(row) for row in rows])


def values(column: Column) -> st.SearchStrategy[Any]:
    """Every value that a column may hold."""
    found = scalars(column)
    if column.is_list:
        least = column.min_length or 0
        found = st.lists(found, min_size=least, max_size=least + 4)
    return st.none() | found if column.is_nullable else found


def scalars(column: Column) -> st.SearchStrategy[Any]:
    """Every single value that a column may hold, or one of its items."""
    if column.choices:
        return st.sampled_from(column.choices)
    if column.type is bool:
        return st.booleans()
    if column.type is datetime:
        return st.datetimes(timezones=st.just(UTC))
    if column.type is str:
        return texts(column)
    return numbers(column)


def numbers(column: Column) -> st.SearchStrategy[Any]:
    """Every number within a column's bounds that 64 bits hold; 32 bits in a vector."""
    if column.type is int:
        lower = -(2**63) if column.lower is None else int(column.lower) + column.is_lower_open
        return st.integers(lower, 2**63 - 1 if column.upper is None else int(column.upper))
    return st.floats(
        column.lower,
        column.upper,
        exclude_min=column.is_lower_open,
        allow_nan=False,
        allow_infinity=False,
        width=32 if column.is_list else 64,
    )


def texts(column: Column) -> st.SearchStrategy[str]:
    """Every text that a column may hold."""
    if column.pattern:
        return st.from_regex(column.pattern.replace("$", r"\Z"))
    least, most = (0, None) if column.is_list else (column.min_length or 0, column.max_length)
    free = st.text(st.characters(exclude_categories=["Cs"]), min_size=least, max_size=min(most or 30, 30))
    fitting = AWKWARD.filter(lambda text: least <= len(text) <= (most or len(text)))
    return free | fitting
