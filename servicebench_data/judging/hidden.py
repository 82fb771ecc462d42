"""What a text says when it is read otherwise: without invisible signs, with look-alike letters, decoded.

Belongs here: from a text to its other readings. Not here: whether any of them speaks to a judge (`injections.py`).
"""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

#: Signs without width, marks of direction, fillers; the joiner between two emoji is one of them and does no harm there.
_UNSEEN = "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
INVISIBLE = re.compile(f"[{_UNSEEN}\U000e0000-\U000e007f\U000e0100-\U000e01ef]")
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f000-\U0001faff"
_STRAY = re.compile(f"(?<![{_EMOJI}])\u200d|\u200d(?![{_EMOJI}])")
_UNWANTED = re.compile(
    f"[{_UNSEEN.replace(chr(0x200B) + '-' + chr(0x200F), chr(0x200B) + chr(0x200C) + chr(0x200E) + chr(0x200F))}]"
)
#: The flags of England, Scotland and Wales are written with tags.
_TAGS = re.compile("(?<!\U0001f3f4)[\U000e0020-\U000e007e]+")
_ANY_TAG = re.compile("(?:\U0001f3f4[\U000e0020-\U000e007f]+)|[\U000e0000-\U000e007f\U000e0100-\U000e01ef]+")
_WIDE = re.compile("[\uff01-\uff5e]")

_LOOKALIKES = str.maketrans(
    "аеорсухіѕјԁһкмтвнгпАВЕКМНОРСТУХІЅЈαεορτυνικχβΑΒΕΖΗΙΚΜΝΟΡΤΥΧɑɡıⅼӏ",
    "aeopcyxisjdhkmtbhrnABEKMHOPCTYXISJaeoptuvikxbABEZHIKMNOPTYXagill",
)
_DIGITS = str.maketrans("013457@$", "oieastas")
_MIXED = re.compile(r"\b(?=\w*[a-z])[a-z]*[01345@$7][a-z01345@$7]*[a-z]\w*", re.IGNORECASE)
_SPACED = re.compile(r"(?<![\w.])(?:[a-z][ .\-_*|]){2,}[a-z](?!\w)")
_WORD = re.compile(r"\w+")
_LETTERS = re.compile(r"[^a-z0-9]+")
#: Numbers that are looked for in words.
NUMERALS = str.maketrans({"5": "five"})


class Reading(NamedTuple):
    """A stretch of a text, and what it says when it is decoded."""

    start: int
    end: int
    text: str


def show_plainly(text: str) -> str:
    """A text as an honest reader needs it: without signs that nobody sees, wide letters as plain ones."""
    text = _ANY_TAG.sub(lambda found: found[0] if found[0][0] == "\U0001f3f4" else "", text)
    text = _STRAY.sub("", _UNWANTED.sub("", text))
    return _WIDE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)


def fold(text: str) -> str:
    """A text for comparison: small letters without accents, look-alikes replaced, nothing invisible."""
    text = text.casefold() if text.isascii() else fold_signs(text)
    text = _SPACED.sub(lambda found: re.sub(r"[^a-z]", "", found[0]), text)
    return re.sub(r"[ \t\r\f\v]+", " ", text.replace("’", "'").replace("“", '"').replace("”", '"'))


def fold_signs(text: str) -> str:
    """The part of folding that plain letters do not need."""
    text = _WORD.sub(_straighten, INVISIBLE.sub("", unicodedata.normalize("NFKC", text)))
    return "".join(sign for sign in unicodedata.normalize("NFD", text.casefold()) if not unicodedata.combining(sign))


def _straighten(found: re.Match[str]) -> str:
    """A word with Latin letters in place of others that look like them, where all of it then is Latin."""
    word = found[0]
    if word.isascii():
        return word
    changed = word.translate(_LOOKALIKES)
    return changed if changed.isascii() else word


def list_readings(folded: str) -> Iterator[str]:
    """Other readings of a folded text: digits as letters, shifted letters, backwards."""
    if _MIXED.search(folded):
        yield _MIXED.sub(lambda found: found[0].translate(_DIGITS), folded)
    yield codecs.encode(folded, "rot13")
    yield folded[::-1]


def squeeze(folded: str) -> str:
    """Only the letters of a folded text, with fives in words."""
    return _LETTERS.sub("", folded.translate(NUMERALS))


def find_encoded(text: str) -> Iterator[Reading]:
    """Stretches that are something else when they are decoded, as far as that is readable."""
    for pattern, decode in _CODES:
        for found in pattern.finditer(text):
            decoded = decode(found[0])
            if decoded and is_readable(decoded):
                yield Reading(found.start(), found.end(), decoded)


def is_readable(text: str) -> bool:
    """Whether a text consists of letters, signs and blanks, mostly letters."""
    letters = sum(sign.isalpha() or sign.isspace() for sign in text)
    return len(text) >= 4 and text.isprintable() and letters >= 0.7 * len(text)


def _decode_64(text: str) -> str | None:
    stripped = text.rstrip("=")
    try:
        raw = base64.b64decode(stripped + "=" * (-len(stripped) % 4), altchars=b"-_" if set(text) & set("-_") else None)
        return " ".join(raw.decode().split("\n"))
    except (binascii.Error, ValueError):
        return None


def _decode_32(text: str) -> str | None:
    stripped = text.rstrip("=")
    try:
        return base64.b32decode(stripped + "=" * (-len(stripped) % 8)).decode()
    except (binascii.Error, ValueError):
        return None


def _decode_hex(text: str) -> str | None:
    digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", text)
    try:
        return bytes.fromhex(digits).decode()
    except ValueError:
        return None


def _decode_bits(text: str) -> str | None:
    bits = re.findall(r"[01]{8}", text)
    return "".join(chr(int(entry, 2)) for entry in bits)


def _decode_numbers(text: str) -> str | None:
    numbers = [int(entry) for entry in re.findall(r"\d+", text)]
    return "".join(map(chr, numbers)) if all(32 <= number < 127 for number in numbers) else None


def _decode_tags(text: str) -> str | None:
    return "".join(chr(ord(sign) - 0xE0000) for sign in text)


def _decode_escapes(text: str) -> str | None:
    return re.sub(r"\\u\{?([0-9a-fA-F]{4})\}?", lambda found: chr(int(found[1], 16)), text)


_CODES: tuple[tuple[re.Pattern[str], Callable[[str], str | None]], ...] = (
    (_TAGS, _decode_tags),
    (re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{12,}={0,2}"), _decode_64),
    (re.compile(r"\b[A-Z2-7]{16,}={0,6}"), _decode_32),
    (re.compile(r"(?:(?:0x|\\x)?[0-9a-fA-F]{2}[\s:,]?){8,}"), _decode_hex),
    (re.compile(r"(?:\b[01]{8}\b[\s,]?){4,}"), _decode_bits),
    (re.compile(r"(?:\b\d{2,3}\b[\s,]+){7,}\d{2,3}\b"), _decode_numbers),
    (re.compile(r"\S*(?:%[0-9A-Fa-f]{2}\S*){4,}"), unquote),
    (re.compile(r"(?:&#?\w+;\s?){4,}"), html.unescape),
    (re.compile(r"(?:\\u\{?[0-9a-fA-F]{4}\}?\s?){4,}"), _decode_escapes),
)
