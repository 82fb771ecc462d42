"""Calibrated means: by lines that did not see what they calibrate, in intervals that hold the truth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.measures import AgentMeasure
from schemas.measures_ratings import CalibratedJustice
from servicebench_data.journeys.arrays import Floats
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.calibrated import (
    ALIKE,
    FOLDS,
    TOO_FEW,
    Sample,
    Talks,
    choose_lines,
    describe,
    find_lines,
    fit,
    make_calibrated_justice,
)
from servicebench_data.measures.concordance import draw_weights
from servicebench_data.measures.means import make_agent_measures
from servicebench_data.measures.reading import Codes
from tests.measures.worlds import EXPERIMENT, World, is_covered

AGENTS = 2


pytestmark = pytest.mark.usefixtures("few_draws")


def draw(seed: int, clusters: int = 60, rated: int = 30) -> Sample:
    """A judge that is generous and uses half of the scale, on two agents in two styles; people's true mean is 3."""
    random = np.random.default_rng(seed)
    cluster, agent, _ = (entry.ravel() for entry in np.indices((clusters, AGENTS, 2)))
    quality = 3 + random.normal(0, 0.7, clusters)[cluster] + random.normal(0, 0.6, len(cluster))
    scores = 3.6 + 0.5 * (quality - 3) + random.normal(0, 0.3, len(cluster))
    people = quality + random.normal(0, 0.7, (3, len(cluster))).mean(axis=0)
    people[cluster >= rated] = np.nan
    return Sample(scores, people, cluster, agent, agent, choose_lines(people, cluster))


def list_rows(sample: Sample) -> list[dict[str, Any]]:
    """Its rows, all conversations in one industry."""
    codes = Codes(sample.agents, ["a", "b"])
    talks = Talks({}, sample.clusters, codes, codes, np.arange(AGENTS))
    return list(describe(sample, talks, draw_weights(np.unique(sample.clusters))))


def fit_all(sample: Sample) -> Floats:
    """Each conversation by its line."""
    return fit(sample, find_lines(sample, np.ones((1, len(np.unique(sample.clusters))))))


def test_a_conversation_is_calibrated_by_the_line_through_the_other_fifths() -> None:
    sample = draw(1)
    fitted, known = fit_all(sample), np.isfinite(sample.people)
    assert set(sample.lines[known]) == set(range(1, FOLDS + 1))
    for line in range(FOLDS + 1):
        seen = known & (sample.lines != line)
        slope, intercept = np.polyfit(sample.scores[seen], sample.people[seen], 1)
        of_line = sample.lines == line
        assert fitted[of_line] == pytest.approx(intercept + slope * sample.scores[of_line])
    for cluster in np.unique(sample.clusters):
        assert len(set(sample.lines[sample.clusters == cluster])) == 1


def test_nobodys_rating_calibrates_what_it_rated() -> None:
    sample = draw(2)
    changed = sample.people.copy()
    changed[sample.clusters == 7] += 1.5
    before, after = (fit_all(entry) for entry in (sample, sample._replace(people=changed)))
    same = sample.lines == sample.lines[sample.clusters == 7][0]
    assert after[same] == pytest.approx(before[same], abs=1e-12)
    assert (np.abs(after[~same] - before[~same]) > 1e-6).all()


def test_a_generous_judge_comes_down_to_people_and_the_error_is_told() -> None:
    sample = draw(3, clusters=600, rated=300)
    rows = list_rows(sample)
    for row in rows:
        assert row["raw"] == pytest.approx(3.6, abs=0.1)
        assert row["calibrated"] == pytest.approx(3.0, abs=0.1)
        assert row["low"] < row["calibrated"] < row["high"]
        assert (row["n"], row["clusters"]) == (1200, 600)
        assert (row["calibration_transcripts"], row["calibration_clusters"]) == (1200, 300)
        assert row["calibrated_error"] < 0.8 * row["raw_error"]
    known = np.isfinite(sample.people)
    left = (fit_all(sample) - sample.people)[known]
    assert rows[0]["calibrated_error"] == pytest.approx(np.sqrt((left**2).mean()))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    found: list[Floats] = []
    for seed in range(1000):
        sample = draw(seed)
        found += [np.array([row["low"], row["high"]]) for row in list_rows(sample) if row["agent"] == "a"]
    low, high = np.array(found).T
    assert 0.93 <= is_covered(low, high, 3.0) <= 0.97


Rows = Mapping[tuple[str, str, str], CalibratedJustice]


def play(rated: int, judge: int | None = None) -> World:
    """Two agents in two industries, one of which has twice as many scenarios; one judge, and one of a's family."""
    random, world = np.random.default_rng(4), World()
    for scenario in range(24):
        for agent in "ab":
            people = {"Ann": [int(score) for score in random.integers(1, 6, 3)]}
            scores = [judge or min(5, max(2, score + int(random.integers(0, 2)))) for score in people["Ann"]]
            world.add(
                agent, scenario, {"one": scores, "own": scores}, own=("own",) if agent == "a" else (),
                industry="hotel" if scenario % 3 else "airline", rated=people if scenario < rated else {},
            )  # fmt: skip
    return world


def read_rows(world: World, folder: Path) -> tuple[Rows, Mapping[str, float | None]]:
    with world.open(folder) as connection:
        rows = to_records(CalibratedJustice, make_calibrated_justice(connection, EXPERIMENT))
        means = to_records(AgentMeasure, make_agent_measures(connection, EXPERIMENT))
    headline = {row.agent: row.mean for row in means if (row.measure, row.by) == ("total", "macro")}
    return {(row.judge, row.dimension, row.agent): row for row in rows}, headline


def test_calibrated_means_stand_beside_those_of_every_judge_and_the_headline(tmp_path: Path) -> None:
    found, headline = read_rows(play(rated=12), tmp_path)
    assert len(found) == 3 * 4 * 2
    for agent in "ab":
        row = found["ensemble", "total", agent]
        assert row.raw == pytest.approx(headline[agent])
        assert row.calibrated is not None
        assert row.calibrated < (row.raw or 0)
        assert row.low is not None
        assert (row.n, row.calibration_transcripts, row.calibration_clusters) == (24, 24, 12)
    assert found["own", "total", "a"].label == "judge not validated; self-play"
    assert found["own", "total", "b"].label == "judge not validated"


@pytest.mark.parametrize(("rated", "judge", "reason"), [(9, None, TOO_FEW), (0, None, TOO_FEW), (12, 3, ALIKE)])
def test_without_enough_to_go_by_the_judges_own_numbers_stand_alone(
    tmp_path: Path, rated: int, judge: int | None, reason: str
) -> None:
    found, headline = read_rows(play(rated, judge), tmp_path)
    row = found["ensemble", "total", "a"]
    assert row.raw == pytest.approx(headline["a"])
    assert (row.calibrated, row.low, row.high, row.calibrated_error) == (None, None, None, None)
    assert row.label.endswith(reason)
