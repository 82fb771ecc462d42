"""The gate as a model task: the same readings as the rules give, from the same message alone.

Belongs here: what the model is told, the form of its answer, and what is refused. Not here: what opens (`opening.py`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import get_args

from pydantic import Field

from schemas.records import Strict
from schemas.simulation import Flag
from schemas.writing import Maybe
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import How, Item, Outcome, Task
from servicebench_data.scenarios.writing.quotes import find_words
from servicebench_data.simulation.chance import draw_seed
from servicebench_data.simulation.ending import explain_silence
from servicebench_data.simulation.gate.opening import open_facts
from servicebench_data.simulation.turns import Asker, GateReading, KnownFact

NO_FACTS = "(none)"
FLAGS: tuple[Flag, ...] = get_args(Flag)
#: Fields of an answer that are a quote or nothing.
QUOTED = (*FLAGS, "open_question")


class AskedFact(Strict):
    """A fact that the message asks for."""

    quote: str = Field(min_length=1, description="The question, copied letter by letter.")
    fact_id: str = Field(min_length=1, description="Id of the fact, from the list.")


class GateAnswer(Strict):
    """What the message does."""

    acknowledges_harm: Maybe = Field(description="Words that name what it did to this customer; null where none do.")
    apologises: Maybe = Field(description="Words that say sorry; null where none do.")
    checks_facts: Maybe = Field(description="Words that ask, say back or look up; null where none do.")
    offers_path: Maybe = Field(description="Words that name a remedy or a step; null where none do.")
    provokes: Maybe = Field(description="Words that blame, deny, dismiss, refuse or scorn; null where none do.")
    open_question: Maybe = Field(description="An open question; null where there is none.")
    asks: list[AskedFact] = Field(max_length=30, description="Facts that the message asks for.")


@cache
def make_task() -> Task[GateAnswer]:
    """The task of reading one message."""
    return Task("gate", load_prompt(Path(__file__).parent / "gate.md"), GateAnswer)


@dataclass(frozen=True)
class ModelGate:
    """Asks a model what each message does.

    Equal messages with equal closed facts are one question, whoever wrote them. A conversation that starts anew asks
    it with another seed, for the ledger would give the answers that were refused again.

    Attributes:
        asker: The way to the model.
        how: Model, seed and sampling.
        item_id: What the ledger forgets the calls by: the scenario.
    """

    asker: Asker
    how: How
    item_id: str

    async def read(self, message: str, closed: Sequence[KnownFact], attempt: int = 0) -> GateReading:
        """Flags with quotes, and the closed facts that this message asks for or earns.

        Raises:
            SimulatorError: No answer had the form, none came, or a cap stopped it; nothing is read in its place.
        """
        task, item = make_task(), make_item(self.item_id, message, closed)
        seed = draw_seed("gate", self.how.seed, attempt) if attempt else self.how.seed
        outcome = await self.asker.ask(task, item, replace(self.how, seed=seed))
        if outcome.answer is None:
            raise explain_silence(task, item, outcome, len(message))
        return make_reading(message, closed, outcome.answer, outcome)


def make_item(item_id: str, message: str, closed: Sequence[KnownFact]) -> Item[GateAnswer]:
    """What to ask about a message; of the facts only those that asking can open are shown."""
    listed = list_askable(closed)
    facts = "\n".join(f"{fact.fact_id} ({fact.kind}): {fact.statement}" for fact in listed) or NO_FACTS
    known = frozenset(fact.fact_id for fact in listed)
    check, trim = partial(find_reasons, message, known), partial(trim_answer, message, known)
    return Item(item_id, {"facts": facts, "message": message}, check, trim=trim)


def list_askable(closed: Sequence[KnownFact]) -> list[KnownFact]:
    """Closed facts that come out when asked."""
    return [fact for fact in closed if fact.disclosure != "when_heard"]


def find_reasons(message: str, known: frozenset[str], answer: GateAnswer) -> list[str]:
    """Why an answer is refused, in words for the model."""
    return list(check_answer(message, known, answer))


def check_answer(message: str, known: frozenset[str], answer: GateAnswer) -> Iterator[str]:
    """Quotes stand in the message, and ids in the list."""
    for where, quote in list_quotes(answer):
        if find_words(message, quote) is None:
            yield f'{where}: "{quote}" does not stand in the message: copy the words letter by letter, or give null.'
    for asked in answer.asks:
        if asked.fact_id not in known:
            yield f'asks names "{asked.fact_id}", which is not in the list of facts: take ids from the list only.'


def trim_answer(message: str, known: frozenset[str], answer: GateAnswer) -> GateAnswer:
    """The answer without what does not stand in message or list: a flag without its quote is not set."""
    kept = {name: quote for name, quote in list_said(answer) if find_words(message, quote) is not None}
    asks = [asked for asked in answer.asks if asked.fact_id in known and find_words(message, asked.quote) is not None]
    return answer.model_copy(update={**{name: kept.get(name) for name in QUOTED}, "asks": asks})


def list_quotes(answer: GateAnswer) -> Iterator[tuple[str, str]]:
    """All quotes of an answer, each with what it is for."""
    yield from list_said(answer)
    for asked in answer.asks:
        yield f"asks {asked.fact_id}", asked.quote


def list_said(answer: GateAnswer) -> Iterator[tuple[str, str]]:
    """Quotes of what is there or not, each with its name."""
    for name in QUOTED:
        quote: str | None = getattr(answer, name)
        if quote is not None:
            yield name, quote


def make_reading(
    message: str, closed: Sequence[KnownFact], answer: GateAnswer, outcome: Outcome[GateAnswer]
) -> GateReading:
    """The reading of an answer that passed; its quotes are the message's own words."""
    quotes = {where: cut_quote(message, quote) for where, quote in list_quotes(answer)}
    flags: Mapping[Flag, str] = {flag: quotes[flag] for flag in FLAGS if flag in quotes}
    asked = {entry.fact_id: cut_quote(message, entry.quote) for entry in reversed(answer.asks)}
    openings = open_facts(closed, flags, asked, quotes.get("open_question"))
    return GateReading(flags, openings, outcome.model, outcome.cost_usd, outcome.reasons)


def cut_quote(message: str, quote: str) -> str:
    """The words of the message that a quote stands for."""
    start, end = find_words(message, quote) or (0, 0)
    return message[start:end]
