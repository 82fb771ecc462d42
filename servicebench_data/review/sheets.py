"""The review as a CSV to be filled in with a spreadsheet: the same items, texts and actions as on the page.

Belongs here: writing it. Not here: reading it back (`incoming.py`).
"""

import csv
import io

from servicebench_data.review.cells import COLUMNS, guard
from servicebench_data.review.forms import Action, Cell, Form, Item, Sheet
from servicebench_data.review.incoming import SHOWN

# Choices are listed where there are no more of them.
FEW = 4


def write_sheet(sheet: Sheet) -> str:
    """One row for each item, and one for each cell of it that can be decided on.

    `action`, `value`, `author` and `reason` are for the reviewer to fill in.
    """
    forms = {form.kind: form for form in sheet.forms}
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [*COLUMNS, *SHOWN], restval="", lineterminator="\n")
    writer.writeheader()
    for item in sheet.items:
        writer.writerow(describe_row(item, sheet.industry, forms[item.kind]))
        writer.writerows(describe_cell(item, cell, sheet.industry) for cell in item.cells if cell.actions)
    return buffer.getvalue()


def describe_row(item: Item, industry: str, form: Form) -> dict[str, str]:
    """The row of an item, without a decision."""
    badges = [*item.badges, *([describe_decided(item)] if item.decided else [])]
    read_only = [f"{cell.group}, {cell.title}: {cell.text or ''}" for cell in item.cells if not cell.actions]
    shown = {
        "title": item.title,
        "badges": "; ".join(badges),
        "facts": "\n".join([*(f"{name}: {value}" for name, value in item.facts), *read_only]),
        "texts": "\n".join(f"{place}. {text}" for place, text in enumerate(item.texts, start=1)),
        "actions": "; ".join(describe_action(action) for action in form.all_actions),
    }
    keys = {"kind": item.kind, "industry": industry, "item_id": item.item_id, "item_sha256": item.sha256}
    return {**keys, **{name: guard(value) for name, value in shown.items()}}


def describe_cell(item: Item, cell: Cell, industry: str) -> dict[str, str]:
    """The row of a cell, without a decision."""
    badges = [describe_decided(cell)] if cell.decided else []
    marks = [f"look at: {mark}" for mark in cell.marks]
    shown = {
        "title": f"{cell.group}, {cell.title}",
        "badges": "; ".join(badges),
        "facts": "\n".join([*cell.notes, *marks]),
        "texts": cell.text or "",
        "actions": "; ".join(describe_action(action) for action in cell.all_actions),
    }
    keys = {"kind": item.kind, "industry": industry, "item_id": item.item_id, "item_sha256": cell.sha256}
    return {**keys, "cell": cell.name, **{name: guard(value) for name, value in shown.items()}}


def describe_action(action: Action) -> str:
    """An action with what it takes."""
    low, high = action.bounds
    needs = {
        "nothing": "",
        "choice": f" (value: {' or '.join(ids) if len(ids := list_ids(action)) <= FEW else 'an id'})",
        "text": " (value: a text)",
        "number": f" (value: {low:g} to {high:g})",
    }
    return f"{action.name}{needs[action.takes]}"


def list_ids(action: Action) -> list[str]:
    """What an action's choices are stored as."""
    return [choice.value for choice in action.choices]


def describe_decided(item: Item | Cell) -> str:
    """The latest decision on an item or a cell, and what became of it."""
    decided = item.decided
    if decided is None:
        return ""
    what = " ".join(part for part in (decided.action, decided.value) if part)
    return f"decided: {what} by {decided.author}, {item.outcome or 'not built yet'}"
