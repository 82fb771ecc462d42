"""Removing what is kept of forgotten posts outside the tables that a build makes anew.

Belongs here: people's decisions and answers of models about dialogues that hold a forgotten post or author. Not here:
the list and the published builds (`lake/forget.py`).
"""

from pathlib import Path
from typing import NamedTuple

from servicebench_data.judging.ratings.store import drop_ratings
from servicebench_data.lake.forget import ForgetList, find_dialogues_that_hold
from servicebench_data.lake.store import Lake
from servicebench_data.release.publish import list_builds
from servicebench_data.review.overrides import drop_overrides
from servicebench_data.scenarios.parts import make_scenario_id


class Forgotten(NamedTuple):
    """What was removed: dialogues that hold something of the list, decisions and ratings on them, calls about them."""

    dialogues: int
    decisions: int
    calls: int


def forget_traces(lake: Lake, forget: ForgetList, ledger_url: str) -> Forgotten:
    """Delete decisions, ratings and ledger entries about dialogues of the last build that hold something of the list.

    To be called before the tables are made without them, for these tell which dialogues they were.
    """
    dialogues = find_dialogues_that_hold(lake, list_builds(lake.home), forget)
    if not dialogues:
        return Forgotten(0, 0, 0)
    items = [*dialogues, *map(make_scenario_id, dialogues)]
    decisions = drop_overrides(lake.overrides, items) + drop_ratings(lake, items)
    return Forgotten(len(dialogues), decisions, drop_calls(ledger_url, items))


def drop_calls(ledger_url: str, items: list[str]) -> int:
    """Delete the ledger's calls about items; none where there is no ledger yet."""
    local = ledger_url.removeprefix("sqlite:///")
    if local != ledger_url and not Path(local).is_file():
        return 0
    from servicebench_data.models.ledger import Ledger, forget_calls  # noqa: PLC0415  (half a second that few need)

    ledger = Ledger(ledger_url)
    try:
        return forget_calls(ledger, items)
    finally:
        ledger.close()
