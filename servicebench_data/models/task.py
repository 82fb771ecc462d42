"""What a model is asked to do: a task, its items, and what came of each.

Belongs here: the types that tasks of every group share. Not here: prompts (`prompts.py`), asking (`doorway.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

from schemas.models import OutcomeStatus
from servicebench_data.models.answers import Failure, PlainText
from servicebench_data.models.prompts import Prompt
from servicebench_data.models.request import Message

A = TypeVar("A", bound=BaseModel)

#: Told how many of how many are done.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Task(Generic[A]):
    """A prompt and the record that an answer must fit.

    Attributes:
        name: Name in settings, ledger and reports.
        prompt: The prompt file.
        answer: Record of an answer; its JSON schema goes to the model. With `PlainText` no schema goes there, and the
            reply's text is the answer.
    """

    name: str
    prompt: Prompt
    answer: type[A]


@dataclass(frozen=True)
class Item(Generic[A]):
    """One thing to do.

    Attributes:
        item_id: Id of what it is about (a scenario, a dialogue); the ledger forgets by it.
        variables: Value of each variable of the prompt.
        check: Says why an answer that fits the record is refused, in words for the model; nothing where it is fine.
        history: Messages of a conversation so far, with their roles as the model sees them.
        history_place: Whether they come before the prompt's user part, or after it as in a chat that it briefs for.
        trim: Leaves out of a refused answer what is refused; None where too little is left. Where no try passes, the
            answer of which most is left stands for the item.
    """

    item_id: str
    variables: Mapping[str, str]
    check: Callable[[A], Sequence[str]]
    history: tuple[Message, ...] = ()
    history_place: Literal["before", "after"] = "before"
    trim: Callable[[A], A | None] | None = None


@dataclass(frozen=True)
class How:
    """How one question of a conversation is asked.

    Attributes:
        model: Model's name.
        seed: Seed that is sent along.
        scope: What the ledger's key holds besides the question: conversation and turn for an evaluated agent.
        api_base: Endpoint in place of the one that the environment names.
        parameters: Sampling parameters in place of the settings'; one that is None is not sent.
        max_tries: Answers at most; None for the setting.
    """

    model: str
    seed: int
    scope: str = ""
    api_base: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any])
    max_tries: int | None = None


@dataclass(frozen=True)
class Outcome(Generic[A]):
    """What came of an item: an answer that passed every check, or the reasons why there is none.

    Attributes:
        item_id: The item.
        answer: The answer; None where no try passed.
        reasons: Why the last answer was refused, or why none came; of an answer, why parts of it were left out.
        raw_answer: The last answer's text as it came; None where none came.
        tries: Answers that came, refused ones included.
        model: The model that was asked last.
        cost_usd: Price of all its calls, also those paid earlier; None where the price of one is unknown.
        call_keys: Keys of its calls in the ledger, in order.
        status: `answered`; else every answer was refused (`invalid`), none came (`unanswered`), or a cap stopped it
            (`over_budget`).
        failure: What kind of failure it was; None where there is an answer.
    """

    item_id: str
    answer: A | None
    reasons: tuple[str, ...]
    raw_answer: str | None
    tries: int
    model: str
    cost_usd: float | None
    call_keys: tuple[str, ...]
    status: OutcomeStatus = "answered"
    failure: Failure | None = None


__all__ = ["Failure", "How", "Item", "Outcome", "PlainText", "Task"]


class Door(Protocol):
    """What is needed of a doorway."""

    def run(
        self, task: Task[Any], items: Sequence[Item[Any]], progress: Progress | None = None
    ) -> Sequence[Outcome[Any]]:
        """Outcome of each item, in order."""
        ...
