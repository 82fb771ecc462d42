import re
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.industry import CaseField, Stale
from schemas.scenarios import Fact
from servicebench_data.scenarios.assembly import build_parts, verify
from servicebench_data.scenarios.case_record import (
    draw_stale,
    find_choice,
    halve,
    list_sayings,
    show_stale,
)
from servicebench_data.scenarios.fitting import fits_field
from servicebench_data.scenarios.parts import Chance
from tests.scenarios.dialogues import knowledge, make_source, make_turns

STALE = Stale(cause="The feed was late.", how="fixed", value="on time")
STATUS = CaseField(
    id="status",
    title="Status",
    type="choice",
    description="What operations record.",
    fills_from=[],
    choices={"cancelled": ["cancelled"], "delayed": ["delayed", "delay"]},
    stale=STALE,
)


@pytest.mark.parametrize(
    ("text", "half"),
    [
        ("$50", "$25"),
        ("4 hours", "2 hours"),
        ("three hours", "90 minutes"),
        ("2 hours", "1 hour"),
        ("an hour", "30 minutes"),
        ("1 day", "12 hours"),
        ("6 bags", "3 bags"),
        ("£1,200", "£600"),
        ("overnight", "overnight"),
        ("$139", "$69.50"),
        ("$27.40", "$13.70"),
        ("£1,201", "£600.50"),
        ("45 dollars", "22.50 dollars"),
        ("71 days", "35 days"),
        ("3 days", "36 hours"),
        ("3 bags", "1 bags"),
        ("1 bag", "1 bag"),
    ],
)
def test_half_of_a_value(text: str, half: str) -> None:
    assert halve(text) == half


def test_stale_rate_holds_over_many_scenarios() -> None:
    drawn = [draw_stale(f"s{number}", STATUS, Chance(5, 0.1)) for number in range(5000)]
    assert sum(drawn) / 5000 == pytest.approx(0.1, abs=0.015)
    assert drawn == [draw_stale(f"s{number}", STATUS, Chance(5, 0.1)) for number in range(5000)]
    assert drawn != [draw_stale(f"s{number}", STATUS, Chance(6, 0.1)) for number in range(5000)]
    assert not draw_stale("s1", STATUS.model_copy(update={"stale": None}), Chance(5, 1.0))


@pytest.mark.parametrize(
    ("stale", "shown"),
    [
        (STALE, "on time"),
        (Stale(cause="It came late.", how="missing"), None),
        (Stale(cause="An early guess.", how="halved"), "2 hours"),
    ],
)
def test_what_a_stale_field_shows(stale: Stale, shown: str | None) -> None:
    assert show_stale(STATUS.model_copy(update={"stale": stale}), "4 hours") == shown


def test_choice_is_the_first_that_is_said_and_not_denied() -> None:
    assert find_choice(STATUS, [("my flight is delayed", "p1")]) == ("delayed", None, ["p1"])
    assert find_choice(STATUS, [("it was not cancelled but delayed", "p1")]) == ("delayed", None, ["p1"])
    assert find_choice(STATUS, [("my flight was cancelled after a delay", "p1")]) == ("cancelled", None, ["p1"])
    assert find_choice(STATUS, [("never delayed", "p1")]) is None


@pytest.mark.parametrize(
    ("near", "quote", "is_fit"),
    [
        (["flight on", "landed"], "My flight on Friday was late.", True),
        (["flight on", "landed"], "I ordered it on Friday.", False),
        (["landed"], "It crash-landedness Friday", False),
        ([], "It was Friday.", True),
    ],
)
def test_words_near_a_value_decide_where_the_form_names_them(near: list[str], quote: str, is_fit: bool) -> None:
    field = CaseField(id="day", title="Day", type="date", description="The day.", fills_from=["date"], near=near)
    fact = Fact(
        industry="airline",
        scenario_id="s1",
        made_by="offline",
        fact_id="f1",
        kind="date",
        statement=quote,
        value="Friday",
        post_id="p1",
        quote=quote,
        turn_index=0,
        disclosure="opening",
        is_customer_only=False,
        is_inferred=False,
    )
    assert fits_field(field, fact) is is_fit


def make_fact(kind: str, value: str, quote: str) -> Fact:
    return Fact.model_validate(
        {
            "industry": "airline",
            "scenario_id": "s1",
            "made_by": "offline",
            "fact_id": "f1",
            "kind": kind,
            "statement": quote,
            "value": value,
            "post_id": "p1",
            "quote": quote,
            "turn_index": 0,
            "disclosure": "opening",
            "is_customer_only": False,
            "is_inferred": False,
        }
    )


@given(st.decimals(min_value=1, max_value=5000, places=2), st.sampled_from(["${}", "£{}", "{} dollars"]))
def test_half_a_sum_has_two_decimals_or_none(amount: Decimal, form: str) -> None:
    shown = halve(form.format(amount))
    assert re.fullmatch(r"[$£]?\d+(?:\.\d\d)?(?: dollars)?", shown), shown
    assert float(re.sub(r"[^\d.]", "", shown)) == pytest.approx(float(amount) / 2, abs=0.006)


AMOUNTS = [
    ("Amount paid", "$37.20", "day 19 of waiting for the $37.20 you agreed to give back on 1 April.", False),
    ("Amount charged", "$22", "There's $22 of credit in my order and a trip on Monday.", False),
    ("Amount charged", "$57.30", "your agent confirmed that $57.30 was going back on my card I paid with.", False),
    ("Amount charged", "$40", "she gave me a $40 credit for the order I paid.", False),
    ("Amount paid", "$8", "they refunded $8 of my order.", False),
    ("Amount paid", "$46", "My credit card was charged $46 for the order.", True),
    ("Amount paid", "$9.30", "I paid $9.30 and I want it back.", True),
    ("Amount on file", "$689", "I paid once, and now walk up fare is $689.", False),
    ("Amount on file", "$75", "Your rep says change fee is $75 a head, paid by card.", False),
    ("Amount on file", "$139", "our conference paid a group rate of $139 till March 10.", False),
    ("Amount on file", "$156", "the fare I paid for has turned to $156.", False),
    ("Amount on file", "$25", "we paid for 20 of your $25 gift cards.", False),
    ("Amount on file", "£840", "£840 excess paid out of my own pocket.", False),
    ("Amount on file", "$3,400", "The condo is paid, $3,400.", False),
    ("Amount on file", "$366", "Ticket was $366, paid in May.", True),
    ("Amount on file", "$265", "I paid and got a credit for $265 from the flight.", True),
    ("Amount on file", "$418", "I paid and you then refunded $418 to a gift card.", True),
]


@pytest.mark.parametrize(("title", "value", "quote", "is_fit"), AMOUNTS)
def test_only_a_sum_that_moved_is_on_file_and_only_what_was_paid_is_a_payment(
    title: str, value: str, quote: str, is_fit: bool
) -> None:
    field = CaseField(
        id="sum",
        title=title,
        type="amount_usd",
        description="A sum.",
        fills_from=["amount"],
        near=["paid", "order", "charged", "credit", "refunded"],
    )
    assert fits_field(field, make_fact("amount", value, quote)) is is_fit


@pytest.mark.parametrize(
    ("kind", "value", "quote", "is_fit"),
    [
        ("duration", "58 years", "I've waited 58 years for somebody to ask me for ID.", False),
        ("duration", "18 months", "I've waited 18 months for my refund.", True),
        ("duration", "6 days", "I've used 6 days of leave waiting.", False),
        ("date", "tonight", "I'd promised my girls we'd put it up tonight.", False),
        ("date", "Friday", "we had promised the kids it comes on Friday.", False),
        ("date", "Jan 19", "Ordered Jan 8, promised Jan 19.", True),
        ("date", "until Jan", "your receipt promised 'returnable until Jan 31'.", False),
        ("date", "9 May", "Promised flight cancelled by you 9 May.", False),
        ("date", "friday", "promised 4 fish boxes for a friday, got 4 beef.", False),
    ],
)
def test_a_manner_of_speaking_is_no_record(kind: str, value: str, quote: str, is_fit: bool) -> None:
    form = {"id": "field", "title": "Field", "type": kind, "description": "What.", "fills_from": [kind]}
    field = CaseField.model_validate({**form, "near": ["waited", "waiting", "promised"]})
    assert fits_field(field, make_fact(kind, value, quote)) is is_fit


CAUSE = (
    ("customer", "My flight was cancelled on Monday. It was flight 1260 to Hartford."),
    ("account", "Sorry. Why do you think that was?"),
)


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("The captain told us it was due to maintenance.", None),
        ("It was due to maintenance.", "technical"),
        ("The captain told us it was due to maintenance. It was maintenance issue 7 on the board.", "technical"),
    ],
)
def test_what_only_the_customer_knows_sets_no_choice(said: str, cause: str | None) -> None:
    parts = build_parts(make_source(*CAUSE, ("customer", said)), knowledge(), seed=1, stale_rate=0)
    rows = {row.field_id: row.truth for row in parts.case_fields}
    assert rows["flight_status"] == "cancelled"
    assert rows.get("disruption_cause") == cause


def test_the_record_holds_no_choice_against_what_only_the_customer_knows() -> None:
    told = (*CAUSE[:1], ("account", "The delay was caused by weather."))
    said = ("customer", "The captain told us it was a hydraulic line.")
    parts = build_parts(make_source(*told, said), knowledge(), seed=1, stale_rate=0)
    assert "disruption_cause" not in {row.field_id for row in parts.case_fields}
    parts = build_parts(make_source(*told), knowledge(), seed=1, stale_rate=0)
    assert {row.field_id: row.truth for row in parts.case_fields}["disruption_cause"] == "weather"


def test_a_choice_that_only_a_customer_only_quote_shows_is_a_fault() -> None:
    source = make_source(*CAUSE, ("customer", "The captain told us it was due to maintenance."))
    parts = build_parts(source, knowledge(), seed=1, stale_rate=0)
    status = next(row for row in parts.case_fields if row.field_id == "flight_status")
    cause = status.model_copy(update={"field_id": "disruption_cause", "truth": "technical", "shown": "technical"})
    verified = verify(replace(parts, case_fields=[*parts.case_fields, cause]), source, knowledge())
    assert {(row.check, row.span) for row in verified.failures} == {("customer_only", "technical")}


def test_the_value_nearest_to_the_phrase_fills_the_field() -> None:
    field = CaseField(
        id="due", title="Due", type="time", description="When.", fills_from=["time"], near=["supposed to leave"]
    )
    quote = "It's 11:30 pm, our flight was supposed to leave at 9:20pm"
    assert not fits_field(field, make_fact("time", "11:30 pm", quote))
    assert fits_field(field, make_fact("time", "9:20pm", quote))


def test_a_ride_is_no_item() -> None:
    field = CaseField(
        id="items", title="Items", type="text", description="What.", fills_from=["product"], near=["ordered a"]
    )
    assert not fits_field(field, make_fact("product", "car", "I ordered a car"))
    assert fits_field(field, make_fact("product", "burger", "I ordered a burger"))


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Your flight is delayed.", True),
        ("Once your flight is delayed, we rebook you.", False),
        ("If your flight is delayed, see the desk.", False),
        ("When a flight is delayed, crews wait.", False),
    ],
)
def test_general_statements_of_the_account_set_no_choice(said: str, is_kept: bool) -> None:
    sayings = list_sayings([], make_turns(("customer", "Hi."), ("account", said)))
    assert (find_choice(STATUS, sayings) is not None) is is_kept
