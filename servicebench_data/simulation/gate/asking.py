"""Which closed facts a message asks for: the kind of a question and its subject both fit.

Belongs here: questions held against facts, and which questions are open. Not here: finding questions (`questions.py`),
what opens (`opening.py`).
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from schemas.industry import FactKind
from servicebench_data.scenarios.cues import is_staff_statement
from servicebench_data.scenarios.telling import has_value
from servicebench_data.scenarios.vocabulary import COMMON, split_words, stem
from servicebench_data.scenarios.wordlists import word_set
from servicebench_data.simulation.gate.examples import OPEN
from servicebench_data.simulation.gate.lexicon import has
from servicebench_data.simulation.gate.questions import Request
from servicebench_data.simulation.gate.reader import bears, score_text
from servicebench_data.simulation.gate.wording import BOILER
from servicebench_data.simulation.measures import HOLDS, spell_measures
from servicebench_data.simulation.synonyms import find_family
from servicebench_data.simulation.turns import KnownFact

_KINDS: tuple[FactKind, ...] = tuple(kind for kind in get_args(FactKind) if kind != "event")
#: Kinds that a question asks for by itself; the subject is its name.
_BY_NAME: frozenset[FactKind] = frozenset({"flight_number", "booking_reference", "order_reference", "loyalty_number"})
#: Words of questions that tell nothing of their subject.
_ASKING_WORDS = word_set("""
    please kindly could would can may might tell know need want share send provide give confirm let exactly
    exact roughly about approximately remember recall happen happened idea handy possible number date day time
    long much many often place location amount total price cost paid pay charge charged charges charging payment
    item items thing things anyone somebody someone anybody said say says told explain explained gave given
    person staff member people agent team us we our was were did does question ask asking also first last name
    names details information reference code take took taken get got had have involved concerned matter incident
    issue problem complaint disputed relevant night evening morning hour hours minute minutes week weeks month
    spoke speak spoken describe state advise indicate specify include quote inform grateful obliged help assist
    trace find locate check search record records file report reply look system note able still left you your
    yours it this that whole hello dear sir madam guest sorry thanks thank quick quickly two just one before
    start straight away right now moment mind wondering curious love lovely darling hun mate sweetheart bless
    poor affect affected impact mean meant feel feeling okay all safe hurt plans miss missed special occasion
    urgent important trouble cause caused
""")
_STOP = frozenset(stem(word) for word in COMMON | _ASKING_WORDS | {word for word in BOILER if len(word) > 3})
#: Words of a value that name nothing by themselves.
_GENERIC_NAMES = word_set(
    "hotel airport station street road room branch store shop floor gate restaurant desk city town"
)


def find_open_question(requests: Sequence[Request]) -> str | None:
    """The words of an open question."""
    return next((request.quote for request in requests if is_open(request.text)), None)


def is_open(text: str) -> bool:
    """Whether a request invites the account and names no kind of fact, nor sounds more like one that does."""
    scores = score_text(text)
    is_agreed = has("asking.open", text) and not has("asking.detailed", text)
    sounds_open = is_agreed or scores[OPEN] > max(scores[kind] for kind in _KINDS)
    return sounds_open and bears(text, OPEN, is_agreed=is_agreed)


def find_asked(requests: Sequence[Request], closed: Sequence[KnownFact]) -> dict[str, str]:
    """Quote of the question by the id of each closed fact that is asked for."""
    asked: dict[str, str] = {}
    for request in requests:
        if not has("asking.foreign", request.text) and not is_open(request.text):
            for fact in match_facts(request.text, closed):
                asked.setdefault(fact.fact_id, request.quote)
    return asked


def match_facts(question: str, closed: Sequence[KnownFact]) -> Iterator[KnownFact]:
    """Facts whose kind and subject a question fits, and those whose value or event it names.

    A question of no kind that is known asks for all that its subject fits.
    """
    subject = find_subject(question)
    yield from (fact for fact in closed if names_value(question, fact) or names_event(subject, fact))
    kinds: list[FactKind] = [
        kind for kind in _KINDS if bears(question, kind, is_agreed=has(f"asking.kind_{kind}", question))
    ]
    for kind in kinds:
        fitting = [fact for fact in closed if has_kind(fact, kind)]
        yield from fitting if kind in _BY_NAME else pick_subject(question, kind, subject, fitting)
    if not kinds:
        yield from (fact for fact in closed if subject & find_subject(fact.statement))


def names_value(question: str, fact: KnownFact) -> bool:
    """Whether a question names a fact's value, to have it confirmed."""
    if fact.value is None or fact.value.startswith("["):
        return False
    if fact.kind in HOLDS and any(letter.isdigit() for letter in spell_measures(fact.value)):
        return HOLDS[fact.kind](spell_measures(question), fact.value)
    named = {word for word in split_words(fact.value) if len(word) > 3 and word not in COMMON}
    return fact.kind in {"place", "product"} and (
        has_value(question, fact.value) or bool(named & set(split_words(question)) - _GENERIC_NAMES)
    )


def has_kind(fact: KnownFact, kind: FactKind) -> bool:
    """Whether a fact answers questions of a kind."""
    if kind == "staff_statement" and fact.kind in {"person_role", "event"}:
        return is_staff_statement(fact.statement)
    return fact.kind == kind


def find_subject(text: str) -> frozenset[str]:
    """Families of the words that say what a text is about."""
    return frozenset(
        find_family(word)
        for word in split_words(text)
        if len(word) > 2 and word[0].isalpha() and stem(word) not in _STOP
    )


def pick_subject(
    question: str, kind: FactKind, subject: frozenset[str], facts: Sequence[KnownFact]
) -> Iterator[KnownFact]:
    """Facts of the kind that the question's subject fits; a question without a subject is about the complaint."""
    if kind == "contact":
        yield from (fact for fact in facts if fits_contact(question, fact))
        return
    if kind in {"date", "time"} and is_other_clock(question, kind):
        return
    shared = [fact for fact in facts if subject & find_subject(fact.statement)]
    if shared or len(facts) <= 1:
        yield from shared or facts
    elif not subject:
        yield from facts


def is_other_clock(question: str, kind: FactKind) -> bool:
    """Whether a question asks for the day where the fact is a time of day, or the other way round."""
    day, hour = has("asking.day", question), has("asking.hour", question)
    return (day and not hour) if kind == "time" else (hour and not day)


def fits_contact(question: str, fact: KnownFact) -> bool:
    """Whether a question asks for that way of contact: a phone, an address, or the number of a case."""
    value = (fact.value or "").lower()
    is_case = has("asking.case_number", question)
    by_mail, by_phone = has("asking.by_mail", question), has("asking.by_phone", question)
    if value.startswith("[case"):
        return is_case
    if value.startswith("[email") or "@" in value:
        return by_mail or not (by_phone or is_case)
    return by_phone or not (by_mail or is_case)


def names_event(subject: frozenset[str], fact: KnownFact) -> bool:
    """Whether a question names the very thing that an event is about."""
    own = find_subject(fact.statement)
    return fact.kind == "event" and len(subject & own) >= min(2, len(own)) > 0
