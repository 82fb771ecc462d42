"""Model families, guidance, and the examples of agents of one's own."""

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path

import pytest

from examples import http_agent
from schemas.experiment import AgentSpec
from schemas.scenarios import Scenario
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.session import Target
from servicebench_data.simulation.agents.families import find_family
from servicebench_data.simulation.agents.guidance import Adviser
from servicebench_data.simulation.agents.making import make_agent
from servicebench_data.simulation.experiment import load_experiment
from servicebench_data.simulation.offers import read_offers
from servicebench_data.simulation.turns import AgentTurn, AgentView
from tests.models.tasks import make_options
from tests.simulation.stage import make_parts, make_scenario
from tests.simulation.views import ANSWERS, BAG, go_on

EXAMPLES = Path(http_agent.__file__).parent


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("offline", "offline"),
        ("openai/gpt-5", "gpt"),
        ("o3-mini", "gpt"),
        ("azure/gpt-4o", "gpt"),
        ("anthropic/claude-sonnet-4", "claude"),
        ("openrouter/anthropic/claude-3.5-haiku", "claude"),
        ("bedrock/us.anthropic.claude-opus-4-v1:0", "claude"),
        ("gemini/gemini-2.5-pro", "gemini"),
        ("vertex_ai/gemma-3-27b", "gemini"),
        ("hosted_vllm/Qwen/Qwen3-8B", "qwen"),
        ("local/qwen2.5-coder-1.5b.gguf", "qwen"),
        ("ollama/llama3.1", "llama"),
        ("groq/meta-llama/llama-4-scout", "llama"),
        ("mistral/mistral-large-latest", "mistral"),
        ("together_ai/mistralai/Mixtral-8x7B", "mistral"),
        ("deepseek/deepseek-chat", "deepseek"),
        ("deepseek/deepseek-r1-distill-qwen-7b", "qwen"),
        ("xai/grok-4", "grok"),
        ("openai/my-own-agent", "my-own-agent"),
        ("openai/another", "another"),
    ],
)
def test_the_family_of_a_model(name: str, family: str) -> None:
    assert find_family(name) == family


def make_train(scenario_id: str, **given: object) -> Scenario:
    return make_scenario(scenario_id, split="train", cluster_id=f"k{scenario_id}", **given)


PLAYED = make_scenario("s0001", cluster_id="ours")
POOL = [
    make_train("s0002", opening="The coffee was cold.", category_id="food", stage_id="onboard"),
    make_train("s0003", opening="Seat broken.", category_id="seat"),
    make_train("s0004", opening="My bag did not arrive in Rome."),
    make_train("s0005", opening="My bag is SENTINEL-CLUSTER").model_copy(update={"cluster_id": "ours"}),
    make_scenario("s0006", opening="My bag is SENTINEL-EVALUATION", cluster_id="k6"),
    make_train("s0007", opening="My bag is SENTINEL-INDUSTRY", industry="hotel"),
]  # fmt: skip


def test_cases_are_near_ones_from_the_training_side_alone() -> None:
    adviser = Adviser([make_parts(scenario) for scenario in (*POOL, PLAYED)], [PLAYED])
    advice = adviser.advise("case", PLAYED)
    assert advice.index("did not arrive in Rome") < advice.index("Seat broken")
    assert "SENTINEL" not in advice
    assert PLAYED.opening not in advice
    assert "coffee" not in advice
    assert "How a complaint is handled" not in advice


def test_each_kind_of_guidance() -> None:
    adviser = Adviser([make_parts(scenario) for scenario in POOL], [PLAYED])
    case, procedure = adviser.advise("case", PLAYED), adviser.advise("procedure", PLAYED)
    assert adviser.advise("none", PLAYED) == ""
    assert adviser.advise("case_and_procedure", PLAYED) == f"{case}\n\n{procedure}"
    assert "up to USD 100 (Interim expenses)" in case
    assert Adviser([], [PLAYED]).advise("case", PLAYED) == ""


@pytest.fixture
def endpoint() -> Generator[str]:
    """The example's server on a free port."""
    with http_agent.make_server(0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()
        thread.join()


def talk(spec: AgentSpec, url: str, turns: int = 3) -> list[AgentTurn]:
    """An agent's first messages."""

    async def work() -> list[AgentTurn]:
        found: list[AgentTurn] = []
        targets = [Target(spec.model, spec.api_base)] if spec.model else []
        with open_doorway(make_options(), url) as doorway:
            async with doorway.open_session(targets) as session:
                agent, view = make_agent(spec, session, "s0001", EXAMPLES), BAG
                for number in range(turns):
                    found.append(await agent.reply(view, seed=number, scope=f"s0001/c/0/{2 * number + 1}"))
                    view: AgentView = go_on(view, found[-1].message, ANSWERS[number])
        return found

    return asyncio.run(work())


def test_the_examples_function_plays(sqlite_url: str) -> None:
    spec = load_experiment(EXAMPLES / "your-own-agent.yaml").spec.agents[0]
    first, second, third = talk(spec, sqlite_url)
    assert "my bag never came off the belt" in first.message
    assert [(offer.kind, offer.amount_usd) for offer in second.offers] == [("entitlement", None), ("goodwill_cash", 25)]
    assert second.acts
    assert not third.failure


def test_the_examples_server_plays(endpoint: str, sqlite_url: str) -> None:
    spec = load_experiment(EXAMPLES / "your-own-endpoint.yaml").spec.agents[0]
    turns = talk(spec.model_copy(update={"api_base": endpoint}), sqlite_url)
    assert [turn.failure for turn in turns] == [None] * 3
    assert [offer.amount_usd for offer in read_offers(turns[1].message)] == [25]
    assert not any(turn.has_structure for turn in turns)
