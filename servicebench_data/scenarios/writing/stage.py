"""The form of a task of this package: what is asked of a draft, why an answer is refused, which rows follow from it.

Belongs here: the form. Not here: any task.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel

from schemas.scenarios import RejectionReason
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import Item, Task
from servicebench_data.scenarios.parts import Parts
from servicebench_data.scenarios.writing.drafts import Draft

A = TypeVar("A", bound=BaseModel)

#: Reasons that go back to the model at once; more would bury the first.
MAX_REASONS = 12


@dataclass(frozen=True)
class Stage(Generic[A]):
    """One of the tasks that write a scenario.

    Attributes:
        task: Prompt and answer.
        describe: Variables of the prompt for a draft.
        check: Why an answer is refused, in words for the model.
        add: The draft's parts with the rows of an answer, given the model's name.
        settle: Why the parts do not make a scenario though the answer is good; None where they may.
        trim: Leaves out of a refused answer the elements that are refused; None where too little is left.
    """

    task: Task[A]
    describe: Callable[[Draft], Mapping[str, str]]
    check: Callable[[Draft, A], Iterator[str]]
    add: Callable[[Draft, A, str], Parts]
    settle: Callable[[Parts], RejectionReason | None]
    trim: Callable[[Draft, A], A | None] | None = None

    def make_item(self, draft: Draft) -> Item[A]:
        """What to ask for a draft."""
        trim = partial(self.trim, draft) if self.trim else None
        return Item(draft.source.scenario_id, self.describe(draft), partial(self.find_reasons, draft), trim=trim)

    def find_reasons(self, draft: Draft, answer: A) -> list[str]:
        """The first reasons for which an answer is refused, each once."""
        return list(dict.fromkeys(self.check(draft, answer)))[:MAX_REASONS]


def make_task(name: str, answer: type[A]) -> Task[A]:
    """The task whose prompt lies beside this file.

    Raises:
        ValueError: The prompt names another record than the one that its answers are checked by.
    """
    prompt = load_prompt(Path(__file__).parent / f"{name}.md")
    if prompt.record != answer.__name__:
        raise ValueError(f"prompt {name!r} returns {prompt.record!r}, not {answer.__name__!r}; mend its front matter.")
    return Task(name, prompt, answer)


def accept(parts: Parts) -> RejectionReason | None:  # noqa: ARG001  (the form of `Stage.settle`)
    """Nothing can be wrong with the parts that the answer's checks do not see."""
    return None
