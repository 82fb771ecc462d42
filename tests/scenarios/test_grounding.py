from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from schemas.records import Record
from servicebench_data.scenarios.assembly import build_parts, verify
from servicebench_data.scenarios.evidence import gather
from servicebench_data.scenarios.parts import Parts
from tests.scenarios.dialogues import LOST_BAG, knowledge, make_source

R = TypeVar("R", bound=Record)
SOURCE = make_source(*LOST_BAG)
PARTS = build_parts(SOURCE, knowledge(), seed=1, stale_rate=0)


def plant(rows: list[R], index: int, **values: object) -> list[R]:
    return [row.model_copy(update=values) if place == index else row for place, row in enumerate(rows)]


def check(parts: Parts) -> set[tuple[str, str, str]]:
    verified = verify(parts, SOURCE, knowledge())
    assert verified.candidate.is_valid == (not verified.failures)
    assert verified.candidate.rejection_reason == ("ungrounded" if verified.failures else None)
    return {(failure.part, failure.check, failure.span) for failure in verified.failures}


def test_what_the_rules_make_is_grounded() -> None:
    assert PARTS.failures == []
    assert check(PARTS) == set()


@pytest.mark.parametrize(
    ("text", "kind", "span"),
    [
        ("The airline charged the customer $75.", "amount", "$75"),
        ("The customer waited 5 hours.", "duration", "5 hours"),
        ("The customer waited 3 days.", "duration", "3 days"),
        ("It happened on Friday.", "date", "Friday"),
        ("It happened at 10:15 pm.", "time", "10:15 pm"),
        ("The customer flew to Boston.", "place", "Boston"),
        ("It was flight 4321.", "flight_number", "4321"),
        ("The code was [booking-2].", "reference", "[booking-2]"),
        ("The airline lost 7 tickets.", "count", "7 tickets"),
        ("The airline lost 3 bags.", "contradiction", "3 bags"),
        ("The airline lost the burrito.", "product", "burrito"),
        ("The airline lost row 9 of seats.", "number", "9"),
        ("The airline called Miranda about it.", "name", "Miranda"),
        ("The flight went from Austin to Denver.", "contradiction", "from austin to denver"),
        ("The airline told @someone about it.", "platform", "@someone"),
        ("The bag was #lost.", "platform", "#lost"),
    ],
)
def test_planted_values_are_found_in_events_facts_and_background(text: str, kind: str, span: str) -> None:
    assert ("event", kind, span) in check(replace(PARTS, events=plant(PARTS.events, 0, text=text)))
    assert ("fact", kind, span) in check(replace(PARTS, facts=plant(PARTS.facts, 0, statement=text)))
    told = next(index for index, row in enumerate(PARTS.background) if not row.is_inferred)
    assert ("background", kind, span) in check(replace(PARTS, background=plant(PARTS.background, told, text=text)))


@pytest.mark.parametrize("text", ["The customer waited three hours.", "The customer waited 3 hrs."])
def test_other_spellings_are_the_same_value_in_events(text: str) -> None:
    assert check(replace(PARTS, events=plant(PARTS.events, 0, text=text))) == set()


@pytest.mark.parametrize("text", ["I paid 50 dollars for two bags.", "For 2 bags I paid fifty dollars."])
def test_other_spellings_are_the_same_value_in_facts(text: str) -> None:
    facts = [
        fact.model_copy(update={"statement": text}) if "$50" in (fact.quote or "") else fact for fact in PARTS.facts
    ]
    assert check(replace(PARTS, facts=facts)) == set()


def test_events_hold_no_value_that_came_out_later() -> None:
    text = "The customer paid $50 for two bags."
    assert ("event", "amount", "$50") in check(replace(PARTS, events=plant(PARTS.events, 0, text=text)))


def test_denial_of_what_was_affirmed() -> None:
    parts = replace(PARTS, events=plant(PARTS.events, 0, text="The airline never lost the customer's bag."))
    assert {("event", "negation", "never lost"), ("event", "negation", "never lost the customer's bag")} <= check(parts)


def test_event_from_after_the_first_reply() -> None:
    late = next(fact for fact in PARTS.facts if fact.turn_index == 2)
    parts = replace(PARTS, events=plant(PARTS.events, 0, quote=late.quote, post_ids=[late.post_id]))
    assert {("event", "quote", late.quote), ("event", "post", late.post_id)} <= check(parts)


def test_inferred_parts_need_no_source() -> None:
    event = PARTS.events[0].model_copy(update={"is_inferred": True, "quote": None, "post_ids": []})
    assert check(replace(PARTS, events=[event])) == set()


FAULTS: list[tuple[Callable[[], Parts], tuple[str, str]]] = [
    (lambda: replace(PARTS, facts=plant(PARTS.facts, 0, quote="never said")), ("fact", "quote")),
    (lambda: replace(PARTS, facts=plant(PARTS.facts, 0, turn_index=1)), ("fact", "post")),
    (lambda: replace(PARTS, facts=plant(PARTS.facts, 0, post_id="p9")), ("fact", "post")),
    (lambda: replace(PARTS, facts=plant(PARTS.facts, 0, value="9999")), ("fact", "value")),
    (lambda: replace(PARTS, background=plant(PARTS.background, 1, fact_ids=["f99"])), ("background", "unknown_fact")),
    (lambda: replace(PARTS, background=plant(PARTS.background, 1, fact_ids=[])), ("background", "no_fact")),
    (lambda: replace(PARTS, background=reveal()), ("background", "disclosure")),
    (lambda: with_expectation(action="A refund of $900."), ("expectation", "amount")),
    (lambda: with_expectation(insult="Another 6 emails."), ("expectation", "count")),
    (lambda: with_expectation(is_loss_money=False), ("expectation", "compensation")),
    (lambda: with_expectation(compensation_max_usd=0.0), ("expectation", "compensation")),
    (lambda: with_expectation(post_ids=["p9"]), ("expectation", "post")),
    (lambda: with_severity("Low: a delay of 9 hours."), ("severity", "duration")),
    (lambda: with_field(truth="9999", shown="9999"), ("case_record", "truth")),
    (lambda: with_field(field_id="mood"), ("case_record", "field")),
    (lambda: with_field(shown="another"), ("case_record", "stale")),
    (lambda: with_field(fact_id=secret()), ("case_record", "customer_only")),
    (lambda: with_policy("All are paid."), ("case_record", "policy")),
]  # fmt: skip


@pytest.mark.parametrize(("make", "fault"), FAULTS, ids=[f"{part}-{check}" for _, (part, check) in FAULTS])
def test_planted_faults_of_every_kind(make: Callable[[], Parts], fault: tuple[str, str]) -> None:
    assert fault in {(part, kind) for part, kind, _ in check(make())}


def reveal() -> list:
    late = next(index for index, row in enumerate(PARTS.background) if row.disclosure == "when_heard" and row.fact_ids)
    return plant(PARTS.background, late, disclosure="opening")


def secret() -> str:
    return next(fact.fact_id for fact in PARTS.facts if fact.is_customer_only)


def with_expectation(**values: object) -> Parts:
    assert PARTS.expectation is not None
    return replace(PARTS, expectation=PARTS.expectation.model_copy(update=values))


def with_severity(reason: str) -> Parts:
    assert PARTS.severity is not None
    return replace(PARTS, severity=PARTS.severity.model_copy(update={"reason": reason}))


def with_field(**values: object) -> Parts:
    return replace(PARTS, case_fields=plant(PARTS.case_fields, 0, **values))


def with_policy(text: str) -> Parts:
    return replace(PARTS, case_policies=plant(PARTS.case_policies, 0, text=text))


@pytest.mark.parametrize(
    ("source", "text", "faults"),
    [
        ("I flew to LHR  from SEA on DL4349.", "The customer flew from Seattle to London on flight 4349.", []),
        ("I flew to LHR  from SEA on DL4349.", "The customer left SEA for Heathrow.", []),
        ("I flew to LHR  from SEA on DL4349.", "The customer flew to Gatwick.", ["Gatwick", "Gatwick"]),
        ("I flew to LHR  from SEA on DL4349.", "It went from London to Seattle.", ["from london to seattle"]),
        ("We are stuck at DFW with no word.", "The customer was stuck in Dallas.", []),
        ("I flew from Seattle to London.", "The customer flew to LHR.", ["LHR", "LHR"]),
    ],
)
def test_an_airport_code_of_the_source_stands_for_its_city_and_not_the_reverse(
    source: str, text: str, faults: list[str]
) -> None:
    assert [span for _, span in gather([source], ["Delta"]).find_faults(text)] == faults
