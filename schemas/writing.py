"""What a model must answer in each of the five tasks that write a scenario.

Belongs here: the form of an answer, which a model sees as JSON schema; descriptions are written for it. Not here: the
rows that follow from an answer (`schemas/scenarios.py`), or what is checked beyond the form.

Where an answer leans on the source, the turn and the quote come before what is said, so that a model that writes from
left to right looks first and tells afterwards.
"""

from typing import Literal

from pydantic import Field

from schemas.industry import FactKind
from schemas.records import Count, Maybe, Strict
from schemas.scenarios import Actor, Disclosure, Level

Driver = Literal["loss", "time", "safety", "vulnerability", "dignity"]
Topic = Literal["identity", "experience", "practical_impact", "emotional_impact"]

MAX_EVENTS = 12
MAX_FACTS = 30
MAX_SENTENCES = 30


class WrittenEvent(Strict):
    """One thing that happened, and where the dialogue says so."""

    turn: Count | None = Field(description="Number of the turn that says it; null only for an inferred event.")
    quote: Maybe = Field(
        description="The words of that turn that say it, copied letter by letter; null only for an inferred event."
    )
    is_inferred: bool = Field(description="True when no turn says it and it follows from what they say.")
    when_text: Maybe = Field(description="When it happened, copied from the turn; null where the turn names no time.")
    actor: Actor = Field(description="Who acted: the customer, the company, or other for anybody and anything else.")
    text: str = Field(min_length=1, description="What happened: one sentence, third person, past tense.")


class EventsAnswer(Strict):
    """What happened, in the order in which it happened, up to the company's first reply."""

    events: list[WrittenEvent] = Field(
        max_length=MAX_EVENTS, description="The events; empty only where the customer reports nothing that happened."
    )


class SeverityAnswer(Strict):
    """How grave the case is."""

    drivers: list[Driver] = Field(max_length=5, description="What weighs in this case, the weightiest first.")
    level: Level = Field(description="Low, medium or high.")
    reason: str = Field(min_length=1, description="Why, in one sentence that names the event behind each driver.")


class WrittenFact(Strict):
    """One thing that the customer knows, and where the customer says so."""

    fact_id: str = Field(pattern=r"^f[0-9]{1,2}$", description="f1, f2, f3 and so on.")
    turn: Count | None = Field(description="Number of the customer's turn that says it; null only when inferred.")
    quote: Maybe = Field(
        description="The words of that turn that say it, copied letter by letter; null only when inferred."
    )
    is_inferred: bool = Field(description="True when no turn says it and it follows from what they say.")
    kind: FactKind = Field(description="What sort of fact it is.")
    value: Maybe = Field(
        description="The bare value inside the quote, copied letter by letter; null where the fact has none."
    )
    statement: str = Field(min_length=1, description="This fact alone, one sentence, as the customer would say it: I.")
    is_customer_only: bool = Field(description="True when no system of the company can know it.")
    disclosure: Disclosure = Field(description="Where in a conversation the customer would come out with it.")


class WrittenSentence(Strict):
    """One sentence of the customer's background."""

    fact_ids: list[str] = Field(description="Every fact that the sentence tells; empty only for an inferred one.")
    topic: Topic = Field(description="What the sentence is about.")
    text: str = Field(min_length=1, description="The sentence, first person: I, my, we.")


class BackgroundAnswer(Strict):
    """What the customer knows, fact by fact, and the customer's background told from these facts."""

    facts: list[WrittenFact] = Field(max_length=MAX_FACTS, description="The facts in the order of the dialogue.")
    sentences: list[WrittenSentence] = Field(
        min_length=1, max_length=MAX_SENTENCES, description="The background, told from these facts and nothing else."
    )


class WrittenRequest(Strict):
    """A place at which the customer asks for something."""

    turn: Count = Field(description="Number of the customer's turn.")
    quote: str = Field(min_length=1, description="The words that ask for it, copied letter by letter.")


class ExpectationAnswer(Strict):
    """What would put it right for the customer."""

    requests: list[WrittenRequest] = Field(
        max_length=6, description="Where the customer asks for it; empty where the customer asks for nothing."
    )
    action: str = Field(min_length=1, description="What the customer wants done, in one sentence, third person.")
    explanation: Maybe = Field(description="What the customer wants explained, third person; null where nothing.")
    apology: Maybe = Field(description="The apology that would count, third person; null where none is wanted.")
    is_loss_money: bool = Field(description="True when the customer has lost money, so that only money makes it good.")
    compensation_min_usd: float = Field(
        ge=0, le=200, description="Least goodwill in USD that would satisfy; 0 unless the loss is money."
    )
    compensation_max_usd: float = Field(ge=0, le=200, description="Most goodwill in USD that the customer hopes for.")
    insult: str = Field(min_length=1, description="What the company could say or do that would make it worse.")


class WrittenField(Strict):
    """One field of the company's record."""

    field_id: str = Field(min_length=1, description="Id of the field, as the form has it.")
    turn: Count = Field(description="Number of the turn that says it, of the customer or the company.")
    quote: str = Field(min_length=1, description="The words of that turn that say it, copied letter by letter.")
    truth: str = Field(
        min_length=1, description="The value: one of the field's choices, or the value copied letter by letter."
    )
    fact_id: Maybe = Field(description="The fact with this value, from the list; null where there is none.")


class CaseRecordAnswer(Strict):
    """What the company's systems hold about the case: only fields that the dialogue fills."""

    fields: list[WrittenField] = Field(max_length=40, description="The fields that are filled, each once.")
