"""Reads the report that hides in sarcasm or in a why-question.

Belongs here: "Thanks for losing my bag" -> "You lost my bag", "Why is my flight delayed?" -> "My flight is delayed.".
Not here: subjects that were left out (`subjects`).
"""

import re

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.subjects import STATES
from servicebench_data.scenarios.wordlists import word_set

_HARMS = word_set(
    "losing cancelling canceling delaying ruining making leaving breaking charging ignoring stranding keeping "
    "destroying refusing forgetting wasting bumping kicking damaging overcharging sending putting stealing "
    "changing giving selling closing misplacing denying delivering screwing messing"
)
_SARCASM = re.compile(
    rf"^(?:thanks?(?: you)?(?: so much| a lot| again)?|great job|good job|well done|nice job|way to go|congrats|"
    rf"congratulations|bravo|kudos|nice work|appreciate you|love how you are|leave it to you)(?: [\w']+){{0,3}}?,?(?: "
    rf"for| on| to)? (?:completely |totally |not )?({'|'.join(sorted(_HARMS))}) (\w.*)$",
    re.IGNORECASE,
)
_SARCASM_NOUN = re.compile(
    r"^(?:thanks?(?: you)?(?: so much| a lot| again)?)(?: [\w']+){0,3}? for (?:the|a|an|another|my|your|this) "
    r"((?:[\w-]+ ){0,4}?(?:delays?|cancell?ations?|wait|damage|headache|nightmare|layover|inconvenience|cold "
    r"food|wrong order)\b.*)$",
    re.IGNORECASE,
)
_SARCASM_LACK = re.compile(
    r"^(?:thanks?(?: you)?(?: so much| a lot| again)?)(?: [\w']+){0,3}? for (no (?!reason)[a-z]+\b.*)$", re.IGNORECASE
)
_LEAD = r"^(?:(?:so|and|but|then),? )*"
_WHY_PRONOUN = re.compile(
    rf"{_LEAD}(?:why|how come)(?: the hell| on earth| in the world)? (do|does|did|is|are|was|were|have|"
    r"has|had|can|could|will|would|am|cannot) (not )?(i|you|we|they|it|he|she)\b ?(not\b)? ?(.*)$",
    re.IGNORECASE,
)
_WHY_NOUN = re.compile(
    rf"{_LEAD}(?:why|how come)(?: the hell| on earth)? (is|are|was|were|has|have|am|does|do|did) "
    rf"(not )?((?:my|our|your|the|this|flight|every|all|there|no|boarding|earlier|other|your) ?(?:(?:\w+|"
    rf"\[[a-z]+-\d+\]) ?){{0,4}}?) "
    rf"?\b({STATES}|been|no|offered|allowed|able|working|available|telling|unable|answered|only|keep|take|refuse|cost|say|show)\b(.*)$",
    re.IGNORECASE,
)


def read_sarcasm(text: str) -> str | None:
    """The harm inside a sarcastic thanks; None where there is none."""
    noun = _SARCASM_NOUN.match(text.strip())
    if noun is not None:
        thing = noun.group(1)
        is_plural = re.match(r"(?:\S+ ){0,4}?(?:delays|cancell?ations)\b", thing, re.IGNORECASE) is not None
        return f"I had {'' if is_plural else 'an ' if thing[0].lower() in 'aeio' else 'a '}{thing}"
    lack = _SARCASM_LACK.match(text.strip())
    if lack is not None:
        return f"There was {lack.group(1)}"
    match = _SARCASM.match(text.strip())
    if match is None or " not " in text[: match.start(1)].lower():
        return None
    base = verbs.GERUND_TO_BASE.get(match.group(1).lower())
    return f"You {verbs.make_past(base)} {match.group(2)}" if base else None


def read_why(text: str) -> str | None:
    """What a why-question takes for granted; None where that cannot be told."""
    text = text.strip().rstrip("?!. ")
    match = _WHY_PRONOUN.match(text)
    if match is not None:
        return _undo_pronoun(match)
    match = _WHY_NOUN.match(text)
    if match is None or match.group(1).lower() in {"does", "do", "did"}:
        return None
    negation = "not " if match.group(2) else ""
    return f"{match.group(3).strip()} {match.group(1).lower()} {negation}{match.group(4)}{match.group(5)}."


def _undo_pronoun(match: re.Match[str]) -> str | None:
    auxiliary, subject, rest = match.group(1).lower(), match.group(3), match.group(5)
    is_negated = bool(match.group(2) or match.group(4))
    subject = "I" if subject.lower() == "i" else subject.lower()
    words = rest.split()
    if subject == "it" and auxiliary in {"is", "was"} and words[:1] == ["that"] and not is_negated:
        return f"{rest.removeprefix('that').strip()}."
    if not words or (auxiliary in {"would", "could", "will", "can"} and not is_negated):
        return None
    if auxiliary == "did" and not is_negated:
        return (
            f"{subject} {verbs.make_past(words[0].lower())} {' '.join(words[1:])}."
            if verbs.is_base(words[0].lower())
            else None
        )
    if auxiliary in {"do", "does"} and not is_negated:
        verb = words[0] if auxiliary == "do" else words[0] + "s"
        return f"{subject} {verb} {' '.join(words[1:])}." if verbs.is_base(words[0].lower()) else None
    return f"{subject} {auxiliary} {'not ' if is_negated else ''}{rest}."
