from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.scenarios.canonical import canonicalise, read_hours, read_usd
from servicebench_data.scenarios.extraction import asks_for_flight, extract_values

CASES = [
    ("They charged me $1,250.50 twice", "amount", "$1,250.50"),
    ("gave me 50 dollars back", "amount", "50 dollars"),
    ("want my 35$ back", "amount", "35$"),
    ("paid £20 for it", "amount", "£20"),
    ("it cost me twenty bucks", "amount", "twenty bucks"),
    ("waited 2hrs for it", "duration", "2hrs"),
    ("an hour and a half late", "duration", "an hour and a half"),
    ("a 45-min delay", "duration", "45-min"),
    ("on hold all day", "duration", "all day"),
    ("4+ hours on the plane", "duration", "4+ hours"),
    ("due at 10:15 pm", "time", "10:15 pm"),
    ("since 7am here", "time", "7am"),
    ("supposed to leave at 1220", "time", "1220"),
    ("landed at noon", "time", "noon"),
    ("on Oct 27th we flew", "date", "Oct 27th"),
    ("left on Friday, Oct 27", "date", "Friday, Oct 27"),
    ("it was last night", "date", "last night"),
    ("ordered 3 days ago", "date", "3 days ago"),
    ("flew on 11/24 with you", "date", "11/24"),
    ("flight 1403 was late", "flight_number", "1403"),
    ("on DL2102 now", "flight_number", "DL2102"),
    ("flight # AA 1234 to LAX", "flight_number", "AA 1234"),
    ("my code is [booking-1] thanks", "booking_reference", "[booking-1]"),
    ("order [order-2] never came", "order_reference", "[order-2]"),
    ("stuck at ORD again", "place", "ORD"),
    ("flying from Denver", "place", "Denver"),
    ("in the Leeds store", "place", "Leeds store"),
    ("we live in Rochester, NY", "place", "Rochester, NY"),
    ("waiting at gate B12", "place", "gate B12"),
    ("I have 2 bags", "count", "2 bags"),
    ("called four times", "count", "four times"),
    ("3 out of 4 flights", "count", "3 out of 4"),
    ("my burrito was missing", "product", "burrito"),
    ("I ordered a turquoise kettle", "product", "turquoise kettle"),
    ("the gate agent shrugged", "person_role", "gate agent"),
]


@pytest.mark.parametrize(("text", "kind", "expected"), CASES)
def test_finds(text: str, kind: str, expected: str) -> None:
    assert (kind, expected) in [(value.kind, value.text) for value in extract_values(text)]


@pytest.mark.parametrize(
    "text",
    [
        "open 24/7 1/2",
        "wait a second",
        "MY BAG IS GONE AND NOT HERE",
        "my 4 year old is tired",
        "thank you so much for the help",
        "in English please",
        "you are number one",
    ],
)
def test_finds_nothing(text: str) -> None:
    assert extract_values(text) == []


def test_a_regulation_is_no_flight_number() -> None:
    assert not [value for value in extract_values("UK261 and EU 261 say so") if value.kind == "flight_number"]


def test_flight_with_a_duration_is_no_flight_number() -> None:
    assert [value.kind for value in extract_values("flight 3 hours delayed")] == ["duration"]


def test_bare_number_is_a_flight_only_when_asked() -> None:
    assert asks_for_flight("What's your flight number?")
    assert extract_values("1946") == []
    assert [value.kind for value in extract_values("1946", is_flight_asked=True)] == ["flight_number"]


def test_brand_is_no_place() -> None:
    assert extract_values("two nights at Harbour", not_places=frozenset({"Harbour"}))[0].kind == "duration"
    assert "place" not in [value.kind for value in extract_values("at Harbour", not_places=frozenset({"Harbour"}))]


@pytest.mark.parametrize("text", ["in the Harbour store", "at Harbour's hotel", "from Harbour Grand to the desk"])
def test_brand_in_a_longer_name_is_no_place(text: str) -> None:
    assert "place" not in [value.kind for value in extract_values(text, not_places=frozenset({"Harbour"}))]


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("amount", "$50", "50 dollars"),
        ("amount", "$50.00", "fifty bucks"),
        ("duration", "2hrs", "two hours"),
        ("duration", "an hour", "1 hr"),
        ("duration", "45 mins", "45 minutes"),
        ("duration", "an hour and a half", "1.5 hours"),
        ("time", "7am", "7:00 a.m."),
        ("count", "two bags", "2 bags"),
        ("count", "100 ppl", "100 people"),
        ("flight_number", "AA 0123", "123"),
        ("date", "Oct 27th", "Oct 27"),
    ],
)
def test_equal_values_share_a_form(kind: str, one: str, other: str) -> None:
    assert canonicalise(kind, one) == canonicalise(kind, other)  # type: ignore[arg-type]


def test_reads_sizes() -> None:
    assert read_hours(canonicalise("duration", "2 days")) == 48
    assert read_usd(canonicalise("amount", "£100")) == pytest.approx(130)
    assert read_hours("all week") > 24
    assert read_usd("nothing") == 0


@given(st.text(alphabet="ab 0123456789$£.:-/[]#@ABCDE hoursminutesflightbags", max_size=80))
def test_spans_lie_in_the_text_and_do_not_overlap(text: str) -> None:
    values = extract_values(text)
    assert all(text[value.start : value.end] == value.text and value.text.strip() for value in values)
    assert all(one.end <= other.start for one, other in pairwise(values))
