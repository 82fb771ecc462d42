"""What a complaint can be about, and what can be asked about it, from the data files of the scripted agents.

Belongs here: reading `topics.yaml`, `questions.yaml` and their like. Not here: which of it fits a case (`case.py`,
`questions.py`).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml


@dataclass(frozen=True)
class Question:
    """A question with the kind of fact that it asks for."""

    about: str
    text: str


@dataclass(frozen=True)
class Topic:
    """What a complaint is about, by `topics.yaml`."""

    topic_id: str
    pattern: re.Pattern[str] | None
    industries: tuple[str, ...]
    harm: tuple[str, ...]
    bore: tuple[str, ...]
    ask: tuple[Question, ...]
    step: tuple[str, ...]


@cache
def list_topics(industry: str) -> tuple[Topic, ...]:
    """Topics of an industry, the one that fits all first: it wins only where none matches."""
    *topics, general = [read_topic(entry) for entry in load("topics")]
    return (general, *(topic for topic in topics if fits(industry, topic.industries)))


def read_topic(entry: Mapping[str, Any]) -> Topic:
    """A topic of the file."""
    pattern = re.compile(rf"\b(?:{'|'.join(entry['match'])})\b", re.IGNORECASE) if entry["match"] else None
    questions = tuple(Question(question["about"], question["text"]) for question in entry["ask"])
    return Topic(
        entry["id"],
        pattern,
        tuple(entry.get("industries", ())),
        tuple(entry["harm"]),
        tuple(entry["bore"]),
        questions,
        tuple(entry["step"]),
    )


def count_matches(topic: Topic, text: str) -> int:
    """How many words of a topic a text holds."""
    return len(topic.pattern.findall(text)) if topic.pattern else 0


def fits(industry: str, industries: Sequence[str]) -> bool:
    """Whether something holds for an industry, by a part of its title; for all where none is named."""
    return not industries or any(name in industry.lower() for name in industries)


@cache
def load(name: str) -> Any:
    """What a data file beside this module holds."""
    return yaml.safe_load((Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8"))
