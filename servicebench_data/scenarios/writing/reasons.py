"""Why an answer is refused, in plain words that name the span, for the model to mend.

Belongs here: wording, and checks of one text that every task shares. Not here: what the source says (`evidence.py`).
"""

import re
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TypeVar

T = TypeVar("T")

#: What `Evidence.find_faults` and the grounding checks call a fault, in words.
_FAULTS = {
    "amount": 'the amount "{span}" is not in {source}',
    "date": 'the date "{span}" is not in {source}',
    "time": 'the time "{span}" is not in {source}',
    "duration": 'the duration "{span}" is not in {source}',
    "place": 'the place "{span}" is not in {source}',
    "flight_number": 'the flight number "{span}" is not in {source}',
    "count": 'the count "{span}" is not in {source}',
    "product": 'the product "{span}" is not in {source}',
    "reference": 'the token "{span}" is not in {source}',
    "number": 'the number "{span}" is not in {source}',
    "name": 'the name or capitalised word "{span}" is not in {source}',
    "contradiction": '"{span}" contradicts {source}',
    "platform": '"{span}" belongs to the platform: say it in plain words or leave it out',
    "negation": '"{span}" denies what the quote affirms, or affirms what it denies: quote only the clause that is told',
    "compensation": "the range {span} does not fit is_loss_money: the least is 0 unless the loss is money",
    "customer_only": '"{span}" is something that only the customer knows',
    "choice": '"{span}" is none of the choices of the field',
    "truth": '"{span}" does not stand in the dialogue letter by letter',
    "field": '"{span}" is no field of the form',
    "actor": '"{span}" gives the deed to somebody else than {source}',
    "swapped": '"{span}" goes with something else in {source}',
    "person_role": 'nobody called "{span}" is in {source}',
    "early": '"{span}" tells what comes out only later',
    "loss": "is_loss_money does not fit what the customer wrote ({span})",
}
_SELF = re.compile(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|us|[Oo]urs?)\b(?!\.[a-z])")
_OTHER = re.compile(r"\b[Yy]ou(?:rs?)?\b")
_CUSTOMER = re.compile(
    r"\b[Tt]he (?:customer|user|author)\b(?! (?:service|care|support|relations|rep\w*|agent\w*|desk))"
)
_SENTENCE_END = re.compile(r"[.!?] +(?=[A-Z])")
#: Words with which no sentence ends.
_BROKEN_OFF = re.compile(
    r"\b(?:the|an|and|or|but|because|of|from|than|if|my|our|your|his|their|its)\W*\Z", re.IGNORECASE
)
LONGEST = 45


def explain_faults(where: str, faults: Iterable[tuple[str, str, str]], source: str = "the dialogue") -> Iterator[str]:
    """Faults of grounding as reasons.

    Args:
        where: What they were found in, as `event 2`.
        faults: Part, check and span of each.
        source: What the text was held against, in words.
    """
    for _, check, span in faults:
        words = _FAULTS.get(check, 'the check of {check} refused "{span}"').format(
            span=span, source=source, check=check
        )
        yield f"{where}: {words}."


def check_third_person(where: str, text: str) -> Iterator[str]:
    """The text is about the customer, and speaks neither as nor to anybody."""
    for pattern in (_SELF, _OTHER):
        match = pattern.search(text)
        if match is not None:
            yield f'{where} must be told in the third person ("the customer"): mend "{match.group()}" in "{text}".'


def check_first_person(where: str, text: str) -> Iterator[str]:
    """The text is told by the customer, of the company as `they`."""
    match = _CUSTOMER.search(text)
    if match is not None:
        yield f'{where} must be told by the customer ("I"): mend "{match.group()}" in "{text}".'
    match = _OTHER.search(text)
    if match is not None:
        yield f'{where} tells of the company as "they", not "{match.group()}": mend "{text}".'


def check_length(where: str, text: str, most: int = LONGEST) -> Iterator[str]:
    """The text can be read at once."""
    if len(text.split()) > most:
        yield f"{where} has {len(text.split())} words: say it in at most {most}."


def check_single(where: str, text: str) -> Iterator[str]:
    """The text is one sentence."""
    if _SENTENCE_END.search(text):
        yield f'{where} is more than one sentence: "{text}".'


def check_whole(where: str, text: str) -> Iterator[str]:
    """The text does not break off."""
    if _BROKEN_OFF.search(text):
        yield f'{where} breaks off: "{text}".'


def find_repeats(what: str, texts: Iterable[str]) -> Iterator[str]:
    """Texts that say the same word for word."""
    seen: dict[str, int] = {}
    for number, text in enumerate(texts, 1):
        key = simplify(text)
        if key in seen:
            yield f"{what} {seen[key]} and {number} say the same: keep one."
        seen.setdefault(key, number)


def drop_repeats(items: Iterable[T], read: Callable[[T], str] = attrgetter("text")) -> list[T]:
    """The items of which no earlier one says the same word for word, in their order."""
    return keep_first(items, lambda item: simplify(read(item)))


def keep_first(items: Iterable[T], key: Callable[[T], str]) -> list[T]:
    """The items of which no earlier one has the same key, in their order."""
    kept: dict[str, T] = {}
    for item in items:
        kept.setdefault(key(item), item)
    return list(kept.values())


def simplify(text: str) -> str:
    """A text's letters and digits, by which two are the same."""
    return "".join(letter for letter in text.lower() if letter.isalnum())
