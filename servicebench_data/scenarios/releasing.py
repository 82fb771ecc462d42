"""The released scenarios as a table: drawn, put together from their parts, and hashed.

Belongs here: from the parts of valid candidates to rows of `scenario`. Not here: how many of which category
(`allocation.py`), or which are near-duplicates (`duplicates.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple, cast

import duckdb
import pyarrow as pa

from schemas.scenarios import CaseFieldRow, CasePolicy, Event, Expectation, Fact, Scenario, Severity
from servicebench_data.journeys.arrays import Embedder
from servicebench_data.lake.arrow import arrow_schema, conform, sort_rows
from servicebench_data.lake.database import Limits, add_views, fetch_table, open_database
from servicebench_data.lake.store import Counts, digest_json
from servicebench_data.scenarios.allocation import draw_release
from servicebench_data.scenarios.duplicates import count_groups, find_groups, tabulate_duplicates
from servicebench_data.scenarios.members import embed_members, list_members
from servicebench_data.settings import Settings

COMPOSE = (Path(__file__).parent / "compose.sql").read_text(encoding="utf-8")
# Parts whose every row belongs to what a scenario says, beside its own texts; how it was drawn does not.
HASHED_PARTS = (Event, Severity, Fact, Expectation, CaseFieldRow, CasePolicy)
HASHED_TEXTS = ("scenario_id", "category_id", "opening", "background", "goodwill_limit_usd", "map_version")


class Released(NamedTuple):
    """The tables `scenario` and `near_duplicate`, and what was counted."""

    table: pa.Table
    duplicates: pa.Table
    counts: Counts


def release_scenarios(
    files: Mapping[str, Sequence[Path]], settings: Settings, limits: Limits, embedder: Embedder
) -> Released:
    """Draw from the valid candidates, of near-duplicates one, and write the scenarios.

    Args:
        files: Parquet files of candidates, dialogues, turns, categories and all parts, by table.
        settings: Size, seed, split and goodwill limit.
        limits: What DuckDB may take.
        embedder: Gives the vectors by which near-duplicates are found.
    """
    with open_database(limits) as connection:
        add_views(connection, files)
        members = list_members(connection)
        vectors = embed_members(members, embedder)
        groups = find_groups(members, vectors)
        drawn = draw_release(
            members, groups, size=settings.release_size, seed=settings.seed, evaluation_share=settings.evaluation_share
        )
        connection.register("drawn", tabulate_drawn([asdict(entry) for entry in drawn]))
        composed = fetch_table(
            connection, COMPOSE, {"goodwill_limit_usd": settings.goodwill_limit_usd, "seed": settings.seed}
        )
        table = add_digests(composed, read_parts(connection))
    counts: Counts = {
        "valid candidates": len(members), "asked for": settings.release_size, **count_groups(groups)
    }  # fmt: skip
    return Released(conform(Scenario, table), tabulate_duplicates(members, vectors, groups), counts)


def tabulate_drawn(rows: list[dict[str, Any]]) -> pa.Table:
    """What was drawn, as a table with its types even where it is empty."""
    types = [("scenario_id", pa.string()), ("cluster_id", pa.string()), ("split", pa.string())]
    schema = pa.schema([*types, ("inclusion_probability", pa.float64())])
    return pa.Table.from_pylist(rows, schema=schema)


def read_parts(connection: duckdb.DuckDBPyConnection) -> dict[str, list[dict[str, Any]]]:
    """Rows of the hashed parts of the drawn scenarios, in the order of their keys."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for record in HASHED_PARTS:
        keys = ", ".join(record.table.key)
        query = f"FROM {record.table.name} SEMI JOIN drawn USING (scenario_id) ORDER BY {keys}"
        for row in fetch_table(connection, query).to_pylist():
            parts.setdefault(row["scenario_id"], []).append({"part": record.table.name, **row})
    return parts


def add_digests(composed: pa.Table, parts: Mapping[str, list[dict[str, Any]]]) -> pa.Table:
    """The table with the digest of what each scenario says, by scenario id."""
    ordered = sort_rows(composed, "scenario_id")
    rows = ordered.select(list(HASHED_TEXTS)).to_pylist()
    digests = [digest_json([row, parts.get(row["scenario_id"], [])]) for row in rows]
    complete = ordered.append_column("content_sha256", pa.array(digests, pa.string()))
    return complete.select(arrow_schema(Scenario).names)


def count_reasons(candidates: pa.Table) -> dict[str, int]:
    """Candidates that are valid, and those rejected by reason."""
    reasons = cast("list[str | None]", candidates["rejection_reason"].to_pylist())
    return dict(sorted(Counter(reason or "valid" for reason in reasons).items()))
