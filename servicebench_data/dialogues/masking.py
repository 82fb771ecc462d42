"""Masking people and references: every value becomes a typed token that is stable within its dialogue.

Belongs here: choosing the posts that may hold something, having them searched, and spreading what one post of a
dialogue shows to the others. Not here: patterns (`references.py`, `names.py`), numbering (`masking.sql`).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from servicebench_data.dialogues.accounts import CareAccount, get_key, store_table
from servicebench_data.dialogues.engine import run_script
from servicebench_data.dialogues.hints import Hints, build_hints
from servicebench_data.dialogues.lexicon import COMMON_WORDS, list_brand_words
from servicebench_data.dialogues.names import NameFinder, find_known
from servicebench_data.dialogues.references import find_handles, find_numbers
from servicebench_data.dialogues.spans import Span, choose_spans

BATCH_ROWS = 50_000
KnownWords = Mapping[int, Mapping[str, str]]
NOTHING_KNOWN: Mapping[str, str] = {}
Piece = tuple[int, int, str, str | None, str | None, str | None]


def mask_posts(connection: duckdb.DuckDBPyConnection, accounts: Sequence[CareAccount]) -> None:
    """Create `finding`, `token` and `masked` from `cleaned` and `placed_post`."""
    searcher = Searcher(accounts)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE finding "
        "(n BIGINT, i BIGINT, literal VARCHAR, kind VARCHAR, value VARCHAR, surface VARCHAR)"
    )
    names = sorted(searcher.names.plain)
    store_table(connection, "plain_name", pa.table({"word": pa.array(names, pa.string())}))
    choose_candidates(connection)
    search_posts(connection, searcher, {})
    known = spread_names(connection)
    if known:
        connection.execute("DELETE FROM finding WHERE n IN (SELECT n FROM candidate)")
        search_posts(connection, searcher, known)
    run_script(connection, "masking")


def choose_candidates(connection: duckdb.DuckDBPyConnection) -> None:
    """Create `candidate(n, handle, reference, name, unusual)`: which searches may find something in which post.

    A post that holds one given name and nothing else that could be masked is not searched: the engine cuts it itself.
    """
    hints = build_hints()
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE hinted AS
        SELECT * FROM (
            SELECT n, is_account, text, regexp_matches(text, $handle) AS handle,
                   regexp_matches(text, $reference) AS reference,
                   NOT is_account AND regexp_matches(text, $unusual_name) AS unusual,
                   regexp_extract(text, $given_name || '[a-zà-öø-ÿ]*') AS given_name,
                   regexp_matches(text, $context) OR (is_account AND regexp_matches(text, $account_context)) AS context
            FROM cleaned
        ) WHERE handle OR reference OR unusual OR given_name <> '' OR context
        """,
        hints._asdict(),
    )
    cut_lone_names(connection, hints)
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE candidate AS
        SELECT n, handle, reference, given_name <> '' OR context AS name, unusual
        FROM hinted ANTI JOIN finding USING (n)
        """
    )
    connection.execute("DROP TABLE hinted")


def cut_lone_names(connection: duckdb.DuckDBPyConnection, hints: Hints) -> None:
    """Append to `finding` the posts in which one plain given name stands once and nothing else that could be masked."""
    connection.execute(
        """
        INSERT INTO finding
        WITH lone AS (
            SELECT n, is_account, given_name, lower(given_name) AS value, strpos(text, given_name) AS start, text
            FROM hinted SEMI JOIN plain_name ON word = lower(given_name)
            WHERE NOT handle AND NOT reference AND NOT unusual
        ),
        cut AS (
            SELECT n, is_account, given_name, value, left(text, start - 1) AS head,
                   substr(text, start + length(given_name)) AS rest
            FROM lone
        ),
        joined AS (SELECT *, head || '~' || rest AS others FROM cut),
        sure AS (
            SELECT * FROM joined
            WHERE regexp_matches(rest, '^(?:[.!,?:;)…\n]| [^A-Z]|$)') AND NOT regexp_matches(head, '[''’-]$')
              AND NOT contains(lower(others), value)
              AND NOT regexp_matches(others, $given_name) AND NOT regexp_matches(others, $context)
              AND NOT (is_account AND regexp_matches(others, $account_context))
        )
        SELECT n, unnest([0, 1]) AS i, unnest([head, rest]) AS literal, unnest(['person', NULL]) AS kind,
               unnest([value, NULL]) AS value, unnest([given_name, NULL]) AS surface
        FROM sure
        """,
        {
            "given_name": hints.given_name,
            "context": hints.context,
            "account_context": hints.account_context,
        },
    )


def search_posts(connection: duckdb.DuckDBPyConnection, searcher: "Searcher", known: KnownWords) -> None:
    """Append to `finding` what is found in the candidates."""
    rows = connection.execute(
        "SELECT n, text, is_account, handle, reference, name, unusual FROM cleaned JOIN candidate USING (n) ORDER BY n"
    ).fetchall()
    for start in range(0, len(rows), BATCH_ROWS):
        pieces: list[Piece] = []
        for n, text, *flags in rows[start : start + BATCH_ROWS]:
            pieces.extend(cut_pieces(n, text, searcher.search(text, Search(*flags), known.get(n, NOTHING_KNOWN))))
        store_pieces(connection, pieces)


def cut_pieces(n: int, text: str, spans: Sequence[Span]) -> Iterator[Piece]:
    """Yield the pieces of a post, each with the value behind it; nothing for a post that holds none."""
    end = 0
    for i, span in enumerate(spans):
        yield n, i, text[end : span.start], span.kind, span.value, text[span.start : span.end]
        end = span.end
    if spans:
        yield n, len(spans), text[end:], None, None, None


def store_pieces(connection: duckdb.DuckDBPyConnection, pieces: list[Piece]) -> None:
    """Append pieces to `finding`."""
    if not pieces:
        return
    columns = list(zip(*pieces, strict=True))
    arrays: list[pa.Array[Any]] = [pa.array(column, pa.int64()) for column in columns[:2]]
    arrays += [pa.array(column, pa.string()) for column in columns[2:]]
    table = pa.table(arrays, names=["n", "i", "literal", "kind", "value", "surface"])
    connection.register("found", table)
    connection.execute("INSERT INTO finding SELECT * FROM found")
    connection.unregister("found")


class Search(NamedTuple):
    """What to search a post for, and whether an account wrote it."""

    is_account: bool
    handle: bool
    reference: bool
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
        if search.handle:
            spans.extend(find_handles(text, self.keep))
        if search.reference:
            spans.extend(find_numbers(text))
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
            FROM (SELECT n, value, unnest(regexp_split_to_array(lower(surface), '[\\s.]+')) AS word
                  FROM finding WHERE kind = 'person')
            JOIN placed_post USING (n) WHERE length(word) > 2
            UNION ALL
            SELECT exchange, position, signature, signature FROM cleaned JOIN placed_post USING (n)
            WHERE length(signature) > 3
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
        SELECT DISTINCT placed_post.n, word, known_word.value
        FROM known_word JOIN placed_post USING (exchange) JOIN cleaned USING (n)
        WHERE contains(lower(text), word)
        """
    )
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE candidate AS
        SELECT DISTINCT spread.n, coalesce(handle, false) AS handle, coalesce(reference, false) AS reference,
               coalesce(name, false) AS name, coalesce(unusual, false) AS unusual
        FROM spread
        ANTI JOIN finding
        ON finding.n = spread.n AND finding.value = spread.value AND contains(lower(finding.surface), spread.word)
        LEFT JOIN candidate ON candidate.n = spread.n
        """
    )
    known: dict[int, dict[str, str]] = defaultdict(dict)
    for n, word, value in connection.execute(
        "SELECT n, word, value FROM spread SEMI JOIN candidate USING (n) ORDER BY ALL"
    ).fetchall():
        if word not in COMMON_WORDS:
            known[n].setdefault(word, value)
    return known
