"""Records of the simulation group: conversations between customer and agent, turn by turn, and what was seen in them.

Belongs here: what a conversation holds and what it was made from. Not here: the experiment file (`experiment.py`), the
prompts, or the rules by which anything is decided.
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Digest, Id, Record, Reference, Table

Role = Literal["customer", "agent"]
Style = Literal["assertive_warm", "assertive_cold", "passive_warm", "passive_cold"]
DisclosureMode = Literal["progressive", "full_information"]
Decision = Literal["continue", "accept", "leave"]
#: What the gate reads in an agent's message.
Flag = Literal["acknowledges_harm", "apologises", "checks_facts", "offers_path", "provokes"]
#: Why a fact may come out: it was asked for by name, by an open question, or earned by being taken seriously.
OpenedBy = Literal["asked", "open_question", "earned"]
#: How a fact came out in the customer's message.
DisclosedBy = Literal["opening", "elicited", "volunteered", "early"]
OfferKind = Literal["entitlement", "goodwill_cash", "goodwill_non_cash"]
OfferRelation = Literal["new", "raise", "addition", "alternative"]
#: How a declared offer and its message differ: the message does not say it, or with another figure or none; or it makes
#: an offer that nobody declared.
OfferMismatch = Literal["unsaid", "figure", "undeclared"]
#: What a scripted agent says that it does with a message; the rule engine scores from these alone.
ActKind = Literal[
    "greeted",
    "acknowledged",
    "apologised",
    "asked",
    "checked_record",
    "explained",
    "offered",
    "promised",
    "gave_choice",
    "named_deadline",
    "escalated",
    "refused",
    "blamed",
    "evaded",
    "contradicted",
    "over_promised",
    "repeated_question",
    "closed",
]
#: Enumerated ends. `invalid` is the simulator's doing, `failed` the agent's or an endpoint's.
End = Literal["agreement", "disengagement", "turn_cap", "invalid", "failed"]
EndDetail = Literal[
    "accepted",
    "left",
    "third_party",
    "faded_out",
    "turn_cap",
    "simulator_fault",
    "agent_empty",
    "agent_unparsable",
    "agent_refusal",
    "agent_context_overflow",
    "agent_too_long",
    "agent_unanswered",
    "simulator_unanswered",
    "over_budget",
]
SimulatorFaultKind = Literal[
    "role_flip",
    "invented_fact",
    "early_disclosure",
    "denied_fact",
    "claimed_disclosure",
    "premature_end",
    "unearned_acceptance",
    "repetition",
    "assistant_speech",
    "misread",
    "unanswered",
]

_EXPERIMENT = Reference(("experiment_id",), "experiment", ("experiment_id",))
_CONVERSATION = Reference(("conversation_id",), "conversation", ("conversation_id",))


class ExperimentRow(Record):
    """One row per experiment: what its file says."""

    table: ClassVar = Table("experiment", "simulation", ("experiment_id",), per="experiment")

    experiment_id: Id = Field(description="Name of the experiment: its file's name without the ending.")
    experiment_sha256: Digest = Field(description="SHA-256 of what the file says, defaults filled in.")
    title: str = Field(description="What the experiment is for, as its author put it.")
    definition: str = Field(min_length=2, description="The experiment as JSON, defaults filled in.")
    seed: int = Field(description="Seed of every choice left to chance.")


class Playing(Record):
    """One row per experiment: what else its conversations depend on, written down when they were held."""

    table: ClassVar = Table("playing", "simulation", ("experiment_id",), (_EXPERIMENT,), per="experiment")

    experiment_id: Id = Field(description="Experiment.")
    played_sha256: Digest = Field(
        description="SHA-256 of what the file said then, and of what it brought along, but for title and judges."
    )
    turn_cap: int = Field(ge=1, description="Most exchanges of a conversation, as far as the cap was raised.")
    settings: str = Field(
        min_length=2, description="Settings that decide how models are asked, as JSON; `{}` where none was."
    )
    endpoints: str = Field(
        min_length=2,
        description="Pairs of model and where it was asked, as JSON: the provider's own address or nothing, the "
        "SHA-256 of another address, or that of the model's file.",
    )
    prompts_sha256: str = Field(min_length=2, description="Digest of each prompt file used, as JSON by file name.")
    constants_sha256: Digest = Field(description="SHA-256 of the customer's constants (patience, gate).")
    versions: str = Field(min_length=2, description="Versions of the libraries and of the rules, as JSON.")


class Conversation(Record):
    """One row per conversation: who talked with whom about what, and how it ended."""

    table: ClassVar = Table(
        "conversation",
        "simulation",
        ("conversation_id",),
        (_EXPERIMENT, Reference(("scenario_id",), "scenario", ("scenario_id",))),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Hash of experiment, agent, customer, scenario, style, disclosure, repeat.")
    experiment_id: Id = Field(description="Experiment.")
    scenario_id: Id = Field(description="Scenario that is played.")
    industry: Id = Field(description="Industry of the scenario.")
    agent: Id = Field(description="Agent, by its name in the experiment.")
    agent_made_by: Id = Field(description="Model, callable or endpoint of the agent; `offline` for a scripted one.")
    customer: Id = Field(description="Customer simulator, by its name in the experiment.")
    customer_made_by: Id = Field(description="Model of the customer; `offline` for the rules.")
    gate_made_by: Id = Field(description="Model of the gate; `offline` for the rules.")
    style: Style = Field(description="How the customer communicates.")
    disclosure: DisclosureMode = Field(description="Whether facts come out bit by bit or all in the opening.")
    guidance: Literal["none", "case", "procedure", "case_and_procedure"] = Field(
        description="Advice in the agent's prompt."
    )
    reasoning: Literal["direct", "chain_of_thought", "plan_then_reply", "reflect_then_reply"] = Field(
        description="How the agent is told to reason."
    )
    repeat: Count = Field(description="Number of the repeat, from 0.")
    seed: int = Field(description="Seed of this conversation's last attempt.")
    attempts: int = Field(ge=1, le=3, description="Attempts; a simulator's fault that stayed started it anew.")
    end: End = Field(description="How it ended.")
    end_detail: EndDetail = Field(description="How exactly.")
    end_reason: str = Field(min_length=1, description="Why, in words for a person.")
    exchanges: Count = Field(description="Pairs of customer and agent message.")
    is_valid: bool = Field(description="Whether it may be scored; never left out of counts.")
    is_self_play: bool = Field(description="Whether customer and agent are of one model family.")
    facts_total: Count = Field(description="Customer-only facts that are not in the opening.")
    facts_out: Count = Field(description="Those of them that came out.")
    cost_usd: float | None = Field(ge=0, description="Price of all its calls, USD; missing where one is unknown.")


class MessageRow(Record):
    """One row per message of a conversation's last attempt, in order; the customer begins."""

    table: ClassVar = Table(
        "message",
        "simulation",
        ("conversation_id", "message_index"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    message_index: Count = Field(description="Place in the conversation, from 0; even ones are the customer's.")
    role: Role = Field(description="Who wrote it.")
    made_by: Id = Field(description="Model that wrote it; `offline` for rules and scripts.")
    text: str = Field(description="What was said; empty only for an agent's empty answer.")
    reasoning: str | None = Field(description="The agent's thoughts apart from the message; shown to nobody else.")
    decision: Decision | None = Field(description="What the customer decides; missing for the agent.")
    attitude: int | None = Field(ge=0, le=4, description="Customer's level after this message: 0 calm to 4 hostile.")
    patience: float | None = Field(ge=0, description="Patience left to the customer; 0 walks away.")
    tries: int = Field(ge=1, description="Answers that were asked for until one passed.")


class OfferRow(Record):
    """One row per offer that an agent made, as it stands in its message."""

    table: ClassVar = Table(
        "offer",
        "simulation",
        ("conversation_id", "message_index", "offer_index"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    message_index: Count = Field(description="Agent's message that makes it.")
    offer_index: Count = Field(description="Number of the offer within the message, from 0.")
    kind: OfferKind = Field(description="Owed by policy, goodwill in money or its like, or goodwill in kind.")
    relation: OfferRelation = Field(
        description="A new offer, a raise that replaces an earlier one, an addition, or an alternative: of it and the "
        "one before it in the same message the customer takes one, and the greater stands."
    )
    raises_offer: str | None = Field(description="`message_index:offer_index` of the offer that it takes the place of.")
    amount_usd: float | None = Field(ge=0, description="Worth in USD; missing where neither amount nor table says.")
    policy_id: Id | None = Field(
        description="Policy that it rests on; missing for goodwill, and where the agent names none that there is."
    )
    description: str = Field(min_length=1, description="What is offered.")
    quote: str = Field(description="The words that make the offer; empty where only the structure says it.")
    read_from: Literal["structure", "text"] = Field(description="Whether the agent declared it or it was read.")
    mismatch: OfferMismatch | None = Field(
        description="How declaration and message differ in it: declared and `unsaid`, so that the customer does not "
        "know of it; said with another `figure`, which counts, or with none, so that the customer knows of none; said "
        "and `undeclared`. Missing where they agree, and for an agent that declares no offers."
    )
    is_over_limit: bool = Field(description="Whether goodwill standing after it exceeds the limit; never clipped.")


class GateFlagRow(Record):
    """One row per agent message and flag: whether the gate saw it, and where."""

    table: ClassVar = Table(
        "gate_flag",
        "simulation",
        ("conversation_id", "message_index", "flag"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    message_index: Count = Field(description="Agent's message.")
    flag: Flag = Field(description="What was looked for.")
    is_set: bool = Field(description="Whether it was seen; true only with a quote.")
    quote: str | None = Field(description="The words of the message that show it.")
    made_by: Id = Field(description="Model of the gate; `offline` for the rules.")


class FactOpening(Record):
    """One row per closed fact that an agent's message opened."""

    table: ClassVar = Table(
        "fact_opening",
        "simulation",
        ("conversation_id", "message_index", "fact_id"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    message_index: Count = Field(description="Agent's message that opened it.")
    fact_id: Id = Field(description="Fact of the scenario.")
    opened_by: OpenedBy = Field(description="Asked for, by an open question, or earned.")
    quote: str = Field(min_length=1, description="The words that did it.")
    made_by: Id = Field(description="Model of the gate; `offline` for the rules.")


class FactDisclosure(Record):
    """One row per fact of the scenario that the customer told, with the words that tell it."""

    table: ClassVar = Table(
        "fact_disclosure",
        "simulation",
        ("conversation_id", "fact_id"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    fact_id: Id = Field(description="Fact of the scenario.")
    message_index: Count = Field(description="Customer's message that told it first.")
    disclosed_by: DisclosedBy = Field(description="In the opening, elicited by the agent, or volunteered.")
    quote: str = Field(min_length=1, description="The words that tell it.")
    is_customer_only: bool = Field(description="Whether the company's systems cannot know it.")
    is_inferred: bool = Field(description="Whether the fact is not in the source.")


class SimulatorFault(Record):
    """One row per fault of the customer simulator or of the gate, mended by a retry or not."""

    table: ClassVar = Table(
        "simulator_fault",
        "simulation",
        ("conversation_id", "attempt", "message_index", "fault_index"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    attempt: Count = Field(description="Attempt in which it happened, from 0.")
    message_index: Count = Field(description="Customer's message.")
    fault_index: Count = Field(description="Number within the message, from 0.")
    kind: SimulatorFaultKind = Field(description="What went wrong.")
    detail: str = Field(description="The offending words, or what was missing.")
    made_by: Id = Field(
        description="Model of the customer, or of the gate where that gave no answer or one that was trimmed "
        "(`misread`); or `offline`."
    )
    is_mended: bool = Field(description="Whether a later try of the same message was free of faults.")


class DeclaredAct(Record):
    """One row per act that an agent declared with its message."""

    table: ClassVar = Table(
        "declared_act",
        "simulation",
        ("conversation_id", "message_index", "act_index"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    message_index: Count = Field(description="Agent's message.")
    act_index: Count = Field(description="Number within the message, from 0.")
    kind: ActKind = Field(description="What the agent says that it does.")
    about: str = Field(description="What it is about: a fact's kind, a remedy, a reason; empty where nothing.")
