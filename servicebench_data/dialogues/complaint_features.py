"""What a message shows besides its vector: counts of telling words, marks and shapes.

Belongs here: cheap features of a single message, computed from its text as it came. Not here: the model
that weighs them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]

_WORD = re.compile(r"[a-z][a-z'-]*")
_HANDLE = re.compile(r"[@＠]\w+")
_CARE = re.compile(r"[@＠]\w*(?:help|care|support|assist|serv|ask|answers|cust)\w*", re.IGNORECASE)
_LINK = re.compile(r"https?://\S*|\[link\]|www\.\S+", re.IGNORECASE)
_TOKEN = re.compile(r"\[[a-z_]+(?:-\d+)?\]|__\w+?__")
_AMOUNT = re.compile(r"[$£€]\s?\d|\b\d+\s?(?:dollars|bucks|pounds|euros|usd)\b", re.IGNORECASE)
_SPAN = re.compile(
    r"\b(?:\d+|an?|two|three|four|five|six|seven|eight|nine|ten|several|all)\+?\s?"
    r"(?:hours?|hrs?|h|min(?:ute)?s?|days?|weeks?|months?|years?)\b",
    re.IGNORECASE,
)
_OPENS_ASKING = re.compile(
    r"^\W*(?:(?:hi|hey|hello|quick question|question|ok|and|so|just)\W+(?:there\W+)?)?"
    r"(?:how|what|when|where|which|who|can|could|do|does|is|are|will|would|any|may|should)\b",
    re.IGNORECASE,
)
_BAD_TAG = re.compile(
    r"#\w*(?:suck|fail|worst|never|disappoint|horribl|terribl|awful|not[a-z]|bad|delay|rude|scam)", re.IGNORECASE
)
# Thanks for something that went wrong, and waits that go on: both often come without any word of anger.
_THANKS_FOR = re.compile(
    r"\b(?:thanks|thank you|thx|way to|nice work|great job|so much)\b[^.!?]{0,40}?"
    r"\b(?:for (?:nothing|the \w*delay|cancel\w*|losing|los\w+|"
    r"not|making|charging|ruin\w*|break\w*|hanging|the wait)|to you)",
    re.IGNORECASE,
)
_HANGS = re.compile(
    r"\b(?:on hold|still (?:no|not|wait\w*|haven|hasn|can|isn|don|doesn)|"
    r"no (?:reply|response|answer|call|update|one)|"
    r"(?:not|isn'?t|doesn'?t|won'?t|can'?t|don'?t|stopped|never) (?:even )?"
    r"(?:work\w*|load\w*|open|connect|arriv\w*|show\w*|receiv\w*|log|let|get|been|answer\w*|help)|"
    r"(?:haven'?t|hasn'?t) (?:received|arrived|got\w*|heard|been|come))",
    re.IGNORECASE,
)
_MARKS = (
    frozenset("👏🙌🙏❤♥💛💙💚💜🧡💕😍🥰😊☺😀😃😄😁🤗🎉🥳👍😘⭐🌟"),
    frozenset("😡🤬😠😤👎🙄🤦💩😭😒😩😫"),
    frozenset("💰💵💸🤑📈🎁🚀"),
)
SHAPES = (
    "asks", "opens_asking", "exclaims", "shouts", "trails_off", "has_link", "has_tag", "has_amount", "has_span",
    "length", "is_tiny", "bad_tag", "thanks_for", "hangs", "glad_marks", "angry_marks", "selling_marks",
    "names_account", "names_care",
)  # fmt: skip


@dataclass(frozen=True)
class Lexicon:
    """Groups of words whose number in a message is counted; a word that ends in `*` stands for all its endings."""

    groups: Mapping[str, Sequence[str]]

    @cached_property
    def words(self) -> Mapping[str, Sequence[int]]:
        """Places of the groups that a whole word belongs to."""
        return self._index(is_stem=False)

    @cached_property
    def stems(self) -> Mapping[str, Sequence[int]]:
        """Places of the groups that a beginning of a word belongs to."""
        return self._index(is_stem=True)

    def _index(self, *, is_stem: bool) -> Mapping[str, Sequence[int]]:
        index: dict[str, list[int]] = {}
        for place, entries in enumerate(self.groups.values()):
            for entry in dict.fromkeys(entries):
                if entry.endswith("*") == is_stem:
                    index.setdefault(entry.rstrip("*"), []).append(place)
        return index


def measure_messages(texts: Sequence[str], lexicon: Lexicon, is_to_care: Sequence[bool] = ()) -> Numbers:
    """Features of messages, a row each: words of each group (damped), then the shapes, then whom it is addressed to.

    Args:
        texts: Messages as people read them.
        lexicon: Groups of telling words.
        is_to_care: Whether each is known to be said to a care account, though its handle is no longer there; by
            default the handles in the text tell.
    """
    known = is_to_care or [False] * len(texts)
    rows = [
        [*count_groups(text, lexicon), *measure_shape(text), *find_address(text, is_to_care=is_told)]
        for text, is_told in zip(texts, known, strict=True)
    ]
    return np.array(rows, dtype=np.float32).reshape(len(rows), len(lexicon.groups) + len(SHAPES))


def count_groups(text: str, lexicon: Lexicon) -> list[float]:
    """How many words of each group a message has, damped so that the first counts most."""
    counts = [0] * len(lexicon.groups)
    for word in _WORD.findall(strip_marks(text).lower().replace("’", "'")):
        for place in find_groups(word, lexicon):
            counts[place] += 1
    return [float(np.log1p(count)) for count in counts]


def find_groups(word: str, lexicon: Lexicon) -> set[int]:
    """Places of the groups that a word belongs to."""
    found = set(lexicon.words.get(word, ()))
    for end in range(3, len(word) + 1):
        found.update(lexicon.stems.get(word[:end], ()))
    return found


def measure_shape(text: str) -> list[float]:
    """The shapes of a message, in the order of `SHAPES`, without the last two."""
    bare = strip_marks(text)
    letters = [char for char in bare if char.isalpha()]
    words = bare.split()
    loud = sum(1 for word in words if len(word) > 2 and word.isupper())
    return [
        float(min(bare.count("?"), 3)),
        float(bool(_OPENS_ASKING.search(bare)) and "?" in bare),
        float(min(bare.count("!"), 3)),
        min(loud, 4) / 2 if letters else 0.0,
        float("..." in bare or "…" in bare),
        float(bool(_LINK.search(text))),
        float(min(text.count("#"), 3)),
        float(bool(_AMOUNT.search(bare))),
        float(bool(_SPAN.search(bare))),
        float(np.log1p(len(words))),
        float(len(words) <= 4),
        float(bool(_BAD_TAG.search(text))),
        float(bool(_THANKS_FOR.search(bare))),
        float(bool(_HANGS.search(bare))),
        *(float(bool(marks.intersection(text))) for marks in _MARKS),
    ]


def find_address(text: str, *, is_to_care: bool = False) -> list[float]:
    """Whether a message names any account, and whether one whose name says that it gives help."""
    if is_to_care:
        return [1.0, 1.0]
    return [float(bool(_HANDLE.search(text))), float(bool(_CARE.search(text)))]


def strip_marks(text: str) -> str:
    """The message without handles, links and typed tokens."""
    return _TOKEN.sub(" ", _LINK.sub(" ", _HANDLE.sub(" ", text)))
