"""Facts that the customer knows: each with its evidence, how it comes out, and whether the company can know it.

Belongs here: facts from readings. Not here: the background that tells them (`background`).

Our definition of disclosure: what stands in a post before the account's first reply is `opening`, since that text is
what the customer posts first. Of what came out later, impacts, feelings and intimate matters come out only
`when_heard`, the rest `when_asked`; facts that one sentence tells come out together, with the last of them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from schemas.industry import FactKind
from schemas.scenarios import Disclosure, Fact
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.extraction import Value, extract_values
from servicebench_data.scenarios.reading import Reading, split_brands
from servicebench_data.scenarios.reports import is_report

MAX_FACTS = 30
ORDER: tuple[Disclosure, ...] = ("opening", "when_asked", "when_heard")
#: Kinds that no company system holds, whatever the sentence says.
CUSTOMER_ONLY_KINDS: frozenset[FactKind] = frozenset({"impact", "staff_statement"})
#: Kinds that are never known to the customer alone: the company issued or recorded them.
ON_FILE: frozenset[FactKind] = frozenset(
    {"flight_number", "booking_reference", "order_reference", "loyalty_number", "contact"}
)
#: Bare values that make a sentence of their own where the sentence around them cannot be told.
_TEMPLATES: dict[FactKind, str] = {
    "flight_number": "My flight is {value}.",
    "booking_reference": "My booking reference is {value}.",
    "order_reference": "My order number is {value}.",
    "loyalty_number": "My membership number is {value}.",
    "contact": "They can reach me at {value}.",
}
_ROUTE = re.compile(r"\bfrom\s(?:the\s)?$", re.IGNORECASE)


def collect_facts(readings: Sequence[Reading], industry: str, scenario_id: str) -> list[Fact]:
    """Facts of a dialogue in the order of the source, each value once."""
    facts: list[Fact] = []
    seen: set[tuple[str, str]] = set()
    for reading in readings:
        for kind, statement, value in _read_facts(reading):
            key = (kind, value.canonical if value else statement.lower())
            if key in seen or len(facts) == MAX_FACTS:
                continue
            seen.add(key)
            facts.append(_make_fact(reading, kind, statement, value, (industry, scenario_id, f"f{len(facts) + 1}")))
    return align_disclosures(facts)


def align_disclosures(facts: Sequence[Fact]) -> list[Fact]:
    """The facts; after the opening, those with one statement at the latest disclosure among them.

    Saying one of them gives away the others.
    """
    latest: dict[str, Disclosure] = {}
    for fact in facts:
        latest[fact.statement] = find_latest([latest.get(fact.statement, fact.disclosure), fact.disclosure])
    return [
        fact if fact.disclosure == "opening" else fact.model_copy(update={"disclosure": latest[fact.statement]})
        for fact in facts
    ]


def _read_facts(reading: Reading) -> Iterator[tuple[FactKind, str, Value | None]]:
    has_statement = reading.first is not None and cues.is_staff_statement(reading.quote)
    has_impact = reading.first is not None and (cues.is_emotional(reading.first) or cues.is_practical(reading.first))
    told = _read_values(reading, drops_roles=has_statement)
    count = 0
    for kind, statement, value in told:
        count += 1
        yield kind, statement, value
    if reading.first is None:
        return
    if has_statement:
        yield "staff_statement", reading.first, None
    if has_impact:
        yield "impact", reading.first, None
    if not count and not has_statement and not has_impact and reading.third is not None and is_report(reading.first):
        yield "event", reading.first, None


def _read_values(reading: Reading, *, drops_roles: bool) -> Iterator[tuple[FactKind, str, Value]]:
    kept = (
        {value.canonical for value in extract_values(reading.first, not_places=split_brands(reading.brands))}
        if reading.first
        else set[str]()
    )
    for value in reading.values:
        if value.kind == "person_role" and drops_roles:
            continue
        if reading.first is not None and (value.canonical in kept or value.text in reading.first):
            yield value.kind, reading.first, value
        elif value.kind in _TEMPLATES:
            template = "My case number is {value}." if value.text.startswith("[case-") else _TEMPLATES[value.kind]
            yield value.kind, template.format(value=value.text), value
    route = _find_route(reading)
    if reading.first is None and route is not None:
        origin, target = route
        statement = f"The route is from {origin.text} to {target.text}."
        yield "place", statement, origin
        yield "place", statement, target


def _find_route(reading: Reading) -> tuple[Value, Value] | None:
    places = [value for value in reading.values if value.kind == "place"]
    for origin, target in pairwise(places):
        between = reading.turn.text[origin.end : target.start]
        if between.strip().lower() in {"to", "-", "->", ">"} and _ROUTE.search(reading.turn.text, 0, origin.start):
            return origin, target
    return None


def is_customer_only(kind: FactKind, quote: str) -> bool:
    """Whether the company's systems cannot know a fact of this kind told in these words."""
    if kind in CUSTOMER_ONLY_KINDS:
        return True
    return kind not in ON_FILE and cues.is_unseen(quote)


def decide_disclosure(kind: FactKind, quote: str, *, is_opening: bool) -> Disclosure:
    """How a fact of this kind told in these words comes out; see the module's definition."""
    if is_opening:
        return "opening"
    return "when_heard" if kind == "impact" or cues.is_intimate(quote) else "when_asked"


def find_latest(disclosures: Iterable[Disclosure]) -> Disclosure:
    """The latest of some disclosures."""
    return ORDER[max(map(ORDER.index, disclosures))]


def _make_fact(
    reading: Reading, kind: FactKind, statement: str, value: Value | None, ids: tuple[str, str, str]
) -> Fact:
    industry, scenario_id, fact_id = ids
    return Fact(
        industry=industry,
        scenario_id=scenario_id,
        made_by="offline",
        fact_id=fact_id,
        kind=kind,
        statement=statement,
        value=value.text if value else None,
        post_id=reading.turn.find_post(value.start if value else reading.start),
        quote=reading.quote,
        turn_index=reading.turn.turn_index,
        disclosure=decide_disclosure(kind, reading.quote, is_opening=reading.is_opening),
        is_customer_only=is_customer_only(kind, reading.quote),
        is_inferred=False,
    )
