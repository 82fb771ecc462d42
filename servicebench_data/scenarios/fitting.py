"""Whether a value that somebody told is of the sort that a field of the company's record means.

Belongs here: the words near a value, and those that say that it is no matter of the company's systems. Not here:
filling the form (`case_record.py`).
"""

import re
from functools import cache

from schemas.industry import CaseField
from schemas.scenarios import Fact
from servicebench_data.scenarios.canonical import canonicalise, read_hours
from servicebench_data.scenarios.extraction import extract_values
from servicebench_data.scenarios.wordlists import word_set

_RIDES = word_set("car cars ride rides cab taxi uber lyft driver trip pickup van pool xl lift")
#: How far from a phrase its value may stand, in characters.
_REACH = 60
_PAID = re.compile(
    r"\b(?:paid|pay\w*|charg\w*|overcharg\w*|fares?|fees?|cost\w*|price\w*|bill\w*|total|refund\w*|debit\w*|"
    r"orders?|ordered|tickets?|deposit|owed?|account|bank|card|took|taken|spent|bought|rate|quoted?|confirmed|for)"
    r"\b",
    re.IGNORECASE,
)
_NOT_PAID = re.compile(
    r"\b(?:insured|insurance|worth|elsewhere|competitor|salary|rent|other company|own pocket|condo|airbnb|cruise)\b",
    re.IGNORECASE,
)
#: Right before a price that was seen or named, and right before and behind what was promised.
_SHOWN_BEFORE = re.compile(
    r"\b(?:(?:fares?|fees?|price|rate|cost) (?:is|are|would be|will be|became|went up to)|"
    r"(?:turned|jumped|rose) (?:in)?to|became|chose an?|walk[- ]?up \w+(?: \w+)?|group rate of|quot\w+(?: \w+){0,2}|"
    r"estimat\w+(?: \w+){0,2}|says? [^.;]*|bid of|of (?:your|these|those|the))(?: now| only| about| up to)? $"
)
_PROMISED_BEFORE = re.compile(
    r"\b(?:agreed to (?:give|pay|refund|credit)|promis\w+|offer\w*|(?:would|will) (?:give|refund|pay|credit)|"
    r"supposed to (?:get|receive)|owes? (?:me|us))\b(?: [\w']+){0,3} $"
)
_PROMISED_BEHIND = re.compile(
    r"(?: [\w']+){0,3} (?:agreed to|promis\w+|going back|(?:would|will) be (?:back|refunded|credited)|owed)\b"
)
#: Right before and behind what the customer got, or should get, and did not pay.
_GIVEN_BEFORE = re.compile(
    r"\b(?:refund(?:ed)?|credit(?:ed)?(?! card)|vouchers?|reimburse\w*)(?: (?!card\b)\w+){0,2} $"
)
_GIVEN_BEHIND = re.compile(r"(?: \w+){0,2} (?:refund|credits?(?! card)|vouchers?|back|gift cards?)\b")
#: What the customer promised to others, and until when something holds.
_NOT_HELD = re.compile(r"\b(?:i|we)(?:'d|'ve| had| have)?(?: already| also)? promised\b")
_UNTIL = re.compile(r"\b(?:until|till|expires?|valid|returnable|cancel\w+ by \w+(?: on)?|for an?)(?: \w+)? $")
#: No system counts a wait for longer; what people wait for longer is a manner of speaking.
_MOST_HOURS = 2 * 8760
_PEOPLE = re.compile(
    r"\b(?:people|ppl|persons?|passengers?|kids?|child(?:ren)?|adults?|guests?|travell?ers|travelers|friends|"
    r"customers|men|women|party|flyers|fliers|riders|drivers|folks|workers|attendants|blokes|guys|others|seats?)\b"
)
_THINGS = re.compile(r"\b(?:items?|pieces?|meals?|products?|bags?|rooms?|nights?|orders?|trips?|number on file)\b")
_CONTACTS = re.compile(
    r"\b(?:times|twice|calls?|emails?|contacts?|attempts?|messages?|tweets?|agents?|representatives?)\b"
)
_VAGUE_DATE = re.compile(
    r"^(?:until|till)\b|\b(?:this|last|next) (?:week|wk|month|year|summer|winter|spring|fall|weekend)|"
    r"\bother day|\byears? ago|"
    r"^(?:january|february|march|april|may|june|july|august|september|october|november|december|dec|nov|oct|sept?|in )$"
)
_WAIT = re.compile(
    r"\b(?:wait\w*|delay\w*|late|hold|stuck|sitting|sat|stood|standing|tarmac|runway|line|queue|took|takes|taking|"
    r"past|still|overdue|behind|since|stranded|been)\b",
    re.IGNORECASE,
)
_NO_WAIT = re.compile(
    r"\b(?:early|earlier|before|in advance|flight (?:with|without)|old|wifi|internet|promised|within|business days|"
    r"of leave)\b",
    re.IGNORECASE,
)
_EXTRA = re.compile(
    r"\b(?:extra|seat|cabin|class|comfort|plus|boarding|early bird|check-?in|pass|lounge|upgrade|even more space|"
    r"business select|delta one|delta 1)\b",
    re.IGNORECASE,
)


def fits_field(field: CaseField, fact: Fact) -> bool:
    """Whether a value is of the sort that the field means.

    The form says which words must stand near it; where it says nothing, the field's own description decides.
    """
    value, quote = (fact.value or "").lower(), (fact.quote or "").lower().replace("’", "'")
    if is_out_of_place(field, value, quote):
        return False
    if field.near:
        return is_near(field, fact, value, quote)
    about = f"{field.title} {field.description}".lower()
    if field.type == "count":
        return fits_count(about, value)
    if field.type == "amount_usd":
        return _PAID.search(quote) is not None
    if field.type == "duration":
        return _WAIT.search(quote) is not None
    return not (field.type == "text" and fact.kind == "product" and _EXTRA.search(about) and not _EXTRA.search(value))


def is_near(field: CaseField, fact: Fact, value: str, quote: str) -> bool:
    """Whether the value stands near one of the field's phrases, and no other value of its kind stands nearer."""
    at = quote.find(value)
    others = [
        (other.start, other.end)
        for other in extract_values(fact.quote or "")
        if other.kind == fact.kind and other.text.lower() != value
    ]
    for words in field.near:
        match = compile_cue(words).search(quote) if words.lower() in quote else None
        if match is None:
            continue
        gap = measure_gap((at, at + len(value)), match.span())
        if at < 0 or (gap <= _REACH and all(gap <= measure_gap(other, match.span()) for other in others)):
            return True
    return False


def measure_gap(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Characters between two stretches; 0 where they touch or overlap."""
    return max(0, one[0] - other[1], other[0] - one[1])


def is_ride(field: CaseField, value: str) -> bool:
    """Whether a vehicle that was called would be taken for an ordered thing."""
    return field.type == "text" and value.strip() in _RIDES


def is_out_of_place(field: CaseField, value: str, quote: str) -> bool:
    """Whether the words around a value say that it is not the company's matter, or it is too vague for a record."""
    if is_ride(field, value):
        return True
    start = max(0, quote.find(value))
    before, behind = quote[:start], quote[start + len(value) :]
    if field.type == "date":
        return (
            _VAGUE_DATE.search(value) is not None
            or _NOT_HELD.search(quote) is not None
            or _UNTIL.search(before) is not None
        )
    if field.type == "amount_usd":
        return _NOT_PAID.search(quote) is not None or is_only_named(field, before, behind)
    around = (max(0, start - 20), start + len(value) + 14)
    return field.type == "duration" and (
        read_hours(canonicalise("duration", value)) > _MOST_HOURS or _NO_WAIT.search(quote, *around) is not None
    )


def is_only_named(field: CaseField, before: str, behind: str) -> bool:
    """Whether a sum was named and moved by nobody: a price that was shown, a promise; or was given, not paid.

    Args:
        field: Its title says whether it holds only what was paid or charged.
        before: What stands before the sum in its sentence.
        behind: What stands behind it.
    """
    if _SHOWN_BEFORE.search(before) or _PROMISED_BEFORE.search(before) or _PROMISED_BEHIND.match(behind):
        return True
    is_payment = re.search(r"\b(?:paid|charged)\b", field.title, re.IGNORECASE) is not None
    return is_payment and (_GIVEN_BEFORE.search(before) is not None or _GIVEN_BEHIND.match(behind) is not None)


def fits_count(about: str, value: str) -> bool:
    """Whether a count is of people, things or contacts as the field's description has it."""
    if _CONTACTS.search(value) is not None:
        return _CONTACTS.search(about) is not None
    takes_people, takes_things = _PEOPLE.search(about) is not None, _THINGS.search(about) is not None
    return takes_people if _PEOPLE.search(value) is not None else takes_things or not takes_people


@cache
def compile_cue(cue: str) -> re.Pattern[str]:
    """A cue as whole words, or in the plural."""
    return re.compile(rf"\b{re.escape(cue.lower())}(?:\b|s\b)")
