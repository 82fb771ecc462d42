"""The words of the rule-based customer: which phrase on which occasion, and the scenario's own words in it.

Belongs here: phrases and how they are chosen. Not here: which occasion it is (`rules.py`).
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import yaml

from schemas.simulation import Style
from servicebench_data.simulation.turns import KnownFact

FILE = Path(__file__).with_name("phrases.yaml")
#: Words that only begin a sentence with a capital.
_SMALL = re.compile(r"(?:My|We|They|It|He|She|The|Our|There|This|That|Their|An?|These|Those|Some|Nobody|When|After)\b")
_WANTS = re.compile(
    r"\AThe customer (?:would (?:accept|like|welcome)|asks for|wants|expects|needs|hopes for|wishes for)"
    r"(?: having| an offer)? (.+?)\.?\Z",
    re.DOTALL,
)
_ORDER = re.compile(r"\Ato ")
_SELF: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\bthe customer['’]s\b", re.IGNORECASE), "my"),
    (re.compile(r"\bthe customer\b", re.IGNORECASE), "me"),
    (re.compile(r"\bgets them where they need\b"), "gets me where I need"),
    (re.compile(r"\bbrought to them\b"), "brought to me"),
    (re.compile(r"\bto me is\b"), "to me being"),
)


@cache
def load_phrases() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Phrases by style and occasion."""
    return yaml.safe_load(FILE.read_text(encoding="utf-8"))


def tell_wish(action: str) -> str | None:
    """A wished action as something that the customer would name; None where the sentence cannot be turned."""
    match = _WANTS.match(action.strip())
    if match is None:
        return None
    wish = match[1]
    for pattern, word in _SELF:
        wish = pattern.sub(word, wish)
    return f"for you {wish}" if _ORDER.match(wish) else wish


def join_facts(facts: Sequence[KnownFact]) -> str:
    """What some facts say, each sentence once."""
    return " ".join(dict.fromkeys(end(fact.statement) for fact in facts))


def end(sentence: str) -> str:
    """A sentence with a stop."""
    plain = sentence.strip()
    return plain if plain.endswith((".", "!", "?", "…")) else f"{plain}."


def soften(statement: str) -> str:
    """A statement as it stands after a colon or a comma."""
    return statement[0].lower() + statement[1:] if _SMALL.match(statement) else statement


@dataclass
class Speaker:
    """Chooses phrases by hash for one message; never one that the customer has used before in the conversation.

    Attributes:
        style: How the customer communicates.
        source: What the choice depends on: the seed and the turn.
        used: All that the customer said before, as one text.
        values: What the braces stand for; a phrase that needs something else is not used.
        said: Sentences of this message so far.
    """

    style: Style
    source: str
    used: str
    values: Mapping[str, str]
    said: list[str] = field(default_factory=list[str])

    def say(self, occasion: str) -> bool:
        """Say a phrase for an occasion; False where none is left."""
        phrases = load_phrases()[self.style].get(occasion, ())
        fresh = [phrase for phrase in phrases if self.is_fresh(phrase)]
        fit = [phrase for phrase in fresh if set(list_names(phrase)) <= self.values.keys()]
        if not fit:
            return False
        chosen = min(fit, key=lambda phrase: hash_words(self.source, occasion, phrase))
        self.said.append(fill(chosen, self.values))
        return True

    def is_fresh(self, phrase: str) -> bool:
        """Whether the longest fixed stretch of a phrase has not been said before."""
        return max(re.split(r"\{\w+\}", phrase), key=len).strip() not in self.used or phrase == "{fact}"


def list_names(phrase: str) -> Iterator[str]:
    """Names in braces."""
    return (match[1] for match in re.finditer(r"\{(\w+)\}", phrase))


def fill(phrase: str, values: Mapping[str, str]) -> str:
    """A phrase with its values; one at its beginning gets a capital, a fact after a colon or comma a small letter."""
    text = re.sub(r"(?<=[:,] )\{fact\}|(?<=but )\{fact\}", lambda _: soften(values["fact"]), phrase)
    text = re.sub(r"\{(\w+)\}", lambda match: values[match[1]], text)
    return text[0].upper() + text[1:]


def hash_words(*words: str) -> str:
    """A number of chance that depends on these words alone."""
    return hashlib.sha256("|".join(words).encode()).hexdigest()
