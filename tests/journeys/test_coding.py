"""The head and the codings: right on what the map says, explicit where it is not sure, the same every time."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.journeys import Coding
from servicebench_data.industries import load_industry
from servicebench_data.journeys.coding import code_dialogues
from servicebench_data.journeys.head import read_calibration, train_head
from servicebench_data.lake.arrow import arrow_schema, to_records
from tests.journeys.words import airline, airline_head, embed_table, embed_words, map_examples, tabulate

COMPLAINTS = [
    "my suitcase never came off the belt in Denver and nobody can tell me where my bag is",
    "three hours sitting on the runway, no water, stuck on the tarmac waiting for a gate",
    "the wifi on board has not worked for the whole flight and I paid for it",
    "been on hold for two hours and then you hung up on me, nobody answers the phone",
]
EXPECTED = ["delayed_baggage", "tarmac_holds", "inflight_wifi_failures", "contact_inaccessibility"]


def code(texts: list[str], **options: float) -> pa.Table:
    table = tabulate(texts)
    return code_dialogues(table, embed_table(table), airline_head(), **options)


def test_plain_complaints_get_their_category_and_its_stage() -> None:
    rows = code(COMPLAINTS).to_pylist()
    assert [row["category_id"] for row in rows] == EXPECTED
    stages = {category.id: stage.id for stage in airline().journey.stages for category in stage.categories}
    assert [row["stage_id"] for row in rows] == [stages[name] for name in EXPECTED]
    assert {row["method"] for row in rows} == {"head"}


def test_nearly_all_examples_of_the_map_are_coded_as_their_category() -> None:
    head = airline_head()
    examples = head.prepare(map_examples())
    best = head.code(examples, embed_words(examples)).best
    assert np.mean(best == np.repeat(np.arange(44), 12)) > 0.95


def test_the_table_fits_the_record() -> None:
    table = code([*COMPLAINTS, "@AmericanAir", "ok then"])
    assert table.schema == arrow_schema(Coding)
    for row in to_records(Coding, table):
        assert (row.category_id is None) == (row.unassigned_reason is not None)
        assert (row.category_id is None) == (row.stage_id is None)
        assert row.confidence is None or row.margin is None or row.margin <= row.confidence
        assert row.category_id is None or row.category_id != row.rival_category_id


def test_a_dialogue_without_a_word_says_so() -> None:
    row = code(["@AmericanAir https://t.co/abc 😡", COMPLAINTS[0]]).to_pylist()[0]
    assert row["unassigned_reason"] == "no_text"
    assert (row["category_id"], row["confidence"], row["margin"]) == (None, None, None)


def test_all_dialogues_without_a_word_are_coded_too() -> None:
    table = tabulate(["@Delta", "😡"])
    rows = code_dialogues(table, np.zeros((2, 1), dtype=np.float32), airline_head()).to_pylist()
    assert [row["unassigned_reason"] for row in rows] == ["no_text", "no_text"]


def test_below_the_threshold_a_dialogue_is_unassigned_with_its_confidence() -> None:
    rows = code(COMPLAINTS, min_confidence=1.0).to_pylist()
    assert {row["unassigned_reason"] for row in rows} == {"low_confidence"}
    assert all(row["confidence"] > 0 and row["rival_category_id"] for row in rows)


def test_no_dialogues_give_an_empty_table() -> None:
    assert code([]).schema == arrow_schema(Coding)


def test_the_order_of_dialogues_does_not_matter() -> None:
    table = tabulate(COMPLAINTS)
    turned = table.take(pa.array([2, 0, 3, 1]))
    assert code_dialogues(turned, embed_table(turned), airline_head()).equals(code(COMPLAINTS))


@pytest.mark.parametrize("brand", ["Delta", "JetBlue", "Southwest Airlines"])
def test_a_complaint_is_coded_alike_whatever_the_brand(brand: str) -> None:
    texts = [f"@AmericanAir {text} thanks American Airlines" for text in COMPLAINTS]
    other = [text.replace("American Airlines", brand).replace("@AmericanAir", "@Someone") for text in texts]
    assert code(texts).equals(code(other))


def test_training_twice_gives_the_same_head() -> None:
    again = train_head(load_industry("airline"), embed_words)
    assert np.array_equal(again.pulls, airline_head().pulls)
    assert np.array_equal(again.word_pulls, airline_head().word_pulls)


def test_the_order_of_categories_in_the_map_does_not_matter() -> None:
    journey = airline().journey
    stages = [stage.model_copy(update={"categories": stage.categories[::-1]}) for stage in journey.stages[::-1]]
    turned = airline().model_copy(update={"journey": journey.model_copy(update={"stages": stages})})
    head = train_head(turned, embed_words)
    codes = head.code(COMPLAINTS, embed_words(head.prepare(COMPLAINTS)))
    assert [head.category_ids[place] for place in codes.best] == EXPECTED


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(map_examples()), min_size=1, max_size=6))
def test_confidence_margin_and_rival_hang_together(texts: list[str]) -> None:
    head = airline_head()
    prepared = head.prepare(texts)
    codes = head.code(prepared, embed_words(prepared))
    assert (codes.best != codes.rival).all()
    assert ((codes.margin >= 0) & (codes.margin <= codes.confidence) & (codes.confidence <= 1)).all()


def test_confidence_never_falls_as_the_share_rises() -> None:
    calibration = read_calibration()
    values = calibration.estimate(np.linspace(0, 1, 101))
    assert (np.diff(values) >= 0).all()
    assert values[0] < calibration.min_confidence < values[-1] < 1
