"""An answer is the last object that fits the record, whatever stands around it; anything else has reasons."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from servicebench_data.models.answer_schema import describe_answer
from servicebench_data.models.answers import judge_reply, list_objects, read_answer
from servicebench_data.models.replies import Reply
from tests.models.tasks import Grade, accept

GOOD = '{"level": "low", "reason": "late by {an} hour"}'
OTHER = '{"level": "high", "reason": "hurt"}'


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD, "late by {an} hour"),
        (f"```json\n{GOOD}\n```", "late by {an} hour"),
        (f"Sure! {GOOD} I hope {{this}} helps.", "late by {an} hour"),
        (f"<think>{OTHER}</think>{GOOD}", "late by {an} hour"),
        (f"reasoning {OTHER} </think> {GOOD}", "late by {an} hour"),
        (f"{GOOD}<think>or maybe {OTHER}", "late by {an} hour"),
        (f"{GOOD} On second thought: {OTHER}", "hurt"),
        (f'{GOOD} {{"level": "none"}}', "late by {an} hour"),
        ('{"level": "low", "reason": "they said <think>nothing"}', "they said <think>nothing"),
        (f'{{"answer": {OTHER}', "hurt"),
    ],
)
def test_the_last_fitting_object_is_the_answer(text: str, reason: str) -> None:
    found = read_answer(text, Grade)
    assert found.answer
    assert found.answer.reason == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the answer is empty."),
        ("I cannot say.", "there is no JSON object in the answer."),
        (GOOD[:-3], "there is no JSON object in the answer."),
        (f"<think>{GOOD}", "there is no JSON object in the answer."),
        ('{"level": "low"}', "reason: Field required."),
        ('{"level": "none", "reason": "x"}', "level: Input should be 'low' or 'high'."),
        ('{"level": "low", "reason": 5}', "reason: Input should be a valid string."),
        ('{"level": "low", "reason": "x", "note": 1}', "note: Extra inputs are not permitted."),
        ('{"level": "low", "reason": NaN}', "there is no JSON object in the answer."),
    ],
)
def test_what_is_wrong_is_said_in_words_for_the_model(text: str, reason: str) -> None:
    found = read_answer(text, Grade)
    assert found.answer is None
    assert found.reasons == (reason,)


@pytest.mark.parametrize("text", ["{" * 50_000, '{"a":' * 20_000, "[" * 50_000 + "{}", "}" * 1000])
def test_hostile_nesting_ends(text: str) -> None:
    assert read_answer(text, Grade).answer is None


@given(
    st.lists(st.text(st.characters(exclude_characters='{}<>"', exclude_categories=["Cs"]), max_size=20), min_size=2),
    st.text(max_size=30),
)
def test_the_last_valid_object_is_found_in_any_noise(noise: list[str], reason: str) -> None:
    wanted = Grade(level="low", reason=f"because {reason}")
    objects = [OTHER] * (len(noise) - 2) + [wanted.model_dump_json()]
    text = "".join(part + entry for part, entry in zip(noise, [*objects, ""], strict=True))
    found = read_answer(text, Grade)
    assert found.answer == wanted


@given(
    st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner), max_leaves=8)
)
def test_an_object_is_found_whole(value: object) -> None:
    text = json.dumps({"a": value})
    assert list(list_objects(f"so: {text} .")) == [text]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(GOOD, finish_reason="length"), "cut off"),
        (Reply(GOOD, finish_reason="content_filter"), "content filter"),
        (Reply("", finish_reason="stop", refusal="I'm sorry."), "declined"),
        (Reply("", finish_reason="stop"), "empty"),
    ],
)
def test_a_reply_that_was_cut_filtered_or_refused_is_no_answer(reply: Reply, words: str) -> None:
    verdict = judge_reply(reply, Grade, accept)
    assert verdict.answer is None
    assert words in verdict.reasons[0]


class Loose(BaseModel):
    """A record with a default, which strict modes do not take."""

    title: str = ""
    minLength: int  # noqa: N815  (a property that is named like a keyword)


def test_the_schema_is_strict_only_where_all_is_required_and_nothing_else_allowed() -> None:
    strict, loose = describe_answer(Grade), describe_answer(Loose)
    assert strict.is_strict
    assert not loose.is_strict
    assert "minLength" in json.dumps(strict.full)
    assert "minLength" not in json.dumps(strict.enforced)
    assert set(loose.enforced["properties"]) == {"title", "minLength"}
    assert "How grave it is." in strict.instruction
