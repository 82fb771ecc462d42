"""Names by which an agent gives away what it is: masked, so that a judge does not know whom it judges.

Belongs here: names of models, makers and of the experiment's agents in a message. Not here: words to the judge
(`injections.py`).

A name that can be nothing else is masked wherever it stands. One that is a word or a person's name, too (just, Claude,
Gemini, Command), is masked where somebody is named by it; what an agent called itself is masked in the customer's
messages from then on.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

MASK = "[agent]"

_NAMES: Mapping[str, list[str]] = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
_PLAIN, _SHARED, _KINDS, _NAMING = ("|".join(_NAMES[part]) for part in ("plain", "shared", "kind", "naming"))
_GENERIC = frozenset(word for line in _NAMES["generic"] for word in line.split())

_LEAD = r"\b(?:as|i\s+am|i'm|i’m|am|being|this\s+is|it's|just|only|merely|with|to)\s+|,\s+"
_KIND = rf"(?:an?|the|your)\s+(?:\w+\s+){{0,2}}?(?:{_KINDS})\b(?:[-\s]+(?:based|powered|driven))?"
_WHAT = r"(?:\s+(?:language\s+model|model|assistant|agent|system|bot|chat\s?bot|program|llm|service))?"
_MADE = r"made|built|trained|developed|created|provided|designed|powered|run|operated"
_MAKER = r"(?-i:[A-Z]\w*(?:\.\w+)?(?:\s[A-Z]\w*)?)"
_BEING = re.compile(
    rf"(?P<lead>{_LEAD}){_KIND}{_WHAT}(?:,?\s+(?:(?:that|which)\s+(?:was|is)\s+)?(?:{_MADE})\s+by\s+{_MAKER})?",
    re.IGNORECASE,
)
_AFTER = (
    r"(?=\s*(?:here\b|speaking\b|model\b|assistant\b|ai\b|llm\b|bot\b|agent\b|,|\.|!|:|\)|$|\n|and\b|from\b|by\b|with\b|"
    r"your\b|at\b))"
)
_PART = re.compile(r"[/:@]")
_DISTINCT = re.compile(r"[\d_./:-]")
#: After these a name in small letters is one, too.
_SAYS = frozenset({"my name is", "call me", "i go by", "known as", "named", "called"})


@dataclass(frozen=True)
class Masker:
    """Masks the names of one agent in the messages of a conversation, in their order.

    Attributes:
        everywhere: Names that can be nothing else.
        words: The agent's own names that are words, too.
        called: What the agent has called itself so far.
    """

    everywhere: re.Pattern[str]
    words: tuple[str, ...]
    called: set[str] = field(default_factory=set[str])

    def mask_agent(self, text: str) -> str:
        """An agent's message without what names it; notes what it calls itself."""
        text = _BEING.sub(rf"\g<lead>{MASK}", text)
        text = self.everywhere.sub(MASK, text)
        own = "|".join(re.escape(word) for word in self.words)
        for names in filter(None, (own, _SHARED)):
            naming = re.compile(rf"(?P<before>(?:{_NAMING}))(?P<name>{names})\b{_AFTER}", re.IGNORECASE)
            text = naming.sub(self._take, text)
        for word in self.words:
            text = re.sub(rf"(?<=[\w,;] ){re.escape(word.capitalize())}\b|\b{re.escape(word.upper())}\b", MASK, text)
        return text

    def _take(self, found: re.Match[str]) -> str:
        """Mask a name that somebody is named by; a brand or a word in small letters is none."""
        if found["name"].islower() and found["before"].strip().lower() not in _SAYS:
            return found[0]
        self.called.add(found["name"])
        return found["before"] + MASK

    def mask_customer(self, text: str) -> str:
        """A customer's message without names that tell what the agent is."""
        text = self.everywhere.sub(MASK, text)
        for name in sorted(self.called):
            text = re.sub(rf"\b{re.escape(name)}\b", MASK, text)
        return text


def make_masker(names: Iterable[str]) -> Masker:
    """A masker for an agent.

    Args:
        names: Its name in the experiment, the model or callable that plays it, its family.
    """
    parts = {part for name in names for part in (name, *_PART.split(name)) if part and part.lower() not in _GENERIC}
    distinct = sorted(
        (part for part in parts if _DISTINCT.search(part) and len(part) > 2), key=lambda part: (-len(part), part)
    )
    spelled = [r"[-_\s]?".join(re.escape(piece) for piece in re.split(r"[-_\s]", part)) for part in distinct]
    words = sorted(part for part in parts if part.isalpha() and len(part) > 2)
    pattern = "|".join([*spelled, _PLAIN])
    return Masker(re.compile(rf"(?<![\w@-])(?:{pattern})(?![\w-])", re.IGNORECASE), tuple(words))
