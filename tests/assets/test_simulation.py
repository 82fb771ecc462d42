"""Experiments over the built sample: what each side sees, running, publishing, taking up again, the sensor."""

import asyncio
import io
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from rich.console import Console

from assets import automation
from assets.automation import experiments_folder
from assets.product import ProductBase, make_resources
from assets.runner import run_experiment
from assets.simulation import read_scenarios
from schemas.scenarios import Scenario
from schemas.simulation import Conversation, MessageRow
from servicebench_data.industries import list_industries
from servicebench_data.lake.arrow import to_records
from servicebench_data.lake.generations import drop_stale_experiments
from servicebench_data.lake.sample import ROOT
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.settings import Settings
from servicebench_data.simulation.agents.model import describe as describe_agent
from servicebench_data.simulation.attempt import Scene
from servicebench_data.simulation.casting import Company
from servicebench_data.simulation.customer.model import describe as describe_customer
from servicebench_data.simulation.experiment import ExperimentError, LoadedExperiment, load_experiment
from servicebench_data.simulation.files import register_experiment
from servicebench_data.simulation.loop import play
from servicebench_data.simulation.playing import gather
from servicebench_data.simulation.turns import Agent, AgentTurn, AgentView, Customer, CustomerTurn, CustomerView
from servicebench_data.simulation.views import Parts
from tests.assets.experiments import SMALL, ask, run, write_experiment

MARK = re.compile(r"zq[a-z]+\d*")


def mark(parts: Parts) -> Parts:
    """A scenario with a word of its own in every fact that only the customer knows, and in all that is hidden."""
    words = {fact.fact_id: f"zqfact{fact.fact_id[1:]}" for fact in parts.facts if fact.is_customer_only}
    facts = tuple(
        fact.model_copy(update={"statement": put_in(fact.statement, words[fact.fact_id])})
        if fact.fact_id in words and fact.disclosure != "opening"
        else fact
        for fact in parts.facts
    )
    hidden = {"events": "zqevents", "background": "zqbackground", "expectation": "zqexpectation"}
    record = f"{parts.scenario.case_record}\nNote: zqrecord"
    scenario = parts.scenario.model_copy(update={**hidden, "case_record": record})
    policies = tuple(policy.model_copy(update={"text": f"{policy.text} zqpolicy"}) for policy in parts.policies)
    return replace(parts, scenario=scenario, facts=facts, policies=policies)


def put_in(statement: str, word: str) -> str:
    """A statement with a further word before its end."""
    stripped = statement.rstrip(".!")
    return f"{stripped} {word}{statement[len(stripped) :] or '.'}"


@dataclass(frozen=True)
class WatchedAgent:
    """An agent that looks for marked words in all it is given."""

    inner: Agent
    spec: Any

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:
        heard = set(MARK.findall(" ".join(said.text for said in view.said)))
        shown = {**asdict(view), "prompt": describe_agent(view, self.spec, "")}
        assert set(MARK.findall(json.dumps(shown))) - heard <= {"zqrecord", "zqpolicy"}
        return await self.inner.reply(view, seed=seed, scope=scope)


@dataclass(frozen=True)
class WatchedCustomer:
    """A customer that looks for marked words in all it is given."""

    inner: Customer
    constants: Any

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        heard = set(MARK.findall(" ".join(said.text for said in view.said)))
        shown = {**asdict(view), "prompt": describe_customer(view, complaints, self.constants)}
        may = set(MARK.findall(" ".join(fact.statement for fact in (*view.told, *view.may_tell))))
        assert set(MARK.findall(json.dumps(shown))) - heard <= may
        return await self.inner.reply(view, seed=seed, complaints=complaints)


def watch(scene: Scene) -> Scene:
    cast = scene.cast
    agent = WatchedAgent(cast.agent, cast.agent_spec)
    return replace(scene, cast=replace(cast, agent=agent, customer=WatchedCustomer(cast.customer, cast.constants)))


def list_watched(home: Path, tmp_path: Path) -> Iterator[Scene]:
    """A conversation about every scenario of the sample, each side watched."""
    agents = [{"name": "just", "script": "just"}]
    loaded = load_experiment(write_experiment(tmp_path, agents=agents, scenarios={}))
    company = gather(loaded, read_scenarios(Lake(home), list_industries()))
    marked = {scenario: mark(parts) for scenario, parts in company.parts.items()}
    for scene in Company(loaded, marked, company.planned, company.adviser, 20).set_scenes(None):
        yield watch(scene)


def test_over_the_whole_sample_nobody_sees_what_is_not_theirs(built: Path, tmp_path: Path) -> None:
    scenes = list(list_watched(built, tmp_path))
    played = [asyncio.run(play(scene)) for scene in scenes]
    assert len(played) == len(to_records(Scenario, Lake(built).read(Scenario)))
    heard = [row.text for entry in played for row in entry.log.messages if row.role == "customer"]
    assert any(MARK.search(text) for text in heard), "no marked fact ever came out, so that nothing was tested"
    assert not any(entry.faults for entry in played)


def test_the_watch_finds_a_leak(built: Path, tmp_path: Path) -> None:
    scene = next(iter(list_watched(built, tmp_path)))
    leaking = scene.parts.scenario.model_copy(update={"case_record": "It says zqfact9."})
    with pytest.raises(AssertionError):
        asyncio.run(play(replace(scene, parts=replace(scene.parts, scenario=leaking))))


def test_an_experiment_is_run_published_and_taken_up_again(played: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(played, tmp_path / "home"))
    rows = ask(copied, "SELECT agent, count(*) FROM simulation.conversation GROUP BY agent ORDER BY agent")
    assert rows == [("evader", 4), ("just", 4)]
    assert ask(copied, "SELECT experiment_id, title FROM simulation.experiment") == [("small", "A small one.")]
    orphans = "FROM simulation.message ANTI JOIN simulation.conversation USING (conversation_id)"
    assert ask(copied, f"SELECT count(*) {orphans}") == [(0,)]
    lake = Lake(copied)
    before = lake.read(Conversation, "small").to_pylist()
    run(copied, title="Another title.", judges=[], agents=[*SMALL["agents"], {"name": "cold", "script": "cold"}])
    assert ask(copied, "SELECT title FROM simulation.experiment") == [("Another title.",)]
    after = lake.read(Conversation, "small").to_pylist()
    assert len(after) == 12
    assert [row for row in after if row["agent"] != "cold"] == before
    assert ask(copied, "SELECT count(*) FROM simulation.conversation") == [(12,)]
    check_that_older_ones_are_left_out(lake)


def check_that_older_ones_are_left_out(lake: Lake) -> None:
    """An experiment over scenarios that have changed since is left out, and removed where something is forgotten."""
    assert lake.choose_partitions(Conversation, []) == ["small"]
    origin = Origin(fingerprint="0" * 64, inputs=lake.get(Scenario).pointer.inputs)
    lake.write(Scenario, lake.read(Scenario).slice(1), made_from=origin)
    assert lake.choose_partitions(Conversation, []) == []
    assert lake.partitions(Conversation) == ["small"]
    drop_stale_experiments(lake)
    assert lake.partitions(Conversation) == lake.partitions(MessageRow) == []


def test_an_experiment_that_the_home_does_not_have_is_named(copied: Path) -> None:
    console = Console(file=io.StringIO(), width=200)
    assert not run_experiment(Settings.load({}, home=copied, source="sample"), "none", console)
    assert isinstance(console.file, io.StringIO)
    assert "no experiment 'none'" in console.file.getvalue()


def test_files_are_taken_into_the_home_with_their_prompts(tmp_path: Path) -> None:
    agents = [{"name": "ours", "model": "openai/x", "system_prompt": "ours.md"}]
    path = write_experiment(tmp_path / "files", agents=agents)
    (path.parent / "ours.md").write_text("Be kind.", encoding="utf-8")
    lake = Lake(tmp_path / "home")
    loaded: LoadedExperiment = register_experiment(lake, path)
    assert loaded.folder == tmp_path / "home" / "experiments"
    assert (loaded.folder / "ours.md").read_text(encoding="utf-8") == "Be kind."
    register_experiment(lake, path)
    (path.parent / "ours.md").write_text("Be brief.", encoding="utf-8")
    with pytest.raises(ExperimentError, match=r"another file 'ours\.md'"):
        register_experiment(lake, path)


@pytest.fixture
def watcher(copied: Path) -> ProductBase:
    return make_resources(Settings.load({}, home=copied))["watcher"]


def test_the_sensor_makes_each_file_a_partition_and_runs_it_once(watcher: ProductBase) -> None:
    folder = watcher.lake.home / "experiments"
    with (
        dg.instance_for_test() as instance,
        dg.build_sensor_context(instance=instance, resources={"watcher": watcher}) as context,
    ):
        assert isinstance(experiments_folder(context), dg.SkipReason)
        write_experiment(folder, "one")
        write_experiment(folder, "two")
        keys: list[str] = []
        for _ in range(2):
            result = experiments_folder(context)
            assert isinstance(result, dg.SensorResult)
            context.update_cursor(str(result.cursor))
            (request,) = result.run_requests or []
            keys.append(str(request.partition_key))
        assert keys == ["one", "two"]
        assert isinstance(experiments_folder(context), dg.SkipReason)
        for turn_cap in (9, SMALL["turn_cap"]):  # the second is as it was at first
            write_experiment(folder, "two", turn_cap=turn_cap)
            result = experiments_folder(context)
            assert isinstance(result, dg.SensorResult)
            context.update_cursor(str(result.cursor))
            (request,) = result.run_requests or []
            assert (request.partition_key, request.run_key) == ("two", None)


def test_an_experiment_that_failed_is_tried_again_after_a_while(
    watcher: ProductBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_experiment(watcher.lake.home / "experiments", "one")
    with (
        dg.instance_for_test() as instance,
        dg.build_sensor_context(instance=instance, resources={"watcher": watcher}) as context,
    ):
        for _ in range(2):
            with monkeypatch.context() as patch:
                patch.setattr(automation, "RETRY_SECONDS", 0)
                result = experiments_folder(context)
            assert isinstance(result, dg.SensorResult)
            context.update_cursor(str(result.cursor))
            (request,) = result.run_requests or []
            instance.add_run(dg.DagsterRun("any", tags=request.tags, status=dg.DagsterRunStatus.FAILURE))
            reason = experiments_folder(context)
            assert isinstance(reason, dg.SkipReason)
            assert "experiment one made the last run fail; it is tried again after" in str(reason.skip_message)


def test_the_bundled_experiment_is_as_it_must_be() -> None:
    loaded = load_experiment(ROOT / "experiments" / "sample.yaml")
    assert (loaded.spec.scenarios.limit, len(loaded.spec.agents)) == (60, 5)
