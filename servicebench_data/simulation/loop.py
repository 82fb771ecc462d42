"""One conversation: attempts until one is free of lasting simulator faults.

Belongs here: starting anew, and the conversation's row. Not here: one attempt (`attempt.py`), many conversations at
once (`running.py`).
"""

from collections.abc import Sequence

from schemas.simulation import Conversation
from servicebench_data.models.prices import add_costs
from servicebench_data.simulation.agents.families import find_family
from servicebench_data.simulation.attempt import OFFLINE, Attempt, Cast, Scene
from servicebench_data.simulation.ending import Ending
from servicebench_data.simulation.recording import Played, Slip, write_faults

MOST_ATTEMPTS = 3


async def play(scene: Scene) -> Played:
    """Hold a conversation; where a fault of the simulator stays, it starts anew with a seed of its own."""
    slips: list[Sequence[Slip]] = []
    costs: list[float | None] = []
    number = 0
    while True:
        attempt = Attempt(scene, number)
        ending = await attempt.run()
        slips.append(attempt.slips)
        costs += attempt.log.costs
        number += 1
        if ending.detail != "simulator_fault" or number == MOST_ATTEMPTS:
            break
    conversation = describe(attempt, ending, add_costs(costs))
    return Played(conversation, attempt.log, tuple(write_faults(conversation.conversation_id, slips)))


def describe(attempt: Attempt, ending: Ending, cost_usd: float | None) -> Conversation:
    """The row of a conversation by its last attempt."""
    scene, planned, cast = attempt.scene, attempt.scene.planned, attempt.scene.cast
    out = attempt.facts.entries
    hidden = [
        fact.fact_id
        for fact in attempt.facts.facts
        if fact.is_customer_only and not (fact.fact_id in out and out[fact.fact_id].disclosed_by == "opening")
    ]
    return Conversation(
        conversation_id=planned.conversation_id,
        experiment_id=scene.experiment_id,
        scenario_id=planned.scenario_id,
        industry=scene.parts.scenario.industry,
        agent=planned.agent,
        agent_made_by=cast.agent_spec.model or cast.agent_spec.callable or OFFLINE,
        customer=planned.customer,
        customer_made_by=scene.customer_made_by,
        gate_made_by=cast.gate_model or OFFLINE,
        style=planned.style,
        disclosure=planned.disclosure,
        guidance=cast.agent_spec.guidance,
        reasoning=cast.agent_spec.reasoning,
        repeat=planned.repeat,
        seed=attempt.seed,
        attempts=attempt.number + 1,
        end=ending.end,
        end_detail=ending.detail,
        end_reason=ending.reason,
        exchanges=attempt.log.exchanges,
        is_valid=ending.end != "invalid",
        is_self_play=is_self_play(cast),
        facts_total=len(hidden),
        facts_out=sum(fact_id in out for fact_id in hidden),
        cost_usd=cost_usd,
    )


def is_self_play(cast: Cast) -> bool:
    """Whether customer and agent are of one model family."""
    agent, customer = cast.agent_spec.model, cast.customer_spec.model
    return agent is not None and customer is not None and find_family(agent) == find_family(customer)
