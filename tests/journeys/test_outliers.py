from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.journeys import TopicMember
from servicebench_data.journeys.outliers import check_outliers
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits


def write_members(path: Path, clustered: int, outliers: int, note: str = "outlier") -> dict[str, list[Path]]:
    rows = [
        TopicMember.model_validate({
            "industry": "airline", "dialogue_id": f"d{place:03}", "topic_id": "t" if place < clustered else None,
            "found_topic_id": None, "is_core": False, "note": "clustered" if place < clustered else note,
        })
        for place in range(clustered + outliers)
    ]  # fmt: skip
    pq.write_table(from_records(TopicMember, rows), path)
    return {TopicMember.table.name: [path]}


@settings(deadline=None, max_examples=30)
@given(clustered=st.integers(1, 60), outliers=st.integers(0, 30))
def test_more_than_a_tenth_without_a_topic_is_told_with_its_dialogues(
    tmp_path_factory: pytest.TempPathFactory, clustered: int, outliers: int
) -> None:
    folder = tmp_path_factory.mktemp("members")
    (found,) = check_outliers(write_members(folder / "m.parquet", clustered, outliers), Limits(0.5, 1, folder))
    assert found.passed == (outliers * 9 <= clustered)
    assert found.passed or found.keys == tuple(f"d{clustered + place:03}" for place in range(min(outliers, 20)))


def test_where_topics_were_not_sought_nobody_is_an_outlier(tmp_path: Path) -> None:
    files = write_members(tmp_path / "m.parquet", 0, 5, note="too_few_dialogues")
    assert check_outliers(files, Limits(0.5, 1, tmp_path)) == []


def test_where_topics_were_sought_and_none_was_found_it_says_so(tmp_path: Path) -> None:
    (found,) = check_outliers(write_members(tmp_path / "m.parquet", 0, 80), Limits(0.5, 1, tmp_path))
    assert (found.passed, found.failing) == (False, 80)
    assert "no topic was found among 80 dialogues" in found.note


def test_a_table_that_is_not_there_does_not_pass(tmp_path: Path) -> None:
    (found,) = check_outliers({}, Limits(0.5, 1, tmp_path))
    assert not found.passed
