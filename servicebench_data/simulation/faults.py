"""Faults of a customer simulator, found in one turn by code: each with its kind and the offending words.

Belongs here: the detectors and how they are told to a model. Not here: trying again and counting (`loop.py`), what is
in a message (`telling.py`).

Evading is no fault: a customer may leave a question open. Denying a fact that it knows is one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import yaml

from schemas.industry import FactKind
from schemas.simulation import SimulatorFaultKind
from servicebench_data.scenarios import numerals
from servicebench_data.scenarios.canonical import read_usd
from servicebench_data.scenarios.denial import find_denials, has_denier
from servicebench_data.scenarios.evidence import Evidence, find_people, gather
from servicebench_data.scenarios.extraction import extract_values
from servicebench_data.scenarios.telling import has_value
from servicebench_data.scenarios.vocabulary import OBJECTS, PEOPLE, find_strangers, split_words, stem_telling
from servicebench_data.scenarios.wordlists import word_set
from servicebench_data.simulation.patience import Constants, may_leave
from servicebench_data.simulation.repetition import find_circle, find_repeated
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.turns import CustomerTurn, CustomerView, KnownFact

FILE = Path(__file__).with_suffix(".yaml")
_SENTENCE = re.compile(r"(?:[^.!?…\n]|\.(?=\w))+[.!?…]*")
_CONDITION = re.compile(
    r"\b(?:if|once|when|until|unless|before|why (?:would|should)|not|never|no|hardly|cannot|want to|n[’']t)\b",
    re.IGNORECASE,
)
_DEMAND = re.compile(
    r"\b(?:want|expect|ask(?:ing)? for|demand|fair|at least|compensat\w*|would (?:do|settle|accept|be)|offer|less than|"
    r"more than|worth|need)\b",
    re.IGNORECASE,
)
#: A time by which something is wanted is no fact.
_DUE = re.compile(
    r"\b(?:by|within|until|before|in the next|for the next|more than|less than|right|another|first|every)\s*$"
)
#: What cannot be held against anything, and what one receives of any company.
_VAGUE = re.compile(
    r"\b(?:a few|few|several|a couple|couple|all (?:day|night|week)|overnight|e-?mails?|messages?|answers?|response|"
    r"repl(?:y|ies)|refunds?|confirmations?|calls?)\b",
    re.IGNORECASE,
)
_DAYS = word_set("today tonight tomorrow")
_CHECKED = frozenset({"amount", "date", "time", "duration", "flight_number", "reference", "count", "place", "product"})
#: People whom a complaint names without having met them.
_STOCK = word_set(
    "manager managers supervisor supervisors director directors lawyer lawyers attorney boss owner journalist agent "
    "agents driver drivers courier couriers attendant attendants captain pilot pilots crew police officer officers"
)
_NOUNS: dict[FactKind, str] = {
    "flight_number": r"flight(?: number)?",
    "booking_reference": r"(?:booking|confirmation|reservation|reference)(?: (?:number|code))?|record locator",
    "order_reference": r"order(?: (?:number|reference))?",
    "loyalty_number": r"(?:loyalty|membership|frequent flyer|skymiles|rewards?)(?: (?:number|account|card))?",
    "contact": r"(?:phone|email|e-mail|case|reference|file|claim|ticket)(?: (?:number|address|reference))?",
    "amount": r"(?:charge|fee|cost|expense|receipt|payment|money)s?",
}
_LATER = re.compile(
    r"\b(?:to hand|on me|with me|right now|at the moment|just now|handy|in front of me)\b", re.IGNORECASE
)
#: A value of such a kind gives its fact away by itself.
_SPECIFIC: frozenset[FactKind] = frozenset(
    {"flight_number", "booking_reference", "order_reference", "loyalty_number", "amount", "contact", "date", "time"}
)
_LEAST_DENIED = 2
_SHORT = 3


@cache
def load_patterns(name: str) -> re.Pattern[str]:
    """Turns of phrase of one sort as one pattern."""
    entries: dict[str, list[str]] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return re.compile("|".join(f"(?:{entry})" for entry in entries[name]), re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """What went wrong in a turn, with the offending words or what was missing."""

    kind: SimulatorFaultKind
    detail: str


@dataclass(frozen=True)
class Turn:
    """A customer's turn with all that it is held against."""

    answer: CustomerTurn
    view: CustomerView
    closed: Sequence[KnownFact]
    constants: Constants

    @property
    def message(self) -> str:
        """What the customer says."""
        return self.answer.message

    @property
    def own(self) -> list[str]:
        """What the customer said before."""
        return [said.text for said in self.view.said if said.role == "customer"]

    @property
    def open(self) -> list[str]:
        """Sentences that are out or may be told."""
        view = self.view
        return [*(fact.statement for fact in (*view.told, *view.may_tell)), *view.background, *self.own]


def find_faults(
    answer: CustomerTurn, view: CustomerView, closed: Sequence[KnownFact], constants: Constants
) -> list[Fault]:
    """All faults of a turn, the gravest first; an empty message has no other.

    Args:
        answer: The customer's turn.
        view: What the customer saw.
        closed: Facts that it was not allowed to tell.
        constants: When it may leave.
    """
    if not any(letter.isalnum() for letter in answer.message):
        return [Fault("unanswered", "(no words)")]
    turn = Turn(answer, view, closed, constants)
    return [Fault(kind, words) for kind, find in DETECTORS.items() for words in dict.fromkeys(find(turn))]


def find_role_flip(turn: Turn) -> Iterator[str]:
    """Words that only the company's side says."""
    yield from (match.group().strip() for match in load_patterns("company").finditer(turn.message))


def find_assistant_speech(turn: Turn) -> Iterator[str]:
    """Words of a model about itself or its task, and marks that no person types."""
    yield from (match.group().strip() for match in load_patterns("assistant").finditer(turn.message))


def find_inventions(turn: Turn) -> Iterator[str]:
    """Values and people that are in nothing that the customer knows or has read."""
    suspects = [sentence for sentence in _SENTENCE.findall(cut_known(turn)) if is_suspect(sentence)]
    if not suspects:
        return
    wish = turn.view.wish
    texts = [text for text in list_known(turn) if text]
    evidence = gather(texts, [turn.view.brand])
    for sentence in suspects:
        yield from find_invented_values(sentence, evidence, wish.max_usd)
        yield from (word for _, word in find_people(sentence, texts) if word not in _STOCK)


def list_known(turn: Turn) -> list[str]:
    """All that the customer may draw on; what is told too early is no invention."""
    view, wish = turn.view, turn.view.wish
    values = [fact.value or "" for fact in (*view.told, *view.may_tell)]
    values += [text for fact in turn.closed for text in (fact.statement, fact.value or "")]
    wishes = [wish.action, wish.explanation or "", wish.apology or "", wish.insult]
    return [*turn.open, *(said.text for said in view.said), *values, *wishes]


def cut_known(turn: Turn) -> str:
    """The message without what stands word for word in a fact or the background, which need not be looked up."""
    text = turn.message
    for sentence in (*(fact.statement for fact in (*turn.view.told, *turn.view.may_tell)), *turn.view.background):
        text = re.sub(re.escape(sentence.strip().rstrip(".")), "so", text, flags=re.IGNORECASE)
    return text


@lru_cache(maxsize=4096)
def is_suspect(sentence: str) -> bool:
    """Whether a sentence names anything at all that could be invented."""
    return (
        any(letter.isdigit() or letter == "[" for letter in sentence)
        or bool(extract_values(sentence))
        or bool(numerals.find_numbers(sentence))
        or bool(find_strangers(sentence, (), PEOPLE) or find_strangers(sentence, (), OBJECTS))
    )


def find_invented_values(sentence: str, evidence: Evidence, most_usd: float) -> Iterator[str]:
    """Values of a sentence that the evidence lacks; what is only asked for is no invention."""
    for kind, words in evidence.find_faults(sentence):
        before = sentence[: max(0, sentence.find(words))]
        is_number = kind == "number" and any(letter.isdigit() for letter in words)
        if not (kind in _CHECKED or is_number) or _DUE.search(before) or _VAGUE.search(words):
            continue
        if kind == "amount" and _DEMAND.search(sentence) and is_within(words, most_usd):
            continue
        if kind != "date" or not (words.lower() in _DAYS and (_DEMAND.search(sentence) or sentence.endswith("?"))):
            yield words


def is_within(words: str, most_usd: float) -> bool:
    """Whether an amount is none above what the customer hopes for."""
    return all(read_usd(value.canonical) <= most_usd for value in extract_values(words) if value.kind == "amount")


def find_early(turn: Turn) -> Iterator[str]:
    """Words that tell a closed fact, unless what is out tells it, too."""
    told = find_told(turn.message, turn.closed)
    known = "\n".join(turn.open)
    for fact in turn.closed:
        if fact.fact_id in told and not find_told(known, [fact]):
            yield told[fact.fact_id]
        elif is_given_away(fact, turn.message) and not has_value(known, fact.value or ""):
            yield fact.value or ""


def is_given_away(fact: KnownFact, message: str) -> bool:
    """Whether a closed fact's value stands in the message, where the value alone says it."""
    return fact.value is not None and fact.kind in _SPECIFIC and has_value(message, fact.value)


def find_denied(turn: Turn) -> Iterator[str]:
    """Words that deny a fact which the customer knows and may not tell yet."""
    wish = turn.view.wish
    wished = stem_telling(f"{wish.action} {wish.explanation or ''}")
    for sentence in _SENTENCE.findall(turn.message):
        for fact in turn.closed:
            if is_kind_denied(fact, sentence) or is_statement_denied(fact.statement, sentence, wished):
                yield sentence.strip()
                break


def is_kind_denied(fact: KnownFact, sentence: str) -> bool:
    """Whether a sentence says that there is no such thing; not having it at hand is evading."""
    noun = _NOUNS.get(fact.kind)
    if noun is None or _LATER.search(sentence):
        return False
    if fact.kind == "amount" and load_patterns("unpaid").search(sentence):
        return True
    match = load_patterns("denial").search(sentence)
    return (
        match is not None
        and re.match(rf"(?: \w+){{0,3}}? ?\b(?:{noun})\b", sentence[match.end() :], re.IGNORECASE) is not None
    )


def is_statement_denied(statement: str, sentence: str, wished: AbstractSet[str]) -> bool:
    """Whether a sentence turns a statement into its opposite: both tell the same things, and one denies them.

    Wishing for what was refused affirms nothing, so that the words of the wish count only in a sentence that denies.
    """
    told, said = stem_telling(statement), stem_telling(sentence)
    shared = told & said if has_denier(sentence) else (told & said) - wished
    return len(shared) >= max(_LEAST_DENIED, round(len(told) / 2)) and any(find_denials(sentence, statement))


def find_mismatches(turn: Turn) -> Iterator[str]:
    """Facts that the customer says it told and did not, or told and did not say."""
    may_tell = {fact.fact_id: fact for fact in turn.view.may_tell}
    known = {fact.fact_id for fact in turn.view.told}
    told = find_told(turn.message, turn.view.may_tell)
    claimed = [fact_id for fact_id in turn.answer.claimed_fact_ids if fact_id not in known]
    yield from (
        f"{fact_id} is claimed and {'not in the message' if fact_id in may_tell else 'no new fact'}"
        for fact_id in claimed
        if fact_id not in told
    )
    yield from (
        f"{fact_id} is in the message and not claimed"
        for fact_id in may_tell
        if fact_id in told and fact_id not in claimed
    )


def find_premature_end(turn: Turn) -> Iterator[str]:
    """Leaving while there is patience left."""
    view = turn.view
    is_allowed = view.is_last_straw or may_leave(view.attitude, view.patience, turn.constants)
    if turn.answer.decision == "leave" and not is_allowed:
        yield f"leaves with patience {view.patience:g} at attitude {view.attitude}"


def find_unearned(turn: Turn) -> Iterator[str]:
    """Accepting, by decision or in words, while what stands does not meet the wish."""
    if turn.view.may_accept:
        return
    if turn.answer.decision == "accept":
        yield f"accepts while {', '.join(turn.view.missing) or 'calm'} is missing"
    for sentence in _SENTENCE.findall(turn.message):
        match = load_patterns("acceptance").search(sentence)
        if match and not _CONDITION.search(sentence) and not sentence.rstrip().endswith("?"):
            yield match.group().strip()


def find_repetition(turn: Turn) -> Iterator[str]:
    """Much the same as an earlier message of either side, or one thing twice; a word or three may come again."""
    if len(split_words(turn.message)) > _SHORT:
        repeated = find_repeated(turn.message, [said.text for said in turn.view.said])
        if repeated is not None:
            yield turn.message
        elif circle := find_circle(turn.message):
            yield circle


DETECTORS: dict[SimulatorFaultKind, Callable[[Turn], Iterator[str]]] = {
    "role_flip": find_role_flip,
    "assistant_speech": find_assistant_speech,
    "early_disclosure": find_early,
    "denied_fact": find_denied,
    "invented_fact": find_inventions,
    "premature_end": find_premature_end,
    "unearned_acceptance": find_unearned,
    "claimed_disclosure": find_mismatches,
    "repetition": find_repetition,
}

_ADVICE: dict[SimulatorFaultKind, str] = {
    "role_flip": 'you are the customer, and "{words}" is what the company says: leave it out',
    "assistant_speech": '"{words}" is nothing that a customer types: write plain words only',
    "early_disclosure": '"{words}" tells what you do not tell yet: leave it out',
    "denied_fact": '"{words}" denies what is true: leave the question open instead',
    "invented_fact": '"{words}" is nowhere in what you know: leave it out',
    "premature_end": "you still have patience: continue",
    "unearned_acceptance": "you do not agree yet ({words}): continue, and say what is missing",
    "claimed_disclosure": "{words}: list exactly the facts that your message tells",
    "repetition": "you said this before: say something else, in other words, and each thing once",
    "misread": "{words}",
    "unanswered": "the message has no words: write one",
}


def explain_fault(fault: Fault) -> str:
    """A fault in words for the model that made it."""
    return _ADVICE[fault.kind].format(words=fault.detail)
