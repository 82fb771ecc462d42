"""The learned part of the gate: its examples, what is learnt from them, and readings that are the same everywhere."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.simulation.gate.examples import (
    LABELS,
    Example,
    ExamplesError,
    digest_examples,
    load_examples,
    read_file,
    spell_text,
)
from servicebench_data.simulation.gate.features import BUCKETS, weigh_text
from servicebench_data.simulation.gate.learning import hold_out, learn_reader
from servicebench_data.simulation.gate.reader import bears, read_bounds, read_reader, score_text, write_reader
from servicebench_data.simulation.gate.rules import see

EXAMPLES = load_examples()
MESSAGES = [
    "You spent the night on a bench with your baby, and I'm sorry. A room at the Astra is booked and paid.",
    "Nobody else complained. What did you expect for nine dollars?",
    "hello, which hour the driver come? I see in system he cancel",
]
READ = """
import json, sys
from servicebench_data.simulation.gate.rules import see
print(json.dumps([see(message, []).flags for message in json.load(sys.stdin)]))
"""
EVEN = np.ones(BUCKETS, dtype=np.float32)

sentences = st.sampled_from([example.text for example in EXAMPLES])
messages = st.lists(sentences | st.text(max_size=60), max_size=4).map(" ".join)


def test_the_reader_was_learnt_from_the_examples_as_they_are() -> None:
    assert read_reader().digest == digest_examples(EXAMPLES)
    assert digest_examples(EXAMPLES[:-1]) != read_reader().digest


def test_each_label_has_examples_and_bounds() -> None:
    assert set(LABELS) == {label for example in EXAMPLES for label in example.labels} == set(read_bounds())
    assert all(bounds.agreed < bounds.alone for bounds in read_bounds().values())
    assert sum(not example.labels for example in EXAMPLES) > 1000


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("apologises: |\n  Sorry!\nnone: |\n  sorry!\n", "repeats"),
        ("apologises greets: |\n  Hello!\n", "greets"),
    ],
)
def test_examples_that_contradict_are_refused(tmp_path: Path, content: str, fault: str) -> None:
    (tmp_path / "one.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(ExamplesError, match=fault):
        load_examples(tmp_path)


def test_a_folder_without_examples_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ExamplesError, match="no examples"):
        load_examples(tmp_path)


def test_a_question_for_a_fact_checks_the_facts(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text("place date: |\n  Where & when?\nnone: |\n  Hi.\n", encoding="utf-8")
    asked, greeting = read_file(tmp_path / "one.yaml")
    assert asked == Example("where and when?", frozenset({"place", "date", "checks_facts"}))
    assert greeting.labels == frozenset()


def test_what_was_learnt_is_kept_and_is_the_same_each_time(tmp_path: Path) -> None:
    few = [example for label in LABELS for example in [e for e in EXAMPLES if label in e.labels][:5]]
    one, other = learn_reader(few), learn_reader(few)
    assert np.array_equal(one.weights, other.weights)
    write_reader(tmp_path / "reader.npz", one)
    kept = read_reader(tmp_path / "reader.npz")
    assert kept.digest == one.digest != read_reader().digest
    for example in few[:20]:
        assert np.array_equal(kept.score(example.text), one.score(example.text))


def test_held_out_examples_are_told_apart() -> None:
    few = EXAMPLES[::10]
    scores = hold_out(few, ["apologises"])[:, 0]
    borne = np.array(["apologises" in example.labels for example in few])
    assert np.median(scores[borne]) > 0 > np.quantile(scores[~borne], 0.8)


@given(messages)
def test_quotes_stand_in_the_message(message: str) -> None:
    seen = see(message, [])
    assert all(quote and quote in message for quote in [*seen.flags.values(), *filter(None, [seen.open_question])])


@given(st.text(max_size=200))
def test_any_text_has_finite_scores(text: str) -> None:
    assert np.isfinite(list(score_text(spell_text(text)).values())).all()
    assert set(see(text, []).flags) <= set(LABELS)


@given(sentences)
def test_features_weigh_the_same_however_long_a_text_is(text: str) -> None:
    places, amounts = weigh_text(text, EVEN)
    assert len(places) == len(amounts)
    assert places.max() < BUCKETS
    assert np.isclose(np.dot(amounts, amounts), 2)


@given(st.permutations(MESSAGES))
def test_the_order_of_messages_does_not_matter(order: list[str]) -> None:
    score_text.cache_clear()
    assert {message: see(message, []).flags for message in order} == {m: see(m, []).flags for m in MESSAGES}


def test_another_process_reads_the_same() -> None:
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run(
        [sys.executable, "-c", READ],
        input=json.dumps(MESSAGES),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert json.loads(done.stdout) == [see(message, []).flags for message in MESSAGES]


def test_the_reader_believes_the_patterns_sooner_than_itself() -> None:
    bounds = read_bounds()["provokes"]
    between = [
        text for text in (e.text for e in EXAMPLES[::20]) if bounds.agreed < score_text(text)["provokes"] < bounds.alone
    ]
    assert between
    assert all(bears(text, "provokes", is_agreed=True) and not bears(text, "provokes") for text in between)
