"""The task that lists what the customer knows, fact by fact, and tells the background from these facts.

Belongs here: what is asked, the sentences, and the rows of both. Not here: what is checked on a fact (`facts.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from schemas.scenarios import BackgroundSentence, Fact, RejectionReason
from schemas.writing import BackgroundAnswer, WrittenFact, WrittenSentence
from servicebench_data.scenarios.assembly import MIN_FACTS
from servicebench_data.scenarios.background import TOPICS, find_topic, latest_disclosure
from servicebench_data.scenarios.grounding import check_background, check_text
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.tidying import leave_out_names
from servicebench_data.scenarios.writing.drafts import Draft
from servicebench_data.scenarios.writing.facts import check_all_facts, keep_facts, list_kinds, make_fact
from servicebench_data.scenarios.writing.quotes import number_turns
from servicebench_data.scenarios.writing.reasons import (
    check_first_person,
    check_length,
    check_whole,
    drop_repeats,
    explain_faults,
    find_repeats,
)
from servicebench_data.scenarios.writing.stage import Stage, make_task

MAX_INFERRED = 2
#: What nobody told may be who the customer is and how it feels, and nothing that happened.
INFERABLE = frozenset({"identity", "emotional_impact"})


def describe(draft: Draft) -> Mapping[str, str]:
    """Variables of the prompt: the whole dialogue."""
    return {
        "company": draft.knowledge.company,
        "brand": draft.brand,
        "kinds": list_kinds(),
        "turns": number_turns(draft.source.turns, draft.opening),
    }


def check(draft: Draft, answer: BackgroundAnswer) -> Iterator[str]:
    """Why facts or sentences are refused."""
    yield from check_all_facts(draft, answer)
    facts = {item.fact_id: make_fact(draft, item, "") for item in answer.facts}
    for number, item in enumerate(answer.sentences, 1):
        yield from check_sentence(draft, f"sentence {number}", item, facts)
    yield from find_repeats("sentences", (item.text for item in answer.sentences))
    told = {name for item in answer.sentences for name in item.fact_ids}
    for name in facts:
        if name not in told:
            yield f"no sentence tells fact {name}: name it in the sentence that tells it, or leave the fact out."
    inferred = sum(not item.fact_ids for item in answer.sentences)
    if inferred > MAX_INFERRED:
        yield f"{inferred} sentences have no fact: at most {MAX_INFERRED} may; tell facts, or leave them out."


def trim(draft: Draft, answer: BackgroundAnswer) -> BackgroundAnswer | None:
    """The facts that pass, and the sentences that pass with them, without hidden names.

    A fact that none of the sentences tells tells itself.
    """
    answer = leave_names_out(answer)
    kept = keep_facts(draft, answer.facts)
    facts = {item.fact_id: make_fact(draft, item, "") for item in kept}
    sentences = drop_repeats(
        item for item in answer.sentences if not any(check_sentence(draft, "sentence", item, facts))
    )
    inferred = [item for item in sentences if not item.fact_ids][:MAX_INFERRED]
    sentences = [item for item in sentences if item.fact_ids or item in inferred]
    told = {name for item in sentences for name in item.fact_ids}
    sentences += [tell_alone(item, facts[item.fact_id]) for item in kept if item.fact_id not in told]
    sentences.sort(key=lambda item: TOPICS.index(item.topic))
    return BackgroundAnswer(facts=kept, sentences=sentences) if kept else None


def leave_names_out(answer: BackgroundAnswer) -> BackgroundAnswer:
    """The answer without names that masking hid, where its texts do without them."""
    facts = [item.model_copy(update={"statement": leave_out_names(item.statement)}) for item in answer.facts]
    sentences = [item.model_copy(update={"text": leave_out_names(item.text)}) for item in answer.sentences]
    return BackgroundAnswer(facts=facts, sentences=sentences)


def tell_alone(item: WrittenFact, fact: Fact) -> WrittenSentence:
    """A fact's own statement as a sentence."""
    topic = find_topic(item.statement, [fact])
    return WrittenSentence(fact_ids=[item.fact_id], topic=topic, text=item.statement)


def check_sentence(draft: Draft, where: str, item: WrittenSentence, facts: Mapping[str, Fact]) -> Iterator[str]:
    """A sentence is the customer's, tells facts that exist, and holds no value that they do not hold."""
    yield from check_first_person(where, item.text)
    yield from check_length(where, item.text)
    yield from check_whole(where, item.text)
    unknown = [name for name in item.fact_ids if name not in facts]
    if unknown:
        yield f"{where} names {', '.join(unknown)}, which is none of the facts: {', '.join(facts)}."
        return
    if not item.fact_ids and item.topic not in INFERABLE:
        yield f"{where} has no fact: only who the customer is and how it feels may be told without one."
    told = [facts[name] for name in item.fact_ids]
    evidence = draft.gather([text for fact in told for text in (fact.statement, fact.quote or "")])
    faults = list(check_text("background", item.text, evidence))
    yield from explain_faults(where, faults, "the facts that it names")
    rows = replace(
        draft.parts, facts=list(facts.values()), background=[make_sentence(draft, item, told, index=0, made_by="")]
    )
    more = [fault for fault in check_background(rows, draft.said) if fault not in faults]
    yield from explain_faults(where, more)


def make_sentence(
    draft: Draft, item: WrittenSentence, facts: Sequence[Fact], *, index: int, made_by: str
) -> BackgroundSentence:
    """The row of a sentence; it comes out with the last of its facts."""
    return BackgroundSentence(
        industry=draft.knowledge.industry.id,
        scenario_id=draft.source.scenario_id,
        made_by=made_by or "unknown",
        sentence_index=index,
        topic=item.topic,
        text=item.text.strip(),
        fact_ids=[fact.fact_id for fact in facts],
        disclosure=latest_disclosure(facts, item.topic),
        is_inferred=not facts,
    )


def add(draft: Draft, answer: BackgroundAnswer, made_by: str) -> Parts:
    """The parts with facts and sentences, the facts numbered anew in the order of the source."""
    facts = number_facts(draft, [make_fact(draft, item, made_by) for item in answer.facts])
    rows = [
        make_sentence(draft, item, [facts[name] for name in dict.fromkeys(item.fact_ids)], index=index, made_by=made_by)
        for index, item in enumerate(answer.sentences)
    ]
    return replace(draft.parts, facts=list(facts.values()), background=rows)


def number_facts(draft: Draft, facts: Sequence[Fact]) -> dict[str, Fact]:
    """Facts in the order of the source, the inferred ones last, by the model's numbers."""
    places = {fact.fact_id: find_place(draft, fact) for fact in facts}
    ordered = sorted(facts, key=lambda fact: (*places[fact.fact_id], int(fact.fact_id[1:])))
    return {fact.fact_id: fact.model_copy(update={"fact_id": f"f{index}"}) for index, fact in enumerate(ordered, 1)}


def find_place(draft: Draft, fact: Fact) -> tuple[int, int]:
    """Turn and character at which a fact stands."""
    if fact.turn_index is None or fact.quote is None:
        return len(draft.source.turns), 0
    start = draft.turns[fact.turn_index].text.find(fact.quote)
    return fact.turn_index, start + (max(0, fact.quote.find(fact.value)) if fact.value else 0)


def settle(parts: Parts) -> RejectionReason | None:
    """A customer who knows next to nothing makes no scenario."""
    return None if len(parts.facts) >= MIN_FACTS else "too_few_facts"


BACKGROUND = Stage(make_task("background", BackgroundAnswer), describe, check, add, settle, trim)
