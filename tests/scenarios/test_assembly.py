import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.dialogues import Dialogue, Turn
from schemas.journeys import Coding
from schemas.scenarios import Candidate
from servicebench_data.lake.arrow import arrow_schema, to_records
from servicebench_data.scenarios.assembly import (
    RECORDS,
    build_many,
    build_parts,
    build_tables,
    describe_for_coding,
    read_sources,
)
from servicebench_data.scenarios.grounding import check_early_telling
from servicebench_data.scenarios.parts import Chance, Parts, Source, make_scenario_id, name_company
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.views import know_facts
from tests.scenarios.dialogues import LOST_BAG, account, knowledge, make_source

FRAGMENTS = st.sampled_from(
    [
        "You lost my bag on flight 1234 from Denver to Austin.",
        "I paid $50 for 2 bags!!",
        "been waiting 3 hours at gate B12",
        "The gate agent told me it was cancelled.",
        "My daughter needs her medication and we are stuck in Chicago.",
        "I spent $80 on a taxi home because of you",
        "My order [order-1] never came, it is [booking-1].",
        "why is my flight delayed??",
        "I WANT A REFUND NOW",
        "so frustrated, crying at the airport 😭",
        "Thanks for ruining our wedding on Saturday.",
        "worst airline ever #fail",
        "@Other see this [link]",
        "Four hours on hold and counting",
        "ok",
    ]
)
POSTS = st.lists(st.tuples(st.sampled_from(["customer", "customer", "account"]), FRAGMENTS), min_size=1, max_size=9)


def build(*posts: tuple[str, str], rate: float = 0.0, category_id: str | None = None) -> Parts:
    return build_parts(make_source(*posts, category_id=category_id), knowledge(), seed=1, stale_rate=rate)


@given(POSTS)
@example([
    ("customer", "You lost my bag on flight 1234 from Denver to Austin on Tuesday. Been waiting 3 hours!!"),
    ("account", "Please DM us your confirmation number."),
    ("customer", "It is [booking-1]. Then why was the window still covered in it?"),
])  # fmt: skip
def test_no_wish_tells_what_comes_out_only_later(posts: list[tuple[str, str]]) -> None:
    parts = build(*posts)
    if (wish := parts.expectation) is not None:
        later = know_facts(fact for fact in parts.facts if fact.disclosure != "opening")
        texts = (wish.explanation, wish.apology, wish.action)
        assert not any(find_told(text, later) for text in texts if text)


def test_a_whole_scenario() -> None:
    parts = build(*LOST_BAG)
    assert parts.candidate.is_valid
    assert [event.text for event in parts.events] == [
        "The airline lost the customer's bag on flight 1234 from Denver to Austin on Tuesday.",
        "The customer had been waiting 3 hours.",
        "The gate agent told the customer it was never loaded.",
    ]
    assert [event.actor for event in parts.events] == ["company", "customer", "company"]
    assert [event.when_text for event in parts.events] == ["Tuesday", None, None]
    assert [event.post_ids for event in parts.events] == [["p0"], ["p0"], ["p1"]]
    assert parts.severity is not None
    assert (parts.severity.level, set(parts.severity.drivers)) == ("medium", {"time", "loss"})


def test_facts_tell_how_they_come_out_and_who_knows_them() -> None:
    facts = {(fact.kind, fact.value): fact for fact in build(*LOST_BAG).facts}
    assert facts["flight_number", "1234"].disclosure == "opening"
    assert facts["booking_reference", "[booking-1]"].disclosure == "when_asked"
    assert facts["amount", "$50"].disclosure == "when_asked"
    impacts = [fact for fact in facts.values() if fact.kind == "impact"]
    assert {fact.disclosure for fact in impacts if fact.turn_index == 2} == {"when_heard"}
    assert all(fact.is_customer_only for fact in facts.values() if fact.kind in {"impact", "staff_statement"})
    assert not facts["flight_number", "1234"].is_customer_only


def test_what_one_sentence_tells_comes_out_together() -> None:
    parts = build(*LOST_BAG[:3], ("customer", "I paid $75 for a taxi and missed my wedding because of you."))
    later = {(fact.kind, fact.value): fact.disclosure for fact in parts.facts if fact.turn_index == 2}
    assert later["amount", "$75"] == "when_heard"
    assert later["impact", None] == "when_heard"


@given(POSTS)
def test_no_statement_gives_away_a_later_fact(posts: list[tuple[str, str]]) -> None:
    parts = build(*posts)
    told_at = {fact.statement: fact.disclosure for fact in parts.facts}
    assert all(fact.disclosure in {"opening", told_at[fact.statement]} for fact in parts.facts)
    assert not list(check_early_telling(parts))


def test_background_is_told_in_the_first_person_and_tagged() -> None:
    parts = build(*LOST_BAG)
    texts = [sentence.text for sentence in parts.background]
    assert "They lost my bag on flight 1234 from Denver to Austin on Tuesday." in texts
    assert "My wedding is tomorrow and I am in tears." in texts
    assert {fact for sentence in parts.background for fact in sentence.fact_ids} == {f.fact_id for f in parts.facts}
    assert all(sentence.is_inferred == (not sentence.fact_ids) for sentence in parts.background)


def test_expectation_from_the_posts() -> None:
    expectation = build(*LOST_BAG).expectation
    assert expectation is not None
    assert expectation.action == "The customer asks for a refund."
    assert (expectation.is_loss_money, expectation.compensation_min_usd, expectation.compensation_max_usd) == (
        True,
        25,
        50,
    )
    assert (expectation.is_inferred, expectation.post_ids) == (False, ["p3"])


def test_expectation_from_the_category_where_nothing_is_asked() -> None:
    category = knowledge().categories["delayed_baggage"]
    expectation = build(
        ("customer", "My bag never arrived in Denver. It was on flight 22."),
        ("account", "Sorry."),
        category_id=category.id,
    ).expectation
    assert expectation is not None
    assert expectation.is_inferred
    assert any(remedy in expectation.action for remedy in category.remedies)
    assert expectation.compensation_min_usd == 0


def test_case_record_takes_what_the_company_can_know() -> None:
    fields = {row.field_id: row for row in build(*LOST_BAG).case_fields}
    assert fields["booking_reference"].truth == "[booking-1]"
    assert fields["flight_number"].truth == "1234"
    assert fields["bag_status"].truth == "not located"
    assert all(not row.is_stale and row.shown == row.truth for row in fields.values())


def test_all_fields_that_can_be_stale_are_at_rate_one() -> None:
    rows = build(*LOST_BAG, rate=1.0).case_fields
    form = {field.id: field for field in knowledge().industry.case_record.fields}
    for row in rows:
        if form[row.field_id].stale is not None and row.shown != row.truth:
            assert row.is_stale
            assert row.stale_cause == form[row.field_id].stale.cause  # type: ignore[union-attr]
    assert {row.field_id for row in rows if row.is_stale} >= {"flight_number"}


def test_policies_are_those_of_the_category() -> None:
    parts = build(*LOST_BAG, category_id="delayed_baggage")
    assert {row.policy_id for row in parts.case_policies} == {
        policy.id for policy in knowledge().industry.policies.policies if "delayed_baggage" in policy.applies_to
    }


@pytest.mark.parametrize(
    ("posts", "reason"),
    [
        ([("customer", "Are you serious?"), ("account", "Hi.")], "no_events"),
        ([("customer", "You lost my suit!"), ("account", "Hi.")], "too_few_facts"),
        ([("customer", "You lost my bag in Denver on Monday.")], "no_company_reply"),
        ([("account", "Hi."), ("customer", "Thanks!")], "no_events"),
    ],
)
def test_rejections(posts: list[tuple[str, str]], reason: str) -> None:
    parts = build(*posts)
    assert (parts.candidate.is_valid, parts.candidate.rejection_reason) == (False, reason)
    assert parts.events == []


def test_danger_is_of_high_severity_and_a_trifle_of_low() -> None:
    grave = build(("customer", "My driver crashed and I hit my head. It was in Denver on Monday."), ("account", "Hi."))
    light = build(("customer", "The app did not load in Denver on Monday."), ("account", "Hi."))
    assert grave.severity is not None
    assert light.severity is not None
    assert (grave.severity.level, light.severity.level) == ("high", "low")


@settings(max_examples=60, deadline=None)
@given(POSTS, st.sampled_from(["delayed_baggage", "departure_delays"]))
def test_what_holds_for_every_scenario(posts: list[tuple[str, str]], category_id: str) -> None:
    source = make_source(*posts, category_id=category_id)
    parts = build_parts(source, knowledge(), seed=3, stale_rate=0.5)
    assert build_parts(source, knowledge(), seed=3, stale_rate=0.5) == parts
    turns = {turn.turn_index: turn for turn in source.turns}
    for fact in parts.facts:
        assert fact.quote is not None
        assert fact.turn_index is not None
        assert fact.quote in turns[fact.turn_index].text
        assert fact.post_id in turns[fact.turn_index].post_ids
    secrets = {fact.fact_id for fact in parts.facts if fact.is_customer_only}
    secret_values = {fact.value for fact in parts.facts if fact.is_customer_only and fact.value}
    assert not secrets & {row.fact_id for row in parts.case_fields}
    assert not secret_values & ({row.truth for row in parts.case_fields} | {row.shown for row in parts.case_fields})
    if parts.candidate.is_valid:
        assert parts.events
        assert len(parts.facts) >= 2
        assert parts.expectation is not None
        assert parts.expectation.is_loss_money or parts.expectation.compensation_min_usd == 0
        texts = [event.text for event in parts.events] + [sentence.text for sentence in parts.background]
        assert not any(mark in text for text in texts for mark in "@#?!😭")


def tables() -> tuple[pa.Table, pa.Table, pa.Table]:
    turns, dialogues, codings = [], [], []
    for name, posts in (("d2", LOST_BAG), ("d1", [("customer", "Are you serious?"), ("account", "Hi.")])):
        turns += [
            dict.fromkeys(Turn.model_fields)
            | {"industry": "airline", "dialogue_id": name, "turn_index": turn.turn_index, "role": turn.role}
            | {"post_ids": list(turn.post_ids), "post_offsets": list(turn.post_offsets), "text": turn.text}
            for turn in make_source(*posts).turns
        ]
        dialogues.append({"dialogue_id": name, "account": account()})
        codings.append({"dialogue_id": name, "category_id": "delayed_baggage", "method": "head"})
    codings.append({"dialogue_id": "d3", "category_id": None, "method": "head"})
    schema = arrow_schema(Turn)
    return (
        pa.Table.from_pylist(turns[::-1], schema=schema),
        pa.Table.from_pylist(dialogues),
        pa.Table.from_pylist(codings),
    )


def test_tables_have_the_records_columns_and_validate() -> None:
    made = build_tables(*tables(), knowledge(), Chance(1, 0.1))
    assert {name: table.schema for name, table in made.items()} == {
        name: arrow_schema(record) for name, record in RECORDS.items()
    }
    for name, table in made.items():
        assert len(to_records(RECORDS[name], table)) == table.num_rows
    candidates = to_records(Candidate, made["candidate"])
    assert [(row.dialogue_id, row.rejection_reason) for row in candidates] == [("d1", "no_events"), ("d2", None)]
    assert [row.scenario_id for row in candidates] == [make_scenario_id("d1"), make_scenario_id("d2")]


def test_sources_do_not_depend_on_the_order_of_rows() -> None:
    turns, dialogues, codings = tables()
    sources = read_sources(turns, dialogues, codings, knowledge())
    assert sources == read_sources(turns.take(list(range(turns.num_rows))[::-1]), dialogues, codings, knowledge())
    assert [source.dialogue_id for source in sources] == ["d1", "d2"]
    assert [turn.turn_index for turn in sources[1].turns] == [0, 1, 2, 3]


def test_unknown_category_and_dialogue_are_named() -> None:
    turns, dialogues, codings = tables()
    bad = pa.table({"dialogue_id": ["d1"], "category_id": ["no_such"], "method": ["head"]})
    with pytest.raises(ValueError, match="'no_such'"):
        read_sources(turns, dialogues, bad, knowledge())
    with pytest.raises(ValueError, match="'d1'"):
        read_sources(turns, dialogues.slice(0, 1), codings, knowledge())


def test_text_for_coding_holds_no_inferred_sentence() -> None:
    parts = build(*LOST_BAG)
    text = describe_for_coding(parts)
    assert all(event.text in text for event in parts.events)
    assert not any(sentence.text in text for sentence in parts.background if sentence.is_inferred)


@pytest.mark.parametrize("processes", [1, 2])
def test_many_are_made_alike_and_told_whoever_makes_them(processes: int) -> None:
    done: list[tuple[int, int]] = []
    sources = [make_source(*LOST_BAG)] * 40 + [make_source(("customer", "hm"), ("account", "Hi."))] * 40
    made = build_many(
        sources, knowledge(), seed=1, stale_rate=0, processes=processes, progress=lambda *told: done.append(told)
    )
    assert made == [build_parts(source, knowledge(), seed=1, stale_rate=0) for source in sources]
    assert done[-1] == (80, 80)
    assert done == sorted(done)


def test_company_is_called_by_its_industry() -> None:
    assert [name_company(title) for title in ("Airlines", "Hotels", "Ride-hailing and delivery", "Retail")] == [
        "airline", "hotel", "company", "company",
    ]  # fmt: skip


def test_scenario_id_comes_from_the_dialogue_alone() -> None:
    assert Source("d", "a", "x", ()).scenario_id == Source("d", "b", "y", ()).scenario_id
    assert make_scenario_id("d").startswith("s")
    assert len(make_scenario_id("d")) == 17
    assert Dialogue.table.key == Coding.table.key == ("dialogue_id",)
