"""Sums of money in an agent's words: how much, and which of several is the one that counts.

Belongs here: amounts and what stands around them. Not here: whether they are offered (`offers.py`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from servicebench_data.scenarios import numerals

_DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?k?"
_WORD = rf"(?:{numerals.WORD_PATTERN}|a(?= (?:hundred|thousand)))"
_WORDS = rf"{_WORD}(?:(?:[ -]and[ -]|[ -]){_WORD})*"
_SIGN, _UNIT = r"(?:USD|US\$|[$£€])", r"(?:dollars?|bucks?|USD|pounds?|quid|euros?|[$£€])"
_SUM = rf"(?:{_SIGN} ?(?:{_DIGITS})|(?:{_DIGITS}|\b{_WORDS})[ -]?{_UNIT}(?!\w))"
#: Numbers that stand for money where the words around them say so, as people write who are short of words.
_BARE = (
    r"(?:(?<=\bdifference )|(?<=\bmoney )|(?<=\bget the )|(?<=\bput )|(?<=\bgive )|(?<=\bmake it )|(?<=\bmake that ))"
    rf"(?:{_DIGITS}|{_WORDS})\b(?![:\d%]|\s?(?:%|[a-z]+s\b|more|free|[ap]m))|"
    rf"(?<=\bknock )(?:{_WORDS}|{_DIGITS})(?= off)|\b{_WORDS}(?= more on top)"
)
SUM = re.compile(rf"{_SUM}|{_BARE}", re.IGNORECASE)
#: Two sums of which the second is meant: a range, or the same in words and in digits.
_PAIR = re.compile(
    rf"(?:{_SUM}|\b{_DIGITS}) ?(?:-|–|to|or) ?(?={_SUM})|between (?:{_SUM}|{_DIGITS}) and (?={_SUM})|"
    rf"{_SUM} \((?={_SUM}\))",
    re.IGNORECASE,
)
_OLD = re.compile(
    r"(?:instead of|rather than|in place of|on top of|in addition to|over and above|besides|up from|from|to the|than|"
    r"not|forget|scrap|doubling|tripling|raising|bump(?:ing)?|increas\w+|up|replac\w+)"
    r"(?: the| that| your| my| our| just| only)?\s*$",
    re.IGNORECASE,
)
_SPENT = re.compile(
    r"^\s*(?:\w+ ){0,2}you (?:paid|spent|lost|asked|mention\w*|were)|^ (?:from|of) yesterday", re.IGNORECASE
)
_TOTAL = re.compile(
    r"(?:\bthat(?:'s| is| makes)|\bso|\bin all|\btotal(?:l?ing| of)?|\bcom(?:es|ing) to|\bmakes|\bis|\bequals|[=(])"
    r"(?: (?:an?|the|your|in|of|up to))*\s*$",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"^\s*(?:\w+ ){0,2}(?:per|each|apiece|an?|every|/|for each|for every)(?: of)?\b\s*"
    r"(?:the |you)?(?:night|day|person|head|passenger|ticket|bag|guest|rider|"
    r"meal|item|order|of|\b)",
    re.IGNORECASE,
)
_TIMES = re.compile(
    rf"\b(\d{{1,2}}|{numerals.WORD_PATTERN})(?: of (?:you|them)|[ -](?:free )?(?:nights?|days?|people|persons?|"
    r"passengers?|tickets?|bags?|guests?|riders?|rides|trips|meals|vouchers|cards|kids|children|family|travell?ers|weeks|months))",
    re.IGNORECASE,
)
_WORTH = re.compile(
    r"(?:worth|count(?:s|ing)? (?:as|for)|valued? (?:at|of)?|equals?|equivalent to|up to|that's|\()(?: an?)?\s*$",
    re.IGNORECASE,
)
#: Texts that are remembered: gate and book of offers read each message, and scripts say a phrase many times.
KEPT = 8192


@dataclass(frozen=True)
class Amount:
    """A sum in a text.

    Attributes:
        start: Where it begins.
        end: Where it ends.
        usd: How much, in US dollars by the fixed table.
        before: What stands before it.
        after: What stands after it.
    """

    start: int
    end: int
    usd: float
    before: str
    after: str

    @property
    def is_worth(self) -> bool:
        """Whether it says what something in kind is worth."""
        return bool(_WORTH.search(self.before))


@lru_cache(KEPT)
def find_sums(text: str) -> tuple[Amount, ...]:
    """All sums of a text, of a range the upper end."""
    firsts = [found.span() for found in _PAIR.finditer(text)]
    found = (read_sum(text, match) for match in SUM.finditer(text))
    return tuple(amount for amount in found if amount.usd > 0 and not any(a <= amount.start < b for a, b in firsts))


@lru_cache(KEPT)
def list_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where sums and ranges stand, each to the beginning of what belongs to it."""
    pairs = ((start, end + 1) for start, end in (found.span() for found in _PAIR.finditer(text)))
    return (*pairs, *(found.span() for found in SUM.finditer(text)))


def read_sum(text: str, match: re.Match[str]) -> Amount:
    """The sum that a match holds."""
    words = match.group()
    number = numerals.read_number(words) if re.search(r"\d", words) else read_words(words)
    unit = next((code for sign, code in numerals.CURRENCIES.items() if is_unit(sign, words.lower())), "USD")
    usd = round((number or 0.0) * numerals.USD_RATES.get(unit, 1.0), 2)
    return Amount(match.start(), match.end(), usd, text[: match.start()], text[match.end() :])


def is_unit(sign: str, words: str) -> bool:
    """Whether a sign or word of a currency stands in a sum."""
    return sign in words if not sign.isalpha() else bool(re.search(rf"(?<![a-z]){sign}(?![a-z])", words))


def read_words(text: str) -> float:
    """A number in words: "one hundred and fifty" is 150, "twenty-five" is 25."""
    total, part = 0.0, 0.0
    for word in re.findall(r"[a-z]+", text.lower()):
        value = numerals.WORDS.get(word, 1 if word == "a" else None)
        if value is None:
            continue
        part = max(part, 1) * value if value >= 100 else part + value
        if value == 1000:
            total, part = total + part, 0.0
    return total + part


def choose_sums(text: str) -> list[Amount]:
    """The sums of a clause that can be offered: totals for rates, new ones for old ones, each once."""
    found = find_sums(text)
    if adds_up(found):
        return [found[-1]]
    fresh = [amount for amount in found if not is_old(amount, found)]
    totals = [amount for amount in fresh if len(fresh) > 1 and _TOTAL.search(amount.before)]
    if totals:
        return totals[-1:]
    rates = [amount for amount in fresh if _RATE.search(amount.after)]
    if rates and len(fresh) > len(rates):
        return [amount for amount in fresh if amount not in rates]
    return [multiply(amount, text) if amount in rates else amount for amount in drop_repeats(fresh)]


def adds_up(amounts: Sequence[Amount]) -> bool:
    """Whether the last sum is the total of those before it."""
    return len(amounts) > 2 and abs(sum(amount.usd for amount in amounts[:-1]) - amounts[-1].usd) < 0.005


def is_old(amount: Amount, others: Sequence[Amount]) -> bool:
    """Whether it is what was offered or paid before; what was paid counts where no other sum is named."""
    if re.match(r".{0,60}\breplaced by", amount.after):
        return True
    if _OLD.search(amount.before):
        later = [other for other in others if other.start > amount.start]
        return bool(later) or not re.search(
            r"(?:up|bump\w*|increas\w+|not)(?: the| that| it)?\s*$", amount.before, re.IGNORECASE
        )
    return len(others) > 1 and bool(_SPENT.search(amount.after))


def multiply(amount: Amount, text: str) -> Amount:
    """A rate times the number of days, nights or people that is said with it."""
    times = _TIMES.search(text)
    if times is None:
        return amount
    count = float(times.group(1)) if times.group(1).isdigit() else read_words(times.group(1))
    return replace(amount, usd=round(amount.usd * count, 2))


def drop_repeats(amounts: Sequence[Amount]) -> Iterator[Amount]:
    """The amounts without those that say the one before again."""
    last: float | None = None
    for amount in amounts:
        if amount.usd != last:
            yield amount
        last = amount.usd
