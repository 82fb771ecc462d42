"""The judge's view of a conversation: all that a judge's prompt may be built from.

Belongs here: what a judge sees. Not here: the prompt (`tasks.py`).

A judge sees loss, events and transcript. It does not see who the agent is, nor style, disclosure, guidance or
simulator; no act that was declared, no thought, no end, no fact that is marked as out or closed; not what the customer
hoped for, what would be an insult, or how severe the case was rated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from schemas.scenarios import Fact, Scenario
from schemas.simulation import Conversation, MessageRow, Role
from servicebench_data.judging.injections import Cleaned, clean_message
from servicebench_data.judging.masking import Masker, make_masker
from servicebench_data.judging.screening import list_said
from servicebench_data.models.prompts import neutralise
from servicebench_data.simulation.agents.families import OFFLINE, find_family

#: Tags of the judge's prompt, which no text may open or close.
TAGS = frozenset({"loss", "events", "transcript"})


@dataclass(frozen=True)
class Line:
    """A message as the judge reads it.

    Attributes:
        message_index: Its place in the conversation.
        role: Who wrote it.
        text: What it says, on one line.
    """

    message_index: int
    role: Role
    text: str


@dataclass(frozen=True)
class JudgeView:
    """All that a judge's prompt may be built from.

    Attributes:
        loss: What the customer lived through and lost, one thing a line; whether it came up or not.
        events: What happened before, numbered.
        transcript: The conversation.
        injections: Rules by which words to the judge were left out of the agent's messages; else empty.
    """

    loss: str
    events: str
    transcript: tuple[Line, ...]
    injections: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """What is judged: a stored conversation and its scenario.

    Attributes:
        conversation: The conversation.
        messages: Its messages, in order.
        scenario: The scenario.
        facts: The scenario's facts, in order.
        is_loss_money: Whether the loss is money.
    """

    conversation: Conversation
    messages: tuple[MessageRow, ...]
    scenario: Scenario
    facts: tuple[Fact, ...]
    is_loss_money: bool


def show_judge(case: Case) -> JudgeView:
    """What a judge sees of a case."""
    masker = make_masker(list_names(case.conversation))
    cleaned = [(row, clean_message(row.text, row.role)) for row in list_said(case.messages)]
    of_agent = chain.from_iterable(words.kinds for row, words in cleaned if row.role == "agent")
    return JudgeView(
        loss=tell_loss(case.facts, is_money=case.is_loss_money),
        events=neutralise(case.scenario.events, TAGS),
        transcript=tuple(show_line(row, words, masker) for row, words in cleaned),
        injections=tuple(dict.fromkeys(of_agent)),
    )


def list_names(conversation: Conversation) -> list[str]:
    """Names by which the agent could give itself away."""
    made_by = conversation.agent_made_by
    return [conversation.agent] if made_by == OFFLINE else [conversation.agent, made_by, find_family(made_by)]


def show_line(row: MessageRow, words: Cleaned, masker: Masker) -> Line:
    """A message as the judge reads it, with the agent's names masked."""
    masked = masker.mask_agent(words.text) if row.role == "agent" else masker.mask_customer(words.text)
    return Line(row.message_index, row.role, flatten(masked))


def flatten(text: str) -> str:
    """A text on one line, so that it can neither begin a message of its own nor close the transcript."""
    return neutralise(" ".join(text.split()), TAGS)


def tell_loss(facts: Sequence[Fact], *, is_money: bool) -> str:
    """What the customer lived through, one thing a line, and whether the loss is money."""
    kind = "The loss is money." if is_money else "The loss is something other than money, or not money alone."
    return neutralise("\n".join([*(f"- {' '.join(fact.statement.split())}" for fact in facts), kind]), TAGS)


def tell_transcript(view: JudgeView) -> str:
    """The transcript, one message a line, with number and speaker."""
    return "\n".join(f"[{line.message_index} {line.role}] {line.text}" for line in view.transcript)
