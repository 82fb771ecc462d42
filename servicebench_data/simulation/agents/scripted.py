"""Scripted agents: five that differ on purpose, the floor and the ceiling of an evaluation; no models.

Belongs here: which moves make a message, with the acts and offers that go with them. Not here: the words
(`phrases.yaml`, `wording.py`), what is read off the case (`case.py`).

The just one acknowledges this harm, asks before it decides, explains, gives what is owed and goodwill in proportion,
with owner and deadline. The cold one is correct and nothing else. The premature payer pays before it knows anything.
The evader deflects. The over-promiser promises what no policy and no limit allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.experiment import Script
from servicebench_data.simulation.agents.case import Case, round_to_five, tell_usd
from servicebench_data.simulation.agents.topics import Question, fits, load
from servicebench_data.simulation.agents.wording import Speaker
from servicebench_data.simulation.turns import Act, AgentTurn, AgentView, Offer

#: What the over-promiser gives away for good, by industry.
GIFTS = {
    "airline": "free upgrades to first class",
    "hotel": "free nights in the best suite",
    "restaurant": "free meals",
    "retail": "free deliveries",
    "ride": "free rides",
}
LEAST_PROMISE = 100.0  # USD that the over-promiser starts from even where the limit is lower


@dataclass(frozen=True)
class ScriptedAgent:
    """An agent that follows one of the scripts.

    Attributes:
        script: Which.
    """

    script: Script

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:  # noqa: ARG002  (the form of an agent)
        """The next message; the same for the same view and seed."""
        return write_turn(self.script, Case(view), seed)


def write_turn(script: Script, case: Case, seed: int) -> AgentTurn:
    """A script's message on a case, with its acts and offers."""
    figures = work_out(script, case)
    source = f"{seed}|{script}|{len(case.mine)}|{case.words}"
    speaker = Speaker(case, source, {name: tell(value) for name, value in figures.items()})
    acts: list[Act] = []
    offers: list[Offer] = []
    for move in list_moves(script, len(case.mine)):
        spec: Mapping[str, Any] = load("scripts")["moves"][move]
        said = speaker.say(move)
        if said is None:
            continue
        acts.append(Act(spec["act"], said.about if isinstance(said, Question) else spec["about"]))
        if "offer" in spec:
            offers.append(make_offer(spec["offer"], case, figures, speaker.said[-1]))
    return AgentTurn(" ".join(speaker.said), tuple(offers), has_structure=True, acts=tuple(acts))


def list_moves(script: Script, turn: int) -> Sequence[str]:
    """Moves of a script's message, by its number from 0."""
    plan: Mapping[str, Any] = load("scripts")["scripts"][script]
    turns, later = plan["turns"], plan["later"]
    return turns[turn] if turn < len(turns) else later[(turn - len(turns)) % len(later)]


def find_offer_turn(script: Script, amount: str) -> int:
    """Number of the message in which a script first offers a figure."""
    specs: Mapping[str, Any] = load("scripts")["moves"]
    turns: Sequence[Sequence[str]] = load("scripts")["scripts"][script]["turns"]
    hits = [
        number
        for number, moves in enumerate(turns)
        if any(specs[move].get("offer", {}).get("amount") == amount for move in moves)
    ]
    return hits[0] if hits else len(turns)


def work_out(script: Script, case: Case) -> dict[str, float | str]:
    """Figures of the offers; one that is nothing is left out, so that its move is, too."""
    limit = case.view.goodwill_limit_usd
    if script == "just":
        return weigh(case.cut_back(find_offer_turn(script, "goodwill")))
    if script == "over_promiser":
        promise = round_to_five(1.5 * max(limit, LEAST_PROMISE))
        figures = {"promise": promise, "promise_more": promise + max(limit, LEAST_PROMISE)}
    else:
        figures = {"payout": limit * 0.5, "payout_more": limit * 0.75, "payout_most": limit}
    gift = next((gift for name, gift in GIFTS.items() if fits(case.view.industry, [name])), "free service")
    return {name: value for name, value in figures.items() if value > 0} | {"gift_name": gift}


def weigh(case: Case) -> dict[str, float | str]:
    """Goodwill in proportion, what it can be raised to, and all that was given in one line, for the case as decided."""
    limit, goodwill = case.view.goodwill_limit_usd, case.goodwill_usd
    more = min(limit, round_to_five(1.5 * goodwill))
    parts = [case.owed.words] if case.owed else []
    parts += [f"{tell_usd(more)} in goodwill"] if more else []
    figures = {"goodwill": goodwill, "goodwill_more": more if more > goodwill else 0.0}
    recap = {"recap": ", and ".join(parts)} if parts else {}
    return {name: value for name, value in figures.items() if value > 0} | recap


def tell(value: float | str) -> str:
    """A figure in words."""
    return value if isinstance(value, str) else tell_usd(value)


def make_offer(spec: Mapping[str, Any], case: Case, figures: Mapping[str, float | str], quote: str) -> Offer:
    """The offer that a move makes."""
    figure = figures.get(spec["amount"])
    amount = figure if isinstance(figure, float) else None
    if spec["kind"] == "entitlement" and case.owed:
        return Offer(
            "entitlement", spec["relation"], case.owed.amount_usd, case.owed.policy.policy_id, case.owed.words, quote
        )
    words = f"{tell_usd(amount)} as goodwill" if amount is not None else str(figures["gift_name"])
    return Offer(spec["kind"], spec["relation"], amount, None, words, quote)
