"""What a person is asked about a conversation: the dimensions of justice by the rubric, and the customer's realism.

Belongs here: the questions in one form. Not here: their texts (`rubric.yaml`, `realism.yaml`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import ValidationError

from schemas.rubric import RealismQuestions, RubricDimension
from servicebench_data.judging.rubric import RubricError, find_rubric

FILE = Path(__file__).parent / "realism.yaml"

AsksAbout = Literal["justice", "realism"]


@dataclass(frozen=True)
class Help:
    """Something to look at before answering: what to ask oneself, and what 1 to 5 mean for it."""

    title: str
    question: str
    anchors: Mapping[int, str]


@dataclass(frozen=True)
class Question:
    """A question that is answered with 1 to 5.

    Attributes:
        question_id: What is stored; also its column in a file of ratings.
        asks_about: The agent's justice, or the customer's realism.
        title: One word for it.
        question: What the person reads.
        helps: What to look at, with anchors.
    """

    question_id: str
    asks_about: AsksAbout
    title: str
    question: str
    helps: tuple[Help, ...]


@cache
def list_questions() -> tuple[Question, ...]:
    """All questions in the order in which they are asked: justice first, so that realism does not colour it."""
    return (*ask_about_justice(), *ask_about_realism(load_realism()))


@cache
def find_question_ids() -> tuple[str, ...]:
    """The questions' ids, in their order."""
    return tuple(entry.question_id for entry in list_questions())


def load_realism(path: Path = FILE) -> RealismQuestions:
    """Read the questions on realism.

    Raises:
        RubricError: The file does not have the form that it must.
    """
    try:
        return RealismQuestions.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise RubricError(f"questions {str(path)!r} do not have the form that they must: {error}; mend it.") from error


def ask_about_justice() -> Iterator[Question]:
    """One question for each dimension of the rubric in force."""
    for name, dimension in find_rubric().spec.dimensions.items():
        yield Question(name, "justice", name, dimension.question, show_items(dimension))


def show_items(dimension: RubricDimension) -> tuple[Help, ...]:
    """What a judge looks at, for a person."""
    return tuple(Help(name.replace("_", " "), item.question, item.anchors) for name, item in dimension.items.items())


def ask_about_realism(asked: RealismQuestions) -> Iterator[Question]:
    """One question for each on realism."""
    for name, entry in asked.questions.items():
        title = name.partition("_")[2].replace("_", " ")
        yield Question(name, "realism", title, entry.question, (Help("", "", entry.anchors),))
