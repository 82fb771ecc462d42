"""The cells of a scenario that people may edit: their names, what they hold, and laying a text into one.

Belongs here: from parts to cells and back. Not here: whether a person's edit still holds (`decisions.py`), what follows
from it (`deciding.py`), or what a reviewer sees (`reviewing.py`).

A cell is named `part.row.column`, or `part.column` where a scenario has one row of the part: `event.0.text`,
`fact.f1.disclosure`, `expectation.action`. Columns that follow from cells, such as the disclosure of a sentence or
whether a field is stale, are no cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from schemas.scenarios import Part, PartRecord
from servicebench_data.scenarios.parts import Parts


@dataclass(frozen=True)
class Editable:
    """Columns of a part that people may edit.

    Attributes:
        name: First word of the cells' names.
        part: The part as failures name it.
        rows: Attribute of `Parts` with its rows.
        key: Column that tells its rows apart; none where there is one row.
        columns: The columns.
    """

    name: str
    part: Part
    rows: str
    key: str | None
    columns: tuple[str, ...]


EDITABLE = (
    Editable("event", "event", "events", "event_index", ("text",)),
    Editable("severity", "severity", "severity", None, ("level", "reason")),
    Editable("fact", "fact", "facts", "fact_id", ("statement", "disclosure")),
    Editable("background", "background", "background", "sentence_index", ("text",)),
    Editable(
        "expectation",
        "expectation",
        "expectation",
        None,
        (
            "action", "explanation", "apology", "insult", "is_loss_money", "compensation_min_usd",
            "compensation_max_usd",
        ),
    ),
    Editable("case_field", "case_record", "case_fields", "field_id", ("shown",)),
)  # fmt: skip


class CellError(ValueError):
    """A text that cannot stand in a cell; the message names the cell."""


def list_rows(parts: Parts, editable: Editable) -> Sequence[PartRecord]:
    """Rows of a part; none where it was not made."""
    value: Any = getattr(parts, editable.rows)
    if editable.key is None:
        return [] if value is None else [value]
    return value


def name_cell(row: PartRecord, editable: Editable, column: str) -> str:
    """Name of a cell."""
    key = [] if editable.key is None else [str(getattr(row, editable.key))]
    return ".".join([editable.name, *key, column])


def walk_cells(parts: Parts) -> Iterator[tuple[str, Editable, PartRecord, str]]:
    """Name, part, row and column of every cell, in a fixed order."""
    for editable in EDITABLE:
        for row in list_rows(parts, editable):
            for column in editable.columns:
                yield name_cell(row, editable, column), editable, row, column


def list_cells(parts: Parts) -> dict[str, str | None]:
    """What every cell holds, as text; None where it is empty."""
    return {name: show_value(getattr(row, column)) for name, _, row, column in walk_cells(parts)}


def show_value(value: object) -> str | None:
    """A value as a person would write it."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def find_part(name: str) -> Part:
    """The part that a cell belongs to."""
    first = name.partition(".")[0]
    return next(editable.part for editable in EDITABLE if editable.name == first)


def lay_text(parts: Parts, name: str, text: str | None) -> Parts:
    """The parts with another text in a cell; None empties it.

    Raises:
        CellError: There is no such cell, or it cannot hold that.
    """
    found = next((entry for entry in walk_cells(parts) if entry[0] == name), None)
    if found is None:
        raise CellError(f"the scenario has no cell {name!r}; name one that it has.")
    _, editable, row, column = found
    try:
        changed = type(row).model_validate({**row.model_dump(), column: text})
    except ValidationError as error:
        raise CellError(f"cell {name!r} cannot hold that: {error.errors()[0]['msg']}; give it another value.") from None
    rows: Any = [changed if entry is row else entry for entry in list_rows(parts, editable)]
    changes: dict[str, Any] = {editable.rows: changed if editable.key is None else rows}
    return replace(parts, **changes)
