"""The customer by rules: no model, the same message for the same view and seed.

Belongs here: what a message is made of on which occasion. Not here: the words (`phrases.yaml`, `wording.py`), when the
customer may agree or leaves (`feeling.py`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from servicebench_data.simulation.customer.wording import Speaker, end, hash_words, join_facts, tell_wish
from servicebench_data.simulation.turns import CustomerTurn, CustomerView, KnownFact

_REQUEST = re.compile(
    r"\?|\b(?:please (?:send|share|provide|give|tell|state|confirm|DM)|state (?:the|your)|I (?:need|require) your|"
    r"let (?:me|us) know (?:your|the|which|when|where))\b",
    re.IGNORECASE,
)
#: Of so many messages that tell facts, one also asks for what is missing.
_ASKS_TOO = 2
#: How a customer that was heard takes a message, by level of attitude.
REACTIONS = (("calm",), (), ("angry", "unheard"), ("furious", "angry"), ("furious", "angry"))
HOSTILE = 3


@dataclass(frozen=True)
class RuleCustomer:
    """Speaks by rules, in the style of its view."""

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        """The next message; complaints change the choice of words."""
        return write_turn(view, f"{seed}|{len(view.said)}|{len(complaints)}")


def write_turn(view: CustomerView, source: str) -> CustomerTurn:
    """A message on a view: leaves, accepts, or goes on."""
    speaker = open_speaker(view, source)
    if view.is_last_straw:
        say_first(speaker, [view.exit or "left", "left", "faded_out"])
        return CustomerTurn(finish(speaker), (), "leave")
    if view.may_accept:
        say_first(speaker, ["accept"])
        return CustomerTurn(finish(speaker), (), "accept")
    say_first(speaker, list_reactions(view))
    tells = "fact" in speaker.values and speaker.say("lead")
    if not tells and is_asked(view):
        speaker.say("evade")
    if not tells or int(hash_words(source, "ask")[:8], 16) % _ASKS_TOO == 0:
        say_first(speaker, list_pushes(view))
    told = tuple(fact.fact_id for fact in list_new(view)) if tells else ()
    return CustomerTurn(finish(speaker), told, "continue")


def list_new(view: CustomerView) -> list[KnownFact]:
    """Facts to be told now; a sentence that was said before is not said again."""
    used = list_used(view).lower()
    return [fact for fact in view.may_tell if end(fact.statement).lower() not in used]


def list_used(view: CustomerView) -> str:
    """All that the customer said before."""
    return "\n".join(said.text for said in view.said if said.role == "customer")


def open_speaker(view: CustomerView, source: str) -> Speaker:
    """A speaker with what this view gives to say."""
    values = {"brand": view.brand}
    wish = tell_wish(view.wish.action)
    if wish is not None:
        values["wish"] = wish
    new = list_new(view)
    if new:
        values["fact"] = join_facts(new)
    return Speaker(view.style, source, list_used(view), values)


def say_first(speaker: Speaker, occasions: Sequence[str]) -> None:
    """Say a phrase for the first occasion that has one left."""
    any(speaker.say(occasion) for occasion in occasions)


def list_reactions(view: CustomerView) -> Sequence[str]:
    """How the customer takes the last message, the fitting one first; an irritated one that was heard says nothing."""
    if "hearing" in view.missing and view.attitude < HOSTILE:
        return ("unheard", "angry")
    return REACTIONS[view.attitude]


def list_pushes(view: CustomerView) -> list[str]:
    """What the customer asks for: what is missing, from the most urgent, a different one first from turn to turn."""
    needs = [f"need_{need}" for need in view.missing if need != "hearing"] or ["cool"]
    turn = len(view.said) // 2
    first = (turn - 1) % len(needs)
    return [*needs[first:], *needs[:first], "cool"]


def is_asked(view: CustomerView) -> bool:
    """Whether the agent's last message asks for something."""
    return bool(view.said) and view.said[-1].role == "agent" and _REQUEST.search(view.said[-1].text) is not None


def finish(speaker: Speaker) -> str:
    """The message; where all phrases are used up, the least that says that one still waits."""
    return " ".join(speaker.said) or "..."
