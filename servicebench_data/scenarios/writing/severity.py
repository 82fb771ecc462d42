"""The task that rates how grave the case is, from its finished events alone.

Belongs here: what is asked and checked, and the row. Not here: background, expectation or category, which the rating
must not know.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from schemas.scenarios import Event, Severity
from schemas.writing import SeverityAnswer
from servicebench_data.scenarios.grounding import check_text
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.reasons import check_length, check_third_person, explain_faults
from servicebench_data.scenarios.writing.stage import Stage, accept, make_task

MAX_WORDS = 60


def describe(draft: Draft) -> Mapping[str, str]:
    """Variables of the prompt: the events alone."""
    return {"events": number_events(draft)}


def number_events(draft: Draft) -> str:
    """The events, one a line, with their actor and time."""
    return "\n".join(f"{event.event_index + 1}. ({event.actor}) {tell_event(event)}" for event in draft.parts.events)


def tell_event(event: Event) -> str:
    """What is shown of an event, and may be repeated; square brackets would make its time look like a masked token."""
    return f"{event.text} (when: {event.when_text})" if event.when_text else event.text


def check(draft: Draft, answer: SeverityAnswer) -> Iterator[str]:
    """Why the rating is refused."""
    if (answer.level == "low") != (not answer.drivers):
        yield (
            f"level {answer.level} does not go with drivers {', '.join(answer.drivers) or 'none'}: low has no driver, "
            "medium and high have at least one."
        )
    if len(set(answer.drivers)) < len(answer.drivers):
        yield "a driver is listed twice: list each once."
    evidence = draft.gather([tell_event(event) for event in draft.parts.events])
    yield from check_third_person("the reason", answer.reason)
    yield from check_length("the reason", answer.reason, MAX_WORDS)
    yield from explain_faults("the reason", check_text("severity", answer.reason, evidence), "the events")


def add(draft: Draft, answer: SeverityAnswer, made_by: str) -> Parts:
    """The parts with the rating."""
    row = Severity(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by,
        level=answer.level,
        reason=answer.reason.strip(),
        drivers=list(answer.drivers),
    )
    return replace(draft.parts, severity=row)


SEVERITY = Stage(make_task("severity", SeverityAnswer), describe, check, add, accept)
