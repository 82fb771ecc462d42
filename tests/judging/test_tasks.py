"""A judge's answer: its form, and why it is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.judging.quotes import find_quote
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric
from servicebench_data.judging.tasks import find_reasons, make_answer, trim_answer
from servicebench_data.judging.view import show_judge
from servicebench_data.models.answer_schema import describe_answer
from servicebench_data.models.answers import read_answer
from tests.judging.bench import QUOTE, SAID, make_case, write_answer

VIEW = show_judge(make_case())


def read(answer: dict[str, Any]) -> list[str]:
    """Why an answer is refused."""
    verdict = read_answer(json.dumps(answer), make_answer(DIMENSIONS))
    return list(verdict.reasons) if verdict.answer is None else find_reasons(VIEW, DIMENSIONS, verdict.answer)


def find_forms(schema: dict[str, Any], dimension: str, item_id: str) -> list[dict[str, Any]]:
    """The forms that the schema of an answer leaves to an item, and that each begins with the score."""
    parts = schema["$defs"]
    part = parts[schema["properties"][dimension]["$ref"].rsplit("/")[-1]]
    forms = parts[part["properties"][item_id]["$ref"].rsplit("/")[-1]]["anyOf"]
    assert all(list(form["properties"]) == ["score", "quotes"] for form in forms)
    return forms


def test_a_whole_answer_passes() -> None:
    assert read(write_answer()) == []


@pytest.mark.parametrize("score", [0, 6, -1, 11, 4.0, 4.5, True, "4", "4/5", None, float("nan")])
def test_a_score_is_a_whole_number_from_1_to_5(score: Any) -> None:
    assert read(write_answer(changes={"procedural.voice": {"quotes": [QUOTE], "score": score}}))


def test_no_item_is_left_out_and_none_is_made_up() -> None:
    answer = write_answer()
    del answer["procedural"]["voice"]
    assert any("procedural.voice" in reason for reason in read(answer))
    assert any(
        "kindness" in reason
        for reason in read(write_answer(changes={"procedural.kindness": {"quotes": [], "score": 1}}))
    )
    assert read({name: part for name, part in write_answer().items() if name != "distributive"})
    assert read(write_answer(changes={"procedural.reason": ""}))


@pytest.mark.parametrize(
    ("quotes", "words"),
    [
        (["We pay you everything back"], "does not stand word for word"),
        (["Marta from our desk ... by Friday noon"], "does not stand word for word"),
        (["my wedding ring is in that bag"], "is the customer's"),
        (["[agent]"], "does not stand word for word"),
        ([], "needs a quote"),
    ],
)
def test_evidence_is_in_the_transcript_and_of_the_right_side(quotes: list[str], words: str) -> None:
    reasons = read(write_answer(changes={"interactional.empathy": {"quotes": quotes, "score": 4}}))
    assert [reason for reason in reasons if reason.startswith("interactional.empathy") and words in reason]


@pytest.mark.parametrize(
    ("item", "score", "is_refused"),
    [
        (f"{name}.{item_id}", score, score >= item.quoted_from)
        for name, dimension in find_rubric().spec.dimensions.items()
        for item_id, item in dimension.items.items()
        for score in range(1, 6)
    ],
)
def test_each_item_says_from_which_score_on_it_needs_a_quote(item: str, score: int, is_refused: bool) -> None:
    assert bool(read(write_answer(changes={item: {"quotes": [], "score": score}}))) == is_refused
    schema = describe_answer(make_answer(DIMENSIONS))
    least = [
        form["properties"]["quotes"].get("minItems", 0)
        for form in find_forms(schema.enforced, *item.split("."))
        if form["properties"]["score"]["minimum"] <= score <= form["properties"]["score"]["maximum"]
    ]
    assert schema.is_strict
    assert least == [int(is_refused)]


@given(st.lists(st.sampled_from([QUOTE, "We pay you everything back", "my wedding ring is in that bag"]), max_size=2))
def test_what_is_left_of_an_answer_has_only_quotes_that_count(quotes: list[str]) -> None:
    said = write_answer(changes={"interactional.empathy": {"quotes": quotes, "score": 2}})
    answer = read_answer(json.dumps(said), make_answer(DIMENSIONS)).answer
    assert answer
    rest = trim_answer(VIEW, DIMENSIONS, answer)
    said["interactional"]["empathy"]["quotes"] = [quote for quote in quotes if quote == QUOTE]
    assert rest.model_dump() == said
    assert find_reasons(VIEW, DIMENSIONS, rest) == []


def test_what_is_missing_needs_no_quote_and_a_customer_can_show_an_outcome() -> None:
    assert read(write_answer(changes={"interactional.empathy": {"quotes": [], "score": 2}})) == []
    assert (
        read(write_answer(changes={"distributive.need": {"quotes": ["my wedding ring is in that bag"], "score": 3}}))
        == []
    )


@given(st.data())
def test_any_stretch_of_words_is_found_whatever_its_white_space(data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(SAID) - 1))
    words = SAID[index].split()
    start = data.draw(st.integers(0, len(words) - 2))
    end = data.draw(st.integers(start + 2, len(words)))
    gap = data.draw(st.sampled_from([" ", "  ", "\n", " \t"]))
    found = find_quote(VIEW.transcript, gap.join(words[start:end]).upper())
    assert index in [entry.message_index for entry in found]
    assert all(entry.text in VIEW.transcript[entry.message_index].text for entry in found)


def test_endpoints_can_enforce_the_form() -> None:
    assert describe_answer(make_answer(DIMENSIONS)).is_strict
    assert describe_answer(make_answer(("procedural",))).is_strict
