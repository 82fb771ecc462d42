"""The benchmarks of coding and topics fail where a promise is not kept, and measure calibration as it is defined."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.coding import LEADS, Answer, LabelSet, Part, find_right, list_missed, measure
from benchmarks.topics import FASTER
from benchmarks.topics import list_missed as list_missed_topics
from servicebench_data.embeddings.embedder import Embedder
from tests.journeys.words import airline_head

LEAST = {"airline_negative_reasons": 0.10, "airline_intents": 0.001, "restaurant_reviews": 0.001}


def test_leads_as_promised_are_no_miss() -> None:
    assert LEAST.keys() == LEADS.keys()
    assert list_missed(LEAST) == []


@pytest.mark.parametrize(
    ("name", "lead"),
    [("airline_negative_reasons", 0.099), ("airline_intents", 0.0), ("restaurant_reviews", -0.02)],
)
def test_a_lead_that_is_less_than_promised_is_named(name: str, lead: float) -> None:
    (line,) = list_missed({**LEAST, name: lead})
    assert name in line


OURS = {"seconds": 10.0, "nmi": 0.3, "outliers": 0.1}
THEIRS = {"seconds": 10.0 * FASTER, "nmi": 0.3, "outliers": 0.4}


@pytest.mark.parametrize(
    ("worse", "word"),
    [({}, ""), ({"seconds": 10.1}, "speed"), ({"nmi": 0.29}, "NMI"), ({"outliers": 0.11}, "outliers")],
)
def test_topics_that_are_slower_agree_less_or_leave_more_than_promised_are_named(
    worse: dict[str, float], word: str
) -> None:
    missed = list_missed_topics({**OURS, **worse}, THEIRS)
    assert len(missed) == bool(worse)
    assert all(word in line for line in missed)


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.floats(0.05, 0.95))
def test_the_calibration_error_is_about_the_best_category_whether_it_was_assigned_or_not(
    right: list[bool], sure: float
) -> None:
    part = Part([], None, [{"good"} for _ in right])
    answer = Answer([None] * len(right), np.full(len(right), sure), ["a" if hit else "b" for hit in right])
    label_of = {"a": "good", "b": "bad"}
    data: Any = LabelSet(
        "s", airline_head(), label_of, ["bad", "good"], part, part, Embedder("bundled", Path("unused")), []
    )
    assert find_right(answer, part, label_of).tolist() == right
    found = measure(answer, part, data, np.zeros((0, len(right)), dtype=int))["ece"][0]
    assert found == pytest.approx(abs(np.mean(right) - sure))
