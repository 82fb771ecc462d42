"""Checks that the generated parts say nothing that the source does not.

Each failure names the part, the check and the offending words.

Belongs here: which parts are held against which evidence, whoever made them, rules or a model. Not here: the index of
the source (`evidence`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from schemas.industry import CaseField
from schemas.scenarios import BackgroundSentence, CaseFieldRow, Event, Fact, GroundingFailure, Part
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.actors import find_wrong_doers
from servicebench_data.scenarios.case_record import list_secret_quotes, shows_choice
from servicebench_data.scenarios.denial import find_denials, find_opposites
from servicebench_data.scenarios.evidence import Evidence, find_people, gather
from servicebench_data.scenarios.facts import ORDER
from servicebench_data.scenarios.parts import Knowledge, Parts, Source
from servicebench_data.scenarios.reading import SourceTurn
from servicebench_data.scenarios.swaps import find_swaps
from servicebench_data.scenarios.telling import find_early_facts, find_early_sentences, list_texts

Fault = tuple[Part, str, str]
_PLATFORM = re.compile(
    r"@\w*|#(?!\d+\b)\w+|https?://\S*|\[(?:link|customer|user-\d+)\]|(?<!\[)\b(?:user|person|phone|email|booking|order|loyalty)-\d+\b|\bDM'?s?\b|\b(?i:pls|plz)\b|"
    r"[\U0001f000-\U0001faff☀-➿]"
)
_SHOUT = re.compile(r"\b[A-Z]{4,}\b(?:\W+\b[A-Z]{4,}\b)+")
#: What companies offer; an insult or a wish may name it though nobody did.
_OFFERS = re.compile(r"\b(?:vouchers?|coupons?|gift ?cards?|credits?|points|promo codes?)\b", re.IGNORECASE)
#: Words of a rating that say nothing of the events themselves.
_RATING = frozenset({"low", "high", "lost", "less", "more", "before", "after", "early", "late", "long", "short"})


def check_parts(parts: Parts, source: Source, knowledge: Knowledge) -> list[GroundingFailure]:
    """All failures of a candidate's parts, in a fixed order, each once."""
    evidence = gather([turn.text for turn in source.turns], knowledge.brands.values())
    faults = [
        *check_events(parts, source, evidence),
        *check_severity(parts, source, evidence),
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
            is_accepted=False,
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


def check_quote(part: Part, text: str, quote: str, turns: Sequence[SourceTurn], evidence: Evidence) -> Iterator[Fault]:
    """Faults of a text against the quote it was made from: the quote is in the turns, and both say the same."""
    if not any(quote in turn.text for turn in turns):
        yield part, "quote", quote
    else:
        yield from check_meaning(part, text, quote, evidence)


def check_meaning(part: Part, text: str, source: str, evidence: Evidence) -> Iterator[Fault]:
    """What a text denies, turns round, gives to somebody else or mixes up of the words that it rests on."""
    brands = frozenset(word.lower() for word in evidence.brand_words)
    yield from _blame(part, (("negation", span) for span in find_denials(text, source)))
    yield from _blame(part, (("contradiction", span) for span in find_opposites(text, source)))
    wrong = find_wrong_doers(text, source, brands, is_event=part == "event")
    yield from _blame(part, (("actor", span) for span in wrong))
    yield from _blame(part, (("swapped", span) for span in find_swaps(text, source, evidence.brand_words)))


def check_events(parts: Parts, source: Source, evidence: Evidence) -> Iterator[Fault]:
    """Events are in the source, before the account's first reply; an inferred one names nothing that it lacks."""
    opening = list_opening(source.turns)
    for event in parts.events:
        if event.is_inferred:
            yield from check_text("event", event.text, evidence)
        else:
            yield from check_event(event, opening, evidence)


def check_event(event: Event, opening: Sequence[SourceTurn], evidence: Evidence) -> Iterator[Fault]:
    """An event that is told is in the opening, with its people and values, and says what its quote says."""
    yield from check_text("event", event.text, evidence)
    said = [turn.text for turn in opening]
    yield from _blame("event", evidence.find_values(event.text, said))
    yield from _blame("event", find_people(event.text, said))
    yield from check_quote("event", event.text, event.quote or "(no quote)", opening, evidence)
    if event.when_text is not None:
        yield from check_text("event", event.when_text, evidence)
        yield from _blame("event", evidence.find_values(event.when_text, said))
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


def check_severity(parts: Parts, source: Source, evidence: Evidence) -> Iterator[Fault]:
    """The reason names no value and nobody that the source lacks, and turns nothing of the events round."""
    if parts.severity is None:
        return
    reason = parts.severity.reason
    events = " ".join(text for event in parts.events for text in (event.text, event.quote or ""))
    yield from check_text("severity", reason, evidence)
    yield from _blame("severity", find_people(reason, [turn.text for turn in source.turns]))
    turned = (span for span in find_opposites(reason, events) if span.lower() not in _RATING)
    yield from _blame("severity", (("contradiction", span) for span in turned))


def check_facts(parts: Parts, source: Source, evidence: Evidence) -> Iterator[Fault]:
    """Every fact has its quote in the turn it names, its value in the source, and its time.

    An inferred one names nothing that the source lacks.
    """
    turns = {turn.turn_index: turn for turn in source.turns}
    customer = [turn.text for turn in source.turns if turn.role == "customer"]
    for fact in parts.facts:
        if fact.is_inferred:
            yield from check_text("fact", fact.statement, evidence)
            continue
        turn = turns.get(fact.turn_index if fact.turn_index is not None else -1)
        if turn is None or turn.role != "customer" or fact.post_id not in turn.post_ids:
            yield "fact", "post", fact.fact_id
            continue
        yield from check_fact(fact, turn, customer, evidence)
    opening = (turn.turn_index for turn in list_opening(source.turns))
    yield from _blame("fact", (("early", span) for span in find_early_facts(parts.facts, opening)))
    yield from check_early_telling(parts)


def check_fact(fact: Fact, turn: SourceTurn, customer: Sequence[str], evidence: Evidence) -> Iterator[Fault]:
    """A fact that is told says what its quote says."""
    quote = fact.quote or "(no quote)"
    yield from check_text("fact", fact.statement, evidence)
    yield from _blame("fact", evidence.find_values(fact.statement, [quote]))
    yield from _blame("fact", find_people(fact.statement, customer))
    if fact.value is not None and fact.value.startswith("[") and fact.value not in fact.statement:
        yield "fact", "reference", fact.statement
    yield from check_quote("fact", fact.statement, quote, [turn], evidence)
    if fact.value is not None and fact.value not in turn.text:
        yield "fact", "value", fact.value


def check_early_telling(parts: Parts) -> Iterator[Fault]:
    """No statement holds the value of a fact that comes out later, or stands for such a fact too."""
    for fact in parts.facts:
        for other in parts.facts:
            if fact.disclosure != "opening" and ORDER.index(other.disclosure) > ORDER.index(fact.disclosure):
                if other.value and re.search(rf"(?<!\w){re.escape(other.value)}(?!\w)", fact.statement):
                    yield "fact", "early", other.value
                elif other.statement == fact.statement:
                    yield "fact", "early", fact.statement


def check_background(parts: Parts, evidence: Evidence) -> Iterator[Fault]:
    """Sentences are grounded, tag facts that exist, and do not come out before their facts.

    An inferred one names nothing that the source lacks.
    """
    facts = {fact.fact_id: fact for fact in parts.facts}
    for sentence in parts.background:
        if sentence.is_inferred:
            yield from check_text("background", sentence.text, evidence)
        else:
            yield from check_sentence(sentence, parts.facts, evidence)
        for fact_id in sentence.fact_ids:
            if fact_id not in facts:
                yield "background", "unknown_fact", fact_id
            elif ORDER.index(sentence.disclosure) < ORDER.index(facts[fact_id].disclosure):
                yield "background", "disclosure", sentence.text
    early = find_early_sentences(parts.background, parts.facts, evidence.brands)
    yield from _blame("background", (("early", span) for span in early))


def check_sentence(sentence: BackgroundSentence, facts: Sequence[Fact], evidence: Evidence) -> Iterator[Fault]:
    """A sentence that is told says what its facts say, and no more."""
    texts = list_texts(fact for fact in facts if fact.fact_id in sentence.fact_ids)
    every = list_texts(facts)
    yield from check_text("background", sentence.text, evidence)
    if not texts:
        yield "background", "no_fact", sentence.text
        return
    if sentence.text in texts:
        return
    yield from _blame("background", evidence.find_values(sentence.text, texts))
    yield from _blame("background", find_people(sentence.text, [*texts, *every]))
    yield from check_meaning("background", sentence.text, ". ".join(texts), evidence)


def check_expectation(parts: Parts, source: Source, knowledge: Knowledge, evidence: Evidence) -> Iterator[Fault]:
    """Its words are in the source or the category's remedies; without a loss of money no money is needed."""
    expectation = parts.expectation
    if expectation is None:
        return
    action = expectation.action
    if expectation.is_inferred:
        for remedy in knowledge.categories[source.category_id].remedies:
            action = action.replace(remedy, "")
    yield from check_text("expectation", _OFFERS.sub(" ", action), evidence)
    yield from _blame(
        "expectation", (("post", post) for post in expectation.post_ids if post not in list_posts(source.turns))
    )
    for text in (expectation.explanation, expectation.apology, expectation.insult):
        if text is not None:
            faults = check_text("expectation", _OFFERS.sub(" ", text), evidence)
            yield from (fault for fault in faults if fault[1] != "product")
    low, high = expectation.compensation_min_usd, expectation.compensation_max_usd
    if low > high or (low > 0 and not expectation.is_loss_money):
        yield "expectation", "compensation", f"{low} to {high}"
    said = " ".join(turn.text for turn in source.turns if turn.role == "customer")
    if expectation.is_loss_money and (low == 0 or not cues.speaks_of_money(said)):
        yield "expectation", "loss", "is_loss_money: True"


def check_case_record(parts: Parts, source: Source, knowledge: Knowledge, evidence: Evidence) -> Iterator[Fault]:
    """Fields are of the form, true or flagged stale, and give away nothing that only the customer knows."""
    form = {field.id: field for field in knowledge.industry.case_record.fields}
    said = " ".join(turn.text for turn in source.turns)
    for row in parts.case_fields:
        field = form.get(row.field_id)
        if field is None:
            yield "case_record", "field", row.field_id
            continue
        if is_secret(row, field, parts.facts, said):
            yield "case_record", "customer_only", row.truth
        if field.choices is None:
            yield from check_text("case_record", row.truth, evidence)
            if row.truth not in said:
                yield "case_record", "truth", row.truth
        elif row.truth not in field.choices:
            yield "case_record", "choice", row.truth
        if (row.shown != row.truth) != row.is_stale or (row.is_stale and row.stale_cause is None):
            yield "case_record", "stale", row.shown or "(missing)"
    yield from check_policies(parts, knowledge)


def is_secret(row: CaseFieldRow, field: CaseField, facts: Sequence[Fact], said: str) -> bool:
    """Whether a field gives away what only the customer knows: a secret fact, its value, or words only it quotes."""
    secrets = [fact for fact in facts if fact.is_customer_only]
    if row.fact_id in {fact.fact_id for fact in secrets}:
        return True
    quotes = sorted(list_secret_quotes(facts), key=len, reverse=True)
    rest = said
    for quote in quotes:
        rest = rest.replace(quote, " ")
    if field.choices is not None:
        return any(shows_choice(field, row.truth, quote) for quote in quotes) and not shows_choice(
            field, row.truth, rest
        )
    values = {fact.value.lower() for fact in secrets if fact.value}
    if row.truth in {fact.value for fact in facts if fact.value and not fact.is_customer_only}:
        return False
    is_value = bool({row.truth.lower(), (row.shown or "").lower()} & values)
    return is_value or (row.truth in said and row.truth not in rest)


def check_policies(parts: Parts, knowledge: Knowledge) -> Iterator[Fault]:
    """Policies stand word for word in the industry's book."""
    book = {policy.id: policy for policy in knowledge.industry.policies.policies}
    for row in parts.case_policies:
        policy = book.get(row.policy_id)
        if policy is None or policy.text != row.text:
            yield "case_record", "policy", row.policy_id if policy is None else row.text
