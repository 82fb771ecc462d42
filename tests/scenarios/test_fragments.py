import pytest

from servicebench_data.scenarios.events import is_event
from servicebench_data.scenarios.reading import read_turns
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
    ],
)
def test_slips_are_mended(text: str, told: str) -> None:
    readings = read_turns(make_turns(("customer", text)), knowledge().brands, "airline")
    assert readings[0].third == told


def test_someone_elses_act_is_not_given_to_the_customer() -> None:
    (event,) = tell("I ordered a car, took longer than the suggested 6 minutes")
    assert event == "The customer ordered a car."
