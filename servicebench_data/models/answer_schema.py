"""The JSON schema of an answer, as it is told to a model and as an endpoint enforces it.

Belongs here: from a record to schemas. Not here: checking an answer (`answers.py`).
"""

import json
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import BaseModel

from servicebench_data.models.answers import is_plain

INSTRUCTION = "Answer with one JSON object and nothing else: no introduction, no comment. It must fit this JSON schema:"

# Keywords that OpenAI's strict mode does not take; the record checks them all the same.
LOOSE = {"default", "examples", "title", "minLength", "maxLength", "uniqueItems", "discriminator"}
NAMES = ("properties", "$defs")


class AnswerSchema(NamedTuple):
    """An answer's schema.

    Attributes:
        name: Name of the record.
        full: The schema as the record gives it.
        enforced: The part that an endpoint can enforce while the model writes.
        is_strict: Whether the strict mode of endpoints takes it.
        instruction: What the system message says about it; empty for plain text, which has no schema.
    """

    name: str
    full: dict[str, Any]
    enforced: dict[str, Any]
    is_strict: bool
    instruction: str


@cache
def describe_answer(answer: type[BaseModel]) -> AnswerSchema:
    """Schemas of an answer's record; none for plain text."""
    if is_plain(answer):
        return AnswerSchema(answer.__name__, {}, {}, is_strict=False, instruction="")
    full = answer.model_json_schema()
    told = cast("dict[str, Any]", strip(full, {"title"}))
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    enforced = cast("dict[str, Any]", strip(full, LOOSE))
    return AnswerSchema(answer.__name__, full, enforced, is_strict(enforced), f"{INSTRUCTION}\n{text}")


def strip(node: Any, keywords: set[str], *, holds_names: bool = False) -> Any:
    """A schema without some keywords; a property that happens to have such a name stays."""
    if isinstance(node, list):
        return [strip(entry, keywords) for entry in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    return {
        name: strip(value, keywords, holds_names=not holds_names and name in NAMES)
        for name, value in cast("dict[str, Any]", node).items()
        if holds_names or name not in keywords
    }


def is_strict(node: Any) -> bool:
    """Whether every object requires all its properties and allows no other."""
    if isinstance(node, list):
        return all(is_strict(entry) for entry in cast("list[Any]", node))
    if not isinstance(node, dict):
        return True
    schema = cast("dict[str, Any]", node)
    if schema.get("type") == "object" or "properties" in schema:
        names: dict[str, Any] = schema.get("properties", {})
        is_closed = schema.get("additionalProperties") is False and set(schema.get("required", [])) == set(names)
        if not is_closed:
            return False
    return all(is_strict(value) for value in schema.values())
