"""Builds all parts for many dialogues: tables of an industry in, tables of parts out.

Belongs here: the order of the steps for one dialogue, and the tables around it. Not here: the rules of any part.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import duckdb
import pyarrow as pa

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
    RejectionReason,
    Severity,
)
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.processes import share_out
from servicebench_data.scenarios.background import tell_background
from servicebench_data.scenarios.case_record import fill_case_record, list_policies
from servicebench_data.scenarios.events import collect_events
from servicebench_data.scenarios.expectation import expect_resolution
from servicebench_data.scenarios.facts import collect_facts
from servicebench_data.scenarios.grounding import check_parts
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source
from servicebench_data.scenarios.reading import Reading, SourceTurn, read_turns
from servicebench_data.scenarios.severity import rate_severity

#: Changes whenever any rule of this package changes what it makes; part of the key under which results are reused.
RULES_VERSION = "offline-5"
MIN_FACTS = 2
_CODED = """
    SELECT coding.dialogue_id, coding.category_id, dialogue.account, coding.method = 'override' AS is_decided,
           coding.method = 'model' AS is_settled
    FROM coding LEFT JOIN dialogue USING (dialogue_id)
    WHERE coding.category_id IS NOT NULL
    ORDER BY coding.dialogue_id
"""
_SPOKEN = """
    SELECT dialogue_id, turn_index, role, text, post_ids, post_offsets
    FROM turn SEMI JOIN (SELECT dialogue_id FROM coding WHERE category_id IS NOT NULL) USING (dialogue_id)
    ORDER BY dialogue_id, turn_index
"""
#: Records of the tables that `build_tables` returns, by table name.
RECORDS: dict[str, type[Record]] = {
    "candidate": Candidate,
    "event": Event,
    "severity": Severity,
    "fact": Fact,
    "background": BackgroundSentence,
    "expectation": Expectation,
    "case_field": CaseFieldRow,
    "case_policy": CasePolicy,
    "grounding_failure": GroundingFailure,
    "task_failure": TaskFailure,
}


def build_parts(source: Source, knowledge: Knowledge, *, seed: int, stale_rate: float) -> Parts:
    """All parts of one dialogue; a pure function of its arguments and `RULES_VERSION`.

    Args:
        source: The dialogue with its coding.
        knowledge: Its industry, prepared.
        seed: Seed of the build; it only decides which case-record fields are stale.
        stale_rate: Share of the case-record fields that can be stale and are.
    """
    readings = read_turns(source.turns, knowledge.brands, knowledge.company)
    scenario_id, industry = source.scenario_id, knowledge.industry.id
    events = collect_events(readings, industry, scenario_id)
    facts = collect_facts(readings, industry, scenario_id)
    if not source.has_reply:
        return reject(source, knowledge, facts, "no_company_reply")
    if not events:
        return reject(source, knowledge, facts, "no_events")
    if len(facts) < MIN_FACTS:
        return reject(source, knowledge, facts, "too_few_facts")
    return _complete(source, knowledge, readings, (events, facts), Chance(seed, stale_rate))


def _complete(
    source: Source,
    knowledge: Knowledge,
    readings: Sequence[Reading],
    told: tuple[list[Event], list[Fact]],
    chance: Chance,
) -> Parts:
    events, facts = told
    severity = rate_severity(events, knowledge.industry.id, source.scenario_id)
    brand = knowledge.name_brand(source.account)
    parts = Parts(
        candidate=make_candidate(source, knowledge, facts, None),
        events=events,
        severity=severity,
        facts=facts,
        background=tell_background(facts, severity, brand),
        expectation=expect_resolution(readings, events, severity, knowledge.categories[source.category_id]),
        case_fields=fill_case_record(facts, readings, source.turns, knowledge.industry, chance),
        case_policies=list_policies(knowledge.industry, source.category_id, source.scenario_id),
    )
    return verify(parts, source, knowledge)


def verify(parts: Parts, source: Source, knowledge: Knowledge) -> Parts:
    """The parts with their grounding failures; the candidate is rejected as `ungrounded` if there are any.

    Whoever made the parts, rules or a model, they pass through here.
    """
    failures = check_parts(parts, source, knowledge)
    if not failures:
        return parts
    candidate = parts.candidate.model_copy(update={"is_valid": False, "rejection_reason": "ungrounded"})
    return replace(parts, candidate=candidate, failures=failures)


def reject(source: Source, knowledge: Knowledge, facts: Sequence[Fact], reason: RejectionReason) -> Parts:
    """A candidate that gets no parts."""
    return Parts(candidate=make_candidate(source, knowledge, facts, reason))


def make_candidate(
    source: Source, knowledge: Knowledge, facts: Sequence[Fact], reason: RejectionReason | None
) -> Candidate:
    """The candidate row of a dialogue by the rules, not yet coded again."""
    return Candidate(
        industry=knowledge.industry.id,
        scenario_id=source.scenario_id,
        made_by="offline",
        dialogue_id=source.dialogue_id,
        category_id=source.category_id,
        stage_id=knowledge.stages[source.category_id],
        recoded_category_id=None,
        fact_count=len(facts),
        customer_only_count=sum(fact.is_customer_only for fact in facts),
        is_valid=reason is None,
        rejection_reason=reason,
        edited_parts=[],
        accepted_failures=[],
        omissions=[],
        rules_version=RULES_VERSION,
        cost_usd=None,
    )


def describe_for_coding(parts: Parts) -> str:
    """The finished text of a scenario, events and background, for coding it again independently of its source.

    The inferred sentences are left out: they are the same in every scenario.
    """
    texts = [event.text for event in parts.events] + [row.text for row in parts.background if not row.is_inferred]
    return " ".join(dict.fromkeys(texts))


def read_sources(turns: pa.Table, dialogues: pa.Table, codings: pa.Table, knowledge: Knowledge) -> list[Source]:
    """Complaint dialogues with a category of the map, in the order of their ids.

    Args:
        turns: Turns of an industry, as `schemas.dialogues.Turn`.
        dialogues: Its dialogues, as `schemas.dialogues.Dialogue`.
        codings: Its codings, as `schemas.journeys.Coding`.
        knowledge: The industry.

    Raises:
        ValueError: A coding names a category that the journey map does not have, or a dialogue that is not there.
    """
    with duckdb.connect() as connection:
        for name, table in (("turn", turns), ("dialogue", dialogues), ("coding", codings)):
            connection.register(name, table)
        coded = connection.execute(_CODED).fetchall()
        rows = connection.execute(_SPOKEN).fetchall()
    _refuse_unknown({row[1] for row in coded}, set(knowledge.categories), "category", "code the dialogues again")
    _refuse_unknown({row[0] for row in coded if row[2] is None}, set(), "dialogue", "build both from the same posts")
    spoken: dict[str, list[SourceTurn]] = {}
    for dialogue_id, index, role, text, post_ids, offsets in rows:
        spoken.setdefault(dialogue_id, []).append(SourceTurn(index, role, text, tuple(post_ids), tuple(offsets)))
    return [
        Source(dialogue_id, account, category_id, tuple(spoken.get(dialogue_id, ())), *by)
        for dialogue_id, category_id, account, *by in coded
    ]


def _refuse_unknown(found: set[str], known: set[str], what: str, remedy: str) -> None:
    unknown = sorted(found - known)
    if unknown:
        raise ValueError(f"codings name unknown {what} {unknown[0]!r} ({len(unknown)} in all); {remedy}.")


def build_many(
    sources: Sequence[Source],
    knowledge: Knowledge,
    *,
    seed: int,
    stale_rate: float,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> list[Parts]:
    """Parts of many dialogues, in their order.

    Args:
        sources: The dialogues.
        knowledge: Their industry.
        seed: See `build_parts`.
        stale_rate: See `build_parts`.
        processes: Processes that share the work.
        progress: Called now and then with the number done and of all.
    """
    work = partial(build_portion, knowledge=knowledge, seed=seed, stale_rate=stale_rate)
    made: list[Parts] = []
    for portion in share_out(work, sources, processes):
        made.extend(portion)
        if progress:
            progress(len(made), len(sources))
    return made


def build_portion(sources: Sequence[Source], knowledge: Knowledge, *, seed: int, stale_rate: float) -> list[Parts]:
    """Parts of some dialogues."""
    return [build_parts(source, knowledge, seed=seed, stale_rate=stale_rate) for source in sources]


def tabulate(made: Sequence[Parts]) -> dict[str, pa.Table]:
    """Make the tables of `RECORDS`.

    Of what the rules rejected only the ungrounded have more than a candidate row; what a model wrote is kept.
    """
    rows: Mapping[str, list[Record]] = {
        "candidate": [parts.candidate for parts in made],
        "event": [row for parts in made for row in parts.events],
        "severity": [parts.severity for parts in made if parts.severity is not None],
        "fact": [row for parts in made for row in parts.facts],
        "background": [row for parts in made for row in parts.background],
        "expectation": [parts.expectation for parts in made if parts.expectation is not None],
        "case_field": [row for parts in made for row in parts.case_fields],
        "case_policy": [row for parts in made for row in parts.case_policies],
        "grounding_failure": [row for parts in made for row in parts.failures],
        "task_failure": [parts.failure for parts in made if parts.failure is not None],
    }
    return {name: _make_table(record, rows[name]) for name, record in RECORDS.items()}


def _make_table(record: type[Record], rows: Sequence[Record]) -> pa.Table:
    names = list(record.model_fields)
    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in names}
    return pa.Table.from_pydict(columns, schema=arrow_schema(record))


def build_tables(
    turns: pa.Table, dialogues: pa.Table, codings: pa.Table, knowledge: Knowledge, chance: Chance
) -> dict[str, pa.Table]:
    """All tables of an industry's candidates, not yet coded again; see `read_sources` for the inputs and `RECORDS`."""
    sources = read_sources(turns, dialogues, codings, knowledge)
    return tabulate(build_many(sources, knowledge, seed=chance.seed, stale_rate=chance.stale_rate))
