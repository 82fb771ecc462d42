"""The ledger of facts, and the views that are made with it."""

import json
from dataclasses import asdict
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.simulation.customer.feeling import begin
from servicebench_data.simulation.disclosing import FactLedger, write_opening
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.turns import Opening
from servicebench_data.simulation.views import know_facts, show_agent, show_customer
from tests.simulation.stage import FACTS, OPENING, make_parts, make_scenario

SAME = (*FACTS, ("f5", "I paid $64 for clothes at the airport.", "airport", "when_heard", True))


def make_ledger(facts: Any = FACTS) -> FactLedger:
    return FactLedger(know_facts(make_parts(facts=facts).facts))


def list_ids(facts: Any) -> list[str]:
    return [fact.fact_id for fact in facts]


def view(ledger: FactLedger) -> Any:
    feeling = begin("assertive_cold", "medium", load_constants())
    return show_customer(make_parts(), ledger, "assertive_cold", [], feeling)


def test_facts_pass_from_closed_to_out() -> None:
    ledger = make_ledger()
    assert [entry.disclosed_by for entry in ledger.note({"f1": "Monday"}, 0)] == ["opening"]
    assert (list_ids(ledger.told), list_ids(ledger.may_tell), list_ids(ledger.closed)) == (
        ["f1"],
        [],
        ["f2", "f3", "f4"],
    )
    ledger.open([Opening("f3", "asked", "How much?")])
    assert (list_ids(ledger.may_tell), list_ids(ledger.closed)) == (["f3"], ["f2", "f4"])
    (told,) = ledger.note({"f1": "Monday", "f3": "$64"}, 2)
    assert (told.fact.fact_id, told.message_index, told.disclosed_by, told.quote) == ("f3", 2, "elicited", "$64")
    assert ledger.note({"f3": "$64"}, 4) == []
    assert [entry.disclosed_by for entry in ledger.note({"f4": "ring"}, 6)] == ["early"]


def test_what_stands_in_the_same_sentence_may_come_along_and_was_volunteered() -> None:
    ledger = make_ledger(SAME)
    ledger.open([Opening("f3", "asked", "How much?")])
    assert list_ids(ledger.may_tell) == ["f3", "f5"]
    ways = {entry.fact.fact_id: entry.disclosed_by for entry in ledger.note({"f3": "$64", "f5": "airport"}, 2)}
    assert ways == {"f3": "elicited", "f5": "volunteered"}


@given(
    st.lists(st.tuples(st.sampled_from(["open", "note"]), st.sampled_from(list_ids(know_facts(make_parts().facts)))))
)
def test_every_fact_is_in_one_place_and_never_goes_back(steps: list[tuple[str, str]]) -> None:
    ledger, out = make_ledger(), set[str]()
    for index, (step, fact_id) in enumerate(steps):
        if step == "open":
            ledger.open([Opening(fact_id, "asked", "?")])
        else:
            ledger.note({fact_id: "words"}, index)
        places = [*list_ids(ledger.told), *list_ids(ledger.may_tell), *list_ids(ledger.closed)]
        assert sorted(places) == sorted(list_ids(ledger.facts))
        assert out <= set(list_ids(ledger.told))
        out = set(list_ids(ledger.told))


def test_full_information_tells_everything_at_once_and_nothing_twice() -> None:
    ledger = make_ledger(SAME)
    opening = write_opening(OPENING, ledger.facts, {"f1": "Monday"}, "full_information")
    assert opening.text.startswith(OPENING)
    for fact in ledger.facts[1:]:
        assert opening.text.count(fact.statement) == 1
    assert all(quote in opening.text for quote in opening.found.values())
    ledger.note(opening.found, 0)
    assert ledger.told == ledger.facts
    assert write_opening(OPENING, ledger.facts, {"f1": "Monday"}, "progressive").text == OPENING


def test_a_fact_of_the_opening_is_out_even_where_its_words_were_not_found() -> None:
    ledger = make_ledger()
    opening = write_opening(OPENING, ledger.facts, {}, "progressive")
    assert opening.found == {"f1": OPENING}


def test_the_customer_sees_closed_facts_in_no_form() -> None:
    ledger = make_ledger()
    ledger.note({"f1": "Monday"}, 0)
    shown = json.dumps(asdict(view(ledger)))
    assert "[flight-7]" not in shown
    assert "$64" not in shown
    assert "wedding" not in shown
    ledger.open([Opening("f3", "asked", "?")])
    shown = json.dumps(asdict(view(ledger)))
    assert "$64" in shown
    assert "wedding" not in shown


def test_the_customer_sees_nothing_of_the_record_and_the_agent_nothing_of_the_customer() -> None:
    scenario = make_scenario(
        case_record="Bags: record-sentinel",
        background="background-sentinel",
        expectation="wish-sentinel",
        events="events-sentinel",
        severity="high",
    )
    parts = make_parts(scenario)
    ledger = make_ledger()
    feeling = begin("passive_warm", "high", load_constants())
    customer = json.dumps(asdict(show_customer(parts, ledger, "passive_warm", [], feeling)))
    agent = json.dumps(asdict(show_agent(parts, "", [])))
    assert "record-sentinel" not in customer
    assert "reimburse essentials" not in customer
    assert "200" not in customer
    for word in ("background-sentinel", "wish-sentinel", "events-sentinel", "high", "passive_warm", "$64", "wedding"):
        assert word not in agent
    assert "record-sentinel" in agent
