"""Amounts, times, dates, durations and counts in whatever spelling, so that a clause can be asked whether it holds one.

Belongs here: reading measures from a few words. Not here: what they are said of (`telling.py`). The extraction of
scenarios finds values in posts; here a known value is looked for, so that also "four-one-two" and "eleven forty" count.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from schemas.industry import FactKind
from servicebench_data.scenarios.canonical import canonicalise
from servicebench_data.scenarios.numerals import HOURS, UNITS
from servicebench_data.scenarios.respelling import spell_digits

_MONEY = r"(?:[$£€₹]|usd|gbp|eur|dollars?|bucks?|pounds?|quid|euros?|rupees?|p\b|pence|cents?)"
_MONEY_WORDS = re.compile(
    rf"{_MONEY}|\b(?:paid|pay|cost|costs|price|fee|fare|charged?|spent|spend|refund|bill\w*|worth|total|money|owed?|"
    r"took)\b"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})[a-z]*\.?"
_MONTH_DAY = re.compile(rf"\b{_MONTH} (?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b")
_DAY_MONTH = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?![a-z])")
_SLASHED = re.compile(r"(?<![\d/])(\d{1,2})[/.-](\d{1,2})(?:[/.-]\d{2,4})?(?![\d/])")
_WEEKDAY = re.compile(
    r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)(?:'s|s)?\b|\b(tues?|thurs?|fri)\b|"
    r"(?<=\bon )(mon|wed|sat|sun)\b|(?<=\blast )(mon|wed|sat|sun)\b|(?<=\bthis )(mon|wed|sat|sun)\b"
)
_RELATIVE = re.compile(
    r"\b(?:today|tonight|tonite|yesterday|tomorrow|(?:this|last|next) (?:morning|night|evening|afternoon|"
    r"week|weekend|month|year|summer|winter|spring|fall)|christmas|thanksgiving|halloween|easter|new year)\b"
)
_BARE_MONTH = re.compile(rf"\b{_MONTH}(?![a-z])")
_TIME = re.compile(
    r"(?<![\d$£€.:])(?P<hour>2[0-3]|[01]?\d)(?:[:.h](?P<minute>[0-5]\d))?"
    r"(?P<rest>(?: ?(?:[ap]\.?m\b\.?|o'?clock))?"
    r"(?: (?:tomorrow )?(?:in the |at |this |tomorrow )?(?:morning|afternoon|evening|night)\b)?)"
)
_SPOKEN = re.compile(r"\b(?P<part>half|quarter) (?P<side>past|to|after|before)? ?(?P<hour>\d{1,2})\b")
_DURATION = re.compile(
    r"(?P<number>\d+(?:\.\d+)?\+?|\bhalf an?|\ban?)[ -]?"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?|wks?|months?|years?|yrs?|nights?|fortnight)\b"
    r"(?P<half> and a half)?"
)
_GLUED = re.compile(r"\b(\d+) ?(?:hours?|hrs?|h) ?(?:and )?(\d{1,2})(?: ?m(?:in(?:ute)?s?)?)?\b")
_SPELLED = re.compile(r"\b\d(?:[ -](?:\d|oh))+\b(?! ?(?:am|pm|:))")
_SPLIT_MONEY = re.compile(
    r"\b(\d+) (?:dollars?|bucks?|pounds?|quid|euros?)(?: and)? (\d\d)\b(?! ?(?:minutes|hours|days))"
)
_NUMBER = re.compile(r"(?<![\w.,:/-])[$£€₹#x]? ?(\d[\d,]*(?:\.\d+)?)(k?)(?![\d:]|/\d)")
_MEASURED = r"(?:[ap]m\b|dollars|pounds|bucks|quid|o'clock|hours?|minutes|mins|points|%)"
#: Sums that are only a difference.
_COMPARED = re.compile(
    r"[$£€]? ?\d[\d,.]* ?(?:dollars|pounds|euros|bucks|quid)? "
    r"(?:more|less|off(?! (?:me|us|my|our)\b)|extra|cheaper|dearer)\b"
)


@lru_cache(maxsize=8192)
def spell_measures(text: str) -> str:
    """Words in lower case with every number in digits."""
    plain = " ".join(text.lower().replace("’", "'").replace("–", "-").replace("—", " - ").split())
    plain = (
        plain.replace("half a dozen", "6")
        .replace("a dozen", "12")
        .replace("a fortnight", "2 weeks")
        .replace("this am", "this morning")
    )
    digits = spell_digits(plain)
    digits = _SPELLED.sub(lambda match: re.sub(r"[ -]", "", match.group().replace("oh", "0")), digits)
    return _SPLIT_MONEY.sub(r"$\1.\2", digits)


def list_numbers(text: str) -> list[float]:
    """All numbers of a spelled text."""
    return [
        float(match[1].replace(",", "").rstrip(".")) * (1000 if match[2] else 1) for match in _NUMBER.finditer(text)
    ]


def holds_amount(text: str, value: str) -> bool:
    """Whether a spelled text names the amount."""
    wanted = list_numbers(spell_measures(value))
    return (
        bool(wanted)
        and wanted[0] in list_numbers(_COMPARED.sub(" ", text))
        and (_MONEY_WORDS.search(text) is not None or "." in value)
    )


def holds_count(text: str, value: str) -> bool:
    """Whether a spelled text names the number."""
    wanted = list_numbers(spell_measures(value))
    return bool(wanted) and wanted[0] in list_numbers(text.replace("-", " ")) and not _is_measure(text, wanted[0])


def _is_measure(text: str, number: float) -> bool:
    """Whether the number stands in the text as an amount or a time only."""
    shown = f"{number:g}"
    return re.search(rf"(?<![$£€\d:.,]){shown}(?![\d:.]\d| ?{_MEASURED})", text) is None


def list_minutes(text: str) -> list[float]:
    """Lengths in a spelled text, in minutes; neighbouring ones also as their sum."""
    glued = [float(match[1]) * 60 + float(match[2]) for match in _GLUED.finditer(text)]
    single: list[tuple[int, int, float]] = []
    for match in _DURATION.finditer(text):
        unit = match["unit"].rstrip("s")
        number = {"a": 1.0, "an": 1.0, "half a": 0.5, "half an": 0.5}.get(match["number"]) or float(
            match["number"].rstrip("+")
        )
        hours = 336.0 if unit == "fortnight" else HOURS[UNITS.get(unit, unit)]
        single.append((match.start(), match.end(), (number + (0.5 if match["half"] else 0)) * hours * 60))
    sums = [
        first[2] + second[2]
        for first, second in pairwise(single)
        if text[first[1] : second[0]].strip(" ,") in {"", "and"}
    ]
    return [*glued, *(length for *_, length in single), *sums]


def holds_duration(text: str, value: str) -> bool:
    """Whether a spelled text names the length of time."""
    plain = spell_measures(value)
    wanted = list_minutes(plain)
    if not wanted:
        return plain in text
    return any(abs(max(wanted) - found) < 0.51 for found in list_minutes(text))


def list_dates(text: str) -> set[str]:
    """Days in a spelled text: `5-14` for May 14, `mon`, `yesterday`; slashed ones in both readings."""
    dates = {
        f"{_MONTHS.index(match['month']) + 1}-{int(match['day'])}"
        for pattern in (_MONTH_DAY, _DAY_MONTH)
        for match in pattern.finditer(text)
    }
    for match in _SLASHED.finditer(text):
        first, second = int(match[1]), int(match[2])
        dates |= {f"{first}-{second}", f"{second}-{first}"}
    return (
        dates
        | {match[match.lastindex or 1][:3] for match in _WEEKDAY.finditer(text)}
        | {match.group() for match in _RELATIVE.finditer(text)}
    )


def holds_date(text: str, value: str) -> bool:
    """Whether a spelled text names the day."""
    plain = spell_measures(value)
    wanted = list_dates(plain)
    exact = {date for date in wanted if "-" in date}
    if wanted:
        return bool((exact or wanted) & list_dates(text))
    month = _BARE_MONTH.search(plain)
    return (
        month is not None and month["month"] in {found["month"] for found in _BARE_MONTH.finditer(text)}
    ) or plain in text


def list_clocks(text: str) -> set[tuple[int, str]]:
    """Times of day in a spelled text: minutes after twelve, and `a`, `p` or nothing for the half."""
    clocks: set[tuple[int, str]] = set()
    for match in _TIME.finditer(text):
        hour, rest = int(match["hour"]), match["rest"]
        half = (
            "p"
            if re.search(r"p\.?m|afternoon|evening|night", rest) or hour > 12
            else "a"
            if re.search(r"a\.?m|morning", rest)
            else ""
        )
        if match["minute"] or rest.strip() or hour <= 12:
            clocks.add((hour % 12 * 60 + int(match["minute"] or 0), half))
    for match in _SPOKEN.finditer(text):
        minutes = int(match["hour"]) * 60 + {"half": 30, "quarter": 15}[match["part"]] * (
            -1 if match["side"] in {"to", "before"} else 1
        )
        clocks.add((minutes % 720, ""))
    clocks |= {(0, half) for word, half in (("noon", "p"), ("midnight", "a")) if word in text}
    return clocks


def holds_time(text: str, value: str) -> bool:
    """Whether a spelled text names the time of day."""
    plain = spell_measures(value)
    wanted = list_clocks(plain)
    found = list_clocks(text)
    return plain in text or any(
        minute == other and (not half or not second or half == second)
        for minute, half in wanted
        for other, second in found
    )


def holds_flight(text: str, value: str) -> bool:
    """Whether a spelled text names the flight."""
    number = canonicalise("flight_number", value)
    return re.search(rf"(?<!\d)0*{number}(?!\d)", text) is not None


HOLDS: dict[FactKind, Callable[[str, str], bool]] = {
    "amount": holds_amount,
    "count": holds_count,
    "duration": holds_duration,
    "date": holds_date,
    "time": holds_time,
    "flight_number": holds_flight,
}
