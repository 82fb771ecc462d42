"""The review as one HTML page, worked with keys, saved in the browser as it goes, exported as CSV.

Belongs here: the page's data. Not here: how it looks and acts (`page.html`, `page.css`, `page.js`).
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from servicebench_data.review.cells import COLUMNS
from servicebench_data.review.forms import Action, Cell, Form, Item, Sheet
from servicebench_data.review.html import SHARED, assemble_page
from servicebench_data.review.sheets import describe_decided

TEMPLATE = Path(__file__).parent / "page"


def write_page(sheet: Sheet) -> str:
    """The page; every text on it is untrusted and is shown as text."""
    # Most cells take one of a few sets of actions, which are therefore told once.
    sets = list(dict.fromkeys(cell.all_actions for item in sheet.items for cell in item.cells))
    data = {
        "title": sheet.title,
        "industry": sheet.industry,
        "intro": sheet.intro,
        "columns": COLUMNS,
        "forms": {form.kind: describe_form(form) for form in sheet.forms},
        "actions": [[asdict(action) for action in actions] for actions in sets],
        "items": [describe_item(item, sets) for item in sheet.items],
    }
    return assemble_page(sheet.title, TEMPLATE, data, before=[SHARED])


def describe_form(form: Form) -> dict[str, Any]:
    """A form for the script."""
    return {"title": form.title, "actions": [asdict(action) for action in form.all_actions]}


def describe_item(item: Item, sets: Sequence[tuple[Action, ...]]) -> dict[str, Any]:
    """An item for the script."""
    return {
        "kind": item.kind,
        "id": item.item_id,
        "sha256": item.sha256,
        "title": item.title,
        "badges": item.badges,
        "facts": item.facts,
        "texts": item.texts,
        "cells": [describe_cell(cell, sets) for cell in item.cells],
        "decided": describe_decided(item),
        "outcome": item.outcome or "",
    }


def describe_cell(cell: Cell, sets: Sequence[tuple[Action, ...]]) -> dict[str, Any]:
    """A cell for the script."""
    return {
        "name": cell.name,
        "sha256": cell.sha256,
        "group": cell.group,
        "title": cell.title,
        "text": cell.text,
        "marks": cell.marks,
        "notes": cell.notes,
        "actions": sets.index(cell.all_actions),
        "decided": describe_decided(cell),
        "outcome": cell.outcome or "",
    }
