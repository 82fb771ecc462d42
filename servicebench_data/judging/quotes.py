"""Evidence: a judge's quotes, found in the transcript that it read.

Belongs here: where a quote stands, and why one is refused. Not here: which scores need one (`checking.py`).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from schemas.simulation import Role
from servicebench_data.judging.injections import LEFT_OUT
from servicebench_data.judging.masking import MASK
from servicebench_data.judging.view import Line
from servicebench_data.scenarios.writing.quotes import find_words

LONGEST_ECHO = 80


@dataclass(frozen=True)
class Found:
    """A quote in the transcript's own words, and the message in which it stands."""

    message_index: int
    role: Role
    text: str


def find_quote(transcript: Iterable[Line], quote: str) -> list[Found]:
    """Where a quote stands word for word, whatever white space and capitals; nowhere where it is no evidence."""
    words = quote.replace(LEFT_OUT, " ").replace(MASK, " ")
    if not any(sign.isalnum() for sign in words):
        return []
    spans = [(line, find_words(line.text, quote)) for line in transcript]
    return [Found(line.message_index, line.role, line.text[span[0] : span[1]]) for line, span in spans if span]


def locate_quote(transcript: Iterable[Line], quote: str, side: Literal["agent", "either"]) -> Found | str:
    """Where a quote stands, or in words for the model why it does not count."""
    found = find_quote(transcript, quote)
    shown = quote if len(quote) <= LONGEST_ECHO else quote[: LONGEST_ECHO - 1] + "…"
    if not found:
        return f'the quote "{shown}" does not stand word for word in any message: copy one unbroken stretch.'
    due = [entry for entry in found if side == "either" or entry.role == "agent"]
    return due[0] if due else f"the quote \"{shown}\" is the customer's: quote the agent's words."
