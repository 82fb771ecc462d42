"""The diversity report: its measures say what they mean, an alike set is flagged, and a varied one is not."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import dialogues, scenarios
from schemas.records import Record
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import write_file
from servicebench_data.scenarios.diversity import (
    ALL,
    LEAST_SCENARIOS,
    MEASURES,
    average_between,
    average_inside,
    average_nearest,
    count_flagged,
    list_values,
    measure_compression,
    measure_diversity,
    write_report,
)
from tests.rows import plain_record

Rows = dict[type[Record], list[Record]]
Value = dict[tuple[str, str, str], dict[str, Any]]
SETS = st.integers(0, 30).map(lambda size: np.random.default_rng(size).normal(size=(size, 4)))


class Compass:
    """Vectors by the first word of a text: equal for equal words, else at right angles."""

    key = "compass"

    def __call__(self, texts: list[str]) -> Any:
        """A row for each text."""
        names = sorted({text.split()[0].lower() for text in texts})
        return np.eye(64, dtype=np.float32)[[names.index(text.split()[0].lower()) for text in texts]]


def add(rows: Rows, number: int, opening: str, feeling: str, **given: Any) -> None:
    """A released scenario of an airline with an opening, a told sentence and an inferred feeling."""
    keys = {"industry": "airline", "scenario_id": f"s{number:03}"}
    ids = {**keys, "dialogue_id": f"d{number}", "category_id": "delay", **given}
    of_dialogue = {"industry": ids["industry"], "dialogue_id": ids["dialogue_id"], "opening": opening}
    sentence = {"industry": ids["industry"], "scenario_id": ids["scenario_id"]}
    made: list[tuple[type[Record], dict[str, Any]]] = [
        (scenarios.Candidate, {**ids, "is_valid": True, "rejection_reason": None}),
        (scenarios.Scenario, {**ids, "opening": opening}),
        (dialogues.Dialogue, {**of_dialogue, "customer_text": opening}),
        (scenarios.Fact, {**sentence, "kind": "place", "value": "Reno" if number % 2 else "Boise"}),
        (
            scenarios.BackgroundSentence,
            {**sentence, "sentence_index": 0, "topic": "experience", "text": opening, "is_inferred": False},
        ),
        (
            scenarios.BackgroundSentence,
            {**sentence, "sentence_index": 1, "topic": "emotional_impact", "text": feeling, "is_inferred": True},
        ),
    ]
    for record, values in made:
        rows.setdefault(record, []).append(plain_record(record, number, **values))


def measure(rows: Rows, folder: Path, limits: Limits) -> tuple[pa.Table, Value]:
    """The table, and its rows by industry, category and measure."""
    files = {record.table.name: [folder / f"{record.table.name}.parquet"] for record in rows}
    for record, entries in rows.items():
        write_file(files[record.table.name][0], from_records(record, entries))
    table = measure_diversity(files, limits, Compass())  # pyright: ignore[reportArgumentType]
    keys = ("industry", "category_id", "measure")
    return table, {(row[keys[0]], row[keys[1]], row[keys[2]]): row for row in table.to_pylist()}


def make_set(*, is_alike: bool) -> Rows:
    """As many scenarios as are judged, all in the same words or each in its own."""
    rows: Rows = {}
    for number in range(LEAST_SCENARIOS):
        word = "delayed" if is_alike else chr(97 + number) * 3
        add(
            rows, number, f"{word} again near {word} gate, {word}!", "I am angry." if is_alike else f"It is {word} sad."
        )
    return rows


def test_a_set_in_the_same_words_is_flagged_and_a_varied_one_is_not(tmp_path: Path, limits: Limits) -> None:
    table, values = measure(make_set(is_alike=True), tmp_path, limits)
    flagged = {name for (industry, _, name), row in values.items() if row["is_flagged"] and industry == ALL}
    assert {"mean_cosine", "nearest_cosine", "top_opening", "first_words", "top_feeling", "distinct_3"} <= flagged
    assert count_flagged(table) >= 3 * len(flagged)
    table, values = measure(make_set(is_alike=False), tmp_path, limits)
    kept = {name for (_, _, name), row in values.items() if row["is_flagged"]}
    assert kept == {"inferred_sentences"}


def test_small_sets_are_measured_and_never_flagged(tmp_path: Path, limits: Limits) -> None:
    rows = {record: entries[: (2 if len(entries) > LEAST_SCENARIOS else 1) * 3]
            for record, entries in make_set(is_alike=True).items()}  # fmt: skip
    table, values = measure(rows, tmp_path, limits)
    assert values[ALL, ALL, "mean_cosine"]["value"] == pytest.approx(1.0)
    assert count_flagged(table) == 0
    assert list_values(table, "mean_cosine") == {}


def test_measures_say_what_they_mean(tmp_path: Path, limits: Limits) -> None:
    rows: Rows = {}
    add(rows, 0, "@Air my bag is lost", "I am furious.")
    add(rows, 1, "My bag is torn", "I am furious.")
    add(rows, 2, "late again", "I am worried and let down.", category_id="refund")
    add(rows, 3, "cold soup", "I am worn out.", industry="hotel", category_id="food")
    _, values = measure(rows, tmp_path, limits)
    wanted = {
        (ALL, ALL, "first_words"): (3 / 4, "my"),
        (ALL, ALL, "top_opening"): (2 / 4, "my bag is"),
        ("airline", "delay", "distinct_1"): (5 / 8, None),
        ("airline", "delay", "distinct_place"): (1.0, "reno"),
        (ALL, ALL, "distinct_place"): (2 / 4, "reno"),
        (ALL, ALL, "top_feeling"): (2 / 4, "I am furious."),
        (ALL, ALL, "told_feelings"): (0.0, None),
        (ALL, ALL, "feeling_anger"): (2 / 4, None),
        ("airline", ALL, "feeling_worry"): (1 / 3, None),
        ("airline", ALL, "feeling_disappointment"): (1 / 3, None),
        ("hotel", ALL, "feeling_exhaustion"): (1.0, None),
        (ALL, ALL, "inferred_sentences"): (1 / 2, None),
        (ALL, ALL, "repeated_sentences"): (2 / 8, "I am furious."),
        ("airline", "delay", "mean_cosine"): (1.0, None),
        ("airline", "delay", "cosine_across"): (0.0, None),
        ("airline", ALL, "nearest_cosine"): (2 / 3, None),
    }
    found = {key: (pytest.approx(values[key]["value"]), values[key]["detail"]) for key in wanted}
    assert {key: (value, detail) for key, (value, detail) in wanted.items()} == found
    assert {name for _, _, name in values} <= set(MEASURES)
    assert {name: count for (_, category, name), row in values.items()
            if category == "refund" and (count := row["scenario_count"]) != 1} == {}  # fmt: skip


def test_the_report_names_what_is_alike(tmp_path: Path, limits: Limits) -> None:
    table, _ = measure(make_set(is_alike=True), tmp_path, limits)
    report = write_report(table)
    assert "airline: delay: share of the scenarios with the most frequent sentence of feeling: 1.00 of 20" in report
    assert all(measure.title in report for measure in MEASURES.values())
    assert "- nothing" in write_report(table.slice(0, 0))


@given(SETS, SETS)
def test_means_are_those_over_all_pairs(rows: Any, others: Any) -> None:
    vectors = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    more = others.astype(np.float32)
    if len(rows) < 2:
        assert average_inside(vectors) is None
        assert average_nearest(vectors) is None
    else:
        cosines = vectors @ vectors.T
        apart = ~np.eye(len(rows), dtype=bool)
        assert average_inside(vectors) == pytest.approx(float(cosines[apart].mean()), abs=1e-5)
        nearest = np.where(apart, cosines, -2).max(axis=1)
        assert average_nearest(vectors) == pytest.approx(float(nearest.mean()), abs=1e-5)
    if len(rows) and len(others):
        assert average_between(vectors, more) == pytest.approx(float((vectors @ more.T).mean()), abs=1e-5)


def test_equal_texts_compress_better_and_short_ones_are_not_compared() -> None:
    varied = [f"{number * 7919 % 10007} and {number * 104729 % 10009}" for number in range(900)]
    alike, apart = measure_compression(["the same words"] * 900), measure_compression(varied)
    assert alike is not None
    assert apart is not None
    assert alike > 10 * apart
    assert measure_compression(["short"]) is None
