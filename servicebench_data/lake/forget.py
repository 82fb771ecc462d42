"""The list of posts and authors to forget, and removing old builds that still hold them.

Belongs here: the list as a file, and what is kept outside the lake's tables. Leaving them out of a build is the reader's
work (`dialogues/`).
"""

import csv
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import duckdb

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
        rows = [(row["kind"], (row["id"] or "").strip().lstrip("@")) for row in reader]
    for line, (kind, entry) in enumerate(rows, start=2):
        if kind not in {"post", "author"} or not entry:
            raise ForgetError(f"{str(path)!r} line {line}: {kind!r}, {entry!r}; write `post` or `author`, and an id.")
    return ForgetList(
        frozenset(entry for kind, entry in rows if kind == "post"),
        frozenset(entry for kind, entry in rows if kind == "author"),
    )


def add_to_forget_list(lake: Lake, posts: Iterable[str], authors: Iterable[str]) -> ForgetList:
    """Add ids to the home's list; later builds leave them out."""
    known = read_forget_list(lake)
    result = ForgetList(
        known.post_ids | {entry.strip() for entry in posts},
        known.author_ids | {entry.strip().lstrip("@") for entry in authors},
    )
    lines = [",".join(COLUMNS), *(f"post,{entry}" for entry in sorted(result.post_ids))]
    lines += [f"author,{entry}" for entry in sorted(result.author_ids)]
    write_atomically(lake.overrides / "forget.csv", "\n".join(lines) + "\n")
    return result


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
    digests = [hashlib.sha256(author.encode()).hexdigest() for author in sorted(forget.author_ids)]
    query = """
        SELECT EXISTS (SELECT 1 FROM dialogues.turn WHERE list_has_any(post_ids, $posts))
            OR EXISTS (SELECT 1 FROM dialogues.dialogue WHERE list_contains($authors, customer_id))
            OR EXISTS (SELECT 1 FROM dialogues.quarantined_post WHERE list_contains($posts, post_id))
    """
    with duckdb.connect(str(path), read_only=True) as connection:
        row = connection.execute(query, {"posts": sorted(forget.post_ids), "authors": digests}).fetchone()
    return bool(row and row[0])
