"""When facts come out: none before the source allows it, and no sentence tells one that comes out later.

Belongs here: the order in which things come out. Not here: whether they are true (`grounding.py`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from schemas.scenarios import BackgroundSentence, Fact
from servicebench_data.scenarios.facts import ORDER, decide_disclosure
from servicebench_data.scenarios.vocabulary import COMMON, stem, stem_words

_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)*", re.IGNORECASE)
#: How many telling words of a later fact give it away; a grave matter is given away by one.
WORDS_THAT_TELL = 2


def find_early_facts(facts: Iterable[Fact], opening: Iterable[int]) -> Iterator[str]:
    """Facts that come out before the source lets them; see `facts.py` for the definition."""
    turns = set(opening)
    for fact in facts:
        if fact.is_inferred or fact.quote is None:
            continue
        earliest = decide_disclosure(fact.kind, fact.quote, is_opening=fact.turn_index in turns)
        if ORDER.index(fact.disclosure) < ORDER.index(earliest):
            yield fact.statement


def find_early_sentences(
    sentences: Iterable[BackgroundSentence], facts: Sequence[Fact], known_from: Sequence[str]
) -> Iterator[str]:
    """Words of sentences that tell a fact which comes out only later.

    Args:
        sentences: The background.
        facts: All facts.
        known_from: What anybody may know from the start: the opening and the brands.
    """
    for sentence in sentences:
        later = [fact for fact in facts if comes_after(fact, sentence)]
        if not later:
            continue
        known = [fact for fact in facts if fact not in later]
        yield from find_given_away(sentence.text, later, [*known_from, *list_texts(known)])


def comes_after(fact: Fact, sentence: BackgroundSentence) -> bool:
    """Whether a fact comes out only after the sentence, and is not its own."""
    return fact.fact_id not in sentence.fact_ids and ORDER.index(fact.disclosure) > ORDER.index(sentence.disclosure)


def list_texts(facts: Iterable[Fact]) -> list[str]:
    """Statements and quotes."""
    return [text for fact in facts for text in (fact.statement, fact.quote or "")]


def find_given_away(sentence: str, later: Sequence[Fact], known_from: Sequence[str]) -> Iterator[str]:
    """Words of a sentence that stand in later facts and nowhere before."""
    known = frozenset[str]().union(*map(stem_words, known_from))
    places = {match.group().lower(): match.span() for match in reversed([*_WORD.finditer(sentence)])}
    told = [word for word in sorted(places, key=places.__getitem__) if len(word) > 3 and word not in COMMON]
    for fact in later:
        if (
            fact.value
            and has_value(sentence, fact.value)
            and not any(has_value(text, fact.value) for text in known_from)
        ):
            yield fact.value
        stems = frozenset[str]().union(*map(stem_words, list_texts([fact]))) - known
        given = [word for word in told if stem(word) in stems]
        if len(given) >= (1 if fact.disclosure == "when_heard" else WORDS_THAT_TELL):
            yield sentence[places[given[0]][0] : places[given[-1]][1]]


@lru_cache(maxsize=8192)
def has_value(text: str, value: str) -> bool:
    """Whether a value stands in a text as words of its own."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
