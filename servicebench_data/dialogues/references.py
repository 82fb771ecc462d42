"""Finding handles, e-mail addresses, phone numbers and reference numbers in a text.

Belongs here: one pattern for each kind, and what looks like one and is none: flight numbers, amounts, dates and times
stay. Not here: names (`names.py`), choosing which patterns are worth trying on a text (`hints.py`).

Our definition: a number of seven digits or more without any word that says what it is, is masked as an order number,
one of 13 digits (an airline ticket) as a booking.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from servicebench_data.dialogues.spans import MaskKind, Span

# Words and signs that may stand between the word that says what a number is and the number.
LINKING = r"(?:[\s:#.=-]|\b(?:is|was|are|my|no|num(?:ber)?s?|nbr|code|id|ref(?:erence)?|conf(?:irmation)?)\b)*"
# Behind a word such as "booking" only two-letter carriers count: ABC123 is a booking code there.
NAMED_FLIGHT = re.compile(r"(?:[A-Z]{2}|[A-Z]\d|\d[A-Z])\d{1,4}")
SIGNS = re.compile(r"[\W_]")
YEAR = re.compile(r"(?:19|20)\d\d")
COUNTED = (
    r"(?!\s?(?:k\b|usd|dollars?|bucks|pesos|pounds|quid|euros?|rupees|rs\b|yen|naira|rand|miles|points|pts|people"
    r"|followers|times))"
)
FLIGHT = re.compile(r"(?:[A-Z]{2,3}|[A-Z]\d|\d[A-Z])\s?-?\d{1,4}[A-Z]?", re.IGNORECASE)
DATE = re.compile(
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])20\d\d"
)

EMAIL = re.compile(
    r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)+"
    r"|\b[\w.+-]+\s?(?:\(at\)|\[at\]|\sat\s)\s?[\w-]+\s?(?:\.|\(dot\)|\sdot\s)\s?(?:com|net|org|edu|co\.uk|gov)\b"
    r"|\b[\w.+-]+@(?:gmail|yahoo|hotmail|outlook|icloud|aol)\b|__email__",
    re.IGNORECASE,
)
MENTION = re.compile(r"(?<![\w@])@(\w{1,30})")
CARD = re.compile(r"(?<![\w-])(?:\d{16}|\d{4}(?:-\d{4}){3}|\d{4}(?: \d{4}){3}|3[47]\d{2}[ -]\d{6}[ -]\d{5})(?![\w-])")
PHONE = re.compile(
    r"(?<![\w$£€.#/-])(?:"
    r"01[\s.-]8\d{2}[\s.-]\d{3}[\s.-]\d{4}"
    r"|\+\d{1,3}[\s.-]?(?:\(\d{1,4}\)[\s.-]?)?\d(?:[\s.-]?\d){6,11}"
    r"|1?[\s.-]?\(?[2-9]\d{2}\)?\s?[.-]\s?\d{3}\s?[.-]\s?\d{4}"
    r"|(?:1[\s.-])?\(?[2-9]\d{2}\)?\s\d{3}[\s.-]\d{4}"
    r"|\([2-9]\d{2}\)\s?\d{3}[\s.-]?\d{4}"
    r"|1?[\s.-]?8(?:00|33|44|55|66|77|88)[\s.-]?[A-Z\d](?:-?[A-Z\d]){6,10}"
    r"|00\d{2}[\s.-]?\d(?:[\s.-]?\d){7,10}"
    r"|0\d{2,4}[\s.-]\d{3,4}[\s.-]?\d{3,4}"
    r"|0[1-9]\d{9}|1?[2-9]\d{2}[2-9]\d{6}"
    r"|555[\s.-]?01\d\d"
    r")(?![\w-]|\.\d|,\d{3})"
)
SHORT_PHONE = re.compile(
    r"(?i:\b(?:call|phone|tel|telephone|cell|mobile|text|number|reach|ring|dial|contact)\b[^.!?\n\d]{0,30}?)"
    r"(?<![\w$£€.#/-])(\d{3}[\s.-]\d{4}|\d{7})(?![\w-]|\.\d|,\d{3})"
)


class Reference(NamedTuple):
    """A kind of value and how it is found.

    Attributes:
        kind: Kind of the value.
        pattern: What surrounds it, and the value as the last group, or as the whole where there is none.
        refused: What the value may be after all, so that it stays.
    """

    kind: MaskKind
    pattern: re.Pattern[str]
    refused: tuple[re.Pattern[str], ...] = ()


def name_values(kind: MaskKind, words: str, value: str) -> Reference:
    """Build the pattern of a kind from the words that announce it and the shape of its values."""
    pattern = re.compile(rf"(?i:\b(?:{words})\b{LINKING})(?<![\w$£€])({value})(?!\w)")
    return Reference(kind, pattern, (NAMED_FLIGHT, YEAR, DATE))


# The first that matches a value decides its kind.
NAMED = (
    name_values(
        "loyalty",
        r"aadvantage|sky\s?miles|rapid\s?rewards?|true\s?blue|h?honou?rs|mileage\s?plus|bonvoy|loyalty|member(?:ship)?"
        r"|frequent[\s-]fl[iy]er|ffn?|rewards?(?:\s?club)?|ihg\s?rewards?|rr|account|acct|ktn|redress"
        r"|known\s?travell?er",
        r"(?=[A-Z]{0,4}\d)[A-Z0-9]{6,14}|(?=[A-Z]{0,4}\d)[A-Z0-9]{3,5}[ -]\d{3,6}(?:[ -]\d{2,5})?",
    ),
    name_values(
        "order",
        r"orders?|tracking|parcel|package|shipment|invoice|receipt|transaction|trip|ride|purchase|delivery",
        r"[A-Za-z]{0,5}-?\d[A-Za-z0-9]{3,21}(?:-\w{2,})*|\d{3}(?:-\d{3,})+|[A-Z]{6,}\d\w*",
    ),
    name_values(
        "booking",
        r"bookings?|confirmation|conf|confirm|reservation|res|record\s?locator|locator|pnr|itinerary|e?ticket|trip\s?id",
        r"(?=\w*\d)[A-Za-z0-9]{5,14}",
    ),
    name_values("booking", r"ref(?:erence)?", r"(?=[A-Za-z]{0,5}\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6}|(?<=[:# ])[A-Z]{6}"),
    name_values(
        "case",
        r"case|claim|complaint|incident|reference|ref|sr|service\s?request|file|report|enquiry|inquiry|ticket|feedback"
        r"|voucher|gift\s?card|certificate|code|bag\s?tag|tag",
        r"[A-Za-z]{0,5}-?\d[A-Za-z0-9]{4,19}(?:-\w{2,})*|(?<=[:#])\d{4}",
    ),
)
STAYS = (FLIGHT, DATE)
BARE = (
    Reference("case", re.compile(r"(?<!\d)1-\d{10,11}(?![\w-])"), STAYS),
    Reference("order", re.compile(r"(?<![\w-])(?:\d{3}-\d{7}-\d{7}|1Z[0-9A-Z]{16})(?![\w-])"), STAYS),
    Reference("booking", re.compile(r"(?<![\w$£€.,-])\d{13}(?![\w-]|[.,]\d)"), STAYS),
    Reference("order", re.compile(rf"(?<![\w$£€.,/-])#?\d{{7,22}}(?![\w%-]|[.,/:]\d){COUNTED}", re.IGNORECASE), STAYS),
    Reference("order", re.compile(r"(?<![\w@#/-])[A-Z]+\d+[A-Z]+\d[A-Z0-9]*(?<=\w{7})(?![\w/-])"), STAYS),
    Reference("order", re.compile(r"(?<![\w$£€])#\d{5,6}(?!\w)"), STAYS),
    Reference("booking", re.compile(r"(?<![\w@#/-])(?=[A-Z]*\d)(?=\d*[A-Z]\d*[A-Z])[A-Z0-9]{6}(?![\w/-])"), STAYS),
)
LETTER_CODE = re.compile(
    r"(?i:\b(?:pnr|(?:record\s?)?locator|confirmation|conf|(?:booking|reservation|reference)\.?\s?(?:number|no|num|code"
    r"|ref(?:erence)?|id|#|:))(?:\.?\s?(?:number|no|num|code|#))?[\s:#.='\"”’-]*(?:is\b|was\b)?[\s:#.='\"“‘-]*)"
    r"(?<!\w)([A-Z]{6})(?!\w|[ ][A-Z]{2})"
)
# All of them, the surest first: of two that overlap, the one found first stays.
REFERENCES: tuple[Reference, ...] = (
    Reference("email", EMAIL),
    Reference("user", MENTION),
    Reference("card", CARD),
    *NAMED,
    Reference("phone", PHONE, (DATE,)),
    Reference("phone", SHORT_PHONE),
    *BARE,
    Reference("booking", LETTER_CODE),
)
EVERY = (1 << len(REFERENCES)) - 1


def find_references(text: str, keep: frozenset[str], wanted: int = EVERY) -> Iterator[Span]:
    """Yield handles, e-mail addresses and numbers.

    Args:
        text: A post's cleaned text.
        keep: Handles in lower case that stay.
        wanted: Which of `REFERENCES` to look for, one bit each, the first the lowest.
    """
    for place, reference in enumerate(REFERENCES):
        if wanted >> place & 1:
            for match in reference.pattern.finditer(text):
                span = read_span(reference.kind, match)
                if not is_kept(reference, span, text, keep):
                    yield span


def is_kept(reference: Reference, span: Span, text: str, keep: frozenset[str]) -> bool:
    """Tell whether what a pattern found stays: an account's handle, a flight number, a date, a year."""
    if span.kind == "user":
        return span.value in keep
    written = text[span.start : span.end].lstrip("#")
    return any(pattern.fullmatch(written) for pattern in reference.refused)


def read_span(kind: MaskKind, match: re.Match[str]) -> Span:
    """Return what a pattern found, with the form in which equal values are equal."""
    if kind == "user":
        return Span(match.start(), match.end(), kind, match.group(1).lower())
    group = match.re.groups
    value = match.group(group).lower()
    if kind != "email":
        value = SIGNS.sub("", value)
    return Span(match.start(group), match.end(group), kind, normalise_phone(value) if kind == "phone" else value)


def normalise_phone(digits: str) -> str:
    """Return a number without the prefixes that are written or left out at will."""
    return digits.removeprefix("00").removeprefix("1") if len(digits) > 10 else digits
