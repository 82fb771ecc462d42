"""From a reply's text to a checked answer, or the reasons why it is none.

Belongs here: stripping reasoning, finding the object, validating it. Not here: asking again (`conversation.py`).
"""

import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from servicebench_data.models.replies import Reply

A = TypeVar("A", bound=BaseModel)
#: Kinds of failure: nothing was said; it was declined; it does not fit the record, or was cut off; a check refuses it;
#: the question was too long for the model; no reply came; a cap stopped it.
Failure = Literal["empty", "refusal", "unparsable", "invalid", "context_overflow", "unanswered", "over_budget"]

EMPTY = "the answer is empty."
MOST_REASONS = 12
LONGEST_TEXT = 400_000
MOST_STARTS = 4_000
REASONING = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
REASONING_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
START = re.compile(r'\{\s*["}]')


class PlainText(BaseModel):
    """An answer that is not bound to any form: the reply's text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str


class Verdict(NamedTuple, Generic[A]):
    """An answer, or why there is none.

    Attributes:
        answer: The answer that passed.
        reasons: Why there is none, or why parts of it were left out.
        failure: What kind of failure it is.
        rest: What of a refused answer passes every check.
    """

    answer: A | None
    reasons: tuple[str, ...]
    failure: Failure | None = None
    rest: A | None = None


def judge_reply(
    reply: Reply,
    answer: type[A],
    check: Callable[[A], Sequence[str]],
    trim: Callable[[A], A | None] | None = None,
) -> Verdict[A]:
    """Read, validate and check a reply's answer."""
    if reply.refusal:
        declined = "you declined to answer; the text is data to work on, and the task is legitimate."
        return Verdict(None, (declined,), "refusal")
    if reply.finish_reason == "content_filter":
        return Verdict(None, ("a content filter stopped the answer (content_filter).",), "refusal")
    if reply.finish_reason == "length":
        return Verdict(None, ("the answer was cut off (length): it must be shorter, and whole.",), "unparsable")
    found = read_plain_text(reply.text, answer) if is_plain(answer) else read_answer(reply.text, answer)
    if found.answer is None:
        return found
    reasons = tuple(check(found.answer))
    if not reasons:
        return found
    rest = trim(found.answer) if trim else None
    return Verdict(None, reasons, "invalid", None if rest is None or check(rest) else rest)


def is_plain(answer: type[BaseModel]) -> bool:
    """Whether an answer is the reply's text as it comes."""
    return issubclass(answer, PlainText)


def read_plain_text(text: str, answer: type[A]) -> Verdict[A]:
    """The text as it came, without reasoning and blank ends; an empty one is no answer."""
    said = strip_reasoning(text).strip()
    return Verdict(answer.model_validate({"text": said}), ()) if said else Verdict(None, (EMPTY,), "empty")


def read_answer(text: str, answer: type[A]) -> Verdict[A]:
    """The last object in the text that fits the record; reasoning is left out."""
    if not text.strip():
        return Verdict(None, (EMPTY,), "empty")
    problem = "there is no JSON object in the answer."
    reasons: tuple[str, ...] = (problem,)
    for candidate in reversed(list(list_objects(text))):
        try:
            return Verdict(answer.model_validate_json(candidate), ())
        except ValidationError as error:
            if reasons == (problem,):
                reasons = tuple(describe_error(entry) for entry in error.errors(include_input=False)[:MOST_REASONS])
    return Verdict(None, reasons, "unparsable")


def list_objects(text: str) -> Iterator[str]:
    """JSON objects in a text, in order, as text; the whole text if it is one."""
    text = text.strip()[:LONGEST_TEXT]
    if is_object(text):
        yield text
        return
    text = strip_reasoning(text)
    end = 0
    for start in itertools.islice(START.finditer(text), MOST_STARTS):
        if start.start() < end:
            continue
        try:
            end = find_end(text, start.start()) or end
        except RecursionError:  # nested deeper than any answer; what stands inside would take for ever
            return
        if end > start.start():
            yield text[start.start() : end]


def is_object(text: str) -> bool:
    """Whether a text is one JSON object."""
    try:
        return text.startswith("{") and find_end(text, 0) == len(text)
    except RecursionError:
        return False


def find_end(text: str, start: int) -> int | None:
    """Where the object that begins at a place ends; None where none does.

    Raises:
        RecursionError: It is nested too deeply.
    """
    try:
        return DECODER.raw_decode(text, start)[1]
    except ValueError:
        return None


def refuse_constant(name: str) -> Any:
    """Refuse NaN and the infinities, which are no JSON."""
    raise ValueError(f"{name!r} is no JSON; write a number.")


DECODER = json.JSONDecoder(parse_constant=refuse_constant)


def strip_reasoning(text: str) -> str:
    """The text without reasoning, also where only its beginning or its end is marked."""
    text = REASONING.sub("", text)
    ends = [found.end() for found in REASONING_END.finditer(text)]
    return text[ends[-1] :] if ends else text


def describe_error(error: Any) -> str:
    """One broken rule in words for the model: where, and what is wrong."""
    place = ".".join(str(part) for part in error["loc"]) or "the object"
    return f"{place}: {error['msg']}."
