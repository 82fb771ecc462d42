"""Padding: sentences that say nothing, messages longer by half, scores in a table of their own, shifts at size."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.judging import Judgment, PaddedScore, Score, SubScore
from schemas.measures_statistics import PaddingEffect
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.judging.injections import clean_message
from servicebench_data.judging.judging import judge_conversations
from servicebench_data.judging.masking import make_masker
from servicebench_data.judging.outcomes import is_final
from servicebench_data.judging.padding import count_words, draw_padded, pad_line, pad_view, read_fillers
from servicebench_data.judging.view import Line, show_judge
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.measures.padding import RULES, make_padding_effects
from servicebench_data.simulation.gate.rules import find_offer, see
from tests.judging.bench import (
    SAID,
    find_case,
    make_acts,
    make_case,
    make_conversation,
    make_spec,
    open_door,
    prepare,
    write_answer,
)
from tests.measures.stored import Stored
from tests.models.server import Answer, Asked, Script, Server, complete

MODEL = {"name": "model", "model": "openai/small"}
WORDS = sum(len(text.split()) for text in SAID[1::2])
Made = dict[type[Record], pa.Table]

words = st.text(st.characters(categories=["L"]), min_size=1, max_size=9)
lines = st.lists(words, min_size=1, max_size=400).map(" ".join)


def count_said(asked: Asked) -> int:
    """Words of the agent in what a judge is asked."""
    said = re.findall(r"^\[\d+ agent\] (.*)$", asked.body["messages"][1]["content"], re.MULTILINE)
    return sum(len(text.split()) for text in said)


def please_words(asked: Asked) -> Answer:
    """A point more in every second conversation whose agent writes half as many words again."""
    is_paid = count_said(asked) >= 1.5 * WORDS and find_case(asked) % 2 == 0
    return complete(json.dumps(write_answer(4 if is_paid else 3)))


def ignore_words(_: Asked) -> Answer:
    return complete(json.dumps(write_answer(3)))


def measure(made: Made, folder: Path) -> dict[str, PaddingEffect]:
    """Shifts by judge and measure; three conversations stand on one source dialogue."""
    stored = Stored()
    for record in (Score, PaddedScore, Judgment):
        stored.rows[record] = made[record].to_pylist()
    talks = [make_conversation(number, scenario_id=f"s{number // 3}") for number in range(12)]
    stored.rows[Conversation] = from_records(Conversation, talks).to_pylist()
    with stored.open(folder) as connection:
        rows = to_records(PaddingEffect, make_padding_effects(connection, "try"))
    return {f"{row.judge} {row.measure}": row for row in rows}


@pytest.mark.parametrize("filler", read_fillers())
def test_a_filler_says_nothing(filler: str) -> None:
    seen = see(filler, ())
    assert (seen.flags, seen.open_question, find_offer(filler)) == ({}, None, None)
    assert re.fullmatch(r"[A-Z][A-Za-z, ]+\.", filler)
    assert not re.search(r"\b(?:I|we|you|us|our|your|sorry|thank|thanks|will|can(?:no)?t|not|no)\b", filler)
    assert 5 <= len(filler.split()) <= 9
    assert clean_message(filler).kinds == ()
    assert make_masker(["just", "openai/gpt-5", "gpt"]).mask_agent(filler) == filler


def test_there_are_enough_fillers_and_a_real_sentence_would_be_seen_among_them() -> None:
    assert len(set(read_fillers())) >= 40
    assert see(" ".join(read_fillers()), ()).flags == {}
    assert see("I am so sorry that you had to wait for two hours.", ()).flags


@given(lines, st.integers(0, 40), words)
def test_an_agents_message_gets_half_as_many_words_again(text: str, place: int, name: str) -> None:
    line = Line(place, "agent", text)
    padded = pad_line(line, name)
    added = count_words(padded) - count_words(line)
    assert padded.text.startswith(f"{text} ")
    assert 0.5 * count_words(line) <= added < 0.5 * count_words(line) + 9
    assert pad_line(line, name) == padded
    assert pad_line(Line(place, "customer", text), name).text == text


def test_nothing_but_the_agents_messages_is_padded() -> None:
    view = show_judge(make_case())
    padded = pad_view(view, "c0000")
    assert (padded.loss, padded.events, padded.injections) == (view.loss, view.events, view.injections)
    assert padded.transcript[0::2] == view.transcript[0::2]
    assert [line.message_index for line in padded.transcript] == [line.message_index for line in view.transcript]
    assert padded.transcript[1] != view.transcript[1]
    assert pad_view(view, "c0001") != padded


@given(st.lists(st.sampled_from("abc"), max_size=30), st.integers(0, 40), st.integers(0, 3))
def test_the_draw_takes_from_all_agents_alike_and_a_higher_one_adds(agents: list[str], count: int, seed: int) -> None:
    rows = [make_conversation(number, agent=agent) for number, agent in enumerate(agents)]
    drawn = draw_padded(rows, count, seed)
    assert len(drawn) == min(count, len(rows))
    assert draw_padded(rows[::-1], count, seed) == drawn
    assert drawn <= draw_padded(rows, count + 1, seed)
    taken = Counter(row.agent for row in rows if row.conversation_id in drawn)
    whole = Counter(agents)
    most = max(taken.values(), default=0)
    assert all(taken[agent] >= min(most - 1, whole[agent]) for agent in whole)


def test_padded_scores_have_their_own_table_and_leave_all_others_as_they_are(
    serve: Callable[[Script], Server], tmp_path: Path
) -> None:
    server = serve(please_words)
    plain = judge_conversations(make_spec(MODEL), prepare(12), open_door(tmp_path))
    assert len(server.asked) == 12
    assert not len(plain[PaddedScore])
    few = judge_conversations(make_spec(MODEL, padding_test=4), prepare(12), open_door(tmp_path))
    assert len(server.asked) == 12 + 4
    made = judge_conversations(make_spec(MODEL, padding_test=6), prepare(12), open_door(tmp_path))
    again = judge_conversations(make_spec(MODEL, padding_test=6), prepare(12), open_door(tmp_path))
    assert len(server.asked) == 12 + 6
    for record in (Score, SubScore, Judgment):
        assert plain[record].equals(few[record])
        assert plain[record].equals(made[record])
    assert made[PaddedScore].equals(again[PaddedScore])
    rows = to_records(PaddedScore, made[PaddedScore])
    assert len(rows) == 6 * 3
    assert {row.words for row in rows} == {WORDS}
    assert all(1.5 <= row.padded_words / row.words < 1.5 + 18 / WORDS for row in rows)


@pytest.mark.parametrize(("script", "shift"), [(please_words, 0.5), (ignore_words, 0.0)])
def test_a_judge_that_pays_for_words_is_found_at_its_size_and_a_blind_one_is_not(
    script: Script, shift: float, serve: Callable[[Script], Server], tmp_path: Path
) -> None:
    serve(script)
    made = judge_conversations(make_spec(MODEL, padding_test=12), prepare(12), open_door(tmp_path))
    found = measure(made, tmp_path / "facts")
    assert set(found) == {f"model {name}" for name in ("interactional", "procedural", "distributive", "total")}
    for row in found.values():
        assert (row.n, row.missing, row.clusters, row.shift) == (12, 0, 4, pytest.approx(shift))
        assert (row.low is not None and row.low > 0) == (shift > 0)
        assert row.original_mean == pytest.approx(3.0)
        assert row.words_ratio is not None
        assert 1.5 <= row.words_ratio < 2


def test_rules_score_the_same_acts_and_are_labelled(tmp_path: Path) -> None:
    acts = [act for number in range(12) for act in make_acts(number, [["acknowledged:harm", "asked"]])]
    tables = prepare(12, acts=acts)
    made = judge_conversations(make_spec(padding_test=5), tables, open_door(tmp_path))
    for row in measure(made, tmp_path / "facts").values():
        assert (row.n, row.shift, row.low) == (5, 0.0, None)
        assert row.label.startswith(RULES)


def test_a_verdict_that_could_not_be_had_is_a_row_with_its_reason_and_is_counted(
    serve: Callable[[Script], Server], tmp_path: Path
) -> None:
    serve(lambda asked: complete("no" if count_said(asked) > WORDS and find_case(asked) < 2 else json.dumps(ANSWER)))
    made = judge_conversations(make_spec(MODEL, padding_test=12), prepare(12), open_door(tmp_path))
    missing = [row for row in to_records(PaddedScore, made[PaddedScore]) if row.status == "missing"]
    assert {(row.conversation_id, row.score) for row in missing} == {("c0000", None), ("c0001", None)}
    assert all("after 2 answers" in row.reason for row in missing)
    assert {(row.n, row.missing, row.clusters) for row in measure(made, tmp_path / "facts").values()} == {(10, 2, 4)}


ANSWER: dict[str, Any] = write_answer(3)


def test_what_is_not_judged_is_not_padded(serve: Callable[[Script], Server], tmp_path: Path) -> None:
    serve(ignore_words)
    spoilt: dict[str, Any] = {"is_valid": False, "end": "invalid", "end_detail": "simulator_fault"}
    made = judge_conversations(make_spec(MODEL, padding_test=3), prepare(3, **spoilt), open_door(tmp_path))
    assert not len(made[PaddedScore])


def test_a_padded_verdict_that_another_run_could_mend_is_due_again() -> None:
    row = PaddedScore.model_validate({
        "conversation_id": "c", "judge": "model", "judge_made_by": "m", "dimension": "procedural",
        "grading_version": "1", "status": "missing", "score": None, "reason": "over_budget after 0 answers",
        "is_own_family": False, "has_injection": False, "cost_usd": None, "padding_version": "p", "words": 10,
        "padded_words": 15,
    })  # fmt: skip
    assert not is_final(from_records(Score, []), from_records(PaddedScore, [row]))
    mended = row.model_copy(update={"status": "scored", "score": 3, "reason": "fair"})
    assert is_final(from_records(Score, []), from_records(PaddedScore, [mended]))
