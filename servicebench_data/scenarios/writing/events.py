"""The task that reconstructs the events up to the account's first reply.

Belongs here: what is asked and checked, and the rows. Not here: the checks that every text must pass.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from schemas.scenarios import Event, RejectionReason
from schemas.writing import EventsAnswer, WrittenEvent
from servicebench_data.scenarios.grounding import check_events, check_text
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.tidying import leave_out_names
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.quotes import Quoted, find_words, locate, number_turns
from servicebench_data.scenarios.writing.reasons import (
    check_length,
    check_third_person,
    check_whole,
    drop_repeats,
    explain_faults,
    find_repeats,
)
from servicebench_data.scenarios.writing.stage import Stage, make_task

#: Share of events that may be inferred.
MAX_INFERRED = 0.25


def describe(draft: Draft) -> Mapping[str, str]:
    """Variables of the prompt: the opening alone, so that nothing that came out later can slip in."""
    return {"company": draft.knowledge.company, "brand": draft.brand, "turns": number_turns(draft.opening)}


def find_quote(draft: Draft, where: str, item: WrittenEvent) -> Quoted | str:
    """The event's quote in the opening, or why it is not there."""
    return locate(where, {turn.turn_index: turn for turn in draft.opening}, item.turn, item.quote)


def check(draft: Draft, answer: EventsAnswer) -> Iterator[str]:
    """Why the events are refused."""
    for number, item in enumerate(answer.events, 1):
        yield from check_event(draft, f"event {number}", item)
    yield from find_repeats("events", (item.text for item in answer.events))
    inferred = sum(item.is_inferred for item in answer.events)
    if inferred > len(answer.events) * MAX_INFERRED:
        yield f"{inferred} of {len(answer.events)} events are inferred: at most one in four may be; quote the others."


def check_event(draft: Draft, where: str, item: WrittenEvent) -> Iterator[str]:
    """Why one event is refused."""
    yield from check_third_person(where, item.text)
    yield from check_length(where, item.text)
    yield from check_whole(where, item.text)
    yield from check_inferred(draft, where, item) if item.is_inferred else check_told(draft, where, item)


def trim(draft: Draft, answer: EventsAnswer) -> EventsAnswer | None:
    """The events that pass, each once and without hidden names; inferred ones only where there are enough others."""
    events = [item.model_copy(update={"text": leave_out_names(item.text)}) for item in answer.events]
    kept = drop_repeats([item for item in events if not any(check_event(draft, "event", item))])
    if sum(item.is_inferred for item in kept) > len(kept) * MAX_INFERRED:
        kept = [item for item in kept if not item.is_inferred]
    return EventsAnswer(events=kept) if kept else None


def check_inferred(draft: Draft, where: str, item: WrittenEvent) -> Iterator[str]:
    """An inferred event quotes nothing and names nothing that the customer did not."""
    if item.turn is not None or item.quote or item.when_text:
        yield f"{where} is inferred, so its turn, quote and when_text must be null; or it is not inferred."
    evidence = draft.gather([turn.text for turn in draft.opening])
    yield from explain_faults(where, check_text("event", item.text, evidence), "what the customer wrote")


def check_told(draft: Draft, where: str, item: WrittenEvent) -> Iterator[str]:
    """An event that is told stands in its quote, and its values in the opening."""
    quoted = find_quote(draft, where, item)
    if isinstance(quoted, str):
        yield quoted
        return
    rows = replace(draft.parts, events=[make_event(draft, item, 0, "")])
    evidence = draft.gather([turn.text for turn in draft.opening])
    yield from explain_faults(where, check_events(rows, draft.source, evidence), "what the customer wrote")


def make_event(draft: Draft, item: WrittenEvent, index: int, made_by: str) -> Event:
    """The row of an event; of a quote and a time the source's own words are kept, and no time that it does not hold."""
    quoted = None if item.is_inferred else find_quote(draft, "", item)
    quoted = quoted if isinstance(quoted, Quoted) else None
    when = find_words(quoted.turn.text, item.when_text) if quoted and item.when_text else None
    return Event(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by or "unknown",
        event_index=index,
        actor=item.actor,
        text=item.text.strip(),
        when_text=quoted.turn.text[slice(*when)] if quoted and when else None,
        post_ids=quoted.post_ids if quoted else [],
        quote=quoted.text if quoted else None,
        is_inferred=item.is_inferred,
    )


def add(draft: Draft, answer: EventsAnswer, made_by: str) -> Parts:
    """The parts with the events."""
    rows = [make_event(draft, item, index, made_by) for index, item in enumerate(answer.events)]
    return replace(draft.parts, events=rows)


def settle(parts: Parts) -> RejectionReason | None:
    """A complaint in which nothing happened makes no scenario."""
    return None if parts.events else "no_events"


EVENTS = Stage(make_task("events", EventsAnswer), describe, check, add, settle, trim)
