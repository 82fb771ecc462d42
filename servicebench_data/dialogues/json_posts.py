"""Posts in JSON: lines or arrays in the TWCS layout, and posts of the X API, alone or wrapped in pages.

Belongs here: getting JSON values out of a file and naming what is missing. Not here: how a post's
keys become cells (`json_posts.sql`).
"""

import json
from collections.abc import Iterator

import duckdb
import pyarrow as pa

from servicebench_data.dialogues.engine import run_script
from servicebench_data.dialogues.repair import replace_surrogates
from servicebench_data.dialogues.sources import COLUMNS, Source, open_bytes
from servicebench_data.lake.sources import SourceError

# Larger values are read by Python; the engine reserves this much for each thread.
MAX_OBJECT_BYTES = 1 << 25
API_KEYS = ("id", "author_id", "text")


def flatten_json(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Fill `json_cell` with the posts of a JSON file in its order, or raise SourceError for missing keys."""
    try:
        connection.execute(
            """
            CREATE OR REPLACE TEMP TABLE json_row AS
            SELECT row_number() OVER () AS place, json, false AS is_bad
            FROM read_json_objects($path, format = 'auto', compression = $compression, maximum_object_size = $size)
            """,
            {"path": str(source.path), "compression": source.compression, "size": MAX_OBJECT_BYTES},
        )
    except duckdb.InvalidInputException:
        read_damaged_json(connection, source)
    run_script(connection, "json_posts")
    check_keys(connection, source)


def read_damaged_json(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Fill `json_row` value by value: lone surrogates are replaced, a line that is no JSON is a bad one."""
    values = list(parse_values(source))
    table = pa.table(
        {
            "place": pa.array(range(1, len(values) + 1), pa.int64()),
            "json": pa.array(values, pa.string()),
            "is_bad": pa.array([value is None for value in values], pa.bool_()),
        }
    )
    connection.register("json_value", table)
    connection.execute(
        "CREATE OR REPLACE TEMP TABLE json_row AS SELECT place, json::JSON AS json, is_bad FROM json_value"
    )
    connection.unregister("json_value")


def parse_values(source: Source) -> Iterator[str | None]:
    """Yield each value of a JSON file as text that the engine accepts; None for a line that is no JSON."""
    with open_bytes(source.path, source.compression) as stream:
        text = stream.read().decode("utf-8-sig", errors="replace")
    try:
        whole = json.loads(text)
    except ValueError:
        for line in text.split("\n"):
            if line.strip():
                yield clean_value(line)
        return
    for value in whole if isinstance(whole, list) else [whole]:  # pyright: ignore[reportUnknownVariableType]
        yield replace_surrogates(json.dumps(value, ensure_ascii=False))


def clean_value(line: str) -> str | None:
    """Return a line's value as clean JSON, or None."""
    try:
        return replace_surrogates(json.dumps(json.loads(line), ensure_ascii=False))
    except ValueError:
        return None


def check_keys(connection: duckdb.DuckDBPyConnection, source: Source) -> None:
    """Raise SourceError when the file's first post has neither the TWCS keys nor those of the X API."""
    row = connection.execute(
        "SELECT json_keys(json) FROM json_post WHERE json_type(json) = 'OBJECT' ORDER BY place LIMIT 1"
    ).fetchone()
    if row is None:
        raise SourceError(f"{str(source.named)!r} holds no post as a whole JSON object; fetch it again")
    keys: list[str] = row[0]
    if "tweet_id" in keys or not set(API_KEYS) <= set(keys):
        missing = [name for name in COLUMNS if name not in keys and name not in {COLUMNS[5], COLUMNS[6]}]
        if missing:
            raise SourceError(
                f"{str(source.named)!r} lacks the keys {missing!r} (its first post has {keys[:12]!r}); it needs "
                f"{', '.join(COLUMNS)}, or the X API's {', '.join(API_KEYS)}; export it again with these fields"
            )
