"""Views and conversations for tests of agents.

Belongs here: what an agent is shown. Not here: tests.
"""

from dataclasses import replace

from servicebench_data.simulation.turns import AgentView, PolicyView, Said

ESSENTIALS = PolicyView(
    "essentials",
    "Essentials while a bag is delayed",
    "A passenger whose checked bag does not arrive is owed essentials against receipts, up to USD 50 for each day. "
    "The bag is delivered to the address given at our cost.",
    "reimbursement",
    250.0,
)
CARE = PolicyView(
    "care", "Care", "From a delay of 3 hours the passenger is owed a meal voucher of USD 12.", "voucher", 12.0
)
BAG = AgentView(
    brand="Brightwing",
    industry="Airlines",
    case_record="Flight: BW 519\nBaggage status: not located\nCause of disruption: late transfer",
    policies=(ESSENTIALS,),
    goodwill_limit_usd=200.0,
    guidance="",
    said=(Said("customer", "my bag never came off the belt in Oslo. My medication is in it and nobody helps."),),
)
ANSWERS = (
    "The desk said it might be on the next flight. I was told to wait.",
    "I need the bag brought to my hotel tonight, please.",
    "That is not good enough.",
    "And what happens next?",
    "I still have no bag.",
)


def go_on(view: AgentView, message: str, answer: str) -> AgentView:
    """The view after one more exchange."""
    return replace(view, said=(*view.said, Said("agent", message), Said("customer", answer)))
