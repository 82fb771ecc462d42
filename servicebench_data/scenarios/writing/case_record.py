"""The task that fills in the company's record; what is out of date in it is left to the seeded chance.

Belongs here: what is asked and checked, and the rows. Not here: the form, the policies and which fields are stale.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from schemas.industry import CaseField
from schemas.scenarios import CaseFieldRow, Fact
from schemas.writing import CaseRecordAnswer, WrittenField
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.case_record import draw_stale, list_policies, show_stale, shows_choice
from servicebench_data.scenarios.grounding import check_case_record
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.quotes import Quoted, find_kinds, find_words, locate, number_turns
from servicebench_data.scenarios.writing.reasons import explain_faults, keep_first
from servicebench_data.scenarios.writing.stage import Stage, accept, make_task


def describe(draft: Draft) -> Mapping[str, str]:
    """Variables of the prompt."""
    industry = draft.knowledge.industry
    policies = list_policies(industry, draft.source.category_id, draft.source.scenario_id)
    facts = [fact for fact in draft.parts.facts if not fact.is_customer_only and fact.value]
    return {
        "company": draft.knowledge.company,
        "brand": draft.brand,
        "form": "\n".join(describe_field(field) for field in industry.case_record.fields),
        "policies": "\n".join(f"- {policy.title}: {policy.text}" for policy in policies),
        "turns": number_turns(draft.source.turns, is_company_quoted=True),
        "facts": "\n".join(f"{fact.fact_id} ({fact.kind}): {fact.value}" for fact in facts) or "none",
    }


def describe_field(field: CaseField) -> str:
    """A field as the model reads it."""
    choices = f"; one of: {', '.join(field.choices)}" if field.choices else ""
    return f"- {field.id} ({field.type}{choices}): {field.description}"


def list_form(draft: Draft) -> dict[str, CaseField]:
    """Fields of the industry's form by id, in its order."""
    return {field.id: field for field in draft.knowledge.industry.case_record.fields}


def check(draft: Draft, answer: CaseRecordAnswer) -> Iterator[str]:
    """Why the record is refused."""
    form = list_form(draft)
    names = [item.field_id for item in answer.fields]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"field {name} is filled {names.count(name)} times: fill it once."
    for item in answer.fields:
        yield from check_field(draft, item, form)


def check_field(draft: Draft, item: WrittenField, form: Mapping[str, CaseField]) -> Iterator[str]:
    """Why one field is refused."""
    where = f"field {item.field_id}"
    if item.field_id not in form:
        yield f"{where} is not in the form: its fields are {', '.join(form)}."
        return
    yield from check_evidence(draft, where, item, form[item.field_id])
    yield from check_fact(where, item, {fact.fact_id: fact for fact in draft.parts.facts})
    rows = replace(draft.parts, case_fields=[make_row(draft, item, form[item.field_id], "unknown")])
    yield from explain_faults(where, check_case_record(rows, draft.source, draft.knowledge, draft.said))


def trim(draft: Draft, answer: CaseRecordAnswer) -> CaseRecordAnswer:
    """The fields that pass, of several of one name the first; a record may be empty."""
    form = list_form(draft)
    kept = (item for item in answer.fields if not any(check_field(draft, item, form)))
    return CaseRecordAnswer(fields=keep_first(kept, attrgetter("field_id")))


def check_evidence(draft: Draft, where: str, item: WrittenField, field: CaseField) -> Iterator[str]:
    """The quote stands in its turn, holds the value, and is nothing that only the customer knows."""
    quoted = locate(where, draft.turns, item.turn, item.quote, role=None)
    if isinstance(quoted, str):
        yield quoted
        return
    if field.choices is None and find_words(quoted.text, item.truth) is None:
        yield f'{where}: "{item.truth}" does not stand in its quote "{quoted.text}": copy it letter by letter.'
    if field.choices and item.truth in field.choices and not shows_choice(field, item.truth, quoted.text):
        yield f'{where}: "{quoted.text}" does not say "{item.truth}": quote what says it, or leave the field out.'
    yield from check_kind(where, item, field, quoted.text)
    if quoted.turn.role == "customer" and cues.is_intimate(quoted.text):
        yield f'{where}: "{quoted.text}" is something that only the customer knows: leave the field out.'
    if quoted.turn.role != "customer" and quoted.text.rstrip().endswith("?"):
        yield f'{where}: "{quoted.text}" is a question of the company, which tells nothing: leave the field out.'


def check_kind(where: str, item: WrittenField, field: CaseField, quote: str) -> Iterator[str]:
    """A value of a sort that can be told, such as a flight's number, fills a field of that sort."""
    kinds = find_kinds(quote, item.truth)
    if field.fills_from and kinds and not kinds & set(field.fills_from):
        yield f'{where}: "{item.truth}" is of kind {" or ".join(sorted(kinds))}, which this field does not take.'


def check_fact(where: str, item: WrittenField, facts: Mapping[str, Fact]) -> Iterator[str]:
    """A fact that is named exists, has the value, and is none that only the customer knows."""
    if item.fact_id is None:
        return
    fact = facts.get(item.fact_id)
    if fact is None:
        yield f"{where} names fact {item.fact_id}, which is not in the list: null where no fact has the value."
    elif fact.is_customer_only:
        yield f"{where} names fact {item.fact_id}, which only the customer knows: leave the field out."
    elif fact.value is None or find_words(fact.value, item.truth) is None:
        yield f'{where}: fact {item.fact_id} does not have the value "{item.truth}": null where no fact has it.'


def make_row(draft: Draft, item: WrittenField, field: CaseField, made_by: str) -> CaseFieldRow:
    """The row of a field; the source's own words, and out of date where chance has it."""
    quoted = locate("", draft.turns, item.turn, item.quote, role=None)
    quoted = quoted if isinstance(quoted, Quoted) else None
    span = find_words(quoted.text, item.truth) if quoted and field.choices is None else None
    truth = quoted.text[slice(*span)] if quoted and span else item.truth
    is_drawn = draw_stale(draft.source.scenario_id, field, draft.chance)
    shown = show_stale(field, truth) if is_drawn else truth
    return CaseFieldRow(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by,
        field_id=field.id,
        title=field.title,
        type=field.type,
        shown=shown,
        truth=truth,
        is_stale=shown != truth,
        stale_cause=field.stale.cause if shown != truth and field.stale else None,
        fact_id=item.fact_id or find_fact(draft, truth),
        post_ids=quoted.post_ids if quoted else [],
    )


def find_fact(draft: Draft, truth: str) -> str | None:
    """The first fact with just this value that the company can know; None where there is none."""
    facts = (fact for fact in draft.parts.facts if fact.value == truth and not fact.is_customer_only)
    return next((fact.fact_id for fact in facts), None)


def add(draft: Draft, answer: CaseRecordAnswer, made_by: str) -> Parts:
    """The parts with the fields on file, in the order of the form."""
    form = list_form(draft)
    rows: Sequence[CaseFieldRow] = [
        make_row(draft, item, field, made_by)
        for field in form.values()
        for item in answer.fields
        if item.field_id == field.id
    ]
    return replace(draft.parts, case_fields=list(rows))


CASE_RECORD = Stage(make_task("case_record", CaseRecordAnswer), describe, check, add, accept, trim)
