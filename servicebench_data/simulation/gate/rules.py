"""The gate offline: patterns and a learned reader, which read one message and are the same everywhere.

Belongs here: putting what patterns and reader see together, flags and openings. Not here: how either sees it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.simulation import Flag
from servicebench_data.simulation.gate.apologies import find_apology
from servicebench_data.simulation.gate.asking import find_asked, find_open_question
from servicebench_data.simulation.gate.checks import find_check
from servicebench_data.simulation.gate.examples import WALL
from servicebench_data.simulation.gate.harm import find_harm
from servicebench_data.simulation.gate.opening import open_facts
from servicebench_data.simulation.gate.paths import find_path
from servicebench_data.simulation.gate.provocations import find_provocation, find_wall, names_other_way
from servicebench_data.simulation.gate.questions import Request, find_requests
from servicebench_data.simulation.gate.reader import is_enough, score_text
from servicebench_data.simulation.gate.sentences import Sentence, split_message
from servicebench_data.simulation.gate.wording import is_conditional, is_sarcastic
from servicebench_data.simulation.offers import read_offers
from servicebench_data.simulation.turns import GateReading, KnownFact

#: Changes with every change of the rules, so that readings of different ones are told apart.
RULES_VERSION = "gate-rules-4"
#: What a message's tone shows as much as any one sentence of it.
TONES = frozenset({"provokes", WALL})


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

    async def read(self, message: str, closed: Sequence[KnownFact], attempt: int = 0) -> GateReading:  # noqa: ARG002  (Gate)
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
    path = find_offer(message) or weigh(sentences, "offers_path", find_path(sentences))
    found: dict[Flag, str | None] = {
        "acknowledges_harm": weigh(sentences, "acknowledges_harm", find_harm(sentences)),
        "apologises": weigh(sentences, "apologises", find_apology(sentences)),
        "checks_facts": weigh(sentences, "checks_facts", find_check(sentences, requests)),
        "offers_path": path,
        "provokes": weigh(sentences, "provokes", find_provocation(sentences, requests)),
    }
    if path is None and not found["provokes"] and not names_other_way(sentences):
        found["provokes"] = weigh(sentences, WALL, find_wall(sentences))
    return {flag: quote for flag, quote in found.items() if quote}


def weigh(sentences: Sequence[Sentence], label: str, seen: str | None) -> str | None:
    """The words that bear a label, where patterns and reader together say so.

    Args:
        sentences: Of the message.
        label: A flag, or a refusal.
        seen: Words that the patterns see; the reader believes them sooner than it believes itself alone.
    """
    meant = (sentence for sentence in sentences if is_meant(sentence, label))
    likeliest = max(meant, key=lambda sentence: score_text(sentence.text)[label], default=None)
    if likeliest is None:
        return None
    score = score_text(likeliest.text)[label]
    if label in TONES:
        score = (score + 2 * score_text(" ".join(sentence.text for sentence in sentences))[label]) / 3
    if not is_enough(score, label, is_agreed=seen is not None):
        return None
    return seen or likeliest.quote()


def is_meant(sentence: Sentence, label: str) -> bool:
    """Whether a sentence can bear a label: what is sarcastic or supposed shows neither heart nor help."""
    match label:
        case "acknowledges_harm" | "apologises":
            return not (is_sarcastic(sentence.text) or is_conditional(sentence.text))
        case "offers_path":
            return not is_sarcastic(sentence.text)
        case _:
            return True


def find_offer(message: str) -> str | None:
    """The words of the first offer that a message makes."""
    return next((offer.quote for offer in read_offers(message) if offer.quote in message), None)
