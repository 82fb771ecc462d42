"""Reads a report out of a fragment without a verb, out of a "when you …" sketch, or out of a polite question.

Belongs here: "Delay and no reliable info." -> "There was a delay and no reliable info." Not here: missing subjects
(`subjects`), sarcasm and plain why-questions (`hidden`). Every template only puts words around what was said: nothing
that was said is changed, so that the checks of grounding hold.
"""

import re

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.prose import CLEAR_THIRD
from servicebench_data.scenarios.sentences import SUPPOSED
from servicebench_data.scenarios.subjects import is_customers_act
from servicebench_data.scenarios.wordlists import word_set

_LENGTH = (
    r"(?:(?:almost|over|nearly|about|more than|another|now) )*(?:an?|half an|\d+(?:\.\d+)?\+?|one|two|three|four|five|"
    r"six|seven|eight|nine|ten|eleven|twelve|several) ?-?(?:hours?|minutes|days?|weeks?|months?)\+?"
    r"(?: and (?:counting|a half|\d+ minutes))?"
)
_SPAN_AT = re.compile(
    rf"^({_LENGTH}),? (?:now |so far )?((?:inside|in|on|at|without|with|into|stuck|of (?:waiting|sitting|"
    rf"standing|being))"
    r"\b.+)$",
    re.IGNORECASE,
)
_SPAN_LATER = re.compile(rf"^({_LENGTH}) (?:later|after|past|since|on),? (.+)$", re.IGNORECASE)
_SPAN_ALONE = re.compile(rf"^({_LENGTH})[., ]*(?:\w+[.]?)?$", re.IGNORECASE)
_SPAN_LATE = re.compile(rf"^({_LENGTH}) (late|delayed|behind schedule|overdue)\b(.*)$", re.IGNORECASE)
_TROUBLE = re.compile(
    r"^(?:(another|an?|the|yet another|more) )?((?:[a-z-]+ ){0,2}?(?:delays?|cancell?ation|wait|queue|layover|mess|"
    r"outage|leak|mix-?up|error|noise|smell|runaround|line))\b"
    r"(?=,|$| (?:and|on|in|at|for|to|of|from|with|without|again|due|because|after|before|by|since)\b)(.*)$",
    re.IGNORECASE,
)
_NO = re.compile(r"\b(?:(still) )?no ((?:[a-z-]+ ){0,3}?[a-z-]{2,})(.*)$", re.IGNORECASE)
_NO_WORDS = word_set(
    "reason excuse way doubt point worries problem problems need idea word wonder longer more choice matter thanks "
    "one wonder clue offense joke shame use good better"
)
#: Where what is missing ends.
_CUT = re.compile(
    r"(?: from| about| til| till| until| because| why| as| so| but| when| while|,| and then| and (?=(?:i|we|you|"
    r"they|my|the)\b)).*$|[.?!]+$",
    re.IGNORECASE,
)
_HEAD_END = re.compile(r" (?:on|in|at|for|from|with|to|of|or|and|anywhere|left|during|after|at|by|whatsoever|taped)\b")
_NOT_NEAR = re.compile(
    r"\b(?:there (?:is|was|are|were)|have|has|had|with|get|got|is|was|are|were|see|offer\w*)$",
    re.IGNORECASE,
)
_WHEN_YOU = re.compile(
    r"^(?:that (?:moment|feeling) )?when (you|your) (?!(?:can|get|see|had|were|did|said|told|"
    r"mentioned)\b)(.+?)(?:,? (?:you|u) get\b.*)?$",
    re.IGNORECASE,
)
_WHEN_I = re.compile(
    r"^(?:that (?:moment|feeling) )?when ((?:i|we) [^,]*\b(?:see|find out|find|realise|realize|notice)\b[^,]+)$",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"^((?:my |our |the )?(?:flight|train|order|bag|plane|package|room)(?: #?[A-Z]{0,2} ?\d{1,4})?"
    r"(?: (?:this morning|today|tonight|from \w+ to \w+|to \w+|from \w+))?) (going|leaving|sitting|running|"
    r"showing|arriving)"
    r" (.+)$",
    re.IGNORECASE,
)
_MISSING = re.compile(r"^missing (?:my |our |an? )?((?:[\w-]+ ){1,4}?)(on|in|from|at|since) (.+)$", re.IGNORECASE)
_FEELING = re.compile(
    r"^(?:so |very |really |extremely |super |beyond )?(?:upset|disappointed|frustrated|annoyed|furious|"
    r"disgusted|angry|"
    r"unhappy|fed up|stuck|stranded|shocked|appalled) (?:with|in|by|at|that|about|on|for|because|as|due)\b.+$",
    re.IGNORECASE,
)
_WITHOUT_WORD = re.compile(
    r"^(cancell?ed|changed|moved|closed|charged|delivered|left|rebooked|sent|took) ((?:my|the|our|it|me|us)\b.*"
    r"\bwithout (?:informing|telling|asking|notifying|warning|knocking|calling|ringing|contacting)\b.*)$",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"^((?:wife|husband|daughter|son|mother|mom|mum|dad|father|sister|brother|girlfriend|boyfriend|"
    r"grandmother)(?:'s)?) "
    r"(?=\w)",
    re.IGNORECASE,
)
_HAS_DONE = re.compile(r"^has ((?:\w+ly )?\w+ed|lost|been|left|kept|ruined) ", re.IGNORECASE)
_BARE_DONE = re.compile(r"^(\w+ed) (?=(?:with|to|on hold|for|from|at|in)\b)", re.IGNORECASE)
_WANT_WHY = re.compile(
    r"^.*?\b(?:(?:is there )?(?:any|a) (?:reason|news|idea|update|explanation|info|information)(?: on| for|"
    r" as to| about)?"
    r"(?: why| that)?|what is the reason|why is it that|how (?:come|is it that)|(?:tell|explain(?: to)?|know|"
    r"wonder|wondering"
    r"|understand|ask|asking|figure out|see)(?: me| us)?,? why)\s+(?!(?:is|are|was|were|do|does|did|has|have|"
    r"can)\b)(.+)$",
    re.IGNORECASE,
)
_HOW_STILL = re.compile(
    r"^how (?:in the world |on earth |the hell )?(is|are|can|could|do|does) (you|they|i|we) ((?:still|not|never|"
    r"just|lose|cancel|sell|charge|keep|leave|delay|let|have no|run out)\b.*)$",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(my|our) ((?:\w+ ){0,2}?\w+),? (?:that|which) ((?:was|is|were|are|has been|have been|had been|got|"
    r"has not|is not"
    r"|was not|never|did not) .+?)(?: that (?:i|we|they|you)\b.*)?$",
    re.IGNORECASE,
)
_US_STUCK = re.compile(
    r"\b(?:us|me|we|i) (?:are |am )?(stuck|stranded|sitting|trapped|still waiting) (on|in|at|for|outside) (.+)$",
    re.IGNORECASE,
)


def read_fragment(text: str) -> str | None:
    """The sentence that a fragment stands for, in the customer's person; None where no template knows it."""
    text = text.strip().rstrip("!?. ")
    told = _read_elided(text) or _read_lack(text)
    return None if told is None else f"{told}."


def read_leading(text: str) -> str | None:
    """As `read_fragment`, for openings that look like a sentence of their own: "when you …" and lengths of time."""
    text = text.strip().rstrip("!?. ")
    told = _read_sketch(text) or _read_span(text)
    return None if told is None else f"{told}."


def read_asked(text: str) -> str | None:
    """What a question or a request takes for granted; None where that cannot be told."""
    text = text.strip().rstrip("!?. ")
    match = _WANT_WHY.match(text)
    if match is not None:
        return f"{match.group(1)}."
    match = _HOW_STILL.match(text)
    if match is not None and (
        match.group(1).lower() in {"is", "are"} or match.group(3).lower().startswith(("still", "not"))
    ):
        return _undo_how(match)
    match = _RELATIVE.search(text)
    if match is not None:
        return f"{match.group(1).capitalize()} {match.group(2)} {match.group(3)}."
    match = _US_STUCK.search(text)
    return f"We are {match.group(1)} {match.group(2)} {match.group(3)}." if match is not None else None


def _undo_how(match: re.Match[str]) -> str:
    auxiliary, subject, rest = match.group(1).lower(), match.group(2).lower(), match.group(3)
    subject = "I" if subject == "i" else subject
    return (
        f"{subject} {rest}."
        if auxiliary in {"do", "does"} and rest.startswith("still")
        else f"{subject} {auxiliary} {rest}."
    )


def _read_sketch(text: str) -> str | None:
    match = _WHEN_YOU.match(text)
    if match is not None and "," not in text[:40]:
        own = {"you": "I", "your": "my"}[match.group(1).lower()]
        return f"{own} {_make_own(match.group(2))}"
    match = _WHEN_I.match(text)
    return match.group(1) if match is not None else None


def _make_own(text: str) -> str:
    text = re.sub(r"\byour\b", "my", text, flags=re.IGNORECASE)
    return re.sub(r"\byou\b(?! (?:are|have|get|got|can))", "me", text, flags=re.IGNORECASE)


def _read_span(text: str) -> str | None:
    match = _SPAN_LATE.match(text)
    if match is not None:
        return f"It was {_lower(match.group(1))} {match.group(2).lower()}{match.group(3)}"
    match = _SPAN_AT.match(text)
    if match is not None:
        return _tell_stay(_lower(match.group(1)), match.group(2))
    match = _SPAN_LATER.match(text)
    if match is not None and re.match(
        r"(?:and )?(?:i|we|my|our|the|they|you|it|there)\b", match.group(2), re.IGNORECASE
    ):
        return f"After {_lower(match.group(1))}, {match.group(2).removeprefix('and ')}"
    match = _SPAN_ALONE.match(text)
    return f"It has been {_lower(match.group(1))}" if match is not None and len(text.split()) <= 4 else None


def _tell_stay(length: str, rest: str) -> str | None:
    if _has_finite(rest.split(",", maxsplit=1)[0].split(" and ", maxsplit=1)[0].split(" that ", maxsplit=1)[0]):
        return None
    if re.match(r"of ", rest, re.IGNORECASE):
        return f"I had {length} {rest}"
    length = re.sub(r"^(\S+ ?-?\w+)\+", r"more than \1", length)
    return f"I was stuck{rest[5:]} for {length}" if rest.lower().startswith("stuck") else f"I spent {length} {rest}"


def _read_elided(text: str) -> str | None:
    match = _WITHOUT_WORD.match(text)
    if match is not None:
        return f"They {_lower(match.group(1))} {match.group(2)}"
    match = _STATUS.match(text)
    if match is not None:
        noun = match.group(1)
        noun = noun if noun.lower().startswith(("my ", "our ", "the ")) else f"My {_lower(noun)}"
        return f"{noun} is {match.group(2).lower()} {match.group(3)}"
    match = _MISSING.match(text)
    if match is not None and "connection" not in match.group(1):
        return f"My {match.group(1).strip()} went missing {match.group(2)} {match.group(3)}"
    return _read_opening(text)


def _read_opening(text: str) -> str | None:
    """Sentences of which only the very beginning was left out."""
    if _FEELING.match(text):
        return f"I am {_lower(text)}"
    if _KIN.match(text) and _has_finite(text):
        return f"My {_lower(text)}"
    if _HAS_DONE.match(text):
        return f"You have{text[3:]}"
    match = _BARE_DONE.match(text)
    first = match.group(1).lower() if match is not None else ""
    return f"I {_lower(text)}" if first in verbs.PASTS and is_customers_act(first, text) else None


def _read_lack(text: str) -> str | None:
    """What there was, or was not: "2 hours on the tarmac, no water", "Delay and no reliable info"."""
    match = _TROUBLE.match(text)
    if match is not None and not _has_finite(text):
        article = match.group(1) or (
            "" if match.group(2).endswith("s") else "an" if match.group(2)[0] in "aeioAEIO" else "a"
        )
        copula = "were" if match.group(2).endswith("s") and not match.group(1) else "was"
        body = f"{article} {_lower(match.group(2))}".strip()
        return f"There {copula} {body}{match.group(3)}"
    match = _NO.search(text)
    if (
        match is None
        or match.group(2).split()[0].lower() in _NO_WORDS
        or _NOT_NEAR.search(text[: match.start()].strip())
    ):
        return None
    if (
        SUPPOSED.match(text)
        or _has_finite(text[: match.start()])
        or re.search(r"\w+ed\b|['\"]$", text[: match.start()])
    ):
        return None
    lack = _CUT.sub("", f"{match.group(2)}{match.group(3)}")
    if _has_finite(lack) or not lack.strip():
        return None
    noun = _HEAD_END.split(lack)[0].split()[-1].lower()
    if noun in CLEAR_THIRD or noun == "works" or re.match(r"\w+ \d", lack):
        return None
    copula = "were" if noun.endswith("s") and not noun.endswith("ss") else "was"
    return f"There {copula} {'still ' if match.group(1) else ''}no {lack}"


def _has_finite(text: str) -> bool:
    return any(
        verbs.is_finite(word) and word not in verbs.THIRD_TO_BASE for word in re.findall(r"[a-z']+", text.lower())
    )


def _lower(text: str) -> str:
    return text[0].lower() + text[1:] if text[1:2].islower() or " " in text[:2] else text
