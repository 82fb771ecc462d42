"""An agent that is a model, or an endpoint that speaks OpenAI's chat format: one question a turn, over the ledger.

Belongs here: what is asked, the one retry for form, and how failures are named. Not here: the texts of the prompt (the
Markdown files beside this module), the form of an answer (`answers.py`).

The company's policies, the limit and the case record are always there. An answer that has the wrong form is asked for
once more; what it says is never corrected, and no other model stands in. What the agent fails at is its outcome.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel

from schemas.experiment import AgentSpec, Reasoning
from schemas.simulation import EndDetail
from servicebench_data.models.answers import PlainText
from servicebench_data.models.prompts import Prompt, load_prompt
from servicebench_data.models.request import Message
from servicebench_data.models.task import Failure, How, Item, Outcome, Task
from servicebench_data.simulation.agents.answers import ANSWERS, AgentAnswer, make_offers
from servicebench_data.simulation.agents.texts import FOLDER, read_text
from servicebench_data.simulation.turns import AgentTurn, AgentView, Asker, PolicyView

TASK = "agent"
FAILURES: Mapping[Failure, EndDetail] = {
    "empty": "agent_empty",
    "refusal": "agent_refusal",
    "unparsable": "agent_unparsable",
    "invalid": "agent_unparsable",
    "context_overflow": "agent_context_overflow",
    "unanswered": "agent_unanswered",
    "over_budget": "over_budget",
}
#: What is asked once more: the form was wrong. A refusal is an answer.
FORMAL: frozenset[Failure] = frozenset({"empty", "unparsable"})
WITH_FORM_RETRY = 2


@dataclass(frozen=True)
class ModelAgent:
    """Asks a model for each turn.

    Attributes:
        asker: The way to the model.
        spec: The agent as the experiment names it.
        conduct: How it is to conduct itself: the bundled text, or the experiment's own file.
        item_id: What the ledger forgets the calls by: the scenario.
    """

    asker: Asker
    spec: AgentSpec
    conduct: str
    item_id: str

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:
        """The next message, or why there is none."""
        how = make_how(self.spec, seed, scope)
        variables = describe(view, self.spec, self.conduct)
        if self.spec.answers == "text":
            return read_plain(await self.ask(PlainText, view, variables, how))
        return read_structured(await self.ask(ANSWERS[self.spec.reasoning], view, variables, how))

    async def ask(self, answer: type["Any"], view: AgentView, variables: Mapping[str, str], how: How) -> Outcome[Any]:
        """What came of asking, with one retry where the form was wrong; the ledger answers the first try again."""
        task = make_task(answer)
        item = Item[Any](self.item_id, variables, accept, list_history(view), "after")
        outcome = await self.asker.ask(task, item, how)
        if outcome.failure in FORMAL:
            return await self.asker.ask(task, item, replace(how, max_tries=WITH_FORM_RETRY))
        return outcome


def accept(answer: BaseModel) -> Sequence[str]:  # noqa: ARG001  (the form of a check)
    """Nothing but the form is checked: an evaluated agent gets no help."""
    return ()


@cache
def make_task(answer: type[Any]) -> Task[Any]:
    """The task of one agent turn."""
    return Task(TASK, load_agent_prompt(), answer)


@cache
def load_agent_prompt() -> Prompt:
    """The prompt of all agents."""
    return load_prompt(FOLDER / "agent.md")


def make_how(spec: AgentSpec, seed: int, scope: str) -> How:
    """How a turn is asked: one try, with the agent's own sampling."""
    parameters: dict[str, Any] = {"max_tokens": spec.max_tokens, **spec.parameters}
    if spec.temperature is not None:
        parameters["temperature"] = spec.temperature
    return How(str(spec.model), seed, scope, spec.api_base, parameters, max_tries=1)


def describe(view: AgentView, spec: AgentSpec, conduct: str) -> dict[str, str]:
    """Variables of the prompt: the view, our texts, and nothing else."""
    return {
        "brand": view.brand,
        "industry": view.industry,
        "conduct": conduct,
        "policies": "\n".join(tell_policy(policy) for policy in view.policies) or "(none applies)",
        "goodwill_limit": f"{view.goodwill_limit_usd:g}",
        "reasoning": read_reasoning(spec.reasoning),
        "form": read_text("form_text" if spec.answers == "text" else "form_structured"),
        "case_record": view.case_record,
        "guidance": view.guidance,
    }


def read_reasoning(strategy: Reasoning) -> str:
    """How the agent is told to think; nothing for the direct one."""
    return read_text(f"reasoning/{strategy}")


def tell_policy(policy: PolicyView) -> str:
    """A policy on one line."""
    limit = f", up to USD {policy.entitlement_limit_usd:g}" if policy.entitlement_limit_usd else ""
    gives = f" Gives: {policy.entitlement_kind}{limit}." if policy.entitlement_kind else ""
    return f"- [{policy.policy_id}] {policy.title}. {policy.text}{gives}"


def list_history(view: AgentView) -> tuple[Message, ...]:
    """The conversation as the agent's model sees it: its own messages are the assistant's."""
    roles = {"agent": "assistant", "customer": "user"}
    return tuple({"role": roles[said.role], "content": said.text} for said in view.said)


def read_structured(outcome: Outcome[AgentAnswer]) -> AgentTurn:
    """The turn of a structured answer."""
    answer = outcome.answer
    if answer is None:
        return fail(outcome)
    if not answer.message.strip():
        return replace(fail(outcome), failure="agent_empty", failure_reason="the message has no words")
    turn = begin_turn(outcome, answer.message)
    thoughts = "\n".join(answer.list_thoughts()).strip()
    return replace(turn, offers=make_offers(answer.offers), has_structure=True, reasoning=thoughts or None)


def read_plain(outcome: Outcome[PlainText]) -> AgentTurn:
    """The turn of an answer in plain text; its offers are read from its words."""
    return begin_turn(outcome, outcome.answer.text) if outcome.answer else fail(outcome)


def begin_turn(outcome: Outcome[Any], message: str) -> AgentTurn:
    """A turn with a message."""
    return AgentTurn(message.strip(), tries=outcome.tries, cost_usd=outcome.cost_usd, made_by=outcome.model)


def fail(outcome: Outcome[Any]) -> AgentTurn:
    """A turn without a message, and why."""
    failure = FAILURES[outcome.failure or "unanswered"]
    reason = "; ".join(outcome.reasons) or "no reason was given"
    turn = begin_turn(outcome, "")
    return replace(turn, failure=failure, failure_reason=reason, tries=max(outcome.tries, 1))
