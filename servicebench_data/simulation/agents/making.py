"""From an agent as an experiment names it to the agent that plays.

Belongs here: choosing among the kinds of agent. Not here: any of them.
"""

from pathlib import Path

from schemas.experiment import AgentSpec
from servicebench_data.models.options import OptionsError
from servicebench_data.simulation.agents.callables import CallableAgent, load_function
from servicebench_data.simulation.agents.model import ModelAgent
from servicebench_data.simulation.agents.scripted import ScriptedAgent
from servicebench_data.simulation.agents.texts import read_text
from servicebench_data.simulation.turns import Agent, Asker


def make_agent(spec: AgentSpec, asker: Asker | None, scenario_id: str, folder: Path) -> Agent:
    """The agent that plays a scenario.

    Args:
        spec: The agent as the experiment names it.
        asker: The way to models and ledger; a script needs none.
        scenario_id: The scenario.
        folder: Folder of the experiment's file, from which its own files are found.

    Raises:
        OptionsError: It needs the ledger and there is none, or its callable is not to be found.
    """
    if spec.script is not None:
        return ScriptedAgent(spec.script)
    if asker is None:
        raise OptionsError(f"agent {spec.name!r} needs a ledger; open a session of the doorway for it.")
    if spec.callable is not None:
        return CallableAgent(asker, spec, scenario_id, load_function(spec.callable, folder))
    return ModelAgent(asker, spec, read_conduct(spec, folder), scenario_id)


def read_conduct(spec: AgentSpec, folder: Path) -> str:
    """How an agent is told to conduct itself: by the experiment's own file, else by the bundled text."""
    if spec.system_prompt is None:
        return read_text("conduct")
    return (folder / spec.system_prompt).read_text(encoding="utf-8").strip()
