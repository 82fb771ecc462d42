"""Denials, opposites, doers and swapped values, word by word."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.scenarios.actors import find_wrong_doers
from servicebench_data.scenarios.denial import find_denials, find_opposites
from servicebench_data.scenarios.evidence import stands_alone
from servicebench_data.scenarios.respelling import respell
from servicebench_data.scenarios.swaps import find_swaps

WORDS = (
    "the customer driver they I not never refused paid shouted lost bag refund a and , . $50 $20 for three hours "
    "9.05pm twenty-one instead of before early by was told no nothing"
)
TEXTS = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=14).map(" ".join)
NONE: frozenset[str] = frozenset()


@given(TEXTS)
def test_no_text_is_at_odds_with_itself(text: str) -> None:
    assert list(find_denials(text, text)) == []
    assert list(find_opposites(text, text)) == []
    assert list(find_wrong_doers(text, text, NONE, is_event=True)) == []
    assert list(find_swaps(text, text, NONE)) == []


@given(TEXTS)
def test_the_words_found_are_words_of_the_text(text: str) -> None:
    plain = respell(text)
    assert plain.cut(0, len(plain.text)) == text
    for span in [*find_denials(text, "They paid a refund for the bag."), *find_opposites(text, "He found it late.")]:
        assert span in text


@pytest.mark.parametrize(
    ("text", "source", "spans"),
    [
        ("The agent did not refuse a refund.", "The agent refused a refund.", ["not refuse", "not refuse a refund"]),
        ("They called me back.", "They never called me back.", ["called"]),
        ("The customer waited and nobody came.", "No one came, so I waited.", []),
        ("It did not leave until noon.", "It left at noon.", []),
        ("The report was not written.", "Nobody wrote a report.", []),
    ],
)
def test_a_word_is_denied_on_one_side_only(text: str, source: str, spans: list[str]) -> None:
    assert list(find_denials(text, source)) == spans


@pytest.mark.parametrize(
    ("text", "source", "spans"),
    [
        ("The customer shouted at the driver.", "The driver shouted at me.", ["the customer shouted"]),
        ("The customer was shouted at by the driver.", "The driver shouted at me.", []),
        ("The driver called twice.", "I called twice.", ["the driver called"]),
        ("The airline left them stranded.", "Left me stranded.", []),
        ("The customer waited an hour.", "Waited an hour.", []),
    ],
)
def test_a_deed_keeps_its_doer(text: str, source: str, spans: list[str]) -> None:
    assert list(find_wrong_doers(text, source, NONE, is_event=True)) == spans


@pytest.mark.parametrize(
    ("text", "source", "spans"),
    [
        ("I paid $20 for the room and $50 for the meal.", "I paid $50 for the room and $20 for the meal.", ["$20"]),
        ("The meal was $20, the room $50.", "I paid $50 for the room and $20 for the meal.", []),
        ("It took 20 minutes instead of 50.", "It took 50 minutes instead of 20.", ["20 minutes instead of 50"]),
    ],
)
def test_values_keep_their_places(text: str, source: str, spans: list[str]) -> None:
    assert list(find_swaps(text, source, NONE)) == spans


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("thirty-five dollars", "35 dollars"),
        ("two hundred and five", "205"),
        ("at 9.05pm", "at 9:05 pm"),
        ("on the sixth floor", "on the 6th floor"),
        ("a hundred", "100"),
    ],
)
def test_numbers_have_one_spelling(text: str, spelled: str) -> None:
    assert respell(text).text == spelled


@given(st.text("ab1.,:$£% _é5", min_size=1, max_size=3), st.text("ab1.,:$£% _é5", max_size=12))
def test_a_value_stands_alone_where_no_longer_word_number_or_amount_holds_it(word: str, text: str) -> None:
    pattern = rf"(?<![\w$£€.]){re.escape(word)}(?![\w%]|[.,:]\d)"
    assert stands_alone(word, text) == (re.search(pattern, text) is not None)
