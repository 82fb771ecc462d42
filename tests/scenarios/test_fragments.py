import pytest

from servicebench_data.scenarios.events import is_event
from servicebench_data.scenarios.reading import read_turns
from servicebench_data.scenarios.sentences import split_sentences
from tests.scenarios.dialogues import knowledge, make_turns

EVENTS = [
    ("Delay and no reliable info.", "There was a delay and no reliable information."),
    ("eleven days. ELEVEN.", "It had been eleven days."),
    (
        "Still no response from anybody about my claim",
        "There was still no response from anybody about the customer's claim.",
    ),
    ("Why is my bag still not here after 3 days?", "The customer's bag was still not here after 3 days."),
    ("Why can't you find my suitcase?", "The airline could not find the customer's suitcase."),
    ("Any idea why flight 88 was cancelled?", "Flight 88 was cancelled."),
    ("When you have been waiting 3 hours for a crew", "The customer had been waiting 3 hours for a crew."),
    (
        "How are you still selling seats that do not recline?",
        "The airline was still selling seats that did not recline.",
    ),
    ("Thanks for no water on a 6 hour flight", "There was no water on a 6 hour flight."),
    ("Missing grey coat on flight 12 on Monday", "The customer's grey coat went missing on flight 12 on Monday."),
    (
        "How do I claim for my suitcase that was broken on the way home?",
        "The customer's suitcase was broken on the way home.",
    ),
    ("You never loaded my bag, please find it", "The airline never loaded the customer's bag."),
]
DROPPED = [
    "I paid you your money now get me home.",
    "Nothing like missing your dad's party.",
    "May I suggest a new slogan",
    "We are upset with them now give me an answer",
    "I can't NOT bring it aboard",
    "The safe has got a hole in it, don't you dare charge us",
    "Marching up the tap in a line like they've paid",
]
EMPTY = ["I just sent it", "I did.", "Prompts were not there.", "I already tried that"]


def tell(text: str) -> list[str | None]:
    readings = read_turns(make_turns(("customer", text)), knowledge().brands, "airline")
    return [reading.third for reading in readings if is_event(reading)]


@pytest.mark.parametrize(("text", "event"), EVENTS)
def test_fragments_and_questions_that_report_become_plain_sentences(text: str, event: str) -> None:
    assert event in tell(text)


@pytest.mark.parametrize("text", DROPPED)
def test_run_on_and_wrongly_owned_sentences_are_dropped(text: str) -> None:
    readings = read_turns(make_turns(("customer", text)), knowledge().brands, "airline")
    assert not any(reading.third for reading in readings if reading.quote == text)


@pytest.mark.parametrize("text", EMPTY)
def test_answers_that_say_nothing_alone_are_dropped(text: str) -> None:
    turns = make_turns(("customer", "You lost my bag."), ("account", "Did you write to us?"), ("customer", text))
    readings = read_turns(turns, knowledge().brands, "airline")
    assert [reading.first for reading in readings if reading.turn.turn_index == 2] == [None]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It is to late for that now", "It was too late for that now."),
        ("I wouldve missed it", "The customer would have missed it."),
        (
            "I called the number you listed on the site",
            "The customer called the number the airline listed on the site.",
        ),
        ("Calling in isn't helping", "Calling in was not helping."),
        ("I waited 2 hours amp nobody came", "The customer waited 2 hours and nobody came."),
        ("This was your guys fault", "This was the airline's fault."),
        ("She's only got two hands today", "She had only got two hands today."),
        ("My refund is due and it's not come back", "The customer's refund was due and it had not come back."),
        ("She's asked me every night for a week", "She had asked the customer every night for a week."),
        ("She's turned her ankle badly", "She had turned her ankle badly."),
        ("I'd already told my two lads", "The customer had already told their two lads."),
        ("It's not cancelled after all", "It was not cancelled after all."),
        ("Each of you has told me to wait", "Each of the airline's staff had told the customer to wait."),
        ("My dog Biscuit and I were left outside", "The customer's dog Biscuit and they were left outside."),
        ("So far SEVEN teachers say theirs are empty", "Seven teachers say theirs were empty."),
        ("I count 2 (two!) desks staffed", "The customer counted 2 (two) desks staffed."),
        ("Then why is my bag still missing?", "The customer's bag was still missing."),
    ],
)
def test_slips_are_mended(text: str, told: str) -> None:
    readings = read_turns(make_turns(("customer", text)), knowledge().brands, "airline")
    assert readings[0].third == told


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("$85 for parking on 4 Feb. I was 71 minutes.", ["$85 for parking on 4 Feb.", "I was 71 minutes."]),
        ("I have Crohn's. I booked 39H.", ["I have Crohn's.", "I booked 39H."]),
        ("It was Mr. A. Smith at no. 5 on Feb. 4.", ["It was Mr. A. Smith at no. 5 on Feb. 4."]),
    ],
)
def test_an_abbreviation_ends_a_sentence_where_a_new_one_begins(text: str, quotes: list[str]) -> None:
    assert [sentence.text for sentence in split_sentences(text)] == quotes


def test_what_hangs_on_a_condition_is_no_event() -> None:
    assert tell("If I sit and eat then the same wrap comes in paper, no charge") == []


def test_a_company_is_named_once() -> None:
    turns = make_turns(("customer", "I checked in at your Coventry hotel at noon"))
    assert read_turns(turns, {}, "hotel")[0].third == "The customer checked in at the Coventry hotel at noon."


def test_someone_elses_act_is_not_given_to_the_customer() -> None:
    (event,) = tell("I ordered a car, took longer than the suggested 6 minutes")
    assert event == "The customer ordered a car."
