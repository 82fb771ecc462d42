"""The list of posts and authors to forget, and removing old builds that still hold them.

Belongs here: the list as a file, and what is kept outside the lake's tables. Not here: leaving them out of a build,
which is the reader's work (`dialogues/`).
"""

import csv
import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import duckdb

from schemas.dialogues import Dialogue, Turn
from servicebench_data.lake.store import Lake, digest_json, write_atomically

COLUMNS = ["kind", "id"]


class ForgetError(ValueError):
    """A forget list that cannot be read; the message names file, line and remedy."""


class ForgetList(NamedTuple):
    """Ids to forget."""

    post_ids: frozenset[str]
    author_ids: frozenset[str]

    @property
    def digest(self) -> str:
        """SHA-256 of the list."""
        return digest_json([sorted(self.post_ids), sorted(self.author_ids)])


def read_forget_list(lake: Lake) -> ForgetList:
    """The home's list; empty where there is none.

    Raises:
        ForgetError: The file is not a CSV of `kind,id` with kinds `post` and `author`.
    """
    path = lake.overrides / "forget.csv"
    if not path.exists():
        return ForgetList(frozenset(), frozenset())
    with path.open(encoding="utf-8-sig", newline="") as handle:
        reader = csv.DictReader(handle)
        if reader.fieldnames != COLUMNS:
            raise ForgetError(f"{str(path)!r} must have the header `kind,id`; it has {reader.fieldnames!r}.")
        rows = [(row["kind"], (row["id"] or "").strip().lstrip("@"), None in row) for row in reader]
    for line, (kind, entry, has_more) in enumerate(rows, start=2):
        if kind not in {"post", "author"} or not entry or has_more:
            raise ForgetError(f"{str(path)!r} line {line}: {kind!r}, {entry!r}; write `post` or `author`, and an id.")
    return ForgetList(
        frozenset(entry for kind, entry, _ in rows if kind == "post"),
        frozenset(entry for kind, entry, _ in rows if kind == "author"),
    )


def add_to_forget_list(lake: Lake, posts: Iterable[str], authors: Iterable[str]) -> ForgetList:
    """Add ids to the home's list; later builds leave them out, review pages and kept parts of scenarios go at once.

    Raises:
        ForgetError: One is no id.
    """
    known = read_forget_list(lake)
    result = ForgetList(
        known.post_ids | {read_id(entry) for entry in posts}, known.author_ids | {read_id(entry) for entry in authors}
    )
    lines = [",".join(COLUMNS), *(f"post,{entry}" for entry in sorted(result.post_ids))]
    lines += [f"author,{entry}" for entry in sorted(result.author_ids)]
    write_atomically(lake.overrides / "forget.csv", "\n".join(lines) + "\n")
    # They quote dialogues, and can be written again from the next build.
    for folder in (lake.reviews, lake.parts):
        shutil.rmtree(folder, ignore_errors=True)
    return result


def read_id(entry: str) -> str:
    """An id as it was given, without the sign before a handle."""
    found = entry.strip().lstrip("@")
    if not found or any(sign in found for sign in ',"\r\n'):
        raise ForgetError(f"{entry!r} is no id of a post or an author; give one id at a time.")
    return found


def find_dialogues_that_hold(lake: Lake, builds: Iterable[Path], forget: ForgetList) -> list[str]:
    """Ids of the dialogues of the lake and of published builds that hold a forgotten post or author, in order."""
    if not forget.post_ids and not forget.author_ids:
        return []
    stored = [(lake.find(Turn, partition), lake.find(Dialogue, partition)) for partition in lake.partitions(Turn)]
    found: set[str] = set()
    for turn, dialogue in stored:
        if turn and dialogue:
            with duckdb.connect() as connection:
                connection.read_parquet(str(turn.path)).create_view("turn")
                connection.read_parquet(str(dialogue.path)).create_view("dialogue")
                found.update(select_holding(connection, "turn", "dialogue", forget))
    for build in builds:
        with duckdb.connect(str(build), read_only=True) as connection:
            found.update(select_holding(connection, "dialogues.turn", "dialogues.dialogue", forget))
    return sorted(found)


def select_holding(connection: duckdb.DuckDBPyConnection, turn: str, dialogue: str, forget: ForgetList) -> list[str]:
    """Ids of the dialogues of two tables that hold a forgotten post or author."""
    query = f"""
        SELECT dialogue_id FROM {turn} WHERE list_has_any(post_ids, $posts)
        UNION SELECT dialogue_id FROM {dialogue} WHERE list_contains($authors, customer_id)
    """  # noqa: S608  (tables of ours)
    digests = [hashlib.sha256(author.lower().encode()).hexdigest() for author in sorted(forget.author_ids)]
    parameters = {"posts": sorted(forget.post_ids), "authors": digests}
    return [row[0] for row in connection.execute(query, parameters).fetchall()]


def remove_builds_that_hold(builds: Iterable[Path], forget: ForgetList) -> list[Path]:
    """Delete the published files in which a forgotten post or author still stands; returns them."""
    removed = [path for path in builds if holds_forgotten(path, forget)]
    for path in removed:
        path.unlink()
    return removed


def holds_forgotten(path: Path, forget: ForgetList) -> bool:
    """Whether a published file holds a post or an author of the list."""
    if not forget.post_ids and not forget.author_ids:
        return False
    query = "SELECT count(*) FROM dialogues.quarantined_post WHERE list_contains($posts, post_id)"
    with duckdb.connect(str(path), read_only=True) as connection:
        if select_holding(connection, "dialogues.turn", "dialogues.dialogue", forget):
            return True
        row = connection.execute(query, {"posts": sorted(forget.post_ids)}).fetchone()
    return bool(row and row[0])
