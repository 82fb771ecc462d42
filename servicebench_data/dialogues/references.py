"""Finding handles, e-mail addresses, phone numbers and reference numbers in a text.

Belongs here: one pattern for each kind, and what looks like one and is none: flight numbers, amounts, dates and times
stay. Not here: names (`names.py`).

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
CARD = re.compile(r"(?<![\w-])\d{4}([ -]?)\d{4}\1\d{4}\1\d{4}(?![\w-])|(?<![\w-])3[47]\d{2}[ -]\d{6}[ -]\d{5}(?![\w-])")
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
SEVEN_DIGITS = re.compile(r"\d{3}[\s.-]?\d{4}")


class Named(NamedTuple):
    """A kind of value behind a word that says what it is.

    Attributes:
        kind: Kind of the value.
        stems: One of these must be in the text, in lower case: a plain look that saves most searches.
        pattern: The word, what may stand between, and the value as its group.
    """

    kind: MaskKind
    stems: tuple[str, ...]
    pattern: re.Pattern[str]


def name_values(kind: MaskKind, stems: str, words: str, value: str) -> Named:
    """Build the pattern of a kind from the words that announce it and the shape of its values."""
    pattern = re.compile(rf"(?i:\b(?:{words})\b{LINKING})(?<![\w$£€])({value})(?!\w)")
    return Named(kind, tuple(stems.split()), pattern)


# The first that matches a value decides its kind.
NAMED: tuple[Named, ...] = (
    name_values(
        "loyalty",
        "advantage miles rapid blue hono mileage bonvoy loyal member frequent ff reward rr acc ktn redress known",
        r"aadvantage|sky\s?miles|rapid\s?rewards?|true\s?blue|h?honou?rs|mileage\s?plus|bonvoy|loyalty|member(?:ship)?"
        r"|frequent[\s-]fl[iy]er|ffn?|rewards?(?:\s?club)?|ihg\s?rewards?|rr|account|acct|ktn|redress"
        r"|known\s?travell?er",
        r"(?=[A-Z]{0,4}\d)[A-Z0-9]{6,14}|(?=[A-Z]{0,4}\d)[A-Z0-9]{3,5}[ -]\d{3,6}(?:[ -]\d{2,5})?",
    ),
    name_values(
        "order",
        "order track parcel package shipment invoice receipt transaction trip ride purchase delivery",
        r"orders?|tracking|parcel|package|shipment|invoice|receipt|transaction|trip|ride|purchase|delivery",
        r"[A-Za-z]{0,5}-?\d[A-Za-z0-9]{3,21}(?:-\w{2,})*|\d{3}(?:-\d{3,})+|[A-Z]{6,}\d\w*",
    ),
    name_values(
        "booking",
        "book conf res locator pnr itiner ticket trip",
        r"bookings?|confirmation|conf|confirm|reservation|res|record\s?locator|locator|pnr|itinerary|e?ticket|trip\s?id",
        r"(?=\w*\d)[A-Za-z0-9]{5,14}",
    ),
    name_values(
        "booking", "ref", r"ref(?:erence)?", r"(?=[A-Za-z]{0,5}\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6}|(?<=[:# ])[A-Z]{6}"
    ),
    name_values(
        "case",
        "case claim complaint incident ref sr service file report quiry ticket feedback voucher card certif code tag",
        r"case|claim|complaint|incident|reference|ref|sr|service\s?request|file|report|enquiry|inquiry|ticket|feedback"
        r"|voucher|gift\s?card|certificate|code|bag\s?tag|tag",
        r"[A-Za-z]{0,5}-?\d[A-Za-z0-9]{4,19}(?:-\w{2,})*|(?<=[:#])\d{4}",
    ),
)
BARE: tuple[tuple[MaskKind, re.Pattern[str]], ...] = (
    ("case", re.compile(r"(?<!\d)1-\d{10,11}(?![\w-])")),
    ("order", re.compile(r"(?<![\w-])(?:\d{3}-\d{7}-\d{7}|1Z[0-9A-Z]{16})(?![\w-])")),
    ("booking", re.compile(r"(?<![\w$£€.,-])\d{13}(?![\w-]|[.,]\d)")),
    ("order", re.compile(rf"(?<![\w$£€.,/-])#?\d{{7,22}}(?![\w%-]|[.,/:]\d){COUNTED}", re.IGNORECASE)),
    ("order", re.compile(r"(?<![\w@#/-])[A-Z]+\d+[A-Z]+\d[A-Z0-9]*(?<=\w{7})(?![\w/-])")),
    ("order", re.compile(r"(?<![\w$£€])#\d{5,6}(?!\w)")),
    ("booking", re.compile(r"(?<![\w@#/-])(?=[A-Z]*\d)(?=\d*[A-Z]\d*[A-Z])[A-Z0-9]{6}(?![\w/-])")),
)


UPPER_CODE = re.compile(r"[A-Z]{6}")
LETTER_CODE = re.compile(
    r"(?i:\b(?:pnr|(?:record\s?)?locator|confirmation|conf|(?:booking|reservation|reference)\.?\s?(?:number|no|num|code"
    r"|ref(?:erence)?|id|#|:))(?:\.?\s?(?:number|no|num|code|#))?[\s:#.='\"”’-]*(?:is\b|was\b)?[\s:#.='\"“‘-]*)"
    r"(?<!\w)([A-Z]{6})(?!\w|[ ][A-Z]{2})"
)


def find_handles(text: str, keep: frozenset[str]) -> Iterator[Span]:
    """Yield e-mail addresses and handles, except the handles in `keep`."""
    for match in EMAIL.finditer(text):
        yield Span(match.start(), match.end(), "email", match.group().lower())
    for match in MENTION.finditer(text):
        handle = match.group(1).lower()
        if handle not in keep:
            yield Span(match.start(), match.end(), "user", handle)


def find_numbers(text: str) -> Iterator[Span]:
    """Yield phone, card and reference numbers, the surest kinds first."""
    for match in CARD.finditer(text):
        yield make_span(match, 0, "card")
    yield from find_named(text)
    for match in PHONE.finditer(text):
        if not DATE.fullmatch(match.group()):
            yield make_span(match, 0, "phone")
    for match in SHORT_PHONE.finditer(text) if SEVEN_DIGITS.search(text) else ():
        yield make_span(match, 1, "phone")
    for kind, pattern in BARE:
        for match in pattern.finditer(text):
            if not is_kept(match.group().lstrip("#")):
                yield make_span(match, 0, kind)
    for match in LETTER_CODE.finditer(text) if UPPER_CODE.search(text) else ():
        yield make_span(match, 1, "booking")


def find_named(text: str) -> Iterator[Span]:
    """Yield numbers behind a word that says what they are."""
    lower = text.lower()
    for named in NAMED:
        if any(stem in lower for stem in named.stems):
            for match in named.pattern.finditer(text):
                value = match.group(1)
                if not (NAMED_FLIGHT.fullmatch(value) or YEAR.fullmatch(value) or DATE.fullmatch(value)):
                    yield make_span(match, 1, named.kind)


def make_span(match: re.Match[str], group: int, kind: MaskKind) -> Span:
    """Return a span whose value is the match without signs, in lower case."""
    value = re.sub(r"[\W_]", "", match.group(group)).lower()
    return Span(match.start(group), match.end(group), kind, normalise_phone(value) if kind == "phone" else value)


def normalise_phone(digits: str) -> str:
    """Return a number without the prefixes that are written or left out at will."""
    return digits.removeprefix("00").removeprefix("1") if len(digits) > 10 else digits


def is_kept(value: str) -> bool:
    """Tell whether a value is a flight number, a date or a year and stays."""
    return bool(FLIGHT.fullmatch(value) or DATE.fullmatch(value))
