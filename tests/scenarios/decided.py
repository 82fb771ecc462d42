"""Decisions of people on hand-written scenarios, and a lake that holds such scenarios.

Belongs here: what the tests of editing and of the review queue share. Not here: tests.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from schemas.dialogues import Turn
from schemas.review import Override
from schemas.scenarios import ScenarioDecision
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.scenarios.assembly import build_many
from servicebench_data.scenarios.candidates import Finished, build_candidates
from servicebench_data.scenarios.cells import list_cells
from servicebench_data.scenarios.decisions import SCENARIO, digest_failure, digest_made, load_decisions
from servicebench_data.scenarios.parts import Parts, Source
from tests.review.items import decide
from tests.rows import plain_row
from tests.scenarios.dialogues import LOST_BAG, knowledge, make_source

CATEGORY = "delayed_baggage"
SOURCE = make_source(*LOST_BAG, category_id=CATEGORY)
NAME = SOURCE.scenario_id
(PARTS,) = build_many([SOURCE], knowledge(), seed=1, stale_rate=0)


def digest(target: str, source: Source = SOURCE, parts: Parts = PARTS) -> str:
    """What a reviewer's page holds for a scenario, a cell or a failure of it."""
    turns = [(turn.role, turn.text) for turn in source.turns]
    digests = digest_made(source.scenario_id, turns, list_cells(parts))
    return digests.get(target) or digest_failure(digests[source.scenario_id], target.partition("/")[2])


def on(cell: str, action: str, value: str = "", *, hours: int = 0, **given: Any) -> Override:
    """A decision on the scenario of `SOURCE`, or on a cell of it, as a reviewer made it who saw it as it is."""
    target = f"{NAME}/{cell}" if cell else NAME
    keys: dict[str, Any] = {
        "kind": SCENARIO,
        "industry": "airline",
        "cell": cell,
        "item_sha256": digest(target),
        **given,
    }
    return decide(NAME, action, value, hours=hours, **keys)


def gather(*decisions: Override) -> dict[str, Override]:
    """Decisions by target."""
    return {entry.target: entry for entry in decisions}


class Coder:
    """Codes every text to one category, and remembers the texts."""

    def __init__(self, category: str | None = CATEGORY) -> None:
        self.category = category
        self.texts: list[str] = []

    def __call__(self, finished: Sequence[Finished]) -> list[str | None]:
        self.texts += [entry.text for entry in finished]
        return [self.category] * len(finished)


def rename(source: Source, dialogue_id: str) -> Source:
    """The same dialogue under another id."""
    return replace(source, dialogue_id=dialogue_id)


def store(
    lake: Lake, sources: Sequence[Source], coder: Coder, planted: Mapping[str, Parts] | None = None
) -> Sequence[ScenarioDecision]:
    """Build the scenarios of some dialogues with the lake's overrides, and store their tables; returns the decisions.

    Args:
        lake: The lake.
        sources: The dialogues.
        coder: Codes the finished texts.
        planted: Parts that stand in for those of the rules, by scenario.
    """
    made = [
        (planted or {}).get(source.scenario_id) or build_many([source], knowledge(), seed=1, stale_rate=0)[0]
        for source in sources
    ]
    overrides = load_decisions(lake.overrides, "airline")
    tables = build_candidates(sources, knowledge(), coder, lambda _: made, overrides)
    turns = [
        Turn.model_validate(
            plain_row(
                Turn, industry="airline", dialogue_id=source.dialogue_id, turn_index=turn.turn_index, role=turn.role,
                text=turn.text, post_ids=list(turn.post_ids), post_offsets=list(turn.post_offsets),
            )
        )
        for source in sources for turn in source.turns
    ]  # fmt: skip
    for record, table in {**tables, Turn: from_records(Turn, turns)}.items():
        lake.write(record, table, "airline", made_from=Origin(fingerprint="f" * 64))
    return to_records(ScenarioDecision, tables[ScenarioDecision])
