"""What the gate reads in one message by rules, and which closed facts that opens."""

import asyncio
from collections.abc import Sequence
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.simulation import Flag
from servicebench_data.simulation.gate.opening import open_facts
from servicebench_data.simulation.gate.rules import RulesGate, see
from servicebench_data.simulation.gate.spelling import respell_message
from servicebench_data.simulation.turns import GateReading, KnownFact

FLAGS: tuple[Flag, ...] = get_args(Flag)
BOOKING = KnownFact("f1", "booking_reference", "My booking is [booking-1].", "[booking-1]", "when_asked", False, False)
WAIT = KnownFact("f2", "duration", "I waited two hours at the desk.", "two hours", "when_asked", True, False)
TOLD = KnownFact("f3", "staff_statement", "The clerk told me to come back.", None, "when_asked", True, False)
HURT = KnownFact("f4", "impact", "I missed my sister's wedding.", None, "when_heard", True, False)
PHONE = KnownFact("f5", "contact", "You can reach me at [phone-1].", "[phone-1]", "when_asked", False, False)
CLOSED = (BOOKING, WAIT, TOLD, HURT, PHONE)
SORRY = "I am so sorry that you had to stand at that desk for two hours. Which booking was it?"

pieces = st.sampled_from(
    [
        "Sorry about the delay.",
        "I'm sorry, but we can't refund it.",
        "You were left without your bag for three days, that is awful.",
        "What happened?",
        "Order no? pls ^AB",
        "I have opened a trace; it'll be with you by 6pm.",
        "Please provide:\n- your booking reference\n* the date you flew",
        "You should've read the terms!",
        'You wrote "worst trip ever" 🙁 Hm.',
        "“Quoted” – and &c. [booking-1] £11.40…",
    ]
)


def read(message: str, closed: Sequence[KnownFact] = CLOSED) -> GateReading:
    return asyncio.run(RulesGate().read(message, closed))


def list_opened(message: str) -> dict[str, str]:
    return {opening.fact_id: opening.opened_by for opening in read(message).openings}


@pytest.mark.parametrize(
    ("message", "flags"),
    [
        ("Sorry for the inconvenience.", {"apologises"}),
        ("Sorry, but we cannot change that.", {"provokes"}),
        ("I am sorry if anything we did upset you.", set()),
        ("My colleague has already apologised to you.", set()),
        ("We understand your frustration.", set()),
        ("Three nights without your suitcase, that must be exhausting.", {"acknowledges_harm"}),
        ("If you were inconvenienced, we apologise.", set()),
        ("How can I help you today?", set()),
        ("Could you tell me which flight you were on?", {"checks_facts"}),
        ("I have pulled up your booking and can see two charges.", {"checks_facts"}),
        ("We will do our best.", set()),
        ("I have refunded the fee to your card, you will see it by Friday.", {"offers_path"}),
        ("We can look into whether a credit is possible.", set()),
        ("Please DM us.", set()),
        ("You should have checked the bag before you left.", {"provokes"}),
        ("I can't refund the fare, but I have booked you a seat on the 7:15 tomorrow.", {"offers_path"}),
        ("Per our policy there are no refunds. Nothing we can do.", {"provokes"}),
        ("Oh, so sorry that your precious suitcase took a holiday.", {"provokes"}),
    ],
)
def test_a_message_sets_the_flags_of_the_guide(message: str, flags: set[str]) -> None:
    assert set(read(message).flags) == flags


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("What is your confirmation number?", {"f1"}),
        ("pls send ur booking ref", {"f1"}),
        ("How long did you wait at the desk, and what did they tell you there?", {"f2", "f3"}),
        ("How long have you been a member with us?", set()),
        ("What number can we reach you on?", {"f5"}),
        ("Please provide the following:\n1. Booking reference\n2. A phone number", {"f1", "f5"}),
        ("Did you even read the terms?", set()),
        ("I will ask the clerk what he told you.", set()),
        ("Have your booking number ready when you call.", set()),
    ],
)
def test_a_question_asks_for_the_facts_that_answer_it(message: str, asked: set[str]) -> None:
    assert set(see(message, CLOSED).asked) == asked


def test_an_open_question_opens_the_first_two_that_come_out_when_asked() -> None:
    assert list_opened("What happened?") == {"f1": "open_question", "f2": "open_question"}


def test_what_is_asked_for_is_not_counted_against_an_open_question() -> None:
    opened = list_opened("What happened? And what is your booking reference?")
    assert opened == {"f1": "asked", "f2": "open_question", "f3": "open_question"}


def test_a_customer_who_is_taken_seriously_opens_up() -> None:
    assert list_opened(SORRY) == {"f1": "asked", "f4": "earned"}


def test_a_provocation_in_the_same_message_undoes_it() -> None:
    assert "f4" not in list_opened(f"{SORRY} You should have come earlier, though.")


def test_asking_alone_does_not_open_what_must_be_earned() -> None:
    message = "Did you miss anything because of it?"
    assert "f4" in see(message, CLOSED).asked
    assert "f4" not in list_opened(message)


def test_facts_of_one_statement_open_together() -> None:
    twin = KnownFact("f6", "place", WAIT.statement, "desk", "when_asked", True, False)
    openings = open_facts([WAIT, twin], {}, {"f6": "Where?"}, None)
    assert [opening.fact_id for opening in openings] == ["f2", "f6"]


@given(st.lists(pieces, min_size=1, max_size=5).map(" ".join))
def test_quotes_stand_in_the_message_and_openings_are_of_closed_facts(message: str) -> None:
    reading = read(message)
    assert all(quote and quote in message for quote in reading.flags.values())
    assert all(opening.quote in message for opening in reading.openings)
    opened = [opening.fact_id for opening in reading.openings]
    assert len(opened) == len(set(opened))
    assert set(opened) <= {fact.fact_id for fact in CLOSED}
    assert [opening.opened_by for opening in reading.openings].count("open_question") <= 2


@given(st.text(max_size=80))
def test_any_text_can_be_read_and_its_spelling_leads_back(message: str) -> None:
    spelled = respell_message(message)
    assert all(0 <= start < end <= len(message) for start, end in zip(spelled.starts, spelled.ends, strict=True))
    assert all(quote in message for quote in read(message).flags.values())


@given(
    st.sets(st.sampled_from(FLAGS)),
    st.sets(st.sampled_from([fact.fact_id for fact in CLOSED])),
    st.one_of(st.none(), st.just("What happened?")),
)
def test_openings_follow_the_definition(flags: set[Flag], asked: set[str], open_question: str | None) -> None:
    openings = {
        opening.fact_id: opening.opened_by
        for opening in open_facts(CLOSED, dict.fromkeys(flags, "x"), dict.fromkeys(asked, "y"), open_question)
    }
    positive = flags & {"apologises", "checks_facts", "offers_path"}
    assert ("f4" in openings) == ("acknowledges_harm" in flags and bool(positive) and "provokes" not in flags)
    assert {fact_id for fact_id, by in openings.items() if by == "asked"} == asked - {"f4"}
    assert sum(by == "open_question" for by in openings.values()) == (
        0 if open_question is None else min(2, len({"f1", "f2", "f3", "f5"} - asked))
    )
