"""The customer's background in the first person, each sentence tagged with the facts that it tells.

Belongs here: order and topic of the sentences, and the two modest inferred ones. Not here: the facts themselves.
"""

import hashlib
import re
from collections.abc import Sequence
from typing import Literal

from schemas.scenarios import BackgroundSentence, Disclosure, Fact, Severity
from servicebench_data.scenarios import cues
from servicebench_data.scenarios.facts import find_latest

Topic = Literal["identity", "experience", "practical_impact", "emotional_impact"]
Row = tuple[Topic, str, list[Fact]]
#: Feelings that follow from what happened, by the main driver of the severity and by its level; modest, since nobody
#: told them. Which of several is taken is decided by a hash of the scenario.
_FEELINGS: dict[str, tuple[str, ...]] = {
    "loss": (
        "I feel let down by all this.",
        "I did not expect to come out of this worse off.",
        "It bothers me that this was left for me to sort out.",
        "I would like to know that this will be made good.",
    ),
    "time": (
        "I am worn out by the waiting.",
        "I feel that my time counts for nothing here.",
        "I have run out of patience with this.",
        "I would rather have been told early than kept waiting.",
    ),
    "safety": (
        "I am still shaken, and I want someone to look into it.",
        "I do not feel safe with this as it stands.",
        "It worries me that this could happen to someone else.",
    ),
    "vulnerability": (
        "I am upset that so little care was taken.",
        "It is hard to see how little was done for someone who needed help.",
        "I expected more care in a case like this.",
    ),
    "dignity": (
        "I feel that I was treated without respect.",
        "I did not deserve to be dealt with like that.",
        "The way it was handled bothers me more than anything else.",
    ),
    "low": (
        "I am annoyed by this.",
        "It is not the end of the world, but it should not happen.",
        "I find this rather poor.",
        "It is a nuisance, and I would like it sorted out.",
        "I expected better than this.",
        "It is a small thing, but it spoils the impression.",
    ),
}
#: Said in grave cases after any driver but danger.
_GRAVE = ("I am at the end of my tether.", "I find it hard to stay calm about this.")
TOPICS: tuple[Topic, ...] = ("identity", "experience", "practical_impact", "emotional_impact")
_IDENTITY = re.compile(
    r"\b(?:I am|I have been|we are|we have been|as) (?:an? |your |their |one of (?:your|their) )(?:\w+ )"
    r"{0,3}?(?:customers?|members?|flyers?|fliers?|traveler|traveller|guests?|user|passenger|driver|student|"
    r"nurse|teacher|veteran|mother|mom|father|"
    r"pensioner|senior|medallion|elite|cardholder|fan)\b|\bI (?:fly|travel|stay|shop|order|eat|use|live|work)"
    r"\b|\b(?:gold|silver|platinum|diamond|elite|medallion) (?:member|status)\b|\bloyal\b|\bmy (?:booking "
    r"reference|order number|membership number) is\b",
    re.IGNORECASE,
)


def tell_background(facts: Sequence[Fact], severity: Severity, brand: str) -> list[BackgroundSentence]:
    """Sentences of the background: who the customer is, what they lived through, and what it did to them.

    Args:
        facts: All facts of the scenario; there is at least one.
        severity: The rating; its first driver colours the feeling that is inferred where none was told.
        brand: Name of the company as the customer would say it.
    """
    statements: dict[str, list[Fact]] = {}
    for fact in facts:
        statements.setdefault(fact.statement, []).append(fact)
    told: list[Row] = [(find_topic(statement, group), statement, group) for statement, group in statements.items()]
    rows: list[Row] = []
    if not any(
        topic == "identity" and "number is" not in statement and "reference is" not in statement
        for topic, statement, _ in told
    ):
        rows.append(("identity", f"I am a customer of {brand}.", []))
    rows += sorted(told, key=lambda row: TOPICS.index(row[0]))
    if not any(topic == "emotional_impact" for topic, _, _ in told):
        rows.append(("emotional_impact", choose_feeling(severity), []))
    return [_make_sentence(facts[0], index, *row) for index, row in enumerate(rows)]


def choose_feeling(severity: Severity) -> str:
    """A modest feeling that fits the rating; always the same one for the same scenario."""
    driver = severity.drivers[0] if severity.drivers else "low"
    choices = _FEELINGS[driver]
    if severity.level == "high" and driver in {"loss", "time"}:
        choices = (*choices, *_GRAVE)
    digest = hashlib.sha256(f"feeling:{severity.scenario_id}".encode()).digest()
    return choices[int.from_bytes(digest[:4], "big") % len(choices)]


def find_topic(statement: str, facts: Sequence[Fact]) -> Topic:
    """What a statement is about."""
    if _IDENTITY.search(statement) and not cues.is_staff_statement(statement):
        return "identity"
    is_impact = any(fact.kind == "impact" for fact in facts)
    if is_impact and cues.is_emotional(statement) and len(facts) == 1:
        return "emotional_impact"
    return (
        "practical_impact"
        if is_impact and all(fact.kind in {"impact", "person_role"} for fact in facts)
        else "experience"
    )


def latest_disclosure(facts: Sequence[Fact], topic: Topic) -> Disclosure:
    """The latest disclosure of the facts; an inferred identity is plain from the start, an inferred feeling is not."""
    if not facts:
        return "opening" if topic == "identity" else "when_heard"
    return find_latest(fact.disclosure for fact in facts)


def _make_sentence(model: Fact, index: int, topic: Topic, text: str, facts: list[Fact]) -> BackgroundSentence:
    return BackgroundSentence(
        industry=model.industry,
        scenario_id=model.scenario_id,
        made_by="offline",
        sentence_index=index,
        topic=topic,
        text=text,
        fact_ids=[fact.fact_id for fact in facts],
        disclosure=latest_disclosure(facts, topic),
        is_inferred=not facts,
    )
