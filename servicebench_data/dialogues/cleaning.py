"""Cleaning the text of posts: encodings, entities, invisible characters, links, leading mentions, signatures, parts.

Belongs here: finding the few texts that need a library, and running `cleaning.sql`, which holds the rules. Masking
people and references is `masking.py`.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import ftfy
import pyarrow as pa

from servicebench_data.dialogues.accounts import CareAccount, store_table
from servicebench_data.dialogues.engine import fetch_counts, run_script
from servicebench_data.dialogues.lexicon import COMMON_WORDS, list_brand_words

# Letters that UTF-8 bytes become when they are read as Latin-1 or Windows-1252, followed by such a continuation byte.
DAMAGED = "[ÂÃâðÅ][\\x{80}-\\x{BF}€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
RARE_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
MENDING = ftfy.TextFixerConfig(unescape_html=False, uncurl_quotes=False, fix_line_breaks=False, normalization=None)


@dataclass(frozen=True)
class CleaningCounts:
    """What was cleaned, in posts that belong to a dialogue.

    Attributes:
        entities: Posts with HTML entities.
        encodings: Posts with a damaged encoding that was mended.
        invisible: Posts with zero-width characters or unusual blanks.
        links: Posts with links.
        signatures: Posts of accounts from which a signature was taken.
    """

    entities: int
    encodings: int
    invisible: int
    links: int
    signatures: int


def clean_posts(connection: duckdb.DuckDBPyConnection, accounts: Sequence[CareAccount]) -> CleaningCounts:
    """Create the temporary table `cleaned` for all posts in `member`."""
    words = sorted(COMMON_WORDS | list_brand_words(accounts))
    connection.execute("SET VARIABLE not_signature = $words", {"words": words})
    encodings = mend_posts(connection)
    run_script(connection, "cleaning")
    totals = fetch_counts(
        connection,
        """
        SELECT count(*) FILTER (contains(text, '&') AND regexp_matches(text, '&(?:#?\\w+);')) AS entities,
               count(*) FILTER (strlen(text) > length(text)
                                AND regexp_matches(text, '[\\x{200B}\\x{200C}\\x{2060}\\x{FEFF}\\x{00A0}]')) AS invisible
        FROM post SEMI JOIN member USING (n)
        """,
    )
    shapes = fetch_counts(
        connection,
        "SELECT count(*) FILTER (contains(text, '[link]')) AS links, count(signature) AS signatures FROM cleaned",
    )
    return CleaningCounts(**totals, **shapes, encodings=encodings)


def mend_posts(connection: duckdb.DuckDBPyConnection) -> int:
    """Create `mended` for posts whose encoding looks damaged or that hold rare entities; return how many changed."""
    rows = connection.execute(
        """
        SELECT n, text FROM post SEMI JOIN member USING (n)
        WHERE (strlen(text) > length(text) AND regexp_matches(text, $damaged))
           OR (contains(text, '&') AND regexp_matches(
               regexp_replace(text, '&(?:amp|lt|gt|quot|#39);', '', 'g'), '&#?\\w{2,31};'))
        ORDER BY n
        """,
        {"damaged": DAMAGED},
    ).fetchall()
    fixed = [(n, mend_encoding(text)) for n, text in rows]
    table = pa.table(
        {
            "n": pa.array([n for n, _ in fixed], pa.int64()),
            "text": pa.array([decode_entities(text) for _, text in fixed], pa.string()),
        }
    )
    store_table(connection, "mended", table)
    return sum(before != after for (_, before), (_, after) in zip(rows, fixed, strict=True))


def mend_encoding(text: str) -> str:
    """Undo UTF-8 that was read as Latin-1 or Windows-1252."""
    return ftfy.fix_encoding(text, MENDING)


def decode_entities(text: str) -> str:
    """Decode entities that end with a semicolon, once."""
    return RARE_ENTITY.sub(decode_entity, text)


def decode_entity(match: re.Match[str]) -> str:
    """Return the character of one entity."""
    return html.unescape(match.group())
