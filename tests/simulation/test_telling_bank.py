"""The bank of customers' messages: every label rests on words of its message and on a closed fact of its scenario."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks import gate

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
HALVES = ("dev", "judge")
#: Traits under which a message tells nothing, and those under which it tells something.
SILENT = {"partial", "evasion", "negation", "other_matter", "chatter"}
TELLING = {"plain", "paraphrase", "number_format", "several", "sarcasm", "mixed"}
#: Precision and recall that are reached.
REACHED = {"dev": (0.982, 0.965), "judge": (0.932, 0.925)}
Entry = dict[str, Any]


def read_bank(path: str) -> list[Entry]:
    return yaml.safe_load((BENCHMARKS / path).read_text(encoding="utf-8"))


SCENARIOS = {scenario["id"]: scenario for scenario in read_bank("gate/scenarios.yaml")}
ENTRIES = {half: read_bank(f"telling/{half}_messages.yaml") for half in HALVES}


def find_faults(entry: Entry, half: str) -> Iterator[str]:
    """What is wrong with an entry, in words."""
    scenario = SCENARIOS.get(entry["scenario"])
    if scenario is None or scenario["half"] != half:
        yield f"scenario {entry['scenario']!r} is not one of {half!r}"
        return
    if set(entry) != {"id", "scenario", "trait", "message", "told"} or not entry["id"].startswith(f"{half}-"):
        yield f"keys {sorted(entry)!r}, or id {entry['id']!r} outside {half!r}"
    if entry["trait"] not in (TELLING if entry["told"] else SILENT):
        yield f"trait {entry['trait']!r} does not go with {len(entry['told'])} facts told"
    closed = {fact["fact_id"] for fact in scenario["facts"] if fact["disclosure"] != "opening"}
    for fact_id, quote in entry["told"].items():
        if fact_id not in closed or not quote or quote not in entry["message"]:
            yield f"{fact_id!r} is not a closed fact of {scenario['id']!r}, or {quote!r} is not in the message"


def find_missing_tokens(entry: Entry) -> Iterator[str]:
    """Facts with a masked value of which the label and the message disagree: a token in the message tells its fact."""
    for fact in SCENARIOS[entry["scenario"]]["facts"]:
        value = fact["value"] or ""
        if value.startswith("[") and (value in entry["message"]) != (fact["fact_id"] in entry["told"]):
            yield fact["fact_id"]


@pytest.mark.parametrize("half", HALVES)
def test_every_label_holds(half: str) -> None:
    assert not [(entry["id"], fault) for entry in ENTRIES[half] for fault in find_faults(entry, half)]


@pytest.mark.parametrize("half", HALVES)
def test_a_masked_value_tells_its_fact_and_nothing_else_does(half: str) -> None:
    assert not [(entry["id"], fact_id) for entry in ENTRIES[half] for fact_id in find_missing_tokens(entry)]


SOUND = {"id": "dev-x", "scenario": "bag-delayed", "trait": "plain", "message": "BW 318", "told": {"f3": "BW 318"}}


@pytest.mark.parametrize(
    "change",
    [
        {"id": "judge-x"},
        {"scenario": "bag-broken"},
        {"scenario": "bag-eaten"},
        {"trait": "evasion"},
        {"told": {}},
        {"told": {"f1": "BW 318"}},
        {"told": {"f99": "BW 318"}},
        {"told": {"f3": "BW 319"}},
        {"told": {"f3": ""}},
        {"style": "plain"},
    ],
)
def test_a_planted_fault_is_found(change: Entry) -> None:
    assert not list(find_faults(SOUND, "dev"))
    assert list(find_faults({**SOUND, **change}, "dev"))


def test_a_masked_value_without_its_label_is_found() -> None:
    assert not list(find_missing_tokens(SOUND))
    assert list(find_missing_tokens({**SOUND, "message": "BW 318 and [case-1]"})) == ["f4"]
    assert list(find_missing_tokens({**SOUND, "told": {"f4": "BW 318"}})) == ["f4"]


def test_ids_and_messages_are_unique() -> None:
    entries = [*chain.from_iterable(ENTRIES.values())]
    for key in ("id", "message"):
        assert not [value for value, count in Counter(entry[key] for entry in entries).items() if count > 1]


@pytest.mark.parametrize("half", HALVES)
def test_the_half_is_large_and_mixed(half: str) -> None:
    entries = ENTRIES[half]
    traits = Counter(entry["trait"] for entry in entries)
    assert len(entries) >= 110
    assert set(traits) == SILENT | TELLING
    assert 0.35 * len(entries) <= sum(not entry["told"] for entry in entries) <= 0.6 * len(entries)
    assert {entry["scenario"] for entry in entries} == {key for key, one in SCENARIOS.items() if one["half"] == half}


@pytest.mark.parametrize("half", HALVES)
def test_every_closed_fact_is_told_somewhere(half: str) -> None:
    told = {(entry["scenario"], fact_id) for entry in ENTRIES[half] for fact_id in entry["told"]}
    closed = {
        (scenario["id"], fact["fact_id"])
        for scenario in SCENARIOS.values()
        for fact in scenario["facts"]
        if scenario["half"] == half and fact["disclosure"] != "opening"
    }
    assert told == closed


@pytest.mark.parametrize("half", HALVES)
def test_facts_told_are_found_as_well_as_they_were(half: str) -> None:
    found = gate.measure(gate.judge_told(gate.load_told([half])))
    assert found.labelled > 100
    assert all(rate is not None and rate >= least for rate, least in zip(found[:2], REACHED[half], strict=True))
