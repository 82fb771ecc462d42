"""Turns person, tense and pronouns: the customer's words in the first person, or an event in the third.

Belongs here: one tidied sentence in, one finished sentence or None out; what cannot be turned well is left out. Not here: spelling
(`tidying`) and missing subjects (`subjects`).
"""

import re

from servicebench_data.scenarios import verbs

_TOKENS = re.compile(r"\[[a-z]+-?\d*\]|[$£€₹#]?\d[\w,.:/%+-]*[\w%+]|[A-Za-z][A-Za-z\d]*(?:['’/&-][A-Za-z\d]+)*|[$£€₹]?\d|[^\sA-Za-z\d]")
_WORD = re.compile(r"[A-Za-z]")
_ADVERBS = frozenset(
    "never still just always even all also already really only then now both finally not actually ever simply again clearly repeatedly constantly first then often".split()
)
_CLEAR_THIRD = frozenset(
    "says keeps tells thinks knows takes refuses gives gets goes comes makes needs wants smells lets ignores insists claims requires wont does has is looks feels seems appears allows expects sends".split()
)
_PAST_OF = {
    "am": "was", "is": "was", "are": "were", "has": "had", "have": "had", "do": "did", "does": "did", "can": "could", "cannot": "could not", "will": "would",
}  # fmt: skip
_KEEPS_BASE = frozenset("to would could should might must will can may did do does not cannot let make made please help shall never".split())
#: Stands for a pronoun whose owner cannot be told; no sentence that holds it is presentable.
_UNCLEAR = "#"
_STAFF_ACTS = frozenset(
    "told said say tell saying telling lost cancelled canceled gave give giving refused refuse made make making kept keep charged charge charging put changed moved offered offer sent send asked ask promised claim claimed insisted "
    "rebooked bumped overbooked denied deny let delayed delaying took ignored forgot sold closed trying check checked found find held hung called call calling explained admitted announced announce boarded boarding deplaned help helped fix fixed "
    "deliver delivered shipped cooked served serve answered answer respond responded replied cleaned wanted want need needed treated threatened yelled kicked accused apologised apologized loaded separated removed left stopped canceling cancelling".split()
)
_PREPOSITIONS = frozenset("to from with for of at on in by about against via than like without behind after before between".split())
_PERSONAL = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_FOREIGN = re.compile(r"[?@#<>{}|~^*=_\\]|https?|www\.|\[(?!(?:booking|order|loyalty|phone|email|address|person)-\d+\])")
_SPEAK = re.compile(
    r"\b[24] (?:me|my|the|a|us|you|your|get|be|make|go|find|that|this|it|delayed|no|our)\b|\b(?:[b-hj-z])\b(?!['.])(?! ?\d)|\b(?:ur|u|pls|plz|dm|dms|dm'd|lol|smh|wtf|thx|hmu|bruh|yall|dat|dis|gon|tryna|finna|aint|cmon)\b|\d/\d$|!|\bhand to\b",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"\b[A-Z]{4,}\b(?:\W+\b[A-Z]{3,}\b)+")
_DANGLING = frozenset("the a an and to my with of for but because that i on at from is are was were or so your our their in as if when than by we they you have has had not be just very".split())
_BAD_START = frozenset(
    "that which to with for of than as who whom whose from by about like until while without into also is are was were do does did has have had can could will would be being been not and but or because if unless what how where why "
    "am should would might must most worst best so very pretty really more less such wonder seems looks feels sounds sorry glad lots all yet nor "
    "am although though whether instead besides never only same let even".split()
)
_SUBORDINATORS = frozenset("and but that which who when if because as it while since until where whether than told".split())
_SUBJECT_PRONOUNS = frozenset("i we you they he she it this that there someone everyone nobody staff".split())
_ADVERBIAL_STARTS = frozenset(
    "after before today yesterday tomorrow tonight on in at last this for since during first finally when once due then every there it i we they he she my our the their his her".split()
)
_SUBJECT_ENDS = frozenset("and but so because when if that which while as or then than after before since until where".split())


def tell_first(text: str) -> str | None:
    """The sentence in the customer's own voice, the company as "they"; None where it cannot be told well."""
    words = _TOKENS.findall(text)
    out = [_turn_second(words, index) for index in range(len(words))]
    return finish(out, words, personal=_SECOND)


def _turn_second(words: list[str], index: int) -> str:
    word = words[index].lower()
    if word == "you":
        return "they" if is_subject(words, index) else "them"
    return {"your": "their", "yours": "theirs", "yourself": "themselves", "yourselves": "themselves"}.get(word, words[index])


def is_subject(words: list[str], index: int) -> bool:
    """Whether the pronoun at an index is a subject: a verb follows, and it does not stand right after a verb or preposition."""
    following = index + 1
    while following < len(words) and words[following].lower() in _ADVERBS:
        following += 1
    word = words[following].lower() if following < len(words) else ""
    before = words[index - 1].lower() if index else ""
    if before in _PREPOSITIONS and before not in {"after", "before", "than", "like"}:
        return False
    if verbs.is_finite(word) or verbs.is_base(word) or word in {"should", "must"}:
        return not (verbs.is_base(before) and before not in {"know", "hope", "think", "wish", "see"} and not verbs.is_auxiliary(word))
    return index == 0 or before in _SUBJECT_ENDS


def tell_third(text: str, company: str) -> str | None:
    """The sentence as an event in the third person and the past; None where it cannot be told well.

    Args:
        text: A tidied sentence with its subject.
        company: How the company is called, without article: "airline".
    """
    words = _TOKENS.findall(text)
    return finish(_Turner(words, company).turn(), words, personal=_PERSONAL)


class _Turner:
    """Walks the words of one sentence once, keeping what has been named and which verb forms are due."""

    def __init__(self, words: list[str], company: str) -> None:
        self.words = words
        self.lower = [word.lower() for word in words]
        self.company = company
        self.is_named = False
        self.uses_they = not any(word in {"they", "them", "their", "theirs", "themselves"} for word in self.lower)
        self.number = "other"
        self.is_shifted = False
        self.has_staff = False

    def turn(self) -> list[str]:
        """The words of the event."""
        return [self._turn_word(index) for index in range(len(self.words))]

    def _turn_word(self, index: int) -> str:
        word = self.lower[index]
        if word in {"i", "we"}:
            return self._name_customer("they", "the customer" if word == "i" else "the customer's party")
        if word in {"me", "us", "my", "our", "mine", "ours", "myself", "ourselves"}:
            return self._name_oblique(word)
        if word in {"you", "your", "yours", "yourself", "yourselves"}:
            return self._name_company(word, index)
        if word in {"they", "them", "their"} and not self._has_antecedent(index):
            return self._name_staff(word, index)
        return self._turn_verb(index)

    def _name_customer(self, later: str, first: str) -> str:
        is_later = self.is_named and self.uses_they
        self.is_named = True
        self.number = "plural" if is_later else "single"
        return later if is_later else first

    def _name_oblique(self, word: str) -> str:
        is_later = self.is_named and self.uses_they
        self.is_named = True
        if word in {"myself", "ourselves"}:
            return "themselves"
        if word in {"my", "our"}:
            return "their" if is_later else "the customer's"
        if word in {"mine", "ours"}:
            return "theirs" if is_later else "the customer's"
        return "them" if is_later else "the customer"

    def _name_company(self, word: str, index: int) -> str:
        if word == "you":
            self.number = "single" if is_subject(self.words, index) else self.number
            return f"the {self.company}"
        return f"the {self.company}'s" if word in {"your", "yours"} else "itself"

    def _name_staff(self, word: str, index: int) -> str:
        if word == "they":
            self.number = "plural"
            self.has_staff = self.has_staff or self._is_company_act(index)
        if not self.has_staff:
            return _UNCLEAR
        return "the staff's" if word == "their" else "staff"

    def _is_company_act(self, index: int) -> bool:
        following = next((word for word in self.lower[index + 1 :] if word not in _ADVERBS and not verbs.is_auxiliary(word) and word != "not"), "")
        return following in _STAFF_ACTS

    def _has_antecedent(self, index: int) -> bool:
        earlier = self.lower[:index]
        return any(word in {"people", "kids", "children", "parents", "family", "passengers", "everyone", "they", "staff", "crew"} or (word.endswith("s") and len(word) > 3 and not verbs.is_finite(word) and word not in {"this", "hours", "minutes", "days", "times"} and _WORD.match(word)) for word in earlier)

    def _turn_verb(self, index: int) -> str:
        word, original = self.lower[index], self.words[index]
        before = self.lower[index - 1] if index else ""
        if word in _PAST_OF:
            return self._turn_auxiliary(word, original, before)
        if word in {"was", "were"}:
            return self._agree(word)
        if word in _CLEAR_THIRD and word in verbs.THIRD_TO_BASE:
            return verbs.make_past(verbs.THIRD_TO_BASE[word])
        if verbs.is_base(word) and self._is_due(index):
            self.is_shifted = True
            return verbs.make_past(word)
        return original

    def _turn_auxiliary(self, word: str, original: str, before: str) -> str:
        if word in {"have", "do"} and before in _KEEPS_BASE:
            return original
        past = _PAST_OF[word]
        return self._agree(past) if past in {"was", "were"} else past

    def _agree(self, form: str) -> str:
        number, self.number = self.number, "other"
        return {"single": "was", "plural": "were"}.get(number, form)

    def _is_due(self, index: int) -> bool:
        back = index - 1
        while back >= 0 and self.lower[back] in _ADVERBS - {"not"}:
            back -= 1
        if back < 0:
            return False
        before = self.lower[back]
        if before in {"i", "we", "they", "you"} and (before != "you" or is_subject(self.words, back)):
            return back == 0 or self.lower[back - 1] not in {"did", "do", "does", "can", "could", "will", "would"}
        return before == "and" and self.is_shifted


def finish(out: list[str], words: list[str], *, personal: re.Pattern[str]) -> str | None:
    """Joins words into a sentence with capital and full stop; None where it is not fit to be read.

    Args:
        out: Turned words.
        words: The words before, for their spacing.
        personal: Pronouns that may not be left over.
    """
    text = join_words(out).strip(" ,;:-\"'")
    text = drop_odd_brackets(text.replace('"', ""))
    text = re.sub(r"\bi\b", "I", text).strip(" ,;:-")
    if not text or not words:
        return None
    text = text[0].upper() + text[1:]
    text = re.sub(r"[\s,;:.-]+$", "", text) + "."
    return text if is_presentable(text) and personal is _SECOND and not _SECOND.search(text) or (personal is _PERSONAL and is_presentable(text) and not _PERSONAL.search(text)) else None


def join_words(words: list[str]) -> str:
    """Words and marks with the blanks that English puts between them."""
    text = " ".join(words)
    text = re.sub(r" ([,.;:!?)%]+)(?=\s|$)", r"\1", text)
    text = re.sub(r"([$£€#(]) (?=[\d\w])", r"\1", text)
    text = re.sub(r"(?<=\d) (?=(?:st|nd|rd|th|am|pm|k|h|p)\b)", "", text)
    return re.sub(r"\s+", " ", text)


def drop_odd_brackets(text: str) -> str:
    """The text without brackets that have no partner."""
    return text if text.count("(") == text.count(")") else re.sub(r"[()]", "", text)


def is_presentable(text: str) -> bool:
    """Whether a finished sentence reads as prose: no leftovers of the platform, a verb, a sane start, end and length."""
    words = re.findall(r"[A-Za-z']+", text.lower())
    return (
        3 <= len(words) <= 42
        and text.isprintable()
        and not _FOREIGN.search(text)
        and not _SPEAK.search(text)
        and not _SHOUTED.search(text)
        and words[0] not in _BAD_START
        and words[-1] not in _DANGLING
        and has_main_verb(text)
        and not re.search(r"[^\x00-\u024f\u2018-\u201d₹€]", text)
    )


def has_main_verb(text: str) -> bool:
    """Whether the first finite verb belongs to a main clause: its subject is not cut off by a comma or a subordinator."""
    head: list[str] = []
    for token in _TOKENS.findall(text.lower()):
        if head and verbs.is_finite(token) and not (token in verbs.THIRD_TO_BASE and token not in _CLEAR_THIRD and not _is_subject_word(head[-1])):
            break
        head.append(token)
    else:
        return False
    if head[0] in _ADVERBIAL_STARTS or head[-1] in _SUBJECT_PRONOUNS and not set(head[:-1]) & _SUBORDINATORS and "," not in head[:-1]:
        return True
    return not ({","} | _SUBORDINATORS) & set(head) and head[-1] != "to"


def _is_subject_word(word: str) -> bool:
    return word in _SUBJECT_PRONOUNS or word in {"website", "app", "driver", "agent", "airline", "customer", "which", "that", "who", "and"}
