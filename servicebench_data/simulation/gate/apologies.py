"""Whether a message apologises.

Belongs here: that flag. Not here: whether it names the harm (`harm.py`).
"""

import re
from collections.abc import Sequence

from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.sentences import Sentence
from servicebench_data.simulation.gate.wording import is_conditional, is_sarcastic

#: How far around an apology sarcasm is looked for, in characters.
NEAR = 60


def find_apology(sentences: Sequence[Sentence]) -> str | None:
    """The words that apologise."""
    for index, sentence in enumerate(sentences):
        for match in pattern("apologies.words").finditer(sentence.text):
            if not is_void(sentence.text, match) and not is_shrug(sentences, index):
                return sentence.quote(match.start(), match.end())
    return None


def is_void(text: str, match: re.Match[str]) -> bool:
    """Whether the words do not apologise where they stand: denied, reported, on a condition, or part of a refusal."""
    around = text[max(0, match.start() - NEAR) : match.end() + NEAR]
    if any(overlap(void, match) for void in pattern("apologies.not_meant").finditer(text)):
        return True
    if any(overlap(lead, match) for lead in pattern("apologies.lead_in").finditer(text)):
        return True
    is_trailing = has("apologies.trailing", text[: match.end() + 3])
    return is_trailing or is_sarcastic(around) or is_conditional(text[: match.start()])


def overlap(one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether two matches share a stretch."""
    return one.start() < other.end() and other.start() < one.end()


def is_shrug(sentences: Sequence[Sentence], index: int) -> bool:
    """Whether a bare "sorry" only closes a refusal that stands before it."""
    is_bare = len(sentences[index].text.split()) == 1
    return is_bare and index > 0 and has("apologies.refusal", sentences[index - 1].text)
