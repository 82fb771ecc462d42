"""Masking people and references: every value becomes a typed token that is stable within its dialogue.

Belongs here: choosing the posts that may hold something, having them searched, and spreading what one post of a
dialogue shows to the others. Not here: patterns (`references.py`, `names.py`), numbering (`masking.sql`).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from servicebench_data.dialogues.accounts import CareAccount, get_key, store_words
from servicebench_data.dialogues.engine import run_script
from servicebench_data.dialogues.hints import Hints, build_hints, list_wide_references
from servicebench_data.dialogues.lexicon import COMMON_WORDS, list_brand_words
from servicebench_data.dialogues.names import OPENING, SMALL_NOUN, NameFinder, find_known
from servicebench_data.dialogues.references import find_references
from servicebench_data.dialogues.spans import Span, choose_spans

BATCH_ROWS = 50_000
KnownWords = Mapping[int, Mapping[str, str]]
NOTHING_KNOWN: Mapping[str, str] = {}
Piece = tuple[int, int, str, str | None, str, str, str]


def mask_posts(connection: duckdb.DuckDBPyConnection, accounts: Sequence[CareAccount]) -> None:
    """Create `token` and `masked` from `said`."""
    searcher = Searcher(accounts)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE finding "
        "(p BIGINT, i BIGINT, literal VARCHAR, tail VARCHAR, kind VARCHAR, value VARCHAR, surface VARCHAR)"
    )
    store_words(connection, "plain_name", "word", searcher.names.plain)
    choose_candidates(connection)
    search_posts(connection, searcher, {})
    known = spread_names(connection)
    if known:
        connection.execute("DELETE FROM finding WHERE p IN (SELECT p FROM candidate)")
        search_posts(connection, searcher, known)
    run_script(connection, "masking")


def choose_candidates(connection: duckdb.DuckDBPyConnection) -> None:
    """Create `candidate(p, wanted, name, unusual)`: which searches may find something in which post.

    A post that holds one given name and nothing else that could be masked is not searched: the engine cuts it itself.
    Most posts hold nothing, so few patterns pass over them; all hints in one pattern would be too much for the engine.
    """
    hints = build_hints()
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE hinted AS
        SELECT p, is_account, text, regexp_matches(text, $handle) AS handle,
               regexp_matches(text, $reference) AS reference, is_unusual AS unusual,
               regexp_extract(text, $given_name || '[a-zà-öø-ÿ]*') AS given_name,
               regexp_matches(text, $context) OR (is_account AND regexp_matches(text, $account_context)) AS context
        FROM (
            SELECT rowid AS p, NOT is_customer AS is_account, text,
                   is_customer AND regexp_matches(text, $unusual_name) AS is_unusual
            FROM said
        ) WHERE is_unusual
            OR regexp_matches(text, concat($handle, '|', $reference))
            OR regexp_matches(text, concat($given_name, '|', $context, '|', $account_context))
        """,
        hints._asdict(),
    )
    cut_lone_names(connection, hints)
    wide = list_wide_references()
    bits = (
        f"CASE WHEN regexp_matches(text, $pattern_{place}) THEN {1 << place} ELSE 0 END" for place in range(len(wide))
    )
    wanted = " + ".join(bits)
    connection.execute(
        f"""
        CREATE OR REPLACE TEMP TABLE candidate AS
        SELECT p, CASE WHEN handle OR reference THEN {wanted} ELSE 0 END AS wanted,
               given_name <> '' OR context AS name, unusual
        FROM hinted ANTI JOIN finding USING (p)
        """,  # noqa: S608
        {f"pattern_{place}": pattern for place, pattern in enumerate(wide)},
    )
    connection.execute("DROP TABLE hinted")


def cut_lone_names(connection: duckdb.DuckDBPyConnection, hints: Hints) -> None:
    """Append to `finding` the posts in which one plain given name stands once and nothing else that could be masked."""
    connection.execute(
        """
        INSERT INTO finding
        WITH lone AS (
            SELECT p, is_account, given_name, lower(given_name) AS value, strpos(text, given_name) AS start, text
            FROM hinted SEMI JOIN plain_name ON word = lower(given_name)
            WHERE NOT handle AND NOT reference AND NOT unusual
        ),
        cut AS (
            SELECT p, is_account, given_name, value, left(text, start - 1) AS head,
                   substr(text, start + length(given_name)) AS rest
            FROM lone
        ),
        joined AS (SELECT *, head || '~' || rest AS others FROM cut),
        sure AS (
            SELECT * FROM joined
            WHERE regexp_matches(rest, '^(?:[.!,?:;)…\n]| [^A-Z]|$)') AND NOT regexp_matches(head, '[''’-]$')
              AND NOT regexp_matches(head, $opening) AND NOT regexp_matches(rest, $noun)
              AND NOT contains(lower(others), value)
              AND NOT regexp_matches(others, $given_name) AND NOT regexp_matches(others, $context)
              AND NOT (is_account AND regexp_matches(others, $account_context))
        )
        SELECT p, 0 AS i, head AS literal, rest AS tail, 'person' AS kind, value, given_name AS surface FROM sure
        """,
        {
            "given_name": hints.given_name,
            "context": hints.context,
            "account_context": hints.account_context,
            "opening": OPENING.pattern,
            "noun": f"^{SMALL_NOUN.pattern}",
        },
    )


def search_posts(connection: duckdb.DuckDBPyConnection, searcher: "Searcher", known: KnownWords) -> None:
    """Append to `finding` what is found in the candidates."""
    rows = connection.execute(
        "SELECT p, text, NOT is_customer, wanted, name, unusual FROM said JOIN candidate ON p = said.rowid ORDER BY p"
    ).fetchall()
    for start in range(0, len(rows), BATCH_ROWS):
        pieces: list[Piece] = []
        for p, text, *flags in rows[start : start + BATCH_ROWS]:
            pieces.extend(cut_pieces(p, text, searcher.search(text, Search(*flags), known.get(p, NOTHING_KNOWN))))
        store_pieces(connection, pieces)


def cut_pieces(p: int, text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """Yield the values of a post, each with the text before it and the last with the text behind it."""
    end = 0
    for i, span in enumerate(spans):
        tail = text[span.end :] if i == len(spans) - 1 else None
        yield p, i, text[end : span.start], tail, span.kind, span.value, text[span.start : span.end]
        end = span.end


def store_pieces(connection: duckdb.DuckDBPyConnection, pieces: list[Piece]) -> None:
    """Append pieces to `finding`."""
    if not pieces:
        return
    columns = list(zip(*pieces, strict=True))
    arrays: list[pa.Array[Any]] = [pa.array(column, pa.int64()) for column in columns[:2]]
    arrays += [pa.array(column, pa.string()) for column in columns[2:]]
    table = pa.table(arrays, names=["p", "i", "literal", "tail", "kind", "value", "surface"])
    connection.register("found", table)
    connection.execute("INSERT INTO finding SELECT * FROM found")
    connection.unregister("found")


class Search(NamedTuple):
    """What to search a post for (`wanted` as in `find_references`), and whether an account wrote it."""

    is_account: bool
    wanted: int
    name: bool
    unusual: bool


class Searcher:
    """Finds everything that is masked in a post."""

    def __init__(self, accounts: Sequence[CareAccount]) -> None:
        self.names = NameFinder(list_brand_words(accounts))
        self.keep = frozenset(get_key(account) for account in accounts)

    def search(self, text: str, search: Search, known: Mapping[str, str]) -> list[Span]:
        """Return what is masked, in order."""
        spans: list[Span] = []
        if search.wanted:
            spans.extend(find_references(text, self.keep, search.wanted))
        if search.name or known:
            spans.extend(self.find_names(text, search, known))
        if search.unusual:
            spans.extend(self.names.find_unusual(text))
        return choose_spans(spans) if len(spans) > 1 else spans

    def find_names(self, text: str, search: Search, known: Mapping[str, str]) -> Iterator[Span]:
        """Yield names, and the same names where they stand again without anything that shows it."""
        repeated: dict[str, str] = {}
        lower = text.lower()
        for span in self.names.find(text, is_account=search.is_account, known=known):
            yield span
            for word in lower[span.start : span.end].split():
                if len(word) > 2 and lower.count(word) > 1 and word not in self.names.ambiguous:
                    repeated[word] = span.value
        if repeated:
            yield from find_known(text, repeated)


def spread_names(connection: duckdb.DuckDBPyConnection) -> KnownWords:
    """Leave in `candidate` the posts that hold a name which another post of their dialogue showed; return the words."""
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE known_word AS
        WITH shown AS (
            SELECT exchange, position, value, word
            FROM (SELECT p, value, unnest(regexp_split_to_array(lower(surface), '[\\s.]+')) AS word
                  FROM finding WHERE kind = 'person')
            JOIN said ON p = said.rowid WHERE length(word) > 2
            UNION ALL
            SELECT exchange, position, signature, signature FROM said WHERE length(signature) > 3
            UNION ALL
            SELECT exchange, -1, customer_key, customer_key FROM named_exchange
            WHERE length(customer_key) > 3 AND NOT regexp_full_match(customer_key, '\\d+')
        )
        SELECT exchange, word, arg_min(value, (position, value)) AS value FROM shown GROUP BY exchange, word
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE spread AS
        SELECT said.rowid AS p, word, known_word.value
        FROM known_word JOIN said USING (exchange)
        WHERE contains(lower(text), word)
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE candidate AS
        SELECT DISTINCT spread.p, coalesce(wanted, 0) AS wanted, coalesce(name, false) AS name,
               coalesce(unusual, false) AS unusual
        FROM spread
        ANTI JOIN finding
        ON finding.p = spread.p AND finding.value = spread.value AND contains(lower(finding.surface), spread.word)
        LEFT JOIN candidate ON candidate.p = spread.p
        """
    )
    known: dict[int, dict[str, str]] = defaultdict(dict)
    for p, word, value in connection.execute(
        "SELECT p, word, value FROM spread SEMI JOIN candidate USING (p) ORDER BY ALL"
    ).fetchall():
        if word not in COMMON_WORDS:
            known[p].setdefault(word, value)
    return known
