"""What can go wrong between us and a model, and keeping keys out of every word about it.

Belongs here: kinds of fault, telling them from a reply, striking out secrets. Not here: what to do about them
(`retrying.py`, `calling.py`).
"""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal, cast

Fault = Literal[
    "busy", "unavailable", "timeout", "refused_key", "spent_quota", "unknown_model", "refused_parameter",
    "refused_request", "context_overflow", "filtered", "unreadable",
]  # fmt: skip
RETRIED: frozenset[Fault] = frozenset({"busy", "unavailable", "timeout", "unreadable"})
HOPELESS: frozenset[Fault] = frozenset({"refused_key", "spent_quota", "unknown_model"})
#: The question's own faults, which say nothing about the endpoint.
OF_QUESTION: frozenset[Fault] = frozenset({"context_overflow", "filtered"})

LONGEST_MESSAGE = 300
QUOTA = re.compile(
    r"insufficient[_ ]quota|exceeded your current quota|billing|credit balance|insufficient (?:funds|credit)"
)
SCHEMA = re.compile(r"response_format|json_schema|response format|structured output|guided|grammar", re.IGNORECASE)
OVERFLOW = re.compile(
    r"context[_ ]length|maximum context|context window|context size|too many (?:input )?tokens|prompt is too long|"
    r"input is too long|exceeds? the (?:model's )?(?:maximum|context)",
    re.IGNORECASE,
)
FILTERED = re.compile(r"content[_ ](?:filter|policy|management)|moderation|responsibleai", re.IGNORECASE)
SHAPES = (
    re.compile(r"\b(?:sk|pk|rk|key|api|gsk|xai|hf)[-_][\w*.-]{6,}"),
    re.compile(r"(?i)\b(bearer|basic)\s+\S{6,}"),
    re.compile(r"(?<=://)[^/\s@]+@"),
)


class CallError(RuntimeError):
    """A request that brought no answer.

    Attributes:
        fault: What kind of fault it was.
        retry_after: Seconds that the endpoint asked us to wait.
        parameter: Parameter that the endpoint refused.
    """

    def __init__(
        self, fault: Fault, message: str, *, retry_after: float | None = None, parameter: str | None = None
    ) -> None:
        super().__init__(message)
        self.fault: Fault = fault
        self.retry_after = retry_after
        self.parameter = parameter


class Scrubber:
    """Strikes keys out of texts: those that are known, and what has a key's shape.

    Args:
        secrets: Known keys.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted({entry for entry in secrets if entry}, key=by_length)

    def __call__(self, text: str) -> str:
        """The text on one line, without secrets, cut to a readable length."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        for shape in SHAPES:
            text = shape.sub("[key]", text)
        return " ".join(text.split())[:LONGEST_MESSAGE]

    def __repr__(self) -> str:
        return "Scrubber()"


def by_length(text: str) -> tuple[int, str]:
    """Longest first, so that a key that holds another one goes whole."""
    return -len(text), text


def read_fault(status: int, headers: Mapping[str, str], body: str, sent: Iterable[str]) -> CallError:
    """The fault that an HTTP reply tells of; `sent` are the parameters that may be left out next time."""
    code, message, named = read_error(body)
    text = f"{code} {message}".lower()
    retry_after = read_retry_after(headers)
    what = f"status {status}: {message or code or 'no message'}"
    if of_question := find_fault_of_question(status, text):
        return CallError(of_question, what)
    if status in {401, 403}:
        return CallError("refused_key", what)
    if status == 402 or (status == 429 and QUOTA.search(text)):
        return CallError("spent_quota", what)
    if status in {408, 409, 425, 429} or status >= 500:
        fault: Fault = "busy" if status in {429, 503, 529} else "unavailable"
        return CallError(fault, what, retry_after=retry_after)
    if status == 404:
        return CallError("unknown_model", what)
    parameter = find_parameter(named, message, sent) if status in {400, 422} else None
    return CallError("refused_parameter" if parameter else "refused_request", what, parameter=parameter)


def find_fault_of_question(status: int, text: str) -> Fault | None:
    """The fault where the question itself is refused, as too long or by a filter."""
    if status in {400, 403, 422} and FILTERED.search(text):
        return "filtered"
    return "context_overflow" if status in {400, 413, 422} and OVERFLOW.search(text) else None


def read_error(body: str) -> tuple[str, str, str]:
    """Code, message and parameter from an error's body, in whichever of the usual forms."""
    try:
        found: Any = json.loads(body)
    except ValueError:
        return "", body, ""
    if isinstance(found, dict):
        entry: Any = cast("dict[str, Any]", found).get("error", cast("Any", found))
        if isinstance(entry, dict):
            details = cast("dict[str, Any]", entry)
            message = details.get("message") or details.get("detail") or ""
            code = details.get("code") or details.get("type") or ""
            return str(code), str(message), str(details.get("param") or "")
        return "", str(entry), ""
    return "", body, ""


def find_parameter(named: str, message: str, sent: Iterable[str]) -> str | None:
    """The parameter that a refusal is about, among those that were sent."""
    names = list(sent)
    if "response_format" in names and (SCHEMA.search(named) or SCHEMA.search(message)):
        return "response_format"
    top = named.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0]
    if top in names:
        return top
    return next((name for name in names if re.search(rf"\b{re.escape(name)}\b", message)), None)


def read_retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait by `retry-after-ms` or `Retry-After`, which holds seconds or a date; None where neither does."""
    by_name = {name.lower(): value for name, value in headers.items()}
    try:
        if "retry-after-ms" in by_name:
            return max(float(by_name["retry-after-ms"]) / 1000, 0.0)
        return max(float(by_name["retry-after"]), 0.0)
    except KeyError:
        return None
    except ValueError:
        return read_date(by_name.get("retry-after", ""), now or datetime.now(UTC))


def read_date(text: str, now: datetime) -> float | None:
    """Seconds from now to an HTTP date; None where it is none."""
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max((moment - now).total_seconds(), 0.0)
