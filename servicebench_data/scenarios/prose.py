"""Whether a turned sentence is fit to be read, and how words become a sentence.

Belongs here: joining words, and the checks that a sentence is prose. Not here: person and tense (`rewriting`).
"""

import re

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.wordlists import word_set

TOKENS = re.compile(
    r"\[[a-z]+-?\d*\]|[$£€₹#]?\d[\w,.:/%+-]*[\w%+]|[^\W\d_][^\W_]*(?:['’/&-][^\W_]+)*|[$£€₹]?\d|"
    r"[^\s\w]|_"
)
ADVERBS = word_set(
    "never still just always even all also already really only then now both finally not actually ever simply "
    "again clearly repeatedly constantly first then often"
)
CLEAR_THIRD = word_set(
    "blows arrives happens becomes tries pays serves includes causes continues remains says keeps tells thinks "
    "knows takes refuses gives gets goes comes makes needs wants smells lets ignores insists claims requires wont "
    "does has is looks feels seems appears allows expects sends spills blames accuses denies loses cancels swears "
    "yells ruins breaks sits"
)
_FOREIGN = re.compile(
    r"[?@#<>{}|~^*=_\\]|https?|www\.|\[(?!(?:booking|order|loyalty|phone|email|case|card|person)-\d+\])"
)
_SPEAK = re.compile(
    r"\b[24] (?:me|my|the|a|us|you|your|get|be|make|go|find|that|this|it|delayed|no|our)\b|(?<!['’])"
    r"\b(?:[b-hj-z])\b(?!['.&])(?! ?\d)|\b(?:ur|u|pls|plz|dm|dms|dm'd|lol|smh|wtf|thx|hmu|bruh|yall|dat|dis|"
    r"dunno|em|gon|tryna|finna|aint|cmon)\b|\d/\d$|!|\b(?:due|way|too|got|get|want|need|going|try|trying|have|had|able|"
    r"back|check) 2\b|\b2 (?-i:[A-Z])[a-z]+\b",
    re.IGNORECASE,
)
#: A word that stood here is gone, or a sum of money without a number.
_GAP = re.compile(
    r"\b(?:the|an?|my|our|your|their) (?:because|and|or|but|to|of|for|with|is|was|are|were|in|on|at|from)\b|"
    r"\b(?:the|an?|my|our|your|their|customer's|airline's) ?[.,;]|[$£€](?! ?\d)",
    re.IGNORECASE,
)
#: Two sentences in one, someone else's act without its subject, words that belong to anybody, or a word that fell out.
_RUN_ON = re.compile(
    r"\b(?:now|so|just) (?:get|give|fix|let|refund|send|help|make|tell) (?:me|us|them|the customer)\b|"
    r", (?:took|arrived|came|showed|lasted|costs?) |, (?:did|do|were|are|was|is) (?:the|they|you|i|we)\b|"
    r"\bnot not\b|\b(?:do|did) not (?:them|the \w+) (?:dare|you)\b|"
    r", (?:call|ring|phone|e-?mail|text|contact|message|write to) (?:me|us|them|the customer)\b|"
    r", (?:what|why|how|who|where) \w+|^(?:still )?no \w+(?: \w+)? (?:about|from|since|why|because)\b|"
    r"\b(?:can|could|will|would|cannot) (?:me|us|them|the customer)\b|"
    r"\b(?:your|their|they're|the (?:airline|company|hotel|restaurant)'s) (?:own )?(?:dad|mom|mother|father|kids|wife|"
    r"husband|family|bags?|luggage|money|phone|life|neck)\b(?! (?:policy|fee|fees|claim|drop|tag|tags|handlers?|"
    r"service|room|"
    r"back))",
    re.IGNORECASE,
)
_OWNERS = re.compile(r"\bcustomers?\b|\bpassengers\b|\bpeople\b|\bthey\b|\bfamil", re.IGNORECASE)
_SHOUTED = re.compile(r"\b[A-Z]{4,}\b(?:\W+\b[A-Z]{3,}\b)+")
_DANGLING = word_set(
    "the a an and to my with of for but because that i on at from is are was were or so your our their in as if "
    "when than by we they you have has had not be just very second secondly"
)
_BAD_START = word_set(
    "that which to with for of than who whom whose from by about like until without into also is are was were do "
    "does did has have had can could will would be being been not and but or unless what how where why "
    "am should would might must most worst best so very pretty really more less such wonder seems looks feels "
    "sounds sorry glad lots all yet nor "
    "may am please whether instead besides never only same let even"
)
_SUBORDINATORS = word_set(
    "and but that which who when if because as like it while since until where whether than told unless not"
)
SUBJECT_PRONOUNS = word_set("i we you they he she it this that there someone everyone nobody staff")
_PLURAL = word_set("are were have")
_ADVERBIAL_STARTS = word_set(
    "today yesterday tomorrow tonight on in at last this for during first finally due then every there it i we "
    "they he she my our the their his her"
)
OBJECT_STARTS = word_set("the a an my me us our it no not 0 up out off that to like them him her this nothing")
_CLAUSE_STARTS = word_set("when after before since once as while because although if though")
_SECOND_CLAUSE = re.compile(
    r", (?:and )?(?:I|we|they|he|she|it|my|our|the|their|this|that|there|staff|nobody|no one) \w+", re.IGNORECASE
)


def finish(out: list[str], leftover: re.Pattern[str]) -> str | None:
    """Join words into a sentence with capital and full stop; None where it is not fit to be read.

    Args:
        out: Turned words.
        leftover: Pronouns that may not be left over.
    """
    text = drop_odd_brackets(join_words(out).replace('"', ""))
    text = re.sub(r"\b(have|had) \1\b", r"\1", re.sub(r"\bi\b", "I", re.sub(r"\s+", " ", text))).strip(" ,;:-'")
    text = re.sub(r"\s'(?=[\s.,]|$)", "", text)
    if not text:
        return None
    text = re.sub(r"[\s,;:.-]+$", "", text[0].upper() + text[1:]) + "."
    return text if is_presentable(text) and not leftover.search(text) else None


def join_words(words: list[str]) -> str:
    """Words and marks with the blanks that English puts between them."""
    text = " ".join(words)
    text = re.sub(r" ([,.;:!?)%]+)(?=\s|$)", r"\1", text)
    text = re.sub(r"([$£€#(]) (?=[\d\w\[])", r"\1", text)
    text = re.sub(r"(?<=\d) (?=(?:st|nd|rd|th|am|pm|k|h|p)\b)", "", text)
    return re.sub(r"\s+", " ", text)


def drop_odd_brackets(text: str) -> str:
    """The text without brackets that have no partner."""
    return text if text.count("(") == text.count(")") else re.sub(r"[()]", "", text)


def is_presentable(text: str) -> bool:
    """Whether a sentence reads as prose: nothing of the platform, a verb, a sane start, end and length."""
    words = re.findall(r"[A-Za-z']+", text.lower())
    return (
        3 <= len(words) <= 42
        and text.isprintable()
        and not _FOREIGN.search(text)
        and not _SPEAK.search(text)
        and not _SHOUTED.search(text)
        and not is_run_on(text)
        and words[0] not in _BAD_START
        and not (text[-2:-1].isalpha() and words[-1] in _DANGLING)
        and not (verbs.is_past(words[0]) and words[0] not in {"left", "lost"})
        and not _GAP.search(text)
        and has_main_verb(text)
        and not re.search(r"[^\x00-\u024f\u2018-\u201d₹€]", text)
    )


def is_run_on(text: str) -> bool:
    """Whether a sentence runs on into another one, or speaks of anybody's dad as if he were the company's."""
    match = _RUN_ON.search(text)
    return match is not None and not (
        match.group().lower().startswith("their") and _OWNERS.search(text[: match.start()])
    )


def has_main_verb(text: str) -> bool:
    """Whether the first finite verb belongs to a main clause: its subject is not cut off by a comma or a subordinator.

    A sentence that begins with a subordinate clause needs a second clause with a pronoun or a determiner as its
    subject.
    """
    tokens = TOKENS.findall(text.lower())
    if tokens[0] in _CLAUSE_STARTS:
        return _SECOND_CLAUSE.search(text, 8) is not None
    head: list[str] = []
    for token, following in zip(tokens, [*tokens[1:], "."], strict=True):
        if (
            head
            and verbs.is_finite(token)
            and (
                token not in verbs.THIRD_TO_BASE
                or token in CLEAR_THIRD
                or _is_subject_word(head[-1])
                or following in OBJECT_STARTS
            )
        ):
            break
        head.append(token)
    else:
        return False
    if all(
        word in ADVERBS or word in {"once", "finally", "therefore", "hence"} or word.endswith("ly") for word in head
    ):
        return False
    is_pair = head[-2:] in (["and", "i"], ["and", "they"]) and token in _PLURAL
    before = set(head[: -2 if is_pair else -1])
    if head[-1] in SUBJECT_PRONOUNS and not before & _SUBORDINATORS and "," not in before:
        return True
    if head[0] in _ADVERBIAL_STARTS:
        return not _SUBORDINATORS & set(head) and (head[0] != "first" or len(head) > 1)
    return not ({","} | _SUBORDINATORS) & set(head) and head[-1] != "to"


def _is_subject_word(word: str) -> bool:
    return word in SUBJECT_PRONOUNS or word in {
        "website",
        "app",
        "driver",
        "agent",
        "airline",
        "customer",
        "which",
        "that",
        "who",
        "and",
    }
