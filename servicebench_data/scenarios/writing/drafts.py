"""A scenario while it is being written: what is there so far, who wrote it, and what it cost.

Belongs here: how a draft begins, grows, fails and is finished. Not here: any task.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pydantic import BaseModel

from schemas.models import TaskFailure
from schemas.scenarios import RejectionReason
from servicebench_data.models.prices import add_costs
from servicebench_data.models.task import Outcome
from servicebench_data.scenarios.assembly import make_candidate, verify
from servicebench_data.scenarios.case_record import list_policies
from servicebench_data.scenarios.evidence import Evidence, gather
from servicebench_data.scenarios.grounding import list_opening
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source
from servicebench_data.scenarios.reading import SourceTurn

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True)
class Draft:
    """A scenario in the making.

    Attributes:
        source: Its dialogue with its coding.
        knowledge: Its industry.
        chance: Seed and rate of the stale fields.
        opening: The customer's turns before the account's first reply.
        said: What the whole dialogue says.
        parts: The parts so far.
        models: Models that answered, in the order of the tasks.
        costs: What each task's calls cost in USD; None where unknown.
        omissions: Why parts of accepted answers were left out, by task.
    """

    source: Source
    knowledge: Knowledge
    chance: Chance
    opening: tuple[SourceTurn, ...]
    said: Evidence
    parts: Parts
    models: tuple[str, ...] = ()
    costs: tuple[float | None, ...] = ()
    omissions: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether it is still worth a call."""
        return self.parts.candidate.rejection_reason is None

    @property
    def turns(self) -> dict[int, SourceTurn]:
        """All turns by number."""
        return {turn.turn_index: turn for turn in self.source.turns}

    @property
    def brand(self) -> str:
        """The company's name, or what to call it where the account is not known."""
        return self.knowledge.name_brand(self.source.account)

    def gather(self, texts: Sequence[str]) -> Evidence:
        """What the given texts say, brands known."""
        return gather(texts, self.knowledge.brands.values())


def begin(source: Source, knowledge: Knowledge, chance: Chance) -> Draft:
    """An empty draft; rejected at once where the account never replied, so that no call is made for it."""
    reason: RejectionReason | None = None if source.has_reply else "no_company_reply"
    return Draft(
        source=source,
        knowledge=knowledge,
        chance=chance,
        opening=tuple(list_opening(source.turns)),
        said=gather([turn.text for turn in source.turns], knowledge.brands.values()),
        parts=Parts(candidate=make_candidate(source, knowledge, [], reason)),
    )


def take_answer(draft: Draft, parts: Parts, outcome: Outcome[A], reason: RejectionReason | None) -> Draft:
    """The draft with the rows of an answer, rejected where they do not make a scenario."""
    return close(spend(replace(draft, parts=parts), outcome), reason)


def note_omissions(draft: Draft, task: str, outcome: Outcome[A]) -> Draft:
    """The draft with why parts of an accepted answer were left out."""
    return replace(draft, omissions=(*draft.omissions, *(f"{task}: {reason}" for reason in outcome.reasons)))


def take_failure(draft: Draft, task: str, outcome: Outcome[A]) -> Draft:
    """The draft of which a task failed; what was written before stays, for it was paid for and a person may go on."""
    failure = TaskFailure(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=outcome.model,
        task=task,
        status="unanswered" if outcome.status == "answered" else outcome.status,
        reasons=list(outcome.reasons),
        raw_answer=outcome.raw_answer,
        tries=outcome.tries,
    )
    return close(spend(replace(draft, parts=replace(draft.parts, failure=failure)), outcome), "task_failed")


def spend(draft: Draft, outcome: Outcome[A]) -> Draft:
    """The draft with an outcome's model and cost added."""
    return replace(draft, models=(*draft.models, outcome.model), costs=(*draft.costs, outcome.cost_usd))


def close(draft: Draft, reason: RejectionReason | None) -> Draft:
    """The draft, rejected if there is a reason."""
    if reason is None:
        return draft
    candidate = draft.parts.candidate.model_copy(update={"is_valid": False, "rejection_reason": reason})
    return replace(draft, parts=replace(draft.parts, candidate=candidate))


def finish(draft: Draft, version: str) -> Parts:
    """All parts of a draft, checked as those of the rules are; a draft that no model touched stays `offline`."""
    if not draft.models:
        return draft.parts
    facts = draft.parts.facts
    candidate = draft.parts.candidate.model_copy(
        update={
            "made_by": ", ".join(dict.fromkeys(draft.models)),
            "rules_version": version,
            "cost_usd": add_costs(draft.costs),
            "omissions": list(draft.omissions),
            "fact_count": len(facts),
            "customer_only_count": sum(fact.is_customer_only for fact in facts),
        }
    )
    if not draft.is_open:
        return replace(draft.parts, candidate=candidate)
    policies = list_policies(draft.knowledge.industry, draft.source.category_id, draft.source.scenario_id)
    return verify(replace(draft.parts, candidate=candidate, case_policies=policies), draft.source, draft.knowledge)
