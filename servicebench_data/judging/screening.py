"""Whether a stored conversation can be judged, before anybody is asked.

Belongs here: form and validity of a transcript. Not here: what is said in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.simulation import Conversation, MessageRow, Role

ORDER: tuple[Role, Role] = ("customer", "agent")


@dataclass(frozen=True)
class Refusal:
    """Why a conversation is not judged.

    Attributes:
        status: `unscored` where no score was due; `missing` where one was due and cannot be had.
        reason: In words for a person.
    """

    status: Literal["unscored", "missing"]
    reason: str


def screen(conversation: Conversation, messages: Sequence[MessageRow]) -> Refusal | None:
    """Why a conversation is not judged; None where it may be. Messages are given in their order."""
    if not conversation.is_valid:
        return Refusal("unscored", f"the conversation is invalid: {conversation.end_reason}")
    problem = find_break(list_said(messages), messages)
    if problem:
        return Refusal("missing", f"the transcript is broken: {problem}")
    if all(row.role == "customer" for row in list_said(messages)):
        return Refusal("unscored", f"the agent said nothing: {conversation.end_reason}")
    return None


def list_said(messages: Sequence[MessageRow]) -> Sequence[MessageRow]:
    """What was said: an agent's empty answer, with which a conversation ends, is no message."""
    is_cut = bool(messages) and messages[-1].role == "agent" and not messages[-1].text.strip()
    return messages[:-1] if is_cut else messages


def find_break(said: Sequence[MessageRow], messages: Sequence[MessageRow]) -> str | None:
    """What is wrong with the form of a transcript; None where nothing is."""
    if not messages or not said:
        return "it has no message"
    for place, row in enumerate(messages):
        if row.message_index != place:
            return f"message {place} is missing or there twice"
        if row.role != ORDER[place % 2]:
            return f"message {place} is the {row.role}'s, where the {ORDER[place % 2]} speaks"
    empty = next((row.message_index for row in said if not row.text.strip()), None)
    return f"message {empty} is empty" if empty is not None else None
