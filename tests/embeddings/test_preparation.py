"""What a text looks like to the embedding model."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.embeddings.preparation import prepare_text

BRANDS = ["Brightwing", "HelpAtBrightwing", "Brightwing Air", "BW", "AA"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@HelpAtBrightwing my bag never came", "my bag never came"),
        ("Flew Brightwing Air, brightwing's crew was rude", "Flew, crew was rude"),
        ("BW lost it, aa batteries too", "lost it, aa batteries too"),
        ("my booking [booking-1] is gone, see https://t.co/AbC123", "my booking is gone, see"),
        ("mail me at __email__ or [phone-2]", "mail me at or"),
        ("Sorry to hear that. Please DM us. ^MK", "Sorry to hear that. Please DM us."),
        ("We're on it *TR", "We're on it"),
        ("Greetings -Jo from London", "Greetings -Jo from London"),
        ("food &amp; drinks were cold 😡😡 #fail", "food & drinks were cold fail"),
        ("RT @someone: still waiting", "still waiting"),
        ("two\nlines\tand\u00a0a space\u200b", "two lines and a space"),
    ],
)
def test_only_what_happened_is_left(text: str, expected: str) -> None:
    assert prepare_text(text, BRANDS) == expected


@pytest.mark.parametrize(
    "text", ["", "  ", "@HelpAtBrightwing", "https://t.co/x", "😡😡👏", "@a @b [link]", "12:30 !!", "BW"]
)
def test_nothing_is_left_of_mentions_links_and_symbols(text: str) -> None:
    assert prepare_text(text, BRANDS) == ""


def test_the_brand_makes_no_difference() -> None:
    brands = ["Brightwing", "Skylark Air"]
    told = [f"{brand} cancelled my flight and {brand}'s desk was closed" for brand in brands]
    assert len({prepare_text(text, brands) for text in told}) == 1


@given(st.text(max_size=200))
def test_any_text_is_prepared_to_words_or_nothing(text: str) -> None:
    prepared = prepare_text(text, BRANDS)
    assert prepared == "" or any(char.isalpha() for char in prepared)
    assert prepared == prepared.strip()
