"""The list of what to forget is strict, and builds that hold any of it are found and removed."""

import hashlib
from pathlib import Path

import pytest

from schemas.dialogues import Dialogue
from servicebench_data.lake.database import Limits
from servicebench_data.lake.forget import ForgetError, add_to_forget_list, read_forget_list, remove_builds_that_hold
from servicebench_data.lake.store import Lake
from servicebench_data.release.publish import list_builds, publish_build
from tests.tables import make_build, make_tables, store_tables


def test_ids_are_added_once_and_read_back(lake: Lake) -> None:
    assert read_forget_list(lake).post_ids == frozenset()
    add_to_forget_list(lake, ["9007199254740993", " 12 "], ["@SomeOne"])
    result = add_to_forget_list(lake, ["12"], [])
    assert result == read_forget_list(lake)
    assert (result.post_ids, result.author_ids) == ({"9007199254740993", "12"}, {"SomeOne"})


def test_the_digest_changes_with_the_list_alone(lake: Lake) -> None:
    before = add_to_forget_list(lake, ["2", "1"], []).digest
    assert add_to_forget_list(lake, ["1"], []).digest == before
    assert add_to_forget_list(lake, ["3"], []).digest != before


@pytest.mark.parametrize("entry", ["", " ", "@", "1,2", '1"', "1\n2"])
def test_what_is_no_id_is_refused_before_anything_is_written(lake: Lake, entry: str) -> None:
    with pytest.raises(ForgetError, match="give one id at a time"):
        add_to_forget_list(lake, [entry], [])
    assert not lake.overrides.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,kind\n1,post\n", "must have the header `kind,id`"),
        ("", "must have the header"),
        ("kind,id\npost,1\nreply,2\n", "line 3: 'reply', '2'"),
        ("kind,id\npost,\n", "line 2: 'post', ''"),
        ("kind,id\npost\n", "line 2: 'post', ''"),
        ("kind,id\npost,1,2\n", "line 2"),
    ],
)
def test_a_list_that_cannot_be_read_stops_the_build(lake: Lake, text: str, words: str) -> None:
    lake.overrides.mkdir(parents=True)
    (lake.overrides / "forget.csv").write_text(text)
    with pytest.raises(ForgetError, match=words):
        read_forget_list(lake)


def test_a_list_saved_by_a_spreadsheet_is_read(lake: Lake) -> None:
    lake.overrides.mkdir(parents=True)
    (lake.overrides / "forget.csv").write_bytes(b"\xef\xbb\xbfkind,id\r\npost,1\r\nauthor,@a\r\n")
    assert read_forget_list(lake) == (frozenset({"1"}), frozenset({"a"}))


def test_builds_that_hold_a_forgotten_post_or_author_are_removed(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    author = {"customer_id": hashlib.sha256(b"someone").hexdigest()}
    tables[Dialogue][0] = tables[Dialogue][0].model_copy(update=author)
    publish_build(lake, make_build(1), store_tables(lake, make_tables()), limits, keep=3)
    publish_build(lake, make_build(2), store_tables(lake, tables), limits, keep=3)
    newest, oldest = list_builds(lake.home)
    assert remove_builds_that_hold([newest, oldest], add_to_forget_list(lake, [], [])) == []
    assert remove_builds_that_hold([newest, oldest], add_to_forget_list(lake, ["4"], ["someone"])) == [newest]
    post = "9007199254740994"
    assert remove_builds_that_hold([oldest], add_to_forget_list(lake, [post], [])) == [oldest]
    assert list_builds(lake.home) == []


def test_nothing_to_forget_opens_no_file(tmp_path: Path, lake: Lake) -> None:
    assert remove_builds_that_hold([tmp_path / "no such file"], read_forget_list(lake)) == []
