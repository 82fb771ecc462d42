import pytest

from schemas.industry import CaseField, Stale
from schemas.scenarios import Fact
from servicebench_data.scenarios.case_record import (
    draw_stale,
    find_choice,
    fits_field,
    halve,
    list_sayings,
    show_stale,
)
from servicebench_data.scenarios.parts import Chance
from tests.scenarios.dialogues import make_turns

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
