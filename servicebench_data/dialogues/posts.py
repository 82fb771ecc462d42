"""Reading files of posts into the Post table, and setting aside, with a reason, every row that cannot be used.

Belongs here: the order of the steps and their counts. Not here: telling formats (`sources.py`), reading cells
(`posts.sql`) and refused files (`repair.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from servicebench_data.dialogues.accounts import CareAccount, Forget, register_accounts, register_forget
from servicebench_data.dialogues.engine import (
    fetch_counts,
    fetch_value,
    open_engine,
    run_script,
    write_parquet,
)
from servicebench_data.dialogues.readers import stage_source, write_sound_csv
from servicebench_data.dialogues.repair import RepairCounts
from servicebench_data.dialogues.sources import Source, identify_sources
from servicebench_data.lake.database import Limits
from servicebench_data.lake.sources import SourceError

# The id of a forgotten post is forgotten too.
SELECT_QUARANTINED = """
    SELECT source, staged.rowid - start + 1 AS row_number,
           CASE WHEN reason <> 'forgotten' THEN post_id END AS post_id, reason
    FROM staged JOIN source_file USING (source_index)
    WHERE reason IS NOT NULL
    ORDER BY staged.rowid
"""


@dataclass(frozen=True)
class PostFiles:
    """Where the tables of this step go."""

    posts: Path
    quarantine: Path


@dataclass(frozen=True)
class LoadCounts:
    """What was read; rows = posts + quarantined.

    Attributes:
        rows: Rows in the files.
        posts: Posts kept.
        quarantined: Rows set aside.
        reasons: Rows set aside, by reason.
        float_ids: Kept posts whose id or parent was written like `3.0`.
        unreadable_times: Kept posts whose time could not be read and is missing now.
        undated: Kept posts without a time, these included.
        repaired_files: Files that the engine refused and that were read row by row.
        carriage_returns: Rows of theirs with a stray carriage return, which became a space.
        legacy_lines: Lines of theirs that were no UTF-8 and were read as Windows-1252.
        sources: Rows by file.
    """

    rows: int
    posts: int
    quarantined: int
    reasons: dict[str, int]
    float_ids: int
    unreadable_times: int
    undated: int
    repaired_files: int
    carriage_returns: int
    legacy_lines: int
    sources: dict[str, int] = field(default_factory=dict[str, int])


def load_posts(
    sources: Sequence[Path], files: PostFiles, *, accounts: Sequence[CareAccount], forget: Forget, limits: Limits
) -> LoadCounts:
    """Read files of posts, in the order given, into two Parquet files.

    Args:
        sources: Files in any accepted format.
        files: Where Post and QuarantinedPost rows go.
        accounts: Care accounts; in X API files they tell the account's posts from the customers'.
        forget: Posts and authors to leave out.
        limits: What the engine may use.

    Returns:
        Counts of everything that was read, mended and set aside.

    Raises:
        SourceError: A file is missing, of another kind, without a needed column, or without rows.
    """
    with open_engine(limits) as connection, TemporaryDirectory(dir=limits.scratch) as scratch:
        run_script(connection, "posts")
        register_accounts(connection, accounts)
        register_forget(connection, forget)
        identified = identify_sources(sources, Path(scratch))
        if counts := load_sound(connection, identified, files, forget):
            return counts
        repairs = stage_sources(connection, identified)
        set_aside_forgotten(connection, forget)
        set_aside_duplicates(connection)
        check_ids(connection)
        write_tables(connection, files)
        return count_rows(connection, repairs)


def check_readable(source: Path, accounts: Sequence[CareAccount], limits: Limits) -> None:
    """Read a file of posts as a build does, and keep nothing.

    Raises:
        SourceError: A build could not read it.
    """
    limits.scratch.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=limits.scratch) as folder:
        files = PostFiles(Path(folder) / "posts.parquet", Path(folder) / "quarantine.parquet")
        load_posts([source], files, accounts=accounts, forget=Forget(), limits=limits)


def load_sound(
    connection: duckdb.DuckDBPyConnection, sources: Sequence[Source], files: PostFiles, forget: Forget
) -> LoadCounts | None:
    """Load a single CSV file in which nothing is wrong, in one go; None where that is not the case."""
    if len(sources) != 1 or sources[0].shape != "csv" or forget.post_ids or forget.author_ids:
        return None
    if not write_sound_csv(connection, sources[0], files.posts):
        return None
    write_parquet(connection, SELECT_QUARANTINED, files.quarantine)
    totals = fetch_counts(
        connection,
        "SELECT count(*) AS posts, count(*) FILTER (created_at IS NULL) AS undated FROM read_parquet($path)",
        {"path": str(files.posts)},
    )
    return LoadCounts(
        **totals,
        rows=totals["posts"],
        quarantined=0,
        reasons={},
        float_ids=0,
        unreadable_times=0,
        repaired_files=0,
        carriage_returns=0,
        legacy_lines=0,
        sources={sources[0].label: totals["posts"]},
    )


def stage_sources(connection: duckdb.DuckDBPyConnection, sources: Sequence[Source]) -> list[RepairCounts | None]:
    """Fill `staged` and `source_file`; an entry is None for a file that needed no repair."""
    repairs: list[RepairCounts | None] = []
    rows: list[tuple[int, str, int]] = []
    start = 0
    for index, source in enumerate(sources):
        repairs.append(stage_source(connection, source, index))
        end = int(fetch_value(connection, "SELECT count(*) FROM staged"))
        if end == start:
            raise SourceError(f"{str(source.named)!r} has columns but no rows; fetch it again or leave it out")
        rows.append((index, source.label, start))
        start = end
    connection.executemany("INSERT INTO source_file VALUES (?, ?, ?)", rows)
    return repairs


def set_aside_forgotten(connection: duckdb.DuckDBPyConnection, forget: Forget) -> None:
    """Mark rows of forgotten posts and authors."""
    if forget.post_ids or forget.author_ids:
        connection.execute(
            """
            UPDATE staged SET reason = 'forgotten'
            WHERE post_id IN (FROM forgotten_post) OR lower(author_id) IN (FROM forgotten_author)
            """
        )


def set_aside_duplicates(connection: duckdb.DuckDBPyConnection) -> None:
    """Of rows with the same id keep the last complete one; with a time comes before without, in the order read."""
    connection.execute(
        """
        CREATE TEMP TABLE duplicate AS
        SELECT post_id FROM staged WHERE reason IS NULL GROUP BY post_id HAVING count(*) > 1
        """
    )
    if fetch_value(connection, "SELECT count(*) FROM duplicate") == 0:
        return
    connection.execute(
        """
        CREATE TEMP TABLE loser AS
        SELECT staged.rowid AS place FROM staged SEMI JOIN duplicate USING (post_id) WHERE reason IS NULL
        QUALIFY row_number() OVER (
            PARTITION BY post_id ORDER BY created_at IS NULL, staged.rowid DESC
        ) > 1
        """
    )
    connection.execute("UPDATE staged SET reason = 'duplicate_id' WHERE rowid IN (SELECT place FROM loser)")


def check_ids(connection: duckdb.DuckDBPyConnection) -> None:
    """Raise when nothing is left because every id is damaged."""
    totals = fetch_counts(
        connection,
        """
        SELECT count(*) FILTER (reason IS NULL) AS kept, count(*) FILTER (reason = 'bad_id') AS bad FROM staged
        """,
    )
    if totals["kept"] == 0 and totals["bad"] > 0:
        names = [row[0] for row in connection.execute("SELECT source FROM source_file ORDER BY ALL").fetchall()]
        raise SourceError(
            f"no usable id in {names!r}: column 'tweet_id' holds numbers such as '5.70306E+17', as spreadsheets write "
            "them; export the file again with 'tweet_id' and 'in_response_to_tweet_id' as text"
        )


def write_tables(connection: duckdb.DuckDBPyConnection, files: PostFiles) -> None:
    """Write both tables, in the order in which the rows were read."""
    write_parquet(
        connection,
        """
        SELECT post_id, author_id, is_inbound, created_at, text, parent_id, split_ids(response_ids) AS response_ids,
               source
        FROM staged JOIN source_file USING (source_index)
        WHERE reason IS NULL
        """,
        files.posts,
    )
    write_parquet(
        connection,
        SELECT_QUARANTINED,
        files.quarantine,
    )


def count_rows(connection: duckdb.DuckDBPyConnection, repairs: list[RepairCounts | None]) -> LoadCounts:
    """Return the counts of the finished stage."""
    totals = fetch_counts(
        connection,
        """
        SELECT count(*) AS rows, count(*) FILTER (reason IS NULL) AS posts,
               count(*) FILTER (reason IS NOT NULL) AS quarantined,
               count(*) FILTER (reason IS NULL AND marks & 1 > 0) AS float_ids,
               count(*) FILTER (reason IS NULL AND marks & 2 > 0) AS unreadable_times,
               count(*) FILTER (reason IS NULL AND created_at IS NULL) AS undated
        FROM staged
        """,
    )
    reasons = connection.execute(
        "SELECT reason, count(*) FROM staged WHERE reason IS NOT NULL GROUP BY reason ORDER BY reason"
    ).fetchall()
    by_source = connection.execute(
        """
        SELECT source, count(*) FROM staged JOIN source_file USING (source_index)
        GROUP BY source_index, source ORDER BY source_index
        """
    ).fetchall()
    done = [repair for repair in repairs if repair is not None]
    return LoadCounts(
        **totals,
        reasons=dict(reasons),
        repaired_files=len(done),
        carriage_returns=sum(repair.carriage_returns for repair in done),
        legacy_lines=sum(repair.legacy_lines for repair in done),
        sources=dict(by_source),
    )
