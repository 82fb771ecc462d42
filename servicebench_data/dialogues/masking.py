"""Masking people and references: every value becomes a typed token that is stable within its dialogue.

Belongs here: choosing the posts that may hold something, having them searched, and spreading what one post of a
dialogue shows to the others. Patterns are `references.py` and `names.py`; numbering is `masking.sql`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import duckdb
import pyarrow as pa

from servicebench_data.dialogues.accounts import CareAccount, get_key, make_column, store_table
from servicebench_data.dialogues.engine import run_script
from servicebench_data.dialogues.lexicon import COMMON_WORDS, list_brand_words, load_given_names
from servicebench_data.dialogues.names import NameFinder
from servicebench_data.dialogues.references import find_references
from servicebench_data.dialogues.spans import Span, choose_spans

BATCH_ROWS = 50_000
SCHEMA = pa.schema(
    [("n", pa.int64()), ("i", pa.int64()), ("literal", pa.string()), ("kind", pa.string()), ("value", pa.string())]
)
KnownWords = Mapping[int, Mapping[str, str]]
NOTHING_KNOWN: Mapping[str, str] = {}

# What a post must show to be searched at all: cheap, and wider than what is found.
REFERENCE_HINT = r"@|\d{4}|\d{3}[-. )]+\d|\d[ -]\d{3}|\b[A-Z0-9]{6}\b|__email__|\b(?:at|AT)\b\)? ?\w+ ?(?:\.|dot|\(dot)"
NAME_HINT = (
    r"(?:(?i:\b(?:hi|hello|hey|dear|hiya|hola|aloha|howdy|morning|afternoon|evening|day|thanks|thank you|thx|ty|cheers|sorry"
    r"|welcome|congrats|congratulations|regards|best|love|yes|no|ok|okay|name is|name.s|names?:|passengers?:|guest name:?"
    r"|in the name of|under the name(?: of)?|booked under|mrs?\.?|ms\.?|miss|mx\.?|dr\.?|capt(?:ain|\.)?|sincerely|yours|signed)[,!]*)"
    r"|[a-z0-9'’\]],)\s+(?:[A-Z]['’])?[A-Z][a-zà-ÿ]"
)
LOWER_HINT = (
    r"(?i)\b(?:name is|name.s|hi|hello|hey|dear|hiya|thanks|thank you|thx|cheers|regards|mrs?\.?|ms\.?"
    r"|(?:spoke|talked) (?:to|with)|chatted with|agent|rep|named|called|this is|i am|i.?m),?\s+([a-z]{3,})\b"
)


def mask_posts(connection: duckdb.DuckDBPyConnection, accounts: Sequence[CareAccount]) -> None:
    """Create `finding`, `token` and `masked` from `cleaned` and `placed_post`."""
    names = load_given_names()
    store_table(connection, "given_name", make_column("word", names.plain))
    searcher = Searcher(accounts)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE finding (n BIGINT, i BIGINT, literal VARCHAR, kind VARCHAR, value VARCHAR)"
    )
    choose_candidates(connection)
    search_posts(connection, searcher, {})
    known = spread_names(connection)
    if known:
        connection.execute("DELETE FROM finding WHERE n IN (SELECT n FROM candidate)")
        search_posts(connection, searcher, known)
    run_script(connection, "masking")


def choose_candidates(connection: duckdb.DuckDBPyConnection) -> None:
    """Create `candidate(n)`: the posts that a search may find something in."""
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE candidate AS
        WITH word AS (
            SELECT n, unnest(regexp_extract_all(text, '\\b[A-Z][a-zà-ÿ]+')) AS word FROM cleaned
            UNION ALL
            SELECT n, unnest(regexp_extract_all(text, $lower, 1)) FROM cleaned
        )
        SELECT n FROM cleaned WHERE regexp_matches(text, $reference) OR regexp_matches(text, $name)
        UNION
        SELECT n FROM word SEMI JOIN given_name ON given_name.word = lower(word.word)
        """,
        {"lower": LOWER_HINT, "reference": REFERENCE_HINT, "name": NAME_HINT},
    )


def search_posts(connection: duckdb.DuckDBPyConnection, searcher: "Searcher", known: KnownWords) -> None:
    """Append to `finding` what is found in the candidates."""
    reader = connection.cursor().execute if False else connection.execute
    rows = reader(
        "SELECT n, text, is_account FROM cleaned SEMI JOIN candidate USING (n) ORDER BY n"
    ).fetchall()
    for start in range(0, len(rows), BATCH_ROWS):
        found = [
            piece
            for n, text, is_account in rows[start : start + BATCH_ROWS]
            for piece in searcher.search(n, text, is_account=is_account, known=known.get(n, NOTHING_KNOWN))
        ]
        columns = list(zip(*found, strict=True)) or [[] for _ in SCHEMA]
        table = pa.table([pa.array(column, field.type) for column, field in zip(columns, SCHEMA, strict=True)], SCHEMA)
        connection.register("found", table)
        connection.execute("INSERT INTO finding SELECT * FROM found")
        connection.unregister("found")


Piece = tuple[int, int, str, str | None, str | None]


class Searcher:
    """Finds everything that is masked in a post."""

    def __init__(self, accounts: Sequence[CareAccount]) -> None:
        self.names = NameFinder(list_brand_words(accounts))
        self.keep = frozenset(get_key(account) for account in accounts)

    def search(self, n: int, text: str, *, is_account: bool, known: Mapping[str, str]) -> Iterator[Piece]:
        """Yield the pieces of a post, each with the value behind it; nothing for a post that holds none."""
        spans = choose_spans(self.find(text, is_account=is_account, known=known))
        end = 0
        for i, span in enumerate(spans):
            yield n, i, text[end : span.start], span.kind, span.value
            end = span.end
        if spans:
            yield n, len(spans), text[end:], None, None

    def find(self, text: str, *, is_account: bool, known: Mapping[str, str]) -> Iterator[Span]:
        """Yield all spans, references before names."""
        yield from find_references(text, self.keep)
        yield from self.names.find(text, is_account=is_account, known=known)


def spread_names(connection: duckdb.DuckDBPyConnection) -> KnownWords:
    """Leave in `candidate` the posts that hold a name which another post of their dialogue showed; return the words."""
    connection.execute(
        """
        CREATE OR REPLACE TEMP TABLE known_word AS
        SELECT DISTINCT exchange, value, value AS word
        FROM finding JOIN placed_post USING (n) WHERE kind = 'person' AND length(value) > 2
        UNION
        SELECT exchange, signature, signature FROM cleaned JOIN placed_post USING (n)
        WHERE length(signature) > 3 AND NOT contains(signature, ' ')
        UNION
        SELECT exchange, customer_key, customer_key FROM exchange
        WHERE length(customer_key) > 3 AND NOT regexp_full_match(customer_key, '\\d+')
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
        "CREATE OR REPLACE TEMP TABLE candidate AS SELECT DISTINCT n FROM spread ANTI JOIN finding "
        "ON finding.n = spread.n AND finding.value = spread.value"
    )
    known: dict[int, dict[str, str]] = defaultdict(dict)
    for n, word, value in connection.execute(
        "SELECT n, word, value FROM spread SEMI JOIN candidate USING (n) ORDER BY ALL"
    ).fetchall():
        if word not in COMMON_WORDS:
            known[n].setdefault(word, value)
    return known
