"""The rubric: its form, and a dimension's score from its items."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.judging import RubricItem
from schemas.rubric import RubricDimension
from servicebench_data.judging.rubric import (
    DIMENSIONS,
    FILE,
    RubricError,
    find_rubric,
    load_rubric,
    score_dimension,
    tell_rubric,
)
from servicebench_data.judging.versions import make_rubric_table, name_grading_version
from servicebench_data.lake.arrow import to_records

NAMES = st.sampled_from(DIMENSIONS)
POINTS = st.integers(1, 5)


def draw_items(data: st.DataObject, dimension: RubricDimension) -> dict[str, int]:
    return {item: data.draw(POINTS) for item in dimension.items}


@given(st.data(), NAMES)
def test_a_score_is_the_rounded_mean_or_a_cap_below_it(data: st.DataObject, name: str) -> None:
    dimension = find_rubric().spec.dimensions[name]  # pyright: ignore[reportArgumentType]
    items = draw_items(data, dimension)
    verdict = score_dimension(dimension, items)
    mean = sum(items.values()) / len(items)
    holding = [cap.cap for cap in dimension.caps if items[cap.item] <= cap.at_most]
    assert verdict.score == min([int(mean + 0.5), *holding])
    assert (verdict.cap is not None) == (verdict.score < int(mean + 0.5))


@given(st.data(), NAMES)
def test_a_higher_item_never_lowers_the_score(data: st.DataObject, name: str) -> None:
    dimension = find_rubric().spec.dimensions[name]  # pyright: ignore[reportArgumentType]
    items = draw_items(data, dimension)
    raised = data.draw(st.sampled_from(sorted(items)))
    better = {**items, raised: min(5, items[raised] + 1)}
    assert score_dimension(dimension, better).score >= score_dimension(dimension, items).score


@pytest.mark.parametrize("score", [1, 2, 3, 4, 5])
def test_each_end_of_the_scale_can_be_reached(score: int) -> None:
    for dimension in find_rubric().spec.dimensions.values():
        assert score_dimension(dimension, dict.fromkeys(dimension.items, score)).score == score


def test_halves_go_up() -> None:
    dimension = find_rubric().spec.dimensions["procedural"]
    items = dict.fromkeys(dimension.items, 4) | {"voice": 5, "clarity": 5, "choice": 5}
    assert score_dimension(dimension, items).score == 5


def test_deceit_and_a_missing_question_cap_whatever_else_there_is() -> None:
    dimensions = find_rubric().spec.dimensions
    kind = dict.fromkeys(dimensions["interactional"].items, 5) | {"honesty": 1}
    assert score_dimension(dimensions["interactional"], kind).score == 2
    quick = dict.fromkeys(dimensions["procedural"].items, 5) | {"inquiry": 1}
    assert score_dimension(dimensions["procedural"], quick).score == 2
    paid = dict.fromkeys(dimensions["distributive"].items, 5) | {"grounds": 1}
    assert score_dimension(dimensions["distributive"], paid).score == 3


@pytest.mark.parametrize("given", [{}, {"dignity": 3}, {"dignity": 3, "kindness": 3}])
def test_items_that_are_not_the_dimensions_are_refused(given: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="give each of them"):
        score_dimension(find_rubric().spec.dimensions["interactional"], given)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("item: dignity,", "item: kindness,"),
        ("          5: as 4, and takes", "          6: as 4, and takes"),
        ("version: 1", "versoin: 1"),
    ],
)
def test_a_rubric_that_is_none_is_refused(tmp_path: Path, old: str, new: str) -> None:
    text = FILE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "rubric.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RubricError, match="mend it"):
        load_rubric(path)


def test_a_judge_is_told_every_anchor_and_no_cap() -> None:
    rubric = find_rubric().spec
    told = tell_rubric(rubric, DIMENSIONS)
    for dimension in rubric.dimensions.values():
        assert all(anchor in told for item in dimension.items.values() for anchor in item.anchors.values())
        assert not any(cap.why in told for cap in dimension.caps)
    assert "procedural" not in tell_rubric(rubric, ["distributive"])


def test_the_table_holds_every_item_under_the_version_in_force() -> None:
    rows = to_records(RubricItem, make_rubric_table())
    items = [item for dimension in find_rubric().spec.dimensions.values() for item in dimension.items]
    assert sorted(row.item_id for row in rows) == sorted(items)
    assert {row.grading_version for row in rows} == {name_grading_version()}
    assert all(len(row.anchors) == 5 for row in rows)
