"""The rule engine puts scripted agents that really talked into the order that was written down before it."""

from itertools import pairwise
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from schemas.judging import Judgment
from schemas.records import Record
from schemas.scenarios import BackgroundSentence, CasePolicy, Expectation, Fact, Scenario
from schemas.simulation import Conversation
from servicebench_data.judging.judging import judge_conversations
from servicebench_data.lake.arrow import from_records
from servicebench_data.simulation.playing import hold_conversations
from tests.judging.test_judging import refuse_door
from tests.judging.test_rules import ORDER, PLAYED
from tests.simulation.stage import load, make_parts, make_scenario

#: Money was lost, so that no agent is done with a kind word.
LOSS = {"compensation_min_usd": 20.0, "is_loss_money": True}


@pytest.fixture(scope="module")
def means(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    """Mean scores and share of agreements by agent, over 4 scenarios in all styles."""
    return judge_scripts(tmp_path_factory.mktemp("order"))


def judge_scripts(folder: Path) -> dict[str, dict[str, float]]:
    agents = [{"name": script, "script": script} for script in PLAYED]
    loaded = load(folder, agents=agents)
    tables = make_scenarios()
    held = hold_conversations(loaded, tables, refuse_door)
    made = judge_conversations(loaded.spec, {**tables, **held}, refuse_door)
    with duckdb.connect() as connection:
        connection.register("conversation", held[Conversation])
        connection.register("judgment", made[Judgment])
        rows = connection.execute("""
            SELECT agent, avg(interactional), avg(procedural), avg(distributive), avg(("end" = 'agreement')::INT)
            FROM judgment JOIN conversation USING (conversation_id) WHERE ensemble = 'all' GROUP BY agent
        """).fetchall()
    return {agent: dict(zip((*ORDER, "agreement"), values, strict=True)) for agent, *values in rows}


def make_scenarios() -> dict[type[Record], pa.Table]:
    parts = [make_parts(make_scenario(f"s{number:04}")) for number in range(4)]
    return {
        Scenario: from_records(Scenario, [entry.scenario for entry in parts]),
        Fact: from_records(Fact, [row for entry in parts for row in entry.facts]),
        BackgroundSentence: from_records(BackgroundSentence, [row for entry in parts for row in entry.background]),
        Expectation: from_records(Expectation, [entry.expectation.model_copy(update=LOSS) for entry in parts]),
        CasePolicy: from_records(CasePolicy, [row for entry in parts for row in entry.policies]),
    }


@pytest.mark.parametrize("dimension", ORDER)
def test_agents_that_talked_stand_in_the_order_that_was_written_down(
    dimension: str, means: dict[str, dict[str, float]]
) -> None:
    for better, worse in pairwise(ORDER[dimension]):
        least = min(means[script][dimension] for script in better)
        assert least > max(means[script][dimension] for script in worse), means


def test_paying_alone_gains_nothing(means: dict[str, dict[str, float]]) -> None:
    payer = means["premature_payer"]
    assert all(payer[name] < means["just"][name] for name in ORDER)
    assert payer["agreement"] < max(entry["agreement"] for entry in means.values())
