"""One pass over all industries is stored industry by industry, sorted, and leaves no files."""

from pathlib import Path

from schemas.journeys import CategoryRow, StageRow
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.parquet import write_file
from servicebench_data.lake.slices import Slices
from tests.rows import plain_record


def test_slices_are_the_rows_of_their_industry_sorted_by_key(tmp_path: Path) -> None:
    rows = [plain_record(StageRow, number, industry=("airline", "hotel")[number % 2]) for number in (3, 1, 4, 2)]
    with Slices(tmp_path / "scratch", [StageRow, CategoryRow]) as slices:
        write_file(slices.path(StageRow), from_records(StageRow, rows))
        assert not slices.is_made
        write_file(slices.path(CategoryRow), from_records(CategoryRow, []))
        assert slices.is_made
        assert to_records(StageRow, slices.read(StageRow, "hotel")) == [rows[1], rows[0]]
        assert slices.read(CategoryRow, "hotel").num_rows == 0
        assert slices.read(StageRow, "'; DROP TABLE rows; --").num_rows == 0
    assert list((tmp_path / "scratch").iterdir()) == []


def test_counts_are_given_once(tmp_path: Path) -> None:
    with Slices(tmp_path, [StageRow]) as slices:
        slices.counts = {"threads": 3}
        assert (slices.take_counts(), slices.take_counts()) == ({"threads": 3}, {})
