"""The gate offline: deterministic rules that read one message.

Belongs here: putting the flags and the openings together. Not here: how any of them is found.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.simulation import Flag
from servicebench_data.simulation.gate.apologies import find_apology
from servicebench_data.simulation.gate.asking import find_asked, find_open_question
from servicebench_data.simulation.gate.checks import find_check
from servicebench_data.simulation.gate.harm import find_harm
from servicebench_data.simulation.gate.opening import open_facts
from servicebench_data.simulation.gate.paths import find_path
from servicebench_data.simulation.gate.provocations import find_provocation
from servicebench_data.simulation.gate.questions import Request, find_requests
from servicebench_data.simulation.gate.sentences import Sentence, split_message
from servicebench_data.simulation.offers import read_offers
from servicebench_data.simulation.turns import GateReading, KnownFact

#: Changes with every change of the rules, so that readings of different ones are told apart.
RULES_VERSION = "gate-rules-1"


@dataclass(frozen=True)
class Seen:
    """What a message does, before any fact is held against it.

    Attributes:
        flags: Quote of each flag that is set.
        asked: Quote of the question by the id of each closed fact that it asks for.
        open_question: Quote of an open question; None where there is none.
    """

    flags: dict[Flag, str]
    asked: dict[str, str]
    open_question: str | None


class RulesGate:
    """Reads a message by rules; knows neither agent nor style nor anything said before."""

    async def read(self, message: str, closed: Sequence[KnownFact], scope: str) -> GateReading:  # noqa: ARG002  (Gate)
        """Flags with quotes, and the closed facts that this message asks for or earns."""
        seen = see(message, closed)
        return GateReading(seen.flags, open_facts(closed, seen.flags, seen.asked, seen.open_question))


def see(message: str, closed: Sequence[KnownFact]) -> Seen:
    """What a message does and asks."""
    sentences = split_message(message)
    requests = find_requests(sentences)
    return Seen(find_flags(message, sentences, requests), find_asked(requests, closed), find_open_question(requests))


def find_flags(message: str, sentences: Sequence[Sentence], requests: Sequence[Request]) -> dict[Flag, str]:
    """Quote of each flag that is set; an offer that stands in the text is a path, too."""
    path = find_path(sentences) or find_offer(message)
    found: dict[Flag, str | None] = {
        "acknowledges_harm": find_harm(sentences),
        "apologises": find_apology(sentences),
        "checks_facts": find_check(sentences, requests),
        "offers_path": path,
        "provokes": find_provocation(sentences, requests, has_path=path is not None),
    }
    return {flag: quote for flag, quote in found.items() if quote}


def find_offer(message: str) -> str | None:
    """The words of the first offer that a message makes."""
    return next((offer.quote for offer in read_offers(message) if offer.quote in message), None)
