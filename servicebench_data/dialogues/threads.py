"""Rebuilding dialogues from posts: who answers whom, which posts belong to a customer and an account, in what order.

Belongs here: the way from the Post table to the engine's tables `exchange` (one row per dialogue) and `member` (the
posts of each). Not here: joins (`threads.sql`), walks along trees (`trees.py`), anything about text.

Our definition, where a source leaves it open: an account's post speaks to the nearest customer above it in the tree;
answers to the same missing post are one tree; of a cycle, the earliest post is the root.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from servicebench_data.dialogues.accounts import CareAccount, register_accounts
from servicebench_data.dialogues.engine import fetch_value, run_script, store_table
from servicebench_data.dialogues.trees import (
    Flags,
    Levels,
    Rows,
    find_cuts,
    find_marked,
    find_stuck,
    follow,
    order_rows,
    split_levels,
)


@dataclass(frozen=True)
class ThreadCounts:
    """What the trees were like.

    Attributes:
        posts: Posts read.
        trees: Reply trees.
        trees_kept: Trees that hold a post of a care account.
        cycles: Cycles of answers, each cut at its earliest post.
        self_answers: Posts that name themselves as their parent.
        missing_parents: Posts whose parent is not in the input.
        bystander_posts: Posts of others in those trees that belong to no dialogue.
        dialogues: Dialogues found.
    """

    posts: int
    trees: int
    trees_kept: int
    cycles: int
    self_answers: int
    missing_parents: int
    bystander_posts: int
    dialogues: int


@dataclass(frozen=True)
class Forest:
    """The posts as a forest; rows beyond the posts stand for parents that are missing."""

    parents: Rows
    levels: Levels
    roots: Rows
    cycles: int
    self_answers: int
    missing: int


@dataclass(frozen=True)
class Posts:
    """What a thread is made of, by row of the Post table; texts stand as 64-bit hashes.

    Attributes:
        ids: The posts' own ids.
        parents: The ids that they answer.
        is_answer: Whether they answer anything.
        authors: Handles.
        is_inbound: Whether a post is not by a company.
        times: Microseconds; the largest number where the time is missing.
    """

    ids: NDArray[np.uint64]
    parents: NDArray[np.uint64]
    is_answer: Flags
    authors: NDArray[np.uint64]
    is_inbound: Flags
    times: Rows


@dataclass(frozen=True)
class Speakers:
    """Who wrote each row: the index of the care account or -1, whether a customer did, and the hash of the handle."""

    accounts: Rows
    customers: Flags
    authors: NDArray[np.uint64]


def thread_posts(connection: duckdb.DuckDBPyConnection, posts: Path, accounts: Sequence[CareAccount]) -> ThreadCounts:
    """Create the temporary tables `exchange` and `member` from a file of the Post table."""
    register_accounts(connection, accounts)
    view_posts(connection, posts)
    posts_read = read_posts(connection)
    count = len(posts_read.ids)
    forest = build_forest(connection, posts_read)
    speakers = find_speakers(connection, posts_read, len(forest.parents))
    has_account = np.zeros(len(forest.parents), np.bool_)
    has_account[forest.roots[speakers.accounts >= 0]] = True
    register_kept(connection, forest, speakers, has_account[forest.roots], posts_read.times)
    run_script(connection, "threads")
    counts = ThreadCounts(
        posts=count,
        trees=int((forest.parents == np.arange(len(forest.parents))).sum()),
        trees_kept=int(has_account.sum()),
        cycles=forest.cycles,
        self_answers=forest.self_answers,
        missing_parents=forest.missing,
        bystander_posts=int(
            fetch_value(connection, "SELECT count(*) FROM customer_post ANTI JOIN exchange USING (root, customer)")
        ),
        dialogues=int(fetch_value(connection, "SELECT count(*) FROM exchange")),
    )
    connection.execute("DROP TABLE customer_post; DROP TABLE account_post")
    return counts


def view_posts(connection: duckdb.DuckDBPyConnection, posts: Path) -> None:
    """Create the view `post`, the posts with their row numbers."""
    path = str(posts).replace("'", "''")
    connection.execute(
        f"CREATE OR REPLACE TEMP VIEW post AS "  # noqa: S608
        f"SELECT *, file_row_number AS n FROM read_parquet('{path}', file_row_number = true)"
    )


def read_posts(connection: duckdb.DuckDBPyConnection) -> Posts:
    """Read what is needed of `post` in one pass, in the order of its rows."""
    found = connection.execute(
        """
        SELECT hash(post_id) AS ids, hash(parent_id) AS parents, parent_id IS NOT NULL AS is_answer,
               hash(lower(author_id)) AS authors, is_inbound, coalesce(epoch_us(created_at), $never) AS times
        FROM post
        """,
        {"never": np.iinfo(np.int64).max},
    ).fetchnumpy()
    return Posts(**{name: np.asarray(column) for name, column in found.items()})


def link_answers(connection: duckdb.DuckDBPyConnection, posts: Posts) -> tuple[Rows, Rows]:
    """Return the rows that answer something and the rows that they answer, -1 for what is not in the input."""
    ordered = np.sort(posts.ids)
    # Where two ids share 64 bits, hashes cannot tell which of them is answered.
    is_shared = bool((ordered[1:] == ordered[:-1]).any())
    links = link_by_text(connection) if is_shared else link_by_hash(connection, posts)
    return np.asarray(links["child"], np.int64), np.asarray(links["parent"], np.int64)


def link_by_hash(connection: duckdb.DuckDBPyConnection, posts: Posts) -> Mapping[str, Any]:
    """Links by the hashes of ids."""
    rows = np.flatnonzero(posts.is_answer)
    connection.register("answer", {"child": rows, "id": posts.parents[rows]})
    connection.register("answered", {"parent": np.arange(len(posts.ids)), "id": posts.ids})
    links = connection.execute(
        "SELECT child, coalesce(parent, -1) AS parent FROM answer LEFT JOIN answered USING (id)"
    ).fetchnumpy()
    connection.unregister("answer")
    connection.unregister("answered")
    return links


def link_by_text(connection: duckdb.DuckDBPyConnection) -> Mapping[str, Any]:
    """The same by the ids themselves."""
    return connection.execute(
        "SELECT child.n AS child, coalesce(parent.n, -1) AS parent FROM post AS child "
        "LEFT JOIN post AS parent ON child.parent_id = parent.post_id WHERE child.parent_id IS NOT NULL"
    ).fetchnumpy()


def build_forest(connection: duckdb.DuckDBPyConnection, posts: Posts) -> Forest:
    """Find every post's parent and root."""
    count = len(posts.ids)
    child, parent = link_answers(connection, posts)
    missing = rank_missing(connection, child[parent < 0])
    phantoms = int(missing["rank"].max()) if len(missing["rank"]) else 0
    parents = np.arange(count + phantoms)
    parents[child] = parent
    parents[missing["n"]] = count - 1 + missing["rank"]
    levels = split_levels(parents)
    roots = follow(parents, levels)
    stuck = find_stuck(parents, roots)
    cut = find_cuts(parents, stuck, rank_ages(connection, stuck)) if len(stuck) else stuck
    if len(cut):
        parents[cut] = cut
        levels = split_levels(parents)
        roots = follow(parents, levels)
    self_answers = int((child == parent).sum())
    return Forest(parents, levels, roots, len(cut), self_answers, len(missing["n"]))


def rank_missing(connection: duckdb.DuckDBPyConnection, rows: Rows) -> dict[str, Rows]:
    """Number the missing parents of these rows from 1; a parent that is no id is not the same as any other."""
    connection.register("orphan", {"n": rows})
    ranked = connection.execute(
        """
        SELECT n, dense_rank() OVER (
            ORDER BY CASE WHEN regexp_full_match(parent_id, '[\\w:-]+') THEN parent_id ELSE 'of ' || post_id END
        ) AS rank
        FROM orphan JOIN post USING (n)
        """
    ).fetchnumpy()
    connection.unregister("orphan")
    return {name: np.asarray(column, np.int64) for name, column in ranked.items()}


def rank_ages(connection: duckdb.DuckDBPyConnection, rows: Rows) -> Rows:
    """Return the rank of each row by time and id."""
    connection.register("stuck_row", {"place": np.arange(len(rows)), "n": rows})
    result = connection.execute(
        """
        SELECT row_number() OVER (ORDER BY created_at NULLS LAST, length(post_id), post_id) AS age
        FROM stuck_row JOIN post USING (n) ORDER BY place
        """
    ).fetchnumpy()
    connection.unregister("stuck_row")
    return np.asarray(result["age"], np.int64)


def find_speakers(connection: duckdb.DuckDBPyConnection, posts: Posts, size: int) -> Speakers:
    """Tell who wrote each row; a company that is no care account of ours is neither account nor customer."""
    known = connection.execute("SELECT hash(handle_key), account_index FROM care_account").fetchall()
    count = len(posts.authors)
    accounts = np.full(size, -1, np.int64)
    customers = np.zeros(size, np.bool_)
    authors = np.zeros(size, np.uint64)
    authors[:count] = posts.authors
    for author, index in known:
        accounts[:count][posts.authors == np.uint64(author)] = index
    customers[:count] = posts.is_inbound & (accounts[:count] < 0)
    return Speakers(accounts, customers, authors)


def register_kept(
    connection: duckdb.DuckDBPyConnection, forest: Forest, speakers: Speakers, kept: Flags, times: Rows
) -> None:
    """Create `kept_post` from the trees that hold a care account."""
    rows = np.flatnonzero(kept)
    nearest = find_marked(forest.parents, speakers.customers, forest.levels)
    places = order_rows(forest.parents, order_siblings(connection, forest.parents, kept, times), forest.levels)
    targets = nearest[rows]
    spoken_to = speakers.customers[targets]
    above = nearest[forest.parents[rows]]
    columns = {
        "n": rows,
        "root": forest.roots[rows],
        "place": places[rows],
        "account_index": speakers.accounts[rows],
        "is_customer": speakers.customers[rows],
        "is_direct": (forest.parents[rows] == rows) | ~speakers.customers[above],
        "author": speakers.authors[rows],
        "target": np.where(spoken_to, targets, -1),
        "target_author": speakers.authors[targets],
    }
    store_table(connection, "kept_post", columns)


def order_siblings(connection: duckdb.DuckDBPyConnection, parents: Rows, kept: Flags, times: Rows) -> Rows:
    """Return the kept rows that have a parent; answers to one post by time, place in its list of answers, and id."""
    answers = np.flatnonzero(kept & (parents != np.arange(len(parents))))
    owners = parents[answers]
    is_shared = np.bincount(owners, minlength=len(parents))[owners] > 1
    rows, above = answers[is_shared], owners[is_shared]
    order = np.lexsort((times[rows], above))
    rows, above = rows[order], above[order]
    at = times[rows]
    is_tie = (above[1:] == above[:-1]) & (at[1:] == at[:-1])
    if is_tie.any():
        is_open = np.isin(above, above[1:][is_tie])
        rows[is_open] = order_tied(connection, rows[is_open], above[is_open])
    return np.concatenate([answers[~is_shared], rows])


def order_tied(connection: duckdb.DuckDBPyConnection, rows: Rows, owners: Rows) -> Rows:
    """Return answers that time alone does not order, by the rows that they answer, in reading order."""
    connection.register("tied_answer", {"n": rows, "parent": owners})
    ordered = connection.execute(
        """
        SELECT tied_answer.n FROM tied_answer
        JOIN post USING (n)
        LEFT JOIN post AS owner ON owner.n = parent
        ORDER BY parent, post.created_at NULLS LAST,
                 list_position(owner.response_ids, post.post_id) NULLS LAST, length(post.post_id), post.post_id
        """
    ).fetchnumpy()
    connection.unregister("tied_answer")
    return np.asarray(ordered["n"], np.int64)
