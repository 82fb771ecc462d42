"""The review queue: failed scenarios first, within a limit, with what failed; and from a decision back to its page."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.scenarios import Candidate
from servicebench_data.lake.arrow import to_records
from servicebench_data.lake.store import Lake
from servicebench_data.review.cells import ReviewError
from servicebench_data.review.forms import Item, Sheet
from servicebench_data.review.incoming import list_items, read_decisions
from servicebench_data.review.overrides import merge_overrides
from servicebench_data.review.sheets import write_sheet
from servicebench_data.scenarios.assembly import build_parts, verify
from servicebench_data.scenarios.cells import lay_text
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.reviewing import choose_queue, make_sheet, rank_failures, read_form
from servicebench_data.scenarios.stored import read_parts
from tests.review.items import NOW
from tests.scenarios.decided import NAME, PARTS, SOURCE, Coder, digest, on, rename, store
from tests.scenarios.dialogues import knowledge, make_source

TOLD = "The airline lost the customer's bag on flight 1234 from Denver on Tuesday."
BROKEN = rename(SOURCE, "d-broken")
EMPTY = rename(make_source(("customer", "hm"), ("account", "Hi.")), "d-empty")
OTHERS = [rename(SOURCE, f"d-{number}") for number in range(6)]
INDUSTRY = knowledge().industry


def plant() -> dict[str, Parts]:
    """Parts of the broken scenario."""
    parts = build_parts(BROKEN, knowledge(), seed=1, stale_rate=0)
    broken = lay_text(parts, "event.0.text", "The airline lost the customer's bag and $999.")
    return {BROKEN.scenario_id: verify(broken, BROKEN, knowledge())}


def build(folder: Path, coder: Coder | None = None) -> Lake:
    lake = Lake(folder)
    store(lake, [SOURCE, BROKEN, EMPTY, *OTHERS], coder or Coder(), plant())
    return lake


def show(lake: Lake, limit: int = 10, sample: int = 10) -> Sheet:
    return make_sheet(lake, INDUSTRY, choose_queue(lake, "airline", limit=limit, sample=sample, seed=1))


def pick(sheet: Sheet, name: str = NAME) -> Item:
    return next(item for item in sheet.items if item.item_id == name)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return build(tmp_path_factory.mktemp("queue"))


def test_what_failed_comes_first_with_the_offending_words_marked_where_they_stand(built: Lake) -> None:
    item = show(built).items[0]
    assert item.item_id == BROKEN.scenario_id
    assert item.badges == ("not borne out by its source",)
    failed = [cell for cell in item.cells if cell.group == "What failed"]
    assert any('the amount "$999" is not in the dialogue' in (cell.text or "") for cell in failed)
    assert all([action.name for action in cell.actions] == ["accept"] for cell in failed)
    assert "$999" in next(cell for cell in item.cells if cell.name == "event.0.text").marks


def test_the_source_and_every_part_are_shown(built: Lake) -> None:
    item = pick(show(built))
    assert item.texts == tuple(f"{turn.role}: {turn.text}" for turn in SOURCE.turns)
    shown = {cell.name: cell.text for cell in item.cells}
    for row in PARTS.events:
        assert shown[f"event.{row.event_index}.text"] == row.text
    for fact in PARTS.facts:
        assert (shown[f"fact.{fact.fact_id}.statement"], shown[f"fact.{fact.fact_id}.disclosure"]) == (
            fact.statement, fact.disclosure,
        )  # fmt: skip
    assert PARTS.severity is not None
    assert shown["severity.level"] == PARTS.severity.level
    assert [shown[f"policy.{row.policy_id}"] for row in PARTS.case_policies] == [
        row.text for row in PARTS.case_policies
    ]
    assert {cell.group for cell in item.cells} >= {"Background", "Expectation", "Case record", "Policies"}


def test_what_cannot_be_edited_is_not_in_the_queue_and_the_sample_is_always_the_same(built: Lake) -> None:
    ids = [item.item_id for item in show(built, sample=3).items]
    assert EMPTY.scenario_id not in ids
    assert len(ids) == 1 + 3
    assert ids == [item.item_id for item in show(built, sample=3).items]
    more = [item.item_id for item in show(built, sample=5).items]
    assert more[:4] == ids


def test_the_limit_says_what_it_left_out(tmp_path: Path) -> None:
    lake = build(tmp_path, Coder("tarmac_holds"))
    queue = choose_queue(lake, "airline", limit=2, sample=5, seed=1)
    assert len(queue.scenario_ids) == 2
    assert queue.left_out == {"recoded_differently": 6}
    sheet = make_sheet(lake, INDUSTRY, queue)
    assert "Left out for the limit: 6 coded to another category." in sheet.intro
    assert {item.badges for item in sheet.items} == {("not borne out by its source",), ("coded to another category",)}
    recoded = next(item for item in sheet.items if item.badges == ("coded to another category",))
    assert "to Tarmac and Gate Waits." in (recoded.cells[0].text or "")


@given(st.dictionaries(st.text("abc", min_size=1), st.sampled_from(["ungrounded", "recoded_differently", None])))
def test_kinds_of_failure_take_turns(reasons: dict[str, str | None]) -> None:
    ranked = rank_failures(reasons, {}, 1)
    assert sorted(ranked) == sorted(name for name, reason in reasons.items() if reason)
    kinds = [reasons[name] for name in ranked]
    fewest = min(kinds.count("ungrounded"), kinds.count("recoded_differently"))
    assert kinds[: 2 * fewest] == ["ungrounded", "recoded_differently"] * fewest


def test_the_page_holds_the_digests_that_the_build_goes_by(built: Lake) -> None:
    item = pick(show(built))
    assert item.sha256 == digest(NAME)
    for cell in item.cells:
        if cell.actions:
            assert cell.sha256 == digest(f"{NAME}/{cell.name}")


def test_an_edit_is_in_the_next_build_and_stays_on_the_page_with_what_was_there_before(tmp_path: Path) -> None:
    lake = build(tmp_path)
    merge_overrides(lake.overrides, [on("event.0.text", "edit", TOLD), on("", "take_out", hours=1)])
    for _ in range(2):  # the second build is made from the first one's overrides and must not find them stale
        build(tmp_path)
        item = pick(show(lake))
        cell = next(cell for cell in item.cells if cell.name == "event.0.text")
        assert (cell.text, cell.outcome) == (TOLD, "applied")
        assert f"as made: {PARTS.events[0].text}" in cell.notes
        assert (item.sha256, cell.sha256) == (digest(NAME), digest(f"{NAME}/event.0.text"))
        assert (item.outcome, item.badges) == ("applied", ("taken out",))
    (candidate,) = (row for row in to_records(Candidate, lake.read(Candidate, "airline")) if row.scenario_id == NAME)
    assert (candidate.rejection_reason, candidate.edited_parts) == ("taken_out", ["event"])


def test_a_withdrawn_edit_is_gone_at_the_next_build(tmp_path: Path) -> None:
    lake = build(tmp_path)
    merge_overrides(lake.overrides, [on("event.0.text", "edit", TOLD)])
    build(tmp_path)
    merge_overrides(lake.overrides, [on("event.0.text", "keep", hours=1)])
    build(tmp_path)
    cell = next(cell for cell in pick(show(lake)).cells if cell.name == "event.0.text")
    assert (cell.text, cell.outcome) == (PARTS.events[0].text, "kept")


def test_a_stale_decision_comes_first_and_says_so(tmp_path: Path) -> None:
    lake = build(tmp_path)
    merge_overrides(lake.overrides, [on("event.0.text", "edit", TOLD, item_sha256="9" * 64)])
    build(tmp_path)
    item = show(lake, sample=0).items[0]
    assert (item.item_id, item.badges) == (NAME, ("valid", "1 decisions are stale"))
    form = read_form(lake, INDUSTRY, [NAME])
    assert form.digests[f"{NAME}/event.0.text"] == digest(f"{NAME}/event.0.text")


def test_an_edit_that_fails_is_told_beside_the_decision(tmp_path: Path) -> None:
    lake = build(tmp_path)
    merge_overrides(lake.overrides, [on("event.0.text", "edit", "The airline lost $999.")])
    build(tmp_path)
    assert "event: amount: $999" in read_form(lake, INDUSTRY, [NAME]).notes[f"{NAME}/event.0.text"]
    assert "fails with its edits" in show(lake, sample=0).items[0].badges


def test_the_csv_filled_in_by_hand_is_taken_and_bad_rows_are_refused_together(built: Lake, tmp_path: Path) -> None:
    text = write_sheet(show(built))
    level, event = (f"{NAME},{digest(f'{NAME}/{name}')},{name}," for name in ("severity.level", "event.0.text"))
    path = tmp_path / "back.csv"
    path.write_text(text.replace(f"{level},,,,", f"{level}edit,high,Ann,grave,"))
    assert list_items(path) == {NAME}
    forms = {("scenario", "airline"): read_form(built, INDUSTRY, list_items(path))}
    assert [(entry.cell, entry.value) for entry in read_decisions(path, forms, NOW)] == [("severity.level", "high")]
    bad = text.replace(f"{level},,,,", f"{level}edit,grave,Ann,it is,")
    path.write_text(bad.replace(f"{event},,,,", event.replace("event.0", "event.7") + "edit,words,Ann,it is,"))
    forms = {("scenario", "airline"): read_form(built, INDUSTRY, list_items(path))}
    with pytest.raises(ReviewError) as caught:
        read_decisions(path, forms, NOW)
    assert len(caught.value.faults) == 2
    assert "low, medium, high" in str(caught.value)
    assert "'event.7.text'" in str(caught.value)


def test_before_a_build_there_is_nothing_to_decide_on(tmp_path: Path) -> None:
    form = read_form(Lake(tmp_path), INDUSTRY, [NAME])
    assert (form.cells, dict(form.digests)) == ({}, {})


def test_parts_come_back_from_the_lake_as_they_were_stored(built: Lake) -> None:
    parts = read_parts(built, "airline", [NAME, "s-gone"])
    assert list(parts) == [NAME]
    coded = PARTS.candidate.model_copy(update={"recoded_category_id": PARTS.candidate.category_id})
    assert parts[NAME] == replace(PARTS, candidate=coded)
