"""Whose deed a bare verb tells, and that what others did to the customer is never the customer's own deed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.actors import find_wrong_doers
from servicebench_data.scenarios.reading import Reading, read_turns
from tests.scenarios.dialogues import knowledge, make_turns

NO_BRANDS = frozenset[str]()


def read(text: str) -> list[Reading]:
    return read_turns(make_turns(("customer", text)), knowledge().brands, "airline")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Offered me a voucher for $20", "They offered me a voucher for $20."),
        ("Offered us 'the corridor end'", "They offered us the corridor end."),
        ("Hung up on me twice", "They hung up on me twice."),
        ("Rebooked us on a flight to Reno", "They rebooked us on a flight to Reno."),
        ("Blamed me for the delay", "They blamed me for the delay."),
        ("Asked me to wait at gate 3", "They asked me to wait at gate 3."),
        ("picked eight of us off the Nantucket flight", "They picked eight of us off the Nantucket flight."),
        ("Tried to charge me twice", "They tried to charge me twice."),
        ("Said it would be fixed by noon", "They said it would be fixed by noon."),
        ("Said my flight was cancelled", "They said my flight was cancelled."),
        ("Yelled at my wife at the gate", "They yelled at my wife at the gate."),
        ("Lost my bag in Denver", "They lost my bag in Denver."),
        ("Took me 3 hours to get home", "It took me 3 hours to get home."),
        ("asked for ID for teaspoons at your counter", "I was asked for ID for teaspoons at their counter."),
        ("Watched the crew ignore me for an hour", "I watched the crew ignore me for an hour."),
        ("Begged him to turn it down and he shushed me", "I begged him to turn it down and he shushed me."),
        ("ended up paying a kid to drive me home", "I ended up paying a kid to drive me home."),
        ("Booked a car for us at noon", "I booked a car for us at noon."),
        ("Paid $50 for two bags", "I paid $50 for two bags."),
        ("Crew left, cleaners left, she was alone", "The crew left, cleaners left, she was alone."),
        ("took me since November", "It took me since November."),
        ("I was 71 minutes", "I was there for 71 minutes."),
        ("On the plane for 3 hours now", "I am on the plane for 3 hours now."),
    ],
)
def test_a_bare_verb_is_told_of_whoever_did_it(text: str, first: str) -> None:
    assert read(text)[0].first == first


@pytest.mark.parametrize(
    "text",
    [
        "Kicked.",
        "Confirmed free.",
        "Stayed.",
        "Got 812.",
        "Cannot dim.",
        "Could not turn off.",
        "Moved to Jan 27, Feb 4",
        "on a Saturday.",
        "asked if there was anything else",
        "Then carried on with the pretzels",
        "Took my front tyre clean off the rim",
        "Said my order 5 times",
        "Yes I counted.",
        "Been saying that for 6 hours",
        "I'm [person-1], call me on [phone-1]",
    ],
)
def test_fragments_of_which_nobody_can_tell_the_doer_are_not_told(text: str) -> None:
    assert [(reading.first, reading.third) for reading in read(text)] == [(None, None)]


@pytest.mark.parametrize(
    "text",
    [
        "'We miss you, [person-1]! Come back to us soon' it says.",
        "The mail said 'Your order was delivered. We hope you liked it' at 8.",
    ],
)
def test_words_inside_a_quotation_are_not_told_as_the_customers(text: str) -> None:
    assert not any(reading.third and ("miss" in reading.third or "order" in reading.third) for reading in read(text))


@given(
    st.sampled_from(sorted(verbs.PASTS)),
    st.sampled_from(
        ["me", "us", "me a voucher", "us off the flight", "at me twice", "up on us", "two of us off", "to help me"]
    ),
)
def test_the_customer_is_never_the_doer_of_what_was_done_to_them(verb: str, rest: str) -> None:
    for reading in read(f"{verb.capitalize()} {rest} in Denver today."):
        for told in filter(None, (reading.first, reading.third)):
            assert not list(find_wrong_doers(told, reading.quote, NO_BRANDS, is_event=told == reading.third)), told


@pytest.mark.parametrize(
    ("told", "source", "is_third"),
    [
        ("I offered me a voucher.", "Offered me a voucher", False),
        ("I just hung up on me.", "just hung up on me", False),
        ("The customer offered them the corridor end.", "Offered us 'the corridor end'", True),
        ("The customer rebooked them to Reno.", "Rebooked us to Reno", True),
        ("I called me a liar.", "The agent called me a liar", False),
    ],
)
def test_a_deed_done_to_the_customer_is_a_fault_where_it_is_told_as_theirs(
    told: str, source: str, is_third: bool
) -> None:
    assert list(find_wrong_doers(told, source, NO_BRANDS, is_event=is_third))
