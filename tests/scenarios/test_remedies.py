"""Remedies of the journey maps as whole sentences."""

import re

import pytest

from servicebench_data.industries import load_industries
from servicebench_data.scenarios.remedies import tell_remedy

REMEDIES = sorted(
    {
        remedy.strip().rstrip(".")
        for industry in load_industries()
        for category in industry.journey.categories
        for remedy in category.remedies
    }
)
#: A thing is followed by no determiner, an order by no preposition that makes a thing of it.
AS_THING = re.compile(r"accept an? (?!meal)\w+ (?:(?:and|or) \w+ )?(?:the|an?|its|their)\b")
AS_ORDER = re.compile(r"offer to (?:contact (?:from|with|details)|restock information|help by)\b")
ARTICLES = re.compile(
    r"\ba (?:honest|hour)|\baccept an? (?:\w+ )?(?:essentials|information|equipment|seats|vouchers)\b"
)


@pytest.mark.parametrize(
    ("remedy", "told"),
    [
        ("correct or restore the reservation", "an offer to correct or restore the reservation"),
        ("refund the difference", "an offer to refund the difference"),
        ("refund of the difference", "a refund of the difference"),
        ("refund at once with safety report", "a refund at once with safety report"),
        ("cancel and refund the order", "an offer to cancel and refund the order"),
        ("report and cooperation with the authorities", "a report and cooperation with the authorities"),
        ("brief the crew", "an offer to brief the crew"),
        ("contact from senior management", "a contact from senior management"),
        ("replace spoiled items", "an offer to replace spoiled items"),
        ("pass cancelled with money back", "having the pass cancelled with money back"),
        ("rebooking if the flight was missed", "a rebooking if the flight was missed"),
        ("honest new time", "an honest new time"),
        ("remaining amount paid", "the remaining amount paid"),
    ],
)
def test_a_remedy_is_told_as_a_thing_or_as_an_order(remedy: str, told: str) -> None:
    assert tell_remedy(remedy) == f"The customer would accept {told}."


@pytest.mark.parametrize("remedy", REMEDIES)
def test_every_remedy_of_the_maps_stands_word_for_word_in_a_sentence(remedy: str) -> None:
    told = tell_remedy(remedy)
    assert remedy in told
    assert not any(pattern.search(told) for pattern in (AS_THING, AS_ORDER, ARTICLES)), told
