"""What the company's systems hold about the case, and the policies that apply.

The record is a subset of the truth, with some fields out of date.

Belongs here: filling the industry's form. Not here: the form itself (`schemas/industries/`).

A field is filled from a fact that the company can know and that the field's words fit, or from the cue phrases of its
choices; a fact fills one field. Which fields are out of date is decided by a hash of seed, scenario and field, so
that the rate holds over many scenarios and no field depends on another.
"""

import hashlib
import re
from collections.abc import Sequence
from functools import cache

from schemas.industry import CaseField, Industry
from schemas.scenarios import CaseFieldRow, CasePolicy, Fact
from servicebench_data.scenarios import cues, numerals
from servicebench_data.scenarios.canonical import canonicalise, read_hours
from servicebench_data.scenarios.denial import read_said
from servicebench_data.scenarios.extraction import extract_values
from servicebench_data.scenarios.parts import Chance
from servicebench_data.scenarios.reading import Reading, SourceTurn
from servicebench_data.scenarios.vocabulary import COMMON, stem_words

_DENIED = re.compile(r"(?:\b(?:not|never|no|without|nor)\b|n't\b)(?: (?!but\b)\w+){0,2} ?$", re.IGNORECASE)
_SMALLER = {
    "hour": ("minutes", 60),
    "day": ("hours", 24),
    "week": ("days", 7),
    "minute": ("seconds", 60),
    "month": ("weeks", 4),
    "year": ("months", 12),
}
_NUMERAL = re.compile(rf"\d[\d,]*(?:\.\d+)?|\b(?:{numerals.WORD_PATTERN}|an?)\b", re.IGNORECASE)
#: From here on half a unit of time does not matter.
_WHOLE = 5
_CURRENCY = re.compile(
    rf"[$£€₹]|\b(?:{'|'.join(name for name in numerals.CURRENCIES if name.isalpha())})\b", re.IGNORECASE
)
#: What an account says of cases in general, or of what may come.
_BOILERPLATE = re.compile(
    r"\b(?:if|please|can you|let us know|once|when(?:ever)?|unless|should you|would|could|may|might|usually|"
    r"typically|generally|"
    r"normally|always|sometimes|often|in case|in order|any|policy|policies|customers|guests|passengers|members|"
    r"everyone|"
    r"for example|such as|e\.g|never want|never like|hate to|hope|until|in the event|as soon as|able to)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"^(?:if|unless|what if|in case)\b|\b(?:what if|even if|in case|what happens)\b", re.IGNORECASE)
_UNIT = re.compile(r"\b(hour|hr|day|week|wk|minute|min|month|year|yr)s?\b", re.IGNORECASE)


def fill_case_record(
    facts: Sequence[Fact], readings: Sequence[Reading], turns: Sequence[SourceTurn], industry: Industry, chance: Chance
) -> list[CaseFieldRow]:
    """The fields on file for one scenario, in the order of the form.

    Args:
        facts: All facts of the scenario; there is at least one.
        readings: The customer's sentences.
        turns: All turns, for cues in the account's words.
        industry: Whose form it is.
        chance: Seed and rate of the stale fields.
    """
    rows: list[CaseFieldRow] = []
    used: set[str] = set()
    secret = list_secret_quotes(facts)
    known = list_sayings([reading for reading in readings if reading.quote not in secret], turns)
    sayings = list_sayings(readings, turns)
    for field in industry.case_record.fields:
        found = find_choice(field, sayings) if field.choices is not None else find_fact(field, facts, used)
        # What only the customer knows sets no choice, nor may the record hold another one against it.
        if found is None or (field.choices is not None and find_choice(field, known) != found):
            continue
        truth, fact_id, post_ids = found
        used.add(fact_id or "")
        rows.append(
            _make_row(
                field,
                facts[0],
                (truth, fact_id, post_ids),
                is_stale=draw_stale(facts[0].scenario_id, field, chance),
            )
        )
    return rows


def list_secret_quotes(facts: Sequence[Fact]) -> set[str]:
    """The words on which only customer-only facts rest."""
    return {fact.quote for fact in facts if fact.quote and fact.is_customer_only} - {
        fact.quote for fact in facts if not fact.is_customer_only
    }


def find_fact(field: CaseField, facts: Sequence[Fact], used: set[str]) -> tuple[str, str | None, list[str]] | None:
    """The first fact, in the order of the field's kinds, that the company can know and that fills no other field."""
    for kind in field.fills_from:
        for fact in facts:
            if (
                fact.kind == kind
                and fact.value
                and not fact.is_customer_only
                and fact.fact_id not in used
                and fits_field(field, fact)
                and not shares_value(fact, facts)
            ):
                return fact.value, fact.fact_id, [fact.post_id] if fact.post_id else []
    return None


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


_RIDES = frozenset(
    {
        "car",
        "cars",
        "ride",
        "rides",
        "cab",
        "taxi",
        "uber",
        "lyft",
        "driver",
        "trip",
        "pickup",
        "van",
        "pool",
        "xl",
        "lift",
    }
)
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


def shares_value(fact: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a customer-only fact has the same value, so that a field with it would give that fact away."""
    return any(
        other.is_customer_only and other.value is not None and other.value.lower() == (fact.value or "").lower()
        for other in facts
    )


def list_sayings(readings: Sequence[Reading], turns: Sequence[SourceTurn]) -> list[tuple[str, str]]:
    """Sentences that may set a choice, with their post: not the intimate ones, nor the account's questions."""
    own = [
        (reading.quote.lower().replace("’", "'"), reading.post_ids[0])
        for reading in readings
        if reading.kind != "noise" and not cues.is_intimate(reading.quote) and not _SUPPOSED.search(reading.quote)
    ]
    told = [
        (part.lower().replace("’", "'"), turn.find_post(turn.text.find(part)))
        for turn in turns
        if turn.role == "account"
        for part in re.split(r"(?<=[.!?])\s+", turn.text)
        if part and not part.rstrip().endswith("?") and not _BOILERPLATE.search(part)
    ]
    return own + told


def find_choice(field: CaseField, sayings: Sequence[tuple[str, str]]) -> tuple[str, str | None, list[str]] | None:
    """The first choice of which a cue is said and not denied."""
    for value, cues_of_value in (field.choices or {}).items():
        for cue in cues_of_value:
            pattern, lowered = compile_cue(cue), cue.lower()
            for saying, post_id in sayings:
                match = pattern.search(saying) if lowered in saying else None
                if match is not None and not _DENIED.search(saying, 0, match.start()):
                    return value, None, [post_id]
    return None


def shows_choice(field: CaseField, value: str, text: str) -> bool:
    """Whether a text has a cue of the choice, or affirms a word of its name or cues that no other choice has."""
    choices, lowered = field.choices or {}, text.lower().replace("’", "'")
    if any(compile_cue(cue).search(lowered) for cue in choices.get(value, ())):
        return True
    words = {name: stem_words(" ".join([name, *cues_of_name])) for name, cues_of_name in choices.items()}
    others = frozenset[str]().union(*(stems for name, stems in words.items() if name != value))
    own = words.get(value, frozenset[str]()) - others - stem_words(" ".join(COMMON))
    return bool(own & stem_words(text) - read_said(text).denied.keys())


@cache
def compile_cue(cue: str) -> re.Pattern[str]:
    """A cue as whole words, or in the plural."""
    return re.compile(rf"\b{re.escape(cue.lower())}(?:\b|s\b)")


def draw_stale(scenario_id: str, field: CaseField, chance: Chance) -> bool:
    """Whether a field is out of date in this scenario: the same for the same seed, scenario and field."""
    if field.stale is None:
        return False
    digest = hashlib.sha256(f"stale:{chance.seed}:{scenario_id}:{field.id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < chance.stale_rate


def show_stale(field: CaseField, truth: str) -> str | None:
    """What a stale field shows; the truth itself where no earlier value can be made from it."""
    if field.stale is None or field.stale.how == "missing":
        return None
    return field.stale.value if field.stale.how == "fixed" else halve(truth)


def halve(text: str) -> str:
    """Halve the first number; a text without a number stays.

    Money has two decimals or none; a small time is given in a smaller unit where its half is not whole; half a thing
    is none.
    """
    match, unit = _NUMERAL.search(text), _UNIT.search(text)
    number = numerals.read_number(text)
    if match is None or number is None or number <= 0:
        return text
    half = number / 2
    if unit is not None:
        name = numerals.UNITS[unit.group(1).lower()]
        half = half if half < _WHOLE else int(half)
        if half != int(half) and name in _SMALLER:
            smaller, factor = _SMALLER[name]
            return f"{numerals.format_number(int(half * factor))} {smaller}"
        return f"{numerals.format_number(half)} {name}{'' if half == 1 else 's'}"
    is_money = _CURRENCY.search(text) is not None
    if not is_money and half < 1:
        return text
    shown = numerals.format_number(half if is_money else int(half))
    return text[: match.start()] + (f"{half:.2f}" if "." in shown else shown) + text[match.end() :]


def _make_row(
    field: CaseField, model: Fact, found: tuple[str, str | None, list[str]], *, is_stale: bool
) -> CaseFieldRow:
    truth, fact_id, post_ids = found
    shown = show_stale(field, truth) if is_stale else truth
    is_stale = shown != truth
    return CaseFieldRow(
        industry=model.industry,
        scenario_id=model.scenario_id,
        made_by="offline",
        field_id=field.id,
        title=field.title,
        type=field.type,
        shown=shown,
        truth=truth,
        is_stale=is_stale,
        stale_cause=field.stale.cause if is_stale and field.stale else None,
        fact_id=fact_id,
        post_ids=post_ids,
    )


def list_policies(industry: Industry, category_id: str, scenario_id: str) -> list[CasePolicy]:
    """The policies that apply to a category, in the order of the book, word for word."""
    return [
        CasePolicy(
            industry=industry.id,
            scenario_id=scenario_id,
            made_by="offline",
            policy_id=policy.id,
            title=policy.title,
            text=policy.text,
            entitlement_kind=policy.entitlement.kind if policy.entitlement else None,
            entitlement_limit_usd=policy.entitlement.limit_usd if policy.entitlement else None,
        )
        for policy in industry.policies.policies
        if category_id in policy.applies_to
    ]
