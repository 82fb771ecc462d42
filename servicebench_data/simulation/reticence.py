"""What a customer's style does to what the gate opened, where an experiment lets style act.

Belongs here: holding back some of what an open question opened. Not here: the gate, which knows no style, or how much
is held back (`patience.yaml`).

Whoever is passive is low in agency and waits to be asked: of what an open question opens a passive customer tells the
first statements alone. What is held back stays closed, and opens with the next question. What was asked for by name or
earned is told by everybody. Our definition, after the interpersonal circumplex.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.simulation import Style
from servicebench_data.simulation.patience import Constants
from servicebench_data.simulation.turns import Gate, GateReading, KnownFact, Opening


@dataclass(frozen=True)
class Reticence:
    """A gate, and after it a customer who may hold back.

    Attributes:
        gate: Reads the agent's message.
        style: How the customer communicates.
        constants: Constants of the customer.
    """

    gate: Gate
    style: Style
    constants: Constants

    async def read(self, message: str, closed: Sequence[KnownFact], attempt: int = 0) -> GateReading:
        """The gate's reading, with the openings that this customer takes up."""
        reading = await self.gate.read(message, closed, attempt)
        return replace(reading, openings=hold_back(reading.openings, closed, self.style, self.constants))


def hold_back(
    openings: Sequence[Opening], closed: Sequence[KnownFact], style: Style, constants: Constants
) -> tuple[Opening, ...]:
    """The openings that a customer of a style takes up; one statement at the least, so that nothing stays shut.

    Args:
        openings: What the gate opened.
        closed: Facts that were closed, in order.
        style: How the customer communicates.
        constants: Constants of the customer.
    """
    if not style.startswith("passive"):
        return tuple(openings)
    statements = {fact.fact_id: fact.statement for fact in closed}
    freely = (statements[opening.fact_id] for opening in openings if opening.opened_by == "open_question")
    told = [*dict.fromkeys(freely)][: max(1, round(constants.passive_tells))]
    return tuple(
        opening for opening in openings if opening.opened_by != "open_question" or statements[opening.fact_id] in told
    )
