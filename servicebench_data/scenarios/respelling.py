"""One spelling for numbers, times and dates, so that a faithful rewording is not taken for another value.

Belongs here: spellings that are the same value, and the way back to the words as they stood. Not here: whether the
source holds a value (`evidence.py`).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from servicebench_data.scenarios import numerals
from servicebench_data.scenarios.canonical import singularise
from servicebench_data.scenarios.gazetteer import name_airport

_TEN = "|".join(word for word, number in numerals.WORDS.items() if 20 <= number < 100)
_ONE = "|".join(word for word, number in numerals.WORDS.items() if 1 <= number < 10)
_SMALL = "|".join(word for word, number in numerals.WORDS.items() if 1 <= number < 20 and word not in {"twice", "both"})
_UNDER_HUNDRED = rf"(?:(?:{_TEN})(?:[ -](?:{_ONE}))?|(?:{_SMALL}))"
_ORDINALS = {
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "eleventh": 11, "twelfth": 12,
}  # fmt: skip
_RESPELLED = re.compile(
    rf"\b(?P<number>(?:{_SMALL}|an?|\d+) (?:hundred|thousand)(?:(?: and|,)? {_UNDER_HUNDRED})?\b|"
    rf"(?:{_TEN})[ -](?:{_ONE})\b)"
    rf"|\b(?P<hour>\d{{1,2}})\.(?P<minute>[0-5]\d) ?(?P<half>[ap])\.?m\b\.?"
    rf"|\b(?P<ordinal>{'|'.join(_ORDINALS)})\b",
    re.IGNORECASE,
)
_PART = re.compile(rf"\d+|\b(?:hundred|thousand|{_TEN}|{_SMALL}|an?)\b", re.IGNORECASE)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]*\b")
_WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)(?:day|s|sday|nesday|rs|rsday|urday)?\b")
_DAY = re.compile(r"\b(?:3[01]|[12]\d|0?[1-9])\b")
_AGO = re.compile(r"^(\S+) (\w+?)s? ago$")
_CLOCK = re.compile(r"^(\d{1,2}):(\d\d)([ap]m)?$")
_WORD_NUMBER = re.compile(rf"\b(?:{_TEN}|{_SMALL}|twice|both|once)\b", re.IGNORECASE)


class Respelled(NamedTuple):
    """A text in one spelling, and where each of its characters stood in the original."""

    text: str
    original: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def cut(self, start: int, end: int) -> str:
        """The original words of a stretch."""
        return self.original[self.starts[start] : self.ends[end - 1]] if start < end else ""


@lru_cache(maxsize=2048)
def respell(text: str) -> Respelled:
    """The text with compound numbers and ordinals in digits and times with a colon."""
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last = 0
    for match in _RESPELLED.finditer(text):
        new = _spell(match)
        pieces += [text[last : match.start()], new]
        starts += [*range(last, match.start()), *[match.start()] * len(new)]
        ends += [*range(last + 1, match.start() + 1), *[match.end()] * len(new)]
        last = match.end()
    pieces.append(text[last:])
    starts += range(last, len(text))
    ends += range(last + 1, len(text) + 1)
    return Respelled("".join(pieces), text, tuple(starts), tuple(ends))


def _spell(match: re.Match[str]) -> str:
    if match["hour"]:
        return f"{match['hour']}:{match['minute']} {match['half']}m"
    if match["ordinal"]:
        return f"{_ORDINALS[match['ordinal'].lower()]}th"
    return str(read_compound(match["number"]))


def read_compound(text: str) -> int:
    """A number of several words, such as "two hundred and five"."""
    total, part = 0, 0
    for word in _PART.findall(text.lower()):
        if word in {"hundred", "thousand"}:
            total, part = total + max(part, 1) * numerals.WORDS[word], 0
        else:
            part += 1 if word in {"a", "an"} else int(word) if word.isdigit() else numerals.WORDS[word]
    return total + part


def spell_digits(text: str) -> str:
    """The text with every numeral in digits: "twice" is "2 times"."""
    return _WORD_NUMBER.sub(_read_word, respell(text).text)


def _read_word(match: re.Match[str]) -> str:
    word = match.group().lower()
    return {"once": "1 time", "twice": "2 times"}.get(word) or str(numerals.WORDS[word])


def name_forms(kind: str, canonical: str) -> frozenset[str]:
    """Forms of which one must be known for a value in generated text to be known."""
    return _FORMS[kind](canonical)[0] if kind in _FORMS else frozenset()


def imply_forms(kind: str, canonical: str) -> frozenset[str]:
    """Forms that a value of the source makes known; "Oct 5" makes "October" known, "SEA" "Seattle"; not the reverse."""
    return frozenset[str]().union(*_FORMS[kind](canonical)) if kind in _FORMS else frozenset()


def _form_date(text: str) -> tuple[frozenset[str], frozenset[str]]:
    ago = _AGO.match(text)
    if ago is not None:
        number = numerals.read_number(ago[1])
        unit = numerals.UNITS.get(ago[2], ago[2])
        return frozenset({f"{number} {unit} ago"} if number is not None else ()), frozenset()
    month, day, weekday = _MONTH.search(text), _DAY.search(text), _WEEKDAY.search(text)
    if month is not None:
        exact = f"{month[1]} {int(day.group())}" if day else month[1]
        return frozenset({exact}), frozenset({month[1]})
    if weekday is not None and weekday.group() == text.rsplit(" ", maxsplit=1)[-1]:
        rest = text[: weekday.start()] + weekday[1]
        return frozenset({rest}), frozenset({weekday[1]})
    return frozenset(), frozenset({weekday[1]} if weekday else ())


def _form_time(text: str) -> tuple[frozenset[str], frozenset[str]]:
    clock = _CLOCK.match(text)
    if clock is None:
        return frozenset(), frozenset()
    hour, minute, half = int(clock[1]), clock[2], clock[3]
    if half is None and (hour > 12 or hour == 0):
        half, hour = ("pm", hour - 12) if hour > 12 else ("am", 12)
    bare = f"{hour}:{minute}"
    return frozenset({bare + (half or "")}), frozenset({bare})


def _form_count(text: str) -> tuple[frozenset[str], frozenset[str]]:
    number, _, noun = text.partition(" ")
    noun = {"twice": "time", "kid": "child", "ppl": "person"}.get(noun, singularise(noun))
    return frozenset({f"{number} {noun}"}), frozenset()


def _form_duration(text: str) -> tuple[frozenset[str], frozenset[str]]:
    words = (word.removesuffix("s") if word.removesuffix("s") in numerals.UNITS else word for word in text.split())
    return frozenset({" ".join(numerals.UNITS.get(word, word) for word in words)}), frozenset()


def _form_place(text: str) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset({text}), name_airport(text)


_FORMS = {
    "duration": _form_duration, "date": _form_date, "time": _form_time, "count": _form_count, "place": _form_place,
}  # fmt: skip
