"""What a post must show to be searched for people and references: wide, cheap patterns for the engine.

Belongs here: for each way of searching a pattern that matches every text in which that search can find something. Not
here: the search itself, of the posts that match (`names.py`, `references.py`).
"""

import re
from typing import NamedTuple

from servicebench_data.dialogues.lexicon import load_given_names
from servicebench_data.dialogues.names import GREETINGS, INTRODUCTIONS, MENTIONS
from servicebench_data.dialogues.references import REFERENCES

HANDLE = r"@|__email__|(?i:\(at\)|\[at\]|\bdot (?:com|net|org|edu|gov|co)\b|\bat \w+\.(?:com|net|org))"
REFERENCE = (
    r"\d{5}|\d{3}[ .)-]{1,3}\d{3,4}|\+\d|\d{4}[ -]\d{4}|\b1?[ .-]?8(?:00|33|44|55|66|77|88)\b"
    r"|\b[A-Z][A-Z0-9]*\d[A-Z][A-Z0-9]*\b|\b\d[A-Z0-9]*[A-Z][A-Z0-9]*\d[A-Z0-9]*\b|\b\d[A-Z]{5}\b|\b\d{2,3}[A-Z]{3,4}\b"
    r"|\b[A-Z]{4,5}\d{1,2}\b"
    r"|(?i:\b(?:order|tracking|parcel|package|shipment|invoice|receipt|transaction|trip|ride|purchase|delivery|case|claim"
    r"|complaint|incident|reference|ref|sr|request|file|report|enquiry|inquiry|ticket|feedback|voucher|card|certificate"
    r"|code|tag|booking|bookings|confirmation|conf|confirm|reservation|res|locator|pnr|itinerary|id)s?\b"
    r"[^.!?,\n\d]{0,24}[a-z0-9-]{0,6}\d[a-z0-9-])"
    r"|(?i:pnr|locator|booking|confirmation|conf|reservation|reference)[^.,!?\n]{0,24}\b[A-Z]{6}\b"
)


LOOK_AROUND = re.compile(r"\(\?<?[=!]")
BRACKET = re.compile(r"\\.|[()]")
CLASS = re.compile(r"(?<!\\)\[(?:\\.|[^\]])*\]")
WORD = re.compile(r"\\w")
COUNT = re.compile(r"\{1,\d+\}")


class Hints(NamedTuple):
    """Patterns in the engine's syntax, one for each way of searching."""

    handle: str
    reference: str
    given_name: str
    context: str
    account_context: str
    unusual_name: str


def build_hints() -> Hints:
    """Build the patterns from the lists of names and contexts."""
    names = sorted(load_given_names().plain)
    ambiguous = sorted(name.capitalize() for name in load_given_names().ambiguous)
    upper = [name.upper() for name in names]
    contexts = join_words([*INTRODUCTIONS, *GREETINGS, *MENTIONS])
    introduced = join_words(INTRODUCTIONS)
    paused = join_words([*GREETINGS, *MENTIONS])
    capital = r"(?:[A-Z]['’])?[A-Z][a-zà-öø-ÿ]"
    word = rf"{capital}[a-zà-öø-ÿ]*(?:[-'’]?[A-Z][a-zà-öø-ÿ]+)?"
    return Hints(
        handle=HANDLE,
        reference=REFERENCE,
        given_name=rf"\b(?:{join_words([name.capitalize() for name in names])})",
        context=(
            rf"\b(?i:{introduced})[ ,.:!]+{capital}"
            rf"|\b(?i:{join_words(MENTIONS)})[ ,.:!]+(?:{word} {capital}|{join_words(ambiguous)})"
            rf"|\b(?i:{paused})[ ,.:!]+{word}(?:[ ]?[,.!?:;)&…\n–—*^\[-]|$)"
        ),
        account_context=rf", {word}(?:[ ]?[.!?…\n–—*^\[-]|$)|^(?:{join_words(ambiguous)}),",
        unusual_name=rf"\b(?i:{contexts})[ ,.:!]+(?:{join_words([*names, *upper])})\b",
    )


def list_wide_references() -> list[str]:
    """For each of `REFERENCES`, in the engine's syntax, a pattern that matches wherever that one does."""
    return [widen(reference.pattern) for reference in REFERENCES]


def widen(pattern: re.Pattern[str]) -> str:
    """Return a pattern without its looks around, word boundaries and upper counts, which only ever refuse a match.

    The engine's classes know ASCII letters only, so classes are spelled out; counted, they would take long to compile.
    """
    text = pattern.pattern
    while look := LOOK_AROUND.search(text):
        text = text[: look.start()] + text[find_closing(text, look.start()) + 1 :]
    spelled = CLASS.sub(lambda match: match.group().replace(r"\w", r"\p{L}\p{N}_"), text.replace(r"\b", ""))
    spelled = WORD.sub(r"[\\p{L}\\p{N}_]", spelled).replace(r"\d", r"\p{Nd}")
    spelled = COUNT.sub("+", spelled)
    return f"(?i){spelled}" if pattern.flags & re.IGNORECASE else spelled


def find_closing(text: str, start: int) -> int:
    """Return where the group that opens at `start` closes; the patterns have no bracket in a class."""
    depth = 0
    for place, match in ((match.start(), match.group()) for match in BRACKET.finditer(text, start)):
        depth += {"(": 1, ")": -1}.get(match, 0)
        if depth == 0:
            return place
    raise ValueError(f"the group at {start} of {text!r} does not close; mend the pattern.")


def join_words(words: list[str] | tuple[str, ...]) -> str:
    """Return the alternatives of a pattern."""
    return "|".join(re.escape(word.strip()).replace(r"\ ", " ") for word in words)
