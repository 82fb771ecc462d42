"""Parts of scenarios as the lake holds them.

Belongs here: the way back from tables to parts, for chosen scenarios. Not here: the way there (`assembly.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from schemas.models import TaskFailure
from schemas.records import Record
from schemas.scenarios import (
    BackgroundSentence,
    Candidate,
    CaseFieldRow,
    CasePolicy,
    Event,
    Expectation,
    Fact,
    GroundingFailure,
    Severity,
)
from servicebench_data.lake.arrow import keep_rows, to_records
from servicebench_data.lake.store import Lake
from servicebench_data.scenarios.parts import Parts

R = TypeVar("R", bound=Record)


def read_parts(lake: Lake, industry: str, scenario_ids: Collection[str]) -> dict[str, Parts]:
    """Parts of those of the scenarios that the lake holds, by scenario, in the order of their ids.

    Raises:
        LakeError: A table has not been made yet.
    """
    candidates = group_rows(lake, Candidate, industry, scenario_ids)
    events = group_rows(lake, Event, industry, scenario_ids)
    severities = group_rows(lake, Severity, industry, scenario_ids)
    facts = group_rows(lake, Fact, industry, scenario_ids)
    background = group_rows(lake, BackgroundSentence, industry, scenario_ids)
    expectations = group_rows(lake, Expectation, industry, scenario_ids)
    fields = group_rows(lake, CaseFieldRow, industry, scenario_ids)
    policies = group_rows(lake, CasePolicy, industry, scenario_ids)
    failures = group_rows(lake, GroundingFailure, industry, scenario_ids)
    tasks = group_rows(lake, TaskFailure, industry, scenario_ids)
    return {
        name: Parts(
            candidate=rows[0],
            events=events.get(name, []),
            severity=pick_one(severities, name),
            facts=facts.get(name, []),
            background=background.get(name, []),
            expectation=pick_one(expectations, name),
            case_fields=fields.get(name, []),
            case_policies=policies.get(name, []),
            failures=failures.get(name, []),
            failure=pick_one(tasks, name),
        )
        for name, rows in sorted(candidates.items())
    }


def group_rows(lake: Lake, record: type[R], industry: str, scenario_ids: Collection[str]) -> dict[str, list[R]]:
    """Rows of a table by scenario, in the table's order."""
    groups: dict[str, list[R]] = {}
    for row in to_records(record, keep_rows(lake.read(record, industry), "scenario_id", scenario_ids)):
        groups.setdefault(getattr(row, "scenario_id"), []).append(row)  # noqa: B009  (no record promises the column)
    return groups


def pick_one(groups: Mapping[str, Sequence[R]], name: str) -> R | None:
    """The one row of a scenario."""
    return next(iter(groups.get(name, ())), None)
