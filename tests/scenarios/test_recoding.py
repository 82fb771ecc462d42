"""The second coding of a finished text questions the head's first one, never a person's decision."""

import pytest

from schemas.scenarios import Candidate
from servicebench_data.scenarios.candidates import judge_coding
from tests.rows import plain_row

CASES = [("delayed_baggage", None), ("tarmac_holds", "recoded_differently"), (None, "recoded_unassigned")]


def make_candidate() -> Candidate:
    return Candidate.model_validate(plain_row(Candidate, dialogue_id="d1", category_id="delayed_baggage"))


@pytest.mark.parametrize(("recoded", "reason"), CASES)
def test_a_text_that_the_head_codes_otherwise_is_rejected(recoded: str | None, reason: str | None) -> None:
    judged = judge_coding(make_candidate(), recoded, frozenset())
    assert (judged.is_valid, judged.rejection_reason) == (reason is None, reason)


@pytest.mark.parametrize("recoded", [recoded for recoded, _ in CASES])
def test_where_a_person_decided_the_heads_coding_is_noted_and_no_reason(recoded: str | None) -> None:
    judged = judge_coding(make_candidate(), recoded, frozenset({"d1"}))
    assert (judged.is_valid, judged.rejection_reason, judged.recoded_category_id) == (True, None, recoded)
