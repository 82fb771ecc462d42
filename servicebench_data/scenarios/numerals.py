"""Numbers as people write them, brought to one form so that "$50" equals "50 dollars" and "two" equals "2".

Belongs here: numerals and units. Not here: finding values in a text (`extraction`).
"""

import re
from functools import lru_cache

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
WORDS = {word: number for number, word in enumerate(_ONES.split())} | {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
    "hundred": 100,
    "thousand": 1000, "dozen": 12, "twice": 2, "both": 2, "couple": 2,
}  # fmt: skip
#: Numerals that open a count or a duration in words; longest first, for a regular expression.
WORD_PATTERN = "|".join(
    sorted((word for word in WORDS if word not in {"zero", "twice", "both", "couple"}), key=len, reverse=True)
)
UNITS = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour",
    "day": "day", "week": "week",
    "wk": "week", "month": "month", "mth": "month", "year": "year", "yr": "year", "night": "night", "h": "hour",
    "m": "minute",
}  # fmt: skip
HOURS = {
    "second": 1 / 3600,
    "minute": 1 / 60,
    "hour": 1,
    "day": 24,
    "night": 24,
    "week": 168,
    "month": 730,
    "year": 8760,
}
CURRENCIES = {
    "$": "USD", "usd": "USD", "dollar": "USD", "dollars": "USD", "bucks": "USD", "buck": "USD", "£": "GBP",
    "gbp": "GBP", "pound": "GBP",
    "pounds": "GBP", "quid": "GBP", "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "cents": "CENT",
    "cent": "CENT", "p": "PENCE",
    "rs": "INR", "inr": "INR", "₹": "INR", "rupees": "INR", "chf": "CHF", "cad": "CAD", "aud": "AUD",
}  # fmt: skip
#: US dollars per unit, rough and fixed: they only set the size of what a customer hopes for.
USD_RATES = {
    "USD": 1.0,
    "GBP": 1.3,
    "EUR": 1.1,
    "CENT": 0.01,
    "PENCE": 0.013,
    "INR": 0.012,
    "CHF": 1.1,
    "CAD": 0.74,
    "AUD": 0.66,
}
_NUMBER = re.compile(rf"\d[\d,]*(?:\.\d+)?k?|\b(?:{WORD_PATTERN}|half|an?)\b", re.IGNORECASE)


def read_number(text: str) -> float | None:
    """The first number in a text, in digits or words; "40k" is 40000, "an" is 1, "half" is 0.5; None without one."""
    match = _NUMBER.search(text)
    if match is None:
        return None
    found = match.group().lower()
    if found[0].isdigit():
        factor = 1000 if found.endswith("k") else 1
        return float(found.rstrip("k").replace(",", "").rstrip(".")) * factor
    if found in {"a", "an"}:
        return float(WORDS.get(_word_after(text, match.end()), 1))
    return 0.5 if found == "half" else float(WORDS[found])


def _word_after(text: str, position: int) -> str:
    words = text[position:].split(maxsplit=1)
    return words[0].lower() if words else ""


def format_number(number: float) -> str:
    """A number without needless zeros, so that equal numbers look equal."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def find_numbers(text: str) -> list[tuple[int, int, str]]:
    """All numerals of a text as (start, end, canonical number); articles and "half" are not numerals here."""
    return list(_find_numbers(text))


@lru_cache(maxsize=4096)
def _find_numbers(text: str) -> tuple[tuple[int, int, str], ...]:
    """The search itself; a text is held against many others."""
    found: list[tuple[int, int, str]] = []
    for match in _NUMBER.finditer(text):
        if match.group().lower() in {"a", "an", "half"}:
            continue
        number = read_number(match.group())
        if number is not None:
            found.append((match.start(), match.end(), format_number(number)))
    return tuple(found)
