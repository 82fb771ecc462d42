"""What a reviewer sees: evidence in the right order, masked text alone, and the loop from a decision to its page."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schemas.review import Override
from servicebench_data.journeys.reviewing import describe_sureness, make_sheet, read_evidence, read_forms
from servicebench_data.lake.store import Lake
from servicebench_data.review.forms import Item, Sheet
from servicebench_data.review.incoming import read_decisions
from servicebench_data.review.overrides import merge_overrides
from servicebench_data.review.sheets import write_sheet
from tests.journeys.stored import complaints, found, rebuild, store
from tests.journeys.words import airline
from tests.review.items import NOW, decide


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return store(tmp_path_factory.mktemp("reviewed"))


def show(lake: Lake, dialogues: int = 10) -> Sheet:
    return make_sheet(read_evidence(lake, airline()), dialogues)


def pick(sheet: Sheet, kind: str) -> list[Item]:
    return [item for item in sheet.items if item.kind == kind]


def test_every_topic_is_shown_with_its_evidence_and_novel_ones_come_first(stored: Lake) -> None:
    items, rows = pick(show(stored), "topic"), {row["topic_id"]: row for row in found()[0].topic.to_pylist()}
    assert {item.item_id for item in items} == set(rows)
    novel = [rows[item.item_id]["is_novel"] for item in items]
    assert novel == sorted(novel, reverse=True)
    texts = {row["dialogue_id"]: row["customer_text"] for row in complaints().to_pylist()}
    for item in items:
        row, facts = rows[item.item_id], dict(item.facts)
        assert facts["size"].startswith(f"{row['size']} dialogues")
        assert facts["keywords"] == ", ".join(row["keywords"])
        assert f"margin {row['margin']:.2f}" in facts["proposed"]
        assert facts["nearest rival"] != "none"
        assert list(item.texts) == [texts[name] for name in row["representative_ids"]]
        assert 1 <= len(item.texts) <= 10


def test_the_least_certain_dialogues_are_shown_least_certain_first(stored: Lake) -> None:
    margins = {row["dialogue_id"]: row["margin"] for row in found()[1].to_pylist() if row["margin"] is not None}
    shown = [item.item_id for item in pick(show(stored, 7), "dialogue")]
    assert shown == sorted(margins, key=lambda name: (margins[name], name))[:7]
    assert pick(show(stored, 0), "dialogue") == []


def test_what_a_model_settled_is_shown_first_and_each_coding_says_who_decided_it(stored: Lake) -> None:
    evidence = read_evidence(stored, airline())
    sure, doubted, no_fit, decided = sorted(
        (row for row in evidence.codings.values() if row.margin is not None and row.category_id),
        key=lambda row: -(row.margin or 0),
    )[:4]
    silent = next(row for row in evidence.codings.values() if row.unassigned_reason == "no_text")
    nothing = {"confidence": None, "margin": None}
    unassigned = {"category_id": None, "stage_id": None, "unassigned_reason": "no_category_fits"}
    changed = [
        doubted.model_copy(update={**nothing, "method": "model"}),
        no_fit.model_copy(update={**nothing, **unassigned, "method": "model"}),
        decided.model_copy(update={**nothing, "method": "override"}),
    ]
    mixed = replace(evidence, codings={**evidence.codings, **{row.dialogue_id: row for row in changed}})
    items = {item.item_id: item for item in pick(make_sheet(mixed, len(mixed.codings)), "dialogue")}
    assert list(items)[:2] == [no_fit.dialogue_id, doubted.dialogue_id]
    assert decided.dialogue_id not in items
    assert silent.dialogue_id not in items
    assert [item.item_id for item in pick(make_sheet(mixed, 1), "dialogue")] == [no_fit.dialogue_id]
    assert all("settled by a model" in dict(items[row.dialogue_id].facts)["sureness"] for row in (no_fit, doubted))
    assert f"margin {sure.margin:.2f}" in dict(items[sure.dialogue_id].facts)["sureness"]
    assert describe_sureness(changed[2]) == "decided by a person"
    assert "no word" in describe_sureness(silent)


def test_every_category_can_be_chosen_and_merging_names_the_other_topics(stored: Lake) -> None:
    form = show(stored).forms[0]
    recode, merge = (next(action for action in form.actions if action.name == name) for name in ("recode", "merge"))
    assert [choice.value for choice in recode.choices] == [category.id for category in airline().journey.categories]
    assert {choice.value for choice in merge.choices} == {item.item_id for item in pick(show(stored), "topic")}


def on(item: Item, action: str, value: str = "") -> Override:
    keys: dict[str, Any] = {"kind": item.kind, "industry": "airline", "item_sha256": item.sha256}
    return decide(item.item_id, action, value, **keys)


DECISIONS: list[tuple[str, Callable[[Item], Override], str]] = [
    ("topic", lambda item: on(item, "recode", "tarmac_holds"), "applied"),
    ("dialogue", lambda item: on(item, "not_a_complaint"), "applied"),
    ("topic", lambda item: on(item, "propose", "Lounge Access"), "proposal"),
    ("topic", lambda item: on(item, "keep"), "kept"),
]


@pytest.mark.parametrize(("kind", "make", "outcome"), DECISIONS)
def test_a_decision_is_applied_at_the_next_build_and_shown_with_what_became_of_it(
    kind: str, make: Callable[[Item], Override], outcome: str, tmp_path: Path
) -> None:
    lake = store(tmp_path)
    item = pick(show(lake), kind)[0]
    merge_overrides(lake.overrides, [make(item)])
    rebuild(lake)
    again = next(entry for entry in show(lake).items if entry.item_id == item.item_id)
    assert again.sha256 == item.sha256
    assert again.outcome == outcome
    assert again.decided is not None
    assert again.decided.author == "Ann"


def test_a_stale_decision_stands_out_first(tmp_path: Path) -> None:
    lake = store(tmp_path)
    item = pick(show(lake), "dialogue")[-1]
    merge_overrides(lake.overrides, [on(item, "recode", "tarmac_holds").model_copy(update={"item_sha256": "9" * 64})])
    rebuild(lake)
    first = pick(show(lake, 2), "dialogue")[0]
    assert (first.item_id, first.outcome, first.badges) == (item.item_id, "stale", ("decision is stale",))


def test_the_csv_filled_in_by_hand_is_taken(stored: Lake, tmp_path: Path) -> None:
    sheet = show(stored)
    item = pick(sheet, "topic")[0]
    text = write_sheet(sheet).replace(f"{item.sha256},,,,,,", f"{item.sha256},,recode,tarmac_holds,Ann,it is so,", 1)
    path = tmp_path / "airline.csv"
    path.write_text(text, encoding="utf-8")
    forms = {(form.kind, "airline"): form for form in read_forms(stored, airline())}
    assert [entry.item_id for entry in read_decisions(path, forms, NOW)] == [item.item_id]


def test_before_a_build_there_are_categories_and_no_items(tmp_path: Path) -> None:
    forms = read_forms(Lake(tmp_path), airline())
    assert [(form.kind, dict(form.digests)) for form in forms] == [("topic", {}), ("dialogue", {})]
