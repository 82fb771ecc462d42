import pytest

from servicebench_data.scenarios.reading import read_turns
from tests.scenarios.dialogues import knowledge, make_turns

BRANDS = {"brightwingcares": "Brightwing"}

TOLD = [
    ("You guys lost my bag.", "They lost my bag.", "The airline lost the customer's bag."),
    ("Been waiting 2 hours", "I have been waiting 2 hours.", "The customer had been waiting 2 hours."),
    (
        "I'm stuck at ORD and my phone is dead.",
        "I am stuck at ORD and my phone is dead.",
        "The customer was stuck at ORD and their phone was dead.",
    ),
    ("Flight delayed 3 hours", "My flight was delayed 3 hours.", "The customer's flight was delayed 3 hours."),
    (
        "They told me I can't board.",
        "They told me I cannot board.",
        "Staff told the customer the customer could not board.",
    ),
    (
        "WE PAID EXTRA FOR THESE SEATS",
        "We paid extra for these seats.",
        "The customer's party paid extra for these seats.",
    ),
    (
        "u cancelled our flt w/o telling us",
        "They cancelled our flight without telling us.",
        "The airline cancelled the customer's flight without telling them.",
    ),
    ("Why is my flight delayed?", "My flight is delayed.", "The customer's flight was delayed."),
    ("Then why is the window still covered?", "The window is still covered.", "The window was still covered."),
    ("And then, why was I charged twice?", "I was charged twice.", "The customer was charged twice."),
    ("Why is it that my bag was lost?", "My bag was lost.", "The customer's bag was lost."),
    ("Why did you cancel my flight?", "They cancelled my flight.", "The airline cancelled the customer's flight."),
    ("Thanks for losing my bag", "They lost my bag.", "The airline lost the customer's bag."),
    (
        "Thanks @BrightwingCares for ruining our trip",
        "They ruined our trip.",
        "The airline ruined the customer's trip.",
    ),
    ("Told me to rebook online.", "They told me to rebook online.", "Staff told the customer to rebook online."),
    ("On hold for 40 mins", "I am on hold for 40 minutes.", "The customer was on hold for 40 minutes."),
    (
        "2 hours on hold and counting",
        "I have been on hold for 2 hours and counting.",
        "The customer had been on hold for 2 hours and counting.",
    ),
    ("Lost luggage on Monday", "My luggage was lost on Monday.", "The customer's luggage was lost on Monday."),
    (
        "Pilot said we need a new crew",
        "The pilot said we need a new crew.",
        "The pilot said the customer's party needed a new crew.",
    ),
    ("My bag never arrived 😡😡 #fail #neveragain", "My bag never arrived.", "The customer's bag never arrived."),
    ("It's been 4 days.", "It has been 4 days.", "It had been 4 days."),
    (
        "I bought a ticket and you gave my seat away!",
        "I bought a ticket and they gave my seat away.",
        "The customer bought a ticket and the airline gave their seat away.",
    ),
]


@pytest.mark.parametrize(("text", "first", "third"), TOLD)
def test_person_tense_and_pronouns_are_turned(text: str, first: str, third: str) -> None:
    (reading,) = read_turns(make_turns(("customer", text)), BRANDS, "airline")
    assert (reading.first, reading.third) == (first, third)


@pytest.mark.parametrize(
    "text",
    [
        "Hello @BrightwingCares",
        "Are you kidding me?",
        "Please fix this.",
        "Worst airline ever!",
        "DM me asap",
        "lol smh",
        "Really looking forward to it, thank you!",
        "@someone said you lost it @other",
        "4 delayed flights 4 me",
        "I have, five times.",
        "I added it.",
        "Signed for at 10:22 by 'J, reception'.",
        "Sent my laptop off on your repair plan.",
    ],
)
def test_noise_is_left_out(text: str) -> None:
    readings = read_turns(make_turns(("customer", text)), BRANDS, "airline")
    assert [reading.third for reading in readings if reading.third] == []


def test_words_of_others_are_not_turned() -> None:
    turns = make_turns(("customer", "Got the sad face, the 'we'll miss you', the lot."))
    told = [reading.first for reading in read_turns(turns, BRANDS, "airline") if reading.first]
    assert told == ["I got the sad face."]


def test_a_possessive_is_no_verb() -> None:
    (reading,) = read_turns(make_turns(("customer", "You gave me someone's old bag.")), BRANDS, "airline")
    assert reading.first == "They gave me someone's old bag."


def test_polarity_is_kept() -> None:
    (reading,) = read_turns(make_turns(("customer", "No announcement was made.")), BRANDS, "airline")
    assert reading.third == "No announcement was made."


def test_they_with_another_owner_is_no_event() -> None:
    (reading,) = read_turns(make_turns(("customer", "They are lovely and were happy to see us.")), BRANDS, "airline")
    assert reading.third is None


def test_quote_is_exactly_the_stretch_of_the_turn() -> None:
    turns = make_turns(("customer", "I missed my connection. You lost my bag!"), ("customer", "Nobody helps me."))
    for reading in read_turns(turns, knowledge().brands, "airline"):
        assert turns[0].text[reading.start : reading.start + len(reading.quote)] == reading.quote
    assert [reading.post_ids for reading in read_turns(turns, BRANDS, "airline")] == [["p0"], ["p0"], ["p1"]]


def test_repeated_sentences_are_read_once() -> None:
    turns = make_turns(("customer", "You lost my bag."), ("account", "Sorry."), ("customer", "You lost my bag!!"))
    assert len(read_turns(turns, BRANDS, "airline")) == 1
