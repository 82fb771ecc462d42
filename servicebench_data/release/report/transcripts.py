"""The transcripts that the page's viewer shows, with everything that was seen in them.

Belongs here: gathering them from the published file, and packing them. Not here: how they are shown
(`templates/viewer.js`).
"""

import base64
import gzip
import json
from collections.abc import Mapping
from typing import Any

import duckdb

from servicebench_data.release.report.reading import Answer, Row, ask

#: More conversations make the page too heavy to mail; the rest stays in the published file.
PAGE_LIMIT = 5000
#: Parts of a conversation, each a list of rows in order.
PARTS = ("messages", "offers", "told", "opened", "flags", "scores", "items")


def read_transcripts(connection: duckdb.DuckDBPyConnection, limit: int = PAGE_LIMIT) -> dict[str, Any]:
    """What the viewer shows, ready to be JSON.

    Args:
        connection: The published file with its experiment; see `reading.open_file`.
        limit: Most conversations; all those on one scenario are taken, or none.
    """
    connection.execute(f"SET VARIABLE page_limit = {int(limit)}")
    answer = ask(connection, "transcripts/conversations")
    if answer.missing:
        return {"total": 0, "missing": answer.missing, "conversations": [], "scenarios": {}, "rubric": []}
    conversations = {row["id"]: prune(row) for row in answer.rows}
    for part in PARTS:
        add_part(conversations, part, ask(connection, f"transcripts/{part}"))
    return {
        "total": count_all(connection),
        "missing": "",
        "conversations": list(conversations.values()),
        "scenarios": read_scenarios(connection, {row["scenario"] for row in answer.rows}),
        "rubric": ask(connection, "transcripts/rubric").rows,
    }


def count_all(connection: duckdb.DuckDBPyConnection) -> int:
    """Conversations of the experiment."""
    rows = connection.execute(
        "SELECT count(*) FROM simulation.conversation WHERE experiment_id = getvariable('experiment')"
    ).fetchall()
    return int(rows[0][0])


def add_part(conversations: Mapping[str, dict[str, Any]], part: str, answer: Answer) -> None:
    """Put a part's rows into their conversations."""
    for conversation in conversations.values():
        conversation[part] = []
    for row in answer.rows:
        found = conversations.get(row["id"])
        if found is not None:
            found[part].append({name: value for name, value in prune(row).items() if name != "id"})


def read_scenarios(connection: duckdb.DuckDBPyConnection, wanted: set[str]) -> dict[str, dict[str, Any]]:
    """Scenarios by id, with their facts."""
    facts: dict[str, list[dict[str, Any]]] = {name: [] for name in wanted}
    for row in ask(connection, "transcripts/facts").rows:
        if row["id"] in wanted:
            facts[row["id"]].append(prune(row))
    rows = ask(connection, "transcripts/scenarios").rows
    return {row["id"]: {**prune(row), "facts": facts[row["id"]]} for row in rows if row["id"] in wanted}


def prune(row: Row) -> dict[str, Any]:
    """A row without what is missing, empty or false: most of the page would be that."""
    return {name: value for name, value in row.items() if value is not None and value is not False and value != []}


def pack(data: object) -> str:
    """JSON, compressed, in letters that mean nothing in HTML; `unpack` in the viewer's script is its inverse."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "surrogatepass"), 9, mtime=0)).decode("ascii")
