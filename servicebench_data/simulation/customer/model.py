"""The customer played by a model: one question a turn, built from the customer's view alone.

Belongs here: what the model is told, the form of its answer, and what is refused at once. Not here: faults of the turn
(`faults.py`), which the loop finds, counts and sends back as complaints.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field

from schemas.records import Strict
from schemas.simulation import Decision, Style
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import How, Item, Task
from servicebench_data.simulation.ending import explain_silence
from servicebench_data.simulation.patience import Constants, may_leave
from servicebench_data.simulation.turns import Asker, CustomerTurn, CustomerView, KnownFact, Need

FOLDER = Path(__file__).parent
NOTHING = "(nothing)"
SPEAKERS = {"customer": "you", "agent": "agent"}

MOODS = (
    "calm; you only want it settled.",
    "irritated, but you listen.",
    "angry. You need to be taken seriously before anything else reaches you.",
    "hostile. You have stopped believing in good will.",
    "beyond talking. Hardly anything could still turn you round.",
)
NEEDS: Mapping[Need, str] = {
    "hearing": "that somebody looks at your own case instead of answering with a formula",
    "action": "a definite promise to do what you want done",
    "explanation": "the reason why it happened",
    "apology": "an apology for it",
    "money": "the money that it cost you",
}
EXITS = {
    "left": "you leave now: say that you are done and end it.",
    "third_party": "you leave now and turn to somebody outside (a regulator, the press, your bank). Say so and end it.",
    "faded_out": "you give up now: let it drop quietly, without asking for anything more.",
}


class CustomerAnswer(Strict):
    """The customer's turn."""

    disclosed: list[Annotated[str, Field(max_length=100)]] = Field(
        max_length=30, description="Ids of the new facts that the message tells."
    )
    message: str = Field(min_length=1, max_length=1500, description="What the customer writes.")
    decision: Decision = Field(description="continue, accept or leave, as far as you may.")


@cache
def load_styles() -> Mapping[Style, str]:
    """What a model is told of each style."""
    return yaml.safe_load((FOLDER / "styles.yaml").read_text(encoding="utf-8"))


@cache
def make_task() -> Task[CustomerAnswer]:
    """The task of one customer turn."""
    return Task("customer", load_prompt(FOLDER / "customer.md"), CustomerAnswer)


@dataclass(frozen=True)
class ModelCustomer:
    """Asks a model for each turn.

    Attributes:
        asker: The way to the model.
        how: Model and sampling; its seed is replaced turn by turn.
        item_id: What the ledger forgets the calls by: the scenario.
        constants: When the customer may leave.
    """

    asker: Asker
    how: How
    item_id: str
    constants: Constants

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        """The next message.

        Raises:
            SimulatorError: No answer had the right form, none came, or a cap stopped it.
        """
        task = make_task()
        item = Item(self.item_id, describe(view, complaints, self.constants), partial(find_reasons, view))
        outcome = await self.asker.ask(task, item, replace(self.how, seed=seed))
        if outcome.answer is None:
            heard = sum(len(said.text) for said in view.said if said.role == "agent")
            raise explain_silence(task, item, outcome, heard)
        answer = outcome.answer
        return CustomerTurn(
            message=answer.message.strip(),
            claimed_fact_ids=tuple(dict.fromkeys(answer.disclosed)),
            decision=answer.decision,
            tries=outcome.tries,
            cost_usd=outcome.cost_usd,
            made_by=outcome.model,
        )


def describe(view: CustomerView, complaints: Sequence[str], constants: Constants) -> dict[str, str]:
    """Variables of the prompt: the view and nothing else."""
    return {
        "brand": view.brand,
        "style": load_styles()[view.style],
        "mood": MOODS[view.attitude],
        "missing": "; ".join(NEEDS[need] for need in view.missing) or "nothing.",
        "decisions": tell_decisions(view, constants),
        "wish": tell_wishes(view),
        "told": list_facts(view.told),
        "new_facts": list_facts(view.may_tell),
        "new_ids": ", ".join(fact.fact_id for fact in view.may_tell) or "none: leave the list empty",
        "background": "\n".join(view.background) or NOTHING,
        "conversation": "\n".join(f"[{SPEAKERS[said.role]}] {said.text}" for said in view.said),
        "complaints": "\n".join(f"- {complaint}" for complaint in complaints),
    }


def list_decisions(view: CustomerView, constants: Constants) -> tuple[Decision, ...]:
    """Decisions that are open; the last straw leaves no choice."""
    if view.is_last_straw:
        return ("leave",)
    open_ones: list[Decision] = ["continue"]
    if view.may_accept:
        open_ones.append("accept")
    if may_leave(view.attitude, view.patience, constants):
        open_ones.append("leave")
    return tuple(open_ones)


def tell_decisions(view: CustomerView, constants: Constants) -> str:
    """The open decisions in words."""
    if view.is_last_straw:
        return f"decision is leave; {EXITS[view.exit or 'left']}"
    decisions = list_decisions(view, constants)
    words = {
        "continue": "continue: go on, and ask for what is missing",
        "accept": "accept: what you wanted is promised; agree in plain words (thanking is not agreeing)",
        "leave": "leave: you have almost had enough and may end it",
    }
    closed = "" if "accept" in decisions else " You do not agree to anything yet, in whatever words."
    return "; or ".join(words[decision] for decision in decisions) + "." + closed


def tell_wishes(view: CustomerView) -> str:
    """The wish, one part a line."""
    wish = view.wish
    money = f"Goodwill of {wish.min_usd:g} to {wish.max_usd:g} USD would be fair; name no figure of your own accord."
    lines = [
        wish.action,
        wish.explanation and f"To know: {wish.explanation}",
        wish.apology,
        money if wish.max_usd else None,
    ]
    return "\n".join([*(line for line in lines if line), f"What would make it worse: {wish.insult}"])


def list_facts(facts: Sequence[KnownFact]) -> str:
    """Facts, one a line with its id."""
    return "\n".join(f"{fact.fact_id}: {fact.statement}" for fact in facts) or NOTHING


def find_reasons(view: CustomerView, answer: CustomerAnswer) -> list[str]:
    """Why the form of an answer is refused, in words for the model."""
    return list(check_form(view, answer))


def check_form(view: CustomerView, answer: CustomerAnswer) -> Iterator[str]:
    """What no later check can make sense of: no words, the last straw ignored.

    An id that is none is not refused: the message is what counts, and the loop counts claims that it does not bear out.
    """
    if not any(letter.isalnum() for letter in answer.message):
        yield "the message has no words: write what the customer says."
    if view.is_last_straw and answer.decision != "leave":
        yield f'decision is "{answer.decision}", but the customer leaves with this message: it is "leave".'
