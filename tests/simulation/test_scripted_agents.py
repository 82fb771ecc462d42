"""Scripted agents: what each does on purpose, and that they read like people."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.experiment import Script
from schemas.simulation import ActKind
from servicebench_data.simulation.agents.case import Case, list_values
from servicebench_data.simulation.agents.questions import list_questions
from servicebench_data.simulation.agents.scripted import ScriptedAgent
from servicebench_data.simulation.agents.topics import list_topics, load
from servicebench_data.simulation.agents.wording import find_names
from servicebench_data.simulation.turns import AgentTurn, AgentView, Said
from tests.simulation.views import ANSWERS, BAG, CARE, go_on

SCRIPTS: tuple[Script, ...] = get_args(Script)


def reply(script: Script, view: AgentView, seed: int = 7) -> AgentTurn:
    return asyncio.run(ScriptedAgent(script).reply(view, seed=seed, scope="s/c/0/1"))


def talk(script: Script, view: AgentView = BAG, turns: int = 5, seed: int = 7) -> list[AgentTurn]:
    found: list[AgentTurn] = []
    for answer in islice(cycle(ANSWERS), turns):
        found.append(reply(script, view, seed))
        view = go_on(view, found[-1].message, answer)
    return found


def list_acts(turns: Sequence[AgentTurn]) -> list[ActKind]:
    return [act.kind for turn in turns for act in turn.acts or ()]


def sum_goodwill(turn: AgentTurn) -> float:
    return sum(offer.amount_usd or 0 for offer in turn.offers if offer.kind != "entitlement")


def test_the_just_one_acknowledges_asks_explains_and_gives_in_this_order() -> None:
    first, second, third, *_ = talk("just")
    assert list_acts([first])[:3] == ["acknowledged", "apologised", "checked_record"]
    assert list_acts([first]).count("asked") == 2
    assert "without your bag" in first.message or "your bag did not come" in first.message
    assert "BW 519" in first.message
    assert not first.offers
    assert not second.offers
    assert "late transfer" in second.message
    assert [(offer.kind, offer.policy_id) for offer in third.offers] == [
        ("entitlement", "essentials"),
        ("goodwill_cash", None),
    ]
    assert {"named_deadline", "gave_choice"} <= set(list_acts([third]))
    assert "brought to my hotel tonight" in third.message


def test_the_just_one_raises_once_and_stays_within_the_limit() -> None:
    turns = talk("just", turns=12)
    goodwill = [offer for turn in turns for offer in turn.offers if offer.kind == "goodwill_cash"]
    assert [offer.relation for offer in goodwill] == ["new", "raise"]
    assert 0 < (goodwill[0].amount_usd or 0) < (goodwill[1].amount_usd or 0) <= 200


def test_the_just_one_says_again_what_it_gave_and_nothing_else() -> None:
    turns = talk("just", turns=7)
    raised = [offer.amount_usd for turn in turns for offer in turn.offers][-1]
    recaps = [turn.message for turn in turns[3:] if "in goodwill" in turn.message]
    assert recaps
    assert all(f"${raised:.0f} in goodwill" in message for message in recaps)


def test_goodwill_grows_with_the_gravity_of_the_case() -> None:
    slight = replace(BAG, said=(Said("customer", "The snack on board was stale."),))
    grave = replace(BAG, said=(Said("customer", "The driver threatened me and I ended up bleeding in hospital."),))
    amounts = [sum_goodwill(talk("just", view, 3)[2]) for view in (slight, BAG, grave)]
    assert amounts == sorted(set(amounts))
    tight = replace(BAG, goodwill_limit_usd=20.0)
    assert sum_goodwill(talk("just", tight, 3)[2]) <= 20
    assert not any(
        offer.kind == "goodwill_cash"
        for turn in talk("just", replace(BAG, goodwill_limit_usd=0.0))
        for offer in turn.offers
    )


def test_nothing_is_owed_below_the_threshold_of_its_policy() -> None:
    short = replace(BAG, policies=(CARE,), said=(Said("customer", "We have been delayed for 2 hours at the gate."),))
    long = replace(short, said=(Said("customer", "We have been delayed for 5 hours at the gate."),))
    assert Case(short).owed is None
    owed = Case(long).owed
    assert owed is not None
    assert (owed.policy.policy_id, owed.amount_usd) == ("care", 12.0)


def test_the_cold_one_is_correct_and_gives_nothing_of_its_own() -> None:
    turns = talk("cold")
    assert not {"acknowledged", "apologised", "gave_choice"} & set(list_acts(turns))
    assert {"checked_record", "asked", "explained", "named_deadline", "refused"} <= set(list_acts(turns))
    assert {offer.kind for turn in turns for offer in turn.offers} == {"entitlement"}


def test_the_premature_payer_pays_at_once_and_never_asks() -> None:
    turns = talk("premature_payer")
    assert [sum_goodwill(turn) for turn in turns] == [100.0, 150.0, 200.0, 0.0, 0.0]
    assert not {"asked", "checked_record", "explained", "acknowledged"} & set(list_acts(turns))


def test_the_evader_deflects_and_gives_nothing() -> None:
    turns = talk("evader", turns=8)
    assert not any(turn.offers for turn in turns)
    assert {"evaded", "repeated_question", "blamed"} <= set(list_acts(turns))
    assert not {"explained", "promised", "apologised", "checked_record"} & set(list_acts(turns))


def test_the_over_promiser_passes_the_limit_and_contradicts_itself() -> None:
    turns = talk("over_promiser")
    assert sum_goodwill(turns[1]) > BAG.goodwill_limit_usd
    assert {"over_promised", "contradicted"} <= set(list_acts(turns))
    assert "goodwill_non_cash" in {offer.kind for turn in turns for offer in turn.offers}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_message_depends_on_view_and_seed_alone(script: Script) -> None:
    assert talk(script) == talk(script)
    assert any(reply(script, BAG, seed).message != reply(script, BAG).message for seed in range(1, 9))


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_message_is_said_twice(script: Script) -> None:
    messages = [turn.message for turn in talk(script, turns=6)]
    assert len(set(messages)) == len(messages)


@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_offered_stands_in_the_message(script: Script) -> None:
    for turn in talk(script, turns=8):
        assert turn.has_structure
        for offer in turn.offers:
            assert offer.quote in turn.message
            assert offer.amount_usd is None or f"${offer.amount_usd:,.0f}" in offer.quote


def test_different_cases_get_different_words() -> None:
    openings = [
        "My suitcase is missing since Monday.", "Flight cancelled again and no hotel.", "Wifi paid, wifi dead.",
        "Gate agent laughed at my mother.", "Charged twice for one seat.", "Four hours on the tarmac without water.",
    ]  # fmt: skip
    views = [replace(BAG, said=(Said("customer", text),)) for text in openings]
    assert len({reply("just", view).message for view in views}) == len(openings)


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=80), st.sampled_from(SCRIPTS), st.floats(0, 500))
def test_any_words_get_an_answer(text: str, record: str, script: Script, limit: float) -> None:
    view = replace(BAG, said=(Said("customer", text),), case_record=record, goodwill_limit_usd=limit, policies=())
    for turn in talk(script, view, 4):
        assert turn.message.strip()
        assert turn.failure is None


def test_nothing_is_asked_that_is_on_file_or_was_said() -> None:
    asked = {question.about for question in list_questions(Case(BAG))}
    assert "flight_number" not in asked
    dated = replace(BAG, said=(Said("customer", "My bag is missing since Monday, flight BW 519."),))
    assert "date" not in {question.about for question in list_questions(Case(dated))}


def test_the_data_files_fit_each_other() -> None:
    scripts, phrases = load("scripts"), load("phrases")
    used = {
        move
        for plan in scripts["scripts"].values()
        for key in ("turns", "later")
        for moves in plan[key]
        for move in moves
    }
    assert used <= set(scripts["moves"])
    assert set(phrases) == set(scripts["moves"])
    assert set(scripts["scripts"]) == set(SCRIPTS)
    assert {spec["act"] for spec in scripts["moves"].values()} <= set(get_args(ActKind))
    known = {
        *list_values(Case(go_on(BAG, "Hello.", ANSWERS[0]))), "no_record", "no_cause", "wish", "question", "harm",
        "Harm", "bore", "step", "owner", "deadline", "Deadline", "goodwill", "goodwill_more", "payout", "payout_more",
        "payout_most", "recap", "promise", "promise_more", "gift_name",
    }  # fmt: skip
    assert {name for texts in phrases.values() for text in texts for name in find_names(text)} <= known
    assert all(topic.harm and topic.bore and topic.ask and topic.step for topic in list_topics("Airlines"))
