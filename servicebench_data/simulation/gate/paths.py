"""Whether a message offers a path: a remedy, a step with its owner or time, or an instruction that leads there.

Belongs here: that flag. Not here: amounts and kinds of offers, which are read elsewhere.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from servicebench_data.simulation.gate.lexicon import has, pattern
from servicebench_data.simulation.gate.sentences import Sentence
from servicebench_data.simulation.gate.wording import is_sarcastic


def find_path(sentences: Sequence[Sentence]) -> str | None:
    """The words that offer a path."""
    for sentence in sentences:
        for start, end in list_clauses(sentence.text):
            clause = pattern("paths.look_only").sub("", sentence.text[start:end])
            is_asked = sentence.is_question and end == len(sentence.text)
            if clause.strip(" ,.!?-") and leads(clause, is_question=is_asked):
                return sentence.quote(start, start + len(clause))
    return None


def list_clauses(text: str) -> Iterator[tuple[int, int]]:
    """Stretches of a sentence that promise or refuse by themselves."""
    cuts = [0, *(match.start() for match in pattern("paths.cut").finditer(text)), len(text)]
    return pairwise(cuts)


def leads(clause: str, *, is_question: bool) -> bool:
    """Whether a clause names a remedy, an owned step or an instruction, and takes nothing of it back."""
    if is_question and pattern("paths.asking").match(clause.lstrip(" ,")):
        return False
    return has("paths.leads", clause) and not is_empty(clause)


def is_empty(clause: str) -> bool:
    """Whether a clause promises nothing: denied, hedged, about others, or a bare channel."""
    void = ("paths.negated", "paths.hedge", "paths.aside", "paths.bare")
    return any(has(name, clause) for name in void) or is_sarcastic(clause)
