"""The review queue: which scenarios of an industry a reviewer is shown, and what can be decided on them.

Belongs here: the queue's order, forms and items. Not here: the parts of one scenario (`showing.py`), page and CSV
(`review/`), or what follows from a decision (`deciding.py`).

Our definition of the queue: first those with a decision that no longer holds or did not help; then those that failed,
up to a limit, the kinds of failure by turns so that none crowds out another, and within a kind those with the fewest
failures first, for they are mended soonest; then a sample of the valid ones, drawn by a hash of seed and scenario; then
the others that somebody decided on. Complaints without events, facts or a reply are not in it: they have nothing that
could be edited.
"""

import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.dialogues import Turn
from schemas.industry import Industry
from schemas.review import KEEP, Outcome
from schemas.scenarios import Candidate, GroundingFailure, RejectionReason, ScenarioDecision
from servicebench_data.lake.arrow import keep_rows, to_records
from servicebench_data.lake.store import Lake
from servicebench_data.review.forms import Action, Form, Item, Sheet
from servicebench_data.scenarios.decisions import SCENARIO, TAKE_OUT, load_decisions
from servicebench_data.scenarios.showing import Shown, show_cells
from servicebench_data.scenarios.stored import read_parts

#: Failures that a person can do something about, in the order in which they are shown.
QUEUED: dict[RejectionReason, str] = {
    "ungrounded": "not borne out by its source",
    "task_failed": "not written by the model",
    "recoded_differently": "coded to another category",
    "recoded_unassigned": "coded to no category",
}
INTRO = (
    "Failed scenarios come first, then a sample of the valid ones. Mend a part, accept a failure by name, keep the "
    "scenario, or take it out; each needs a reason. Edits pass the same checks at the next build."
)
KEEP_SCENARIO = Action(
    KEEP, "keep as it is", "Nothing changes; you looked at it. Taking it out is withdrawn, edits stay."
)
TITLE_WIDTH = 90


@dataclass(frozen=True)
class Queue:
    """Scenarios to show, in order, and how many of each kind of failure were left out."""

    scenario_ids: list[str]
    left_out: Counter[str]


def read_form(lake: Lake, industry: Industry, scenario_ids: Collection[str]) -> Form:
    """What can be decided on the given scenarios, as far as the last build has them."""
    shown = read_scenarios(lake, industry, scenario_ids) if lake.find(Candidate, industry.id) else []
    return make_form(shown)


def make_form(shown: Sequence[Shown]) -> Form:
    """What can be decided on scenarios."""
    digests = {target: digest for entry in shown for target, digest in entry.digests.items()}
    cells = {entry.scenario_id: show_cells(entry) for entry in shown}
    notes = {
        target: f"the scenario fails {'; '.join(row.open_failures)}"
        for entry in shown for target, row in entry.results.items()
        if row.open_failures and entry.find_outcome(target)
    }  # fmt: skip
    refused: dict[str, Outcome] = {
        target: "refused" for entry in shown for target in entry.results if entry.find_outcome(target) == "refused"
    }
    out = Action(TAKE_OUT, "take out", "It is never released, also when its dialogue changes, until somebody keeps it.")
    return Form(SCENARIO, "scenario", (out,), digests, cells, notes, KEEP_SCENARIO, refused)


def read_scenarios(lake: Lake, industry: Industry, scenario_ids: Collection[str]) -> list[Shown]:
    """The given scenarios as the lake holds them, with what people decided.

    Raises:
        LakeError: A table has not been made yet.
    """
    found = read_parts(lake, industry.id, scenario_ids)
    turns = read_turns(lake, industry.id, [parts.candidate.dialogue_id for parts in found.values()])
    decisions, results = load_decisions(lake.overrides, industry.id), read_results(lake, industry.id)
    return [
        Shown(
            industry,
            parts,
            turns[parts.candidate.dialogue_id],
            {target: entry for target, entry in decisions.items() if entry.item_id == name},
            {f"{name}/{row.cell}" if row.cell else name: row for row in results if row.item_id == name},
        )
        for name, parts in found.items()
    ]


def read_results(lake: Lake, industry: str) -> list[ScenarioDecision]:
    """What became of the decisions in the last build; nothing where there was none that knew of them."""
    is_there = lake.find(ScenarioDecision, industry) is not None
    return list(to_records(ScenarioDecision, lake.read(ScenarioDecision, industry))) if is_there else []


def read_turns(lake: Lake, industry: str, dialogue_ids: Collection[str]) -> dict[str, list[tuple[str, str]]]:
    """Role and masked text of the turns of dialogues, in order."""
    table = keep_rows(lake.read(Turn, industry), "dialogue_id", dialogue_ids)
    rows = table.select(["dialogue_id", "turn_index", "role", "text"]).to_pylist()
    turns: dict[str, list[tuple[str, str]]] = {name: [] for name in dialogue_ids}
    for row in sorted(rows, key=order_turn):
        turns[row["dialogue_id"]].append((row["role"], row["text"]))
    return turns


def order_turn(row: Mapping[str, Any]) -> tuple[str, int]:
    """Place of a turn."""
    return row["dialogue_id"], row["turn_index"]


def choose_queue(lake: Lake, industry: str, *, limit: int, sample: int, seed: int) -> Queue:
    """The queue of an industry; see the module's definition.

    Args:
        lake: The home's lake.
        industry: The industry.
        limit: How many failed ones to show.
        sample: How many valid ones to show.
        seed: Decides which valid ones.

    Raises:
        LakeError: A table has not been made yet.
    """
    table = lake.read(Candidate, industry).select(["scenario_id", "rejection_reason"])
    reasons: dict[str, str | None] = {row["scenario_id"]: row["rejection_reason"] for row in table.to_pylist()}
    counts = Counter(map(str, lake.read(GroundingFailure, industry)["scenario_id"].to_pylist()))
    ranked = rank_failures(reasons, counts, seed)
    kinds = [*map(str, QUEUED)]
    failed = sorted(ranked[:limit], key=lambda name: kinds.index(str(reasons[name])))
    valid = sorted((name for name, reason in reasons.items() if reason is None), key=lambda name: draw(seed, name))
    results = read_results(lake, industry)
    first = [row.item_id for row in results if row.outcome in {"stale", "refused"} or row.open_failures]
    decided = [entry.item_id for entry in load_decisions(lake.overrides, industry).values()]
    order = dict.fromkeys([*first, *failed, *valid[:sample], *sorted(decided)])
    shown = [name for name in order if name in reasons]
    left = Counter(str(reasons[name]) for name in ranked if name not in order)
    return Queue(shown, left)


def rank_failures(reasons: Mapping[str, str | None], counts: Mapping[str, int], seed: int) -> list[str]:
    """Failed scenarios, the kinds of failure by turns, in each kind those with the fewest failures first."""
    kinds: dict[str, list[str]] = {kind: [] for kind in QUEUED}
    for name in sorted(reasons, key=lambda name: (counts.get(name, 0), draw(seed, name))):
        kinds.get(reasons[name] or "", []).append(name)
    places = [(place, index, name) for index, names in enumerate(kinds.values()) for place, name in enumerate(names)]
    return [name for _, _, name in sorted(places)]


def draw(seed: int, scenario_id: str) -> str:
    """A number by chance that is always the same for the same seed and scenario."""
    return hashlib.sha256(f"review:{seed}:{scenario_id}".encode()).hexdigest()


def make_sheet(lake: Lake, industry: Industry, queue: Queue) -> Sheet:
    """Everything on an industry's review page."""
    known = {entry.scenario_id: entry for entry in read_scenarios(lake, industry, queue.scenario_ids)}
    shown = [known[name] for name in queue.scenario_ids]
    left = ", ".join(f"{count} {QUEUED[kind]}" for kind, count in sorted(queue.left_out.items()) if kind in QUEUED)
    intro = f"{INTRO} Left out for the limit: {left}." if left else INTRO
    failed = sum(entry.parts.candidate.rejection_reason in QUEUED for entry in shown)
    title = f"Review of {industry.accounts.title}: {failed} failed scenarios, {len(shown) - failed} others"
    return Sheet(title, industry.id, intro, [make_form(shown)], [show_scenario(entry) for entry in shown])


def show_scenario(shown: Shown) -> Item:
    """What is shown of a scenario."""
    candidate, name = shown.parts.candidate, shown.scenario_id
    names = {
        category.id: f"{category.name} · {stage.name}"
        for stage in shown.industry.journey.stages
        for category in stage.categories
    }
    facts = [
        ("scenario", name),
        ("category", names[candidate.category_id]),
        ("finished text", names.get(candidate.recoded_category_id or "", "not coded")),
        ("made by", candidate.made_by),
        *([("edited", ", ".join(candidate.edited_parts))] if candidate.edited_parts else []),
    ]
    opening = next((text for role, text in shown.turns if role == "customer" and text), name)
    title = opening if len(opening) <= TITLE_WIDTH else opening[: TITLE_WIDTH - 1] + "…"
    texts = tuple(f"{role}: {text}" for role, text in shown.turns)
    return Item(
        SCENARIO, name, shown.digests[name], title, tuple(list_badges(shown)), tuple(facts), texts,
        shown.decisions.get(name), shown.find_outcome(name), tuple(show_cells(shown)),
    )  # fmt: skip


def list_badges(shown: Shown) -> list[str]:
    """What stands out about a scenario."""
    reason = shown.parts.candidate.rejection_reason
    state = ["valid" if reason is None else QUEUED.get(reason, reason.replace("_", " "))]
    outcomes = [(target, shown.find_outcome(target)) for target in shown.decisions]
    stale = [target for target, outcome in outcomes if outcome == "stale"]
    refused = [target for target, outcome in outcomes if outcome == "refused"]
    fails = any(row.open_failures and row.outcome == "applied" for row in shown.results.values())
    return [
        *state,
        *([f"{len(stale)} decisions are stale"] if stale else []),
        *([f"{len(refused)} decisions are refused"] if refused else []),
        *(["fails with its edits"] if fails else []),
    ]
