"""Raw files are registered once by content, and what lies in the posts folder is what a build reads."""

import os
from pathlib import Path

import pytest

from servicebench_data.lake.sample import list_sample
from servicebench_data.lake.sources import SourceError, list_sources, register_files
from servicebench_data.lake.store import Lake, digest_file
from tests.conftest import ROOT

TEXT = "tweet_id,author_id\n1,2\n"


def make_file(path: Path, text: str = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_registering_twice_is_registering_once(lake: Lake, tmp_path: Path) -> None:
    path = make_file(tmp_path / "in" / "posts.csv")
    first = register_files(lake, [path])
    assert register_files(lake, [path, path]) == first * 2
    assert list_sources(lake) == first
    assert first[0].sha256 == digest_file(path)
    assert first[0].path.read_text() == TEXT


def test_equal_content_under_two_names_is_copied_and_read_once(lake: Lake, tmp_path: Path) -> None:
    files = [make_file(tmp_path / "a.csv"), make_file(tmp_path / "b.csv")]
    register_files(lake, files)
    assert len(list_sources(lake)) == 1
    assert len(list(lake.posts.glob("*.csv"))) == 1


def test_different_content_under_one_name_is_kept_apart(lake: Lake, tmp_path: Path) -> None:
    files = [make_file(tmp_path / "1" / "posts.csv"), make_file(tmp_path / "2" / "posts.csv", TEXT + "3,4\n")]
    assert sorted(register_files(lake, files)) == list_sources(lake)


def test_a_file_dropped_by_hand_is_read(lake: Lake, tmp_path: Path) -> None:
    registered = register_files(lake, [make_file(tmp_path / "posts.csv")])
    dropped = make_file(lake.posts / "zz by hand.jsonl", "{}\n")
    make_file(lake.posts / ".half-a-download", "{")
    make_file(lake.posts / "tables" / "post" / "x.parquet")
    assert [entry.path for entry in list_sources(lake)] == [registered[0].path, dropped]


def test_sources_come_sorted_by_name_with_equal_content_at_its_first(lake: Lake) -> None:
    for name, text in (("a", "1"), ("b", "2"), ("c", "1"), ("d", "3")):
        make_file(lake.posts / name, text)
    assert [entry.path.name for entry in list_sources(lake)] == ["a", "b", "d"]


def test_a_changed_file_is_seen_and_a_damaged_register_is_made_again(lake: Lake) -> None:
    path = make_file(lake.posts / "posts.csv")
    before = list_sources(lake)
    path.write_text(TEXT + "5,6\n")
    os.utime(path, ns=(1, 1))
    after = list_sources(lake)
    assert after[0].sha256 == digest_file(path) != before[0].sha256
    (lake.posts / "register.json").write_text("{ not JSON")
    assert list_sources(lake) == after
    (lake.posts / "register.json").write_text("[1, 2]")
    assert list_sources(lake) == after


def test_a_home_without_posts_has_no_sources(lake: Lake) -> None:
    assert list_sources(lake) == []


def test_a_file_that_cannot_be_used_is_named_with_the_remedy(lake: Lake, tmp_path: Path) -> None:
    for path, words in (
        (tmp_path, r"is a folder; name the files in it"),
        (tmp_path / "missing.csv", r"missing\.csv' does not exist; check the path"),
        (make_file(tmp_path / "empty.csv", ""), r"empty\.csv' is empty; download or export it again"),
    ):
        with pytest.raises(SourceError, match=words):
            register_files(lake, [path])
    assert list_sources(lake) == []


def test_the_bundled_sample_is_there() -> None:
    assert list_sample()[0] == (ROOT / "sample" / "posts.csv", digest_file(ROOT / "sample" / "posts.csv"))
    assert all(entry.path.stat().st_size for entry in list_sample())
