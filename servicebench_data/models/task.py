"""What a model is asked to do: a task, its items, and what came of each.

Belongs here: the three types that tasks of every group share. Not here: prompts (`prompts.py`), asking (`doorway.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

from schemas.models import OutcomeStatus
from servicebench_data.models.prompts import Prompt

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True)
class Task(Generic[A]):
    """A prompt and the record that an answer must fit.

    Attributes:
        name: Name in settings, ledger and reports.
        prompt: The prompt file.
        answer: Record of an answer; its JSON schema goes to the model.
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
    """

    item_id: str
    variables: Mapping[str, str]
    check: Callable[[A], Sequence[str]]


@dataclass(frozen=True)
class Outcome(Generic[A]):
    """What came of an item: an answer that passed every check, or the reasons why there is none.

    Attributes:
        item_id: The item.
        answer: The answer; None where no try passed.
        reasons: Why the last answer was refused, or why none came; empty where there is an answer.
        raw_answer: The last answer's text as it came; None where none came.
        tries: Answers that came, refused ones included.
        model: The model that was asked last.
        cost_usd: Price of all its calls, also those paid earlier; None where the price of one is unknown.
        call_keys: Keys of its calls in the ledger, in order.
        status: `answered`; else every answer was refused (`invalid`), none came (`unanswered`), or a cap stopped it
            (`over_budget`).
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
