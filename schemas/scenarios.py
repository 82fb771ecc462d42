"""Records of the scenarios group: the generated parts of a scenario, their checks, and the released set.

Belongs here: what each part holds and how it points to its evidence. A scenario's id comes from its dialogue alone, so
the parts are keyed by it from the start. Not here: the rules or prompts that make them.
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.industry import EntitlementKind, FactKind, FieldType
from schemas.records import Count, Digest, Id, Record, Reference, Share, Table
from schemas.review import Decided

Actor = Literal["customer", "company", "other"]
Disclosure = Literal["opening", "when_asked", "when_heard"]
Level = Literal["low", "medium", "high"]
Part = Literal["event", "severity", "background", "fact", "expectation", "case_record"]
RejectionReason = Literal[
    "no_events",
    "too_few_facts",
    "ungrounded",
    "recoded_differently",
    "recoded_unassigned",
    "no_company_reply",
    "task_failed",
    "taken_out",
]
Split = Literal["train", "evaluation"]

_CANDIDATE = Reference(("scenario_id",), "candidate", ("scenario_id",))


class PartRecord(Record):
    """Columns that every generated part carries."""

    industry: Id = Field(description="Industry of the account.")
    scenario_id: Id = Field(description="Scenario, derived from its source dialogue alone.")
    made_by: Id = Field(description="`offline` for the rules that need no model, else the model's name.")


class Event(PartRecord):
    """One row per event that led to the complaint, in order, up to the account's first reply."""

    table: ClassVar = Table("event", "scenarios", ("scenario_id", "event_index"), (_CANDIDATE,))

    event_index: Count = Field(description="Place in the sequence, from 0.")
    actor: Actor = Field(description="Who acted.")
    text: str = Field(min_length=1, description="What happened, in the third person.")
    when_text: str | None = Field(description="When it happened, in the source's words; missing where it is not said.")
    post_ids: list[str] = Field(description="Posts that the event rests on; empty only when inferred.")
    quote: str | None = Field(description="The stretch of the turn's text it was made from; missing when inferred.")
    is_inferred: bool = Field(description="Whether it is not in the source but follows from it.")


class Severity(PartRecord):
    """One row per scenario: how grave the case is, rated from the events alone."""

    table: ClassVar = Table("severity", "scenarios", ("scenario_id",), (_CANDIDATE,))

    level: Level = Field(description="Low, medium or high.")
    reason: str = Field(min_length=1, description="Why, naming what drove the rating.")
    drivers: list[str] = Field(description="Loss, time, safety, vulnerability or dignity, where they weighed in.")


class Fact(PartRecord):
    """One row per fact that the customer knows, with its evidence and how it comes out."""

    table: ClassVar = Table("fact", "scenarios", ("scenario_id", "fact_id"), (_CANDIDATE,))

    fact_id: Id = Field(description="Fact, unique within the scenario, in the order of the source.")
    kind: FactKind = Field(description="What sort of fact it is.")
    statement: str = Field(min_length=1, description="The fact as the customer would say it, in the first person.")
    value: str | None = Field(description="The bare value (an amount, a flight number, a token), where there is one.")
    post_id: Id | None = Field(description="Post that says it; missing when inferred.")
    quote: str | None = Field(description="The words of that turn that say it; missing when inferred.")
    turn_index: Count | None = Field(description="Turn that says it; missing when inferred.")
    disclosure: Disclosure = Field(
        description="At the opening, when asked, or only when the customer feels taken seriously (`when_heard`)."
    )
    is_customer_only: bool = Field(description="Whether the company's systems cannot know it.")
    is_inferred: bool = Field(description="Whether it is not in the source but follows from it.")


class BackgroundSentence(PartRecord):
    """One row per sentence of the customer's background, told in the first person, tagged with the facts it tells."""

    table: ClassVar = Table("background", "scenarios", ("scenario_id", "sentence_index"), (_CANDIDATE,))

    sentence_index: Count = Field(description="Place in the background, from 0.")
    topic: Literal["identity", "experience", "practical_impact", "emotional_impact"] = Field(
        description="What the sentence is about."
    )
    text: str = Field(min_length=1, description="The sentence.")
    fact_ids: list[str] = Field(description="Facts that it tells.")
    disclosure: Disclosure = Field(description="The latest disclosure of its facts.")
    is_inferred: bool = Field(description="Whether it is not in the source but follows from it.")


class Expectation(PartRecord):
    """One row per scenario: what would put it right, and what would be an insult."""

    table: ClassVar = Table("expectation", "scenarios", ("scenario_id",), (_CANDIDATE,))

    explanation: str | None = Field(description="What the customer wants explained; missing where nothing.")
    action: str = Field(min_length=1, description="What the customer wants done.")
    apology: str | None = Field(description="The apology that would count; missing where none is looked for.")
    compensation_min_usd: float = Field(
        ge=0, description="Least goodwill that would satisfy, USD; 0 where none is needed."
    )
    compensation_max_usd: float = Field(ge=0, description="Most that the customer would hope for, USD.")
    insult: str = Field(min_length=1, description="What would make it worse.")
    is_loss_money: bool = Field(
        description="Whether the loss is money, so that no outcome without money is acceptable."
    )
    post_ids: list[str] = Field(description="Posts in which the customer asks for it; empty when inferred.")
    is_inferred: bool = Field(
        description="Whether the customer never said so and it follows from category and severity."
    )


class CaseFieldRow(PartRecord):
    """One row per field of the company's case record that is on file."""

    table: ClassVar = Table("case_field", "scenarios", ("scenario_id", "field_id"), (_CANDIDATE,), may_be_empty=True)

    field_id: Id = Field(description="Field of the industry's case record.")
    title: Id = Field(description="Name of the field as the agent reads it.")
    type: FieldType = Field(description="Type of the value.")
    shown: str | None = Field(description="Value the agent sees; missing when a stale update never arrived.")
    truth: str = Field(min_length=1, description="True value; never shown to the agent.")
    is_stale: bool = Field(description="Whether `shown` differs from the truth.")
    stale_cause: str | None = Field(description="Why the field is out of date; missing where it is not.")
    fact_id: Id | None = Field(description="Fact that it was filled from; missing for a value read from the events.")
    post_ids: list[str] = Field(description="Posts that the true value rests on.")


class CasePolicy(PartRecord):
    """One row per policy that applies to the scenario."""

    table: ClassVar = Table("case_policy", "scenarios", ("scenario_id", "policy_id"), (_CANDIDATE,))

    policy_id: Id = Field(description="Policy of the industry.")
    title: Id = Field(description="Title of the policy.")
    text: str = Field(min_length=1, description="The policy as the agent reads it.")
    entitlement_kind: EntitlementKind | None = Field(description="What is owed under it; missing where nothing is.")
    entitlement_limit_usd: float | None = Field(ge=0, description="Limit of what is owed, USD; missing without one.")


class GroundingFailure(PartRecord):
    """One row per stretch of generated text that the source does not support or contradicts."""

    table: ClassVar = Table(
        "grounding_failure", "scenarios", ("scenario_id", "failure_index"), (_CANDIDATE,), may_be_empty=True
    )

    failure_index: Count = Field(description="Number of the failure within the scenario, from 0.")
    part: Part = Field(description="Part in which it was found.")
    check: Id = Field(description="Check that failed.")
    span: str = Field(description="The offending words.")
    is_accepted: bool = Field(
        description="Whether a person vouched for it, so that it does not keep the scenario out; see "
        "`scenario_decision` for who and why."
    )


class Candidate(PartRecord):
    """One row per complaint that could become a scenario: accepted, or rejected with the reason."""

    table: ClassVar = Table(
        "candidate",
        "scenarios",
        ("scenario_id",),
        (Reference(("dialogue_id",), "dialogue", ("dialogue_id",)),),
    )

    dialogue_id: Id = Field(description="Source dialogue; gives at most one scenario.")
    category_id: Id = Field(description="Category of the source dialogue's coding.")
    stage_id: Id = Field(description="Stage of that category.")
    recoded_category_id: Id | None = Field(
        description="Category that the finished text was coded to by itself: by the head, and where a model settled "
        "the dialogue's by a model too, if the head is in doubt."
    )
    fact_count: Count = Field(description="Facts of the customer.")
    customer_only_count: Count = Field(description="Facts that the company's systems cannot know.")
    is_valid: bool = Field(description="Whether it may enter a release.")
    rejection_reason: RejectionReason | None = Field(description="Why not; missing where it may.")
    edited_parts: list[Part] = Field(description="Parts in which a person's edit stands; see `scenario_decision`.")
    accepted_failures: list[str] = Field(
        description="Failed checks that a person accepted, as `part: check: words`, or `recoding: category`."
    )
    omissions: list[str] = Field(
        description="Why elements of a model's last answer were left out of it, as `task: reason`; mostly none."
    )
    rules_version: Id = Field(description="Version of the rules, or of the prompts, that made it.")
    cost_usd: float | None = Field(
        ge=0, description="What its model calls cost, USD; missing where unknown or offline."
    )


class ScenarioDecision(Decided):
    """One row per decision of a person on a scenario of an industry, or on a cell of it, with what became of it."""

    table: ClassVar = Table("scenario_decision", "scenarios", ("industry", "item_id", "cell"), may_be_empty=True)

    cell: str = Field(
        description="Cell that it is about, such as `event.0.text`; empty where it is about the whole scenario."
    )
    made_text: str | None = Field(
        description="What the rules or the model made of that cell in this build; missing where they left it empty, or "
        "it is no cell with a text."
    )
    open_failures: list[str] = Field(
        description="Checks that the scenario fails in this build, edits laid over it, as `part: check: words`."
    )


class Scenario(PartRecord):
    """One row per released scenario."""

    table: ClassVar = Table(
        "scenario",
        "scenarios",
        ("scenario_id",),
        (
            Reference(("scenario_id",), "candidate", ("scenario_id",)),
            Reference(("dialogue_id",), "dialogue", ("dialogue_id",)),
            Reference(("industry", "category_id"), "category", ("industry", "category_id")),
        ),
        is_partitioned=False,
    )

    dialogue_id: Id = Field(description="Source dialogue.")
    account: Id = Field(description="Care account of the source dialogue.")
    is_sample: bool = Field(description="Whether it comes from the bundled fictional sample.")
    stage_id: Id = Field(description="Stage of the journey.")
    category_id: Id = Field(description="Complaint category.")
    severity: Level = Field(description="How grave the case is.")
    opening: str = Field(min_length=1, description="What the customer posts first, masked.")
    events: str = Field(min_length=1, description="The events as one numbered text.")
    background: str = Field(min_length=1, description="The customer's background as one text, in the first person.")
    expectation: str = Field(min_length=1, description="What would put it right, as one text.")
    case_record: str = Field(min_length=1, description="The company's record as the agent sees it, one field a line.")
    goodwill_limit_usd: float = Field(ge=0, description="Discretionary goodwill limit of the agent, USD.")
    split: Split = Field(description="Fixed side: training, or evaluation.")
    cluster_id: Id = Field(
        description="Near-duplicates and one author's dialogues share it, also by way of one left out; statistics "
        "cluster by it."
    )
    inclusion_probability: float = Field(
        gt=0,
        le=1,
        description="Chance that it was drawn from the valid candidates of its category, of near-duplicates one.",
    )
    content_sha256: Digest = Field(
        description="SHA-256 of all parts and the map version; changes when any of them does."
    )
    map_version: Count = Field(description="Version of the journey map.")
    rules_version: Id = Field(description="Version of the rules, or of the prompts, that made it.")
    seed: int = Field(description="Seed of every choice left to chance.")
    cost_usd: float | None = Field(
        ge=0, description="What its model calls cost, USD; missing where unknown or offline."
    )
    post_ids: list[str] = Field(min_length=1, description="Source posts.")
    edited_parts: list[Part] = Field(description="Parts in which a person's edit stands; see `scenario_decision`.")
    accepted_failures: list[str] = Field(
        description="Failed checks that a person accepted, as `part: check: words`, or `recoding: category`."
    )


class NearDuplicate(Record):
    """One row per valid candidate that is left out of the release, for another one says nearly the same."""

    table: ClassVar = Table(
        "near_duplicate",
        "scenarios",
        ("scenario_id",),
        (_CANDIDATE, Reference(("kept_scenario_id",), "candidate", ("scenario_id",))),
        may_be_empty=True,
        is_partitioned=False,
    )

    industry: Id = Field(description="Industry of the account.")
    scenario_id: Id = Field(description="Scenario that is left out.")
    kept_scenario_id: Id = Field(description="The one of its group that may be released, whether or not it is drawn.")
    cosine: float = Field(ge=-1, le=1, description="Cosine of what the two tell, without brands, values and numbers.")
    overlap: Share = Field(
        description="Share of their word pairs that both have. Where neither is high, the customers' words are the "
        "same, or others of the group stand between the two."
    )


class ScenarioDiversity(Record):
    """One row per measure of how varied the released scenarios are, in a category, in an industry and in all."""

    table: ClassVar = Table(
        "scenario_diversity", "scenarios", ("industry", "category_id", "measure"), is_partitioned=False
    )

    industry: Id = Field(description="Industry, or `all`.")
    category_id: Id = Field(description="Category, or `all` for all of the industry.")
    measure: Id = Field(description="Name of the measure.")
    title: str = Field(min_length=1, description="What is measured, in words.")
    scenario_count: Count = Field(description="Scenarios that it was measured on.")
    value: float = Field(description="The value.")
    detail: str | None = Field(description="What is meant, such as the most frequent phrase; missing where nothing is.")
    bound: float | None = Field(description="Value at which the set counts as alike; missing where there is no bound.")
    is_flagged: bool = Field(description="Whether it counts as alike and a person should look.")
