"""What people decided on scenarios, and whether it still holds.

Belongs here: reading the decisions of an industry, the digests that they lean on, and settling them. Not here: keeping
them (`review/`), what follows from them (`deciding.py`), or what a reviewer is shown (`reviewing.py`).

What makes a decision stale: an edit, when the source dialogue or the made text beneath it changed; anything on the
whole scenario, and the acceptance of a failure, when the dialogue or any made text of it did. As with topics and
codings, what is stale is shown and not applied: an edit is a person's word on the very text that it replaced, and must
not cover another one. Taking out is the exception: it is flagged and still holds, for to release what a person took out
would be the graver mistake. Edits by people are no made texts, so that several of them do not outdate each other.
"""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from schemas.review import KEEP, Outcome, Override
from servicebench_data.lake.store import digest_json
from servicebench_data.review.overrides import select_industry
from servicebench_data.review.settling import settle

SCENARIO = "scenario"
TAKE_OUT, EDIT, CLEAR, ACCEPT = "take_out", "edit", "clear", "accept"
FAILURE = "failure"

Overrides = dict[str, Override]
Turns = Iterable[tuple[str, str]]


def load_decisions(folder: Path, industry: str) -> Overrides:
    """An industry's decisions from the home's folder of overrides, by scenario or cell (`Override.target`).

    Raises:
        ReviewError: The file there does not hold what it must.
    """
    return select_industry(folder, SCENARIO, industry)


def group_decisions(overrides: Mapping[str, Override]) -> dict[str, list[Override]]:
    """The decisions of each scenario, in the order of their cells."""
    groups: dict[str, list[Override]] = {}
    for target in sorted(overrides):
        groups.setdefault(overrides[target].item_id, []).append(overrides[target])
    return groups


def digest_made(scenario_id: str, turns: Turns, made: Mapping[str, str | None]) -> dict[str, str]:
    """Digest of a scenario and of each of its cells, by `Override.target`.

    Args:
        scenario_id: The scenario.
        turns: Role and masked text of the turns of its dialogue, in order.
        made: What every cell held before any edit.
    """
    source = digest_json([list(turn) for turn in turns])
    cells = {f"{scenario_id}/{name}": digest_json([source, name, text]) for name, text in made.items()}
    return {scenario_id: digest_json([source, sorted(cells.values())]), **cells}


def digest_failure(whole: str, cell: str) -> str:
    """Digest of a failure, from that of its scenario."""
    return digest_json([whole, cell])


def name_failure(part: str, check: str, span: str) -> str:
    """Cell of a failed check: part and check are told, the words are not, for they can be long."""
    return f"{FAILURE}.{part}.{check}.{hashlib.sha256(span.encode()).hexdigest()[:8]}"


def name_recoding(recoded: str | None) -> str:
    """Cell of the failure to be coded as the source was."""
    return f"{FAILURE}.recoding.{recoded or 'unassigned'}"


def is_edit(override: Override) -> bool:
    """Whether a decision changes a cell's text."""
    return override.action in {EDIT, CLEAR}


def settle_decision(override: Override, digests: Mapping[str, str]) -> Outcome:
    """What becomes of a decision, as far as the digests of its scenario say; a withdrawal needs nothing to hold."""
    if override.cell and override.action == KEEP:
        return "kept"
    return settle(override, digests)
