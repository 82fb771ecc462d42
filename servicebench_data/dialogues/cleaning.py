"""Cleaning the text of posts: encodings, entities, invisible characters, links, leading mentions, signatures, parts.

Belongs here: finding the few texts that need a library, and running `cleaning.sql`, which holds the rules. Not here:
masking people and references (`masking.py`).
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

import duckdb
import ftfy
import pyarrow as pa

from servicebench_data.dialogues.accounts import CareAccount
from servicebench_data.dialogues.engine import fetch_counts, run_script, store_table
from servicebench_data.dialogues.lexicon import COMMON_WORDS, list_brand_words

# Letters that UTF-8 bytes become when they are read as Latin-1 or Windows-1252, followed by such a continuation byte.
DAMAGED = "[ÂÃâðÅ][\\x{80}-\\x{BF}€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"
# Capital letters behind the last sentence that are no agent's initials.
NO_INITIALS = """
    DM DMS PM AM ET EST EDT PST PDT CT CST CDT MST GMT UTC BST USA US UK OK LOL TY THX FYI ASAP ETA LUV YAY WOW
    NO YES XO XOX OMG SMH TBH BTW IDK AA DL UA SW TV ID IT GO PS HA RIP VIP CEO
""".split()  # noqa: SIM905
INVISIBLE = "[\\x{200B}\\x{200C}\\x{2060}\\x{FEFF}\\x{00A0}\\x{00AD}]"
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
    """Create the temporary table `said`, one row for each post of `spoken`, with `long_turn` and `joined_part`."""
    words = sorted(COMMON_WORDS | list_brand_words(accounts))
    connection.execute("SET VARIABLE not_signature = $words", {"words": words})
    connection.execute("SET VARIABLE no_initials = $words", {"words": NO_INITIALS})
    encodings = mend_posts(connection)
    run_script(connection, "cleaning")
    totals = fetch_counts(
        connection,
        "SELECT count(*) FILTER (has_entity) AS entities, count(*) FILTER (is_invisible) AS invisible FROM odd_post",
    )
    shapes = fetch_counts(
        connection,
        "SELECT count(*) FILTER (contains(text, '[link]')) AS links, count(signature) AS signatures FROM said",
    )
    return CleaningCounts(**totals, **shapes, encodings=encodings)


def mend_posts(connection: duckdb.DuckDBPyConnection) -> int:
    """Create `mended` for posts whose encoding looks damaged or that hold rare entities; return how many changed."""
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE odd_post AS
        SELECT n, text, contains(text, '&') AND regexp_matches(text, '&#?\\w{2,31};') AS has_entity,
               regexp_matches(text, $invisible) AS is_invisible
        FROM post SEMI JOIN spoken USING (n)
        WHERE contains(text, '&') OR (strlen(text) > length(text) AND regexp_matches(text, $odd))
        """,
        {"invisible": INVISIBLE, "odd": f"{DAMAGED}|{INVISIBLE}"},
    )
    rows = connection.execute(
        """
        SELECT n, text FROM odd_post
        WHERE regexp_matches(text, $damaged)
           OR (has_entity AND regexp_matches(
               regexp_replace(text, '&(?:amp|lt|gt|quot|#39);', '', 'g'), '&#?\\w{2,31};'))
        ORDER BY n
        """,
        {"damaged": DAMAGED},
    ).fetchall()
    fixed = [(n, decode_rare_entities(mend_encoding(text))) for n, text in rows]
    table = pa.table(
        {
            "n": pa.array([n for n, _ in fixed], pa.int64()),
            "text": pa.array([text for _, text in fixed], pa.string()),
        }
    )
    store_table(connection, "mended", table)
    return sum(before != after for (_, before), (_, after) in zip(rows, fixed, strict=True))


def mend_encoding(text: str) -> str:
    """Undo UTF-8 that was read as Latin-1 or Windows-1252."""
    return ftfy.fix_encoding(text, MENDING)


def decode_rare_entities(text: str) -> str:
    """Decode entities except the five that X escapes, which the engine decodes."""
    return RARE_ENTITY.sub(decode_entity, text)


def decode_entity(match: re.Match[str]) -> str:
    """Return the character of one entity, unless it is one that the engine decodes."""
    if match.group() in {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}:
        return match.group()
    return html.unescape(match.group())
