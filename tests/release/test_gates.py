"""What enters a gate is what passed the one before it, in every cut, and the values of a cut add up to all."""

import shutil
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple, get_args

import duckdb
import pytest

from schemas.release import BuildStep
from schemas.scenarios import RejectionReason
from servicebench_data.lake.database import Limits
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.release.gates import read_gates
from servicebench_data.release.publish import VIEWS, publish_build
from servicebench_data.release.steps import count_steps
from tests.tables import INDUSTRIES, list_files, make_build, make_tables, store_tables

# What the seven dialogues of each industry in `tests/tables.py` pass, one of them leaving here and there.
PASSED = {
    "complaint_kept": (7, 6), "coded": (6, 5), "release_grade": (5, 4), "has_reply": (4, 4), "written_by_task": (4, 4),
    "has_events": (4, 4), "enough_facts": (4, 4), "grounded": (4, 3), "recoded_same": (3, 3), "not_taken_out": (3, 3),
    "not_near_duplicate": (3, 2), "drawn": (2, 1),
}  # fmt: skip
LEAVES_AT: dict[str, str] = {
    "no_company_reply": "has_reply", "task_failed": "written_by_task", "no_events": "has_events",
    "too_few_facts": "enough_facts", "ungrounded": "grounded", "recoded_differently": "recoded_same",
    "recoded_unassigned": "recoded_same", "taken_out": "not_taken_out",
}  # fmt: skip


class Rate(NamedTuple):
    position: int
    gate: str
    by: str
    value: str
    entered: int
    passed: int
    pass_rate: float


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of the tables in `tests/tables.py`."""
    lake = Lake(tmp_path_factory.mktemp("gates"))
    limits = Limits(1.0, 1, lake.scratch)
    files = store_tables(lake, make_tables())
    lake.write(BuildStep, count_steps(files, limits), made_from=Origin(fingerprint="f" * 64))
    return publish_build(lake, make_build(), {**files, **list_files(lake, [BuildStep])}, limits, keep=1)


def alter(published: Path, folder: Path, statement: str, **given: Any) -> list[Rate]:
    """The rates of a copy of the file in which something is otherwise."""
    path = Path(shutil.copyfile(published, folder / "altered.duckdb"))
    with duckdb.connect(str(path)) as connection:
        connection.execute(statement, given)
    return read_rates(path)


def read_rates(path: Path) -> list[Rate]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [Rate(*row) for row in connection.execute("FROM release.gate_pass_rate").fetchall()]


@pytest.fixture(scope="module")
def rates(published: Path) -> list[Rate]:
    return read_rates(published)


def test_each_gate_lets_through_what_it_should(rates: list[Rate]) -> None:
    for industry in INDUSTRIES:
        assert {row.gate: (row.entered, row.passed) for row in rates if row.value == industry} == PASSED
        assert [row.gate for row in rates if row.value == industry] == list(PASSED)


def test_what_enters_a_gate_is_what_passed_the_one_before_it(rates: list[Rate]) -> None:
    cuts: dict[tuple[str, str], dict[int, Rate]] = defaultdict(dict)
    for row in rates:
        cuts[row.by, row.value][row.position] = row
    assert {by for by, _ in cuts} == {"all", "industry", "category", "severity", "turns"}
    for gates in cuts.values():
        for position in range(2, len(PASSED) + 1):
            entered = gates[position].entered if position in gates else 0
            before = gates[position - 1].passed if position - 1 in gates else 0
            assert entered == before


def test_the_values_of_a_cut_add_up_to_all(rates: list[Rate]) -> None:
    sums: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rates:
        sums[row.by, row.gate][0] += row.entered
        sums[row.by, row.gate][1] += row.passed
    for (_, gate), counts in sums.items():
        assert counts == sums["all", gate]


def test_every_rate_is_a_share_of_what_entered(rates: list[Rate]) -> None:
    for row in rates:
        assert row.entered > 0
        assert row.pass_rate == pytest.approx(row.passed / row.entered)
        assert 0 <= row.pass_rate <= 1


@pytest.mark.parametrize("reason", get_args(RejectionReason))
def test_every_reason_belongs_to_one_gate(reason: str, published: Path, rates: list[Rate], tmp_path: Path) -> None:
    statement = "UPDATE scenarios.candidate SET is_valid = false, rejection_reason = $reason WHERE scenario_id = $name"
    changed = alter(published, tmp_path, statement, reason=reason, name="s-airline-released")
    before = {row.gate: row.passed for row in rates if row.value == "airline"}
    after = {row.gate: row.passed for row in changed if row.value == "airline"}
    left = list(PASSED).index(LEAVES_AT[reason])
    assert [gate for gate in PASSED if after[gate] < before[gate]] == list(PASSED)[left:]


def test_severity_tells_who_was_rated(published: Path, tmp_path: Path) -> None:
    rows = alter(published, tmp_path, "UPDATE scenarios.severity SET level = 'high' WHERE industry = 'hotel'")
    entered = {row.value: row.entered for row in rows if row.by == "severity" and row.gate == "grounded"}
    assert entered == {"high": 4, "low": 4}
    assert {row.value for row in rows if row.by == "severity" and row.position == 1} == {"high", "low", "not rated"}


@pytest.mark.parametrize(("turns", "band"), [(2, "2"), (3, "3 to 4"), (8, "5 to 8"), (9, "9 or more")])
def test_lengths_are_told_in_bands(turns: int, band: str, published: Path, tmp_path: Path) -> None:
    rows = alter(published, tmp_path, f"UPDATE dialogues.dialogue SET turn_count = {turns}")
    assert {row.value for row in rows if row.by == "turns"} == {band}


def test_the_table_for_people_has_a_row_for_each_gate(published: Path) -> None:
    rows = read_gates(published, "industry")
    assert [row["gate"] for row in rows] == list(PASSED)
    assert list(rows[0]) == ["gate", "all", *INDUSTRIES]
    assert rows[0]["airline"] == "6 of 7 (86%)"


def test_a_reason_that_no_gate_names_is_seen() -> None:
    named = {reason for reason in get_args(RejectionReason) if f"'{reason}'" in VIEWS[1]}
    assert named == set(get_args(RejectionReason)) == set(LEAVES_AT)
