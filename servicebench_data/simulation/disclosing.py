"""The ledger of facts of one conversation: what is out, what this turn may disclose, what is still closed.

Belongs here: how facts pass from closed to out. Not here: what an agent's message opens (`gate`), whether a fact is in
a message (`telling.py`).

A fact that shares its sentence with one that was opened may come out with it; then it was volunteered, not elicited.
Our definition.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schemas.simulation import DisclosedBy, DisclosureMode
from servicebench_data.simulation.turns import KnownFact, Opening


@dataclass(frozen=True)
class Told:
    """A fact that came out.

    Attributes:
        fact: The fact.
        message_index: Customer's message that told it first.
        disclosed_by: How it came out.
        quote: The words that tell it.
    """

    fact: KnownFact
    message_index: int
    disclosed_by: DisclosedBy
    quote: str


class FactLedger:
    """What is known of the facts while a conversation goes on; each attempt has one of its own.

    Args:
        facts: All facts of the customer.
    """

    def __init__(self, facts: Sequence[KnownFact]) -> None:
        self.facts = tuple(facts)
        self.entries: dict[str, Told] = {}
        self._opened: set[str] = set()

    @property
    def told(self) -> tuple[KnownFact, ...]:
        """Facts that are out."""
        return tuple(fact for fact in self.facts if fact.fact_id in self.entries)

    @property
    def may_tell(self) -> tuple[KnownFact, ...]:
        """Facts that the next message may disclose: those that were opened, and what stands in the same sentence."""
        sentences = {fact.statement for fact in self.facts if fact.fact_id in self._opened}
        return tuple(
            fact
            for fact in self.facts
            if fact.fact_id not in self.entries and (fact.fact_id in self._opened or fact.statement in sentences)
        )

    @property
    def closed(self) -> tuple[KnownFact, ...]:
        """Facts that are neither out nor may be told."""
        shown = {fact.fact_id for fact in (*self.told, *self.may_tell)}
        return tuple(fact for fact in self.facts if fact.fact_id not in shown)

    def open(self, openings: Iterable[Opening]) -> None:
        """Open facts that an agent's message asks for or earns."""
        self._opened.update(opening.fact_id for opening in openings)

    def note(self, found: Mapping[str, str], message_index: int) -> list[Told]:
        """Note the facts that a customer's message holds, with the words that tell them; returns the new ones."""
        allowed = {fact.fact_id for fact in self.may_tell}
        new = [
            Told(fact, message_index, self._name_way(fact, allowed, message_index), found[fact.fact_id])
            for fact in self.facts
            if fact.fact_id in found and fact.fact_id not in self.entries
        ]
        self.entries.update((told.fact.fact_id, told) for told in new)
        return new

    def _name_way(self, fact: KnownFact, allowed: Iterable[str], message_index: int) -> DisclosedBy:
        if message_index == 0:
            return "opening"
        if fact.fact_id in self._opened:
            return "elicited"
        return "volunteered" if fact.fact_id in allowed else "early"


@dataclass(frozen=True)
class OpeningMessage:
    """The first message, and the words in it by the fact that they tell."""

    text: str
    found: Mapping[str, str]


def write_opening(
    text: str, facts: Sequence[KnownFact], found: Mapping[str, str], disclosure: DisclosureMode
) -> OpeningMessage:
    """The customer's first message: the scenario's opening, under full information with all other facts after it.

    Args:
        text: The scenario's opening.
        facts: All facts of the customer.
        found: Words of the opening by the fact that they tell, for facts that it tells.
        disclosure: Whether all facts come out at once.
    """
    known = dict(found)
    for fact in facts:
        if fact.disclosure == "opening":
            known.setdefault(fact.fact_id, text)
    if disclosure == "progressive":
        return OpeningMessage(text, known)
    rest = [fact for fact in facts if fact.fact_id not in known]
    statements = list(dict.fromkeys(fact.statement for fact in rest))
    known.update((fact.fact_id, fact.statement) for fact in rest)
    return OpeningMessage(" ".join([text, *statements]), known)
