"""Facts in an answer of the background task: their evidence, their value, how they come out.

Belongs here: what is checked on a fact, and its row. Not here: the sentences that tell it (`background.py`).

A fact's disclosure is decided where it stands, by the rules' own definition. A model may move a fact that came out
after the first reply to later; one in the opening stays there, for the customer has posted it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from schemas.scenarios import Disclosure, Fact
from schemas.writing import BackgroundAnswer, WrittenFact
from servicebench_data.scenarios.evidence import VALUE_KINDS
from servicebench_data.scenarios.facts import ON_FILE, ORDER, decide_disclosure, find_latest, is_customer_only
from servicebench_data.scenarios.grounding import check_facts, check_text
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.quotes import Quoted, find_kinds, find_value, find_words, locate
from servicebench_data.scenarios.writing.reasons import (
    check_first_person,
    check_length,
    check_single,
    check_whole,
    drop_repeats,
    explain_faults,
    find_repeats,
    keep_first,
)

#: What each kind of fact is, for the model.
KINDS = {
    "flight_number": "a flight's number",
    "booking_reference": "reference of a booking, ticket, claim or case",
    "order_reference": "number of an order, parcel or trip",
    "loyalty_number": "number of a membership or loyalty card",
    "amount": "a sum of money",
    "duration": "how long something took or lasted",
    "date": "a day or date",
    "time": "a time of day",
    "place": "a place",
    "count": "how many of something",
    "product": "a product, dish, room, seat or service",
    "person_role": "somebody by role, such as the gate agent",
    "staff_statement": "what somebody of the company said",
    "impact": "what it did to the customer's plans, work, family, body or feelings",
    "contact": "how the customer can be reached",
    "event": "anything else that happened",
}
NO_VALUE = frozenset({"staff_statement", "impact", "event"})


def list_kinds() -> str:
    """The kinds of facts, one a line."""
    return "\n".join(f"  - {kind}: {what}" for kind, what in KINDS.items())


def find_quote(draft: Draft, where: str, item: WrittenFact) -> Quoted | str:
    """The fact's quote in the customer's turns, or why it is not there."""
    return locate(where, draft.turns, item.turn, item.quote)


def check_all_facts(draft: Draft, answer: BackgroundAnswer) -> Iterator[str]:
    """Why the facts are refused."""
    names = [item.fact_id for item in answer.facts]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"two facts are called {name}: number them f1, f2, f3 and so on."
    for item in answer.facts:
        yield from check_fact(draft, item)
        yield from check_alone(f"fact {item.fact_id}", item, answer.facts)
    yield from find_repeats("statements of facts", (item.statement for item in answer.facts))


def check_fact(draft: Draft, item: WrittenFact) -> Iterator[str]:
    """Why one fact is refused, whatever the others."""
    where = f"fact {item.fact_id}"
    yield from check_first_person(where, item.statement)
    yield from check_length(where, item.statement)
    yield from check_single(where, item.statement)
    yield from check_whole(where, item.statement)
    yield from check_inferred(draft, where, item) if item.is_inferred else check_told(draft, where, item)


def keep_facts(draft: Draft, items: Sequence[WrittenFact]) -> list[WrittenFact]:
    """The facts that pass, each once."""
    named = keep_first((item for item in items if not any(check_fact(draft, item))), attrgetter("fact_id"))
    kept = drop_repeats(named, attrgetter("statement"))
    return [item for item in kept if not any(check_alone("", item, kept))]


def check_inferred(draft: Draft, where: str, item: WrittenFact) -> Iterator[str]:
    """An inferred fact quotes nothing and names nothing that the dialogue does not."""
    if item.turn is not None or item.quote or item.value:
        yield f"{where} is inferred, so its turn, quote and value must be null; or it is not inferred."
    yield from explain_faults(where, check_text("fact", item.statement, draft.said))


def check_told(draft: Draft, where: str, item: WrittenFact) -> Iterator[str]:
    """A fact that is told stands in its quote, with its value, and states nothing that the quote does not say."""
    quoted = find_quote(draft, where, item)
    if isinstance(quoted, str):
        yield quoted
        return
    yield from check_value(where, quoted, item)
    quote = draft.gather([quoted.text])
    faults = list(check_text("fact", item.statement, quote))
    yield from explain_faults(where, faults, f'its quote "{quoted.text}": state this fact alone, or quote more')
    rows = replace(draft.parts, facts=[make_fact(draft, item, "")])
    more = [fault for fault in check_facts(rows, draft.source, draft.said) if fault not in faults]
    yield from explain_faults(where, more)


def check_value(where: str, quoted: Quoted, item: WrittenFact) -> Iterator[str]:
    """A value stands in the quote and is of the kind that is named."""
    _, reason = find_value(where, quoted, item.value)
    if reason is not None:
        yield reason
        return
    if item.kind in NO_VALUE or item.value is None:
        if item.kind not in NO_VALUE:
            yield f"{where} is of kind {item.kind} and needs the bare value that stands in its quote."
        return
    found = find_kinds(quoted.text, item.value)
    if item.kind in VALUE_KINDS and found and item.kind not in found and found <= set(VALUE_KINDS):
        yield f'{where}: "{item.value}" is of kind {" or ".join(sorted(found))}, not {item.kind}.'


def check_alone(where: str, item: WrittenFact, items: Sequence[WrittenFact]) -> Iterator[str]:
    """A statement holds no value of another fact, unless that is part of its own or it tells what befell whom."""
    for other in items:
        if other is item or not other.value or find_words(item.statement, other.value) is None:
            continue
        is_own = item.value is not None and find_words(item.value, other.value) is not None
        comes_later = ORDER.index(other.disclosure) > ORDER.index(item.disclosure)
        if not is_own and (item.kind not in NO_VALUE or comes_later):
            yield f'{where} states "{other.value}" as well, which is fact {other.fact_id}: state each fact alone.'


def make_fact(draft: Draft, item: WrittenFact, made_by: str) -> Fact:
    """The row of a fact under the model's own number; of a quote and a value the source's words are kept."""
    quoted = None if item.is_inferred else find_quote(draft, "", item)
    quoted = quoted if isinstance(quoted, Quoted) else None
    value = find_value("", quoted, item.value)[0] if quoted and item.kind not in NO_VALUE else None
    return Fact(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by or "unknown",
        fact_id=item.fact_id,
        kind=item.kind,
        statement=item.statement.strip(),
        value=value,
        post_id=quoted.find_post(value) if quoted else None,
        quote=quoted.text if quoted else None,
        turn_index=quoted.turn.turn_index if quoted else None,
        disclosure=settle_disclosure(draft, item, quoted),
        is_customer_only=decide_customer_only(item),
        is_inferred=item.is_inferred,
    )


def settle_disclosure(draft: Draft, item: WrittenFact, quoted: Quoted | None) -> Disclosure:
    """How a fact comes out; see the module's definition. Nobody posted what is inferred, so it is never an opening."""
    is_opening = quoted is not None and any(turn.turn_index == quoted.turn.turn_index for turn in draft.opening)
    ruled = decide_disclosure(item.kind, quoted.text if quoted else item.statement, is_opening=is_opening)
    return ruled if is_opening else find_latest([ruled, item.disclosure])


def decide_customer_only(item: WrittenFact) -> bool:
    """Whether the company cannot know it: if either the model or the rules say so, but never of what it issued."""
    if item.kind in ON_FILE:
        return False
    return item.is_customer_only or is_customer_only(item.kind, item.quote or item.statement)
