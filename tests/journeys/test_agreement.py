"""Agreement: the published examples, the libraries' figures, missing codings, and files that cannot be used."""

from collections.abc import Sequence
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from servicebench_data.industries import load_industries
from servicebench_data.journeys.agreement import FEWEST_ITEMS, Coded, compute_alpha, compute_kappa, measure_agreement
from servicebench_data.journeys.codings_file import NONE, guess_industry, list_codes, read_codings
from servicebench_data.review.cells import ReviewError
from tests.journeys.words import airline

STAGES = {"a1": "a", "a2": "a", "b1": "b", "b2": "b"}


def tabulate(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return np.array(rows, dtype=np.int64)


def measure_alpha(table: np.ndarray) -> float:
    return float(compute_alpha(table, np.ones((1, len(table))))[0])


def measure_kappa(table: np.ndarray) -> float:
    return float(compute_kappa(table, np.ones((1, len(table))))[0])


def test_alpha_of_the_worked_example() -> None:
    # Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011): four observers, twelve units, nominal data.
    nan = -1
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    assert measure_alpha(tabulate(observers).T) == pytest.approx(0.743, abs=0.0005)


def test_kappa_of_the_usual_example() -> None:
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert measure_kappa(tabulate(pairs)) == pytest.approx(0.4)


CODES = st.integers(-1, 3)


@given(st.lists(st.tuples(CODES, CODES), min_size=2, max_size=30))
def test_kappa_is_that_of_scikit_learn(rows: list[tuple[int, int]]) -> None:
    both = [row for row in rows if min(row) >= 0]
    if len({code for row in both for code in row}) < 2:
        return
    expected = cohen_kappa_score([row[0] for row in both], [row[1] for row in both])
    assert measure_kappa(tabulate(rows)) == pytest.approx(expected, nan_ok=True)


@given(st.lists(st.tuples(CODES, CODES, CODES), min_size=2, max_size=30))
def test_alpha_is_that_of_the_package(rows: list[tuple[int, int, int]]) -> None:
    pairable = [row for row in rows if sum(code >= 0 for code in row) >= 2]
    if len({code for row in pairable for code in row if code >= 0}) < 2:
        return
    data = [[np.nan if code < 0 else code for code in column] for column in zip(*rows, strict=True)]
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert measure_alpha(tabulate(rows)) == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.tuples(CODES, CODES, CODES), min_size=3, max_size=12), st.integers(0, 5))
def test_a_weight_is_as_good_as_a_repetition(rows: list[tuple[int, int, int]], place: int) -> None:
    table = tabulate(rows)
    weights = np.ones((1, len(rows)))
    weights[0, place % len(rows)] = 3
    repeated = np.vstack([table, table[[place % len(rows)] * 2]])
    assert float(compute_alpha(table, weights)[0]) == pytest.approx(measure_alpha(repeated), nan_ok=True)


def code(coder: str, text: str) -> list[Coded]:
    names = {"A": "a1", "a": "a2", "B": "b1", "b": "b2"}
    return [Coded(f"i{place:02}", coder, names[sign]) for place, sign in enumerate(text) if sign in names]


def test_two_people_get_kappa_by_category_and_stage_with_intervals() -> None:
    found = measure_agreement([*code("ann", "AAaaBBbbAAaaBBbb"), *code("bo", "AAaaBBbBAAAaBBbb")], STAGES, seed=1)
    assert (found.measure, found.coders) == ("Cohen's kappa", ("ann", "bo"))
    categories, stages = found.overall
    assert stages.value == 1.0
    assert categories.value is not None
    assert categories.low is not None
    assert categories.high is not None
    assert 0 < categories.low < categories.value < categories.high <= 1
    assert [figure.name for figure in found.categories] == list(STAGES)
    assert found.categories[0].uses == (4, 5)
    assert [(entry.item_id, entry.categories) for entry in found.differences] == [
        ("i07", ("b2", "b1")), ("i10", ("a2", "a1")),
    ]  # fmt: skip
    assert found.confusions == [("a1", "a2", 1), ("b1", "b2", 1)]


def test_three_people_get_alpha_and_missing_codings_stay_missing() -> None:
    found = measure_agreement([*code("ann", "AAaaBBbb"), *code("bo", "AAaaB---"), *code("cy", "AAaaB--A")], STAGES, 1)
    assert found.measure == "Krippendorff's alpha"
    assert found.overall[0].items == 6
    assert [(entry.item_id, entry.categories) for entry in found.differences] == [("i07", ("b2", "", "a1"))]


@pytest.mark.parametrize("items", [3, FEWEST_ITEMS - 1, FEWEST_ITEMS])
def test_few_items_give_no_interval_and_neither_does_a_category_of_few_or_one_without_spread(items: int) -> None:
    signs = ("AB" * items)[:items]
    found = measure_agreement([*code("ann", signs), *code("bo", "B" + signs[1:])], STAGES, 1)
    assert (found.overall[0].low is None) == (items < FEWEST_ITEMS)
    alike = measure_agreement([*code("ann", "AABBbbbbbb" * 3), *code("bo", "AaBBbbbbbB" * 3)], STAGES, 1)
    by_name = {figure.name: figure for figure in alike.categories}
    assert by_name["a2"].value is not None
    assert by_name["a2"].low is None, "three items are fewer than five"
    assert by_name["b2"].low is not None
    stage = alike.overall[1]
    assert (stage.value, stage.low, stage.high) == (1.0, None, None)


def test_figures_are_the_same_every_time() -> None:
    codings = [*code("ann", "AAaaBBbb"), *code("bo", "AaaaBBbB")]
    assert measure_agreement(codings, STAGES, 7) == measure_agreement(codings[::-1], STAGES, 7)


def test_what_is_undefined_has_no_value() -> None:
    found = measure_agreement([*code("ann", "AAA"), *code("bo", "AAA")], STAGES, 1)
    assert (found.overall[0].value, found.overall[0].low, found.overall[0].high) == (None, None, None)


@pytest.mark.parametrize("codings", [[], code("ann", "AAaa"), [*code("ann", "A-"), *code("bo", "-A")]])
def test_without_two_people_on_one_item_it_says_so(codings: list[Coded]) -> None:
    with pytest.raises(ValueError, match="two people's codings"):
        measure_agreement(codings, STAGES, 1)


def write(folder: Path, *rows: str, header: str = "item_id,coder,category_id") -> Path:
    path = folder / "codes.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_and_an_empty_category_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "i1,ann,tarmac_holds", "i1,bo,", f"i2,bo,{NONE}")
    assert read_codings(path, list_codes(airline())) == [
        Coded("i1", "ann", "tarmac_holds"), Coded("i2", "bo", NONE),
    ]  # fmt: skip
    assert guess_industry(path, load_industries()).id == "airline"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("i1,ann,tarmac_hold", ["row 3", "'category_id'", "did you mean 'tarmac_holds'"]),
        ("i1,ann,delayed_baggage", ["row 3", "'coder'", "in row 2"]),
        (",ann,tarmac_holds", ["row 3", "'item_id'"]),
        ("i2,,tarmac_holds", ["row 3", "'coder'"]),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, row: str, words: list[str]) -> None:
    path = write(tmp_path, "i1,ann,tarmac_holds", row)
    with pytest.raises(ReviewError) as caught:
        read_codings(path, list_codes(airline()))
    for word in [path.name, *words]:
        assert word in str(caught.value)


@pytest.mark.parametrize("other", ["Ann lee", "ANN LEE", "ann  lee"])
def test_two_spellings_of_one_person_are_refused(tmp_path: Path, other: str) -> None:
    path = write(tmp_path, "i1,ann lee,tarmac_holds", "i2,bo,tarmac_holds", f"i2,{other},tarmac_holds")
    with pytest.raises(ReviewError, match=r"row 4.*one person"):
        read_codings(path, list_codes(airline()))


def test_a_mistyped_category_is_named_with_its_row_also_where_the_industry_is_guessed(tmp_path: Path) -> None:
    rows = [f"i{place},ann,tarmac_holds" for place in range(100)]
    path = write(tmp_path, *rows, "i100,ann,tarmac_hold")
    known = guess_industry(path, load_industries())
    with pytest.raises(ReviewError, match=r"row 102.*did you mean 'tarmac_holds'"):
        read_codings(path, list_codes(known))


def test_a_stage_that_is_not_the_categorys_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "i1,ann,tarmac_holds,baggage", header="item_id,coder,category_id,stage_id")
    with pytest.raises(ReviewError, match="'stage_id'"):
        read_codings(path, list_codes(airline()))


def test_a_file_that_fits_no_map_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match="--industry"):
        guess_industry(write(tmp_path, "i1,ann,nothing_of_the_kind"), load_industries())
