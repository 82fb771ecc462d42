"""Values in a turn with exact character spans.

Amounts, durations, dates, times, references, places, counts, products and the roles of staff.

Belongs here: finding values and their canonical form. Not here: sentences, or what a value means for the case.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from schemas.industry import FactKind
from servicebench_data.scenarios import gazetteer, numerals
from servicebench_data.scenarios.canonical import canonicalise
from servicebench_data.scenarios.lexicon import COUNT_STOPS, COUNTED_SINGULARS, PRODUCTS, ROLES

Span = tuple[int, int]
Hit = tuple[FactKind, Span]


@dataclass(frozen=True, slots=True)
class Value:
    """A value found in a text.

    Attributes:
        kind: What sort of value it is.
        start: Where it begins in the text, in characters.
        end: Where it ends.
        text: The words themselves.
        canonical: One form for equal values: "$50" and "50 dollars" share it.
    """

    kind: FactKind
    start: int
    end: int
    text: str
    canonical: str


_N = rf"(?:\d[\d,]*(?:\.\d+)?|\b(?:{numerals.WORD_PATTERN}))"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|wks?|months?|mths?|years?|yrs?|nights?)"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_CARRIER = r"(?:AA|DL|WN|B6|UA|BA|AS|NK|F9|AC|VS|LH|AF|KL|EK|QR|QF|IB|EI|FR|U2|SW|JB)"
_TOKENS: dict[str, FactKind] = {
    "booking": "booking_reference", "order": "order_reference", "loyalty": "loyalty_number", "phone": "contact",
    "email": "contact",
    "case": "contact",
}  # fmt: skip

_REFERENCE = re.compile(r"\[(booking|order|loyalty|phone|email|case)-\d+\]")
_FLIGHT = re.compile(
    rf"\b(?:flights?|flt)\s*(?:is |was |no\.?|number|num)?\s*#?\s*((?-i:[A-Z]{{2}} ?|[A-Z]\d )?#?\d{{1,4}})"
    rf"(?![\d:$%/]|\.\d)\b(?! ?(?:{_UNIT}|[ap]m|times?|ppl|people)\b)"
    rf"(?:(?: ?(?:and|&|,|/) ?)#?((?-i:[A-Z]{{2}} ?)?\d{{2,4}})\b(?! ?(?:{_UNIT}|[ap]m)\b))?",
    re.IGNORECASE,
)
_CARRIER_FLIGHT = re.compile(
    rf"\b(?:(?i:{_CARRIER}) ?#?\d{{2,4}}|(?!(?:CH|RS|PM|AM|PS|XP|UK|NY|NJ|CA|TX|FL|IL|ID|TV|PC|HR|WK|NO|GE|LG|HP|"
    rf"OR|IN|AT|ON|OF|TO|OK|MD|DR|ST|RD)\b)[A-Z]{{2}} ?\d{{2,4}})\b(?! ?(?:{_UNIT}|%))"
)
_REGULATION = re.compile(r"(?:UK|EU|EC) ?261", re.IGNORECASE)
_BOOKED_ON = re.compile(rf"\b(?:booked|rebooked|put|back) (?:me |us )?on (\d{{3,4}})\b(?! ?{_UNIT})", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"(?<![\w$£€.:/-])#?(\d{2,4})(?![\w:/%]|\.\d)")
_AMOUNT = re.compile(
    rf"[$£€₹] ?\d[\d,]*(?:\.\d+)?k?\b(?: ?- ?[$£€]?\d[\d,]*(?:\.\d+)?)?"
    rf"|\b(?:usd|gbp|eur|rs\.?|inr|chf|cad|aud) ?\d[\d,]*(?:\.\d+)?(?: ?- ?\d+(?:\.\d+)?)?"
    rf"|(?:{_N}|\ba) ?(?:(?:usd|gbp|eur|dollars?|bucks?|pounds?|quid|euros?|cents|rupees|inr)\b|[$£€](?!\d))",
    re.IGNORECASE,
)
_DURATION = re.compile(
    rf"(?:\b(?:half an?|an?|a few|few|several|a couple(?: of)?|couple(?: of)?|{numerals.WORD_PATTERN})[ -]|"
    rf"(?<![\d$£€:./])\d+(?:\.\d+)?(?:\+ ?| ?- ?\d+(?:\.\d+)? ?| ?)-?)"
    rf"(?:(?:more|full|whole|extra|solid|additional) )?"
    rf"(?:{_UNIT}\b\+?(?! ?old|[- ]olds?\b)(?:,? (?:and|an|&) (?:an? half|half|\d+ ?{_UNIT}|counting)\b| "
    rf"\d{{1,2}} ?(?:mins?|minutes?)\b)?|h\b(?: ?\d+ ?m(?:ins?)?\b)?)"
    rf"|\ball (?:day|night|week|morning|afternoon|evening)\b|\bovernight\b",
    re.IGNORECASE,
)
_AGO = re.compile(
    rf"(?:\b(?:an?|a few|few|several|a couple(?: of)?|couple(?: of)?|{numerals.WORD_PATTERN}) |(?<![\d$£€:./])"
    rf"\d+ ?)(?:days?|weeks?|wks?|months?|years?|yrs?|nights?) ago\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d$£€.:])(?:(?:[01]?\d|2[0-3])[:.][0-5]\d ?(?:[ap]\.?m\b\.?)|(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])|"
    r"\d{1,4} ?[ap]\.?m\b\.?)"
    r"|\b(?:noon|midnight)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    rf"\b(?:at|until|till|since|now|by|before|after|around)\s((?:[01]?\d|2[0-3])[0-5]\d)\b(?! ?(?:{_UNIT}|"
    rf"[a-z]+s\b|\$|%|delay))",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"\b(?i:{_DAY})(?:s?\b)(?:,? (?:the )?(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)\b))"
    rf"?(?i: (?:morning|afternoon|evening|night)\b)?"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? (?:20)?[12]\d\b)?|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? "
    rf"?{_MONTH}(?! \d{{3}})"
    rf"|(?<=\bin )(?:{_MONTH})|\b(?i:last|next|this|since|until|late|early|mid) (?:{_MONTH})"
    rf"|\b(?:January|February|August|September|October|November|December|Dec|Nov|Oct|Sept)\b"
    r"|(?<=\bon )(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\b|\b(?:last|next|this|since) (?:Mon|Tues?|Wed|Thurs?|Fri|"
    r"Sat|Sun)\b"
    r"|\b(?i:(?:this|yesterday|tomorrow) am|in the am)\b"
    r"|(?<![\d/$])(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?:/(?:20)?\d{2})?(?![\d/])"
    r"|\b(?i:today|tonight|tonite|yesterday|tomorrow|tmrw|tmr|(?:last|this|next) (?:night|morning|afternoon|"
    r"evening|weekend|week|wk|month|year|summer|winter|spring|fall))\b"
    r"(?i: (?:morning|afternoon|evening|night)\b)?|\b(?i:the other (?:day|night))\b"
    r"|(?<!(?i:happy) )\b(?i:halloween|thanksgiving|christmas(?: eve| day)?|new year'?s(?: eve| day)?|labor "
    r"day|memorial day|black friday|easter|mother'?s day|father'?s day)\b"
)
_PART_MARKER = re.compile(r"^[1-5]/[2-5]$")
_COUNT = re.compile(
    rf"(?<![\w$£€.:/#-])({_N}\+?k?|twice) ((?:[a-z][a-z'-]+ ){{0,3}}?)([a-z]+s|people|ppl|children|passengers|"
    rf"women|men|feet)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(rf"\b(one|1) ((?:[a-z]+ )?)({'|'.join(COUNTED_SINGULARS)})\b", re.IGNORECASE)
_RATIO = re.compile(rf"\b{_N} (?:out )?of (?:the |our |my )?{_N}\b", re.IGNORECASE)
_RATES = frozenset({"a night", "a day", "a week", "a month", "a year", "an hour"})
_LOSS = re.compile(
    r"\b(?:lost|left|lose|stole\w*|found|forg[eo]t\w*|dropped|return\w*|ordered|bought|broke\w*|damag\w*|missing)\b",
    re.IGNORECASE,
)
_PERSONAL = frozenset(
    {"phone", "wallet", "purse", "backpack", "passport", "laptop", "ipad", "iphone", "suit", "shirt", "dress", "bike"}
)
_PRODUCT = re.compile(rf"\b(?:{'|'.join(PRODUCTS)})\b", re.IGNORECASE)
_BOUGHT = re.compile(
    r"\b(?:order(?:ed)?|bought|purchased?|buy|received?|delivered) (?:an?|the|my|some|our|two|three|\d+)"
    r"\s+((?:[A-Za-z][\w'-]*\s?){1,4})",
    re.IGNORECASE,
)
_ROLE = re.compile(rf"\b(?:{'|'.join(ROLES)})\b", re.IGNORECASE)
_ASKS_FLIGHT = re.compile(r"\bflight\s?(?:number|#|no\b|details)|\bwhich flight|\bwhat flight", re.IGNORECASE)


def asks_for_flight(text: str) -> bool:
    """Whether an account's message asks for a flight number, so that a bare number answers it."""
    return _ASKS_FLIGHT.search(text) is not None


def extract_values(
    text: str, *, is_flight_asked: bool = False, not_places: frozenset[str] = frozenset()
) -> list[Value]:
    """All values of a text in order, without overlaps; where two overlap the kind that comes first in the search wins.

    Args:
        text: A masked turn; references stand in it as typed tokens.
        is_flight_asked: Whether the message before asked for a flight number.
        not_places: Capitalised words that are no places here, such as brands.
    """
    return list(_extract(text, is_flight_asked, not_places))


@lru_cache(maxsize=2048)
def _extract(text: str, is_flight_asked: bool, not_places: frozenset[str]) -> tuple[Value, ...]:
    """The search itself; a sentence comes by several times while its parts are made and checked."""
    taken: list[Span] = []
    found: list[Value] = []
    for kind, span in _search(text, not_places, is_flight_asked=is_flight_asked):
        start, end = _trim(text, span)
        if start < end and all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end))
            found.append(Value(kind, start, end, text[start:end], canonicalise(kind, text[start:end])))
    return tuple(sorted(found, key=lambda value: value.start))


def _search(text: str, not_places: frozenset[str], *, is_flight_asked: bool) -> Iterator[Hit]:
    if "[" in text:
        for match in _REFERENCE.finditer(text):
            yield _TOKENS[match.group(1)], match.span()
    has_digit = any(letter.isdigit() for letter in text)
    if has_digit:
        yield from _search_flights(text, is_flight_asked=is_flight_asked)
    yield from _search_measures(text, has_digit=has_digit)
    yield from _tag("place", gazetteer.find_places(text, not_places))
    yield from _tag("person_role", (match.span() for match in _ROLE.finditer(text)))
    yield from _search_counts(text)
    yield from _search_products(text)


def _search_measures(text: str, *, has_digit: bool) -> Iterator[Hit]:
    yield from _tag("amount", (match.span() for match in _AMOUNT.finditer(text) if _has_digit_or_unit(match.group())))
    yield from _tag("date", (match.span() for match in _AGO.finditer(text)))
    yield from _tag(
        "duration", (match.span() for match in _DURATION.finditer(text) if not _is_no_duration(text, match))
    )
    yield from _tag("time", (match.span() for match in _TIME.finditer(text)))
    if has_digit:
        yield from _tag("time", (match.span(1) for match in _CLOCK.finditer(text)))
    yield from _tag("date", (match.span() for match in _DATE.finditer(text) if not _PART_MARKER.match(match.group())))


def _search_flights(text: str, *, is_flight_asked: bool) -> Iterator[Hit]:
    for pattern, groups in ((_FLIGHT, (1, 2)), (_CARRIER_FLIGHT, (0,)), (_BOOKED_ON, (1,))):
        for match in pattern.finditer(text):
            if not _REGULATION.fullmatch(match.group()):
                yield from _tag("flight_number", (match.span(group) for group in groups if match.group(group)))
    if is_flight_asked:
        match = _BARE_NUMBER.search(text[:60])
        if match is not None:
            yield "flight_number", match.span(1)


def _search_counts(text: str) -> Iterator[Hit]:
    yield from _tag("count", (match.span() for match in _RATIO.finditer(text)))
    yield from _tag("count", (match.span() for match in _COUNT.finditer(text) if _is_count(text, match)))
    yield from _tag("count", (match.span() for match in _SINGLE.finditer(text)))


def _is_count(text: str, match: re.Match[str]) -> bool:
    """Whether number and noun count something: no name, no distance, no measure."""
    number, noun = match.group(1), match.group(3)
    if (noun.istitle() and not text.isupper()) or "." in number:
        return False
    if number.isdigit() and noun.lower() == "miles" and int(number) < 1000:
        return False
    return not any(word in COUNT_STOPS for word in [*match.group(2).lower().split(), noun.lower()])


def _tag(kind: FactKind, spans: Iterable[Span]) -> Iterator[Hit]:
    for span in spans:
        yield kind, span


def _search_products(text: str) -> Iterator[Hit]:
    has_loss = _LOSS.search(text) is not None
    products = (match for match in _PRODUCT.finditer(text) if has_loss or match.group().lower() not in _PERSONAL)
    yield from _tag("product", (match.span() for match in products))
    for match in _BOUGHT.finditer(text):
        words: list[str] = []
        for word in match.group(1).split():
            if word.lower() in COUNT_STOPS or len(words) == 3:
                break
            words.append(word)
        if words and words[-1].lower() not in COUNT_STOPS and words[0][:1].isalpha():
            yield "product", (match.start(1), match.start(1) + len(" ".join(words)))


def _trim(text: str, span: Span) -> Span:
    start, end = span
    while end > start and text[end - 1] in " ,.-'":
        end -= 0 if text[start:end].lower().endswith((".m.", "a.m", "p.m")) else 1
        if text[start:end].lower().endswith("m."):
            break
    while start < end and text[start] in " #,":
        start += 1
    return start, end


def _has_digit_or_unit(text: str) -> bool:
    return any(letter.isdigit() for letter in text) or numerals.read_number(text) is not None


def _is_no_duration(text: str, match: re.Match[str]) -> bool:
    """Short pauses that are figures of speech, and rates such as "219 a night"."""
    found = match.group().lower()
    if found in {"a second", "a sec", "a minute", "a min", "one day", "one night"}:
        return True
    return (
        found in _RATES
        and re.search(r"(?:\d|s|times|once|twice)\s$", text[max(0, match.start() - 8) : match.start()]) is not None
    )
