"""Names by which an agent gives away what it is: masked, so that a judge does not know whom it judges.

Belongs here: names of models, makers and of the experiment's agents in a message. Not here: words to the judge
(`injections.py`).

A name that can be nothing else is masked wherever it stands. One that is a word or a person's name, too (Claude,
Gemini, Command), is masked where somebody is named by it; what an agent called itself is masked in the customer's
messages from then on. An experiment's own names (just, customer_care) are ordinary words once they are written with
blanks: these are masked where the agent says that this is its name and nowhere else, so that every agent's ordinary
words stay alike.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

MASK = "[agent]"

_NAMES: Mapping[str, list[str]] = yaml.safe_load((Path(__file__).parent / "names.yaml").read_text(encoding="utf-8"))
_PLAIN, _SHARED, _KINDS, _NAMING, _SAYING = (
    "|".join(_NAMES[part]) for part in ("plain", "shared", "kind", "naming", "saying")
)
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
#: What follows the agent's own name where it says it, not where the name is a word of a sentence that goes on.
_AFTER_OWN = (
    r"(?=\s*(?:[,.!:)\n]|[—–]|-\s|$|(?:here|speaking)\b|and\s+i\b|your\s+(?:\w+\s+)?(?:agent|assistant|contact|bot)\b|"
    r"at\s+your\s+service\b|(?:from|by|with|at)\s+(?-i:[A-Z])))"
)
_INTRODUCED = r"(?=\s+(?:here|speaking|at\s+your\s+service)\s*(?:[,.!;:)\n]|[—–]|-\s|$|(?:and|from|with|at)\b))"
_PART = re.compile(r"[/:@]")
_JOINT = re.compile(r"[-_\s]")
_DISTINCT = re.compile(r"[\d_.]")
#: After these a name in small letters is one, too.
_SAYS = frozenset({"my name is", "call me", "i go by", "known as", "named", "called"})
_SAYS_OWN = frozenset({"my name is", "my name's", "call me", "i go by"})
_LEAST_LETTERS = 3


@dataclass(frozen=True)
class Masker:
    """Masks the names of one agent in the messages of a conversation, in their order.

    Attributes:
        everywhere: Names that can be nothing else.
        own: The agent's own names that ordinary words could be, too, where it says them; None where it has none.
        called: Patterns of what the agent has called itself so far.
    """

    everywhere: re.Pattern[str]
    own: re.Pattern[str] | None
    called: set[str] = field(default_factory=set[str])

    def mask_agent(self, text: str) -> str:
        """An agent's message without what names it; notes what it calls itself."""
        text = _BEING.sub(rf"\g<lead>{MASK}", text)
        text = self.everywhere.sub(MASK, text)
        text = self.own.sub(self._take_own, text) if self.own else text
        return _BRANDS.sub(self._take, text)

    def _take(self, found: re.Match[str]) -> str:
        """Mask a name that somebody is named by; a brand or a word in small letters is none."""
        if found["name"].islower() and found["before"].strip().lower() not in _SAYS:
            return found[0]
        self.called.add(rf"\b{re.escape(found['name'])}\b")
        return found["before"] + MASK

    def _take_own(self, found: re.Match[str]) -> str:
        """Mask the agent's own name; in small letters, or among capitals alone, it is one only where it must be."""
        name = next(filter(None, (found["said"], found["introduced"], found["signed"])))
        before = found[0].removesuffix(name)
        is_plain = name.islower() or (name.isupper() and before.isupper())
        is_sure = _DISTINCT.search(name) or (found["introduced"] and _JOINT.search(name))
        if is_plain and not is_sure and " ".join(before.lower().split()) not in _SAYS_OWN:
            return found[0]
        self.called.add(rf"\b{re.escape(name)}\b(?=\s*(?:[,.!?:;)\n]|$))")
        return before + MASK

    def mask_customer(self, text: str) -> str:
        """A customer's message without names that tell what the agent is."""
        text = self.everywhere.sub(MASK, text)
        for pattern in sorted(self.called):
            text = re.sub(pattern, MASK, text)
        return text


_BRANDS = re.compile(rf"(?P<before>(?:{_NAMING}))(?P<name>{_SHARED})\b{_AFTER}", re.IGNORECASE)


def make_masker(names: Iterable[str]) -> Masker:
    """A masker for an agent.

    Args:
        names: Its name in the experiment, the model or callable that plays it, its family.
    """
    found = {part for name in names for part in (name, name.rsplit("/", 1)[-1], *_PART.split(name)) if is_telling(part)}
    parts = sorted(found, key=lambda part: (-len(part), part))
    everywhere = [spell(part, is_free=is_strange(part)) for part in parts if not is_ordinary(part)]
    own = [spell(part, is_free=True) for part in parts if is_word(part)]
    pattern = "|".join([*everywhere, _PLAIN])
    return Masker(
        re.compile(rf"(?<![\w@-])(?:{pattern})(?![\w-])", re.IGNORECASE), compile_own("|".join(own)) if own else None
    )


def compile_own(names: str) -> re.Pattern[str]:
    """Where an agent says one of its names: after words of naming, where it introduces itself, as its signature."""
    said = rf"(?:{_SAYING})(?P<said>{names})\b{_AFTER_OWN}"
    introduced = rf"(?:^|(?<=[.!?;:\n]\s)|(?<=\n))(?P<introduced>{names}){_INTRODUCED}"
    signed = rf"(?:\n\s*|\s[—–-]\s*)(?P<signed>{names})(?=\W*\Z)"
    return re.compile(f"{said}|{introduced}|{signed}", re.IGNORECASE)


def is_telling(part: str) -> bool:
    """Whether a part of a name gives anything away: a number, or a word that any agent could be called by, does not."""
    return len(part) >= _LEAST_LETTERS and any(map(str.isalpha, part)) and part.lower() not in _GENERIC


def is_ordinary(part: str) -> bool:
    """Whether an ordinary sentence could hold a name as it is written: words, with hyphens at most."""
    return part.replace("-", "").isalpha()


def is_word(part: str) -> bool:
    """Whether a name could be made of ordinary words once it has blanks; brands have a rule of their own."""
    return not (_PART.search(part) or is_strange(part) or re.fullmatch(_SHARED, part, re.IGNORECASE))


def is_strange(part: str) -> bool:
    """Whether no ordinary sentence holds a name even with blanks in it, as one could hold `option 2`."""
    words = _JOINT.split(part)
    if not any(map(str.isdigit, part)):
        return False
    is_mixed = any(not word.isalpha() and not word.isdigit() for word in words)
    return is_mixed or len(words) > 2 or any(re.fullmatch(_SHARED, word, re.IGNORECASE) for word in words)


def spell(part: str, *, is_free: bool) -> str:
    """A pattern of a name: as it is written, or with blanks, hyphens or nothing between its words."""
    return r"[-_\s]?".join(map(re.escape, _JOINT.split(part))) if is_free else re.escape(part)
