"""Raw files are registered once by content, and what lies in the posts folder is what a build reads."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from servicebench_data.lake.sample import list_sample
from servicebench_data.lake.sources import Registered, SourceError, list_sources, register_files
from servicebench_data.lake.store import Lake, digest_file
from tests.conftest import ROOT

TEXT = "tweet_id,author_id\n1,2\n"


def make_file(path: Path, text: str = TEXT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def register(lake: Lake, files: Sequence[Path]) -> list[Registered]:
    """Register files of which none is looked into."""
    return register_files(lake, files, lambda path: path)


def test_registering_twice_is_registering_once(lake: Lake, tmp_path: Path) -> None:
    path = make_file(tmp_path / "in" / "posts.csv")
    first = register(lake, [path])
    assert register(lake, [path, path]) == first * 2
    assert list_sources(lake) == first
    assert first[0].sha256 == digest_file(path)
    assert first[0].path.read_text() == TEXT


def test_equal_content_under_two_names_is_copied_and_read_once(lake: Lake, tmp_path: Path) -> None:
    files = [make_file(tmp_path / "a.csv"), make_file(tmp_path / "b.csv")]
    register(lake, files)
    assert len(list_sources(lake)) == 1
    assert len(list(lake.posts.glob("*.csv"))) == 1


def test_different_content_under_one_name_is_kept_apart(lake: Lake, tmp_path: Path) -> None:
    files = [make_file(tmp_path / "1" / "posts.csv"), make_file(tmp_path / "2" / "posts.csv", TEXT + "3,4\n")]
    assert register(lake, files) == list_sources(lake)


def test_a_file_dropped_by_hand_is_read(lake: Lake, tmp_path: Path) -> None:
    registered = register(lake, [make_file(tmp_path / "posts.csv")])
    dropped = make_file(lake.posts / "zz by hand.jsonl", "{}\n")
    make_file(lake.posts / ".half-a-download", "{")
    make_file(lake.posts / "tables" / "post" / "x.parquet")
    assert [entry.path for entry in list_sources(lake)] == [registered[0].path, dropped]


def test_files_found_at_once_come_by_time_of_change_with_equal_content_at_its_first(lake: Lake) -> None:
    for second, (name, text) in enumerate((("c", "1"), ("b", "2"), ("a", "1"), ("d", "3"))):
        os.utime(make_file(lake.posts / name, text), (second, second))
    assert [entry.path.name for entry in list_sources(lake)] == ["c", "b", "d"]


@pytest.mark.parametrize("is_looked_at", [True, False])
def test_files_come_in_the_order_in_which_they_were_registered(lake: Lake, tmp_path: Path, is_looked_at: bool) -> None:
    expected: list[Path] = []
    for number in range(8):
        path = make_file(tmp_path / f"{9 - number}.csv", f"{TEXT}{number}\n")
        if number % 2:
            expected.append(make_file(lake.posts / path.name, path.read_text()))
            os.utime(expected[-1], (1, 1))  # an old download, put there now
        else:
            expected.append(register(lake, [path])[0].path)
        if is_looked_at or number % 2:
            list_sources(lake)
    register(lake, [tmp_path / "9.csv"])
    assert [entry.path for entry in list_sources(lake)] == expected


def test_a_home_that_was_copied_keeps_the_order(lake: Lake, tmp_path: Path) -> None:
    files = [make_file(tmp_path / f"{number}.csv", f"{number}") for number in range(6)]
    register(lake, files)
    other = Lake(tmp_path / "other")
    shutil.copytree(lake.posts, other.posts, copy_function=shutil.copyfile)
    assert [entry.sha256 for entry in list_sources(other)] == [digest_file(path) for path in files]


def test_where_one_file_is_refused_none_is_registered(lake: Lake, tmp_path: Path) -> None:
    good, bad = make_file(tmp_path / "good.csv"), make_file(tmp_path / "bad.csv", "no posts")

    def check(path: Path) -> None:
        if path == bad:
            raise SourceError(str(path))

    for files in ([bad], [good, bad], [bad, good]):
        with pytest.raises(SourceError, match=r"bad\.csv"):
            register_files(lake, files, check)
        assert list_sources(lake) == []
    known = register_files(lake, [good], check)
    assert register_files(lake, [good], lambda path: pytest.fail(f"{path} was looked into again")) == known


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
            register(lake, [path])
    assert list_sources(lake) == []


def test_the_bundled_sample_is_there() -> None:
    assert list_sample()[0] == (ROOT / "sample" / "posts.csv", digest_file(ROOT / "sample" / "posts.csv"))
    assert all(entry.path.stat().st_size for entry in list_sample())
