"""Reads a record's fields into plain column descriptions, from which every other contract is derived.

Belongs here: the one reading of pydantic annotations. Not here: Arrow, SQL, Great Expectations.
"""

import types
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo

from schemas.records import Record

SCALARS = (str, int, float, bool, datetime)


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Attributes:
        name: Name of the column.
        type: Python type of a value, or of an item where `is_list`.
        is_list: Whether a value is a list.
        is_nullable: Whether it may be missing.
        choices: Allowed values, in their order; empty where any value is allowed.
        lower: Smallest allowed number, with `is_lower_open` saying that it is itself excluded.
        upper: Largest allowed number.
        min_length: Fewest characters or items.
        max_length: Most characters or items.
        pattern: Regular expression that a text must match.
        description: What it holds.
    """

    name: str
    type: type
    is_list: bool
    is_nullable: bool
    choices: tuple[str, ...]
    lower: float | None
    is_lower_open: bool
    upper: float | None
    min_length: int | None
    max_length: int | None
    pattern: str | None
    description: str


def read_columns(record: type[Record]) -> list[Column]:
    """Columns of a record's table, in order.

    Raises:
        TypeError: A field has no description, or a type or a constraint that no table can hold.
    """
    return [read_column(record, name, field) for name, field in record.model_fields.items()]


def read_column(record: type[Record], name: str, field: FieldInfo) -> Column:
    """Read one field; see `read_columns`."""
    if not field.description:
        raise TypeError(f"{record.__name__}.{name} has no description; every column needs one.")
    inner, is_nullable, metadata = unwrap(field.annotation, list(field.metadata))
    is_list = get_origin(inner) is list
    if is_list:
        inner, has_missing, constraints = unwrap(get_args(inner)[0], [])
        if has_missing or constraints:
            raise TypeError(f"{record.__name__}.{name} constrains its items; no table can: use a list of a plain type.")
    choices = get_args(inner) if get_origin(inner) is Literal else ()
    kind: Any = str if choices else inner
    if kind not in SCALARS or any(type(choice) is not str for choice in choices):
        raise TypeError(
            f"{record.__name__}.{name} has type {inner!r}; use text, number, bool, time, Literal of texts or a list."
        )
    refuse_unknown_constraints(f"{record.__name__}.{name}", metadata)
    bounds, lengths = read_bounds(metadata), read_lengths(metadata)
    return Column(
        name, kind, is_list, is_nullable, choices, *bounds, *lengths, read_pattern(metadata), field.description
    )


def unwrap(annotation: Any, metadata: list[Any]) -> tuple[Any, bool, list[Any]]:
    """Strip Annotated and Optional; returns the bare type, whether None is allowed, and all constraints met."""
    is_nullable = False
    while True:
        origin = get_origin(annotation)
        if origin in (Union, types.UnionType):
            parts = [part for part in get_args(annotation) if part is not type(None)]
            if len(parts) != 1:
                return annotation, is_nullable, metadata
            is_nullable = True
            annotation = parts[0]
        elif hasattr(annotation, "__metadata__"):
            metadata = [*metadata, *flatten(annotation.__metadata__)]
            annotation = annotation.__origin__
        else:
            return annotation, is_nullable, metadata


def flatten(entries: tuple[Any, ...]) -> list[Any]:
    """Constraints inside `Field(...)` objects of an Annotated type."""
    return [part for entry in entries for part in (entry.metadata if isinstance(entry, FieldInfo) else [entry])]


def refuse_unknown_constraints(what: str, metadata: list[Any]) -> None:
    """Raise TypeError for a constraint that the table would not hold, so that none gets lost on the way.

    Of two bounds of one kind (`Count` with `ge=1`) pydantic holds one alone: that is refused too.
    """
    for index, entry in enumerate(metadata):
        if any(type(entry) is type(other) for other in metadata[:index]):
            raise TypeError(f"{what} has two constraints like {entry!r}; start from a plain type.")
        if not isinstance(entry, Ge | Gt | Le | MinLen | MaxLen) and not getattr(entry, "pattern", None):
            raise TypeError(f"{what} has the constraint {entry!r}; use ge, gt, le, min_length, max_length or pattern.")


def read_bounds(metadata: list[Any]) -> tuple[float | None, bool, float | None]:
    """Lower bound, whether it is open, and upper bound."""
    lower: Any = None
    upper: Any = None
    is_open = False
    for entry in metadata:
        match entry:
            case Ge():
                lower, is_open = entry.ge, False
            case Gt():
                lower, is_open = entry.gt, True
            case Le():
                upper = entry.le
            case _:
                continue
    return lower, is_open, upper


def read_lengths(metadata: list[Any]) -> tuple[int | None, int | None]:
    """Fewest and most characters or items."""
    least = next((entry.min_length for entry in metadata if isinstance(entry, MinLen)), None)
    most = next((entry.max_length for entry in metadata if isinstance(entry, MaxLen)), None)
    return least, most


def read_pattern(metadata: list[Any]) -> str | None:
    """The regular expression among a field's constraints."""
    return next((entry.pattern for entry in metadata if getattr(entry, "pattern", None)), None)
