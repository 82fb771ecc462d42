"""How conversations end: decided by code from structured fields, never by a word of the agent.

Belongs here: ends, their reasons in words, what ends it where customer or gate get no answer, and what counts as a
goodbye. Not here: when patience is used up (`patience.py`), whether an offer is enough (`customer/acceptance.py`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from schemas.simulation import End, EndDetail
from servicebench_data.models.task import Failure, Item, Outcome, Task
from servicebench_data.simulation.turns import SimulatorError

#: Longest message that can be a goodbye and nothing else, in words.
GOODBYE_WORDS = 30
GOODBYE = re.compile(
    r"\b(?:good ?bye|bye(?: now| for now)?|take care|have a (?:good|great|nice|lovely|wonderful) (?:day|one|evening|"
    r"night|weekend|rest of)|so long|farewell|all the best|speak soon|talk soon)\b",
    re.IGNORECASE,
)

ENDS: dict[EndDetail, tuple[End, str]] = {
    "accepted": ("agreement", "the customer accepted what stands on the table"),
    "left": ("disengagement", "the customer left"),
    "third_party": ("disengagement", "the customer turned to a third party"),
    "faded_out": ("disengagement", "the customer faded out"),
    "turn_cap": ("turn_cap", "the most exchanges were reached"),
    "simulator_fault": ("invalid", "the simulator failed in every attempt"),
    "agent_empty": ("failed", "the agent said nothing"),
    "agent_unparsable": ("failed", "the agent's answer had no readable form"),
    "agent_refusal": ("failed", "the agent refused to answer"),
    "agent_context_overflow": ("failed", "the conversation was too long for the agent"),
    "agent_too_long": ("failed", "the agent wrote too much for the simulator to read"),
    "agent_unanswered": ("failed", "no answer came from the agent"),
    "simulator_unanswered": ("failed", "no answer came from the customer's or the gate's endpoint"),
    "over_budget": ("failed", "a cap on spending stopped it"),
}
#: What may come out otherwise on another day; a rerun takes these up again.
PASSING: frozenset[EndDetail] = frozenset({"agent_unanswered", "simulator_unanswered", "over_budget"})
#: What ends a conversation where no answer came for customer or gate; any other failure is a fault of theirs.
SILENCES: Mapping[Failure | None, EndDetail] = {"unanswered": "simulator_unanswered", "over_budget": "over_budget"}


@dataclass(frozen=True)
class Ending:
    """How a conversation ended.

    Attributes:
        detail: How exactly.
        more: What more there is to say, in words for a person.
    """

    detail: EndDetail
    more: str = ""

    @property
    def end(self) -> End:
        """How it ended."""
        return ENDS[self.detail][0]

    @property
    def reason(self) -> str:
        """Why, in words for a person."""
        said = ENDS[self.detail][1]
        return f"{said}: {self.more}" if self.more else said


def explain_silence(task: Task[Any], item: Item[Any], outcome: Outcome[Any], heard: int) -> SimulatorError:
    """Why customer or gate have no answer, with what was paid for it.

    A question that is too long for the model is the agent's doing where the agent's words are more than half of it. Our
    definition.

    Args:
        task: What was asked.
        item: About what.
        outcome: What came of it.
        heard: Characters of the agent's in the question.
    """
    rendered = task.prompt.render(item.variables)
    is_agents = 2 * heard > len(rendered.system) + len(rendered.user)
    detail = SILENCES.get(outcome.failure, "simulator_fault")
    if outcome.failure == "context_overflow" and is_agents:
        detail = "agent_too_long"
    kind, tries = outcome.failure or outcome.status, outcome.tries
    words = f"the {task.name}'s model {outcome.model!r} gave nothing that passed ({kind}) after {tries} tries"
    return SimulatorError(detail, words, outcome.model, outcome.cost_usd)


def is_final(conversations: pa.Table) -> bool:
    """Whether no conversation ended for a reason that may be gone on another day."""
    return PASSING.isdisjoint(conversations["end_detail"].to_pylist())


def is_goodbye(text: str) -> bool:
    """Whether a message takes leave and asks or offers nothing further."""
    return "?" not in text and len(text.split()) <= GOODBYE_WORDS and GOODBYE.search(text) is not None
