"""What follows from people's decisions for the parts of a scenario, whoever made these.

Belongs here: laying edits over parts before they are checked, accepted failures, what is taken out, and telling what
became of each decision. Not here: whether a decision still holds (`decisions.py`).

An edited scenario passes the same checks as any other: grounding, and coding its finished text again. Where an edit
fails one, the scenario is rejected for it, and the decision says so in `open_failures`; a person may accept a failure
by name, which stands in the released row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from schemas.review import Outcome, Override
from schemas.scenarios import BackgroundSentence, Candidate, CaseFieldRow, GroundingFailure, Part, ScenarioDecision
from servicebench_data.scenarios.assembly import verify
from servicebench_data.scenarios.background import latest_disclosure
from servicebench_data.scenarios.cells import CellError, find_part, lay_text, list_cells
from servicebench_data.scenarios.decisions import (
    ACCEPT,
    CLEAR,
    TAKE_OUT,
    digest_failure,
    digest_made,
    is_edit,
    name_failure,
    name_recoding,
    settle_decision,
)
from servicebench_data.scenarios.parts import Knowledge, Parts, Source

PARTS: tuple[Part, ...] = get_args(Part)
RECODED = frozenset({"recoded_differently", "recoded_unassigned"})
#: Why a field is out of date where a reviewer made it so and the form knows no cause.
STALE_CAUSE = "It was entered wrongly and has not been corrected."


@dataclass(frozen=True)
class Revised:
    """A scenario with its edits, checked and not yet coded again.

    Attributes:
        parts: The parts with the edits in them.
        decided: The decisions on it.
        outcomes: What became of those that can be told by now, by target.
        made: What every cell held before.
        accepted: Cells of the failures that a person accepted, as far as that still holds.
    """

    parts: Parts
    decided: Sequence[Override] = ()
    outcomes: Mapping[str, Outcome] = field(default_factory=dict[str, Outcome])
    made: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    accepted: frozenset[str] = frozenset()


def revise(parts: Parts, source: Source, knowledge: Knowledge, decided: Sequence[Override]) -> Revised:
    """Lay the edits that hold over parts as they were made, and check the outcome as what was made was checked.

    Args:
        parts: The parts as made.
        source: Their dialogue.
        knowledge: Its industry.
        decided: The decisions on the scenario.
    """
    if not decided:
        return Revised(parts)
    made = list_cells(parts)
    digests = digest_made(source.scenario_id, ((turn.role, turn.text) for turn in source.turns), made)
    edited, outcomes = lay_edits(parts, [entry for entry in decided if is_edit(entry)], digests)
    for entry in decided:
        if entry.action != ACCEPT:
            outcomes.setdefault(entry.target, settle_decision(entry, digests))
    accepted = frozenset(
        entry.cell
        for entry in decided
        if entry.action == ACCEPT and entry.item_sha256 == digest_failure(digests[source.scenario_id], entry.cell)
    )
    complete = follow_edits(edited, parts, knowledge)
    return Revised(check_again(complete, source, knowledge, accepted), decided, outcomes, made, accepted)


def lay_edits(parts: Parts, edits: Iterable[Override], digests: Mapping[str, str]) -> tuple[Parts, dict[str, Outcome]]:
    """The parts with the edits that hold, and what became of each."""
    outcomes: dict[str, Outcome] = {}
    for entry in edits:
        outcome = settle_decision(entry, digests)
        if outcome == "applied":
            try:
                parts = lay_text(parts, entry.cell, None if entry.action == CLEAR else entry.value)
            except CellError:
                outcome = "refused"
        outcomes[entry.target] = outcome
    return parts, outcomes


def follow_edits(parts: Parts, before: Parts, knowledge: Knowledge) -> Parts:
    """The parts with the columns that follow from edited cells."""
    old = {row.field_id: row for row in before.case_fields}
    fields = [row if row == old[row.field_id] else date_field(row, knowledge) for row in parts.case_fields]
    timed = {fact.fact_id: fact.disclosure for fact in before.facts}
    moved = {fact.fact_id for fact in parts.facts if fact.disclosure != timed[fact.fact_id]}
    sentences = [time_sentence(row, parts) if moved & {*row.fact_ids} else row for row in parts.background]
    return replace(parts, case_fields=fields, background=sentences)


def date_field(row: CaseFieldRow, knowledge: Knowledge) -> CaseFieldRow:
    """A field whose shown value was edited: stale, with a cause, where it is not the truth."""
    is_stale = row.shown != row.truth
    form = next((entry for entry in knowledge.industry.case_record.fields if entry.id == row.field_id), None)
    known = row.stale_cause or (form.stale.cause if form and form.stale else STALE_CAUSE)
    return row.model_copy(update={"is_stale": is_stale, "stale_cause": known if is_stale else None})


def time_sentence(row: BackgroundSentence, parts: Parts) -> BackgroundSentence:
    """A sentence that comes out with the latest of its facts."""
    facts = [fact for fact in parts.facts if fact.fact_id in row.fact_ids]
    return row.model_copy(update={"disclosure": latest_disclosure(facts, row.topic)})


def check_again(parts: Parts, source: Source, knowledge: Knowledge, accepted: frozenset[str]) -> Parts:
    """The parts with the failures that they have now; those that were rejected before they were whole stay so."""
    if parts.candidate.rejection_reason not in {None, "ungrounded"}:
        return parts
    cleared = parts.candidate.model_copy(update={"is_valid": True, "rejection_reason": None})
    return accept_failures(verify(replace(parts, candidate=cleared, failures=[]), source, knowledge), accepted)


def accept_failures(parts: Parts, accepted: frozenset[str]) -> Parts:
    """The parts with the accepted failures marked; valid where none but these is left."""
    failures = [row.model_copy(update={"is_accepted": name_row(row) in accepted}) for row in parts.failures]
    if not failures or not all(row.is_accepted for row in failures):
        return replace(parts, failures=failures)
    candidate = parts.candidate.model_copy(update={"is_valid": True, "rejection_reason": None})
    return replace(parts, failures=failures, candidate=candidate)


def name_row(row: GroundingFailure) -> str:
    """Cell of a failure."""
    return name_failure(row.part, row.check, row.span)


def conclude(revised: Revised, parts: Parts) -> Parts:
    """A scenario that was coded again, with what people decided on its coding, on all of it, and where edits stand.

    Args:
        revised: The scenario before it was coded again.
        parts: Its parts since.
    """
    if not revised.decided:
        return parts
    candidate, cells = parts.candidate, {entry.cell for entry in list_applied(revised)}
    told = [describe_failure(row) for row in parts.failures if row.is_accepted]
    if candidate.rejection_reason in RECODED and name_recoding(candidate.recoded_category_id) in revised.accepted:
        told.append(f"recoding: {candidate.recoded_category_id or 'unassigned'}")
        candidate = candidate.model_copy(update={"is_valid": True, "rejection_reason": None})
    if candidate.is_valid and any(entry.action == TAKE_OUT for entry in revised.decided):
        candidate = candidate.model_copy(update={"is_valid": False, "rejection_reason": "taken_out"})
    edited = {find_part(cell) for cell in cells}
    update = {"edited_parts": [part for part in PARTS if part in edited], "accepted_failures": told}
    return replace(parts, candidate=candidate.model_copy(update=update))


def list_applied(revised: Revised) -> list[Override]:
    """The edits that stand in the parts."""
    return [
        entry for entry in revised.decided if is_edit(entry) and revised.outcomes[entry.target] == "applied"
    ]  # fmt: skip


def describe_failure(row: GroundingFailure) -> str:
    """A failure in one line."""
    return f"{row.part}: {row.check}: {row.span}"


def list_open(parts: Parts) -> list[str]:
    """Checks that a scenario fails and nobody accepted."""
    failures = [describe_failure(row) for row in parts.failures if not row.is_accepted]
    if parts.candidate.rejection_reason in RECODED:
        failures.append(f"recoding: {parts.candidate.recoded_category_id or 'unassigned'}")
    return failures


def report_decisions(
    overrides: Mapping[str, Override], revised: Sequence[Revised], concluded: Sequence[Parts]
) -> list[ScenarioDecision]:
    """Rows of `scenario_decision`: every decision that counts, with what became of it.

    Args:
        overrides: All decisions on the industry's scenarios.
        revised: The scenarios before they were coded again.
        concluded: The same scenarios in the end.
    """
    found = {
        parts.candidate.scenario_id: (entry, parts)
        for entry, parts in zip(revised, concluded, strict=True)
        if entry.decided
    }
    return [
        report_decision(override, *found.get(override.item_id, (None, None)))
        for _, override in sorted(overrides.items())
    ]


def report_decision(override: Override, revised: Revised | None, parts: Parts | None) -> ScenarioDecision:
    """What became of one decision; without a scenario it is missing."""
    outcome: Outcome = "missing"
    if revised is not None and parts is not None:
        outcome = revised.outcomes.get(override.target) or judge_acceptance(override, revised, parts)
    return ScenarioDecision(
        **override.model_dump(exclude={"value"}),
        value=override.value or None,
        outcome=outcome,
        made_text=revised.made.get(override.cell) if revised else None,
        open_failures=list_open(parts) if parts else [],
    )


def judge_acceptance(override: Override, revised: Revised, parts: Parts) -> Outcome:
    """What became of the acceptance of a failure: missing where the scenario does not fail so any longer."""
    failing = {name_row(row) for row in parts.failures}
    if is_recoded(parts.candidate):
        failing.add(name_recoding(parts.candidate.recoded_category_id))
    if override.cell not in failing:
        return "missing"
    return "applied" if override.cell in revised.accepted else "stale"


def is_recoded(candidate: Candidate) -> bool:
    """Whether the finished text was coded otherwise than the source; unknown where it was never coded again."""
    was_coded = candidate.is_valid or candidate.rejection_reason in {*RECODED, "taken_out"}
    return was_coded and candidate.recoded_category_id != candidate.category_id
