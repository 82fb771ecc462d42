"""The bank of labelled agent messages: every label rests on words of its message and on facts of its scenario."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from benchmarks import gate
from schemas.industry import FactKind
from schemas.scenarios import Disclosure
from schemas.simulation import Flag
from servicebench_data.industries import load_industries

BANK = Path(__file__).parents[2] / "benchmarks" / "gate"
STYLES = ("terse_social", "formal_corporate", "warm_chatty", "llm_assistant", "broken_english", "blunt_or_hostile")
#: What the rules reach on the clean halves: all together, then the worst style. Raise these with the reader.
CLEAN, REACHED, REACHED_IN_STYLE = ["unseen", "sealed"], 0.9, 0.85
HALVES = {
    "dev": 30,
    "judge": 30,
    "fresh": 14,
    "final": 32,
    "unseen": 34,
    "sealed": 72,
}  # the least messages in each style
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


def test_the_rules_read_what_nobody_wrote_them_for_as_well_as_they_did() -> None:
    messages = gate.load_messages(CLEAN)
    readings = asyncio.run(gate.read_all(messages, None, ""))
    seen = [row for entry, reading in zip(messages, readings, strict=True) for row in gate.judge(entry, reading)]
    assert gate.measure(seen).is_kept(REACHED)
    rates = {style: gate.measure(row for row in seen if row.group == style) for style in STYLES}
    assert not [style for style, found in rates.items() if not found.is_kept(REACHED_IN_STYLE)]


def make_verdicts(group: str, right: int, wrong: int, missed: int) -> list[gate.Verdict]:
    signs = [*[(True, True)] * right, *[(False, True)] * wrong, *[(True, False)] * missed]
    return [gate.Verdict("apologises", group, "x", is_labelled, is_read) for is_labelled, is_read in signs]


@pytest.mark.parametrize(
    ("seen", "told", "broken"),
    [
        ([("a", 90, 10, 10), ("b", 90, 10, 10)], [("plain", 9, 1, 1)], set()),
        ([("a", 86, 14, 14), ("b", 99, 1, 1)], [], set()),
        ([("a", 90, 11, 0), ("b", 90, 11, 0)], [], {"all"}),
        ([("a", 90, 0, 11), ("b", 90, 0, 11)], [], {"all"}),
        ([("a", 84, 0, 16), ("b", 300, 0, 0)], [], {"a"}),
        ([("a", 84, 16, 0), ("b", 300, 0, 0)], [], {"a"}),
        ([("a", 9, 0, 0)], [("plain", 9, 2, 0)], {"facts"}),
        ([("a", 0, 0, 5), ("b", 99, 0, 0)], [], {"a"}),
        ([], [], {"all"}),
    ],
)
def test_a_bound_is_kept_only_where_precision_and_recall_are(
    seen: list[tuple[str, int, int, int]], told: list[tuple[str, int, int, int]], broken: set[str]
) -> None:
    verdicts = [[verdict for row in rows for verdict in make_verdicts(*row)] for rows in (seen, told)]
    bounds = dict(gate.judge_bounds(*verdicts))
    assert {line.split()[0] for line, is_kept in bounds.items() if not is_kept} == broken
    assert all(line.endswith("kept" if is_kept else "BROKEN") for line, is_kept in bounds.items())


def test_halves_are_measured_together_and_one_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [*gate.load_messages(["fresh"]), *gate.load_messages(["final"])]
    assert gate.load_messages(["fresh", "final"]) == both
    monkeypatch.setattr(gate, "FOLDER", BANK)
    with pytest.raises(SystemExit, match="'fresh' has no messages"):
        gate.load_messages(["fresh"])


@pytest.mark.parametrize(("least", "status"), [(0.5, 0), (0.999, 1)])
def test_the_benchmark_exits_with_what_it_found(
    least: float, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for bound in ("LEAST", "LEAST_OF_STYLE", "LEAST_TOLD"):
        monkeypatch.setattr(gate, bound, least)
    monkeypatch.setattr("sys.argv", ["gate.py", "--half", "fresh"])
    assert gate.main() == status
    assert ("BROKEN" in capsys.readouterr().out.splitlines()[-1]) == bool(status)
