"""Gives a sentence the subject that its writer left out, and turns sarcasm and why-questions into the report they hold.

Belongs here: "Been waiting 2 hours" -> "I have been waiting 2 hours", "Thanks for losing my bag" -> "You lost my bag",
"Why is my flight delayed?" -> "My flight is delayed.". Not here: pronouns and tense (`rewriting`).
"""

import re

from servicebench_data.scenarios import verbs

_NOUNS = (
    r"(?:connecting flight|return flight|flight|flights|bags?|luggage|suitcase|baggage|orders?|driver|food|room|plane|app|website|site|delivery|package|reservation|booking|connection|seats?|tickets?|card|account|"
    r"internet|wifi|system|staff|crew|gate agents?|flight attendants?|agent|customer service|front desk|manager|restaurant|store|drink|meal|pickup|ride|trip|refund|item|items|shower|toilet|tv|ac|bed|check-?in|boarding|kiosk|line|payment)"
)
_STATES = (
    r"(?:delayed|cancelled|canceled|lost|missing|late|broken|damaged|closed|overbooked|diverted|grounded|gone|wrong|cold|dirty|full|rescheduled|changed|pushed|denied|refused|locked|blocked|charged|missed|destroyed|ruined|"
    r"stolen|rerouted|down|stuck|frozen|unavailable|not|still|being|supposed|so|too|never|always|full|on hold|in|at|on|out|sold|held|left|taking|getting|given|separated|overcharged|marked|showing)"
)
_FLIGHT_NUMBER = r"(?: #?(?:[A-Z]{2} ?)?\d{1,4})?"
_BARE_NOUN = re.compile(rf"^({_NOUNS})({_FLIGHT_NUMBER}) ({_STATES})\b", re.IGNORECASE)
_BARE_NOUN_FINITE = re.compile(rf"^({_NOUNS})({_FLIGHT_NUMBER}) (\w+)\b", re.IGNORECASE)
_COMPANY_ACTS = frozenset(
    "lost cancelled canceled delayed broke damaged ruined charged overcharged refused denied forgot sent gave told kicked made left bumped changed sold let kept took stole ignored hung promised treated moved put threw stranded".split()
)
_ABOUT_CUSTOMER = frozenset("me my us our".split())
_LEFT_OUT = frozenset(
    "stuck stranded waiting sitting standing trying flying travelling traveling on having being unable supposed forced trapped delayed locked getting calling paying holding".split()
)
_ADVERBS = frozenset("just still never finally already even only also then now currently always recently almost literally again not".split())
_HOLDS = re.compile(
    r"^((?:(?:almost|over|nearly|about|more than|another|past|going on|now) )*(?:an?|half an|\d+(?:\.\d+)?\+?|one|two|three|four|five|six|several)[ -]?(?:hours?|minutes|days?|weeks?|months?)(?: and (?:counting|a half|\d+ minutes))?),? "
    r"(?:now |so far )?(on hold|waiting|on the tarmac|on the runway|in line|in the queue|sitting|standing|on the phone|at the gate|in the plane|on the plane)\b",
    re.IGNORECASE,
)
_SARCASM = re.compile(r"^(?:thanks?(?: you)?(?: so much| a lot| again)?|great job|good job|well done|nice job|way to go|congrats|congratulations|bravo|kudos|nice work|appreciate you|love how you are|leave it to you)(?: \w+)?,?(?: for| on| to)? (?:completely |totally |not )?(\w+ing) (\w.*)$", re.IGNORECASE)
_HARMS = frozenset(
    "losing cancelling canceling delaying ruining making leaving breaking charging ignoring stranding keeping destroying refusing forgetting wasting bumping kicking damaging overcharging sending putting stealing changing giving selling".split()
)
_WHY_PRONOUN = re.compile(r"^(?:so |and |but )?(?:why|how come)(?: the hell| on earth| in the world)? (do|does|did|is|are|was|were|have|has|had|can|could|will|would|am) (not )?(i|you|we|they|it|he|she)\b ?(not\b)? ?(.*)$", re.IGNORECASE)
_WHY_NOUN = re.compile(
    rf"^(?:so |and |but )?(?:why|how come)(?: the hell| on earth)? (is|are|was|were|has|have|am|does|do|did) (not )?((?:my|our|your|the|this|flight|every|all|there) ?(?:(?:\w+|\[[a-z]+-\d+\]) ?){{0,4}}?) ?\b({_STATES}|been|no|only|keep|take|refuse|cost|say|show)\b(.*)$",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\bno\b", re.IGNORECASE)


def complete_subject(text: str) -> str:
    """The sentence with the subject that was left out, where a rule knows which; unchanged otherwise."""
    held = _HOLDS.match(text)
    if held is not None:
        place = held.group(2)
        rest = text[held.end() :]
        return f"I have been {place} for {held.group(1)[0].lower()}{held.group(1)[1:]}{rest}"
    noun = _complete_noun(text)
    if noun is not None:
        return noun
    return _complete_verb(text)


def _complete_noun(text: str) -> str | None:
    match = _BARE_NOUN.match(text)
    if match is not None:
        word = match.group(1).lower()
        copula = "" if match.group(3).lower() in {"never", "always"} else (" were" if _is_plural(word) else " was")
        return f"My {word}{match.group(2)}{copula} {match.group(3)}{text[match.end() :]}".replace("My flight attendants", "Flight attendants")
    match = _BARE_NOUN_FINITE.match(text)
    if match is not None and verbs.is_finite(match.group(3).lower()) and match.group(3).lower() not in {"s"}:
        word = match.group(1)
        return f"{'The' if not match.group(2) else 'My'} {word[0].lower()}{word[1:]}{text[len(word) :]}"
    if re.match(r"^(?:still )?no [a-z]+", text, re.IGNORECASE) and not _has_finite(text):
        return f"There was {text[0].lower()}{text[1:]}"
    return None


def _is_plural(noun: str) -> bool:
    return noun.endswith("s") and noun not in {"gps"}


def _has_finite(text: str) -> bool:
    return any(verbs.is_finite(word) for word in re.findall(r"[a-z']+", text.lower()))


def _complete_verb(text: str) -> str:
    words = text.split()
    index = 0
    while index < len(words) - 1 and words[index].lower().strip(",") in _ADVERBS:
        index += 1
    if not words or index > 3:
        return text
    first, following = words[index].lower().strip(",."), words[index + 1].lower().strip(",.") if index + 1 < len(words) else ""
    rest = text[0].lower() + text[1:]
    subject = _find_subject(first, following, has_adverb=index > 0)
    return f"{subject} {rest}" if subject else text


def _find_subject(first: str, following: str, *, has_adverb: bool) -> str:
    if first == "been":
        return "I have"
    if first in {"seemed", "sounded", "happened", "smelled", "worked", "looked", "turned"} or (first == "took" and following not in {"my", "the", "off", "a", "our"}):
        return "It"
    if first in _COMPANY_ACTS and following in _ABOUT_CUSTOMER:
        return "They"
    if first in _LEFT_OUT and following not in {"is", "was", "are"}:
        return "I have been" if first in {"waiting", "sitting", "standing", "trying", "holding", "calling"} and not has_adverb else "I am"
    if first == "has" and following in {"been", "taken"}:
        return "It"
    if first in {"was", "have", "had", "could", "cannot", "did"} and following not in {"i", "you", "we", "they", "it", "my", "the", "your", "a", "anyone", "this", "that", "he", "she"}:
        return "I"
    if first == "haven't":
        return "I"
    return "I" if verbs.is_past(first) and first not in {"were", "cut", "put", "set", "let", "read", "hurt", "cost", "left", "shut", "hit", "split"} and following not in {"by", "i", "flight", "flights", "service", "bag", "bags"} else ""


def read_sarcasm(text: str) -> str | None:
    """The harm inside a sarcastic thanks ("Thanks for losing my bag" -> "You lost my bag"); None where there is none."""
    match = _SARCASM.match(text.strip())
    if match is None or match.group(1).lower() not in _HARMS or " not " in text[: match.start(1)].lower():
        return None
    base = verbs.GERUND_TO_BASE.get(match.group(1).lower())
    return f"You {verbs.make_past(base)} {match.group(2)}" if base else None


def read_why(text: str) -> str | None:
    """What a why-question takes for granted ("Why did you cancel my flight?" -> "You cancelled my flight."); else None."""
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
    if not words or auxiliary in {"would", "could", "will", "can"} and not is_negated:
        return None
    if auxiliary == "did" and not is_negated:
        return f"{subject} {verbs.make_past(words[0].lower())} {' '.join(words[1:])}." if verbs.is_base(words[0].lower()) else None
    if auxiliary in {"do", "does"} and not is_negated:
        verb = words[0] if auxiliary == "do" else words[0] + "s"
        return f"{subject} {verb} {' '.join(words[1:])}." if verbs.is_base(words[0].lower()) else None
    return f"{subject} {auxiliary} {'not ' if is_negated else ''}{rest}."
