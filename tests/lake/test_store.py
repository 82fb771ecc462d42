"""The lake holds a table whole or not at all, and a reader never sees a mixture."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.dialogues import Post
from schemas.journeys import StageRow
from servicebench_data.lake.arrow import conform, from_records, to_records
from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.lake.store import (
    Lake,
    LakeError,
    Origin,
    digest_file,
    digest_folders,
    digest_json,
    flatten_counts,
)
from servicebench_data.lake.tables import arrow_schema
from tests.rows import plain_record

ORIGIN = Origin(fingerprint="a" * 64, inputs={"post/all": "b" * 64}, counts={"kept": 2, "share": 0.5, "note": "ok"})


def make_table(*numbers: int) -> pa.Table:
    return from_records(StageRow, [plain_record(StageRow, number) for number in numbers])


def numbers_of(table: pa.Table) -> list[int]:
    return [int(str(name)[-5:]) for name in table["stage_id"].to_pylist()]


def test_a_table_is_read_as_it_was_written(lake: Lake) -> None:
    stored = lake.write(StageRow, make_table(1, 2), "airline", made_from=ORIGIN)
    assert lake.read(StageRow, "airline").equals(make_table(1, 2))
    assert lake.read(StageRow, "airline").schema.equals(arrow_schema(StageRow))
    assert stored == lake.get(StageRow, "airline")


def test_the_pointer_says_what_the_table_is_and_was_made_from(lake: Lake) -> None:
    path, pointer = lake.write(StageRow, make_table(1, 2), "airline", made_from=ORIGIN)
    assert (pointer.file, pointer.row_count, pointer.sha256) == (path.name, 2, digest_file(path))
    assert (pointer.fingerprint, pointer.inputs, pointer.counts) == (ORIGIN.fingerprint, ORIGIN.inputs, ORIGIN.counts)
    assert json.loads((path.parent / "pointer.json").read_text()) == pointer.model_dump()


def test_equal_tables_have_equal_digests(lake: Lake) -> None:
    first = lake.write(StageRow, make_table(1, 2), "airline", made_from=ORIGIN)
    second = lake.write(StageRow, make_table(1, 2), "hotel", made_from=ORIGIN)
    assert first.pointer.sha256 == second.pointer.sha256


def test_partitions_lie_apart(lake: Lake) -> None:
    lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    lake.write(StageRow, make_table(2), "hotel", made_from=ORIGIN)
    (lake.folder(StageRow).parent / ".DS_Store").write_text("left by a file browser")
    assert lake.partitions(StageRow) == ["airline", "hotel"]
    assert numbers_of(lake.read(StageRow, "hotel")) == [2]
    files = lake.files([StageRow, Post], ["hotel", "retail"])
    assert files == {"stage": [lake.get(StageRow, "hotel").path]}


def test_raw_text_lies_in_the_posts_folder_only(lake: Lake) -> None:
    lake.write(Post, from_records(Post, [plain_record(Post)]), made_from=ORIGIN)
    assert {path.relative_to(lake.home).parts[0] for path in lake.home.rglob("*.parquet")} == {"posts"}


def test_a_missing_table_is_named_with_the_remedy(lake: Lake) -> None:
    assert lake.find(StageRow, "airline") is None
    assert lake.partitions(StageRow) == []
    with pytest.raises(LakeError, match=r"table 'stage' of 'airline' is not in the lake at .*servicebench build"):
        lake.read(StageRow, "airline")


@pytest.mark.parametrize("content", [b"", b"{", b'{"file": 3}', b"\xff\xfe", b'{"file": "gone.parquet"}', b"[]"])
def test_an_unreadable_pointer_is_no_table(lake: Lake, content: bytes) -> None:
    path, _ = lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    (path.parent / "pointer.json").write_bytes(content)
    assert lake.find(StageRow, "airline") is None
    lake.write(StageRow, make_table(2), "airline", made_from=ORIGIN)
    assert numbers_of(lake.read(StageRow, "airline")) == [2]


def test_a_pointer_to_a_file_that_is_gone_is_no_table(lake: Lake) -> None:
    lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN).path.unlink()
    assert lake.find(StageRow, "airline") is None


def test_a_damaged_file_is_named_with_the_remedy(lake: Lake) -> None:
    path, _ = lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(LakeError, match="cannot be read as StageRow; delete it and build again"):
        lake.read(StageRow, "airline")


def test_an_unfinished_file_is_ignored_and_cleared_by_the_next_write(lake: Lake) -> None:
    lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    partial = lake.new_file(StageRow, "airline")
    partial.write_bytes(b"PAR1 and then the power went")
    assert numbers_of(lake.read(StageRow, "airline")) == [1]
    with pytest.raises(pa.ArrowInvalid):
        lake.adopt(StageRow, partial, "airline", made_from=ORIGIN)
    assert numbers_of(lake.read(StageRow, "airline")) == [1]
    lake.write(StageRow, make_table(2), "airline", made_from=ORIGIN)
    assert not partial.exists()


def test_a_write_that_is_killed_leaves_the_table_before(
    lake: Lake, offline_environment: dict[str, str], tmp_path: Path
) -> None:
    """The process dies between the data file and the pointer, the one moment in which both exist."""
    lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    program = f"""
import os, signal
from pathlib import Path
from servicebench_data.lake import store
from tests.lake.test_store import ORIGIN, StageRow, make_table
store.write_atomically = lambda path, text: os.kill(os.getpid(), signal.SIGKILL)
store.Lake(Path({str(lake.home)!r})).write(StageRow, make_table(2), "airline", made_from=ORIGIN)
"""
    done = subprocess.run([sys.executable, "-c", program], env=offline_environment, check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(lake.folder(StageRow, "airline").glob("*.parquet"))) == 2
    assert numbers_of(lake.read(StageRow, "airline")) == [1]
    lake.write(StageRow, make_table(3), "airline", made_from=ORIGIN)
    assert numbers_of(lake.read(StageRow, "airline")) == [3]


def test_a_reader_keeps_its_table_while_it_is_replaced(lake: Lake) -> None:
    lake.write(StageRow, make_table(1), "airline", made_from=ORIGIN)
    stored = lake.get(StageRow, "airline")
    opened = lake.read(StageRow, "airline")
    lake.write(StageRow, make_table(2), "airline", made_from=ORIGIN)
    assert numbers_of(read_file(stored.path)) == [1]
    lake.write(StageRow, make_table(3), "airline", made_from=ORIGIN)
    assert not stored.path.exists()
    assert numbers_of(opened) == [1]
    assert len(list(stored.path.parent.iterdir())) == 3


def test_a_streamed_file_must_have_the_records_columns(lake: Lake) -> None:
    path = lake.new_file(StageRow, "airline")
    write_file(path, make_table(1).drop_columns(["name"]))
    with pytest.raises(ValueError, match="'stage' has columns"):
        lake.adopt(StageRow, path, "airline", made_from=ORIGIN)
    assert lake.find(StageRow, "airline") is None


def test_a_column_too_many_and_one_too_few_are_named() -> None:
    table = make_table(1).rename_columns(["industry", "stage_id", "place", "name", "description"])
    with pytest.raises(ValueError, match=r"lacks columns \['position'\] and has superfluous ones \['place'\]"):
        conform(StageRow, table)


def test_a_value_that_does_not_fit_is_refused() -> None:
    index = make_table().schema.get_field_index("position")
    for values in (["one"], [1.5], [None], [2**63]):
        table = make_table(1).set_column(
            index, "position", pa.array(values, pa.uint64() if values == [2**63] else None)
        )
        with pytest.raises(ValueError, match=r"table 'stage' does not fit StageRow"):
            conform(StageRow, table)


def test_a_column_that_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="position"):
        conform(StageRow, make_table(1).append_column("position", pa.array([1])))


def test_conform_casts_and_orders() -> None:
    names = list(reversed(StageRow.model_fields))
    table = make_table(1, 2).select(names)
    index = names.index("position")
    loose = table.set_column(index, "position", table["position"].cast(pa.int32()))
    assert conform(StageRow, loose).equals(make_table(1, 2))


def test_records_of_a_table_are_checked() -> None:
    table = make_table(1).set_column(2, "position", pa.array([0]))
    with pytest.raises(ValueError, match="position"):
        to_records(StageRow, table)


@given(
    st.dictionaries(st.text(max_size=5), st.integers() | st.none() | st.lists(st.booleans(), max_size=2), max_size=4)
)
def test_a_digest_does_not_depend_on_order(value: dict[str, object]) -> None:
    assert digest_json(value) == digest_json(dict(reversed(value.items())))


def test_a_digest_of_what_has_no_order_is_refused() -> None:
    with pytest.raises(TypeError):
        digest_json({"names": {"b", "a"}})


def test_a_digest_of_folders_sees_names_contents_and_places(tmp_path: Path) -> None:
    first = tmp_path / "a" / "module.py"
    first.parent.mkdir()
    (tmp_path / "b").mkdir()
    first.write_text("x = 1")
    seen = [digest_folders(tmp_path)]
    first.write_text("x = 2")
    seen.append(digest_folders(tmp_path))
    first = first.rename(tmp_path / "a" / "other.py")
    seen.append(digest_folders(tmp_path))
    first.rename(tmp_path / "b" / "other.py")
    seen.append(digest_folders(tmp_path))
    assert len(set(seen)) == 4
    (tmp_path / "b" / "notes.bin").write_bytes(os.urandom(4))
    assert digest_folders(tmp_path) == seen[-1]


def test_nested_counts_become_one_level() -> None:
    counts = {"read": {"rows": 3, "by": {"csv": 2}}, "share": 0.5, "note": "ok", "list": [1]}
    assert flatten_counts(counts) == {"read.rows": 3, "read.by.csv": 2, "share": 0.5, "note": "ok"}
