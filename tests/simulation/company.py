"""Conversations whose agent is a model behind an endpoint, in this process or in one of its own.

Belongs here: what is started, killed and taken up by tests: `python -m tests.simulation.company LEDGER FOLDER COUNT`.
Not here: tests.
"""

import asyncio
import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from schemas.experiment import AgentSpec, CustomerSpec
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.session import Target
from servicebench_data.models.task import How, Item, PlainText, Task
from servicebench_data.simulation.attempt import Cast, Scene
from servicebench_data.simulation.customer.rules import RuleCustomer
from servicebench_data.simulation.gate.rules import RulesGate
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.plan import plan_conversations
from servicebench_data.simulation.running import Standing, Tables, play_all
from servicebench_data.simulation.turns import AgentTurn, AgentView, Asker
from tests.models.server import Answer, Asked, complete
from tests.models.tasks import make_options
from tests.simulation.stage import load, make_parts, make_scenario

MODEL = "openai/agent"
PROMPT = "---\nname: chat\nrecord: PlainText\n---\n# System\nYou answer complaints.\n# User\n"
LINES = (
    "I am sorry, losing your bag is distressing. Which flight were you on?",
    "I have checked the record. What did you have to pay for?",
    "That must have been hard. What was in the bag?",
    "Our courier will deliver your bag today before 6pm, and I will confirm it myself.",
)


def accept(_: PlainText) -> Sequence[str]:
    return ()


@dataclass(frozen=True)
class ChatAgent:
    """Sends the conversation as a chat and takes the reply as it is."""

    asker: Asker
    task: Task[PlainText]

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:
        roles = {"customer": "user", "agent": "assistant"}
        history = tuple({"role": roles[said.role], "content": said.text} for said in view.said)
        item = Item(scope, {}, accept, history=history)
        outcome = await self.asker.ask(self.task, item, How(MODEL, seed=seed, scope=scope, max_tries=1))
        if outcome.answer is None:
            return AgentTurn("", failure="agent_unanswered", failure_reason="; ".join(outcome.reasons), cost_usd=None)
        return AgentTurn(outcome.answer.text, cost_usd=outcome.cost_usd, made_by=outcome.model)


def set_scenes(asker: Asker, folder: Path, count: int) -> list[Scene]:
    """One conversation for each of so many scenarios."""
    path = folder / "chat.md"
    path.write_text(PROMPT, encoding="utf-8")
    agent = ChatAgent(asker, Task("chat", load_prompt(path), PlainText))
    spec = AgentSpec(name="ours", model=MODEL)
    cast = Cast(agent, spec, RuleCustomer(), CustomerSpec(), RulesGate(), None, load_constants(), 20)
    scenarios = [make_scenario(f"s{number:04}") for number in range(count)]
    planned = plan_conversations(load(folder, agents=[spec.model_dump()], styles="balanced"), scenarios)
    parts = {scenario.scenario_id: make_parts(scenario) for scenario in scenarios}
    return [Scene(entry, "try", parts[entry.scenario_id], cast) for entry in planned]


def hold_all(
    url: str, folder: Path, count: int, progress: Callable[[Standing], None] | None = None, *, replay: bool = False
) -> Tables:
    """Hold so many conversations, eight at once."""
    folder.mkdir(parents=True, exist_ok=True)

    async def work() -> Tables:
        with open_doorway(make_options(concurrency=8, lease_seconds=20), url, replay=replay) as doorway:
            async with doorway.open_session([Target(MODEL)]) as session:
                return await play_all(set_scenes(session, folder, count), count, 8, progress)

    return asyncio.run(work())


def answer_as_agent(asked: Asked) -> Answer:
    """The next line of an agent, by how far the chat has come."""
    return complete(choose_line(asked), delay=0.01)


def choose_line(asked: Asked) -> str:
    return write_line(asked.body["messages"])


def write_line(messages: list[dict[str, str]]) -> str:
    """The line that answers a chat, with a mark of all that was said."""
    turn = sum(message["role"] == "assistant" for message in messages)
    mark = hashlib.sha256(str(messages).encode()).hexdigest()[:6]
    return f"{LINES[turn % len(LINES)]} My note on it is {mark}."


def main() -> None:
    url, folder, count = sys.argv[1:]
    tables = hold_all(url, Path(folder), int(count))
    for record, table in tables.items():
        pq.write_table(table, Path(folder) / f"{record.table.name}.parquet")
    sys.stdout.write("done\n")


if __name__ == "__main__":
    main()
