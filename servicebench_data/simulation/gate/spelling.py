"""One spelling for what agents write, so that "ur conf no pls", "I'd" and "appologies" are read as what they mean.

Belongs here: spellings, and the way back to the words as they stood. Not here: what any word means for the gate.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path

import yaml

from servicebench_data.scenarios.respelling import Respelled
from servicebench_data.scenarios.wordlists import word_set

_TOKEN = re.compile(
    r"\[[a-z]+-\d+\]|\^[a-z]{1,3}\b|\be-mails?\b|[^\W\d_]+(?:['’`][^\W\d_]+)*|\d+(?:[.,:]\d+)*|[*_#`~>|•]+|\s+|.",
    re.IGNORECASE,
)
#: Signs of mark-up that carry no words.
_MARKS = frozenset("*_`~>|•")
#: Words after which "no" is short for "number".
_NUMBERED = word_set("""
    order member membership flight booking confirmation conf reference ref file case room phone ticket account
    tracking receipt tag seat res reservation
""")
_SIGNS = {"&": "and", "+": "and", "#": "number", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "…": "."}
_ENDINGS = (("n't", "not"), ("'ve", "have"), ("'re", "are"), ("'ll", "will"), ("'d", "would"), ("'m", "am"))
_HAS_IS = word_set("""
    it that what there here where who how he she when why this everything something everyone nobody which
""")
_NEGATED = word_set("""
    dont didnt doesnt isnt wasnt arent werent couldnt wouldnt shouldnt hadnt mustnt neednt
""")
_Z = re.compile(r"\b(ap+ol+og|real|recogn|organ|priorit|final|author|summar|minim|itemi?)iz")
#: Words that are recognised in bad spelling too; others are left as they stand.
_KEYS = word_set("""
    apologise apologies apology sorry inconvenience inconvenienced understand understanding unfortunately
    frustration frustrating frustrated frustrate disappointed disappointing disappointment terrible horrible
    unacceptable unpleasant refund refunded reimburse reimbursed reimbursement compensation compensate replacement
    replace voucher receipt reservation booking confirmation reference number membership information details address
    telephone luggage baggage suitcase passenger passengers happened happen responsible responsibility policy
    policies investigate manager customer restaurant delivery deliver delivered purchase purchased received receive
    travelling arrive arrived tomorrow immediately possible impossible provide please flight airport driver exactly
    regret forgive embarrassing stressful exhausting difficult acceptable experience explain claim account missing
    cancelled
""")
_VOWELS = re.compile(r"(?<!^)[aeiouyh]")


@cache
def load_spellings() -> Mapping[str, str]:
    """Whole words by their spellings."""
    return yaml.safe_load((Path(__file__).parent / "spelling.yaml").read_text(encoding="utf-8"))


@lru_cache(maxsize=4096)
def respell_message(message: str) -> Respelled:
    """The message in lower case and one spelling, each character with its place in the original."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, new in _spell_tokens(message):
        pieces.append(new)
        starts += [start] * len(new)
        ends += [end] * len(new)
    return Respelled("".join(pieces), message, tuple(starts), tuple(ends))


def _spell_tokens(message: str) -> Iterator[tuple[int, int, str]]:
    last = ""
    for match in _TOKEN.finditer(message):
        token = match.group()
        if token.lower() == "no" and last in _NUMBERED:
            yield match.start(), match.end(), "number"
            continue
        last = token.lower() if not token.isspace() else last
        if token.isspace():
            yield match.start(), match.end(), "\n" if "\n" in token else " "
        elif token[0].isalpha():
            yield match.start(), match.end(), spell_word(token.lower().replace("’", "'").replace("`", "'"))
        elif token[0] == "^":
            yield match.start(), match.end(), ""
        elif _is_bullet(message, match):
            yield match.start(), match.end(), "-"
        elif set(token) <= _MARKS or (token[0] == "#" and len(token) > 1):
            yield match.start(), match.end(), ""
        else:
            yield match.start(), match.end(), _SIGNS.get(token, token.lower())


def _is_bullet(message: str, match: re.Match[str]) -> bool:
    before = message[: match.start()].rstrip(" ")
    return match.group() in {"*", "•"} and (not before or before.endswith("\n")) and message[match.end() :][:1] == " "


@lru_cache(maxsize=8192)
def spell_word(word: str) -> str:
    """A lower-case word in the one spelling; contractions in full."""
    if word in load_spellings():
        return load_spellings()[word]
    if word in _NEGATED:
        return f"{word[:-2]} not"
    for ending, full in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending):
            return f"{spell_word(word.removesuffix(ending))} {full}"
    if word.endswith("'s") and word[:-2] in _HAS_IS:
        return f"{word[:-2]} is"
    word = _Z.sub(r"\1is", word)
    return word if word in _KEYS or len(word) < 4 else _guess(word)


def _guess(word: str) -> str:
    """The key word that a word is a slip of: same consonants, nearly the same letters, no other form of it."""
    for key in _BY_BONES.get(_bone(word), ()):
        is_form = word.startswith(key) or key.startswith(word)
        if not is_form and SequenceMatcher(None, word, key).ratio() >= 0.8:
            return key
    return word


def _bone(word: str) -> str:
    """What is left of a word without vowels and doubled letters."""
    return re.sub(r"(.)\1+", r"\1", _VOWELS.sub("", re.sub(r"(.)\1+", r"\1", word)))


def _group_keys() -> dict[str, tuple[str, ...]]:
    groups: dict[str, tuple[str, ...]] = {}
    for key in sorted(_KEYS):
        groups[_bone(key)] = (*groups.get(_bone(key), ()), key)
    return groups


_BY_BONES = _group_keys()
