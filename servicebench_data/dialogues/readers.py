"""Reading one file into the `staged` table, each format in its own way, every cell by the same rules.

Belongs here: one function for each format. Not here: what a cell means (`posts.sql`), telling formats apart
(`sources.py`).
"""

from pathlib import Path

import duckdb
import numpy as np

from servicebench_data.dialogues.engine import write_parquet
from servicebench_data.dialogues.json_posts import flatten_json
from servicebench_data.dialogues.repair import RepairCounts, read_repaired
from servicebench_data.dialogues.sources import COLUMNS, Source, check_columns
from servicebench_data.lake.sources import SourceError

READ_CELLS = """
    SELECT normalise_id(tweet_id) AS post_id, normalise_author(author_id) AS author_id,
           normalise_inbound(inbound) AS is_inbound, parse_time(created_at) AS created_at, text,
           response_tweet_id AS responses, normalise_parent(in_response_to_tweet_id) AS parent_id,
           is_bad, tweet_id AS raw_id, in_response_to_tweet_id AS raw_parent, created_at AS raw_time
    FROM {rows}
"""
# Precedence of reasons: what the row lacks first, in the order in which a reader would look. Marks: 1 for ids written
# as floats, 2 for a time that cannot be read.
INSERT = f"""
    INSERT INTO staged
    SELECT post_id, author_id, is_inbound, created_at, text, responses, parent_id,
           CASE
               WHEN is_bad THEN 'bad_line'
               WHEN post_id IS NULL THEN CASE WHEN is_blank(raw_id) THEN 'missing_id' ELSE 'bad_id' END
               WHEN author_id IS NULL THEN 'missing_author'
               WHEN is_inbound IS NULL THEN 'bad_inbound'
               WHEN is_blank(text) THEN 'missing_text'
           END,
           CASE WHEN is_float_id(raw_id) OR is_float_id(raw_parent) THEN 1 ELSE 0 END
           + CASE WHEN created_at IS NULL AND NOT is_blank(raw_time) THEN 2 ELSE 0 END,
           $index
    FROM ({READ_CELLS})
"""  # noqa: S608
# The same in one go, for a file in which nothing is wrong: the first row that is not as it should be ends it.
SELECT_SOUND = f"""
    SELECT post_id, author_id, is_inbound, created_at, text, parent_id, split_ids(responses) AS response_ids,
           CAST($label AS VARCHAR) AS source
    FROM ({READ_CELLS})
    WHERE CASE
        WHEN post_id IS NULL OR author_id IS NULL OR is_inbound IS NULL OR is_blank(text)
            OR post_id <> raw_id OR parent_id <> raw_parent OR (created_at IS NULL AND NOT is_blank(raw_time))
        THEN error('a row needs a closer look')
        ELSE true
    END
"""  # noqa: S608

# What a file raises that was cut short or damaged after its first bytes.
BROKEN = (duckdb.IOException, duckdb.InvalidInputException, OSError)


def stage_source(connection: duckdb.DuckDBPyConnection, source: Source, index: int) -> RepairCounts | None:
    """Append a file's rows to `staged` in the file's order; return what was mended where that was needed.

    Raises:
        SourceError: The file has no posts, or breaks off.
    """
    try:
        if source.shape == "csv":
            return stage_csv(connection, source, index)
        stage = stage_parquet if source.shape == "parquet" else stage_json
        stage(connection, source, index)
    except BROKEN as error:
        reason = str(error).split("\n", 1)[0]
        raise SourceError(f"{str(source.named)!r} cannot be read to its end ({reason}); fetch it again") from error
    return None


def stage_csv(connection: duckdb.DuckDBPyConnection, source: Source, index: int) -> RepairCounts | None:
    """Read a CSV file with the engine's strict reader, and where that refuses it, row by row."""
    try:
        connection.execute(INSERT.format(rows=f"({select_csv(source)})"), {"path": str(source.path), "index": index})
    except (duckdb.InvalidInputException, duckdb.ConversionException):
        return stage_repaired(connection, source, index)
    return None


def write_sound_csv(connection: duckdb.DuckDBPyConnection, source: Source, path: Path) -> bool:
    """Write the Post table of a CSV file straight from the file; tell whether that was possible.

    Nothing is left behind where it was not: a row is damaged, incomplete or mended, or an id stands there twice.
    """
    query = SELECT_SOUND.format(rows=f"({select_csv(source)})")
    try:
        write_parquet(connection, query, path, {"path": str(source.path), "label": source.label})
    except (duckdb.InvalidInputException, duckdb.ConversionException, duckdb.IOException):
        return False
    # Two ids that share a hash would only send the file the long way, which tells them apart.
    query = "SELECT hash(post_id) AS id FROM read_parquet($path)"
    ids = np.sort(connection.execute(query, {"path": str(path)}).fetchnumpy()["id"])
    return len(ids) > 0 and bool((ids[1:] != ids[:-1]).all())


def select_csv(source: Source) -> str:
    """Return the query that reads a CSV file in the fixed dialect; its columns are named by their place."""
    types = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(source.columns)))
    cells = ", ".join(f"c{source.columns.index(name)} AS {name}" for name in COLUMNS)
    return (
        f"SELECT {cells}, false AS is_bad FROM read_csv($path, auto_detect = false, header = true, delim = ',', "  # noqa: S608
        f"quote = '\"', escape = '\"', compression = '{source.compression}', columns = {{{types}}})"
    )


def stage_repaired(connection: duckdb.DuckDBPyConnection, source: Source, index: int) -> RepairCounts:
    """Append the rows of a file that was read row by row."""
    counts = RepairCounts()
    for batch in read_repaired(source, counts):
        connection.register("repaired_batch", batch)
        connection.execute(INSERT.format(rows="repaired_batch"), {"index": index})
        connection.unregister("repaired_batch")
    return counts


def stage_parquet(connection: duckdb.DuckDBPyConnection, source: Source, index: int) -> None:
    """Read a Parquet file whose columns may be typed."""
    path = str(source.path)
    try:
        described = connection.execute("DESCRIBE SELECT * FROM read_parquet($path)", {"path": path}).fetchall()
    except duckdb.Error as error:
        raise SourceError(f"{str(source.named)!r} is a damaged Parquet file; fetch it again") from error
    names = {row[0].strip().lower(): row[0] for row in described}
    check_columns(tuple(names), source.named)
    cells = ", ".join('CAST("{}" AS VARCHAR) AS {}'.format(names[name].replace('"', '""'), name) for name in COLUMNS)
    connection.execute(
        INSERT.format(rows=f"(SELECT {cells}, false AS is_bad FROM read_parquet($path))"),  # noqa: S608
        {"path": path, "index": index},
    )


def stage_json(connection: duckdb.DuckDBPyConnection, source: Source, index: int) -> None:
    """Read JSON: rows in the TWCS layout, or posts of the X API, alone or in pages."""
    flatten_json(connection, source)
    connection.execute(INSERT.format(rows="(FROM json_cell ORDER BY place)"), {"index": index})
