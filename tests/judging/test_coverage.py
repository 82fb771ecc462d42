"""Checks over the tables: a verdict or a reason for every conversation, and judges that tell cases apart."""

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas.judging import RubricItem, Score, SubScore
from schemas.records import Record
from schemas.simulation import Conversation, ExperimentRow
from servicebench_data.judging.coverage import check_coverage, find_degenerate
from servicebench_data.judging.rubric import DIMENSIONS
from servicebench_data.judging.versions import make_rubric_table, name_grading_version
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits
from tests.judging.bench import make_conversation, make_scores, make_sub_scores
from tests.rows import plain_record

Tables = dict[type[Record], pa.Table]
VERSION = {"grading_version": name_grading_version()}


def make_tables(count: int = 4) -> Tables:
    """An experiment with two judges that judged all of its conversations."""
    definition = json.dumps({"judges": [{"name": "one"}, {"name": "two"}]})
    verdicts = {
        (f"c{number:04}", judge): [1 + (number + place) % 5 for place in range(3)]
        for number in range(count)
        for judge in ("one", "two")
    }
    scores = make_scores(verdicts, **VERSION)
    return {
        ExperimentRow: from_records(
            ExperimentRow, [plain_record(ExperimentRow, experiment_id="try", definition=definition)]
        ),
        Conversation: from_records(Conversation, [make_conversation(number) for number in range(count)]),
        Score: scores,
        SubScore: make_sub_scores(scores),
        RubricItem: make_rubric_table(),
    }


def write(folder: Path, tables: Tables) -> dict[str, list[Path]]:
    files: dict[str, list[Path]] = {}
    for record, table in tables.items():
        path = folder / f"{record.table.name}.parquet"
        pq.write_table(table, path)
        files[record.table.name] = [path]
    return files


def find_broken(folder: Path, limits: Limits, tables: Tables) -> set[str]:
    return {finding.rule for finding in check_coverage(write(folder, tables), limits) if not finding.passed}


def change(table: pa.Table, **given: Any) -> pa.Table:
    """The table with the first row changed."""
    first, *rest = table.to_pylist()
    return pa.Table.from_pylist([{**first, **given}, *rest], schema=table.schema)


def test_whole_tables_pass(tmp_path: Path, limits: Limits) -> None:
    assert find_broken(tmp_path, limits, make_tables()) == set()


def test_an_experiment_judged_by_an_earlier_rubric_lacks_nothing(tmp_path: Path, limits: Limits) -> None:
    tables = make_tables()
    of_old = pa.array(["1-old"] * len(tables[Score]))
    place = tables[Score].column_names.index("grading_version")
    scores = tables[Score].set_column(place, tables[Score].schema.field(place), of_old)
    earlier = {**tables, Score: scores, SubScore: make_sub_scores(scores)}
    assert find_broken(tmp_path, limits, earlier) == set()
    assert find_broken(tmp_path, limits, {**earlier, Score: scores.slice(1)}) == {"covered"}


BREAKS: dict[str, tuple[str, Callable[[Tables], Tables]]] = {
    "a verdict is not there": ("covered", lambda tables: {**tables, Score: tables[Score].slice(1)}),
    "a judge never sat": (
        "covered",
        lambda tables: {**tables, Score: make_scores({("c0000", "one"): [1, 2, 3]}, **VERSION)},
    ),
    "scores are of another rubric": (
        "covered",
        lambda tables: {**tables, Score: change(tables[Score], grading_version="0")},
    ),
    "missing, and scored": (
        "score_or_reason",
        lambda tables: {**tables, Score: change(tables[Score], status="missing")},
    ),
    "an item is not there": ("items_whole", lambda tables: {**tables, SubScore: tables[SubScore].slice(1)}),
    "an invalid one is scored": (
        "invalid_unscored",
        lambda tables: {**tables, Conversation: change(tables[Conversation], is_valid=False)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BREAKS)
def test_a_planted_fault_is_found(what: str, tmp_path: Path, limits: Limits) -> None:
    rule, plant = BREAKS[what]
    assert rule in find_broken(tmp_path, limits, plant(make_tables()))


def lose(tables: Tables, conversations: Collection[str], judge: str = "two") -> Tables:
    """The tables with a judge's verdicts on some conversations missing."""
    rows = tables[Score].to_pylist()
    for row in rows:
        if row["judge"] == judge and row["conversation_id"] in conversations:
            row.update(status="missing", score=None)
    scores = pa.Table.from_pylist(rows, schema=tables[Score].schema)
    return {**tables, Score: scores, SubScore: make_sub_scores(scores)}


def share_out(tables: Tables, agents: int) -> Tables:
    """The tables with the conversations played by so many agents in turn."""
    rows = [{**row, "agent": f"a{at % agents}"} for at, row in enumerate(tables[Conversation].to_pylist())]
    return {**tables, Conversation: pa.Table.from_pylist(rows, schema=tables[Conversation].schema)}


def test_few_missing_verdicts_pass_and_many_do_not(tmp_path: Path, limits: Limits) -> None:
    tables = make_tables(20)
    assert not find_broken(tmp_path, limits, lose(tables, {"c0000"}))
    many = lose(tables, {"c0000", "c0001", "c0002", "c0003"})
    assert find_broken(tmp_path, limits, many) == {"missing:try:two", "missing:try:two:just"}


def test_verdicts_that_are_missing_on_one_agent_alone_are_found(tmp_path: Path, limits: Limits) -> None:
    tables = share_out(make_tables(80), 10)
    half = {f"c{number:04}" for number in (0, 10, 20, 30)}
    assert find_broken(tmp_path, limits, lose(tables, half)) == {"missing:try:two:a0"}
    spread = {f"c{number:04}" for number in range(4)}
    assert not find_broken(tmp_path, limits, lose(tables, spread))


def test_one_conversation_of_each_agent_adds_up(tmp_path: Path, limits: Limits) -> None:
    tables = share_out(make_tables(80), 10)
    one_of_each = {f"c{number:04}" for number in range(10)}
    assert find_broken(tmp_path, limits, lose(tables, one_of_each)) == {"missing:try:two"}


def test_nothing_judged_is_no_pass(tmp_path: Path, limits: Limits) -> None:
    tables = {record: table for record, table in make_tables().items() if record is not Score}
    assert find_broken(tmp_path, limits, tables) == {"complete"}


def test_a_judge_that_gives_the_same_to_all_is_named(tmp_path: Path, limits: Limits) -> None:
    tables = make_tables(25)
    assert all(finding.passed for finding in find_degenerate(write(tmp_path, tables), limits))
    flat = make_scores({(f"c{number:04}", "one"): [5, 5, 1 + number % 5] for number in range(25)}, **VERSION)
    found = find_degenerate(write(tmp_path, {**tables, Score: flat}), limits)
    named = [finding.rule for finding in found if not finding.passed]
    assert named == [f"judge_degenerate:try:one:{name}" for name in sorted(DIMENSIONS[:2])]
    few = make_scores({(f"c{number:04}", "one"): [5, 5, 5] for number in range(19)}, **VERSION)
    assert not find_degenerate(write(tmp_path, {**tables, Score: few}), limits)
