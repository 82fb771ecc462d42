"""Splits a turn into sentences with exact spans and says what each is: a report, a question, a request, or noise.

Belongs here: boundaries and the kind of a sentence. Not here: rewriting it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from servicebench_data.scenarios.tidying import starts_finite

Kind = Literal["report", "question", "request", "noise"]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a turn.

    Attributes:
        start: Where it begins in the turn's text.
        end: Where it ends.
        text: Exactly that stretch.
    """

    start: int
    end: int
    text: str


_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|vs|no|approx|etc|jan|feb|mar|apr|aug|sept?|oct|nov|dec)|(?<!['’])\b[a-z])\.$",
    re.IGNORECASE,
)
#: After an abbreviation that is no title these begin a sentence: "on 4 Feb. I was".
_NEW_SENTENCE = re.compile(r"\s+(?:I|We|My|Our|You|Your|They|The|It|He|She|This|That|There|A|An|Now|Then|But|And|So)\b")
_TITLE = re.compile(r"\b(?:mr|mrs|ms|dr|st|(?<!['’])[a-z])\.$", re.IGNORECASE)
_BREAK = re.compile(
    r"[.!?…]+[\"')\]]*(?=\s|$|[A-Z@\[])|\n+|\s[-–—]{1,2}\s|;|\s\|\s|(?<=[a-z\d])\.(?=[A-Z][a-z])|"
    r"[\U0001f000-\U0001faff☀-➿]+"
)
_CLAUSE = re.compile(
    r",?\s+(?=(?:and|but|so|then|plus|because|& )\s+(?:then\s+|now\s+|when\s+)?(?:I|we|you|they|he|she|it|my|"
    r"our|your|the)\b)|,\s+(?=(?:I|we|you|they|my|your)\b)",
    re.IGNORECASE,
)
_HANDLE = re.compile(r"@\w+(?=\s+[A-Z][a-z])(?!\s+(?:I|Airlines|Air|Eats|Customer|Service|Support|Flight|Gate)\b)")
_HANDLE_SURE = re.compile(
    r"@\w+(?=\s+(?:Now|I|I[’']m|We|My|They|It|This|No|Not|Then|Still|You|Your|Why|How|What|When|Please|Our)\b)"
)
_HANDLE_IS_PART = re.compile(
    r"(?:^|[.!?\n]|\b(?:with|from|by|on|at|to|of|for|via|in|fly|flying|flew|the|my|our|your|this|and|than|thanks?|"
    r"called|an?|using|used|choose|chose|love|hate))\s*$",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:[\s.,;:!?*\"'()-]|@\w+|&(?=\s)|\[(?:link|customer|user-\d+)\]|\[person-\d+\](?=[\s]*[,!:.])|"
    r"(?:\(?\d\s?/\s?\d\)?)(?=\s))+"
)
_TRAILING = re.compile(r"(?:\s|@\w+|\[(?:link|user-\d+)\]|#\w+|\(?\b[1-5]/[2-5]\)?)+$")
_OPENERS = re.compile(
    r"^(?:so far\b[\s,]+|then (?=(?:why|what|how|where|who)\b)|"
    r"(?:hi|hello|hey|hiya|dear|yo|so(?! (?:much|many|long)\b)|well|ok|okay|um+|uh+|oh|ah|hmm+|and|but|also|plus|"
    r"anyways?|because|or|fyi|update|sorry but|i mean|honestly|seriously|apparently|actually|basically|btw|"
    r"just to let you know|for the record|come on|cmon|omg|yay|woo ?hoo|touch[eé]|wow|ugh+|lol|good (?:morning|"
    r"afternoon|evening)|"
    r"(?:hi|hello|hey)(?: there| team| all| guys))\b[\s,.:!-]+|"
    r"(?:yes|yeah|yep|yup|no|nope|right|sure|great|cool|really|now|then|again|however|meanwhile|though|first|second|look|listen|sorry|nice|awesome|"
    r"not to mention|first of all|first off|once again|unfortunately|sadly)\b\s*(?:[,.:!-]+\s*|(?=(?:i|we|they|"
    r"it|the|my|on|you|our)\b))|i know,\s*|(?:sent|done|did|yes),\s+(?=(?:it|i|my|the)\b)|(?:thank you|thanks|"
    r"thx)(?: so "
    r"much| again| a lot)?\b\s*[,.:!-]+\s*)(?=\S)",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|where|why|who|which|whose|how|is|are|am|was|were|do|does|can|could|will|would|should|has|any "
    r"(?:idea|update|news|chance|reason|way|help)|"
    r"did (?:you|i|we|they|it)|have you|when (?:will|can|do|does|is|are|did)) \w+",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"\b(?:please|pls|plz|can you|could you|would you|will you|help me|"
    r"i (?:want|need|expect|demand|request|would like|would love|am hoping|hope|am asking|was hoping|just want)\b|"
    r"(?<!said )(?<!says )we (?:want|need|expect|demand|would like)|looking (?:for|to)|refund me|"
    r"want (?:a|my|to)|(?<!we )(?<!they )(?<!you )need (?:a|my|to|you|some)|how (?:do|can) (?:i|we) get|"
    r"where (?:is|are) my)\b",
    re.IGNORECASE,
)
#: Statements that only end in a question mark, out of indignation.
_RHETORICAL = re.compile(
    r"^(?:my|our|i|we|they|the \w+|you(?! (?:have|do|offer|fly|guys (?:have|do|offer|fly)|know|mean|want)))\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"^(?:please|fix|get|give|let|tell|send|refund|reply|respond|answer|check|look|help|make|stop|do|explain|"
    r"call|contact|email|dm|follow|bring|find|take|sort|learn|try|try to|ask|tell|go|come|"
    r"keep (?:me|us|up)|put|add|remind|advise|see|read|imagine|guess|think|consider|beware|avoid|never|don't|"
    r"do not|dont|shame|thank|thanks|congrats|kudos|good (?:job|work|luck|to know)|great (?:job|work)|nice "
    r"(?:job|work|one)|"
    r"way to go|bravo|well done|happy|love|lovin|cheers|welcome|enjoy|hope|hoping|wish|let's|lets)\b",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"\b(?:direct message|dm'?e?d?s?|dms|follow(?:ed|ing)? (?:you|back)|tweet(?:ed|ing|s)?|twitter|hashtag|"
    r"retweet|(?<!to )link|screenshot|worst (?:airline|company|customer|service|experience|hotel|place|store)|you "
    r"(?:guys )?suck|"
    r"thank you|thanks|appreciate|no worries|any(?:one|body) else|shame on|joke of|good luck|kidding me|are "
    r"you serious|as (?:i|you) (?:said|stated)|like i said|never (?:fly|flying|using|use|again|going|shopping|"
    r"ordering|staying)|"
    r"do better|get it together|step (?:it |up )|what a (?:joke|shame|disgrace)|karma|#\w+ #\w+|promo code|"
    r"follow me|done with (?:you|@)|last time (?:i|we)(?:'ll| will| fly| use| book| order| shop| stay| am| "
    r"ever)?)\b",
    re.IGNORECASE,
)


_LEAST_WORDS = 4
_HAS_DONE = re.compile(r"^has (?:\w+ly )?(?:\w+ed|lost|left|kept) (?:my|our|me|us|the)\b[^?]*$", re.IGNORECASE)
_CLAUSE_BREAK = re.compile(
    r",?\s+(?:and|but|&|amp|because|cause|cuz|bc|b/c|so|though|although|yet|while|plus|as|since|however)\s+|(?<!\d)[,:;]\s*|[,:;](?!\d)\s*|"
    r"\s-+\s*|\s(?=(?:how|what|who|where) (?:can|do|should|is|are|will)\b)|\s(?=(?:please|pls|plz|now (?:get|"
    r"give|fix))\b)|\(",
    re.IGNORECASE,
)
#: What an ending must begin with to stand alone.
_STANDS = re.compile(
    r"(?:then |now |still |yet |even )*(?:I|I['’]\w+|we|you|they|he|she|thy|my|our|your|the|no|there|nobody|"
    r"flight|driver|bag|"
    r"luggage|@\w+|(?:we|you|they)['’]\w+|still|have been|been)\b",
    re.IGNORECASE,
)
#: What hangs on a condition.
SUPPOSED = re.compile(r"(?:if|unless)\b", re.IGNORECASE)
#: The verb of a subject whose first half stands before: "my dog and I were".
_SHARED = re.compile(r"(?:I|he|she) (?:were|are|have been)\b", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:so |and |but |or )?(?:when|if|did|would|should|anyone|any|what|how|why|who|where|can|could|any\w*|do|"
    r"does|will|is|"
    r"are|may|have you|has)\b",
    re.IGNORECASE,
)


def split_sentences(text: str) -> list[Sentence]:
    """Sentences of a turn, long ones split into clauses; each is an exact stretch of the text."""
    found: list[Sentence] = []
    start = 0
    for match in sorted(
        [*_BREAK.finditer(text), *find_handle_breaks(text)], key=lambda match: (match.start(), match.end())
    ):
        if match.start() < start:
            continue
        if match.group().strip(" \"')]") == "." and match.end() < len(text) and _is_abbreviation(text, match):
            continue
        if re.search(r"[\"')\]]$", match.group()) and re.match(r"\s*[a-z&]", text[match.end() :]):
            continue
        found += _split_clauses(text, start, match.end())
        start = match.end()
    found += _split_clauses(text, start, len(text))
    return found


def _is_abbreviation(text: str, match: re.Match[str]) -> bool:
    """Whether a stop ends an abbreviation and no sentence."""
    bounds = (max(0, match.start() - 8), match.end())
    is_new = _NEW_SENTENCE.match(text, match.end()) is not None and not _TITLE.search(text, *bounds)
    return _ABBREVIATION.search(text, *bounds) is not None and not is_new


def find_handle_breaks(text: str) -> list[re.Match[str]]:
    """Handles in mid-sentence after which a new sentence begins: "to Sacramento @Brand Our attendant was"."""
    return [
        match
        for match in _HANDLE.finditer(text)
        if not _HANDLE_IS_PART.search(text, max(0, match.start() - 14), match.start())
    ]


def _split_clauses(text: str, start: int, end: int) -> list[Sentence]:
    bounds = [start]
    is_long = len(text[start:end].split()) > 22
    if is_long:
        bounds += [match.start() for match in _CLAUSE.finditer(text, start, end)]
    bounds = _join_short(text, [*bounds, end])
    parts = [_trim(text, *pair) for pair in pairwise(bounds)]
    return [part for part in parts if part is not None]


def _join_short(text: str, bounds: list[int]) -> list[int]:
    kept = [bounds[0]]
    for bound in bounds[1:-1]:
        if len(text[kept[-1] : bound].split()) >= 6 and len(text[bound : bounds[-1]].split()) >= 5:
            kept.append(bound)
    return [*kept, bounds[-1]]


def _trim(text: str, start: int, end: int) -> Sentence | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return Sentence(start, end, text[start:end]) if re.search(r"\w", text[start:end]) else None


def strip_address(text: str, handles: Mapping[str, str]) -> str:
    """The sentence without handles at its edges, greetings and interjections; a handle that is the subject stays.

    Args:
        text: A sentence as it stands in the turn.
        handles: Brand by lower-case handle of the known care accounts.
    """
    text = _drop_bare_handle(text, handles)
    subject = re.match(r"^[\s.]*@(\w+)\s+(?=\w)", text)
    if (
        subject is not None
        and subject.group(1).lower() in handles
        and starts_finite(text[subject.end() :])
        and "?" not in text
    ):
        return _TRAILING.sub("", text.strip())
    if subject is not None and starts_finite(text[subject.end() :]):
        return text.strip()
    text = _LEADING.sub("", text)
    for _ in range(4):
        shorter = _LEADING.sub("", _OPENERS.sub("", text, count=1))
        if shorter == text:
            break
        text = shorter
    return _drop_trailing(text, handles)


def _drop_trailing(text: str, handles: Mapping[str, str]) -> str:
    mark = re.search(r"[.!?]*$", text)
    end = mark.group() if mark else ""
    body = text[: len(text) - len(end)]
    if re.search(
        r"(?:\b(?:with|from|by|on|at|to|of|for|via|in|fly|flying|flew|choose|using|use|the|than|and|&|called|"
        r"contacted|contacting|like|get|told|asked|through))\s+(?:@\w+)$",
        body.strip(),
        re.IGNORECASE,
    ):
        known = re.search(r"@(\w+)$", body.strip())
        if known and known.group(1).lower() in handles:
            return text
    return _TRAILING.sub("", body) + end


def _drop_bare_handle(text: str, handles: Mapping[str, str]) -> str:
    """Some sources lose the @ of the handle that opens a reply; it is dropped unless it is the subject."""
    match = re.match(r"^\s*(\w+)\s+(?=\S)", text)
    if match is None or match.group(1).lower() not in handles or not match.group(1)[0].isupper():
        return text
    rest = text[match.end() :]
    return text if starts_finite(rest) and "?" not in text else rest


def is_asking(text: str) -> bool:
    """Whether a sentence begins as a question does."""
    return _QUESTION.match(text.strip()) is not None or _ASKS.match(text.strip()) is not None


def is_plea(text: str) -> bool:
    """Whether a sentence that was set aside may still hold a report: a plea with its reason."""
    return _CLAUSE_BREAK.search(text) is not None


def list_clauses(text: str, sentence: Sentence) -> list[Sentence]:
    """Clauses of a sentence that may stand alone: its beginnings, the longest first, then its endings."""
    breaks = list(_CLAUSE_BREAK.finditer(text, sentence.start, sentence.end))
    heads = [_trim(text, sentence.start, match.start()) for match in reversed(breaks)]
    tails = [_trim(text, match.end(), sentence.end) for match in breaks if _stands(text, sentence.start, match)]
    return [part for part in [*heads, *tails] if part is not None and len(part.text.split()) >= _LEAST_WORDS]


def _stands(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether what follows a break stands by itself.

    It has its own subject, which is not the second half of the first one ("he and I"), and hangs on no condition.
    """
    is_bound = _SHARED.match(text, match.end()) is not None or SUPPOSED.match(text, start) is not None
    return (
        not is_bound
        and _STANDS.match(text, match.end()) is not None
        and len(text[start : match.start()].split()) >= _LEAST_WORDS
    )


def classify(text: str) -> Kind:
    """What a sentence, without its address, is; a why-question that reports a failure is a question here."""
    stripped = text.strip()
    if not re.search(r"[A-Za-z]{2}|\d", stripped):
        return "noise"
    if stripped[0] in "'\"‘“" and re.search(r"['\"’”][.!?]*$", stripped):
        return "noise"
    is_asked = stripped.rstrip("\"') ").endswith("?") and not (
        _RHETORICAL.match(stripped) and len(stripped.split()) > 6
    )
    if is_asked or (_QUESTION.match(stripped) and not _HAS_DONE.match(stripped)):
        return "request" if _REQUEST.search(stripped) else "question"
    if _REQUEST.search(stripped):
        return "request"
    return "noise" if _IMPERATIVE.match(stripped) or _NOISE.search(stripped) else "report"
