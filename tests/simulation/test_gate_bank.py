"""The bank of labelled agent messages: every label rests on words of its message and on facts of its scenario."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from schemas.industry import FactKind
from schemas.scenarios import Disclosure
from schemas.simulation import Flag
from servicebench_data.industries import load_industries

BANK = Path(__file__).parents[2] / "benchmarks" / "gate"
STYLES = ("terse_social", "formal_corporate", "warm_chatty", "llm_assistant", "broken_english", "blunt_or_hostile")
HALVES = {"dev": 30, "judge": 30, "fresh": 14, "final": 32, "unseen": 34, "sealed": 72}  # the least messages in each style
FLAGS = get_args(Flag)
KEYS = {"id", "scenario", "style", "message", "flags", "asks", "open_question"}
Entry = dict[str, Any]


def read_entries(path: Path) -> list[Entry]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_half(half: str) -> list[tuple[str, Entry]]:
    return [(style, entry) for style in STYLES for entry in read_entries(BANK / f"{half}_{style}.yaml")]


SCENARIOS = {scenario["id"]: scenario for scenario in read_entries(BANK / "scenarios.yaml")}
ENTRIES = {half: read_half(half) for half in HALVES}


def list_closed(scenario: Entry) -> set[str]:
    return {fact["fact_id"] for fact in scenario["facts"] if fact["disclosure"] != "opening"}


def find_faults(entry: Entry, half: str, style: str) -> Iterator[str]:
    """What is wrong with an entry, in words."""
    scenario = SCENARIOS.get(entry["scenario"])
    if scenario is None or scenario["half"] != half:
        yield f"scenario {entry['scenario']!r} is not one of {half!r}"
        return
    if entry["style"] != style or set(entry) - KEYS:
        yield f"style {entry['style']!r} or keys {sorted(entry)!r} do not belong in {style!r}"
    for flag in set(entry["flags"]) - set(FLAGS):
        yield f"unknown flag {flag!r}"
    for fact_id in set(entry["asks"]) - list_closed(scenario):
        yield f"{fact_id!r} is not a closed fact of {scenario['id']!r}"
    quotes = [*entry["flags"].values(), *entry["asks"].values(), *filter(None, [entry.get("open_question")])]
    yield from (f"{quote!r} is not in the message" for quote in quotes if not quote or quote not in entry["message"])


@pytest.mark.parametrize("half", HALVES)
def test_every_label_holds(half: str) -> None:
    faults = [(entry["id"], fault) for style, entry in ENTRIES[half] for fault in find_faults(entry, half, style)]
    assert not faults


@pytest.mark.parametrize(
    "change",
    [
        {"flags": {"apologises": "words that nobody wrote"}},
        {"flags": {"apologises": ""}},
        {"flags": {"greets": "."}},
        {"asks": {"f1": "."}},
        {"asks": {"f99": "."}},
        {"open_question": "words that nobody wrote"},
        {"scenario": "bag-broken"},
        {"style": "warm_chatty"},
        {"asked": {}},
    ],
)
def test_a_planted_fault_is_found(change: Entry) -> None:
    entry = {"id": "x", "scenario": "bag-delayed", "style": "terse_social", "message": "Hi.", "flags": {}, "asks": {}}
    assert not list(find_faults(entry, "dev", "terse_social"))
    assert list(find_faults({**entry, **change}, "dev", "terse_social"))


def test_ids_and_messages_are_unique() -> None:
    entries = [entry for half in HALVES for _, entry in ENTRIES[half]]
    for key in ("id", "message"):
        assert not [value for value, count in Counter(entry[key] for entry in entries).items() if count > 1]


@pytest.mark.parametrize("half", HALVES)
def test_every_style_shows_every_flag_and_its_absence(half: str) -> None:
    for style in STYLES:
        entries = [entry for one, entry in ENTRIES[half] if one == style]
        assert len(entries) >= HALVES[half]
        for flag in FLAGS:
            shown = sum(flag in entry["flags"] for entry in entries)
            assert 3 <= shown <= len(entries) - 3, f"{style}: {flag} in {shown} of {len(entries)}"
        assert sum("open_question" in entry for entry in entries) >= 2
        assert sum(bool(entry["asks"]) for entry in entries) >= 5


def test_scenarios_are_well_formed() -> None:
    industries = {industry.id: industry for industry in load_industries()}
    assert {scenario["industry"] for scenario in SCENARIOS.values()} == set(industries)
    for scenario in SCENARIOS.values():
        categories = [category.id for category in industries[scenario["industry"]].journey.categories]
        ids = [fact["fact_id"] for fact in scenario["facts"]]
        assert scenario["category"] in categories, scenario["id"]
        assert 4 <= len(ids) <= 10, scenario["id"]
        assert len(set(ids)) == len(ids), scenario["id"]
        assert list_closed(scenario), scenario["id"]
        for fact in scenario["facts"]:
            assert fact["kind"] in get_args(FactKind), (scenario["id"], fact)
            assert fact["disclosure"] in get_args(Disclosure), (scenario["id"], fact)
            assert fact["value"] is None or fact["value"] in fact["statement"], (scenario["id"], fact)
