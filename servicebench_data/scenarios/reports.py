"""Whether a told sentence is a report of what happened or failed, or else a wish, a guess, praise or an empty answer.

Belongs here: yes-or-no questions about one finished sentence. Not here: what it reveals (`cues`) or how it was told.
"""

import re

from servicebench_data.scenarios import cues
from servicebench_data.scenarios.wordlists import word_set

_ACTION = re.compile(
    r"\b(?!was\b|were\b|had\b|did\b|felt\b|thought\b|loved\b|hated\b|knew\b|liked\b|hoped\b|impressed\b|excited\b|"
    r"disappointed\b|frustrated\b|tired\b|pleased\b|interested\b|concerned\b|annoyed\b|amazed\b|"
                     r"stressed\b|supposed\b|used\b|need\b|indeed\b|wanted\b|seemed\b|looked\b|worried\b|"
                     r"wasted\b|surprised\b|shocked\b|confused\b|satisfied\b)(?:\w+ed|told|said|lost|got|gave|"
                     r"took|made|went|came|left|kept|paid|sent|sat|stood|spent|bought|found|broke|stole|drove|"
                     r"flew|"
                     r"ran|put|saw|met|forgot|waiting|being|trying|sitting|flying|booked|threw|hung|cut|spoke|"
                     r"held|let|ate|wrote|charging|paying|taking|getting)\b", re.IGNORECASE)  # fmt: skip
_FAILURE = re.compile(
    r"\b(?:not (?:work\w*|load\w*|accept\w*|show\w*|available|let\w*|respond\w*|answer\w*|honou?r\w*|arriv\w*|"
    r"there|here|in the|receiv\w*)|never|no (?:\w+ ){0,2}?(?:wifi|power|food|water|bags?|answer|response|reply|"
    r"update|explanation|help|seats?|"
    r"refund|show|hot water|towels|stock|one|agents?|announcement|record)|delayed|cancel\w+|broken|missing|"
    r"late|down|closed|stuck|wrong|dirty|cold|full|lost|damaged|denied|refus\w+|overbooked|overcharged|error|"
    r"out of|on hold|unable|could not|cannot|"
    r"stranded|locked|still waiting|raw|stale|leak\w*|filthy|smell\w*|stain\w*|rude\w*|terrib\w+|awful|horrib\w+|"
    r"useless|unprofessional|unhelpful|inedible|disgusting|soggy|not (?:to|get|got|help\w*|have|come|let|give|"
    r"allow\w*|tell|"
    r"been|on|in|cleared|offered|make|find|able|given|know|check|move|put|seem)|nothing (?:for|is|was)|(?:has|"
    r"had|have) "
    r"(?:nothing|no|not|a problem|problems|trouble|an issue|issues)|there (?:was|were|is|are) (?:still )?no|"
    r"nobody|no one|still \w+ing|delays?|there (?:was|were) (?:an?|another) |"
    r"impossible|problems?|issues?|ignor\w+|useless|unsafe|mess|nightmare|takes? (?:over|more|\d)|took (?:over|"
    r"more|\d)|"
    r"overpriced|expired?|shut|frozen|crash\w*|reject\w*|fail\w*)\b",
    re.IGNORECASE,
)
_GUESS = re.compile(
    r"\b(?:should|maybe|wonder|hope|hopefully|guess|imagine|suppose|if only|probably|i think|would (?:be|have "
    r"been|like|love|appreciate|think|never|rather)|will (?:never|not be|be (?:sure|taking|switching))|pretty "
    r"sure|must be|could have|"
    r"better than|of my life|^if\b|(?:this|that) is why|(?:cannot|could not) wait|hate|best|favou?rite|lovely|"
    r"wonderful|one might|might want|awesome|fantastic|excellent|amazing|kind to|glad)\b",
    re.IGNORECASE,
)


def is_guess(text: str) -> bool:
    """Whether a told sentence is a wish, a guess or praise rather than a report."""
    return _GUESS.search(text) is not None and not cues.is_staff_statement(text)


def is_report(text: str) -> bool:
    """Whether a told sentence says that something happened or failed, rather than what somebody thinks of it."""
    if is_guess(text):
        return False
    return _ACTION.search(text) is not None or _FAILURE.search(text) is not None


#: Words that carry nothing alone; a late answer made only of these says nothing without the question before it.
_EMPTY = word_set(
    "i we you they he she it this that these those there here them him her me us the a an customer party to in at on "
    "of for all day just now already still yes no not so too then again did do does done have has had was were is are "
    "am been sent send tried try trying got get found find called asked said told know see knew saw seen checked "
    "check went go going gave give sure really never will would can could my their same thing one way done ago some "
    "time both yet though company airline hotel restaurant staff"
)
_BARE_ANSWER = re.compile(r"^(?:the )?\w+ (?:was|were|is|are) (?:not )?(?:there|here|that|this|it)\.?$", re.IGNORECASE)


#: What a verb or a pronoun stands for was said by somebody else: "I have, five times.", "I added it."
_ELLIPSIS = re.compile(
    r"(?:i|we|they|he|she) (?:have|has|did|do|does|am|are|is|was|were|can|could|had|will|would)(?: not|n't)?[,.]"
    r"|(?:i|we|they|he|she) \w+ (?:it|that|this|them|so)\.?$",
    re.IGNORECASE,
)


def is_empty_answer(text: str) -> bool:
    """Whether a short sentence says nothing without the question that it answers: "I just sent it", "I did"."""
    if _ELLIPSIS.match(text):
        return True
    if any(letter.isdigit() for letter in text):
        return False
    words = re.findall(r"[a-z']+", text.lower())
    if len(words) == 2 and words[0] in {"i", "we"}:
        return True
    return (len(words) <= 7 and all(word in _EMPTY for word in words)) or _BARE_ANSWER.match(text) is not None
