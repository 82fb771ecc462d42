"""One form for equal values, so that "2hrs" equals "two hours" and "50 dollars" equals "$50".

Belongs here: canonical forms and what can be read off them. Not here: finding values (`extraction`).
"""

import re
from collections.abc import Callable

from schemas.industry import FactKind
from servicebench_data.scenarios import numerals

_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|\b(?:{numerals.WORD_PATTERN}))"


def canonicalise(kind: FactKind, text: str) -> str:
    """One form for equal values of a kind, so that spelling does not matter when they are compared."""
    plain = " ".join(text.lower().replace("’", "'").split())
    form = _FORMS.get(kind)
    return form(plain) if form is not None else plain.replace("-", " ")


def _canonicalise_amount(text: str) -> str:
    number = numerals.read_number(text)
    unit = next((code for sign, code in numerals.CURRENCIES.items() if sign in re.split(r"[\d\s.,-]+", text)), "USD")
    if number is None:
        return text
    return f"{numerals.format_number(number)} {unit}"


def _canonicalise_duration(text: str) -> str:
    unit = re.search(
        r"([a-z]+?)s?\b\+?",
        re.sub(
            rf"^(?:half an?|an?|{_NUMBER}|[\d.+\s-]+|a few|few|several|couple|of|\s|-|more|full|whole|extra|solid|"
            rf"additional)+",
            "",
            text,
        ),
    )
    name = numerals.UNITS.get(unit.group(1), unit.group(1)) if unit else ""
    if re.match(r"(?:a )?(?:few|several|couple)", text) or text.startswith(("all ", "overnight")):
        return re.sub(r"\bwk", "week", text.replace("hrs", "hours").replace("-", " "))
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


def _canonicalise_count(text: str) -> str:
    number = numerals.read_number(text)
    return text if number is None else f"{numerals.format_number(number)} {singularise(text.rsplit(maxsplit=1)[-1])}"


def _canonicalise_flight(text: str) -> str:
    return re.sub(r"\D", "", text).lstrip("0") or "0"


def _canonicalise_date(text: str) -> str:
    text = re.sub(r"(?<=\d)(?:st|nd|rd|th)\b", "", text).replace("tonite", "tonight")
    return text.replace(" wk", " week").replace(" am", " morning").replace(",", "").replace(".", "")


_FORMS: dict[FactKind, Callable[[str], str]] = {
    "amount": _canonicalise_amount,
    "duration": _canonicalise_duration,
    "time": _canonicalise_time,
    "count": _canonicalise_count,
    "flight_number": _canonicalise_flight,
    "date": _canonicalise_date,
}
