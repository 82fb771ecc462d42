"""Repeats: ICC(1) as the literature has it, with an interval that holds the truth."""

from pathlib import Path

import numpy as np
import pytest

from schemas.measures_statistics import RunToRun
from servicebench_data.journeys.arrays import load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.repeats import make_run_to_run, measure_agreement
from tests.measures.worlds import EXPERIMENT, World, is_covered

# Shrout and Fleiss (1979): four ratings of six targets.
RATINGS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float)


def test_icc_is_that_of_shrout_and_fleiss() -> None:
    targets = np.repeat(np.arange(6), 4)
    assert measure_agreement(RATINGS.ravel(), targets, targets).icc == pytest.approx(0.1657, abs=5e-5)


@pytest.mark.filterwarnings("ignore::Warning")
def test_icc_is_that_of_pingouin() -> None:
    pingouin = pytest.importorskip("pingouin", reason="pingouin is not installed; Shrout and Fleiss remain")
    random = np.random.default_rng(3)
    table = random.normal(0, 1, (40, 1)) + random.normal(0, 0.8, (40, 5))
    targets, raters = (entry.ravel() for entry in np.indices(table.shape))
    frame = load_library("pandas").DataFrame({"t": targets, "r": raters, "y": table.ravel()})
    other = pingouin.intraclass_corr(frame, "t", "r", "y").iloc[0]
    found = measure_agreement(table.ravel(), targets, targets)
    assert found.icc == pytest.approx(other["ICC"], abs=1e-6)
    assert (found.low, found.high) == pytest.approx(tuple(other["CI95"]), abs=0.05)


def test_intervals_hold_the_truth_where_cells_of_a_dialogue_are_alike() -> None:
    random, dialogues, cells, repeats = np.random.default_rng(8), 60, 4, 3
    cluster = np.repeat(np.arange(dialogues), cells * repeats)
    cell = np.repeat(np.arange(dialogues * cells), repeats)
    found = []
    for _ in range(1000):
        shared = random.normal(0, 0.8, dialogues)[cluster] + random.normal(0, 0.4, dialogues * cells)[cell]
        found.append(measure_agreement(shared + random.normal(0, 0.7, len(cell)), cell, cluster))
    low, high = np.array([(entry.low, entry.high) for entry in found]).T
    assert 0.93 <= is_covered(low, high, 0.8 / (0.8 + 0.49)) <= 0.97
    alone = [measure_agreement(random.normal(0, 1, len(cell)), cell, cluster).icc for _ in range(200)]
    assert np.mean(alone) == pytest.approx(0, abs=0.01)


def test_unequal_repeats_leave_no_bias() -> None:
    random, found = np.random.default_rng(5), []
    for _ in range(400):
        sizes = random.integers(1, 5, 80)
        cell = np.repeat(np.arange(80), sizes)
        values = random.normal(0, 1, 80)[cell] + random.normal(0, 1, len(cell))
        found.append(measure_agreement(values, cell, cell).icc)
    assert np.mean(found) == pytest.approx(0.5, abs=0.02)


def test_repeats_that_differ_more_than_cells_stay_on_the_scale() -> None:
    values, cells = np.array([1.0, 5.0, 5.0, 1.0, 3.0, 3.0, 3.0, 3.0]), np.array([0, 0, 1, 1, 2, 3, 4, 5])
    alike = measure_agreement(values, cells, cells)
    assert (alike.icc, alike.reason) == (-1, "one source dialogue holds all of the variance")
    found = measure_agreement(values + np.linspace(0, 0.1, 8), cells, cells)
    assert (found.low, found.icc) == (-1, -1)


def read_rows(world: World, folder: Path) -> dict[tuple[str, str], RunToRun]:
    with world.open(folder) as connection:
        rows = to_records(RunToRun, make_run_to_run(connection, EXPERIMENT))
    return {(row.measure, row.run): row for row in rows}


def test_rows_are_one_for_each_repeat_and_one_over_all(tmp_path: Path) -> None:
    world = World()
    for scenario in range(5):
        for repeat, more in enumerate((0, 1, 1)):
            world.add("a", scenario, {"one": (min(scenario + more, 4) + 1,) * 3}, repeat=repeat, exchanges=scenario + 1)
    found = read_rows(world, tmp_path)
    means = [found["total", run].mean for run in ("0", "1", "2")]
    assert means == pytest.approx([3.0, 3.8, 3.8])
    whole = found["total", "all"]
    assert (whole.mean, whole.sd, whole.n) == (pytest.approx(np.mean(means)), pytest.approx(np.std(means, ddof=1)), 15)
    # All runs are of the same five scenarios: the interval is that of five means.
    known = load_library("scipy.stats").ttest_1samp(np.array([5, 8, 11, 14, 15]) / 3, 0).confidence_interval()
    assert (whole.mean_low, whole.mean_high) == (pytest.approx(known.low), pytest.approx(known.high))
    first = load_library("scipy.stats").ttest_1samp([1, 2, 3, 4, 5], 0).confidence_interval()
    assert (found["total", "0"].mean_low, found["total", "0"].mean_high) == pytest.approx((first.low, first.high))
    rate = load_library("statsmodels.stats.proportion").proportion_confint(5, 5, method="wilson")
    assert (found["agreement_rate", "1"].mean_low, found["agreement_rate", "1"].mean_high) == pytest.approx(rate)
    assert {found["total", run].label for run in ("0", "all")} == {"judge not validated"}
    assert whole.icc is not None
    assert whole.low is not None
    assert whole.low < whole.icc < 1
    assert (found["exchanges", "all"].icc, found["exchanges", "all"].label) == (1, "all repeats of a cell are alike")
    assert found["agreement_rate", "all"].icc is None


def test_one_repeat_has_no_agreement_and_says_so(tmp_path: Path) -> None:
    world = World()
    for scenario in range(4):
        world.add("a", scenario, {"one": (scenario + 1,) * 3})
    row = read_rows(world, tmp_path)["total", "all"]
    assert (row.icc, row.low, row.sd, row.label) == (None, None, None, "judge not validated; one repeat")
