"""The bank of labelled offers: every label has the form of an offer and rests on words of its message."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from schemas.simulation import OfferKind, OfferRelation
from servicebench_data.industries import load_industries

BANK = Path(__file__).parents[2] / "benchmarks" / "offers"
HALVES = {"dev": 120, "judge": 120, "fresh": 80}  # the least messages in each
STYLES = {"x_care", "corporate", "assistant", "broken_english", "plain"}
KEYS = {"id", "industry", "style", "limit_usd", "policies", "message", "offers"}
OFFER_KEYS = {"kind", "amount_usd", "relation", "quote"}
Entry = dict[str, Any]

ENTRIES = {half: yaml.safe_load((BANK / f"{half}.yaml").read_text(encoding="utf-8")) for half in HALVES}
POLICIES = {industry.id: {policy.id for policy in industry.policies.policies} for industry in load_industries()}


def find_offer_faults(offer: Entry, message: str) -> Iterator[str]:
    """What is wrong with one label, in words."""
    if set(offer) != OFFER_KEYS:
        yield f"keys {sorted(offer)!r}"
        return
    if offer["kind"] not in get_args(OfferKind) or offer["relation"] not in get_args(OfferRelation):
        yield f"kind {offer['kind']!r} or relation {offer['relation']!r} is unknown"
    amount = offer["amount_usd"]
    if amount is not None and not (isinstance(amount, int | float) and amount > 0):
        yield f"amount {amount!r}"
    if not offer["quote"] or offer["quote"] not in message:
        yield f"{offer['quote']!r} is not in the message"


def find_faults(entry: Entry, half: str) -> Iterator[str]:
    """What is wrong with an entry, in words."""
    if set(entry) != KEYS or not entry["id"].startswith(f"{half}-") or entry["style"] not in STYLES:
        yield f"keys {sorted(entry)!r}, or id {entry['id']!r} outside {half!r}, or the style"
        return
    unknown = set(entry["policies"]) - POLICIES.get(entry["industry"], set())
    if unknown or not entry["policies"] or not entry["limit_usd"] > 0:
        yield f"policies {sorted(unknown)!r} are not of {entry['industry']!r}, or the limit"
    for offer in entry["offers"]:
        yield from find_offer_faults(offer, entry["message"])
    places = [entry["message"].find(offer.get("quote", "")) for offer in entry["offers"]]
    if places != sorted(places):
        yield "offers are not in the order of the message"


@pytest.mark.parametrize("half", HALVES)
def test_every_label_holds(half: str) -> None:
    assert not [(entry["id"], fault) for entry in ENTRIES[half] for fault in find_faults(entry, half)]


SOUND = {"kind": "goodwill_cash", "amount_usd": 5, "relation": "new", "quote": "Take $5"}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "judge-x"},
        {"style": "rhymed"},
        {"policies": ["pest_response"]},
        {"policies": []},
        {"limit_usd": 0},
        {"offer": []},
        {"offers": [{**SOUND, "kind": "gift"}]},
        {"offers": [{**SOUND, "relation": "again"}]},
        {"offers": [{**SOUND, "amount_usd": "5"}]},
        {"offers": [{**SOUND, "amount_usd": 0}]},
        {"offers": [{**SOUND, "quote": "Take $6"}]},
        {"offers": [{**SOUND, "quote": ""}]},
        {"offers": [{"kind": "goodwill_cash"}]},
        {"offers": [{**SOUND, "quote": "a mile"}, SOUND]},
    ],
)
def test_a_planted_fault_is_found(change: Entry) -> None:
    entry = {
        "id": "dev-x",
        "industry": "airline",
        "style": "plain",
        "limit_usd": 200,
        "policies": ["delay_care"],
        "message": "Take $5 and a mile.",
        "offers": [SOUND],
    }
    assert not list(find_faults(entry, "dev"))
    assert list(find_faults({**entry, **change}, "dev"))


def test_ids_and_messages_are_unique() -> None:
    entries = [*chain.from_iterable(ENTRIES.values())]
    for key in ("id", "message"):
        assert not [value for value, count in Counter(entry[key] for entry in entries).items() if count > 1]


@pytest.mark.parametrize("half", HALVES)
def test_the_half_is_large_and_mixed(half: str) -> None:
    entries = ENTRIES[half]
    offers = [offer for entry in entries for offer in entry["offers"]]
    assert len(entries) >= HALVES[half]
    assert sum(not entry["offers"] for entry in entries) >= 0.45 * len(entries)
    assert sum(len(entry["offers"]) > 1 for entry in entries) >= 15
    assert min(Counter(offer["kind"] for offer in offers)[kind] for kind in get_args(OfferKind)) >= 12
    assert min(Counter(offer["relation"] for offer in offers)[name] for name in get_args(OfferRelation)) >= 5


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize(("key", "values"), [("industry", set(POLICIES)), ("style", STYLES)])
def test_every_industry_and_style_has_messages_with_and_without(half: str, key: str, values: set[str]) -> None:
    for value in values:
        made = [bool(entry["offers"]) for entry in ENTRIES[half] if entry[key] == value]
        assert min(made.count(True), made.count(False)) >= 6, value
