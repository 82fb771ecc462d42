from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.customer_faults import Situation, find_kinds, read, read_situation
from schemas.simulation import SimulatorFaultKind
from servicebench_data.simulation.faults import DETECTORS, Fault, explain_fault, find_faults
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.turns import CustomerTurn

CONSTANTS = load_constants()
SITUATIONS: dict[str, Situation] = {name: read_situation(entry) for name, entry in read("contexts").items()}
PLANTED, CLEAN = read("planted"), read("clean")


@pytest.mark.parametrize("kind", [*DETECTORS, "unanswered"])
def test_planted_faults_of_each_kind_are_found(kind: SimulatorFaultKind) -> None:
    entries = [entry for entry in PLANTED if entry["fault"] == kind]
    found = [entry["id"] for entry in entries if kind in find_kinds(entry, SITUATIONS)]
    assert len(entries) >= 3
    assert len(found) >= 0.9 * len(entries)


def test_clean_turns_raise_nothing() -> None:
    assert {entry["id"]: kinds for entry in CLEAN if (kinds := find_kinds(entry, SITUATIONS))} == {}
    assert len(CLEAN) >= 50
    assert len(PLANTED) >= 80


def test_the_words_of_a_fault_stand_in_the_message() -> None:
    for entry in PLANTED:
        if entry["fault"] in {"role_flip", "assistant_speech", "invented_fact", "early_disclosure", "denied_fact"}:
            situation = SITUATIONS[entry["context"]]
            turn = CustomerTurn(entry["message"], (), entry.get("decision", "continue"))
            faults = find_faults(turn, situation.view, situation.closed, CONSTANTS)
            assert all(fault.detail in entry["message"] for fault in faults if fault.kind == entry["fault"])


def test_leaving_is_allowed_with_the_last_straw_or_little_patience() -> None:
    situation = SITUATIONS["room"]
    turn = CustomerTurn("I am done with this hotel.", (), "leave")
    for view, expected in (
        (situation.view, True),
        (replace(situation.view, patience=CONSTANTS.may_leave_below), False),
        (replace(situation.view, attitude=4), False),
        (replace(situation.view, is_last_straw=True), False),
    ):
        kinds = {fault.kind for fault in find_faults(turn, view, situation.closed, CONSTANTS)}
        assert ("premature_end" in kinds) is expected


def test_what_the_agent_or_the_customer_said_may_be_said_again() -> None:
    situation = SITUATIONS["bag"]
    turn = CustomerTurn("I flew on BW 318. Is the $50 for Bristol alone?", ("f3",), "continue")
    assert find_faults(turn, situation.view, situation.closed, CONSTANTS) == []
    other = CustomerTurn("I flew on BW 318. Is the $55 for Bristol alone?", ("f3",), "continue")
    assert [fault.kind for fault in find_faults(other, situation.view, situation.closed, CONSTANTS)] == [
        "invented_fact"
    ]


POOL = "the bag has my ring in it and nobody will say when it comes back"
WORDS = st.lists(st.sampled_from(sorted(set(POOL.split()))), min_size=8)


@given(st.lists(WORDS.map(" ".join), min_size=1, max_size=4, unique_by=str.lower), st.data())
def test_a_message_that_goes_in_circles_repeats_itself(sentences: list[str], data: st.DataObject) -> None:
    once = ". ".join(sentence.capitalize() for sentence in sentences) + "."
    again = f"{once} {data.draw(st.sampled_from(sentences)).capitalize()}."
    situation = SITUATIONS["room"]
    for message, is_circle in ((once, False), (again, True)):
        turn = CustomerTurn(message, (), "continue")
        kinds = {fault.kind for fault in find_faults(turn, situation.view, situation.closed, CONSTANTS)}
        assert ("repetition" in kinds) is is_circle


def test_a_refrain_is_no_circle() -> None:
    turn = CustomerTurn("I want my room. Two nights it was not there. I want my room.", (), "continue")
    situation = SITUATIONS["room"]
    found = find_faults(turn, situation.view, situation.closed, CONSTANTS)
    assert "repetition" not in {fault.kind for fault in found}


@given(st.text(max_size=200), st.sampled_from(sorted(SITUATIONS)))
def test_any_text_can_be_held_against_a_view(text: str, name: str) -> None:
    situation = SITUATIONS[name]
    for fault in find_faults(CustomerTurn(text, (), "continue"), situation.view, situation.closed, CONSTANTS):
        assert explain_fault(fault)


def test_every_kind_has_words_for_the_model() -> None:
    assert {*DETECTORS, "misread", "unanswered"} == set(get_args(SimulatorFaultKind))
    for kind in get_args(SimulatorFaultKind):
        assert explain_fault(Fault(kind, "some words"))
