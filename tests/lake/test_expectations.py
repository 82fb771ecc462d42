"""Suites from records: what breaks a rule is found, with its keys, whether rows or counts are validated."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import Field

from schemas.dialogues import Post, QuarantinedPost, Screening
from schemas.journeys import CategoryRow, Coding, StageRow
from schemas.records import Count, Digest, Id, Record, Share, Table
from servicebench_data.lake.columns import read_columns
from servicebench_data.lake.database import Limits
from servicebench_data.lake.expectations import KEY_LIMIT, ROW_LIMIT, Finding, check_table, list_rules
from servicebench_data.lake.parquet import write_file
from servicebench_data.lake.suites import Rule
from servicebench_data.lake.tables import RECORDS, arrow_schema
from tests.rows import list_breaks, plain_row

FORMS = pytest.mark.parametrize("row_limit", [ROW_LIMIT, -1], ids=["rows", "counts"])  # -1: an empty table as well
# One record in eight is validated as counts too; that both forms agree is the property below.
CASES = [*((record, ROW_LIMIT) for record in RECORDS), *((record, -1) for record in RECORDS[::8])]


class Specimen(Record):
    """One row per specimen: every kind of column."""

    table: ClassVar = Table("specimen", "release", ("left", "right"))

    left: Id = Field(description="First part of the key.")
    right: Count = Field(description="Second part of the key.")
    choice: Literal["a", "it's", "None"] = Field(description="One of three.")
    maybe_choice: Literal["a", "b"] | None = Field(description="One of two, or missing.")
    choices: list[Literal["a", "b"]] = Field(description="Some of two.")
    share: Share | None = Field(description="A bounded number, or missing.")
    amount: float = Field(gt=0, description="More than nothing.")
    digest: Digest | None = Field(description="A pattern.")
    numbers: list[int] = Field(min_length=1, description="At least one number.")
    is_flag: bool | None = Field(description="Yes, no or missing.")


RULES = [
    "row_count", "unique:left+right", "not_null:left", "length:left", "not_null:right", "range:right",
    "not_null:choice", "in_set:choice", "in_set:maybe_choice", "not_null:choices", "in_set:choices", "items:choices",
    "range:share",
    "not_null:amount", "range:amount", "pattern:digest", "not_null:numbers", "items:numbers", "length:numbers",
]  # fmt: skip


def store(folder: Path, record: type[Record], rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Path]]:
    """A Parquet file of rows that may break the record, as a careless writer would leave it."""
    schema = pa.schema([field.with_nullable(True) for field in arrow_schema(record)])
    path = folder / f"{record.table.name}.parquet"
    write_file(path, pa.Table.from_pylist(list(rows), schema=schema))
    return {record.table.name: [path]}


def broken(findings: Sequence[Finding]) -> dict[str, tuple[str, ...]]:
    """Keys by each rule that did not hold."""
    return {finding.rule: finding.keys for finding in findings if not finding.passed}


def name_key(record: type[Record], row: Mapping[str, Any]) -> str:
    return " / ".join("(missing)" if row[name] is None else str(row[name]) for name in record.table.key)


def own_rules(record: type[Record]) -> list[str]:
    return [rule.name for rule in list_rules(record) if not rule.refers_to]


@pytest.fixture(autouse=True)
def register_specimen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The specimen is a table like any other, the last one of the pipeline."""
    monkeypatch.setattr("servicebench_data.lake.expectations.RECORDS", (*RECORDS, Specimen))


def test_a_record_gives_one_rule_for_each_thing_it_says() -> None:
    assert [rule.name for rule in list_rules(Specimen)] == RULES


@pytest.mark.parametrize(("record", "row_limit"), CASES, ids=[f"{case[0].__name__}{case[1]}" for case in CASES])
def test_each_flaw_of_each_record_is_found_with_its_key(
    record: type[Record], row_limit: int, tmp_path: Path, limits: Limits
) -> None:
    flaws = [flaw for column in read_columns(record) for flaw in list_breaks(column)]
    good = [plain_row(record, 1), plain_row(record, 2)]
    bad = [{**plain_row(record, 3 + place), flaw.column: flaw.value} for place, flaw in enumerate(flaws)]
    expected: dict[str, list[str]] = {}
    for flaw, row in zip(flaws, bad, strict=True):
        expected.setdefault(flaw.rule, []).append(name_key(record, row))
    findings = check_table(record, store(tmp_path, record, [*good, *bad]), limits, row_limit=row_limit)
    found = {rule: keys for rule, keys in broken(findings).items() if rule in own_rules(record)}
    assert found == {rule: tuple(sorted(keys)[:KEY_LIMIT]) for rule, keys in expected.items()}


def specimens() -> st.SearchStrategy[list[dict[str, Any]]]:
    """Tables in which each value is right or wrong by chance."""
    columns = {
        "left": st.sampled_from(["x", "y", "", None]),
        "right": st.sampled_from([0, 1, -1, None, 2**62]),
        "choice": st.sampled_from(["a", "it's", "None", "c", "", None]),
        "maybe_choice": st.sampled_from(["a", "b", "A", None]),
        "choices": st.sampled_from([[], ["a"], ["a", "b", "a"], ["c"], ["a", None], None]),
        "share": st.sampled_from([0.0, 1.0, 0.5, -0.001, 1.001, float("nan"), float("inf"), None]),
        "amount": st.sampled_from([5e-324, 1.0, 0.0, -1.0, float("nan"), float("inf"), None]),
        "digest": st.sampled_from(["0" * 64, "0" * 64 + "\n", "\n" + "0" * 64, "0" * 63, "", None]),
        "numbers": st.sampled_from([[1], [1, 2], [], [None], [1, None], None]),
        "is_flag": st.sampled_from([True, False, None]),
    }
    return st.lists(st.fixed_dictionaries(columns), max_size=8)


@settings(max_examples=6)
@given(rows=specimens())
def test_rows_and_counts_give_equal_verdicts(rows: list[dict[str, Any]], tmp_path: Path, limits: Limits) -> None:
    files = store(tmp_path, Specimen, rows)
    assert check_table(Specimen, files, limits) == check_table(Specimen, files, limits, row_limit=-1)


@FORMS
def test_an_empty_table_fails(tmp_path: Path, limits: Limits, row_limit: int) -> None:
    files = store(tmp_path, StageRow, [])
    findings = check_table(StageRow, files, limits, row_limit=row_limit)
    assert broken(findings) == {"row_count": ()}
    assert findings[0].note == "the table is empty"


def test_a_table_that_may_be_empty_passes_empty(tmp_path: Path, limits: Limits) -> None:
    assert not broken(check_table(QuarantinedPost, store(tmp_path, QuarantinedPost, []), limits))


@FORMS
def test_a_missing_value_does_not_pass_as_an_allowed_one(tmp_path: Path, limits: Limits, row_limit: int) -> None:
    rows = [plain_row(QuarantinedPost, number, reason=None if number else "bad_id") for number in range(4)]
    findings = check_table(QuarantinedPost, store(tmp_path, QuarantinedPost, rows), limits, row_limit=row_limit)
    assert broken(findings) == {"not_null:reason": tuple(f"source 0000{number} / {number + 1}" for number in (1, 2, 3))}


@FORMS
def test_a_repeated_key_is_found_and_shown_for_each_row(tmp_path: Path, limits: Limits, row_limit: int) -> None:
    rows = [plain_row(StageRow, number, stage_id="s", industry=f"i{number // 2}") for number in range(3)]
    findings = check_table(StageRow, store(tmp_path, StageRow, rows), limits, row_limit=row_limit)
    assert broken(findings) == {"unique:industry+stage_id": ("i0 / s", "i0 / s")}


@FORMS
def test_at_most_twenty_keys_are_shown_and_all_are_counted(tmp_path: Path, limits: Limits, row_limit: int) -> None:
    rows = [plain_row(StageRow, number, description="") for number in range(50)]
    found = check_table(StageRow, store(tmp_path, StageRow, rows), limits, row_limit=row_limit)
    flawed = next(finding for finding in found if finding.rule == "length:description")
    assert (flawed.passed, flawed.failing, len(flawed.keys)) == (False, 50, KEY_LIMIT)
    assert flawed.keys[0] == "industry 00000 / stage_id 00000"


@FORMS
def test_a_reference_to_nothing_is_found(tmp_path: Path, limits: Limits, row_limit: int) -> None:
    stages = [plain_row(StageRow, industry="airline", stage_id="booking")]
    rows = [
        plain_row(CategoryRow, 1, industry="airline", stage_id="booking", category_id="fits"),
        plain_row(CategoryRow, 2, industry="airline", stage_id="arrival", category_id="no_such_stage"),
        plain_row(CategoryRow, 3, industry="hotel", stage_id="booking", category_id="other_industry"),
    ]
    files = {**store(tmp_path, StageRow, stages), **store(tmp_path, CategoryRow, rows)}
    assert broken(check_table(CategoryRow, files, limits, row_limit=row_limit)) == {
        "reference:industry+stage_id->stage": ("airline / no_such_stage", "hotel / other_industry")
    }


def test_a_missing_reference_points_nowhere_on_purpose(tmp_path: Path, limits: Limits) -> None:
    files = {
        **store(tmp_path, CategoryRow, [plain_row(CategoryRow)]),
        **store(tmp_path, Coding, [plain_row(Coding, category_id=None)]),
    }
    assert "reference:industry+category_id->category" not in broken(check_table(Coding, files, limits))


def test_a_rule_whose_table_is_not_there_is_broken_with_a_note(tmp_path: Path, limits: Limits) -> None:
    findings = check_table(Screening, store(tmp_path, Screening, [plain_row(Screening)]), limits)
    flawed = [finding for finding in findings if not finding.passed]
    assert [finding.note for finding in flawed] == ["table 'dialogue' is not in the lake; make it first"]


def test_every_rule_is_broken_where_the_table_itself_is_not_there(limits: Limits) -> None:
    findings = check_table(Post, {}, limits)
    assert [finding.rule for finding in findings] == [rule.name for rule in list_rules(Post)]
    assert not any(finding.passed for finding in findings)


def test_a_rule_that_raises_is_broken_with_the_reason(
    tmp_path: Path, limits: Limits, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = list_rules(StageRow)
    odd = rules[-1]
    arguments = {"column": "description", "regex": "("}
    spoilt = Rule(odd.name, odd.violation, "expect_column_values_to_match_regex", arguments)
    monkeypatch.setattr("servicebench_data.lake.expectations.list_rules", lambda _: (*rules[:-1], spoilt))
    findings = check_table(StageRow, store(tmp_path, StageRow, [plain_row(StageRow)]), limits)
    assert [finding.rule for finding in findings if not finding.passed] == [odd.name]
    assert "regular expression" in findings[-1].note


def test_nothing_of_the_library_stays_changed(tmp_path: Path, limits: Limits) -> None:
    from great_expectations.expectations.expectation import Expectation  # noqa: PLC0415  (only a check loads it)

    before = vars(Expectation)["configuration"]
    assert all(
        finding.passed for finding in check_table(StageRow, store(tmp_path, StageRow, [plain_row(StageRow)]), limits)
    )
    assert vars(Expectation)["configuration"] is before


def test_great_expectations_stays_silent_and_homeless(tmp_path: Path, offline_environment: dict[str, str]) -> None:
    """No connection leaves the machine and nothing is written to a home folder, not even where there is none."""
    files = store(tmp_path, StageRow, [plain_row(StageRow)])
    program = f"""
import sys
from pathlib import Path
from schemas.journeys import StageRow
from servicebench_data.lake.database import Limits
from servicebench_data.lake.expectations import check_table
findings = check_table(StageRow, {{"stage": [Path({str(files["stage"][0])!r})]}}, Limits(1, 1, Path({str(tmp_path)!r})))
assert findings and all(finding.passed for finding in findings), findings
assert not [name for name in sys.modules if "duckdb_engine" in name]
"""
    home = tmp_path / "no folder, so that nothing can be written below it"
    home.write_text("")
    environment = {**offline_environment, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "LeavesMachineError" not in done.stderr + done.stdout
    assert {path.name for path in tmp_path.iterdir()} == {home.name, "stage.parquet"}
