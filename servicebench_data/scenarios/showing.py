"""A scenario as a reviewer sees it: every part by itself, with its evidence, and what can be decided on it.

Belongs here: the cells of one scenario, worded for a person. Not here: which scenarios are shown (`reviewing.py`), or
what follows from a decision (`deciding.py`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, get_args

from schemas.industry import Industry
from schemas.review import Outcome, Override
from schemas.scenarios import (
    BackgroundSentence,
    CaseFieldRow,
    Disclosure,
    Event,
    Expectation,
    Fact,
    GroundingFailure,
    Level,
    PartRecord,
    ScenarioDecision,
)
from servicebench_data.review.forms import Action, Cell, Choice
from servicebench_data.scenarios.cells import list_cells, show_value, walk_cells
from servicebench_data.scenarios.deciding import RECODED, name_row
from servicebench_data.scenarios.decisions import (
    ACCEPT,
    CLEAR,
    EDIT,
    Overrides,
    digest_failure,
    digest_made,
    is_edit,
    name_recoding,
)
from servicebench_data.scenarios.expectation import MOST_USD
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.writing.reasons import explain_faults

FAILED = "What failed"
#: Heading of each part, in the order in which they are shown.
GROUPS = {
    "event": "Events",
    "severity": "Severity",
    "fact": "Facts",
    "background": "Background",
    "expectation": "Expectation",
    "case_field": "Case record",
}
EDITED = "It takes the place of what was made; at the next build it passes the same checks."
COMES_OUT = {
    "opening": "at the opening",
    "when_asked": "when asked",
    "when_heard": "when the customer feels taken seriously",
}
EMPTY = Action(CLEAR, "leave empty", "Nothing stands there from the next build on.")
VOUCH = Action(
    ACCEPT, "accept", "You vouch for it: this failure no longer keeps the scenario out, and the release says so."
)


@dataclass(frozen=True)
class Shown:
    """A scenario of the last build with what people decided on it.

    Attributes:
        industry: Its industry.
        parts: Its parts, edits in them.
        turns: Role and masked text of the turns of its dialogue.
        decisions: What people decided, by target.
        results: What became of that in the last build, by target.
    """

    industry: Industry
    parts: Parts
    turns: Sequence[tuple[str, str]]
    decisions: Overrides = field(default_factory=dict[str, Override])
    results: Mapping[str, ScenarioDecision] = field(default_factory=dict[str, ScenarioDecision])

    @property
    def scenario_id(self) -> str:
        """Its id."""
        return self.parts.candidate.scenario_id

    @cached_property
    def made(self) -> dict[str, str | None]:
        """What every cell held before any edit."""
        beneath = {row.cell: row.made_text for row in self.results.values() if stands(row)}
        return {**list_cells(self.parts), **beneath}

    @cached_property
    def digests(self) -> dict[str, str]:
        """Digest of the scenario, of each of its cells, and of each of its failures, by target."""
        digests = digest_made(self.scenario_id, self.turns, self.made)
        whole = digests[self.scenario_id]
        return {**digests, **{f"{self.scenario_id}/{name}": digest_failure(whole, name) for name in self.failing}}

    @cached_property
    def failing(self) -> list[str]:
        """Cells of its failures, accepted ones among them."""
        candidate = self.parts.candidate
        accepted = any(entry.startswith("recoding: ") for entry in candidate.accepted_failures)
        is_recoded = candidate.rejection_reason in RECODED or accepted
        recoding = [name_recoding(candidate.recoded_category_id)] if is_recoded else []
        return [*map(name_row, self.parts.failures), *recoding]

    def find_outcome(self, target: str) -> Outcome | None:
        """What became of the latest decision on a target in the last build; None where it has not been built since."""
        row, decided = self.results.get(target), self.decisions.get(target)
        return row.outcome if row and decided and row.decided_at == decided.decided_at else None


def stands(row: ScenarioDecision) -> bool:
    """Whether a decision is an edit that stands in the parts."""
    return row.outcome == "applied" and row.action in {EDIT, CLEAR}


def show_cells(shown: Shown) -> list[Cell]:
    """All cells of a scenario: what failed first, then part by part."""
    return [*show_failures(shown), *show_parts(shown), *show_policies(shown.parts)]


def show_failures(shown: Shown) -> Iterator[Cell]:
    """What failed, in words, each with the possibility to accept it; a task's failure can only be read."""
    for row in shown.parts.failures:
        (said,) = explain_faults(row.part.replace("_", " "), [(row.part, row.check, row.span)])
        cell = Cell(name_row(row), FAILED, f"{row.part}: {row.check}", said, actions=(VOUCH,), marks=(row.span,))
        yield decide_on(shown, cell)
    candidate = shown.parts.candidate
    if len(shown.failing) > len(shown.parts.failures):
        names = {category.id: category.name for category in shown.industry.journey.categories}
        recoded = names.get(candidate.recoded_category_id or "", "no category")
        said = f"The dialogue was coded to {names[candidate.category_id]}, the finished text to {recoded}."
        yield decide_on(shown, Cell(shown.failing[-1], FAILED, "coded again", said, actions=(VOUCH,)))
    failure = shown.parts.failure
    if failure is not None:
        said = " ".join(failure.reasons) or "No answer came."
        notes = (f"{failure.tries} tries by {failure.made_by}", f"last answer: {failure.raw_answer or '(none)'}")
        yield Cell("task", FAILED, f"task {failure.task} ({failure.status})", said, notes=notes)


def show_parts(shown: Shown) -> Iterator[Cell]:
    """Every cell that may be edited, with its evidence and with what failed in it marked."""
    for name, editable, row, column in walk_cells(shown.parts):
        text = show_value(getattr(row, column))
        spans = [entry.span for entry in list_open(shown.parts.failures) if entry.part == editable.part]
        cell = Cell(
            name,
            GROUPS[editable.name],
            title_cell(row, column),
            text,
            actions=list_actions(type(row), column),
            marks=tuple(span for span in dict.fromkeys(spans) if span and text and span in text),
            notes=tuple(list_notes(row, column)),
        )
        yield decide_on(shown, cell)


def list_open(failures: Iterable[GroundingFailure]) -> list[GroundingFailure]:
    """Failures that nobody accepted."""
    return [row for row in failures if not row.is_accepted]


def show_policies(parts: Parts) -> Iterator[Cell]:
    """The policies that apply, word for word from the industry's book, where they are edited."""
    for row in parts.case_policies:
        yield Cell(f"policy.{row.policy_id}", "Policies", row.title, row.text)


def decide_on(shown: Shown, cell: Cell) -> Cell:
    """A cell with its digest, the latest decision on it, and what stood there before."""
    target = f"{shown.scenario_id}/{cell.name}"
    decided, outcome, result = shown.decisions.get(target), shown.find_outcome(target), shown.results.get(target)
    before = [f"as made: {result.made_text or '(empty)'}"] if result and stands(result) else []
    waiting = [f"decided: {decided.value}"] if decided and is_edit(decided) and outcome != "applied" else []
    notes = (*cell.notes, *before, *waiting)
    return replace(cell, sha256=shown.digests[target], notes=notes, decided=decided, outcome=outcome)


def list_actions(record: type[PartRecord], column: str) -> tuple[Action, ...]:
    """What can be done with a column."""
    choices = find_choices(column)
    if choices:
        edit = Action(EDIT, "change", EDITED, "choice", tuple(Choice(value, text) for value, text in choices.items()))
    elif column.startswith("compensation_"):
        edit = Action(EDIT, "change", EDITED, "number", bounds=(0, MOST_USD))
    else:
        edit = Action(EDIT, "edit", EDITED, "text")
    may_be_empty = type(None) in get_args(record.model_fields[column].annotation)
    return (edit, EMPTY) if may_be_empty else (edit,)


def find_choices(column: str) -> dict[str, str]:
    """Values that a column can have, with what they are called; none where it holds a text or a number."""
    if column == "is_loss_money":
        return {"yes": "yes", "no": "no"}
    if column == "level":
        return {value: value for value in get_args(Level)}
    return {value: COMES_OUT[value] for value in get_args(Disclosure)} if column == "disclosure" else {}


def title_cell(row: Any, column: str) -> str:
    """What a cell is called within its part."""
    match row:
        case Event():
            return f"{row.event_index + 1}. {row.actor}"
        case Fact():
            return f"{row.fact_id} {row.kind}" if column == "statement" else f"{row.fact_id} comes out"
        case BackgroundSentence():
            return f"{row.sentence_index + 1}. {row.topic}"
        case CaseFieldRow():
            return row.title
        case _:
            return column.replace("_usd", " (USD)").replace("_", " ")


def list_notes(row: Any, column: str) -> Iterator[str]:
    """What a text rests on."""
    match row:
        case Event():
            yield f"quote: {row.quote}" if row.quote else "inferred"
            yield from [f"when: {row.when_text}"] if row.when_text else []
        case Fact() if column == "statement":
            yield f"quote: {row.quote}" if row.quote else "inferred"
            yield "only the customer knows it" if row.is_customer_only else "the company may know it"
        case BackgroundSentence():
            yield f"tells {', '.join(row.fact_ids)}" if row.fact_ids else "inferred"
            yield f"comes out {COMES_OUT[row.disclosure]}"
        case Expectation() if column == "action":
            yield "inferred" if row.is_inferred else "asked for in the dialogue"
        case CaseFieldRow():
            yield from [f"out of date: {row.stale_cause}", f"truth: {row.truth}"] if row.is_stale else []
        case _:
            return
