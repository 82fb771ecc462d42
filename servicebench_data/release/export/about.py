"""What an export says about a release: the texts that hold for all, and what this one counts.

Belongs here: reading both into one record. Not here: laying them out (`card.py`, `croissant.py`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import yaml

from schemas.records import Strict
from servicebench_data.lake.database import fetch_table
from servicebench_data.release.export.tables import PublishedTable

FILE = Path(__file__).parent / "about.yaml"
SCENARIOS = """
SELECT industry, count(*) FILTER (split = 'train') AS train, count(*) FILTER (split = 'evaluation') AS evaluation,
       count(*) FILTER (severity = 'low') AS low, count(*) FILTER (severity = 'medium') AS medium,
       count(*) FILTER (severity = 'high') AS high, count(DISTINCT category_id) AS categories
FROM scenarios.scenario
GROUP BY industry ORDER BY industry
"""
MAKERS = "SELECT made_by, count(*) AS scenarios FROM scenarios.scenario GROUP BY made_by ORDER BY made_by"
EXPERIMENTS = """
SELECT c.experiment_id AS experiment, count(DISTINCT c.conversation_id) AS conversations,
       count(DISTINCT c.conversation_id) FILTER (NOT c.is_valid) AS invalid,
       list_sort(list(DISTINCT c.agent || ' (' || c.agent_made_by || ')')) AS agents,
       list_sort(list(DISTINCT c.customer || ' (' || c.customer_made_by || ')')) AS customers,
       coalesce(list_sort(list(DISTINCT s.judge || ' (' || s.judge_made_by || ')') FILTER (s.judge IS NOT NULL)), [])
           AS judges
FROM simulation.conversation AS c
LEFT JOIN judging.score AS s USING (conversation_id)
GROUP BY c.experiment_id ORDER BY c.experiment_id
"""
# Counts for the card, each with the tables that it needs; a build without one of them has no such count.
COUNTS = {
    "scenarios": ({"scenario"}, SCENARIOS),
    "makers": ({"scenario"}, MAKERS),
    "experiments": ({"conversation", "score"}, EXPERIMENTS),
}


class Source(Strict):
    """What is said about releases of one kind of source."""

    license_id: str
    license_url: str
    origin: str
    limits: list[str]
    personal: str


class About(Strict):
    """What holds for every release."""

    name: str
    title: str
    creator: str
    summary: str
    paper: str
    citation: str
    keywords: list[str]
    sources: dict[str, Source]
    made: list[str]
    uses: list[str]
    limits: list[str]
    biases: list[str]


@dataclass(frozen=True)
class Release:
    """What one published file says about itself.

    Attributes:
        build_id: Id of the build.
        built_at: When it was published.
        source: `sample`, or `posts`.
        license: Licence in the build's words.
        made_by: `offline`, or the model that wrote the scenarios.
        product_version: Version of the product that built it.
        content_sha256: Digest of its content.
        tables: Its tables, in order.
        counts: Rows of each count of the card, by its name.
    """

    build_id: str
    built_at: datetime
    source: str
    license: str
    made_by: str
    product_version: str
    content_sha256: str
    tables: tuple[PublishedTable, ...]
    counts: Mapping[str, list[dict[str, Any]]]

    @property
    def scenario_count(self) -> int:
        """Released scenarios."""
        return sum(row["train"] + row["evaluation"] for row in self.counts["scenarios"])


@cache
def load_about() -> About:
    """The texts that hold for every release."""
    return About.model_validate(yaml.safe_load(FILE.read_text(encoding="utf-8")))


def read_release(connection: duckdb.DuckDBPyConnection, tables: Iterable[PublishedTable]) -> Release:
    """What the database in use says about itself."""
    tables = tuple(tables)
    names = {table.name for table in tables}
    wanted = ("build_id", "built_at", "source", "license", "made_by", "product_version", "content_sha256")
    build = fetch_table(connection, f"SELECT {', '.join(wanted)} FROM release.build").to_pylist()[0]  # noqa: S608
    counts = {
        name: fetch_table(connection, query).to_pylist() if names.issuperset(needed) else []
        for name, (needed, query) in COUNTS.items()
    }
    return Release(**build, tables=tables, counts=counts)
