"""What padding does to scores: shifts of pairs with clustered intervals, what is missing, and nothing for agents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schemas.judging import PaddedScore
from schemas.measures_statistics import PaddingEffect
from servicebench_data.journeys.arrays import load_library
from servicebench_data.lake.arrow import to_records
from servicebench_data.measures.judges import make_judge_consistency
from servicebench_data.measures.making import MAKERS
from servicebench_data.measures.means import make_agent_measures
from servicebench_data.measures.padding import RULES, make_padding_effects
from tests.measures.stored import DIMENSIONS, VERSION
from tests.measures.worlds import EXPERIMENT, World

Scores = Sequence[int | None]


def add_pair(
    world: World, scenario: int, original: Scores, padded: Scores, judge: str = "one", *, words: int = 20
) -> None:
    """A conversation with a judge's scores on the three dimensions, without padding and with it."""
    name = f"c{sum(len(rows) for record, rows in world.rows.items() if record.__name__ == 'Conversation'):05}"
    world.add("a", scenario, {judge: original})
    for dimension, score in zip(DIMENSIONS, padded, strict=True):
        world.put(
            PaddedScore, conversation_id=name, judge=judge, dimension=dimension, grading_version=VERSION, score=score,
            judge_made_by="offline" if judge == "rules" else f"maker/{judge}", words=words,
            padded_words=words * 31 // 20, status="missing" if score is None else "scored",
        )  # fmt: skip


def measure(world: World, folder: Path) -> dict[str, PaddingEffect]:
    with world.open(folder) as connection:
        return {row.measure: row for row in to_records(PaddingEffect, make_padding_effects(connection, EXPERIMENT))}


def test_a_shift_is_the_mean_of_the_pairs_with_an_interval_over_source_dialogues(tmp_path: Path) -> None:
    random, world = np.random.default_rng(1), World()
    shifts = random.integers(0, 2, (40, 2)) + random.integers(0, 2, (40, 1))
    for scenario, pair in enumerate(shifts.tolist()):
        for shift in pair:
            add_pair(world, scenario, (2, 2, 3), (2 + shift, 2, 3))
    found = measure(world, tmp_path)
    row = found["interactional"]
    assert (row.n, row.missing, row.clusters, row.words_ratio) == (80, 0, 40, pytest.approx(1.55))
    assert (row.shift, row.sd) == (pytest.approx(shifts.mean()), pytest.approx(shifts.std(ddof=1)))
    known = load_library("scipy.stats").ttest_1samp(shifts.mean(axis=1), 0).confidence_interval()
    assert (row.low, row.high) == (pytest.approx(known.low), pytest.approx(known.high))
    assert row.label == ""
    assert found["total"].shift == pytest.approx(shifts.mean() / 3)
    assert (found["procedural"].shift, found["procedural"].low) == (0.0, None)
    assert found["procedural"].label == "no chance is left for an interval"


@pytest.mark.parametrize(("words", "ratio"), [((20, 0), 1.55), ((0, 0), None)])
def test_an_agent_that_wrote_nothing_has_no_ratio_and_hides_no_others(
    words: tuple[int, int], ratio: float | None, tmp_path: Path
) -> None:
    world = World()
    for scenario, count in enumerate(words):
        add_pair(world, scenario, (3, 3, 3), (4, 3, 3), words=count)
    row = measure(world, tmp_path)["total"]
    assert (row.n, row.shift) == (2, pytest.approx(1 / 3))
    assert row.words_ratio == (pytest.approx(ratio) if ratio else None)


def test_a_pair_needs_both_scores_and_in_the_total_all_six(tmp_path: Path) -> None:
    world = World()
    for scenario in range(4):
        add_pair(world, scenario, (3, 3, 3), (4, 3, 3))
    add_pair(world, 4, (3, 3, 3), (4, None, 3))
    add_pair(world, 5, (3, 3, None), (4, 3, 3))
    found = measure(world, tmp_path)
    counts = {name: (row.n, row.missing) for name, row in found.items()}
    assert counts == {"interactional": (6, 0), "procedural": (5, 1), "distributive": (5, 1), "total": (4, 2)}
    assert found["total"].shift == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("judge", "padded", "label"),
    [
        ("one", (None, None, None), "no conversation has a score both ways"),
        ("one", (3, 3, 3), "one source dialogue leaves no interval"),
        ("rules", (3, 3, 3), f"{RULES}; one source dialogue leaves no interval"),
    ],
)
def test_what_cannot_be_told_is_missing_and_says_why(judge: str, padded: Scores, label: str, tmp_path: Path) -> None:
    world = World()
    add_pair(world, 0, (3, 3, 3), padded, judge)
    row = measure(world, tmp_path)["total"]
    assert (row.low, row.high, row.label) == (None, None, label)


def test_without_padding_there_is_no_row(tmp_path: Path) -> None:
    assert measure(World().add("a", 0, {"one": (3, 3, 3)}), tmp_path) == {}


def test_no_measure_of_an_agent_sees_padded_scores(tmp_path: Path) -> None:
    assert PaddingEffect in MAKERS
    tables: list[list[Any]] = []
    for name, padded in (("without", False), ("with", True)):
        world = World()
        for scenario in range(6):
            world.add("a", scenario, {"one": (2, 3, 1 + scenario % 5)})
            if padded:
                world.put(
                    PaddedScore, conversation_id=f"c{scenario:05}", judge="one", judge_made_by="maker/one",
                    dimension="interactional", grading_version=VERSION, score=5, status="scored",
                )  # fmt: skip
        with world.open(tmp_path / name) as connection:
            makers = (make_agent_measures, make_judge_consistency)
            tables.append([maker(connection, EXPERIMENT).to_pylist() for maker in makers])
    assert tables[0] == tables[1]
