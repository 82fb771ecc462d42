"""A small task, its items and options, for tests of the doorway.

Belongs here: what is asked. Not here: who answers (`server.py`).
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from servicebench_data.models.options import ModelOptions
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import Item, Task
from tests.models.server import Answer, Asked, complete

PROMPT = """---
name: grade
record: Grade
trusted: [policy]
---
# System
You grade complaints by this policy: {{ policy }}

# User
Grade this one:
{{ post }}
"""


class Grade(BaseModel):
    """How grave a complaint is."""

    model_config = ConfigDict(extra="forbid")

    level: Literal["low", "high"] = Field(description="How grave it is.")
    reason: str = Field(min_length=1, description="Why, in one sentence.")


def make_task(folder: Path, name: str = "grade") -> Task[Grade]:
    path = folder / "grade.md"
    path.write_text(PROMPT, encoding="utf-8")
    return Task(name, load_prompt(path), Grade)


def accept(_: Grade) -> Sequence[str]:
    return ()


def make_items(count: int, check: Any = accept) -> list[Item[Grade]]:
    return [
        Item(f"scenario {number:04}", {"policy": "Be fair.", "post": f"Bag {number} is lost."}, check)
        for number in range(count)
    ]


def make_options(**given: Any) -> ModelOptions:
    """Options with short pauses."""
    return ModelOptions.model_validate({"model": "openai/small", "backoff_seconds": 0.01, "concurrency": 8, **given})


def find_bag(asked: Asked) -> str:
    """Number of the bag that a question is about."""
    first = asked.body["messages"][1]["content"]
    return first.partition("Bag ")[2].partition(" ")[0]


def grade(asked: Asked) -> Answer:
    """A right answer, which names the bag."""
    return complete(write_grade(asked))


def write_grade(asked: Asked) -> str:
    return json.dumps({"level": "high", "reason": f"Bag {find_bag(asked)} is gone."})
