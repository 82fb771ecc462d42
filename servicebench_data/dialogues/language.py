"""The main language of a dialogue, told from the customer's whole side.

Belongs here: one function over a list of texts. Not here: what happens to a dialogue in another language
(`screening.py`).

py3langid was chosen by measurement on 3,000 customers' texts of the real posts: ten times as fast as lingua, no load
time to speak of, the same answer every time, and slang in English stays English where lingua says Xhosa or Latin.
"""

import re
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, Protocol, cast

UNKNOWN = "und"
ENGLISH = "en"
# Typed tokens, links, handles, hashtags, numbers and signs say nothing about a language.
NOISE = re.compile(r"\[[a-z]+(?:-\d+)?\]|https?://\S+|[@#]\w+|\d+|[^\w\s'’.,!?¿¡-]|_")
LETTER = re.compile(r"[^\W\d_]")
WIDE_LETTER = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
ENGLISH_WORDS = frozenset(
    """
    a about after again all am an and any are as at back be been but by can cant can't could day did do does
    doesn't don't dont for from get getting give go going good got had has have help here how i i'm i've if im
    in is isn't it it's its ive just like me my need never new no not now of off on one or our out over please
    phone really service so still thank thanks that that's thats the their them then there these they this time
    to today too u up us very want was we were what when where which who why will with won't work working would
    you your you're
    """.split()  # noqa: SIM905
)
MIN_LETTERS = 12
MIN_WIDE_LETTERS = 4
MIN_CONFIDENCE = 0.7
# These accounts are written to in English by nearly everybody: odds that a text is English before it is read. Slang and
# misspellings leave the model in doubt, a text in another language does not.
ENGLISH_ODDS = 30.0
MIN_ENGLISH_SHARE = 0.25


class Identifier(Protocol):
    """What is used of py3langid's identifier."""

    def rank(self, instance: str) -> list[tuple[str, float]]:
        """Return languages with their probabilities, the likeliest first."""
        ...


def identify_languages(texts: Sequence[str]) -> list[str]:
    """Return the ISO 639-1 code of each text's main language; `und` where a text is too short or too mixed to tell."""
    identifier = load_identifier()
    answers: dict[str, str] = {}
    for text in texts:
        if text not in answers:
            answers[text] = identify(identifier, text)
    return [answers[text] for text in texts]


@cache
def load_identifier() -> Identifier:
    """Load the model, limited to languages that have a two-letter code."""
    langid: Any = import_module("py3langid.langid")
    identifier = langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
    identifier.set_languages([label for label in identifier.labels if len(label) == 2])
    return cast("Identifier", identifier)


def identify(identifier: Identifier, text: str) -> str:
    """Return the language of one text."""
    plain = " ".join(NOISE.sub(" ", text).split())
    letters = len(LETTER.findall(plain))
    is_wide = len(WIDE_LETTER.findall(plain)) >= MIN_WIDE_LETTERS
    if letters < MIN_LETTERS and not is_wide:
        return UNKNOWN
    ranked = identifier.rank(plain)
    english = dict(ranked).get(ENGLISH, 0.0)
    language, confidence = next(entry for entry in ranked if entry[0] != ENGLISH)
    if english * ENGLISH_ODDS >= 1 - english:
        return ENGLISH
    if confidence >= MIN_CONFIDENCE:
        return language
    return ENGLISH if is_english(plain) else UNKNOWN


def is_english(text: str) -> bool:
    """Tell whether enough of the words are small English ones."""
    words = [word.strip(".,!?-").replace("’", "'") for word in text.lower().split()]
    return sum(word in ENGLISH_WORDS for word in words) >= MIN_ENGLISH_SHARE * len(words)
