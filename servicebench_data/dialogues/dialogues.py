"""Building the Turn and Dialogue tables from a file of posts.

Belongs here: the order of the steps, the output files and the counts. Not here: the rules of a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from servicebench_data.dialogues.accounts import CareAccount
from servicebench_data.dialogues.cleaning import CleaningCounts, clean_posts
from servicebench_data.dialogues.engine import fetch_counts, open_engine, run_script, write_parquet
from servicebench_data.dialogues.masking import mask_posts
from servicebench_data.dialogues.threads import ThreadCounts, thread_posts
from servicebench_data.lake.database import Limits
from servicebench_data.lake.sources import SourceError

SHOWN_COMPANIES = 5
# A dialogue has one customer, under a name, a handle or both; every other token stands for one value.
COUNT_TOKENS = """
    SELECT kind, count(*) AS tokens FROM token WHERE token <> '[customer]' GROUP BY kind
    UNION ALL
    SELECT 'customer', count(DISTINCT exchange) AS tokens FROM token WHERE token = '[customer]' HAVING tokens > 0
    ORDER BY kind
"""


@dataclass(frozen=True)
class DialogueFiles:
    """Where the tables of this step go; both are sorted by industry and dialogue."""

    turns: Path
    dialogues: Path


@dataclass(frozen=True)
class ShapeCounts:
    """What the dialogues are like.

    Attributes:
        dialogues: Dialogues.
        turns: Turns.
        posts: Posts in dialogues; a post that opens several counts in each.
        truncated: Dialogues whose thread answers a missing post.
        opened_by_account: Dialogues that the account opens.
        several_accounts: Dialogues in whose tree several companies posted.
        joined_messages: Messages in several numbered posts that were put together.
        empty_openings: Dialogues whose opening has no text left.
    """

    dialogues: int
    turns: int
    posts: int
    truncated: int
    opened_by_account: int
    several_accounts: int
    joined_messages: int
    empty_openings: int


@dataclass(frozen=True)
class DialogueCounts:
    """Counts of the whole step; `masked` has the distinct values by kind, `industries` the dialogues of each."""

    threads: ThreadCounts
    cleaning: CleaningCounts
    shapes: ShapeCounts
    masked: dict[str, int]
    industries: dict[str, int]


def build_dialogues(
    posts: Path, files: DialogueFiles, *, accounts: Sequence[CareAccount], limits: Limits
) -> DialogueCounts:
    """Rebuild, clean and mask the dialogues of the care accounts.

    Args:
        posts: File of the Post table.
        files: Where Turn and Dialogue rows go.
        accounts: Care accounts with their industries.
        limits: What the engine may use.

    Raises:
        SourceError: No post is by any of the accounts.
    """
    with open_engine(limits) as connection:
        threads = thread_posts(connection, posts, accounts)
        refuse_strangers(connection)
        run_script(connection, "naming")
        run_script(connection, "turns")
        cleaning = clean_posts(connection, accounts)
        mask_posts(connection, accounts)
        run_script(connection, "dialogues")
        write_tables(connection, files)
        connection.read_parquet(str(files.dialogues)).create_view("dialogue")
        return DialogueCounts(
            threads=threads,
            cleaning=cleaning,
            shapes=count_shapes(connection),
            masked=count_groups(connection, COUNT_TOKENS),
            industries=count_groups(
                connection, "SELECT industry, count(*) FROM dialogue GROUP BY industry ORDER BY industry"
            ),
        )


def refuse_strangers(connection: duckdb.DuckDBPyConnection) -> None:
    """Raise SourceError where no post is by a care account, naming the companies that the posts are by."""
    if connection.execute("FROM post SEMI JOIN care_account ON lower(author_id) = handle_key LIMIT 1").fetchone():
        return
    companies = connection.execute(
        "SELECT author_id, count(*) AS posts FROM post WHERE NOT is_inbound GROUP BY author_id "
        "ORDER BY posts DESC, author_id LIMIT $most",
        {"most": SHOWN_COMPANIES},
    ).fetchall()
    told = ", ".join(f"{name!r} ({count})" for name, count in companies)
    raise SourceError(
        f"no post is by a configured account; most posts that are not inbound are by {told}: add the account to an "
        "industry's accounts.yaml in schemas/industries/"
        if told
        else "no post is by a configured account, and none is marked as a company's: see accounts.yaml in "
        "schemas/industries/; X API files name handles under 'includes.users', so export them with "
        "expansions=author_id"
    )


def write_tables(connection: duckdb.DuckDBPyConnection, files: DialogueFiles) -> None:
    """Write both tables in the order of their keys."""
    write_parquet(
        connection,
        """
        SELECT industry, dialogue_id, CAST(turn AS BIGINT) AS turn_index,
               CASE WHEN is_customer THEN 'customer' ELSE 'account' END AS role,
               post_ids, post_offsets, created_at, text, signature
        FROM turn_row JOIN named_exchange USING (exchange)
        ORDER BY exchange, turn
        """,
        files.turns,
    )
    write_parquet(connection, "SELECT * EXCLUDE (exchange) FROM dialogue_row ORDER BY exchange", files.dialogues)


def count_shapes(connection: duckdb.DuckDBPyConnection) -> ShapeCounts:
    """Count what the dialogues are like."""
    totals = fetch_counts(
        connection,
        """
        SELECT count(*) AS dialogues, sum(turn_count) AS turns, sum(post_count) AS posts,
               count(*) FILTER (is_truncated) AS truncated,
               count(*) FILTER (opened_by = 'account') AS opened_by_account,
               count(*) FILTER (account_count > 1) AS several_accounts,
               count(*) FILTER (opening = '') AS empty_openings
        FROM dialogue
        """,
    )
    joined = fetch_counts(
        connection, "SELECT count(DISTINCT (exchange, turn, parts, message)) AS joined_messages FROM joined_part"
    )
    return ShapeCounts(**totals, **joined)


def count_groups(connection: duckdb.DuckDBPyConnection, sql: str) -> dict[str, int]:
    """Return the rows of a query of names and counts."""
    return {str(name): int(count) for name, count in connection.execute(sql).fetchall()}
