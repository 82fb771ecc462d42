"""Ensembles: means over the judges that are due, and nothing where one of them has not scored."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.judging import Judgment
from schemas.simulation import Conversation
from servicebench_data.judging.ensemble import make_judgments
from servicebench_data.lake.arrow import from_records, to_records
from tests.judging.bench import make_conversation, make_scores

Verdicts = Mapping[tuple[str, str], Sequence[int | None]]


def make(verdicts: Verdicts, more: pa.Table | None = None, **given: Any) -> dict[tuple[str, str], Judgment]:
    """Judgments by conversation and ensemble."""
    numbers = sorted({int(conversation[1:]) for conversation, _ in verdicts})
    conversations = from_records(Conversation, [make_conversation(number, **given) for number in numbers])
    scores = make_scores(verdicts)
    table = make_judgments({Conversation: conversations}, scores if more is None else pa.concat_tables([scores, more]))
    return {(row.conversation_id, row.ensemble): row for row in to_records(Judgment, table)}


def test_means_are_over_judges_and_total_over_dimensions() -> None:
    found = make({("c0000", "one"): [1, 2, 3], ("c0000", "two"): [3, 4, 4]})[("c0000", "all")]
    assert (found.interactional, found.procedural, found.distributive) == (2, 3, 3.5)
    assert found.total == pytest.approx(17 / 6)
    assert found.judges == ["one", "two"]


def test_judges_of_the_agents_own_family_are_in_one_ensemble_only() -> None:
    found = make({("c0000", "one"): [2, 2, 2], ("c0000", "own"): [5, 5, 5]})
    assert found["c0000", "all"].total == 3.5
    assert found["c0000", "without_own_family"].total == 2
    assert found["c0000", "without_own_family"].judges == ["one"]


def test_nothing_is_averaged_around_a_missing_score() -> None:
    found = make({("c0000", "one"): [2, 2, 2], ("c0000", "two"): [5, 5, None], ("c0001", "one"): [1, 1, 1]})
    assert found["c0000", "all"].total is None
    assert found["c0000", "all"].interactional is None
    assert (found["c0000", "all"].judges, found["c0000", "all"].judges_due) == (["one"], 2)
    assert found["c0001", "all"].total == 1


def test_the_engine_stands_in_only_where_no_model_judges() -> None:
    rules = make_scores({("c0000", "rules"): [5, 5, 5]}, judge_made_by="offline")
    assert make({("c0000", "one"): [2, 2, 2]}, rules)["c0000", "all"].judges == ["one"]
    alone = make_judgments({Conversation: from_records(Conversation, [make_conversation()])}, rules)
    assert {row.total for row in to_records(Judgment, alone)} == {5}


def test_a_judge_that_abstains_is_not_due_and_an_empty_bench_has_a_row() -> None:
    silent = make_scores({("c0000", "rules"): [None] * 3}, judge_made_by="offline", status="unscored")
    found = make_judgments({Conversation: from_records(Conversation, [make_conversation()])}, silent)
    rows = to_records(Judgment, found)
    assert [(row.judges, row.judges_due, row.total) for row in rows] == [([], 0, None)] * 2


def test_an_invalid_conversation_has_no_judgment() -> None:
    assert not make({("c0000", "one"): [2, 2, 2]}, is_valid=False)


SCORES = st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3)


@given(
    st.dictionaries(st.tuples(st.sampled_from(["c0000", "c0001", "c0002"]), st.sampled_from("abc")), SCORES, min_size=1)
)
def test_a_mean_lies_between_the_scores_and_is_there_only_when_all_are(verdicts: Verdicts) -> None:
    for (conversation, _), row in make(verdicts).items():
        mine = [scores for (name, _), scores in verdicts.items() if name == conversation]
        is_whole = all(score is not None for scores in mine for score in scores)
        assert (row.total is not None) == is_whole
        if is_whole and row.total is not None:
            values = [score for scores in mine for score in scores if score is not None]
            assert min(values) - 1e-9 <= row.total <= max(values) + 1e-9
        assert len(row.judges) == sum(None not in scores for scores in mine)
