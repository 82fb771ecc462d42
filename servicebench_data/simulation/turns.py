"""What passes between the parts of a conversation: views, turns, readings.

Belongs here: plain values that customer, agent, gate and loop hand each other. Not here: how any of them is made.
Three views are all that prompts may be built from: the customer's and the agent's here, the judge's in `judging`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel

from schemas.industry import FactKind
from schemas.scenarios import Disclosure
from schemas.simulation import (
    ActKind,
    Decision,
    EndDetail,
    Flag,
    OfferKind,
    OfferMismatch,
    OfferRelation,
    OpenedBy,
    Role,
    Style,
)
from servicebench_data.models.deeds import Deed
from servicebench_data.models.task import How, Item, Outcome, Task

A = TypeVar("A", bound=BaseModel)
#: What a customer needs before it can agree.
Need = Literal["hearing", "action", "explanation", "apology", "money"]


@dataclass(frozen=True)
class KnownFact:
    """A fact as the harness knows it.

    Attributes:
        fact_id: Id within the scenario.
        kind: What sort of fact.
        statement: As the customer would say it.
        value: Its bare value, where it has one.
        disclosure: How it comes out.
        is_customer_only: Whether the company's systems cannot know it.
        is_inferred: Whether it is not in the source.
    """

    fact_id: str
    kind: FactKind
    statement: str
    value: str | None
    disclosure: Disclosure
    is_customer_only: bool
    is_inferred: bool


@dataclass(frozen=True)
class Said:
    """A message as anybody in the conversation sees it."""

    role: Role
    text: str


@dataclass(frozen=True)
class Wish:
    """What would put it right, as the customer feels it.

    Attributes:
        action: What is to be done.
        explanation: What is to be explained; None where nothing.
        apology: The apology that would count; None where none is looked for.
        min_usd: Least goodwill that would satisfy, USD.
        max_usd: Most that is hoped for, USD.
        insult: What would make it worse.
        is_loss_money: Whether no outcome without money is acceptable.
    """

    action: str
    explanation: str | None
    apology: str | None
    min_usd: float
    max_usd: float
    insult: str
    is_loss_money: bool


@dataclass(frozen=True)
class CustomerView:
    """All that a customer's prompt may be built from, at one turn.

    Attributes:
        brand: Company that is written to.
        style: How the customer communicates.
        told: Facts that are out.
        may_tell: Facts that this turn may disclose; nothing else that is closed is here in any form.
        background: Sentences of the background that tell only facts of `told` and `may_tell`.
        wish: What would put it right.
        said: The conversation so far.
        attitude: 0 calm to 4 hostile.
        patience: What is left of it; at 0 the customer leaves.
        may_accept: Whether what stands on the table meets the wish, so that accepting is open.
        is_last_straw: Whether the customer leaves with this message.
        missing: What it still needs before it can agree.
        exit: How it leaves, where this is the last straw.
    """

    brand: str
    style: Style
    told: tuple[KnownFact, ...]
    may_tell: tuple[KnownFact, ...]
    background: tuple[str, ...]
    wish: Wish
    said: tuple[Said, ...]
    attitude: int
    patience: float
    may_accept: bool
    is_last_straw: bool
    missing: tuple[Need, ...] = ()
    exit: EndDetail | None = None


@dataclass(frozen=True)
class PolicyView:
    """A policy as the agent reads it."""

    policy_id: str
    title: str
    text: str
    entitlement_kind: str | None
    entitlement_limit_usd: float | None


@dataclass(frozen=True)
class AgentView:
    """All that an agent's prompt may be built from, at one turn: nothing that only the customer knows.

    Attributes:
        brand: Company that the agent works for.
        industry: Its industry's title.
        case_record: The record as the agent sees it, one field a line; stale fields as they are on file.
        policies: Policies that apply.
        goodwill_limit_usd: Most goodwill in all, USD.
        guidance: Advice that the experiment adds; empty for none.
        said: The conversation so far; the customer's message comes last.
    """

    brand: str
    industry: str
    case_record: str
    policies: tuple[PolicyView, ...]
    goodwill_limit_usd: float
    guidance: str
    said: tuple[Said, ...]


@dataclass(frozen=True)
class Offer:
    """An offer as an agent's message makes it.

    Attributes:
        kind: Owed by policy, or goodwill.
        relation: New, a raise that replaces, or an addition.
        amount_usd: Worth in USD; None where it has no amount.
        policy_id: Policy that it rests on.
        description: What is offered.
        quote: Words of the message that make it; empty where only the structure says it.
        read_from: Declared by the agent, or read from its text.
        mismatch: Where declaration and text differ; see `OfferRow`.
    """

    kind: OfferKind
    relation: OfferRelation
    amount_usd: float | None
    policy_id: str | None
    description: str
    quote: str = ""
    read_from: Literal["structure", "text"] = "structure"
    mismatch: OfferMismatch | None = None


@dataclass(frozen=True)
class Act:
    """An act that an agent declares with its message."""

    kind: ActKind
    about: str = ""


@dataclass(frozen=True)
class AgentTurn:
    """What an agent answered.

    Attributes:
        message: What it says to the customer; empty where `failure` is set.
        offers: Offers that it declared; those that its text makes are read later.
        has_structure: Whether the answer came with a structure, so that no declared offer means none was declared.
        acts: Acts that it declared; None for an agent that declares none.
        reasoning: Its thoughts apart from the message.
        failure: Why there is no message.
        failure_reason: The same in words.
        tries: Answers asked for.
        cost_usd: Price; None where unknown.
        made_by: Model, callable or endpoint; `offline` for a script.
    """

    message: str
    offers: tuple[Offer, ...] = ()
    has_structure: bool = False
    acts: tuple[Act, ...] | None = None
    reasoning: str | None = None
    failure: EndDetail | None = None
    failure_reason: str = ""
    tries: int = 1
    cost_usd: float | None = 0.0
    made_by: str = "offline"


@dataclass(frozen=True)
class CustomerTurn:
    """What a customer answered.

    Attributes:
        message: What it says.
        claimed_fact_ids: Facts that it says it disclosed; what counts is what the message holds.
        decision: Continue, accept or leave.
        tries: Answers asked for.
        cost_usd: Price; None where unknown.
        made_by: Model; `offline` for the rules.
    """

    message: str
    claimed_fact_ids: tuple[str, ...]
    decision: Decision
    tries: int = 1
    cost_usd: float | None = 0.0
    made_by: str = "offline"


@dataclass(frozen=True)
class Opening:
    """A closed fact that an agent's message opens, with the words that do it."""

    fact_id: str
    opened_by: OpenedBy
    quote: str


@dataclass(frozen=True)
class GateReading:
    """What the gate read in one agent message.

    Attributes:
        flags: Quote of each flag that is set; a flag without one is not set.
        openings: Facts that it opens, at most one entry each.
        made_by: Model; `offline` for the rules.
        cost_usd: Price; None where unknown.
        omissions: What was left out of the model's answer, each with why; its words stay out of flags and openings.
    """

    flags: Mapping[Flag, str]
    openings: tuple[Opening, ...]
    made_by: str = "offline"
    cost_usd: float | None = 0.0
    omissions: tuple[str, ...] = ()


class SimulatorError(RuntimeError):
    """Customer or gate could not answer; the message says why, without any text of the conversation.

    Attributes:
        detail: How it ends the conversation; after a `simulator_fault` it starts anew or is invalid.
        made_by: Model that gave no answer.
        cost_usd: Price of what it answered; None where unknown.
    """

    def __init__(self, detail: EndDetail, message: str, made_by: str, cost_usd: float | None) -> None:
        super().__init__(message)
        self.detail: EndDetail = detail
        self.made_by = made_by
        self.cost_usd = cost_usd


class Asker(Protocol):
    """Asks within a running loop; every call goes through the doorway and its ledger."""

    async def ask(self, task: Task[A], item: Item[A], how: How) -> Outcome[A]:
        """The checked answer, or the reasons why there is none."""
        ...

    async def do_once(self, deed: Deed, do: Callable[[], Awaitable[str]]) -> str:
        """What a callable answers, as text: done once, and from then on read from the ledger."""
        ...


class Gate(Protocol):
    """Reads an agent's message, before the customer answers it; knows neither agent nor style."""

    async def read(self, message: str, closed: Sequence[KnownFact], attempt: int = 0) -> GateReading:
        """Flags with quotes, and the closed facts that this message asks for or earns.

        Args:
            message: The message.
            closed: Facts that are neither out nor may be told.
            attempt: Number of the attempt at the conversation, so that a model is not asked in vain again.

        Raises:
            SimulatorError: It could not be read.
        """
        ...


class Customer(Protocol):
    """Plays the customer."""

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        """The next message; `complaints` say what was wrong with the last try of the same turn.

        Raises:
            SimulatorError: None came.
        """
        ...


class Agent(Protocol):
    """Plays the company's agent."""

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:
        """The next message."""
        ...
