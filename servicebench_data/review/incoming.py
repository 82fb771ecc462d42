"""Reads what a reviewer hands in: the CSV that the page exports, or the review's CSV filled in by hand.

Belongs here: validating every row against the forms. Not here: storing (`overrides.py`).
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from difflib import get_close_matches
from pathlib import Path

from pydantic import ValidationError

from schemas.review import Override
from servicebench_data.review.cells import COLUMNS, ReviewError, bare, describe_fault, open_rows
from servicebench_data.review.forms import Action, Form

# Columns of the review's CSV that only show something.
SHOWN = ("title", "badges", "facts", "texts", "actions")
NEEDED = ("kind", "industry", "item_id", "item_sha256", "action", "value", "author", "reason")

CLOCK_TOLERANCE = timedelta(days=1)

Forms = Mapping[tuple[str, str], Form]


def read_decisions(path: Path, forms: Forms, now: datetime) -> list[Override]:
    """The decisions of a file; rows without an action were not decided and are left out.

    Args:
        path: The CSV.
        forms: What can be decided, by kind and industry.
        now: Time of the decisions that have none.

    Raises:
        ReviewError: Some row cannot be used; every such row is named.
    """
    decisions: list[Override] = []
    faults: list[str] = []
    for place, row in open_rows(path, NEEDED):
        if not row["action"] and not row["value"]:
            continue
        try:
            decision = read_row(row, now)
        except ValidationError as error:
            faults.append(describe_fault(path, place, error))
            continue
        problem = find_problem(decision, forms) or find_stray(row) or find_future(decision, now)
        if problem:
            faults.append(f"{str(path)!r} row {place}, {problem}")
        decisions.append(decision)
    if faults:
        raise ReviewError(faults)
    return decisions


def read_row(row: Mapping[str, str], now: datetime) -> Override:
    """One decision."""
    values: dict[str, object] = {name: bare(row.get(name, "")) for name in COLUMNS}
    return Override.model_validate({**values, "decided_at": values["decided_at"] or now})


def find_stray(row: Mapping[str, str]) -> str | None:
    """What is wrong with the columns of a row that are not a decision's; nothing where there are no unknown ones."""
    stray = [name for name, value in row.items() if value and name not in {*COLUMNS, *SHOWN}]
    return (
        f"field {stray[0]!r}: there is no such column; remove it, or put quotes around cells with commas."
        if stray
        else None
    )


def find_future(decision: Override, now: datetime) -> str | None:
    """What is wrong with a time that is yet to come: such a decision would outdo every other one until then."""
    if decision.decided_at <= now + CLOCK_TOLERANCE:
        return None
    return f"field 'decided_at': {decision.decided_at.isoformat()!r} is yet to come; correct it or leave it empty."


def list_items(path: Path) -> set[str]:
    """Items that a file decides on.

    Raises:
        ReviewError: The file is no such CSV, or a needed column is missing.
    """
    return {bare(row["item_id"]) for _, row in open_rows(path, NEEDED) if row["action"] or row["value"]}


def find_problem(decision: Override, forms: Forms) -> str | None:
    """Field, value and remedy of what the item's form does not allow; None where it allows the decision."""
    form = forms.get((decision.kind, decision.industry))
    if form is None:
        known = ", ".join(sorted({f"{kind} of {industry}" for kind, industry in forms}))
        return f"field 'kind': nothing is reviewed as {decision.kind!r} of {decision.industry!r}; there is {known}."
    problem = find_wrong_cell(decision, form)
    if problem:
        return problem
    actions = list_actions(decision, form)
    action = next((entry for entry in actions if entry.name == decision.action), None)
    if action is None:
        names = [entry.name for entry in actions]
        return f"field 'action': {decision.action!r} is none; {suggest(decision.action, names)}"
    return find_wrong_value(decision, action)


def find_wrong_cell(decision: Override, form: Form) -> str | None:
    """Field, value and remedy of an item or a cell that is not there, where items of the kind have cells."""
    if form.cells is None:
        remedy = f"a {form.title} has none; empty it"
        return f"field 'cell': {decision.cell!r} cannot be used, {remedy}." if decision.cell else None
    if decision.item_id not in form.cells:
        where = f"there is no {form.title} of that id in the last build of {decision.industry!r}"
        return f"field 'item_id': {decision.item_id!r} cannot be used, {where}; write the page again and use its ids."
    names = [cell.name for cell in form.cells[decision.item_id] if cell.actions]
    if decision.cell and decision.cell not in names:
        return f"field 'cell': {decision.item_id!r} has no {decision.cell!r}; {suggest(decision.cell, names)}"
    return None


def list_actions(decision: Override, form: Form) -> tuple[Action, ...]:
    """What can be done with the item, or with the cell of it, that a decision is about."""
    if not decision.cell or form.cells is None:
        return form.all_actions
    return next(cell.all_actions for cell in form.cells[decision.item_id] if cell.name == decision.cell)


def find_wrong_value(decision: Override, action: Action) -> str | None:
    """Field, value and remedy of a value that the action does not take."""
    if action.takes == "nothing":
        return (
            f"field 'value': {action.name!r} takes none, not {decision.value!r}; empty it." if decision.value else None
        )
    if not decision.value:
        return f"field 'value': {action.name!r} needs one; fill it in."
    if decision.value == decision.item_id:
        return f"field 'value': {decision.value!r} is the item itself; name another one."
    if action.takes == "number":
        return find_wrong_number(decision.value, action)
    allowed = [choice.value for choice in action.choices if choice.value != decision.item_id]
    if action.takes == "choice" and decision.value not in allowed:
        return (
            f"field 'value': {decision.value!r} cannot be used with {action.name!r}; {suggest(decision.value, allowed)}"
        )
    return None


def find_wrong_number(value: str, action: Action) -> str | None:
    """Field, value and remedy of a text that is no number, or one out of bounds."""
    low, high = action.bounds
    try:
        is_right = low <= float(value) <= high
    except ValueError:
        is_right = False
    return None if is_right else f"field 'value': {value!r} is out of range; give a number from {low:g} to {high:g}."


def suggest(given: str, allowed: list[str]) -> str:
    """A remedy that names what comes nearest to a wrong value, or what there is."""
    near = get_close_matches(given, allowed, n=3, cutoff=0.5)
    few = allowed if len(allowed) <= 8 else [*allowed[:7], "…"]
    return (
        f"did you mean {' or '.join(repr(name) for name in near)}?"
        if near
        else f"use one of {', '.join(few) or 'none'}."
    )
