"""What an agent answers: the form for a model, the form for a team's own function, and turning either into a turn.

Belongs here: forms of answers. Not here: asking (`model.py`, `callables.py`), offers read from words (`offers.py`).

Descriptions are written for a model, which sees them as JSON schema. Fields in which it thinks come first, for a model
writes from left to right.
"""

from collections.abc import Sequence

from pydantic import Field

from schemas import experiment
from schemas.records import Strict
from schemas.simulation import ActKind, OfferKind, OfferRelation
from schemas.writing import Maybe
from servicebench_data.simulation.turns import Act, Offer


class WrittenOffer(Strict):
    """One thing that the message gives or firmly promises to the customer."""

    kind: OfferKind = Field(
        description="entitlement: owed by a policy. goodwill_cash: beyond that, in money, credit or vouchers. "
        "goodwill_non_cash: beyond that, in kind (miles, a meal, a night)."
    )
    relation: OfferRelation = Field(
        description="new; raise where it takes the place of an earlier offer; addition where it comes on top of one; "
        "alternative where the customer may take it or the offer listed before it."
    )
    amount_usd: float | None = Field(
        ge=0, description="Worth in USD, for a raise the new total; null without a figure."
    )
    policy_id: Maybe = Field(description="Id of the policy that it rests on; null for goodwill.")
    description: str = Field(description="What is offered, in a few words.")


class AgentAnswer(Strict):
    """The agent's turn."""

    message: str = Field(min_length=1, description="The company's reply to what the customer wrote last.")
    offers: list[WrittenOffer] = Field(description="Every offer that this message makes; empty where it makes none.")

    def list_thoughts(self) -> list[str]:
        """What the agent thought apart from its message, in the order in which it was asked for."""
        thoughts = self.model_dump(exclude={"message", "offers"}).values()
        return [line for thought in thoughts for line in ([thought] if isinstance(thought, str) else thought)]


class Reasoning(Strict):
    """Thinking in steps."""

    reasoning: str = Field(description="Your thinking, step by step; the customer never sees it.")


class Planning(Strict):
    """A plan."""

    plan: list[str] = Field(description="Steps from here to a fair end, the next one first; not seen by the customer.")


class Reflecting(Strict):
    """A draft and what is wrong with it."""

    draft: str = Field(description="A first version of the message; the customer never sees it.")
    reflection: str = Field(description="What is wrong with the draft and what is missing; not seen by the customer.")


# Fields of the second base come first.
class ReasonedAnswer(AgentAnswer, Reasoning):
    """The agent's turn, thought through first."""


class PlannedAnswer(AgentAnswer, Planning):
    """The agent's turn, planned first."""


class ReflectedAnswer(AgentAnswer, Reflecting):
    """The agent's turn, drafted and examined first."""


ANSWERS: dict[experiment.Reasoning, type[AgentAnswer]] = {
    "direct": AgentAnswer,
    "chain_of_thought": ReasonedAnswer,
    "plan_then_reply": PlannedAnswer,
    "reflect_then_reply": ReflectedAnswer,
}


class GivenOffer(WrittenOffer):
    """An offer as a function gives it; what it leaves out has a default."""

    relation: OfferRelation = "new"
    amount_usd: float | None = Field(default=None, ge=0)
    policy_id: Maybe = None
    description: str = ""


class GivenAct(Strict):
    """An act as a function gives it."""

    kind: ActKind
    about: str = ""


class GivenAnswer(Strict):
    """The answer of a function; without `offers` they are read from the message, without `acts` it declares none."""

    message: str
    offers: list[GivenOffer] | None = None
    acts: list[GivenAct] | None = None
    reasoning: str | None = None


def make_offers(written: Sequence[WrittenOffer]) -> tuple[Offer, ...]:
    """Declared offers as the conversation takes them; what is declared stands as it is, also where it is wrong."""
    return tuple(
        Offer(offer.kind, offer.relation, offer.amount_usd, offer.policy_id, offer.description.strip() or offer.kind)
        for offer in written
    )


def make_acts(given: Sequence[GivenAct] | None) -> tuple[Act, ...] | None:
    """Declared acts as the conversation takes them."""
    return None if given is None else tuple(Act(act.kind, act.about) for act in given)
