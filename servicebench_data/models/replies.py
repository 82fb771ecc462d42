"""A model's reply, in whichever way it was asked.

Belongs here: what is read from a chat completion. Not here: whether its text is a good answer (`answers.py`).
"""

from typing import Any, NamedTuple

from servicebench_data.models.faults import CallError

MOST_TOKENS = 10**9


class Reply(NamedTuple):
    """What came back.

    Attributes:
        text: The answer's text; empty where there is none.
        finish_reason: Why the model stopped.
        refusal: The model's words of refusal, where the endpoint sets them apart.
        model: Name of the model by the endpoint.
        fingerprint: Fingerprint of the system by the endpoint.
        tokens_in: Tokens of the question.
        tokens_out: Tokens of the answer, its reasoning included.
        tokens_in_cached: Those of the question that the provider had at hand and bills at less.
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    model: str | None = None
    fingerprint: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_in_cached: int = 0


def read_completion(found: Any) -> Reply:
    """Read a chat completion in OpenAI's form.

    Raises:
        CallError: It has no choice, or another form.
    """
    try:
        choice = found["choices"][0]
        message: Any = choice["message"]
        usage: Any = found.get("usage") or {}
        details: Any = usage.get("prompt_tokens_details") or {}
        tokens_in = read_count(usage.get("prompt_tokens"))
        return Reply(
            text=read_text(message.get("content")) or "",
            finish_reason=read_text(choice.get("finish_reason")),
            refusal=read_text(message.get("refusal")),
            model=read_text(found.get("model")),
            fingerprint=read_text(found.get("system_fingerprint")),
            tokens_in=tokens_in,
            tokens_out=read_count(usage.get("completion_tokens")),
            tokens_in_cached=min(read_count(details.get("cached_tokens")) or 0, tokens_in or 0),
        )
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise CallError("unreadable", f"the reply is no chat completion ({type(error).__name__}).") from None


def read_text(value: Any) -> str | None:
    """A text, which some endpoints give in parts; None where there is none.

    What no database holds (NUL, halves of surrogate pairs) is left out or replaced.
    """
    if isinstance(value, list):
        parts: list[Any] = [*value]
        value = "".join(str(part.get("text") or "") for part in parts if isinstance(part, dict))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    if not isinstance(value, str) or not value:
        return None
    return value.replace("\0", "").encode("utf-8", "replace").decode()


def read_count(value: Any) -> int | None:
    """A count of tokens; None where the endpoint gives nothing that can be one."""
    return value if isinstance(value, int) and 0 <= value < MOST_TOKENS else None
