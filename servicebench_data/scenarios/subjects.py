"""Gives a sentence the subject that its writer left out.

Belongs here: "Been waiting 2 hours" -> "I have been waiting 2 hours", "Flight delayed" -> "My flight was delayed".
Not here: sarcasm and questions (`hidden`), pronouns and tense (`rewriting`).
"""

import re

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.wordlists import word_set

_NOUNS = (
    r"(?:connecting flight|return flight|flight|flights|bags?|luggage|suitcase|baggage|orders?|driver|food|"
    r"room|plane|app|website|site|delivery|package|reservation|booking|connection|seats?|tickets?|card|account|"
    r"internet|wifi|system|staff|crew|gate agents?|flight attendants?|agent|customer service|front desk|"
    r"manager|restaurant|store|drink|meal|pickup|ride|trip|refund|item|items|shower|toilet|tv|ac|bed|check-?in|"
    r"boarding|kiosk|line|payment)"
)
STATES = (
    r"(?:delayed|cancelled|canceled|lost|missing|late|broken|damaged|closed|overbooked|diverted|grounded|gone|"
    r"wrong|cold|dirty|full|rescheduled|changed|pushed|denied|refused|locked|blocked|charged|missed|destroyed|"
    r"ruined|"
    r"stolen|rerouted|down|stuck|frozen|unavailable|not|still|being|supposed|so|too|never|always|full|on hold|"
    r"in|at|on|out|sold|held|left|taking|getting|given|separated|overcharged|marked|showing)"
)
#: After these a verb may still follow, and then nothing was left out but the determiner.
_WEAK_STATES = word_set("in at on out so too not still")
_TRANSITIVE = word_set(
    "left refused denied changed charged missed lost cancelled canceled closed broke marked given sold held taking "
    "getting showing overcharged damaged destroyed ruined locked blocked"
)
_FLIGHT_NUMBER = r"(?: #?(?:[A-Z]{2} ?)?\d{1,4})?"
_BARE_NOUN = re.compile(rf"^({_NOUNS})({_FLIGHT_NUMBER}) ({STATES})\b", re.IGNORECASE)
#: People, who are nobody's, and who leave rather than are left.
_STAFF = re.compile(
    r"drivers?|staff|crew|gate agents?|flight attendants?|agent|customer service|front desk|manager", re.IGNORECASE
)
_ACTS_ON = re.compile(r" (?:an?|the|my|me|us|our|it|him|her|them|\d|all|everything)\b")
_DEPARTED = re.compile(r" (?:at|on time|early|late|from|without|\d)", re.IGNORECASE)
_BARE_NOUN_FINITE = re.compile(rf"^({_NOUNS})({_FLIGHT_NUMBER}) (\w+)\b", re.IGNORECASE)
_COMPANY_ACTS = word_set(
    "lost cancelled canceled delayed broke damaged ruined charged overcharged refused denied forgot sent gave told "
    "kicked made left bumped changed sold let kept took stole ignored hung promised treated moved put threw "
    "stranded blocked marked shipped rejected swapped seated served blamed delivered misplaced mishandled crushed "
    "ripped smashed wasted declined deleted locked suspended terminated deactivated searched overbooked downgraded"
)
#: Who did it cannot be told from these alone.
_UNCLEAR_ACTS = word_set(
    "changed delayed cancelled canceled lost diverted rerouted denied refused ignored charged overcharged closed "
    "moved bumped broke damaged sent delivered"
)
#: What the customer does, though others may stand near: "Watched the crew ignore me".
_OWN_ACTS = word_set(
    "waited watched saw heard felt paid ordered booked bought called flew drove arrived landed checked queued sat "
    "stood slept missed spent needed wanted reported complained emailed requested applied begged had got found walked "
    "ran met"
)
#: The customer is the object of the act, and so not its doer: "Hung up on me", "Picked two of us", "Tried to bill us".
_DONE_TO = re.compile(
    r"^\w+ (?:me|us)\b|^(?:yelled|shouted|screamed|swore|laughed|cursed|lied|spat) (?:at|to|on) (?:my|our)\b",
    re.IGNORECASE,
)
_DONE_NEAR = re.compile(
    r"^\w+ (?:(?!(?:h[ie][mr]|them|it|some\w+|who|that|and|but|with|for|around|behind|beside|near|before|after|than)\b|"
    r"to (?!me\b|us\b))[\w'-]+ ){1,3}(?:me|us)\b",
    re.IGNORECASE,
)
_MEANT_FOR = re.compile(r"^\w+ to (?!get\b|book\b|rebook\b|find\b|check\b)\w+ (?:me|us)\b", re.IGNORECASE)
#: How long something took, or what it cost, is no one's act.
_TOOK = re.compile(
    r"^(?:took|cost) (?:me|us) (?:an?\b|over\b|almost\b|about\b|since\b|until\b|all\b|"
    r"[$£€\d]|\w+ (?:hours|minutes|days|weeks)\b)"
)
_SAYING = word_set("said claimed insisted explained admitted replied")
_SAID = re.compile(
    r"^\w+ (?:that\b|it\b|they\b|there\b|he\b|she\b|I\b|we\b|"
    r"(?:the|my|our|no) \w+ (?:\w+ )?(?:is|are|was|were|will|would|can|could|has|had)\b)"
)
#: Either side asks, or takes.
_UNCLEAR = re.compile(
    r"^(?:asked (?:if|whether)\b|asked for (?:my |our |an? )?(?:card|receipt|number)\b|"
    r"took (?:my|our) .*\b(?:off|away|from|out)\b|(?:carried|went|kept|moved) (?:straight |right )?on\b)",
    re.IGNORECASE,
)
_ASKED_OF = re.compile(r"^asked for (?:my |our |some |photo )*(?:ids?|passports?|proof|an? tip)\b", re.IGNORECASE)
_RIDDEN = re.compile(
    r"^on (?:an?|the) (?:[\w-]+ ){0,3}?(?:flight|plane|bus|train|call|phone|tarmac|runway|boat|ship|trip|ride|"
    r"(?:wait)?list|line|coach|ferry)\b|^on hold\b",
    re.IGNORECASE,
)
_PASSIVES = word_set(
    "told informed promised delayed denied stranded charged overcharged ignored bumped rerouted rebooked assured "
    "advised treated stuck ghosted"
)
_AFTER_PASSIVE = word_set(
    "to that it by there no at in on for because over again another twice entry boarding several multiple like and"
)
_LEFT_OUT = word_set(
    "stuck stranded waiting sitting standing trying dealing flying travelling traveling on having being unable "
    "supposed "
    "forced trapped delayed locked getting calling paying holding"
)
_ADVERBS = word_set(
    "just still never finally already even only also then now currently always recently almost literally again not"
)
_HOLDS = re.compile(
    r"^((?:(?:almost|over|nearly|about|more than|another|past|going on|now) )*(?:an?|half an|\d+(?:\.\d+)?\+?|"
    r"one|two|three|four|five|six|several)[ -]?(?:hours?|minutes|days?|weeks?|months?)(?: and (?:counting|a "
    r"half|\d+ minutes))?),? "
    r"(?:now |so far )?(on hold|waiting|on the tarmac|on the runway|in line|in the queue|sitting|standing|on "
    r"the phone|at the gate|in the plane|on the plane)\b",
    re.IGNORECASE,
)
_STAY = re.compile(
    r"^((?:I|we) (?:was|were)) ((?:\d+|an?|two|three|four|five|six) (?:hours?|minutes))[. ]*$", re.IGNORECASE
)
_DELAY = re.compile(
    r"^(?:another |an? )?((?:\d+\+?|one|two|three|four|five|six)[ -]?(?:hours?|minutes?|days?)[ -](?:flight |"
    r"gate )?(?:delay|wait|layover))\b",
    re.IGNORECASE,
)
_PARTICIPLE_NOUN = re.compile(
    r"^(lost|delayed|cancelled|canceled|damaged|missed|stolen|wrong|overbooked) ((?:connecting |checked )"
    r"?(?:luggage|bags?|baggage|suitcase|flights?|orders?|items?|reservation|package|connection))(?= (?:on|in|"
    r"at|from|for|by|again|now|since|yesterday|today|tonight|twice|after|because|when|with|this|last|due|to|\d)"
    r"\b|[,.]|$)(.*)$",
    re.IGNORECASE,
)
_BARE_ROLE = re.compile(
    r"^((?:gate |ticket |check-?in |desk |phone |delivery |store |front desk |hotel |night )?(?:agent|attendant|"
    r"driver|pilot|captain|manager|supervisor|cashier|rep|representative|employee|clerk|lady|guy|receptionist|"
    r"restaurant|courier)) (\w+)",
    re.IGNORECASE,
)
_MANY = re.compile(
    r"^((?:\d+|two|three|four|five|six|several) (?:flights|bags|orders|items|suitcases)(?: in a row)?) (delayed|"
    r"cancelled|canceled|lost|damaged|missing|wrong|late|stuck)\b",
    re.IGNORECASE,
)
FIXED_SUBJECTS = {
    "been": "I have", "seemed": "It", "sounded": "It", "happened": "It", "smelled": "It", "worked": "It",
    "looked": "It", "turned": "It",
}  # fmt: skip
#: What pages and people say: "Been saying that for 6 hours" is not the customer's.
_SHOWN = word_set("saying showing displaying reading promising")
#: Acts of either side, where "my" after them does not tell whose.
_EITHER_ACTS = word_set("made let told promised treated kept left took sent")
#: Somebody else did it: "Signed for at 10:22 by J".
BY_ANOTHER = re.compile(
    r"\bby (?!\w+ing\b|\d|(?:the time|now|then|e?-?mail|phone|post|bus|car|train|taxi)\b)", re.IGNORECASE
)
_LENGTHS = word_set("an over almost about forever ages so hours days weeks longer more nearly two three four five six")
_LASTING = word_set("waiting sitting standing trying holding calling")
_LEAST_WORDS = 3
_TO_CUSTOMER = re.compile(r"(?:\w+ ){1,3}(?:me|us)\b", re.IGNORECASE)
_GERUND_ENDS = word_set("and but because while when that which who where as if since what why how i we they you it")
_AFTER_STATE = word_set("hold a the trouble issues problems difficulty an")
_INVERTED = word_set("i you we they it my the your a anyone this that he she")
_SAME_AS_BASE = word_set("were cut put set let read hurt cost left shut hit split")
_NOT_OBJECTS = word_set("by i flight flights service bag bags")


def complete_subject(text: str) -> str:
    """The sentence with the subject that was left out, where a rule knows which; unchanged otherwise."""
    held = _HOLDS.match(text)
    if held is not None:
        place = held.group(2)
        rest = text[held.end() :]
        return f"I have been {place} for {held.group(1)[0].lower()}{held.group(1)[1:]}{rest}"
    stay = _STAY.match(text)
    if stay is not None:
        return f"{stay.group(1)} there for {stay.group(2)}."
    noun = _complete_noun(text) or _complete_participle(text) or _complete_delay(text)
    if noun is not None:
        return noun
    role = _BARE_ROLE.match(text)
    if role is not None and verbs.is_finite(role.group(2).lower()):
        return f"The {text[0].lower()}{text[1:]}"
    many = _MANY.match(text)
    if many is not None:
        return f"{many.group(1)} were {many.group(2)}{text[many.end() :]}"
    return _complete_verb(text)


def _complete_noun(text: str) -> str | None:
    match = _BARE_NOUN.match(text)
    if match is not None and match.group(3).lower() == "left" and _DEPARTED.match(text[match.end() :]):
        match = None
    is_staff = match is not None and _STAFF.fullmatch(match.group(1)) is not None
    is_active = match is not None and (
        (match.group(3).lower() in _TRANSITIVE and _ACTS_ON.match(text[match.end() :]) is not None)
        or (match.group(3).lower() == "left" and is_staff)
    )
    if (
        match is not None
        and not is_active
        and not (match.group(3).lower() in _WEAK_STATES and _has_finite(text[match.end() :]))
    ):
        word = match.group(1).lower()
        copula = "" if match.group(3).lower() in {"never", "always"} else (" were" if _is_plural(word) else " was")
        return f"{'The' if is_staff else 'My'} {word}{match.group(2)}{copula} {match.group(3)}{text[match.end() :]}"
    if is_staff and not is_active:
        return f"The {text[0].lower()}{text[1:]}"
    match = _BARE_NOUN_FINITE.match(text)
    if match is not None and verbs.is_finite(match.group(3).lower()) and match.group(3).lower() != "s":
        word = match.group(1)
        return f"{'The' if not match.group(2) else 'My'} {word[0].lower()}{word[1:]}{text[len(word) :]}"
    if re.match(r"^(?:still )?no [a-z]+", text, re.IGNORECASE) and not _has_finite(text):
        noun = re.match(r"^(?:still )?no (?:[a-z]+ )??([a-z]+)\b", text, re.IGNORECASE)
        is_plural = noun is not None and _is_plural(noun.group(1))
        return f"There {'were' if is_plural else 'was'} {text[0].lower()}{text[1:]}"
    return None


def _complete_delay(text: str) -> str | None:
    match = _DELAY.match(text)
    if match is None or re.search(r" (?:is|are) ", text[match.end() :]):
        return None
    return f"There was {'an' if match.group(1)[0] in 'aeio8' else 'a'} {match.group(1)}{text[match.end() :]}"


def _complete_participle(text: str) -> str | None:
    match = _PARTICIPLE_NOUN.match(text)
    if match is None:
        return None
    state, noun = match.group(1).lower(), match.group(2).lower()
    if state == "missed":
        return f"I missed my {noun}{match.group(3)}"
    return f"My {noun} {'were' if _is_plural(noun) else 'was'} {state}{match.group(3)}"


def _is_plural(noun: str) -> bool:
    return noun.endswith("s")


def _has_finite(text: str) -> bool:
    return any(verbs.is_finite(word) or word.endswith("ed") for word in re.findall(r"[a-z']+", text.lower()))


def _complete_verb(text: str) -> str:
    words = text.split()
    index = 0
    while index < len(words) - 1 and (
        words[index].lower().strip(",") in _ADVERBS or (words[index].lower().endswith("ly") and index == 0)
    ):
        index += 1
    if not words or index > 3:
        return text
    if words[index].endswith(","):
        return text
    if _is_gerund_subject(words[index:]):
        return text
    first, following = (
        words[index].lower().strip("."),
        words[index + 1].lower().strip(",.") if index + 1 < len(words) else "",
    )
    rest = text[0].lower() + text[1:]
    act = " ".join(words[index:])
    subject = "It" if _TOOK.match(act.lower()) else _find_subject(first, following, has_adverb=index > 0)
    if subject == "I":
        subject = find_doer(first, act)
    if first == "on" and not _RIDDEN.match(act):
        return text
    return f"{subject} {rest}" if subject else text


def find_doer(first: str, act: str) -> str:
    """Who does what a bare verb tells; empty where it may be either side, or too little is told.

    Args:
        first: The verb.
        act: All that is told from the verb on.
    """
    if first in {"could", "cannot", "did"} and _TO_CUSTOMER.match(act):
        return "They"
    if len(act.split()) < (4 if first in {"could", "cannot"} else _LEAST_WORDS) or _UNCLEAR.match(act):
        return ""
    if not verbs.is_past(first) or first in {"was", "had", "did"}:
        return "I"
    if _ASKED_OF.match(act):
        return "I was"
    if first in _SAYING:
        return "They" if _SAID.match(act) or _is_done_to_customer(first, act) else ""
    return "They" if _is_done_to_customer(first, act) else "I"


def is_customers_act(first: str, act: str) -> bool:
    """Whether a bare verb, of which `find_doer` says more, can only be the customer's."""
    return first not in _UNCLEAR_ACTS | _COMPANY_ACTS and find_doer(first, act) == "I"


def _is_done_to_customer(first: str, act: str) -> bool:
    return (
        _DONE_TO.match(act) is not None
        or (first not in _OWN_ACTS and _DONE_NEAR.match(act) is not None)
        or _MEANT_FOR.match(act) is not None
    )


def _is_gerund_subject(words: list[str]) -> bool:
    """Whether an -ing form that opens a sentence is the subject itself: "Calling in is not helping"."""
    if not words[0].lower().endswith("ing"):
        return False
    for word in words[1:]:
        if word.endswith((",", ":", ";")) or word.lower() in _GERUND_ENDS:
            return False
        if word.lower() in {"is", "was", "are", "isn't", "wasn't", "has", "does"}:
            return True
    return False


def _find_subject(first: str, following: str, *, has_adverb: bool) -> str:
    """What stands before a verb that opens a sentence; empty where it cannot be told."""
    if first == "been" and following in _SHOWN:
        return ""
    if first in FIXED_SUBJECTS:
        return FIXED_SUBJECTS[first]
    if first in {"cannot", "could"} and following == "be":
        return "It"
    return _find_passive(first, following) or _find_actor(first, following, has_adverb=has_adverb)


def _find_passive(first: str, following: str) -> str:
    if first == "told" and following in {"we", "i", "my", "our", "they"}:
        return "I was"
    if first in _PASSIVES and (following in _AFTER_PASSIVE or not following):
        return "I was"
    if first == "took" and (following in _LENGTHS or following[:1].isdigit()):
        return "It"
    return "It" if first == "has" and following in {"been", "taken"} else ""


def _find_actor(first: str, following: str, *, has_adverb: bool) -> str:
    if first in _COMPANY_ACTS and (
        following in {"me", "us"} or (following in {"my", "our"} and first not in _EITHER_ACTS)
    ):
        return "They"
    if first in _UNCLEAR_ACTS:
        return ""
    if first in _LEFT_OUT and following not in {"is", "was", "are"}:
        return _find_left_out(first, following, has_adverb=has_adverb)
    if first in {"was", "have", "had", "could", "cannot", "did"}:
        return "" if following in _INVERTED else "I"
    is_past = verbs.is_past(first) and first not in _SAME_AS_BASE
    return "I" if is_past and following not in _NOT_OBJECTS else ""


def _find_left_out(first: str, following: str, *, has_adverb: bool) -> str:
    if first in {"on", "having"} and following not in _AFTER_STATE:
        return ""
    return "I have been" if first in _LASTING and not has_adverb else "I am"
