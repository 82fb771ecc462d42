"""The rule engine: deterministic, silent without acts, and in the order that was written down."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.simulation import ActKind
from servicebench_data.judging.rubric import DIMENSIONS, find_rubric, score_dimension
from servicebench_data.judging.rules import FILE, KINDS, load_rules, read_test, score_acts
from tests.judging.bench import make_acts

#: What agents of the five scripts declare, message by message.
PLAYED: dict[str, list[list[str]]] = {
    "just": [
        ["acknowledged:harm", "apologised:harm", "checked_record:case_record", "asked:amount", "asked:date"],
        ["acknowledged:account", "explained:cause", "promised:step", "asked:remedy"],
        ["acknowledged:harm", "explained:policy", "offered:goodwill", "named_deadline:owner", "gave_choice:remedy"],
        ["acknowledged:objection", "offered:goodwill", "escalated:manager"],
    ],
    "cold": [
        ["checked_record:case_record", "asked:booking_reference", "asked:date"],
        ["explained:policy", "offered:entitlement", "named_deadline:process"],
        ["refused:goodwill", "named_deadline:process"],
    ],
    "premature_payer": [
        ["apologised:inconvenience", "offered:goodwill"],
        ["apologised:inconvenience", "offered:goodwill"],
    ],
    "evader": [
        ["greeted", "evaded:cause", "evaded:channel"],
        ["evaded:remedy", "repeated_question:case_record"],
        ["blamed:customer", "evaded:channel"],
    ],
    "over_promiser": [
        ["acknowledged:feeling", "apologised:everything", "asked:date"],
        ["over_promised:outcome", "offered:goodwill", "over_promised:future"],
        ["acknowledged:feeling", "offered:goodwill", "contradicted:deadline"],
    ],
}
#: As `ORDER.md` has it; agents of one group share a place.
ORDER: dict[str, list[set[str]]] = {
    "interactional": [{"just"}, {"cold"}, {"premature_payer", "over_promiser"}, {"evader"}],
    "procedural": [{"just"}, {"cold"}, {"premature_payer", "over_promiser"}, {"evader"}],
    "distributive": [{"just"}, {"cold", "premature_payer"}, {"over_promiser"}, {"evader"}],
}


def score(turns: Sequence[Sequence[str]]) -> dict[str, int]:
    items = score_acts(make_acts(0, turns))
    return {name: score_dimension(find_rubric().spec.dimensions[name], items[name]).score for name in DIMENSIONS}


@pytest.mark.parametrize("dimension", ORDER)
def test_the_engine_puts_the_scripts_in_the_order_that_was_written_down(dimension: str) -> None:
    scores = {script: score(turns)[dimension] for script, turns in PLAYED.items()}
    for better, worse in pairwise(ORDER[dimension]):
        assert min(scores[script] for script in better) > max(scores[script] for script in worse), scores


def test_the_order_is_the_one_of_the_page() -> None:
    page = (FILE.parent / "ORDER.md").read_text(encoding="utf-8")
    for dimension, groups in ORDER.items():
        line = next(line for line in page.splitlines() if line.startswith(f"| {dimension} |"))
        written = [set(place.strip(" {}").split(", ")) for place in line.split("|")[2].split(">")]
        assert written == groups


def test_paying_at_once_is_no_justice() -> None:
    paid, asked = score([["offered:goodwill"]]), score([["asked:amount"], ["explained:cause", "offered:goodwill"]])
    assert all(paid[name] < asked[name] for name in DIMENSIONS)
    assert paid["procedural"] <= 2


ACTS = st.lists(st.lists(st.sampled_from(sorted(KINDS)), max_size=4), min_size=1, max_size=5)


@given(ACTS)
def test_any_acts_give_every_item_a_score(turns: list[list[str]]) -> None:
    items = score_acts(make_acts(0, turns))
    assert items == score_acts(list(reversed(make_acts(0, turns))))
    for name, dimension in find_rubric().spec.dimensions.items():
        assert set(items[name]) == set(dimension.items)
        assert all(1 <= value <= 5 for value in items[name].values())


@given(ACTS, st.sampled_from(["blamed", "contradicted", "over_promised"]))
def test_a_wrong_never_helps(turns: list[list[str]], wrong: ActKind) -> None:
    before, after = score(turns)["interactional"], score([*turns, [wrong]])["interactional"]
    assert after <= before


@pytest.mark.parametrize("text", ["smiled", "asked>", "asked<", "asked<nothing", "!", "asked remedy"])
def test_a_rule_that_tests_nothing_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no test of acts"):
        read_test(text, {"decision": frozenset({"offered"})})


def test_the_rules_settle_every_item_of_the_rubric() -> None:
    assert {name: set(items) for name, items in load_rules().items()} == {
        name: set(dimension.items) for name, dimension in find_rubric().spec.dimensions.items()
    }
