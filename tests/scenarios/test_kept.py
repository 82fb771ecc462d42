"""Finished parts that stand since an earlier build: the same as written anew, and only what is new is written."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.models import TaskFailure
from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.scenarios.assembly import build_many
from servicebench_data.scenarios.kept import write_new
from servicebench_data.scenarios.parts import Parts, Source
from tests.scenarios.dialogues import LOST_BAG, knowledge, make_source

POSTS = [
    LOST_BAG,
    (("customer", "You charged me $75 on Monday for flight 22 to Denver. It was free!"), ("account", "Hello.")),
    (("customer", "You lost my bag in Denver on Monday."),),
    (("customer", "Are you serious?"), ("account", "Hi.")),
]
SOURCES = [replace(make_source(*posts), dialogue_id=f"d{number}") for number, posts in enumerate(POSTS)]
WRITE = partial(build_many, knowledge=knowledge(), seed=1, stale_rate=0.1)
Status = Literal["invalid", "unanswered", "over_budget"]
MADE = dict(zip((source.dialogue_id for source in SOURCES), WRITE(SOURCES), strict=True))


def recall(sources: Sequence[Source], asked: list[str]) -> list[Parts]:
    """Parts as the rules make them, and a note of what was asked for."""
    asked.extend(source.dialogue_id for source in sources)
    return [MADE[source.dialogue_id] for source in sources]


@given(st.lists(st.lists(st.sampled_from(SOURCES), unique=True), min_size=1, max_size=5))
def test_only_what_the_build_before_did_not_hold_is_written(builds: list[list[Source]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        before: set[str] = set()
        for sources in builds:
            asked: list[str] = []
            names = [source.dialogue_id for source in sources]
            made = write_new(sources, partial(recall, asked=asked), Path(folder) / "cache" / "x.parquet", "v")
            assert made == [MADE[name] for name in names]
            assert asked == [name for name in names if name not in before]
            before = set(names)


@pytest.mark.parametrize("change", ["version", "category", "text", "decided"])
def test_whatever_decides_the_parts_is_part_of_the_key(tmp_path: Path, change: str) -> None:
    path, asked = tmp_path / "x.parquet", list[str]()
    write_new(SOURCES[:1], WRITE, path, "v")
    first = SOURCES[0].turns[0]
    changed = {
        "category": replace(SOURCES[0], category_id="damaged_baggage"),
        "text": replace(SOURCES[0], turns=(replace(first, text=f"{first.text}!"), *SOURCES[0].turns[1:])),
        "decided": replace(SOURCES[0], is_decided=True),
    }.get(change, SOURCES[0])
    write_new([changed], partial(recall, asked=asked), path, "w" if change == "version" else "v")
    assert asked == ["d0"]


def fail(sources: Sequence[Source], status: Status) -> list[Parts]:
    """Parts of which a task failed."""
    return [
        replace(
            MADE[source.dialogue_id],
            failure=TaskFailure(
                industry="airline", scenario_id=source.scenario_id, made_by="m", task="events", status=status,
                reasons=["none came"], raw_answer=None, tries=1,
            ),
        )
        for source in sources
    ]  # fmt: skip


@pytest.mark.parametrize(("status", "is_kept"), [("invalid", True), ("unanswered", False), ("over_budget", False)])
def test_what_another_run_could_mend_is_written_again(tmp_path: Path, status: Status, *, is_kept: bool) -> None:
    path, asked = tmp_path / "x.parquet", list[str]()
    write_new(SOURCES, partial(fail, status=status), path, "v")
    write_new(SOURCES, partial(recall, asked=asked), path, "v")
    assert asked == ([] if is_kept else [source.dialogue_id for source in SOURCES])


@pytest.mark.parametrize("content", [b"", b"no parquet", None])
def test_a_file_that_cannot_be_read_costs_work_and_nothing_else(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.parquet"
    write_new(SOURCES, WRITE, path, "v")
    path.write_bytes(path.read_bytes()[:-9] if content is None else content)
    asked: list[str] = []
    assert write_new(SOURCES, partial(recall, asked=asked), path, "v") == [*MADE.values()]
    assert len(asked) == len(SOURCES)
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.parquet"]


def test_damaged_parts_are_written_again_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_new(SOURCES, WRITE, path, "v")
    columns = read_file(path).to_pydict()
    write_file(path, pa.table({**columns, "parts": [b"{", *columns["parts"][1:]]}))
    for again in (["d0"], []):
        asked: list[str] = []
        assert write_new(SOURCES, partial(recall, asked=asked), path, "v") == [*MADE.values()]
        assert asked == again


def test_what_is_unchanged_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_new(SOURCES, WRITE, path, "v")
    before = path.stat()
    write_new(SOURCES, WRITE, path, "v")
    assert path.stat().st_ino == before.st_ino
