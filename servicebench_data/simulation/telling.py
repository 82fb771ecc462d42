"""Whether a fact is in a customer's message: the one definition by which a fact counts as told.

Belongs here: messages held against facts. Not here: what the background gives away early
(`servicebench_data/scenarios/telling.py`), or what follows from a fact that is out.

Our definition: somebody who reads only this message would know the fact. A value must be there in some spelling and be
said of the same matter; a token alone is enough; a fact without a value is told when its main words are there in these
or like ones. What is denied, asked back or said of another matter is not told, unless the fact itself is a denial.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from servicebench_data.scenarios.denial import has_denier
from servicebench_data.scenarios.vocabulary import COMMON, split_words, stem
from servicebench_data.scenarios.wordlists import word_set
from servicebench_data.simulation.measures import HOLDS, spell_measures
from servicebench_data.simulation.synonyms import find_family
from servicebench_data.simulation.turns import KnownFact

#: Share of a fact's words that tell it where it has no value.
ENOUGH = 0.5
#: Most neighbouring clauses that tell one fact together.
LONGEST_RUN = 4
_CLAUSE = re.compile(
    r"(?<=[.!?…])[\"')]*\s+|\n+|;\s*|\s[-–—]+\s|,\s+(?!\d{3}\b)|"
    r"(?<!hundred)(?<!thousand)\s+(?:and|but)\s+(?!\d+ (?:min|sec)|(?:a half|a quarter|\w+-?\w* (?:minutes|mins))\b)"
)
#: Words that report what somebody said.
_REPORT = re.compile(
    r"\b(?:said|says?|saying|told|tells?|telling|announc\w+|answer\w*|repl\w+|sw(?:ore|ears?)|"
    r"insist\w*|claim\w*|promis\w+|shout\w*|yell\w*|explain\w*|assur\w+|inform\w*|advis\w+|quot\w+|words|goes|went|"
    r"state[sd]?|mention\w*|offer\w*|call(?:ed|s) (?:me|us|it)|laugh\w*|reckon\w*|argu\w+|admit\w*|warn\w*|bring|"
    r"was like)\b|[\"“”]",
    re.IGNORECASE,
)
_UNSAID = re.compile(
    r"\b(?:nobody|no one|none of|never|not|n[o’']body)\b[^.!?]{0,40}?"
    r"\b(?:said|told|say|tell|promis\w+|mention\w*|announc\w*|offer\w*|explain\w*)\b|"
    r"n['’]t (?:\w+ )?(?:say|tell|promise|mention|announce|offer|explain)\b",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(r"\b(?:could|would|if|might|i'd|you'd|usually|normally|budgeted|planned)\b", re.IGNORECASE)
_TOKEN = re.compile(r"^\[[a-z]+-\d+\]$")
_DENIED = re.compile(r"\b(?:not|never|no|neither|nor|without|nobody|none)\b|n['’]t\b", re.IGNORECASE)
_ASKED = re.compile(
    r"^\W*(?:and |so |but |or |because )?(?:why|what|which|when|where|who|how|did|does|do|is|was|were|are|would|"
    r"could|can|will|have you|has)\b",
    re.IGNORECASE,
)
#: Words for matters that are not the complaint's own: somebody else, another time, another place.
_ELSEWHERE = frozenset(
    find_family(word)
    for word in word_set("""
        wife husband sister brother friend neighbour neighbor colleague mother father taxi cab bus train
        hold line queue other others another else usually normally  elsewhere competitor vet lady points year
        flat home discount airlines music meals coffee temperature
    """)
)
_AWAY = re.compile(
    r"\btakes? (?:me|us)\b|\bacross the road\b|\bnext (?:flight|one|bus|train|to)\b|\bnew one\b|"
    r"\b(?:works?|lives?) (?:in|at|near)\b|\bmore than we\b|\bthere (?:are|were) \w+ (?:other|more)\b",
    re.IGNORECASE,
)
_ANYBODY = word_set("adults persons passengers guests travellers kids times nights heads tickets seats")
_LOOSE = word_set("thing stuff lot bit okay yes well really even much right same")
_STOP = frozenset(stem(word) for word in COMMON | _LOOSE) - {"noth", "nobod", "one"}


@dataclass(frozen=True)
class Clause:
    """A stretch of a message that says one thing.

    Attributes:
        start: Where it begins in the message.
        end: Where it ends.
        text: Its words as they stand.
        spelled: Its words with every number in digits.
        families: Families of its telling words.
        is_asked: Whether it asks rather than tells.
    """

    start: int
    end: int
    text: str
    spelled: str
    families: frozenset[str]
    is_asked: bool


def find_told(message: str, facts: Sequence[KnownFact]) -> dict[str, str]:
    """The words that tell each fact, by fact id, for the facts that the message tells; in the order of the facts."""
    clauses = split_clauses(message)
    found: dict[str, str] = {}
    for fact in facts:
        quote = find_telling(message, clauses, fact)
        if quote is not None:
            found[fact.fact_id] = quote
    return found


def find_telling(message: str, clauses: Sequence[Clause], fact: KnownFact) -> str | None:
    """The words of a message that tell a fact."""
    verbatim = find_verbatim(message, fact.statement)
    if verbatim is not None:
        return verbatim
    if fact.value and _TOKEN.match(fact.value):
        return find_token(message, fact.value)
    if fact.value and (fact.kind in HOLDS or fact.kind in {"place", "product"}):
        return find_value(clauses, fact, fact.value)
    return find_account(message, clauses, fact)


def find_verbatim(message: str, statement: str) -> str | None:
    """The fact's statement where it stands in the message, whatever its case, blanks and last sign."""
    words = statement.strip(" .!").split()
    match = compile_statement(tuple(words)).search(message) if words else None
    return match.group() if match else None


@lru_cache(maxsize=4096)  # every message is asked about the same facts
def compile_statement(words: tuple[str, ...]) -> re.Pattern[str]:
    """Words that follow each other, whatever their case and the blanks between them."""
    stretch = r"\s+".join(map(re.escape, words))
    return re.compile(rf"(?<!\w){stretch}(?!\w)", re.IGNORECASE)


def find_token(message: str, token: str) -> str | None:
    """The token where it stands in the message."""
    place = message.lower().find(token.lower())
    return message[place : place + len(token)] if place >= 0 else None


@lru_cache(maxsize=2048)
def split_clauses(message: str) -> tuple[Clause, ...]:
    """The clauses of a message, in order."""
    cuts = [0, *(match.end() for match in _CLAUSE.finditer(message)), len(message)]
    return tuple(make_clause(message, start, end) for start, end in pairwise(cuts) if message[start:end].strip())


def make_clause(message: str, start: int, end: int) -> Clause:
    """A clause with what is read off it."""
    text = message[start:end]
    sentence_end = re.search(r"[.!?\n]", message[end - 1 :].lstrip() if end else message)
    is_question = "?" in text or (sentence_end is not None and sentence_end.group() == "?")
    return Clause(
        start, end, text, spell_measures(text), list_families(text), is_question and _ASKED.match(text) is not None
    )


@lru_cache(maxsize=8192)
def list_families(text: str) -> frozenset[str]:
    """Families of the words that tell something."""
    return frozenset(
        find_family(word) if word[0].isalpha() else word
        for word in split_words(spell_measures(text))
        if word != "$" and (word[0].isdigit() or (len(word) > 1 and stem(word) not in _STOP))
    )


def find_value(clauses: Sequence[Clause], fact: KnownFact, value: str) -> str | None:
    """The clause that names the value of the same matter."""
    holding = [clause for clause in clauses if holds(clause, fact, value)]
    if any(denies_value(clause, fact) for clause in holding):
        return None
    own = list_families(fact.statement)
    fitting = [clause for clause in holding if not clause.is_asked and is_same_matter(clause, fact, own)]
    return fitting[0].text.strip(" ,;.") if fitting else None


def holds(clause: Clause, fact: KnownFact, value: str) -> bool:
    """Whether a clause names the value."""
    reader = HOLDS.get(fact.kind)
    if reader is not None and any(letter.isdigit() for letter in spell_measures(value)):
        return reader(clause.spelled, value)
    if reader is not None and reader(clause.spelled, value):
        return True
    wanted = list_families(value) or frozenset({value.lower()})
    shared = wanted & clause.families
    return len(shared) >= max(1, math.ceil(len(wanted) * 0.6)) or value.lower() in clause.text.lower()


def denies_value(clause: Clause, fact: KnownFact) -> bool:
    """Whether a clause denies what it names, and the fact does not."""
    return _DENIED.search(clause.text) is not None and not is_negative(fact)


def is_negative(fact: KnownFact) -> bool:
    """Whether a fact itself denies something."""
    return has_denier(fact.statement) or _DENIED.search(fact.statement) is not None


def is_same_matter(clause: Clause, fact: KnownFact, own: frozenset[str]) -> bool:
    """Whether a clause speaks of the fact's matter: it shares its words, or says nothing that leads elsewhere."""
    families = list_families(clause.text)
    if (families & _ELSEWHERE) - own or _AWAY.search(clause.text) or counts_others(clause, fact, own):
        return False
    return bool(own - list_families(fact.value or "") & families) or _SUPPOSED.search(clause.text) is None


def counts_others(clause: Clause, fact: KnownFact, own: frozenset[str]) -> bool:
    """Whether the number of a count stands before things that the fact does not speak of."""
    if fact.kind != "count":
        return False
    number = spell_measures(fact.value or "").split(" ")[0]
    counted = re.search(rf"(?<![\w.,]){re.escape(number)} (?:\w+ )?([a-z]{{4,}}s)\b", clause.spelled)
    return counted is not None and not list_families(counted.group()) & own and counted[1] not in _ANYBODY


def find_account(message: str, clauses: Sequence[Clause], fact: KnownFact) -> str | None:
    """The clauses that say what a fact without a value says."""
    own = list_families(find_point(fact))
    if not own or (
        len(own) < 2
        and fact.kind != "staff_statement"
        and not set(split_words(fact.statement)) <= set(split_words(message))
    ):
        return None
    windows = [window for window in list_windows(clauses) if tells(window, fact, own)]
    if not windows:
        return None
    best = max(windows, key=lambda window: (len(own & join_families(window)), -len(window)))
    return message[best[0].start : best[-1].end].strip(" ,;.")


def tells(window: Sequence[Clause], fact: KnownFact, own: frozenset[str]) -> bool:
    """Whether neighbouring clauses hold enough of a fact's words, and do not turn them round."""
    said = join_families(window)
    whole = list_families(fact.statement)
    is_enough = len(own & said) >= ENOUGH * len(own) and len(whole & said) >= min(2, len(own))
    return bool(own & said) and is_enough and not turns_round(window, fact, own)


def join_families(window: Sequence[Clause]) -> frozenset[str]:
    """Families of the telling words of clauses."""
    return frozenset[str]().union(*(clause.families for clause in window))


def find_point(fact: KnownFact) -> str:
    """What a fact says, without who said it where it reports words."""
    report = _REPORT.search(fact.statement) if fact.kind == "staff_statement" else None
    rest = fact.statement[report.start() :] if report else ""
    return rest if len(list_families(rest)) > 0 else fact.statement


def list_windows(clauses: Sequence[Clause]) -> Iterator[Sequence[Clause]]:
    """Runs of neighbouring clauses."""
    for first in range(len(clauses)):
        for last in range(first, min(first + LONGEST_RUN, len(clauses))):
            yield clauses[first : last + 1]


def turns_round(window: Sequence[Clause], fact: KnownFact, own: frozenset[str]) -> bool:
    """Whether the clauses deny the fact, or only ask."""
    sharing = [clause for clause in window if own & clause.families]
    if all(clause.is_asked for clause in sharing):
        return True
    if fact.kind == "staff_statement" and not is_reported(window):
        return True
    if fact.kind == "person_role" and not names_person(window, fact):
        return True
    return not is_negative(fact) and all(_DENIED.search(clause.text) for clause in sharing)


def is_reported(window: Sequence[Clause]) -> bool:
    """Whether clauses say that somebody said something."""
    text = " ".join(clause.text for clause in window)
    return _REPORT.search(text) is not None and _UNSAID.search(text) is None


def names_person(window: Sequence[Clause], fact: KnownFact) -> bool:
    """Whether clauses name the person by the role."""
    head = find_family((fact.value or fact.statement).lower().split()[-1])
    return any(head in clause.families for clause in window)
