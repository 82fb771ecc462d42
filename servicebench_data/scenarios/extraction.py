"""Values in a turn with exact character spans: amounts, durations, dates, times, references, places, counts, products, roles.

Belongs here: finding values and their canonical form. Not here: sentences, or what a value means for the case.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from schemas.industry import FactKind
from servicebench_data.scenarios import gazetteer, numerals
from servicebench_data.scenarios.lexicon import COUNT_STOPS, COUNTED_SINGULARS, PRODUCTS, ROLES

Span = tuple[int, int]


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
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_CARRIER = r"(?:AA|DL|WN|B6|UA|BA|AS|NK|F9|AC|VS|LH|AF|KL|EK|QR|QF|IB|EI|FR|U2|SW|JB)"
_TOKENS: dict[str, FactKind] = {
    "booking": "booking_reference", "order": "order_reference", "loyalty": "loyalty_number", "phone": "contact", "email": "contact",
    "address": "contact",
}  # fmt: skip

_REFERENCE = re.compile(r"\[(booking|order|loyalty|phone|email|address)-\d+\]")
_FLIGHT = re.compile(
    rf"\b(?:flights?|flt)\s*(?:is |was |no\.?|number|num)?\s*#?\s*((?:[A-Z]{{2}} ?|[A-Z]\d )?#?\d{{1,4}})(?![\d:.$%])\b(?! ?(?:{_UNIT}|[ap]m|times?|ppl|people)\b)"
    rf"(?:(?: ?(?:and|&|,|/) ?)#?((?:[A-Z]{{2}} ?)?\d{{2,4}})\b(?! ?(?:{_UNIT}|[ap]m)\b))?",
    re.IGNORECASE,
)
_CARRIER_FLIGHT = re.compile(rf"\b{_CARRIER} ?#?\d{{2,4}}\b", re.IGNORECASE)
_BOOKED_ON = re.compile(rf"\b(?:booked|rebooked|put|back) (?:me |us )?on (\d{{3,4}})\b(?! ?{_UNIT})", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"(?<![\w$£€.:/-])#?(\d{2,4})(?![\w:/%]|\.\d)")
_AMOUNT = re.compile(
    rf"[$£€₹] ?\d[\d,]*(?:\.\d+)?k?\b(?: ?- ?[$£€]?\d[\d,]*(?:\.\d+)?)?"
    rf"|\b(?:usd|gbp|eur|rs\.?|inr|chf|ch|cad|aud) ?\d[\d,]*(?:\.\d+)?(?: ?- ?\d+(?:\.\d+)?)?"
    rf"|(?:{_N}|\ba) ?(?:(?:usd|gbp|eur|dollars?|bucks?|pounds?|quid|euros?|cents|rupees|inr)\b|[$£€](?!\d))",
    re.IGNORECASE,
)
_DURATION = re.compile(
    rf"(?:\b(?:half an?|an?|a few|few|several|a couple(?: of)?|couple(?: of)?|{numerals.WORD_PATTERN})[ -]|(?<![\d$£€:./])\d+(?:\.\d+)?(?:\+ ?| ?- ?\d+(?:\.\d+)? ?| ?)-?)"
    rf"(?:(?:more|full|whole|extra|solid|additional) )?"
    rf"(?:{_UNIT}\b\+?(?! ?old|[- ]olds?\b)(?:,? (?:and|an|&) (?:an? half|half|\d+ ?{_UNIT}|counting)\b| \d{{1,2}} ?(?:mins?|minutes?)\b| \d{{1,2}}(?= for\b))?|h\b(?: ?\d+ ?m(?:ins?)?\b)?)"
    rf"|\ball (?:day|night|week|morning|afternoon|evening)\b|\bovernight\b",
    re.IGNORECASE,
)
_AGO = re.compile(
    rf"(?:\b(?:an?|a few|few|several|a couple(?: of)?|couple(?: of)?|{numerals.WORD_PATTERN}) |(?<![\d$£€:./])\d+ ?)(?:days?|weeks?|wks?|months?|years?|yrs?|nights?) ago\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d$£€.:])(?:(?:[01]?\d|2[0-3])[:.][0-5]\d ?(?:[ap]\.?m\b\.?)|(?:[01]?\d|2[0-3]):[0-5]\d(?![\d:])|\d{1,4} ?[ap]\.?m\b\.?)"
    r"|\b(?:noon|midnight)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    rf"\b(?:at|until|till|since|now|by|before|after|around)\s((?:[01]?\d|2[0-3])[0-5]\d)\b(?! ?(?:{_UNIT}|[a-z]+s\b|\$|%|delay))", re.IGNORECASE
)
_DATE = re.compile(
    rf"\b(?i:{_DAY})(?:s?\b)(?:,? (?:the )?(?:{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\d{{1,2}}(?:st|nd|rd|th)\b))?(?i: (?:morning|afternoon|evening|night)\b)?"
    rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?!:)(?:,? (?:20)?[12]\d\b)?|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? ?{_MONTH}(?! \d{{3}})"
    rf"|(?<=\bin )(?:{_MONTH})|\b(?i:last|next|this|since|until|late|early|mid) (?:{_MONTH})"
    rf"|\b(?:January|February|August|September|October|November|December|Dec|Nov|Oct|Sept)\b"
    r"|(?<=\bon )(?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\b|\b(?:last|next|this|since) (?:Mon|Tues?|Wed|Thurs?|Fri|Sat|Sun)\b"
    r"|(?<![\d/$])(?:1[0-2]|0?[1-9])/(?:3[01]|[12]\d|0?[1-9])(?:/(?:20)?\d{2})?(?![\d/])"
    r"|\b(?i:today|tonight|tonite|yesterday|tomorrow|tmrw|tmr|(?:last|this|next) (?:night|morning|afternoon|evening|weekend|week|wk|month|year|summer|winter|spring|fall))\b"
    r"(?i: (?:morning|afternoon|evening|night)\b)?|\b(?i:the other (?:day|night))\b"
    r"|(?<!(?i:happy) )\b(?i:halloween|thanksgiving|christmas(?: eve| day)?|new year'?s(?: eve| day)?|labor day|memorial day|black friday|easter|mother'?s day|father'?s day)\b"
)
_PART_MARKER = re.compile(r"^[1-5]/[2-5]$")
_COUNT = re.compile(
    rf"(?<![\w$£€.:/#-])({_N}\+?k?|twice|both) ((?:[a-z][a-z'-]+ ){{0,3}}?)([a-z]+s|people|ppl|children|passengers|women|men|feet)\b",
    re.IGNORECASE,
)
_SINGLE = re.compile(rf"\b(one|1) ((?:[a-z]+ )?)({'|'.join(COUNTED_SINGULARS)})\b", re.IGNORECASE)
_RATIO = re.compile(rf"\b{_N} (?:out )?of (?:the |our |my )?{_N}\b", re.IGNORECASE)
_PRODUCT = re.compile(rf"\b(?:{'|'.join(PRODUCTS)})\b", re.IGNORECASE)
_BOUGHT = re.compile(
    r"\b(?:order(?:ed)?|bought|purchased?|buy|received?|missing|delivered) (?:an?|the|my|some|our|two|three|\d+)\s+((?:[A-Za-z][\w'-]*\s?){1,4})", re.IGNORECASE
)
_ROLE = re.compile(rf"\b(?:{'|'.join(ROLES)})\b", re.IGNORECASE)
_ASKS_FLIGHT = re.compile(r"\bflight\s?(?:number|#|no\b|details)|\bwhich flight|\bwhat flight", re.IGNORECASE)


def asks_for_flight(text: str) -> bool:
    """Whether an account's message asks for a flight number, so that a bare number answers it."""
    return _ASKS_FLIGHT.search(text) is not None


def extract_values(text: str, *, is_flight_asked: bool = False) -> list[Value]:
    """All values of a text in order, without overlaps; where two overlap the kind that comes first in the search wins.

    Args:
        text: A masked turn; references stand in it as typed tokens.
        is_flight_asked: Whether the message before asked for a flight number.
    """
    taken: list[Span] = []
    found: list[Value] = []
    for kind, span in _search(text, is_flight_asked=is_flight_asked):
        start, end = _trim(text, span)
        if start < end and all(end <= other[0] or start >= other[1] for other in taken):
            taken.append((start, end))
            found.append(Value(kind, start, end, text[start:end], canonicalise(kind, text[start:end])))
    return sorted(found, key=lambda value: value.start)


def _search(text: str, *, is_flight_asked: bool) -> Iterator[tuple[FactKind, Span]]:
    for match in _REFERENCE.finditer(text):
        yield _TOKENS[match.group(1)], match.span()
    yield from _search_flights(text, is_flight_asked=is_flight_asked)
    yield from (("amount", match.span()) for match in _AMOUNT.finditer(text) if _has_digit_or_unit(match.group()))
    yield from (("date", match.span()) for match in _AGO.finditer(text))
    yield from (("duration", match.span()) for match in _DURATION.finditer(text) if not _is_ordinal(match.group()))
    yield from (("time", match.span()) for match in _TIME.finditer(text))
    yield from (("time", match.span(1)) for match in _CLOCK.finditer(text))
    yield from (("date", match.span()) for match in _DATE.finditer(text) if not _PART_MARKER.match(match.group()))
    yield from (("place", span) for span in gazetteer.find_places(text))
    yield from (("person_role", match.span()) for match in _ROLE.finditer(text))
    yield from _search_counts(text)
    yield from _search_products(text)


def _search_flights(text: str, *, is_flight_asked: bool) -> Iterator[tuple[FactKind, Span]]:
    for pattern, groups in ((_FLIGHT, (1, 2)), (_CARRIER_FLIGHT, (0,)), (_BOOKED_ON, (1,))):
        for match in pattern.finditer(text):
            yield from (("flight_number", match.span(group)) for group in groups if match.group(group))
    if is_flight_asked:
        match = _BARE_NUMBER.search(text[:60])
        if match is not None:
            yield "flight_number", match.span(1)


def _search_counts(text: str) -> Iterator[tuple[FactKind, Span]]:
    yield from (("count", match.span()) for match in _RATIO.finditer(text))
    for match in _COUNT.finditer(text):
        words = [*match.group(2).lower().split(), match.group(3).lower()]
        if not any(word in COUNT_STOPS for word in words) and match.group(3).lower() not in COUNT_STOPS:
            yield "count", match.span()
    yield from (("count", match.span()) for match in _SINGLE.finditer(text))


def _search_products(text: str) -> Iterator[tuple[FactKind, Span]]:
    yield from (("product", match.span()) for match in _PRODUCT.finditer(text))
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


def _is_ordinal(text: str) -> bool:
    return text.lower() in {"a second", "a sec", "a minute", "a min", "one day", "one night"}


def canonicalise(kind: FactKind, text: str) -> str:
    """One form for equal values of a kind, so that spelling does not matter when they are compared."""
    plain = " ".join(text.lower().replace("’", "'").split())
    if kind == "amount":
        return _canonicalise_amount(plain)
    if kind == "duration":
        return _canonicalise_duration(plain)
    if kind == "time":
        return _canonicalise_time(plain)
    if kind == "count":
        number = numerals.read_number(plain)
        return f"{numerals.format_number(number)} {singularise(plain.split()[-1])}" if number is not None else plain
    if kind == "flight_number":
        return re.sub(r"\D", "", plain).lstrip("0") or "0"
    if kind == "date":
        return re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", plain).replace("tonite", "tonight").replace(" wk", " week").replace(",", "").replace(".", "")
    return plain.replace("-", " ")


def _canonicalise_amount(text: str) -> str:
    number = numerals.read_number(text)
    unit = next((code for sign, code in numerals.CURRENCIES.items() if sign in re.split(r"[\d\s.,-]+", text)), "USD")
    if number is None:
        return text
    return f"{numerals.format_number(number)} {unit}"


def _canonicalise_duration(text: str) -> str:
    unit = re.search(r"([a-z]+?)s?\b\+?", re.sub(rf"^(?:half an?|an?|{_N}|[\d.+\s-]+|a few|few|several|couple|of|\s|-|more|full|whole|extra|solid|additional)+", "", text))
    name = numerals.UNITS.get(unit.group(1), unit.group(1)) if unit else ""
    if re.match(r"(?:a )?(?:few|several|couple)", text) or text.startswith(("all ", "overnight")):
        return text.replace("hrs", "hours").replace("-", " ")
    number = numerals.read_number(text)
    if number is None:
        return text
    if text.startswith("half a"):
        number = 0.5
    elif re.search(r"\b(?:and|an|&) (?:an? )?half", text):
        number += 0.5
    return f"{numerals.format_number(number)} {name}"


def _canonicalise_time(text: str) -> str:
    if text in {"noon", "midnight"}:
        return {"noon": "12:00pm", "midnight": "12:00am"}[text]
    digits = re.sub(r"\D", "", text)
    hour, minute = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "00")
    half = re.search(r"([ap])\.?m", text)
    return f"{int(hour or 0)}:{minute}{half.group(1) + 'm' if half else ''}"


def singularise(noun: str) -> str:
    """A noun's singular by the plainest rules, good enough to tell whether two counts are of the same thing."""
    if noun in {"people", "ppl", "persons"}:
        return "person"
    if noun == "children":
        return "child"
    if noun.endswith("ies") and len(noun) > 4:
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def read_hours(canonical: str) -> float:
    """Length of a canonical duration in hours; 0 where it has no number."""
    number, _, unit = canonical.partition(" ")
    try:
        return float(number) * numerals.HOURS.get(unit, 0)
    except ValueError:
        return {"all day": 10.0, "all night": 10.0, "overnight": 10.0, "all week": 168.0}.get(canonical, 0.0)


def read_usd(canonical: str) -> float:
    """A canonical amount in US dollars by the fixed table of `numerals`; 0 where it cannot be read."""
    number, _, unit = canonical.partition(" ")
    try:
        return float(number) * numerals.USD_RATES.get(unit, 0)
    except ValueError:
        return 0.0
