"""Sentences and clauses of an agent's message, what binds in them, and which of them cannot make an offer.

Belongs here: cutting a message up, and what kind of stretch each is. Not here: what it offers (`offers.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from servicebench_data.simulation.offer_amounts import list_spans
from servicebench_data.simulation.offer_words import compile_list, search

SENTENCE = re.compile(r"(?<=[.!?…])[\"')\]*]*\s+(?=\S)|\n+|[\U0001f000-\U0001faff☀-➿]+|;\s|\s[–—]\s")
#: Words of others, or of a rule: what is quoted is not offered.
QUOTED = re.compile(r"[\"“][^\"“”\n]{20,}[\"”]")
SUBJECT = r"(?:i|we|you|your|he|she|it|they|there|company|our|my|that|this|please)\b"
CLAUSE = re.compile(
    rf",?\s(?:and|but|so|then|while|yet|because|since|although|though)\s(?={SUBJECT})|,\s(?=(?:i|we|but)\b)|"
    r",?\s(?:and|but)\s(?=(?:as|for|to|in|by) [^,]{0,50}\b(?:i|we)\b)|,\s(?:because|since|although|though|cause)\s|"
    r",\sso\s(?=the\b)|"
    r",?\s(?:and|or|but)\s(?=(?:has|have|is|are|will|stay|we|i)\b)",
    re.IGNORECASE,
)
#: An entry of a list: its bullet, or its heading.
LINE = re.compile(r"^\s*(?:[-•–]|\d+[.)]|(?:option )?\w+ ?\d*:|[A-Z][\w ]{0,30}:)\s*", re.IGNORECASE)
#: The head of a list of rules or facts, none of which is an offer.
FACTS = re.compile(r"\b(?:facts?|polic(?:y|ies)|rules?|promise|overview|terms|know so far)\b[^.]*:$", re.IGNORECASE)
#: What only leads in to what follows it.
LEAD = re.compile(
    r"(?:(?:on|in|as|for|to|by|with|over|instead|because|since|and|so|then|also|yes|ok|okay|fine|well|plus|besides|"
    r"additionally|furthermore|moreover|now|again|still|after|beyond|apart|given|from)\b|\S+$)",
    re.IGNORECASE,
)
LONGEST_LEAD = 12  # words
#: What opens a list of what the company gives.
OPENING = re.compile(
    r"\b(?:here(?:'s| is| are)|let me|(?:i|we)(?:'ve| have| will|'ll|'m| am|'re| are))\b", re.IGNORECASE
)
#: A question about what happened or what is wanted; one that asks for consent is none.
QUESTION = re.compile(
    r"^(?:so |and |but |ok(?:ay)?,? )?(?:did|was|were|has|have|had|when|where|which|why|who|"
    r"how (?!about)|what (?!if|about)|do you (?!want|prefer|accept)|"
    r"(?:is|are|does)\b(?!.*\b(?:ok|okay|fair|fine|all ?right|alright|acceptable|work|help|sound|suit|do|"
    r"enough)\b)).*\?$",
    re.IGNORECASE,
)
MARKS = str.maketrans({"*": " ", "_": " ", "’": "'", "`": " "})
DEED = re.compile(r"(?:\w+(?:ed|ing)|taken|given|sent|put|made)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """A stretch of a message.

    Attributes:
        start: Where it begins in the message.
        text: What it says, marks of emphasis blanked.
    """

    start: int
    text: str

    def cut(self, start: int, end: int) -> "Part":
        """A stretch of it, without blanks at its ends."""
        piece = self.text[start:end]
        return Part(self.start + start + len(piece) - len(piece.lstrip()), piece.strip())


@dataclass(frozen=True)
class Context:
    """What stands around a clause.

    Attributes:
        before: The sentence before.
        lead: What stands before the clause in its sentence.
        opening: The sentence that opened the list of what the company gives; empty outside of one.
    """

    before: str
    lead: str
    opening: str


def split(pattern: re.Pattern[str], part: Part) -> list[Part]:
    """A stretch cut where a pattern says, but for within a sum."""
    starts, ends = [0], list[int]()
    sums = list_spans(part.text)
    for found in pattern.finditer(part.text):
        if not any(start < found.end() and found.start() < end for start, end in sums):
            ends.append(found.start())
            starts.append(found.end())
    pieces = [part.cut(start, end) for start, end in zip(starts, [*ends, len(part.text)], strict=True)]
    return [piece for piece in pieces if piece.text]


def join_short(sentence: Part, clauses: Sequence[Part]) -> Iterator[Part]:
    """The clauses, a few words that only lead in joined with what they lead to."""
    start: int | None = None
    for number, clause in enumerate(clauses):
        begin = clause.start if start is None else start
        is_short = len(clause.text.split()) <= LONGEST_LEAD and not find_binder(clause.text)
        if is_short and LEAD.match(clause.text) and number < len(clauses) - 1:
            start = begin
            continue
        start = None
        yield sentence.cut(begin - sentence.start, clause.start - sentence.start + len(clause.text))


def list_sentences(message: str) -> list[Part]:
    """The sentences of a message, marks of emphasis and quoted words blanked; an entry of a list is one."""
    return split(SENTENCE, Part(0, blank(QUOTED, message, keep=2).translate(MARKS)))


def list_clauses(sentence: Part) -> list[Part]:
    """The clauses of a sentence that can bind each by itself."""
    return list(join_short(sentence, split(CLAUSE, sentence)))


def opens_list(sentence: str) -> bool:
    """Whether a list of what the company gives follows."""
    is_taken_back = any(search(name, sentence) for name in ("hedge", "deny", "condition", "rule"))
    return sentence.endswith(":") and bool(OPENING.search(sentence)) and not is_taken_back


def is_question(sentence: str) -> bool:
    """Whether a sentence asks what happened or what is wanted."""
    return bool(QUESTION.match(sentence))


def is_conditional(sentence: str) -> bool:
    """Whether a sentence depends on what the customer alone cannot bring about."""
    return bool(search("condition", sentence)) and not search("consent", sentence)


def find_binder(clause: str) -> re.Match[str] | None:
    """The words of a clause that bind the company, the first of them."""
    found = [search("binder", clause), search("receive", clause), begins_deed(clause)]
    return min((match for match in found if match), key=lambda match: match.start(), default=None)


def begins_deed(clause: str) -> re.Match[str] | None:
    """What a clause, or an entry of a list, says was done, where it begins with that."""
    lead = LINE.match(clause)
    deed = DEED.match(clause, lead.end() if lead else 0)
    return deed if deed and compile_list("give").fullmatch(deed.group()) else None


def does(text: str) -> bool:
    """Whether a stretch says what the company does or did, and not only names something."""
    return bool(search("binder", text) or begins_deed(text))


def blank(pattern: re.Pattern[str], text: str, keep: int = 0) -> str:
    """A text with what a pattern finds blanked but for so many last characters, so that places stay."""
    return pattern.sub(lambda found: " " * (len(found[0]) - keep) + found[0][len(found[0]) - keep :], text)
