"""Checks that the generated parts say nothing that the source does not.

Each failure names the part, the check and the offending words.

Belongs here: which parts are held against which evidence, whoever made them, rules or a model. Not here: the index of
the source (`evidence`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.scenarios import GroundingFailure, Part
from servicebench_data.scenarios.evidence import Evidence, gather, has_negation
from servicebench_data.scenarios.parts import Knowledge, Parts, Source
from servicebench_data.scenarios.reading import SourceTurn

Fault = tuple[Part, str, str]
_PLATFORM = re.compile(
    r"@\w*|#\w+|https?://\S*|\[(?:link|customer|user-\d+)\]|\bDM'?s?\b|\b(?i:pls|plz)\b|[\U0001f000-\U0001faff☀-➿]"
)
_SHOUT = re.compile(r"\b[A-Z]{4,}\b(?:\W+\b[A-Z]{4,}\b)+")
_ORDER = ("opening", "when_asked", "when_heard")


def check_parts(parts: Parts, source: Source, knowledge: Knowledge) -> list[GroundingFailure]:
    """All failures of a candidate's parts, in a fixed order, each once."""
    evidence = gather([turn.text for turn in source.turns], knowledge.brands.values())
    faults = [
        *check_events(parts, source, evidence),
        *check_severity(parts, evidence),
        *check_facts(parts, source, evidence),
        *check_background(parts, evidence),
        *check_expectation(parts, source, knowledge, evidence),
        *check_case_record(parts, source, knowledge, evidence),
    ]
    return [
        GroundingFailure(
            industry=parts.candidate.industry,
            scenario_id=parts.candidate.scenario_id,
            made_by=parts.candidate.made_by,
            failure_index=index,
            part=part,
            check=check,
            span=span,
        )
        for index, (part, check, span) in enumerate(dict.fromkeys(faults))
    ]


def check_text(part: Part, text: str, evidence: Evidence) -> Iterator[Fault]:
    """Faults of one generated text: values that the source does not hold, and leftovers of the platform."""
    yield from _blame(part, evidence.find_faults(text))
    for pattern in (_PLATFORM, _SHOUT):
        yield from _blame(part, (("platform", match.group()) for match in pattern.finditer(text)))


def _blame(part: Part, faults: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    for check, span in faults:
        yield part, check, span


def check_quote(part: Part, text: str, quote: str, turns: Sequence[SourceTurn]) -> Iterator[Fault]:
    """Faults of a text against the quote it was made from: the quote is in the turns, and both deny or both affirm."""
    if not any(quote in turn.text for turn in turns):
        yield part, "quote", quote
    elif has_negation(text) != has_negation(quote):
        yield part, "negation", text


def check_events(parts: Parts, source: Source, evidence: Evidence) -> Iterator[Fault]:
    """Events are in the source, before the account's first reply, or marked inferred."""
    opening = list_opening(source.turns)
    for event in parts.events:
        if event.is_inferred:
            continue
        yield from check_text("event", event.text, evidence)
        yield from check_quote("event", event.text, event.quote or "(no quote)", opening)
        if event.when_text is not None:
            yield from check_text("event", event.when_text, evidence)
        yield from _blame("event", (("post", post) for post in event.post_ids if post not in list_posts(opening)))
        if not event.post_ids:
            yield "event", "post", event.text


def list_opening(turns: Sequence[SourceTurn]) -> list[SourceTurn]:
    """The customer's turns before the account's first reply to them."""
    opening: list[SourceTurn] = []
    for turn in turns:
        if turn.role == "customer":
            opening.append(turn)
        elif opening:
            break
    return opening


def list_posts(turns: Sequence[SourceTurn]) -> set[str]:
    """Ids of all posts of the turns."""
    return {post for turn in turns for post in turn.post_ids}


def check_severity(parts: Parts, evidence: Evidence) -> Iterator[Fault]:
    """The reason names no value that the source lacks."""
    if parts.severity is not None:
        yield from check_text("severity", parts.severity.reason, evidence)


def check_facts(parts: Parts, source: Source, evidence: Evidence) -> Iterator[Fault]:
    """Every fact that is not inferred has its quote in the turn it names, and its value in the source."""
    turns = {turn.turn_index: turn for turn in source.turns}
    for fact in parts.facts:
        if fact.is_inferred:
            continue
        turn = turns.get(fact.turn_index if fact.turn_index is not None else -1)
        if turn is None or turn.role != "customer" or fact.post_id not in turn.post_ids:
            yield "fact", "post", fact.fact_id
            continue
        yield from check_text("fact", fact.statement, evidence)
        yield from check_quote(
            "fact", fact.statement if fact.value is None else fact.quote or "", fact.quote or "(no quote)", [turn]
        )
        if fact.value is not None and fact.value not in turn.text:
            yield "fact", "value", fact.value


def check_background(parts: Parts, evidence: Evidence) -> Iterator[Fault]:
    """Sentences are grounded or inferred, tag facts that exist, and do not come out before their facts."""
    facts = {fact.fact_id: fact for fact in parts.facts}
    for sentence in parts.background:
        if not sentence.is_inferred:
            yield from check_text("background", sentence.text, evidence)
            if not sentence.fact_ids:
                yield "background", "no_fact", sentence.text
        for fact_id in sentence.fact_ids:
            if fact_id not in facts:
                yield "background", "unknown_fact", fact_id
            elif _ORDER.index(sentence.disclosure) < _ORDER.index(facts[fact_id].disclosure):
                yield "background", "disclosure", sentence.text


def check_expectation(parts: Parts, source: Source, knowledge: Knowledge, evidence: Evidence) -> Iterator[Fault]:
    """Its words are in the source or the category's remedies; without a loss of money no money is needed."""
    expectation = parts.expectation
    if expectation is None:
        return
    action = expectation.action
    if expectation.is_inferred:
        for remedy in knowledge.categories[source.category_id].remedies:
            action = action.replace(remedy, "")
    yield from check_text("expectation", action, evidence)
    yield from _blame(
        "expectation", (("post", post) for post in expectation.post_ids if post not in list_posts(source.turns))
    )
    for text in (expectation.explanation, expectation.apology, expectation.insult):
        if text is not None:
            yield from check_text("expectation", text, evidence)
    low, high = expectation.compensation_min_usd, expectation.compensation_max_usd
    if low > high or (low > 0 and not expectation.is_loss_money):
        yield "expectation", "compensation", f"{low} to {high}"


def check_case_record(parts: Parts, source: Source, knowledge: Knowledge, evidence: Evidence) -> Iterator[Fault]:
    """Fields are of the form, true or flagged stale, and give away nothing that only the customer knows."""
    form = {field.id: field for field in knowledge.industry.case_record.fields}
    secrets = {fact.fact_id: fact for fact in parts.facts if fact.is_customer_only}
    values = {fact.value.lower() for fact in secrets.values() if fact.value}
    for row in parts.case_fields:
        field = form.get(row.field_id)
        if field is None:
            yield "case_record", "field", row.field_id
            continue
        if row.fact_id in secrets or (
            field.choices is None and {row.truth.lower(), (row.shown or "").lower()} & values
        ):
            yield "case_record", "customer_only", row.truth
        if field.choices is None:
            yield from check_text("case_record", row.truth, evidence)
            if row.truth not in " ".join(turn.text for turn in source.turns):
                yield "case_record", "truth", row.truth
        elif row.truth not in field.choices:
            yield "case_record", "choice", row.truth
        if (row.shown != row.truth) != row.is_stale or (row.is_stale and row.stale_cause is None):
            yield "case_record", "stale", row.shown or "(missing)"
    yield from check_policies(parts, knowledge)


def check_policies(parts: Parts, knowledge: Knowledge) -> Iterator[Fault]:
    """Policies stand word for word in the industry's book."""
    book = {policy.id: policy for policy in knowledge.industry.policies.policies}
    for row in parts.case_policies:
        policy = book.get(row.policy_id)
        if policy is None or policy.text != row.text:
            yield "case_record", "policy", row.policy_id
