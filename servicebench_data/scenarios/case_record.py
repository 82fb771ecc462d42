"""What the company's systems hold about the case, and the policies that apply.

The record is a subset of the truth, with some fields out of date.

Belongs here: filling the industry's form. Not here: the form itself (`schemas/industries/`), or whether a value is of
the sort that a field means (`fitting.py`).

A field is filled from a fact that the company can know and that the field's words fit, or from the cue phrases of its
choices; a fact fills one field. Which fields are out of date is decided by a hash of seed, scenario and field, so
that the rate holds over many scenarios and no field depends on another.
"""

import hashlib
import re
from collections.abc import Sequence

from schemas.industry import CaseField, Industry
from schemas.scenarios import CaseFieldRow, CasePolicy, Fact
from servicebench_data.scenarios import cues, numerals
from servicebench_data.scenarios.denial import read_said
from servicebench_data.scenarios.fitting import compile_cue, fits_field
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
            lowered = cue.lower()
            for saying, post_id in sayings:
                match = compile_cue(cue).search(saying) if lowered in saying else None
                if match is not None and not _DENIED.search(saying, 0, match.start()):
                    return value, None, [post_id]
    return None


def shows_choice(field: CaseField, value: str, text: str) -> bool:
    """Whether a text has a cue of the choice, or affirms a word of its name or cues that no other choice has."""
    choices, lowered = field.choices or {}, text.lower().replace("’", "'")
    if any(cue.lower() in lowered and compile_cue(cue).search(lowered) for cue in choices.get(value, ())):
        return True
    words = {name: stem_words(" ".join([name, *cues_of_name])) for name, cues_of_name in choices.items()}
    others = frozenset[str]().union(*(stems for name, stems in words.items() if name != value))
    own = words.get(value, frozenset[str]()) - others - stem_words(" ".join(COMMON))
    return bool(own & stem_words(text) - read_said(text).denied.keys())


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
