"""What writing the scenarios would take, told before anything is spent.

Belongs here: calls, tokens and cost of each task, as far as they can be known. Not here: asking, or printing.

What the ledger holds is taken from it, so that the next task's questions are the very ones that would be asked. For a
dialogue whose answers are not there yet the rules' parts stand in, which gives questions of about the right length; it
counts as passing every task at the first try.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

from schemas.scenarios import Event, Severity
from servicebench_data.models.calling import ReplayMissError
from servicebench_data.models.doorway import Doorway
from servicebench_data.models.forecast import Forecast
from servicebench_data.models.task import Item, Outcome, Task
from servicebench_data.scenarios.assembly import build_parts
from servicebench_data.scenarios.facts import collect_facts
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source
from servicebench_data.scenarios.reading import read_turns
from servicebench_data.scenarios.writing.drafts import Draft, begin
from servicebench_data.scenarios.writing.stage import Stage
from servicebench_data.scenarios.writing.stages import STAGES, take_outcome


class PlanRow(NamedTuple):
    """What one task would take.

    Attributes:
        task: The task.
        model: The model asked first.
        items: Dialogues to ask about.
        estimated: How many of them are estimated, for the answers before them are not there yet.
        calls: Calls to make, at one try each.
        cached: Calls that the ledger holds.
        tokens_in: Tokens of the calls to make.
        tokens_out: Tokens of their answers.
        cost_usd: Price of the calls to make; None where it is unknown.
    """

    task: str
    model: str
    items: int
    estimated: int
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


class Oracle(Protocol):
    """What a plan asks: it foresees what a run would take, and recalls what was answered; it never asks a model."""

    def forecast(self, task: Task[Any], items: Sequence[Item[Any]]) -> Forecast:
        """What asking would take."""
        ...

    def recall(self, task: Task[Any], items: Sequence[Item[Any]]) -> Sequence[Outcome[Any] | None]:
        """Outcome of each item from the ledger alone; None where it is not all there."""
        ...


class LedgerOracle:
    """Foresees and recalls by a doorway that only the ledger answers.

    Args:
        doorway: A doorway that replays.
    """

    def __init__(self, doorway: Doorway) -> None:
        if not doorway.replay:
            raise ValueError("a plan needs a doorway that only the ledger answers; open it with replay=True.")
        self.doorway = doorway

    def forecast(self, task: Task[Any], items: Sequence[Item[Any]]) -> Forecast:
        """What asking would take."""
        return self.doorway.forecast(task, items)

    def recall(self, task: Task[Any], items: Sequence[Item[Any]]) -> Sequence[Outcome[Any] | None]:
        """Outcome of each item from the ledger alone; one by one only where some are there and some are not."""
        known = self.doorway.forecast(task, items)
        if not known.cached:
            return [None] * len(items)
        if not known.calls and (found := self.replay(task, items)):
            return found
        return [(self.replay(task, [item]) or [None])[0] for item in items]

    def replay(self, task: Task[Any], items: Sequence[Item[Any]]) -> Sequence[Outcome[Any]] | None:
        """Outcomes from the ledger; None where one is not all there."""
        try:
            return self.doorway.run(task, items)
        except ReplayMissError:
            return None


@dataclass(frozen=True)
class Planned:
    """A draft as far as it is known.

    Attributes:
        draft: The draft.
        is_exact: Whether its parts are those that a run would use.
    """

    draft: Draft
    is_exact: bool


def plan_parts(sources: Sequence[Source], knowledge: Knowledge, chance: Chance, oracle: Oracle) -> list[PlanRow]:
    """One row for each task, in their order.

    Args:
        sources: The dialogues.
        knowledge: Their industry.
        chance: Seed and rate of the stale fields.
        oracle: Foresees and recalls.
    """
    planned = [Planned(begin(source, knowledge, chance), True) for source in sources]
    rows: list[PlanRow] = []
    for stage in STAGES:
        going = [entry for entry in planned if entry.draft.is_open]
        exact = [entry.draft for entry in going if entry.is_exact]
        guessed = [entry.draft for entry in going if not entry.is_exact]
        rows.append(plan_stage(stage, exact, guessed, oracle))
        known = recall_stage(stage, exact, oracle)
        planned = [*known, *(Planned(draft, False) for draft in guessed)]
    return rows


def plan_stage(stage: Stage[Any], exact: Sequence[Draft], guessed: Sequence[Draft], oracle: Oracle) -> PlanRow:
    """What one task would take."""
    sure = oracle.forecast(stage.task, [stage.make_item(draft) for draft in exact])
    return join_forecasts(sure, oracle.forecast(stage.task, [stage.make_item(draft) for draft in guessed]))


def plan_task(
    task: Task[Any], items: Sequence[Item[Any]], oracle: Oracle, guessed: Sequence[Item[Any]] = ()
) -> PlanRow:
    """What a task would take: for items that are known, and for those that stand in for what is not known yet."""
    return join_forecasts(oracle.forecast(task, items), oracle.forecast(task, guessed))


def join_forecasts(sure: Forecast, rough: Forecast) -> PlanRow:
    """One row of what is known to be asked and what is estimated."""
    return PlanRow(
        task=sure.task,
        model=sure.model,
        items=sure.items + rough.items,
        estimated=rough.items,
        calls=sure.calls + rough.calls,
        cached=sure.cached + rough.cached,
        tokens_in=sure.tokens_in + rough.tokens_in,
        tokens_out=sure.tokens_out + rough.tokens_out,
        cost_usd=add_prices([(sure.calls, sure.cost_usd), (rough.calls, rough.cost_usd)]),
    )


def recall_stage(stage: Stage[Any], drafts: Sequence[Draft], oracle: Oracle) -> list[Planned]:
    """The drafts after one task: with their answers where the ledger has them, else with the rules' parts."""
    outcomes = oracle.recall(stage.task, [stage.make_item(draft) for draft in drafts])
    return [
        Planned(imagine(draft), False) if outcome is None else Planned(take_outcome(stage, draft, outcome), True)
        for draft, outcome in zip(drafts, outcomes, strict=True)
    ]


def imagine(draft: Draft) -> Draft:
    """The draft with what the rules make of its dialogue; where they make nothing, with the opening itself."""
    source, knowledge = draft.source, draft.knowledge
    ruled = build_parts(source, knowledge, seed=draft.chance.seed, stale_rate=draft.chance.stale_rate)
    if ruled.severity is None:
        ruled = stand_in(draft, ruled)
    return replace(draft, parts=replace(ruled, candidate=draft.parts.candidate))


def stand_in(draft: Draft, ruled: Parts) -> Parts:
    """Events and rating of about the usual length, for a dialogue of which the rules can tell nothing."""
    who = {"industry": draft.knowledge.industry.id, "scenario_id": draft.source.scenario_id, "made_by": "offline"}
    events = [
        Event(
            **who,
            event_index=index,
            actor="other",
            text=turn.text or "(nothing)",
            when_text=None,
            post_ids=list(turn.post_ids),
            quote=turn.text,
            is_inferred=False,
        )
        for index, turn in enumerate(draft.opening)
    ]
    readings = read_turns(draft.source.turns, draft.knowledge.brands, draft.knowledge.company)
    facts = collect_facts(readings, draft.knowledge.industry.id, draft.source.scenario_id)
    severity = Severity(**who, level="low", reason="Low: nothing of worth was lost.", drivers=[])
    return replace(ruled, events=events, facts=facts, severity=severity)


def add_prices(prices: Iterable[tuple[int, float | None]]) -> float | None:
    """The sum over calls and their price; None where the price of any call is unknown."""
    total = 0.0
    for calls, price in prices:
        if calls and price is None:
            return None
        total += price or 0.0
    return total


def add_plans(plans: Iterable[Sequence[PlanRow]]) -> list[PlanRow]:
    """Plans of several industries added up, task by task."""
    return [add_rows(rows) for rows in zip(*plans, strict=True)]


def add_rows(rows: Sequence[PlanRow]) -> PlanRow:
    """Rows of one task added up."""
    return PlanRow(
        task=rows[0].task,
        model=rows[0].model,
        items=sum(row.items for row in rows),
        estimated=sum(row.estimated for row in rows),
        calls=sum(row.calls for row in rows),
        cached=sum(row.cached for row in rows),
        tokens_in=sum(row.tokens_in for row in rows),
        tokens_out=sum(row.tokens_out for row in rows),
        cost_usd=add_prices([(row.calls, row.cost_usd) for row in rows]),
    )
