"""Whether a message checks the facts: asks about the case, says it back, or has looked it up.

Belongs here: that flag. Not here: what is asked (`questions.py`, `asking.py`).
"""

from collections.abc import Sequence

from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.questions import Request
from servicebench_data.simulation.gate.sentences import Sentence


def find_check(sentences: Sequence[Sentence], requests: Sequence[Request]) -> str | None:
    """The words that check the facts."""
    if requests:
        return requests[0].quote
    for sentence in sentences:
        text = sentence.text
        if has("checks.said_back", text) or has("checks.wish", text) or is_lookup(text):
            return sentence.quote()
    return None


def is_lookup(text: str) -> bool:
    """Whether a sentence shows that the case was looked up; the company's rules are no case."""
    match = pattern("checks.looked").search(text)
    return match is not None and not has("checks.rules", match.group()) and not has("checks.unseen", text)
