"""What changed between two builds.

Belongs here: comparing two published files. Not here: printing.
"""

from pathlib import Path
from typing import NamedTuple

import duckdb

from servicebench_data.lake.tables import quote_text
from servicebench_data.release.publish import FILE_NAME, list_builds

QUERY = """
SELECT coalesce(a.scenario_id, b.scenario_id) AS scenario_id, coalesce(b.industry, a.industry) AS industry,
       CASE WHEN a.scenario_id IS NULL THEN 'added'
            WHEN b.scenario_id IS NULL THEN 'removed' ELSE 'changed' END AS change,
       concat_ws(', ',
           CASE WHEN a.category_id <> b.category_id THEN 'category ' || a.category_id || ' -> ' || b.category_id END,
           CASE WHEN a.severity <> b.severity THEN 'severity ' || a.severity || ' -> ' || b.severity END,
           CASE WHEN a.split <> b.split THEN 'split ' || a.split || ' -> ' || b.split END,
           CASE WHEN a.opening <> b.opening THEN 'opening' END,
           CASE WHEN a.events <> b.events THEN 'events' END,
           CASE WHEN a.background <> b.background THEN 'background' END,
           CASE WHEN a.expectation <> b.expectation THEN 'expectation' END,
           CASE WHEN a.case_record <> b.case_record THEN 'case record' END,
           CASE WHEN a.content_sha256 <> b.content_sha256
                 AND (a.category_id, a.severity, a.opening, a.events, a.background, a.expectation, a.case_record)
                   = (b.category_id, b.severity, b.opening, b.events, b.background, b.expectation, b.case_record)
                THEN 'facts, policies or map version' END) AS parts
FROM a.scenarios.scenario AS a
FULL JOIN b.scenarios.scenario AS b ON a.scenario_id = b.scenario_id
WHERE a.scenario_id IS NULL OR b.scenario_id IS NULL OR a.content_sha256 <> b.content_sha256 OR a.split <> b.split
ORDER BY change, industry, scenario_id
"""


class Change(NamedTuple):
    """A scenario that is not the same in both builds."""

    scenario_id: str
    industry: str
    change: str
    parts: str


class UnknownBuildError(ValueError):
    """No build of that name is kept."""


def compare_builds(before: Path, after: Path) -> list[Change]:
    """Scenarios added, removed and changed from one published file to another."""
    with duckdb.connect() as connection:
        for name, path in (("a", before), ("b", after)):
            connection.execute(f"ATTACH {quote_text(str(path))} AS {name} (READ_ONLY)")
        return [Change(*map(str, row)) for row in connection.execute(QUERY).fetchall()]


def find_build(home: Path, name: str) -> Path:
    """File of a kept build by its id, the beginning of it, `current`, or `previous`.

    Raises:
        UnknownBuildError: There is none, or several.
    """
    builds = list_builds(home)
    if name == "current" and (home / FILE_NAME).exists():
        return home / FILE_NAME
    if name == "previous" and len(builds) > 1:
        return builds[1]
    found = [path for path in builds if path.stem.startswith(name)]
    if len(found) != 1:
        known = ", ".join(path.stem for path in builds) or "none yet"
        raise UnknownBuildError(f"{len(found)} builds match {name!r}; the builds kept are: {known}.")
    return found[0]
