"""The sequence of events up to the account's first reply, in the third person.

Belongs here: which readings become events, who acts, when. Not here: how a sentence is turned (`rewriting`).
"""

import re
from collections.abc import Sequence

from schemas.scenarios import Actor, Event
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.extraction import Value
from servicebench_data.scenarios.reading import Reading
from servicebench_data.scenarios.reports import is_guess, is_report

MAX_EVENTS = 12
_WHEN = ("date", "time")
_DONE_TO = re.compile(
    r"^(?:The customer(?:'s party)?|They) (?:was|were|had been) (?:\w+ly |then |now |also |still )?(?:told|charged|"
    r"denied|refused|asked|given|sent|bumped|moved|kicked|informed|promised|overcharged|treated|assured|put|"
    r"rebooked|billed)\b"
)
_BY_CUSTOMER = re.compile(r"^(?:The customer(?!'s (?!party))|They\b)")
_COMPANY = re.compile(
    r"\b(?:flight|plane|aircraft|staff|crew|agents?|attendants?|drivers?|managers?|supervisors?|app|website|"
    r"site|system|order|delivery|bags?|luggage|baggage|suitcase|room|hotel|store|restaurant|food|refund|seat|"
    r"booking|reservation|"
    r"wifi|gate|boarding|service|account|card|price|fare|package|customer service|desk|company|airline|pilot|"
    r"captain|website|meal|drink|check-?in)\b",
    re.IGNORECASE,
)


def collect_events(readings: Sequence[Reading], industry: str, scenario_id: str) -> list[Event]:
    """Events of the opening in the order told, at most `MAX_EVENTS`."""
    usable = [reading for reading in readings if is_event(reading)][:MAX_EVENTS]
    return [_make_event(reading, index, industry, scenario_id) for index, reading in enumerate(usable)]


def is_event(reading: Reading) -> bool:
    """Whether a reading of the opening says that something happened and can be told as an event."""
    if reading.third is None or not reading.is_opening:
        return False
    has_value = any(value.kind not in {"person_role", "product"} for value in reading.values)
    is_opinion = cues.is_emotional(reading.third) and not has_value
    return (is_report(reading.third) or (has_value and not is_guess(reading.third))) and not (
        is_opinion and len(reading.third.split()) < 8
    )


def find_actor(text: str, company: str, brands: Sequence[str]) -> Actor:
    """Who acts in an event: its subject, or whoever did to the customer what a passive says.

    Args:
        text: The event.
        company: How the company is called, without article.
        brands: Names of known brands.
    """
    if _DONE_TO.match(text):
        return "company"
    if _BY_CUSTOMER.match(text):
        return "customer"
    head = " ".join(text.split()[:6])
    if head.startswith(("Staff", f"The {company}", *brands)) or _COMPANY.search(head):
        return "company"
    return "other"


def find_when(values: Sequence[Value]) -> str | None:
    """When it happened, in the source's words."""
    found = [value.text for value in values if value.kind in _WHEN]
    return " ".join(found[:2]) if found else None


def _make_event(reading: Reading, index: int, industry: str, scenario_id: str) -> Event:
    return Event(
        industry=industry,
        scenario_id=scenario_id,
        made_by="offline",
        event_index=index,
        actor=find_actor(reading.third or "", reading.company, reading.brands),
        text=reading.third or "",
        when_text=find_when(reading.values),
        post_ids=reading.post_ids,
        quote=reading.quote,
        is_inferred=False,
    )
