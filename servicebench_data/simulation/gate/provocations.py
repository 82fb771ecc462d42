"""Whether a message provokes: blame, denial, dismissal, a wall of policy, scorn.

Belongs here: that flag. Not here: what the customer makes of it.
"""

from collections.abc import Sequence

from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.questions import Request
from servicebench_data.simulation.gate.sentences import Sentence

_OFFENCES = (
    "provocations.blame",
    "provocations.denial",
    "provocations.dismissal",
    "provocations.scorn",
    "wording.sarcasm",
)


def find_provocation(sentences: Sequence[Sentence], requests: Sequence[Request]) -> str | None:
    """The words that provoke by themselves."""
    for sentence in sentences:
        span = find_offence(blank_asked(sentence, requests))
        if span is not None:
            return sentence.quote(*span)
    return None


def blank_asked(sentence: Sentence, requests: Sequence[Request]) -> str:
    """A sentence's words without what it honestly asks."""
    text = sentence.text
    for request in requests if sentence.is_question else ():
        text = text.replace(request.text, " " * len(request.text))
    return text


def find_offence(text: str) -> tuple[int, int] | None:
    """Where a sentence blames, denies, dismisses or scorns, unless it tells what others did to the customer."""
    for name in _OFFENCES:
        match = pattern(name).search(text)
        if match is not None and not has("provocations.quoted", text[: match.end()]):
            return match.span()
    return None


def find_wall(sentences: Sequence[Sentence]) -> str | None:
    """A refusal; it provokes where the message names no other way."""
    walls = (sentence for sentence in sentences if has("provocations.wall", sentence.text))
    return next((wall.quote() for wall in walls if not has("provocations.excused", wall.text)), None)


def names_other_way(sentences: Sequence[Sentence]) -> bool:
    """Whether a message that refuses names another way."""
    return any(has("provocations.other_way", sentence.text) for sentence in sentences)
