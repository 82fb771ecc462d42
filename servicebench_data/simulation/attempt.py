"""One attempt at a conversation: exchanges of messages to an end.

Belongs here: who speaks when, what each sees, what is written down, and when it ends. Not here: how anybody answers
(`agents`, `customer`, `gate`), what patience and acceptance are (`customer/feeling.py`), further attempts (`loop.py`).

The order: the customer's opening; then the agent answers; the gate reads that answer, which opens facts; the customer's
feeling moves; the customer answers, checked for faults and asked again with the reasons. Whether it may accept or
leaves is settled before it answers. What the agent causes is its outcome.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from schemas.experiment import AgentSpec, CustomerSpec
from servicebench_data.simulation.book import OfferBook
from servicebench_data.simulation.chance import draw_seed
from servicebench_data.simulation.customer.acceptance import Move
from servicebench_data.simulation.customer.feeling import Feeling, Table, begin, react
from servicebench_data.simulation.disclosing import FactLedger, OpeningMessage, write_opening
from servicebench_data.simulation.ending import Ending, is_goodbye
from servicebench_data.simulation.faults import Fault, explain_fault, find_faults
from servicebench_data.simulation.patience import Constants, name_exit
from servicebench_data.simulation.plan import Planned
from servicebench_data.simulation.recording import Log, Slip
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.turns import (
    Agent,
    AgentTurn,
    Customer,
    CustomerTurn,
    CustomerView,
    Gate,
    GateReading,
    Said,
    SimulatorError,
)
from servicebench_data.simulation.views import Parts, know_facts, make_wish, show_agent, show_customer

OFFLINE = "offline"
#: Answers asked of the customer for one message.
MOST_TRIES = 3
#: Faults that are counted and harm nothing, for what counts is what the message holds.
HARMLESS = frozenset({"claimed_disclosure", "misread"})


@dataclass(frozen=True)
class Cast:
    """Who plays, and by which rules; shared by conversations.

    Attributes:
        agent: Plays the agent.
        agent_spec: The agent as the experiment names it.
        customer: Plays the customer.
        customer_spec: The customer as the experiment names it.
        gate: Reads the agent's messages.
        gate_model: The gate's model; None for the rules.
        constants: Constants of attitude and patience.
        turn_cap: Most exchanges.
        style_moves: Whether style acts on patience.
    """

    agent: Agent
    agent_spec: AgentSpec
    customer: Customer
    customer_spec: CustomerSpec
    gate: Gate
    gate_model: str | None
    constants: Constants
    turn_cap: int
    style_moves: bool = False


@dataclass(frozen=True)
class Scene:
    """A conversation to be held.

    Attributes:
        planned: Its place in the experiment.
        experiment_id: The experiment.
        parts: The scenario.
        cast: Who plays.
        guidance: Advice for the agent.
    """

    planned: Planned
    experiment_id: str
    parts: Parts
    cast: Cast
    guidance: str = ""

    @property
    def customer_made_by(self) -> str:
        """Who plays the customer."""
        return self.cast.customer_spec.model or OFFLINE


@dataclass
class Attempt:
    """One attempt at a conversation.

    Attributes:
        scene: What is played.
        number: Number of the attempt, from 0.
        seed: Its seed.
        facts: What is known of the facts.
        feeling: How the customer feels.
        log: What is written down.
        book: The agent's offers.
        said: What was said.
        moves: The agent's messages with their flags.
        slips: Faults of the simulator.
    """

    scene: Scene
    number: int
    seed: int = field(init=False)
    facts: FactLedger = field(init=False)
    feeling: Feeling = field(init=False)
    log: Log = field(init=False)
    book: OfferBook = field(init=False)
    said: list[Said] = field(default_factory=list[Said])
    moves: list[Move] = field(default_factory=list[Move])
    slips: list[Slip] = field(default_factory=list[Slip])

    def __post_init__(self) -> None:
        planned, cast, scenario = self.scene.planned, self.scene.cast, self.scene.parts.scenario
        self.seed = planned.seed if self.number == 0 else draw_seed("attempt", planned.seed, self.number)
        self.facts = FactLedger(know_facts(self.scene.parts.facts))
        self.feeling = begin(planned.style, scenario.severity, cast.constants, style_moves=cast.style_moves)
        self.log = Log(planned.conversation_id)
        self.book = OfferBook(planned.conversation_id, scenario.goodwill_limit_usd)

    async def run(self) -> Ending:
        """Play to the end."""
        self.open()
        try:
            for _ in range(self.scene.cast.turn_cap):
                ending = await self.hear_agent() or await self.hear_customer()
                if ending:
                    return ending
        except SimulatorError as error:
            self.log.costs.append(error.cost_usd)
            if error.detail == "simulator_fault":
                self.slips.append(Slip(self.log.next_index, "unanswered", str(error), error.made_by, is_mended=False))
            return Ending(error.detail, str(error))
        return Ending("turn_cap", f"{self.scene.cast.turn_cap} exchanges without an end")

    def open(self) -> None:
        """The customer's first message."""
        opening = find_opening(self.scene.parts, self.facts, self.scene.planned)
        told = self.facts.note(opening.found, 0)
        turn = CustomerTurn(opening.text, tuple(entry.fact.fact_id for entry in told), "continue")
        self.log.add_customer(turn, self.feeling.state, told)
        self.said.append(Said("customer", opening.text))

    async def hear_agent(self) -> Ending | None:
        """The agent's answer, and what it does to facts and feeling."""
        scene, index = self.scene, self.log.next_index
        view = show_agent(scene.parts, scene.guidance, self.said)
        scope = f"{scene.planned.scenario_id}/{scene.planned.conversation_id}/{self.number}/{index}"
        turn = await scene.cast.agent.reply(view, seed=draw_seed("agent", self.seed, index), scope=scope)
        if turn.failure or not turn.message.strip():
            self.log.add_agent(turn, [])
            return Ending(turn.failure or "agent_empty", turn.failure_reason)
        self.log.add_agent(turn, self.book.enter(turn, view.policies, index, self.said[-1].text))
        self.said.append(Said("agent", turn.message))
        self.take_reading(turn, await scene.cast.gate.read(turn.message, self.facts.closed, self.number))
        return None

    def take_reading(self, turn: AgentTurn, reading: GateReading) -> None:
        """Open facts, and let the customer feel."""
        self.log.add_reading(reading)
        self.slips += [
            Slip(self.log.next_index, "misread", omission, reading.made_by, is_mended=False)
            for omission in reading.omissions
        ]
        self.facts.open(reading.openings)
        self.moves.append(Move(turn.message, reading.flags))
        table = Table(make_wish(self.scene.parts.expectation), self.moves, self.book.new, self.book.heard.offers)
        self.feeling = react(self.feeling, table, self.scene.planned.style, self.scene.cast.constants)

    async def hear_customer(self) -> Ending | None:
        """The customer's answer, and whether it ends the conversation."""
        view = show_customer(self.scene.parts, self.facts, self.scene.planned.style, self.said, self.feeling)
        turn = await self.ask_customer(view)
        if turn is None:
            kinds = sorted({slip.kind for slip in self.slips if not slip.is_mended and slip.kind not in HARMLESS})
            return Ending("simulator_fault", ", ".join(kinds))
        told = self.facts.note(find_told(turn.message, self.facts.facts), self.log.next_index)
        self.log.add_customer(turn, self.feeling.state, told)
        self.said.append(Said("customer", turn.message))
        return self.decide(turn)

    async def ask_customer(self, view: CustomerView) -> CustomerTurn | None:
        """A message without lasting faults; None where no try gives one."""
        index, complaints, tries = self.log.next_index, list[str](), list[Sequence[Fault]]()
        for number in range(MOST_TRIES):
            seed = draw_seed("customer", self.seed, index, number)
            try:
                turn = await self.scene.cast.customer.reply(view, seed=seed, complaints=complaints)
            except SimulatorError:
                self.note_faults(tries, self.scene.customer_made_by, is_mended=False)
                raise
            tries.append(find_faults(turn, view, self.facts.closed, self.scene.cast.constants))
            if all(fault.kind in HARMLESS for fault in tries[-1]):
                self.note_faults(tries, turn.made_by, is_mended=True)
                return replace(turn, tries=turn.tries + number)
            self.log.costs.append(turn.cost_usd)
            complaints = [explain_fault(fault) for fault in tries[-1]]
        self.note_faults(tries, self.scene.customer_made_by, is_mended=False)
        return None

    def note_faults(self, tries: Sequence[Sequence[Fault]], made_by: str, *, is_mended: bool) -> None:
        """Write the faults of all tries of a message down; those of a try that was taken were never mended."""
        for number, faults in enumerate(tries, start=1):
            mended = is_mended and number < len(tries)
            self.slips += [Slip(self.log.next_index, fault.kind, fault.detail, made_by, mended) for fault in faults]

    def decide(self, turn: CustomerTurn) -> Ending | None:
        """Whether the customer's answer ends the conversation; what it may decide was settled before it answered."""
        feeling, planned = self.feeling, self.scene.planned
        if turn.decision == "accept":
            return Ending("accepted", "what stands on the table meets the wish")
        if feeling.exit is not None:
            return Ending(feeling.exit, "patience is used up")
        if turn.decision == "leave":
            exit_ = name_exit(feeling.state.attitude, planned.style, self.scene.cast.constants)
            return Ending(exit_, "of its own accord, with little patience left")
        if is_goodbye(turn.message) and is_goodbye(self.said[-2].text):
            return Ending("faded_out", "both took leave without an agreement")
        return None


def find_opening(parts: Parts, facts: FactLedger, planned: Planned) -> OpeningMessage:
    """The first message, with the words that tell facts: those of the source, and whatever else is found in it."""
    text = parts.scenario.opening
    found = {
        fact.fact_id: fact.quote
        for fact in parts.facts
        if fact.disclosure == "opening" and fact.quote and fact.quote in text
    }
    return write_opening(text, facts.facts, {**find_told(text, facts.facts), **found}, planned.disclosure)
