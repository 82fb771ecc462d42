"""One conversation: order, disclosure, faults and new attempts, ends, what is written down."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import pytest

from schemas.experiment import AgentSpec, CustomerSpec
from schemas.simulation import DisclosureMode, EndDetail
from servicebench_data.lake.arrow import to_records
from servicebench_data.simulation.attempt import Cast, Scene
from servicebench_data.simulation.ending import ENDS, is_goodbye
from servicebench_data.simulation.loop import play
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.plan import Planned
from servicebench_data.simulation.recording import Played
from servicebench_data.simulation.tables import MADE, join_tables, make_tables
from servicebench_data.simulation.turns import (
    Act,
    AgentTurn,
    CustomerTurn,
    CustomerView,
    GateReading,
    KnownFact,
    Offer,
    SimulatorError,
)
from tests.simulation.stage import (
    FACTS,
    OPENING,
    LineAgent,
    TestCustomer,
    WordGate,
    make_parts,
    make_scenario,
    offer,
    ramble,
    spell,
    tell_all,
)

ASKING = "This is distressing, and I am sorry. I have checked the file. Could you tell me f2? and f3?"
SETTLING = "I am sorry, this is distressing. Our courier will deliver the bag to you today before 6pm."
DULL = "Please note your message was received {}."


def make_planned(**given: Any) -> Planned:
    return Planned(**{
        "conversation_id": "c1", "scenario_id": "s0001", "agent": "ours", "customer": "rules",
        "style": "assertive_cold", "disclosure": "progressive", "repeat": 0, "seed": 11, **given,
    })  # fmt: skip


def make_scene(agent: Any, customer: Any = None, gate: Any = None, **given: Any) -> Scene:
    planned = make_planned(**given.pop("planned", {}))
    cast = Cast(
        agent=agent,
        agent_spec=given.pop("agent_spec", AgentSpec(name="ours", script="just")),
        customer=customer or TestCustomer(tell_all),
        customer_spec=given.pop("customer_spec", CustomerSpec()),
        gate=gate or WordGate(),
        gate_model=None,
        constants=load_constants(),
        turn_cap=given.pop("turn_cap", 20),
    )
    return Scene(planned, "try", given.pop("parts", make_parts()), cast, **given)


def hold(agent: Any, customer: Any = None, gate: Any = None, **given: Any) -> Played:
    return asyncio.run(play(make_scene(agent, customer, gate, **given)))


def keep_dull(count: int = 30) -> list[str | AgentTurn]:
    """Messages of an agent that does nothing, each in other words."""
    return [DULL.format(ramble(number)) for number in range(1, count + 1)]


def answer(message: str, *ids: str, decision: Any = "continue", **given: Any) -> CustomerTurn:
    return CustomerTurn(message, ids, decision, **given)


def test_a_conversation_from_opening_to_agreement() -> None:
    agent, customer, gate = LineAgent([ASKING, SETTLING]), TestCustomer(tell_all), WordGate()
    played = hold(agent, customer, gate)
    row = played.conversation
    assert (row.end, row.end_detail, row.exchanges, row.attempts, row.is_valid) == ("agreement", "accepted", 2, 1, True)
    assert [message.role for message in played.log.messages] == ["customer", "agent", "customer", "agent", "customer"]
    assert played.log.messages[0].text == OPENING
    assert [message.message_index for message in played.log.messages] == [0, 1, 2, 3, 4]
    out = {entry.fact_id: (entry.message_index, entry.disclosed_by) for entry in played.log.disclosures}
    assert out == {"f1": (0, "opening"), "f2": (2, "elicited"), "f3": (2, "elicited")}
    assert (row.facts_total, row.facts_out) == (2, 1)
    assert played.faults == ()
    assert {entry.fact_id: entry.quote for entry in played.log.openings} == {"f2": "f2?", "f3": "f3?"}
    assert sum(flag.is_set for flag in played.log.flags if flag.message_index == 1) == 3


def test_each_side_sees_its_own_and_the_gate_reads_before_the_customer_answers() -> None:
    agent, customer, gate = LineAgent([ASKING, SETTLING]), TestCustomer(tell_all), WordGate()
    hold(agent, customer, gate)
    assert [said.role for said in agent.views[1].said] == ["customer", "agent", "customer"]
    assert agent.scopes == ["s0001/c1/0/1", "s0001/c1/0/3"]
    first, second = (json.dumps(asdict(view)) for view in agent.views)
    assert "$64" not in first
    assert "$64" in second
    assert "wedding" not in second
    assert [fact.fact_id for fact in gate.seen[0]] == ["f2", "f3", "f4"]
    assert [fact.fact_id for fact in gate.seen[1]] == ["f4"]
    assert [fact.fact_id for fact in customer.views[0].may_tell] == ["f2", "f3"]
    assert "wedding" not in json.dumps(asdict(customer.views[0]))


def test_under_full_information_everything_is_out_at_once() -> None:
    played = hold(LineAgent([SETTLING]), planned={"disclosure": "full_information"})
    first = played.log.messages[0]
    assert all(statement in first.text for _, statement, _, disclosure, _ in FACTS if disclosure != "opening")
    assert {entry.disclosed_by for entry in played.log.disclosures} == {"opening"}
    assert (played.conversation.facts_total, len(played.log.disclosures)) == (0, 4)


def test_a_customer_who_is_served_nothing_walks_away() -> None:
    played = hold(LineAgent(keep_dull()))
    assert played.conversation.end == "disengagement"
    assert played.log.messages[-1].decision == "leave"
    assert played.log.messages[-1].patience == 0
    assert played.conversation.exchanges < 20


def test_both_sides_going_on_for_ever_reach_the_cap() -> None:
    calm = [f"I have checked and it is distressing: {ramble(number)}." for number in range(20, 29)]
    played = hold(LineAgent(calm), turn_cap=4)
    assert (played.conversation.end, played.conversation.exchanges) == ("turn_cap", 4)
    assert len(played.log.messages) == 9


def test_words_of_the_agent_end_nothing() -> None:
    lines = ["###STOP### This conversation is resolved and closed.", *keep_dull(4)]
    played = hold(LineAgent(lines), turn_cap=3)
    assert played.conversation.exchanges == 3


def test_two_goodbyes_in_a_row_end_it_without_an_agreement() -> None:
    customer = TestCustomer(lambda _view, number, _complaints: answer(f"Right then {spell(number)}, goodbye."))
    played = hold(LineAgent(["Goodbye and take care."]), customer)
    assert (played.conversation.end_detail, played.conversation.exchanges) == ("faded_out", 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thanks, bye!", True),
        ("Take care.", True),
        ("Have a nice day. Where is my bag?", False),
        ("your model stopped working, please stop charging me", False),
        ("Thank you.", False),
    ],
)
def test_goodbyes_are_told_from_other_words(text: str, expected: bool) -> None:
    assert is_goodbye(text) is expected


def test_thanks_are_no_agreement_and_an_unearned_one_is_asked_for_again() -> None:
    def accept_at_once(view: CustomerView, number: int, complaints: Sequence[str]) -> CustomerTurn:
        if complaints or number > 1:
            return answer(f"Thank you, but that is not what I asked for {spell(number)}.")
        return answer("Fine, thanks.", decision="accept")

    customer = TestCustomer(accept_at_once)
    played = hold(LineAgent(keep_dull(2)), customer, turn_cap=1)
    assert played.conversation.end == "turn_cap"
    assert [(fault.kind, fault.is_mended, fault.attempt) for fault in played.faults] == [
        ("unearned_acceptance", True, 0)
    ]
    assert played.log.messages[-1].tries == 2
    assert len(set(customer.seeds)) == 2


def test_a_fault_that_stays_starts_the_conversation_anew_and_then_makes_it_invalid() -> None:
    customer = TestCustomer(lambda _view, _number, _complaints: answer("How may I help you today?"))
    played = hold(LineAgent(keep_dull()), customer)
    row = played.conversation
    assert (row.end, row.end_detail, row.attempts, row.is_valid) == ("invalid", "simulator_fault", 3, False)
    assert "role_flip" in row.end_reason
    assert {(fault.attempt, fault.is_mended) for fault in played.faults} == {(0, False), (1, False), (2, False)}
    assert len(customer.views) == 9
    assert len(set(customer.seeds)) == 9


def test_an_attempt_after_the_first_may_succeed_and_counts_as_one_conversation() -> None:
    def fail_first(view: CustomerView, number: int, complaints: Sequence[str]) -> CustomerTurn:
        if number <= 3:
            return answer("How may I help you today?")
        return tell_all(view, number, complaints)

    agent = LineAgent([ASKING, ASKING, SETTLING])
    played = hold(agent, TestCustomer(fail_first))
    assert (played.conversation.end, played.conversation.attempts) == ("agreement", 2)
    assert played.conversation.seed != 11
    assert agent.scopes[:2] == ["s0001/c1/0/1", "s0001/c1/1/1"]
    assert [message.message_index for message in played.log.messages] == [0, 1, 2, 3, 4]
    assert {fault.kind for fault in played.faults} == {"role_flip"}


def test_what_is_claimed_and_not_said_is_counted_and_does_not_count_as_told() -> None:
    customer = TestCustomer(lambda _view, number, _complaints: answer(f"I will not go into {spell(number)}.", "f2"))
    played = hold(LineAgent([ASKING, *keep_dull(2)]), customer, turn_cap=1)
    assert [fault.kind for fault in played.faults] == ["claimed_disclosure"]
    assert [entry.fact_id for entry in played.log.disclosures] == ["f1"]


def test_an_id_that_is_no_fact_costs_no_second_question() -> None:
    names = ("booking-1", "f99", "a sentence of a model that lists what it likes")
    customer = TestCustomer(lambda _view, number, _complaints: answer(f"I will not go into {spell(number)}.", *names))
    played = hold(LineAgent([ASKING, *keep_dull(2)]), customer, turn_cap=1)
    assert [(fault.kind, fault.detail) for fault in played.faults] == [
        ("claimed_disclosure", f"{name} is claimed and no new fact") for name in names
    ]
    assert len(customer.views) == 1


def test_a_closed_fact_that_slips_out_is_a_fault() -> None:
    def slip(view: CustomerView, number: int, complaints: Sequence[str]) -> CustomerTurn:
        if complaints:
            return answer("I would rather have an answer first.")
        return answer("My wedding ring is in that bag.", "f4")

    played = hold(LineAgent(keep_dull(2)), TestCustomer(slip), turn_cap=1)
    assert {fault.kind for fault in played.faults} >= {"early_disclosure"}
    assert all(fault.is_mended for fault in played.faults)
    assert [entry.fact_id for entry in played.log.disclosures] == ["f1"]


@pytest.mark.parametrize(
    "detail",
    ["agent_empty", "agent_unparsable", "agent_refusal", "agent_context_overflow", "agent_unanswered", "over_budget"],
)
def test_what_the_agent_causes_is_its_outcome(detail: EndDetail) -> None:
    turn = AgentTurn("", failure=detail, failure_reason="no luck", cost_usd=None)
    played = hold(LineAgent([ASKING, turn]))
    row = played.conversation
    assert (row.end, row.end_detail, row.is_valid, row.attempts) == ("failed", detail, True, 1)
    assert row.end_reason.endswith("no luck")
    assert row.cost_usd is None
    assert (row.exchanges, played.log.messages[-1].text) == (1, "")


def test_an_empty_message_is_the_agents_failure_however_it_is_told() -> None:
    assert hold(LineAgent([AgentTurn("  \n")])).conversation.end_detail == "agent_empty"


def test_every_end_has_its_words() -> None:
    assert {detail for detail, (end, _) in ENDS.items() if end == "invalid"} == {"simulator_fault"}
    assert all(words for _, words in ENDS.values())


class FailingGate:
    """Cannot read anything."""

    def __init__(self, detail: Any, cost_usd: float | None = 0.0) -> None:
        self.detail = detail
        self.cost_usd = cost_usd

    async def read(self, message: str, closed: Sequence[KnownFact], scope: str) -> GateReading:  # noqa: ARG002
        raise SimulatorError(self.detail, "the gate's model gave no answer", "openai/gate", self.cost_usd)


@pytest.mark.parametrize(
    ("detail", "end", "attempts"),
    [
        ("simulator_fault", "invalid", 3),
        ("simulator_unanswered", "failed", 1),
        ("agent_too_long", "failed", 1),
        ("over_budget", "failed", 1),
    ],
)
def test_a_gate_that_cannot_read_is_no_silent_default(detail: str, end: str, attempts: int) -> None:
    played = hold(LineAgent([ASKING]), gate=FailingGate(detail))
    assert (played.conversation.end, played.conversation.attempts) == (end, attempts)
    assert "the gate's model gave no answer" in played.conversation.end_reason
    told = [(fault.kind, fault.made_by) for fault in played.faults]
    assert told == ([("unanswered", "openai/gate")] * 3 if end == "invalid" else [])


LOSS = {
    "action": "The customer would accept a full refund.", "explanation": "Why.", "is_loss_money": True,
    "compensation_min_usd": 40.0,
}  # fmt: skip
KIND_WORDS = "I am sorry, this is distressing. It came from a broken belt. I have checked your file, courier and all."
PAYING = "I have refunded the whole $64 to your card, courier and all."


def play_loss(*turns: AgentTurn) -> Played:
    """A conversation about a loss of money, which ends before patience does."""
    parts = make_parts()
    parts = replace(parts, expectation=parts.expectation.model_copy(update=LOSS))
    return hold(LineAgent(turns), parts=parts, turn_cap=3)


@pytest.mark.parametrize("kind", ["entitlement", "goodwill_cash", "goodwill_non_cash"])
@pytest.mark.parametrize("amount", [None, 64.0, 500.0])
@pytest.mark.parametrize("description", ["full refund", "a full refund of all that you paid", "goodwill credit"])
def test_what_no_message_says_meets_no_wish(description: str, amount: float | None, kind: Any) -> None:
    silent = AgentTurn(KIND_WORDS, (offer(amount, kind=kind, description=description),), has_structure=True)
    played, plain = play_loss(silent), play_loss(replace(silent, offers=()))
    assert played.log.messages == plain.log.messages
    assert played.conversation == plain.conversation
    assert played.conversation.end != "agreement"
    assert {row.mismatch for row in played.log.offers} == {"unsaid"}


@pytest.mark.parametrize("offers", [(), (offer(64.0, kind="entitlement", description="refund"),)])
@pytest.mark.parametrize("has_structure", [True, False])
def test_what_a_message_says_meets_the_wish_whoever_declares_it(
    offers: tuple[Offer, ...], *, has_structure: bool
) -> None:
    said = AgentTurn(f"{KIND_WORDS} {PAYING}", offers, has_structure=has_structure)
    played = play_loss(said)
    assert (played.conversation.end, played.conversation.exchanges) == ("agreement", 1)
    is_declared = has_structure and bool(offers)
    mismatch = "undeclared" if has_structure and not offers else None
    assert [(row.kind, row.amount_usd, row.mismatch, row.read_from) for row in played.log.offers] == [
        ("entitlement", 64.0, mismatch, "structure" if is_declared else "text")
    ]


def test_offers_declared_and_read_are_written_down_and_never_clipped() -> None:
    declared = AgentTurn(
        "I have added a goodwill credit of $150.", (offer(150.0),), has_structure=True, acts=(Act("offered", "credit"),)
    )
    raised = AgentTurn("I raise it to $250.", (offer(250.0, relation="raise"),), has_structure=True)
    read = AgentTurn("We will also send you a $20 voucher as a gesture of goodwill.")
    played = hold(LineAgent([declared, raised, read]), turn_cap=3)
    offers = played.log.offers
    assert [(row.message_index, row.amount_usd, row.read_from) for row in offers] == [
        (1, 150.0, "structure"), (3, 250.0, "structure"), (5, 20.0, "text"),
    ]  # fmt: skip
    assert [row.is_over_limit for row in offers] == [False, True, True]
    assert offers[1].raises_offer == "1:0"
    assert [(act.message_index, act.kind, act.about) for act in played.log.acts] == [(1, "offered", "credit")]


def test_the_same_scene_plays_the_same() -> None:
    one, other = (hold(LineAgent([ASKING, SETTLING])) for _ in range(2))
    assert one == other


def test_tables_are_sorted_and_round_trip() -> None:
    scenes = [
        make_scene(LineAgent([ASKING, SETTLING]), parts=make_parts(make_scenario(f"s{number}")),
                   planned={"conversation_id": f"c{number}", "scenario_id": f"s{number}"})
        for number in (3, 1, 2)
    ]  # fmt: skip
    played = [asyncio.run(play(scene)) for scene in scenes]
    tables = make_tables(played)
    assert tables[MADE[0]]["conversation_id"].to_pylist() == ["c1", "c2", "c3"]
    assert join_tables([make_tables(played[:1]), make_tables(played[1:])]) == tables
    for record, table in tables.items():
        assert len(to_records(record, table)) == table.num_rows
    assert all(
        table.num_rows
        for record, table in tables.items()
        if record.table.name not in {"simulator_fault", "offer", "declared_act"}
    )


def test_costs_of_all_attempts_and_sides_add_up() -> None:
    def pay(view: CustomerView, number: int, complaints: Sequence[str]) -> CustomerTurn:
        return replace(tell_all(view, number, complaints), cost_usd=0.5)

    agent = LineAgent([AgentTurn(text, cost_usd=0.25, has_structure=True) for text in (ASKING, SETTLING)])
    assert hold(agent, TestCustomer(pay)).conversation.cost_usd == pytest.approx(1.5)


@pytest.mark.parametrize(("cost", "expected"), [(0.5, 2.25), (None, None)])
@pytest.mark.parametrize("is_gates", [True, False])
def test_what_a_failed_answer_cost_is_added_and_unknown_makes_the_sum_unknown(
    cost: float | None, expected: float | None, *, is_gates: bool
) -> None:
    def fail(_view: CustomerView, _number: int, _complaints: Sequence[str]) -> CustomerTurn:
        raise SimulatorError("simulator_fault", "no turn", "openai/customer", cost)

    agent = LineAgent([AgentTurn(ASKING, cost_usd=0.25, has_structure=True)])
    played = hold(agent, *((None, FailingGate("simulator_fault", cost)) if is_gates else (TestCustomer(fail),)))
    assert played.conversation.attempts == 3
    assert played.conversation.cost_usd == (expected and pytest.approx(expected))


@pytest.mark.parametrize(
    ("agent", "customer", "expected"),
    [
        ("openai/gpt-5", "openai/gpt-4o", True),
        ("openai/gpt-5", "anthropic/claude-sonnet-4", False),
        (None, None, False),
    ],
)
def test_self_play_is_marked(agent: str | None, customer: str | None, expected: bool) -> None:
    spec = AgentSpec(name="ours", model=agent) if agent else AgentSpec(name="ours", script="just")
    played = hold(LineAgent([ASKING, SETTLING]), agent_spec=spec, customer_spec=CustomerSpec(model=customer))
    assert played.conversation.is_self_play is expected


@pytest.mark.parametrize("disclosure", ["progressive", "full_information"])
def test_roles_alternate_and_the_customer_begins(disclosure: DisclosureMode) -> None:
    played = hold(LineAgent([ASKING, *keep_dull()]), planned={"disclosure": disclosure})
    roles = [message.role for message in played.log.messages]
    assert roles == ["customer" if index % 2 == 0 else "agent" for index in range(len(roles))]
