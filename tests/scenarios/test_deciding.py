"""Edits are laid before the checks, hold only for what a person saw, and are told of whatever becomes of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.review import Override
from schemas.scenarios import Candidate, ScenarioDecision
from servicebench_data.lake.arrow import to_records
from servicebench_data.scenarios.assembly import build_parts
from servicebench_data.scenarios.candidates import build_candidates
from servicebench_data.scenarios.cells import CellError, find_part, lay_text, list_cells
from servicebench_data.scenarios.deciding import conclude, revise
from servicebench_data.scenarios.decisions import digest_made, name_failure, name_recoding
from servicebench_data.scenarios.parts import Parts, Source
from tests.scenarios.decided import CATEGORY, NAME, PARTS, SOURCE, Coder, gather, on
from tests.scenarios.dialogues import knowledge, make_source
from tests.scenarios.test_assembly import POSTS

TOLD = "The airline lost the customer's bag on flight 1234 from Denver on Tuesday."
WRONG = "The airline lost the customer's bag and $999."
FAILURE = name_failure("event", "amount", "$999")


def decide_all(
    *decisions: Override, source: Source = SOURCE, parts: Parts = PARTS, coder: Coder | None = None
) -> tuple[Parts, dict[str, ScenarioDecision]]:
    """The scenario in the end, and what became of each decision, by cell."""
    coded = coder or Coder()
    tables = build_candidates([source], knowledge(), coded, lambda _: [parts], gather(*decisions))
    rows = to_records(ScenarioDecision, tables[ScenarioDecision])
    (candidate,) = to_records(Candidate, tables[Candidate])
    revised = revise(parts, source, knowledge(), decisions)
    return replace(revised.parts, candidate=candidate), {row.cell: row for row in rows}


def test_an_edit_is_laid_before_the_text_is_checked_and_coded_again() -> None:
    coder = Coder()
    parts, rows = decide_all(on("event.0.text", "edit", TOLD), coder=coder)
    assert parts.events[0].text == TOLD
    assert parts.events[0].made_by == "offline"
    assert TOLD in coder.texts[0]
    assert parts.candidate.is_valid
    assert parts.candidate.edited_parts == ["event"]
    row = rows["event.0.text"]
    assert (row.outcome, row.made_text, row.value, row.open_failures) == ("applied", PARTS.events[0].text, TOLD, [])


def test_an_edit_that_the_source_does_not_bear_out_is_rejected_and_says_so() -> None:
    parts, rows = decide_all(on("event.0.text", "edit", WRONG))
    assert (parts.candidate.is_valid, parts.candidate.rejection_reason) == (False, "ungrounded")
    assert rows["event.0.text"].outcome == "applied"
    assert "event: amount: $999" in rows["event.0.text"].open_failures


def test_an_inferred_sentence_is_no_way_round_the_checks() -> None:
    place = next(row.sentence_index for row in PARTS.background if row.is_inferred)
    parts, _ = decide_all(on(f"background.{place}.text", "edit", "I paid $999 in Paris."))
    assert {row.span for row in parts.failures} >= {"$999", "Paris"}


def test_a_failure_is_accepted_by_name_and_never_silently() -> None:
    edit = on("event.0.text", "edit", WRONG)
    failures = [name_failure(row.part, row.check, row.span) for row in decide_all(edit)[0].failures]
    assert FAILURE in failures
    parts, rows = decide_all(edit, *(on(name, "accept") for name in failures))
    assert parts.candidate.is_valid
    assert "event: amount: $999" in parts.candidate.accepted_failures
    assert all(row.is_accepted for row in parts.failures)
    assert {row.outcome for row in rows.values()} == {"applied"}
    assert rows["event.0.text"].open_failures == []


def test_one_accepted_failure_does_not_excuse_another() -> None:
    edit = on("event.0.text", "edit", "The airline lost the customer's bag, $999 and $888.")
    parts, rows = decide_all(edit, on(FAILURE, "accept"))
    assert parts.candidate.rejection_reason == "ungrounded"
    assert "event: amount: $999" not in rows["event.0.text"].open_failures
    assert "event: amount: $888" in rows["event.0.text"].open_failures


def test_accepting_what_does_not_fail_is_missing_and_for_another_text_stale() -> None:
    assert decide_all(on(FAILURE, "accept"))[1][FAILURE].outcome == "missing"
    edit = on("event.0.text", "edit", WRONG)
    parts, rows = decide_all(edit, on(FAILURE, "accept", item_sha256="9" * 64))
    assert (rows[FAILURE].outcome, parts.candidate.is_valid) == ("stale", False)


@pytest.mark.parametrize("category", ["tarmac_holds", None])
def test_the_second_coding_can_be_accepted_too(category: str | None) -> None:
    name = name_recoding(category)
    assert not decide_all(on("", "keep"), coder=Coder(category))[0].candidate.is_valid
    parts, rows = decide_all(on(name, "accept"), coder=Coder(category))
    assert (parts.candidate.is_valid, rows[name].outcome) == (True, "applied")
    assert parts.candidate.accepted_failures == [f"recoding: {category or 'unassigned'}"]
    parts, rows = decide_all(on(name, "accept"), coder=Coder("missed_connections"))
    assert (parts.candidate.is_valid, rows[name].outcome) == (False, "missing")


def test_an_edit_of_what_has_changed_since_is_stale_and_not_laid() -> None:
    edit = on("event.0.text", "edit", TOLD)
    turns = (replace(SOURCE.turns[0], text=SOURCE.turns[0].text + " Still nothing."), *SOURCE.turns[1:])
    _, rows = decide_all(edit, source=replace(SOURCE, turns=turns))
    assert rows["event.0.text"].outcome == "stale"
    other = lay_text(PARTS, "event.0.text", "The airline lost the customer's bag.")
    parts, rows = decide_all(edit, parts=other)
    assert (rows["event.0.text"].outcome, parts.events) == ("stale", other.events)
    assert parts.candidate.edited_parts == []


def test_an_edit_outlives_changes_elsewhere_in_the_scenario() -> None:
    other = lay_text(PARTS, "severity.reason", "Medium: a bag was lost.")
    assert decide_all(on("event.0.text", "edit", TOLD), parts=other)[1]["event.0.text"].outcome == "applied"


@pytest.mark.parametrize(
    ("decision", "outcome"),
    [
        (on("", "keep"), "kept"),
        (on("event.0.text", "keep", item_sha256="9" * 64), "kept"),
        (on("event.9.text", "edit", "x", item_sha256="9" * 64), "missing"),
        (on("severity.level", "edit", "grave"), "refused"),
        (on("severity.reason", "clear"), "refused"),
        (on("expectation.explanation", "clear"), "applied"),
        (on("expectation.compensation_max_usd", "edit", "-5"), "refused"),
        (on("expectation.is_loss_money", "edit", "yes"), "applied"),
    ],
)
def test_what_becomes_of_a_decision(decision: Override, outcome: str) -> None:
    assert decide_all(decision)[1][decision.cell].outcome == outcome


def test_what_was_taken_out_stays_out_also_when_its_source_has_changed() -> None:
    parts, rows = decide_all(on("", "take_out"))
    assert (parts.candidate.is_valid, parts.candidate.rejection_reason) == (False, "taken_out")
    assert rows[""].outcome == "applied"
    parts, rows = decide_all(on("", "take_out", item_sha256="9" * 64))
    assert (parts.candidate.rejection_reason, rows[""].outcome) == ("taken_out", "stale")


def test_a_decision_on_a_scenario_that_is_not_there_is_missing() -> None:
    other = on("", "take_out").model_copy(update={"item_id": "s-gone"})
    assert decide_all(other)[1][""].outcome == "missing"


def test_a_sentence_comes_out_with_the_latest_of_its_facts() -> None:
    sentence = next(row for row in PARTS.background if row.disclosure == "opening" and row.fact_ids)
    edits = [on(f"fact.{name}.disclosure", "edit", "when_heard") for name in sentence.fact_ids]
    parts, _ = decide_all(*edits)
    assert parts.background[sentence.sentence_index].disclosure == "when_heard"
    assert parts.candidate.edited_parts == ["fact"]


def test_a_shown_value_that_is_not_the_truth_is_out_of_date_with_a_cause() -> None:
    parts, _ = decide_all(on("case_field.flight_number.shown", "edit", "4321"))
    row = next(row for row in parts.case_fields if row.field_id == "flight_number")
    assert (row.shown, row.truth, row.is_stale) == ("4321", "1234", True)
    assert row.stale_cause
    assert parts.candidate.edited_parts == ["case_record"]
    assert not [failure for failure in parts.failures if failure.check == "stale"]


def test_a_range_that_does_not_fit_the_loss_is_rejected() -> None:
    parts, _ = decide_all(on("expectation.compensation_min_usd", "edit", "150"))
    assert ("expectation", "compensation") in {(row.part, row.check) for row in parts.failures}


def test_a_scenario_that_was_never_whole_is_not_made_valid_by_an_edit() -> None:
    parts = build_parts(make_source(("customer", "hm"), ("account", "Hi.")), knowledge(), seed=1, stale_rate=0)
    ended, rows = decide_all(on("", "keep"), parts=parts)
    assert ended.candidate.rejection_reason == "no_events"
    assert rows[""].outcome == "stale"


def test_without_a_decision_nothing_is_touched() -> None:
    revised = revise(PARTS, SOURCE, knowledge(), [])
    assert revised.parts is PARTS
    assert conclude(revised, PARTS) is PARTS


@given(st.permutations([on("event.0.text", "edit", TOLD), on("severity.level", "edit", "high"), on("", "take_out")]))
def test_the_order_of_decisions_does_not_matter(decisions: list[Override]) -> None:
    assert decide_all(*decisions) == decide_all(*sorted(decisions, key=lambda entry: entry.cell))


@given(POSTS)
def test_every_cell_takes_back_what_it_holds(posts: list[tuple[str, str]]) -> None:
    parts = build_parts(make_source(*posts, category_id=CATEGORY), knowledge(), seed=3, stale_rate=0.5)
    laid = parts
    for name, text in list_cells(parts).items():
        assert find_part(name)
        laid = lay_text(laid, name, text)
    assert laid == parts


@given(st.sampled_from(sorted(list_cells(PARTS))))
def test_another_text_changes_the_digest_of_its_cell_and_of_the_whole(name: str) -> None:
    made = list_cells(PARTS)
    before, after = (digest_made(NAME, [("customer", "hm")], cells) for cells in (made, {**made, name: "else"}))
    assert {target for target in before if before[target] != after[target]} == {NAME, f"{NAME}/{name}"}


@pytest.mark.parametrize("name", ["event.9.text", "event.text", "severity.0.level", "event.0.made_by", "x", ""])
def test_what_is_no_cell_is_named(name: str) -> None:
    with pytest.raises(CellError, match="no cell"):
        lay_text(PARTS, name, "x")
