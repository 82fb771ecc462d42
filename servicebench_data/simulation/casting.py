"""Who plays in an experiment: from the names in its file to agents, customers and gate.

Belongs here: which models are asked, and putting players together. Not here: how any of them plays.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.experiment import CustomerSpec, Experiment, Guidance
from servicebench_data.models.endpoints import find_endpoint
from servicebench_data.models.options import OptionsError
from servicebench_data.models.session import Target
from servicebench_data.models.task import How
from servicebench_data.settings import Settings
from servicebench_data.simulation.agents.guidance import Adviser
from servicebench_data.simulation.agents.making import make_agent
from servicebench_data.simulation.attempt import Cast, Scene
from servicebench_data.simulation.customer.model import ModelCustomer
from servicebench_data.simulation.customer.rules import RuleCustomer
from servicebench_data.simulation.experiment import LoadedExperiment
from servicebench_data.simulation.gate.model import ModelGate
from servicebench_data.simulation.gate.rules import RulesGate
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.plan import Planned
from servicebench_data.simulation.reticence import Reticence
from servicebench_data.simulation.turns import Asker, Customer, Gate
from servicebench_data.simulation.views import Parts

#: Settings that decide what a model answers beside the experiment.
DECISIVE = ("model_max_tries", "model_temperature", "model_max_output_tokens", "model_parameters")


def list_targets(spec: Experiment) -> list[Target]:
    """Models that an experiment's conversations ask; none where everything goes by rules and scripts."""
    return list(dict.fromkeys(find_targets(spec)))


def find_targets(spec: Experiment) -> Iterator[Target]:
    """Models of agents, customers and gate."""
    for agent in spec.agents:
        if agent.model is not None:
            yield Target(agent.model, agent.api_base)
    yield from (Target(customer.model) for customer in spec.customers if customer.model is not None)
    if spec.gate_model is not None:
        yield Target(spec.gate_model)


def needs_ledger(spec: Experiment) -> bool:
    """Whether anybody's answers are kept: a model's, or a team's own function's."""
    return bool(list_targets(spec)) or any(agent.callable is not None for agent in spec.agents)


def name_model(spec: Experiment) -> str:
    """The first model that is asked; `none` where nobody asks any."""
    return next((target.model for target in find_targets(spec)), "none")


def describe_asking(spec: Experiment, settings: Settings) -> dict[str, object] | None:
    """What decides the answers of models beside the experiment; None where everything goes by rules and scripts.

    Raises:
        OptionsError: A model cannot be asked as it is named.
    """
    targets = list_targets(spec)
    if not targets:
        return None
    asked = [(*target, find_endpoint(*target).identity) for target in targets]
    return {"asked": asked, **pick_decisive(settings)}


def pick_decisive(settings: Settings) -> dict[str, object]:
    """Settings that decide what a model answers."""
    return {name: getattr(settings, name) for name in DECISIVE}


@dataclass(frozen=True)
class Company:
    """An experiment ready to be played.

    Attributes:
        loaded: The experiment.
        parts: Its scenarios, by id.
        planned: Its conversations.
        adviser: Writes the agents' guidance.
        turn_cap: Most exchanges of a conversation.
    """

    loaded: LoadedExperiment
    parts: Mapping[str, Parts]
    planned: Sequence[Planned]
    adviser: Adviser
    turn_cap: int

    def set_scenes(self, asker: Asker | None) -> Iterator[Scene]:
        """The conversations with their players, one when the one before is begun.

        Args:
            asker: The way to models and ledger; None where nobody needs it.

        Raises:
            OptionsError: Somebody needs it, or a player cannot be had.
        """
        advice: dict[tuple[Guidance, str], str] = {}
        for planned in self.planned:
            cast, parts = self.make_cast(planned, asker), self.parts[planned.scenario_id]
            key = cast.agent_spec.guidance, planned.scenario_id
            if key not in advice:
                advice[key] = self.adviser.advise(key[0], parts.scenario)
            yield Scene(planned, self.loaded.experiment_id, parts, cast, advice[key])

    def make_cast(self, planned: Planned, asker: Asker | None) -> Cast:
        """Who plays one conversation."""
        spec, scenario_id = self.loaded.spec, planned.scenario_id
        agent = next(agent for agent in spec.agents if agent.name == planned.agent)
        customer = next(customer for customer in spec.customers if customer.name == planned.customer)
        gate = make_gate(spec, asker, scenario_id)
        if spec.style_moves_patience:
            gate = Reticence(gate, planned.style, load_constants())
        return Cast(
            agent=make_agent(agent, asker, scenario_id, self.loaded.folder),
            agent_spec=agent,
            customer=make_customer(customer, asker, scenario_id),
            customer_spec=customer,
            gate=gate,
            gate_model=spec.gate_model,
            constants=load_constants(),
            turn_cap=self.turn_cap,
            style_moves=spec.style_moves_patience,
        )


def make_gate(spec: Experiment, asker: Asker | None, scenario_id: str) -> Gate:
    """The gate that an experiment names; a model reads with the experiment's seed and as coldly as it can.

    Raises:
        OptionsError: It needs the ledger and there is none.
    """
    if spec.gate_model is None:
        return RulesGate()
    if asker is None:
        raise OptionsError(f"the gate {spec.gate_model!r} needs a ledger; open a session of the doorway for it.")
    return ModelGate(asker, How(spec.gate_model, spec.seed, parameters={"temperature": 0.0}), scenario_id)


def make_customer(spec: CustomerSpec, asker: Asker | None, scenario_id: str) -> Customer:
    """The customer that an experiment names.

    Raises:
        OptionsError: It needs the ledger and there is none.
    """
    if spec.model is None:
        return RuleCustomer()
    if asker is None:
        raise OptionsError(f"customer {spec.name!r} needs a ledger; open a session of the doorway for it.")
    parameters: dict[str, Any] = {"max_tokens": spec.max_tokens}
    if spec.temperature is not None:
        parameters["temperature"] = spec.temperature
    return ModelCustomer(asker, How(spec.model, seed=0, parameters=parameters), scenario_id, load_constants())
