"""A question to a model, and the key under which its answer is kept.

Belongs here: everything that determines an answer. Not here: what only decides how it is fetched (timeouts, keys).
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from servicebench_data.models.answer_schema import AnswerSchema
from servicebench_data.models.endpoints import Endpoint

Message = dict[str, str]
KEY_VERSION = 1
BYTES_PER_MESSAGE = 16  # what a chat template adds around one, at most


@dataclass(frozen=True)
class Request:
    """A question.

    Attributes:
        endpoint: Where it goes.
        messages: The conversation so far.
        parameters: Sampling and length, by the names of OpenAI's interface.
        schema: What the answer must fit.
        seed: Seed that is sent along.
        scope: What else tells this question from an equal one, such as conversation and turn; most have none.
    """

    endpoint: Endpoint
    messages: tuple[Message, ...]
    parameters: dict[str, Any]
    schema: AnswerSchema
    seed: int
    scope: str = ""

    def describe(self) -> dict[str, Any]:
        """All that determines the answer."""
        return {
            "version": KEY_VERSION,
            "model": self.endpoint.model if self.endpoint.road != "local" else "local",
            "endpoint": self.endpoint.identity,
            "messages": list(self.messages),
            "parameters": self.parameters,
            "schema": self.schema.full,
            "seed": self.seed,
            **({"scope": self.scope} if self.scope else {}),
        }

    @cached_property
    def text(self) -> str:
        """All that determines the answer, as canonical JSON."""
        return json.dumps(self.describe(), sort_keys=True, ensure_ascii=False)

    @cached_property
    def key(self) -> str:
        """SHA-256 of it."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def max_output_tokens(self) -> int:
        """Most tokens of the answer."""
        return int(self.parameters["max_tokens"])

    def bound_tokens_in(self) -> int:
        """A bound on the question's tokens: no tokeniser makes more of them than there are bytes.

        Some endpoints put the schema before the conversation, so it counts.
        """
        total = len(json.dumps(self.schema.full)) + sum(count_bytes(message) for message in self.messages)
        return total + BYTES_PER_MESSAGE * (len(self.messages) + 1)


def count_bytes(message: Message) -> int:
    """Bytes of a message's text."""
    return len(message["content"].encode())


def estimate_tokens(messages: Sequence[Message]) -> int:
    """Tokens of a conversation as they usually come out: one for four characters."""
    return sum(len(message["content"]) // 4 + 4 for message in messages)
