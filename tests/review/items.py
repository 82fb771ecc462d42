"""A kind of item for tests that is neither topic nor dialogue, so that nothing of the component knows either.

Belongs here: what the tests of this group share. Not here: tests.
"""

from datetime import UTC, datetime, timedelta
from typing import Any

from schemas.review import Override
from servicebench_data.review.forms import Action, Choice, Form, Item, Sheet

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SEEN = "a" * 64
CHANGED = "b" * 64
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028=1+1"


def make_form(**given: Any) -> Form:
    """A form with an action of each kind."""
    colours = (Choice("red", "Red", "warm", "like fire"), Choice("blue", "Blue", "cold"), Choice("p1", "the first"))
    actions = (
        Action("paint", "paint it", "It gets the colour.", "choice", colours),
        Action("name", "name it", "It gets a name.", "text"),
        Action("drop", "drop it", "It goes."),
    )
    return Form("pot", "pot", actions, given.get("digests", {"p1": SEEN, "p2": SEEN}))


def make_sheet(*items: Item) -> Sheet:
    """A sheet of pots."""
    return Sheet("Pots <of> 2026", "pottery", "Look & decide.", [make_form()], items or (make_item(),))


def make_item(item_id: str = "p1", **given: Any) -> Item:
    """A pot with something hostile to read."""
    return Item(
        "pot", item_id, SEEN, f"pot {item_id}", ("cracked",), (("size", "3"),), (HOSTILE, "@you a pot"), **given
    )


def decide(item_id: str = "p1", action: str = "paint", value: str = "red", *, hours: int = 0, **given: Any) -> Override:
    """A decision."""
    values = {
        "kind": "pot", "industry": "pottery", "item_id": item_id, "item_sha256": SEEN, "action": action, "value": value,
        "author": "Ann", "reason": "it looks so", "decided_at": NOW + timedelta(hours=hours),
    }  # fmt: skip
    return Override.model_validate({**values, **given})
