"""The review as a CSV to be filled in with a spreadsheet: the same items, texts and actions as on the page.

Belongs here: writing it. Not here: reading it back (`incoming.py`).
"""

import csv
import io

from servicebench_data.review.cells import COLUMNS, guard
from servicebench_data.review.forms import Action, Form, Item, Sheet
from servicebench_data.review.incoming import SHOWN


def write_sheet(sheet: Sheet) -> str:
    """One row for each item; `action`, `value`, `author` and `reason` are for the reviewer to fill in."""
    forms = {form.kind: form for form in sheet.forms}
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [*COLUMNS, *SHOWN], restval="", lineterminator="\n")
    writer.writeheader()
    for item in sheet.items:
        writer.writerow(describe_row(item, sheet.industry, forms[item.kind]))
    return buffer.getvalue()


def describe_row(item: Item, industry: str, form: Form) -> dict[str, str]:
    """The row of an item, without a decision."""
    badges = [*item.badges, *([describe_decided(item)] if item.decided else [])]
    shown = {
        "title": item.title,
        "badges": "; ".join(badges),
        "facts": "\n".join(f"{name}: {value}" for name, value in item.facts),
        "texts": "\n".join(f"{place}. {text}" for place, text in enumerate(item.texts, start=1)),
        "actions": "; ".join(describe_action(action) for action in form.all_actions),
    }
    keys = {"kind": item.kind, "industry": industry, "item_id": item.item_id, "item_sha256": item.sha256}
    return {**keys, **{name: guard(value) for name, value in shown.items()}}


def describe_action(action: Action) -> str:
    """An action with what it takes."""
    needs = {"nothing": "", "choice": " (value: an id)", "text": " (value: a text)"}
    return f"{action.name}{needs[action.takes]}"


def describe_decided(item: Item) -> str:
    """The latest decision on an item, and what became of it."""
    decided = item.decided
    if decided is None:
        return ""
    what = " ".join(part for part in (decided.action, decided.value) if part)
    return f"decided: {what} by {decided.author}, {item.outcome or 'not built yet'}"
