"""Judging over the built sample: what a judge sees, running with the conversations, judging again, its checks."""

import json
import shutil
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import dagster as dg
import pytest

from assets.judging import coverage, judge_degenerate, rubric
from assets.product import ProductBase, make_resources
from assets.simulation import read_scenarios
from schemas.judging import Judgment, PaddedScore, RubricItem, Score, SubScore
from schemas.scenarios import Scenario
from schemas.simulation import Conversation, DeclaredAct, MessageRow
from servicebench_data.industries import list_industries
from servicebench_data.judging import versions
from servicebench_data.judging.cases import READ_OF_EXPERIMENT, READ_OF_SCENARIOS, gather_cases
from servicebench_data.judging.rubric import DIMENSIONS
from servicebench_data.judging.tasks import make_item, make_task
from servicebench_data.judging.view import Case, show_judge
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.settings import Settings
from tests.assets.experiments import ask, run
from tests.judging.bench import make_conversation, make_messages
from tests.models.server import Answer, Asked, Server, complete

#: What no judge may see, put in place of what is there.
HIDDEN: dict[str, Any] = {
    "agent": "zqagent_1", "agent_made_by": "zqmaker/zqmodel-9", "customer": "zqcustomer", "customer_made_by": "zqc",
    "gate_made_by": "zqgate", "experiment_id": "zqexperiment", "end_reason": "zqend", "end": "turn_cap",
    "end_detail": "turn_cap", "style": "passive_warm", "disclosure": "full_information", "guidance": "case",
    "reasoning": "plan_then_reply", "facts_total": 77, "facts_out": 76, "is_self_play": True,
}  # fmt: skip


def make_cases(home: Path) -> list[Case]:
    """A conversation about every scenario of the home."""
    lake = Lake(home)
    scenarios = read_scenarios(lake, list_industries(), READ_OF_SCENARIOS)
    ids = enumerate(scenarios[Scenario]["scenario_id"].to_pylist())
    conversations = [make_conversation(number, scenario_id=scenario_id) for number, scenario_id in ids]
    messages = [row for number in range(len(conversations)) for row in make_messages(number)]
    played = {
        Conversation: from_records(Conversation, conversations),
        MessageRow: from_records(MessageRow, messages),
        DeclaredAct: from_records(DeclaredAct, []),
    }
    return gather_cases({**played, **scenarios})


def render(case: Case) -> str:
    """All words that a judge gets."""
    rendered = make_task().prompt.render(make_item(show_judge(case), "s", DIMENSIONS).variables)
    return f"{rendered.system}\n{rendered.user}"


def hide(case: Case) -> Case:
    """The same case with everything changed that a judge may not see."""
    conversation = case.conversation.model_copy(update=HIDDEN)
    scenario = case.scenario.model_copy(
        update={"severity": "high", "expectation": "zqwish", "background": "zqback", "case_record": "zqrecord"}
    )
    facts = tuple(fact.model_copy(update={"disclosure": "when_heard", "is_customer_only": True}) for fact in case.facts)
    messages = tuple(
        row.model_copy(update={"reasoning": "zqthought", "attitude": 3, "patience": 0.5, "made_by": "zqmaker"})
        for row in case.messages
    )
    return replace(case, conversation=conversation, scenario=scenario, facts=facts, messages=messages)


def check(home: Path, which: Any) -> dg.AssetCheckResult:
    settings = Settings.load({}, home=home, source="sample")
    product: ProductBase = make_resources(settings)["watcher"]
    return which(product=product)


@pytest.fixture
def forgotten() -> Generator[None]:
    """Whatever version was named is forgotten afterwards."""
    yield
    versions.name_grading_version.cache_clear()


def write_rubric(home: Path) -> str:
    """The version under which the rubric stands after its asset ran."""
    with dg.DagsterInstance.ephemeral() as instance:
        resources = make_resources(Settings.load({}, home=home, source="sample"))
        assert dg.materialize([cast("dg.AssetsDefinition", rubric)], resources=resources, instance=instance).success
    (version,) = set(Lake(home).read(RubricItem)["grading_version"].to_pylist())
    return str(version)


@pytest.mark.usefixtures("forgotten")
def test_the_rubric_is_written_anew_where_anything_that_decides_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write_rubric(tmp_path)
    monkeypatch.setattr(versions, "FILES", versions.FILES[1:])
    versions.name_grading_version.cache_clear()
    assert write_rubric(tmp_path) == versions.name_grading_version() != before


def test_over_the_whole_sample_a_judge_sees_nothing_that_is_hidden(built: Path) -> None:
    cases = make_cases(built)
    assert len(cases) == len(Lake(built).read(Scenario))
    for case in cases:
        assert render(case) == render(hide(case))


def test_judgments_are_published_beside_their_conversations(played: Path) -> None:
    counts = ask(played, "SELECT status, count(*) FROM judging.score GROUP BY status")
    conversations = ask(played, "SELECT count(*) FROM simulation.conversation")[0][0]
    assert counts == [("scored", 3 * conversations)]
    assert ask(played, "SELECT count(*) FROM judging.judgment WHERE total IS NOT NULL") == [(2 * conversations,)]
    source = "judging.judgment JOIN simulation.conversation USING (conversation_id)"
    means = dict(ask(played, f"SELECT agent, avg(total) FROM {source} GROUP BY agent"))
    assert means["just"] > means["evader"]


def test_the_checks_pass_and_see_a_verdict_that_vanished(played: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(played, tmp_path / "home"))
    assert check(home, coverage).passed
    assert check(home, judge_degenerate).passed
    lake = Lake(home)
    origin = Origin(fingerprint="0" * 64, inputs=lake.get(Score, "small").pointer.inputs)
    lake.write(Score, lake.read(Score, "small").slice(1), "small", made_from=origin)
    assert not check(home, coverage).passed


def test_a_further_judge_asks_only_for_verdicts(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(shutil.copytree(played, tmp_path / "home"))
    lake = Lake(home)
    before = {record: lake.get(record, "small").pointer.sha256 for record in READ_OF_EXPERIMENT}
    with Server(judge_low) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.base)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        judges = [{"name": "rules"}, {"name": "model", "model": "openai/small"}]
        run(home, judges=judges)
        run(home, title="Another title.", judges=judges)
    assert len(server.asked) == len(lake.read(Conversation, "small"))
    assert before == {record: lake.get(record, "small").pointer.sha256 for record in READ_OF_EXPERIMENT}
    scores = lake.read(Score, "small").to_pylist()
    assert {row["score"] for row in scores if row["judge"] == "model"} == {1}
    assert {tuple(row["judges"]) for row in lake.read(Judgment, "small").to_pylist()} == {("model",)}
    assert len(lake.read(SubScore, "small")) == 2 * len(server.asked) * len(lake.read(RubricItem))


def test_a_padding_test_plays_nothing_anew_and_moves_no_score(played: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(played, tmp_path / "home"))
    lake = Lake(home)
    path, scores = lake.get(MessageRow, "small").path, lake.read(Score, "small")
    assert not len(lake.read(PaddedScore, "small"))
    run(home, padding_test=5)
    assert lake.get(MessageRow, "small").path == path, "conversations were held again for a padding test"
    assert lake.read(Score, "small").equals(scores)
    source = "judging.padded_score JOIN simulation.conversation USING (conversation_id)"
    drawn = ask(home, f"SELECT agent, count(DISTINCT conversation_id) FROM {source} GROUP BY agent")
    assert sorted(count for _, count in drawn) == [2, 3]
    rows = ask(home, "SELECT measure, n, shift FROM measures.padding_effect ORDER BY measure")
    assert rows == [(name, 5, 0.0) for name in ("distributive", "interactional", "procedural", "total")]


def judge_low(asked: Asked) -> Answer:
    """The lowest score for everything, which needs no quote."""
    schema = asked.body["response_format"]["json_schema"]["schema"]
    items = {
        name: {item: {"quotes": [], "score": 1} for item in find_items(schema, name)} | {"reason": "Nothing was done."}
        for name in DIMENSIONS
    }
    return complete(json.dumps(items))


def find_items(schema: dict[str, Any], dimension: str) -> list[str]:
    """Items of a dimension, as the schema of the answer has them."""
    part = schema["$defs"][schema["properties"][dimension]["$ref"].rpartition("/")[2]]
    return [name for name in part["properties"] if name != "reason"]
