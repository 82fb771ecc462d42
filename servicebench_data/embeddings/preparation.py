"""What is left of a post for the embedding model to read: what happened, without who it was addressed to.

Belongs here: taking out handles, brands, masks, links, signatures and symbols, so that brands and tokens do not become
topics. Not here: cleaning and masking of the text that people read (`servicebench_data/dialogues/`).
"""

import html
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

PREPARATION_VERSION = "1"

_LINK = re.compile(r"(?:https?://|www\.|pic\.twitter\.com/|\bt\.co/)\S*", re.IGNORECASE)
_HANDLE = re.compile(r"(?<!\w)[@＠]\w+")
# A typed token of the product (`[booking-1]`, `[link]`), a data set's own (`__email__`), or one of X's archives.
_MASK = re.compile(r"\[[a-z_]+(?:-\d+)?\]|__\w+?__|<(?:user|url|email|number)>", re.IGNORECASE)
_SIGNATURE = re.compile(r"\s(?:[\^*]\s?[A-Za-z]{1,4}|[-~/]\s?[A-Z]{2,3})\s*$")
_RETWEET = re.compile(r"^\s*(?:RT|MT)\b:?\s*")
_EMPTY_BRACKETS = re.compile(r"\(\s*\)|\[\s*\]|\"\s*\"")
_SPACE_BEFORE = re.compile(r"\s+(?=[,.;:!?])")
_SPACES = re.compile(r"\s+")
# Symbols, controls, private use, surrogates and unassigned: the model's vocabulary has none of them.
_SYMBOLS = frozenset({"So", "Sk", "Cc", "Cf", "Co", "Cs", "Cn"})
_JOINERS = frozenset({"\u200d", "\ufe0f", "\ufe0e", "\u20e3"})


def prepare_text(text: str, brand_words: Iterable[str] = ()) -> str:
    """Text as it is embedded; empty when no word is left, and then it must not be embedded.

    Args:
        text: A post or several, raw or masked.
        brand_words: Names, handles and aliases of brands, to be taken out. A name of up to three letters is taken out
            only as it is written here (`AA`), a longer one however it is written.
    """
    kept = _RETWEET.sub("", html.unescape(text))
    kept = _MASK.sub(" ", _LINK.sub(" ", kept))
    kept = remove_symbols(_SIGNATURE.sub(" ", _HANDLE.sub(" ", kept))).replace("#", " ")
    for pattern in compile_brands(tuple(sorted(set(brand_words)))):
        kept = pattern.sub(" ", kept)
    kept = _SPACES.sub(" ", _SPACE_BEFORE.sub("", _EMPTY_BRACKETS.sub(" ", kept))).lstrip(" ,.;:-").rstrip(" ,;:-")
    return kept if any(char.isalpha() for char in kept) else ""


def remove_symbols(text: str) -> str:
    """The text without emoji, control characters and what joins them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        " " if char in "\r\n\t" or (char not in _JOINERS and unicodedata.category(char) in _SYMBOLS) else char
        for char in unicodedata.normalize("NFC", text)
        if char not in _JOINERS
    )


@lru_cache(maxsize=64)
def compile_brands(brand_words: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """Patterns that find the brands: one that heeds capitals, one that does not."""
    words = sorted({word.strip().lstrip("@") for word in brand_words if word.strip()})
    words.sort(key=len, reverse=True)
    short, long = [word for word in words if len(word) <= 3], [word for word in words if len(word) > 3]
    return tuple(
        re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, group))})(?:['’]s)?(?!\w)", flags)
        for group, flags in ((long, re.IGNORECASE), (short, re.NOFLAG))
        if group
    )
