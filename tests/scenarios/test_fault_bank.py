"""The bank of planted faults: most are found, few faithful rewordings are flagged, and the bank is what it says."""

from collections import Counter
from functools import cache

import pytest

from benchmarks.grounding import Variant, estimate, overlap, run_bank

HALVES = ("develop", "judge", "confirm")
KINDS = frozenset(
    """
    amount date time duration place reference flight_number count product person_name person_role negation contradiction
    wrong_actor quote late_event secret_in_record stale_unflagged invented_policy money_without_loss early_disclosure
    early_telling unit rounded relative_time added_value swapped
    """.split()  # noqa: SIM905
)


@cache
def bank() -> tuple[Variant, ...]:
    return tuple(run_bank())


def select(verdict: str, half: str | None = None) -> list[Variant]:
    return [row for row in bank() if row.verdict == verdict and half in {None, row.half}]


def test_the_bank_holds_every_kind_and_as_many_clean_variants() -> None:
    counts = Counter(row.verdict for row in bank())
    assert {row.kind for row in select("fault")} == KINDS
    assert counts["fault"] >= 120
    assert counts["clean"] >= counts["fault"]
    assert {row.half for row in bank()} == set(HALVES)


@pytest.mark.parametrize("half", HALVES)
def test_nearly_all_faults_are_found_with_their_words(half: str) -> None:
    rows = select("fault", half)
    missed = [(row.dialogue, row.kind, row.span) for row in rows if not row.is_found]
    assert len(missed) <= 0.05 * len(rows), missed


@pytest.mark.parametrize("half", HALVES)
def test_few_clean_variants_are_flagged(half: str) -> None:
    rows = select("clean", half)
    flagged = [(row.dialogue, row.kind, sorted(row.new)) for row in rows if row.is_found]
    assert len(flagged) <= 0.03 * len(rows), flagged


def test_most_kinds_are_found_in_at_least_nine_of_ten_cases() -> None:
    found = Counter(row.kind for row in select("fault") if row.is_found)
    planted = Counter(row.kind for row in select("fault"))
    assert [kind for kind in KINDS - {"contradiction"} if found[kind] < 0.9 * planted[kind]] == []


def test_every_failure_names_words() -> None:
    assert [fault for row in bank() for fault in row.new if not fault[2].strip()] == []


def test_words_are_the_offending_ones_only_where_they_overlap() -> None:
    assert overlap("three days", "Three days")
    assert overlap("wife hung up", "the customer's wife hung")
    assert not overlap("$45", "$35")
    assert not overlap("$45", "")


def test_a_share_has_its_wilson_interval() -> None:
    assert estimate(0, 0) == "none"
    assert estimate(50, 100).split() == ["50/100", "50.0%", "[", "40.4%,", "59.6%]"]
