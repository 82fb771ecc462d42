"""Verdicts that stand: what passed unchanged is not validated again, and whatever changes is."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from schemas.journeys import CategoryRow, StageRow
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.lake.suites import Rule
from servicebench_data.lake.verdicts import check_anew, digest_grounds
from tests.tables import make_tables

Files = dict[str, list[Path]]


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Categories, and the stages that they refer to."""
    tables = make_tables()
    found = {record.table.name: [tmp_path / f"{record.table.name}.parquet"] for record in (CategoryRow, StageRow)}
    for record in (CategoryRow, StageRow):
        write_file(found[record.table.name][0], from_records(record, tables[record]))
    return found


def change(path: Path, edit: Callable[[pa.Table], pa.Table]) -> None:
    write_file(path, edit(read_file(path)))


def test_a_table_that_passed_is_validated_once(files: Files, limits: Limits, tmp_path: Path) -> None:
    first = check_anew(CategoryRow, files, limits, tmp_path / "verdicts")
    assert first
    assert all(finding.passed for finding in first)
    assert check_anew(CategoryRow, files, limits, tmp_path / "verdicts") is None


def test_a_table_that_failed_is_validated_every_time(files: Files, limits: Limits, tmp_path: Path) -> None:
    change(files[CategoryRow.table.name][0], lambda table: table.slice(0, 0))
    for _ in range(2):
        findings = check_anew(CategoryRow, files, limits, tmp_path / "verdicts")
        assert findings
        assert [finding.rule for finding in findings if not finding.passed] == ["row_count"]


@pytest.mark.parametrize("record", [CategoryRow, StageRow])
def test_a_change_behind_the_lakes_back_is_seen(
    files: Files, limits: Limits, tmp_path: Path, record: type[CategoryRow | StageRow]
) -> None:
    check_anew(CategoryRow, files, limits, tmp_path / "verdicts")
    change(files[record.table.name][0], lambda table: table.slice(1))
    findings = check_anew(CategoryRow, files, limits, tmp_path / "verdicts")
    assert findings is not None
    assert all(finding.passed for finding in findings) == (record is CategoryRow)


def test_other_rules_are_other_grounds(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest_grounds(CategoryRow, files)
    assert digest_grounds(CategoryRow, files) == before
    rule = Rule("range:number", "number > 3", "expect_column_values_to_be_between", {"column": "number"})
    monkeypatch.setattr("servicebench_data.lake.verdicts.list_rules", lambda _: (rule,))
    assert digest_grounds(CategoryRow, files) != before
