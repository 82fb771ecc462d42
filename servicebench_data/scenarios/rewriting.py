"""Turns person, tense and pronouns: the customer's words in the first person, or an event in the third.

Belongs here: one tidied sentence in, one finished sentence or None out; what cannot be turned well is left out. Not
here: spelling (`tidying`) and missing subjects (`subjects`).
"""

import re

from servicebench_data.scenarios import verbs
from servicebench_data.scenarios.prose import ADVERBS, CLEAR_THIRD, OBJECT_STARTS, TOKENS, finish
from servicebench_data.scenarios.wordlists import word_set

_WORD = re.compile(r"[A-Za-z]")
_PAST_OF = {
    "am": "was", "is": "was", "are": "were", "has": "had", "have": "had", "do": "did", "does": "did",
    "can": "could", "cannot": "could not", "will": "would",
}  # fmt: skip
_KEEPS_BASE = word_set(
    "to would could should might must will can may did do does not cannot let make made please help shall never"
)
#: Stands for a pronoun whose owner cannot be told; no sentence that holds it is presentable.
_UNCLEAR = "#"
_STAFF_ACTS = word_set(
    "told said say tell saying telling lost cancelled canceled gave give giving refused refuse made make making "
    "kept keep charged charge charging put changed moved offered offer sent send asked ask promised claim claimed "
    "insisted "
    "rebooked bumped overbooked denied deny let delayed delaying took ignored forgot sold closed trying check "
    "checked found find held hung called call calling explained admitted announced announce boarded boarding "
    "deplaned help helped fix fixed "
    "deliver delivered shipped cooked served serve answered answer respond responded replied cleaned wanted "
    "want need needed treated threatened yelled kicked accused apologised apologized loaded separated removed "
    "left stopped canceling cancelling blamed picked tried yelled shouted screamed swore laughed seated swapped marked "
    "blocked rejected declined threw searched forced ordered"
)
_PREPOSITIONS = word_set(
    "to from with for of at on in by about against via than like without behind after before between"
)
_PERSONAL = re.compile(
    r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves|you|your|yours|yourself|yourselves)\b", re.IGNORECASE
)
_SECOND = re.compile(r"\b(?:you|your|yours|yourself|yourselves)\b", re.IGNORECASE)
_NOUN_STARTS = word_set(
    "a an the my our your their his her this these those some any no two three all many more other of for with in "
    "on at to from customer extra new"
)
_OPENING = re.compile(r"^The customer(?:'s party)? (\w+(?: \w+){0,3})")
_AFTER_CUSTOMER = word_set("who with in on at of another their which from whose should must might shall")
#: "Each of you" is somebody of the company.
_PARTS_OF = tuple(
    [word, "of"] for word in ("each", "one", "some", "none", "all", "both", "any", "two", "three", "most")
)
_SUBJECT_ENDS = word_set("and but so because when if that which while as or then than after before since until where")


def tell_first(text: str) -> str | None:
    """The sentence in the customer's own voice, the company as "they"; None where it cannot be told well."""
    words = TOKENS.findall(text)
    out = [_turn_second(words, index) for index in range(len(words))]
    return finish(out, _SECOND)


def _turn_second(words: list[str], index: int) -> str:
    word = words[index].lower()
    if word == "you":
        return "they" if is_subject(words, index) else "them"
    return {"your": "their", "yours": "theirs", "yourself": "themselves", "yourselves": "themselves"}.get(
        word, words[index]
    )


def is_subject(words: list[str], index: int) -> bool:
    """Whether the pronoun at an index is a subject: a verb follows it and neither verb nor preposition precedes it."""
    following = index + 1
    while following < len(words) and words[following].lower() in ADVERBS:
        following += 1
    word = words[following].lower() if following < len(words) else ""
    before = words[index - 1].lower() if index else ""
    if before in _PREPOSITIONS and before not in {"after", "before", "than", "like"}:
        return False
    if verbs.is_finite(word) or verbs.is_base(word) or word in {"should", "must"} or _is_listed(before, word):
        return not (
            verbs.is_base(before)
            and before not in {"know", "hope", "think", "wish", "see"}
            and not verbs.is_auxiliary(word)
        )
    return index == 0 or before in _SUBJECT_ENDS


def has_own_verb(told: str) -> bool:
    """Whether a sentence that begins with the customer goes on with a verb in the past."""
    match = _OPENING.match(told)
    if match is None:
        return True
    words = match.group(1).lower().split()
    while words and (words[0] in ADVERBS or words[0].endswith("ly") or words[0] in {"and", "literally", "almost"}):
        words.pop(0)
    return not words or verbs.is_finite(words[0]) or words[0].endswith("ed") or words[0] in _AFTER_CUSTOMER


def _is_listed(before: str, word: str) -> bool:
    """Whether a word is the verb of a bare relative clause: "the number you listed"."""
    return word.endswith("ed") and before not in _PREPOSITIONS and not verbs.is_finite(before)


def tell_third(text: str, company: str) -> str | None:
    """The sentence as an event in the third person and the past; None where it cannot be told well.

    Args:
        text: A tidied sentence with its subject.
        company: How the company is called, without article: "airline".
    """
    words = TOKENS.findall(text)
    told = finish(_Turner(words, company).turn(), _PERSONAL)
    if told is None or not has_own_verb(told):
        return None
    told = re.sub(rf"\b(the {company})'s {company}s?\b", r"\1", told, flags=re.IGNORECASE)
    return re.sub(rf"\b([Tt]he) {company}'s ((?:[A-Z]\w+ )+{company})\b", r"\1 \2", told)


class _Turner:
    """Walks the words of one sentence once, keeping what has been named and which verb forms are due."""

    def __init__(self, words: list[str], company: str) -> None:
        self.words = words
        self.lower = [word if word == "US" else word.lower() for word in words]
        self.company = company
        self.is_named = False
        self.uses_they = not any(word in {"they", "them", "their", "theirs", "themselves"} for word in self.lower)
        self.number, self.subject_at = "single", -1
        self.is_shifted = False
        self.has_staff = False

    def turn(self) -> list[str]:
        """The words of the event."""
        return [self._turn_word(index) for index in range(len(self.words))]

    def _turn_word(self, index: int) -> str:
        word = self.lower[index]
        if word in {"i", "we"}:
            return self._name_customer("the customer" if word == "i" else "the customer's party", index)
        if word in {"mine", "ours"} and (not index or self.lower[index - 1] in _SUBJECT_ENDS):
            return _UNCLEAR
        if word in {"me", "us", "my", "our", "mine", "ours", "myself", "ourselves"}:
            return self._name_oblique(word, index)
        if word in {"you", "your", "yours", "yourself", "yourselves"}:
            return self._name_company(word, index)
        if word in {"they", "them", "their"} and not self._has_antecedent(index):
            return self._name_staff(word, index)
        return self._turn_verb(index)

    def _set_subject(self, number: str, index: int) -> None:
        self.number, self.subject_at = number, index

    def _name_customer(self, first: str, index: int) -> str:
        is_later = self.is_named and self.uses_they
        self.is_named = True
        self._set_subject("plural" if is_later else "single", index)
        return "they" if is_later else first

    def _name_oblique(self, word: str, index: int) -> str:
        is_later = self.is_named and self.uses_they
        self.is_named = True
        if word in {"myself", "ourselves"}:
            return "themselves"
        if word in {"my", "our"}:
            return "their" if is_later else "the customer's"
        if word in {"mine", "ours"}:
            return "theirs" if is_later else "the customer's"
        if word == "us" and index and self.lower[index - 1] == "of":
            return "the customer's party"
        return "them" if is_later else "the customer"

    def _name_company(self, word: str, index: int) -> str:
        if word == "you":
            if is_subject(self.words, index):
                self._set_subject("single", index)
            is_part = self.lower[max(0, index - 2) : index] in _PARTS_OF
            return f"the {self.company}'s staff" if is_part else f"the {self.company}"
        return f"the {self.company}'s" if word in {"your", "yours"} else "itself"

    def _name_staff(self, word: str, index: int) -> str:
        if word == "they":
            self._set_subject("plural", index)
            self.has_staff = self.has_staff or self._is_company_act(index)
        if not self.has_staff:
            return _UNCLEAR
        return "the staff's" if word == "their" else "staff"

    def _is_company_act(self, index: int) -> bool:
        following = next(
            (
                word
                for word in self.lower[index + 1 :]
                if word not in ADVERBS and not verbs.is_auxiliary(word) and word != "not"
            ),
            "",
        )
        return following in _STAFF_ACTS

    def _has_antecedent(self, index: int) -> bool:
        earlier = self.lower[:index]
        return any(
            word
            in {"people", "kids", "children", "parents", "family", "passengers", "everyone", "they", "staff", "crew"}
            or (
                word.endswith("s")
                and len(word) > 3
                and not verbs.is_finite(word)
                and word not in {"this", "hours", "minutes", "days", "times"}
                and _WORD.match(word)
            )
            for word in earlier
        )

    def _turn_verb(self, index: int) -> str:
        word, original = self.lower[index], self.words[index]
        before = self.lower[index - 1] if index else ""
        if word in _PAST_OF and not (word == "am" and before not in ADVERBS | {"i", "and", "but"}):
            return self._turn_auxiliary(index, before)
        if word in {"was", "were"}:
            return self._agree(word, index)
        following = self.lower[index + 1] if index + 1 < len(self.lower) else ""
        is_verb = word in CLEAR_THIRD or (
            following in OBJECT_STARTS and index > 0 and before not in _NOUN_STARTS and not before.endswith("ing")
        )
        if is_verb and word in verbs.THIRD_TO_BASE:
            return verbs.make_past(verbs.THIRD_TO_BASE[word])
        if verbs.is_base(word) and self._is_due(index):
            self.is_shifted = True
            return verbs.make_past(word)
        return original

    def _turn_auxiliary(self, index: int, before: str) -> str:
        word = self.lower[index]
        if word in {"have", "do"} and before in _KEEPS_BASE:
            return self.words[index]
        past = _PAST_OF[word]
        return self._agree(past, index) if past in {"was", "were"} else past

    def _agree(self, form: str, index: int) -> str:
        if self.subject_at < 0:
            return form
        between = self.lower[self.subject_at + 1 : index]
        is_near = all(word in ADVERBS for word in between)
        is_shared = (
            between[-1:] in (["and"], ["but"])
            and self.lower[index] in {"am", "was"}
            and not {"which", "that", "who", "it"} & set(between)
        )
        return (
            {"single": "was", "plural": "were"}[self.number]
            if is_near or is_shared or self.lower[index] == "am"
            else form
        )

    def _is_due(self, index: int) -> bool:
        back = index - 1
        while back >= 0 and self.lower[back] in ADVERBS - {"not"}:
            back -= 1
        if back < 0:
            return False
        before = self.lower[back]
        if before in {"i", "we", "they", "you"} and (before != "you" or is_subject(self.words, back)):
            return back == 0 or self.lower[back - 1] not in {"did", "do", "does", "can", "could", "will", "would"}
        return before == "and" and self.is_shifted
