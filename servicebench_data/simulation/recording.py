"""What is written down of a conversation while it goes on: the rows of its tables.

Belongs here: from turns and readings to records. Not here: deciding anything, Arrow (`tables.py`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import get_args

from schemas.simulation import (
    Conversation,
    DeclaredAct,
    FactDisclosure,
    FactOpening,
    Flag,
    GateFlagRow,
    MessageRow,
    OfferRow,
    SimulatorFault,
    SimulatorFaultKind,
)
from servicebench_data.simulation.disclosing import Told
from servicebench_data.simulation.patience import State
from servicebench_data.simulation.turns import AgentTurn, CustomerTurn, GateReading

FLAGS: tuple[Flag, ...] = get_args(Flag)


@dataclass
class Log:
    """Rows of one attempt at a conversation.

    Attributes:
        conversation_id: The conversation.
        messages: What was said.
        offers: What the agent offered.
        flags: What the gate saw.
        openings: Facts that were opened.
        disclosures: Facts that came out.
        acts: What the agent declared.
        costs: Price of each answer; None where unknown.
    """

    conversation_id: str
    messages: list[MessageRow] = field(default_factory=list[MessageRow])
    offers: list[OfferRow] = field(default_factory=list[OfferRow])
    flags: list[GateFlagRow] = field(default_factory=list[GateFlagRow])
    openings: list[FactOpening] = field(default_factory=list[FactOpening])
    disclosures: list[FactDisclosure] = field(default_factory=list[FactDisclosure])
    acts: list[DeclaredAct] = field(default_factory=list[DeclaredAct])
    costs: list[float | None] = field(default_factory=list[float | None])

    @property
    def next_index(self) -> int:
        """Place of the next message."""
        return len(self.messages)

    @property
    def exchanges(self) -> int:
        """Pairs of customer and agent message."""
        return sum(row.role == "agent" and bool(row.text) for row in self.messages)

    def add_customer(self, turn: CustomerTurn, state: State, told: Iterable[Told]) -> None:
        """A message of the customer, and the facts that came out with it."""
        self.costs.append(turn.cost_usd)
        self.disclosures += [write_disclosure(self.conversation_id, entry) for entry in told]
        self.messages.append(
            MessageRow(
                conversation_id=self.conversation_id,
                message_index=self.next_index,
                role="customer",
                made_by=turn.made_by,
                text=turn.message,
                reasoning=None,
                decision=turn.decision,
                attitude=state.attitude,
                patience=state.patience,
                tries=turn.tries,
            )
        )

    def add_agent(self, turn: AgentTurn, offers: Iterable[OfferRow]) -> None:
        """A message of the agent, with its offers and acts."""
        index = self.next_index
        self.costs.append(turn.cost_usd)
        self.offers += offers
        self.acts += [
            DeclaredAct(
                conversation_id=self.conversation_id, message_index=index, act_index=number, kind=act.kind,
                about=act.about,
            )
            for number, act in enumerate(turn.acts or ())
        ]  # fmt: skip
        self.messages.append(
            MessageRow(
                conversation_id=self.conversation_id,
                message_index=index,
                role="agent",
                made_by=turn.made_by,
                text=turn.message,
                reasoning=turn.reasoning,
                decision=None,
                attitude=None,
                patience=None,
                tries=turn.tries,
            )
        )

    def add_reading(self, reading: GateReading) -> None:
        """What the gate read in the last message."""
        index = self.next_index - 1
        self.costs.append(reading.cost_usd)
        self.flags += [
            GateFlagRow(
                conversation_id=self.conversation_id, message_index=index, flag=flag, is_set=flag in reading.flags,
                quote=reading.flags.get(flag), made_by=reading.made_by,
            )
            for flag in FLAGS
        ]  # fmt: skip
        self.openings += [
            FactOpening(
                conversation_id=self.conversation_id, message_index=index, fact_id=opening.fact_id,
                opened_by=opening.opened_by, quote=opening.quote, made_by=reading.made_by,
            )
            for opening in reading.openings
        ]  # fmt: skip


def write_disclosure(conversation_id: str, told: Told) -> FactDisclosure:
    """The row of a fact that came out."""
    return FactDisclosure(
        conversation_id=conversation_id,
        fact_id=told.fact.fact_id,
        message_index=told.message_index,
        disclosed_by=told.disclosed_by,
        quote=told.quote,
        is_customer_only=told.fact.is_customer_only,
        is_inferred=told.fact.is_inferred,
    )


@dataclass(frozen=True)
class Slip:
    """A fault of the customer simulator in one try of a message.

    Attributes:
        message_index: The message.
        kind: What went wrong.
        detail: The offending words, or what was missing.
        made_by: Who wrote it.
        is_mended: Whether a later try of the message was free of faults.
    """

    message_index: int
    kind: SimulatorFaultKind
    detail: str
    made_by: str
    is_mended: bool


def write_faults(conversation_id: str, attempts: Iterable[Sequence[Slip]]) -> list[SimulatorFault]:
    """Rows of all faults of a conversation, attempt by attempt."""
    rows: list[SimulatorFault] = []
    for attempt, slips in enumerate(attempts):
        counts: dict[int, int] = {}
        for slip in slips:
            number = counts[slip.message_index] = counts.get(slip.message_index, -1) + 1
            rows.append(
                SimulatorFault(
                    conversation_id=conversation_id,
                    attempt=attempt,
                    message_index=slip.message_index,
                    fault_index=number,
                    kind=slip.kind,
                    detail=slip.detail,
                    made_by=slip.made_by,
                    is_mended=slip.is_mended,
                )
            )
    return rows


@dataclass(frozen=True)
class Played:
    """A conversation that is over.

    Attributes:
        conversation: Its row.
        log: Rows of its last attempt.
        faults: Faults of all attempts.
    """

    conversation: Conversation
    log: Log
    faults: tuple[SimulatorFault, ...]
