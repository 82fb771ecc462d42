"""Which facts a customer's message tells."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.industry import FactKind
from servicebench_data.simulation.measures import HOLDS, spell_measures
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.turns import KnownFact


def make(kind: FactKind, statement: str, value: str | None = None) -> KnownFact:
    return KnownFact("f1", kind, statement, value, "when_asked", True, False)


PAID = make("amount", "I paid $1,200 for the sofa.", "$1,200")
BOOKING = make("booking_reference", "My booking is [booking-1].", "[booking-1]")
LOST = make("place", "My bag was lost in Denver.", "Denver")
WAIT = make("duration", "I waited two hours at the desk.", "two hours")
CLERK = make("staff_statement", "The clerk said there would be no refund.")
SILENT = make("event", "There was no announcement at the gate.")
CHILD = make("impact", "My daughter cried all night because her bear was in the bag.")


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        (PAID, "It cost me $1.2k, that sofa."),
        (PAID, "1200 dollars. For this."),
        (BOOKING, "it's [booking-1]"),
        (LOST, "Denver, of all places, is where the bag went missing."),
        (WAIT, "2hrs at that desk!"),
        (WAIT, "Great, 120 minutes of standing at your desk."),
        (CLERK, 'Your clerk just said "no refund" and turned away.'),
        (SILENT, "Nobody made an announcement at the gate."),
        (CHILD, "Her bear was in that bag. My daughter was crying the whole night."),
    ],
)
def test_a_fact_is_told_in_other_words(fact: KnownFact, message: str) -> None:
    told = find_told(message, [fact])
    assert set(told) == {"f1"}
    assert told["f1"] in message


@pytest.mark.parametrize(
    ("fact", "message"),
    [
        (PAID, "It cost a lot of money."),
        (PAID, "It wasn't $1,200."),
        (PAID, "Why do you need to know what I paid?"),
        (BOOKING, "You have my booking number already."),
        (BOOKING, "[booking-2] was another trip."),
        (LOST, "My sister lives in Denver."),
        (WAIT, "I waited for ages at the desk."),
        (WAIT, "The bus home took two hours."),
        (CLERK, "Nobody said anything about a refund."),
        (CLERK, "The clerk was no help at all."),
        (CHILD, "My daughter loves that bear."),
    ],
)
def test_a_fact_that_is_touched_or_denied_is_not_told(fact: KnownFact, message: str) -> None:
    assert not find_told(message, [fact])


@pytest.mark.parametrize("fact", [PAID, BOOKING, LOST, WAIT, CLERK, SILENT, CHILD])
@given(
    before=st.sampled_from(["", "Well. ", "No, listen! ", "Why? "]),
    after=st.sampled_from(["", " And now?", " Not good."]),
)
def test_the_statement_itself_always_tells(fact: KnownFact, before: str, after: str) -> None:
    assert "f1" in find_told(before + fact.statement + after, [fact])


@given(st.text(max_size=60))
def test_what_is_quoted_stands_in_the_message(message: str) -> None:
    assert all(quote in message for quote in find_told(message, [PAID, LOST, CLERK, CHILD]).values())


@pytest.mark.parametrize(
    ("kind", "value", "same", "other"),
    [
        ("amount", "$59.99", "59.99 all in", "$59 flat"),
        ("count", "412", "four-one-two", "412 points"),
        ("duration", "an hour and 20 minutes", "80 min", "an hour"),
        ("date", "May 14", "5/14", "May 15"),
        ("time", "22:40", "10.40 at night", "10:40 am"),
        ("flight_number", "BW 318", "flight 318", "flight 3180"),
    ],
)
def test_a_value_is_known_in_every_spelling(kind: FactKind, value: str, same: str, other: str) -> None:
    assert HOLDS[kind](spell_measures(same), value)
    assert not HOLDS[kind](spell_measures(other), value)
