"""Experiments over the built sample: what each side sees, running, publishing, taking up again, the sensor."""

import asyncio
import io
import json
import logging
import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from rich.console import Console

from assets import automation
from assets.automation import experiments_folder
from assets.console import print_experiment
from assets.instance import open_instance
from assets.product import ProductBase, make_resources
from assets.runner import run_experiment
from assets.simulation import read_scenarios
from schemas.scenarios import Fact, Scenario
from schemas.simulation import Conversation, ExperimentRow, MessageRow, Playing
from servicebench_data.industries import list_industries
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.generations import drop_stale_experiments
from servicebench_data.lake.sample import ROOT
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.settings import Settings
from servicebench_data.simulation.agents.model import describe as describe_agent
from servicebench_data.simulation.attempt import Scene
from servicebench_data.simulation.casting import Company
from servicebench_data.simulation.customer.model import describe as describe_customer
from servicebench_data.simulation.experiment import ExperimentError, LoadedExperiment, load_experiment
from servicebench_data.simulation.files import list_experiments, register_experiment
from servicebench_data.simulation.loop import play
from servicebench_data.simulation.playing import gather
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.turns import (
    Agent,
    AgentTurn,
    AgentView,
    Customer,
    CustomerTurn,
    CustomerView,
    KnownFact,
)
from servicebench_data.simulation.views import Parts, know_facts
from tests.assets.experiments import SMALL, ask, run, write_experiment
from tests.rows import plain_record

MARK = re.compile(r"zq[a-z]+\d*")


def mark(parts: Parts) -> Parts:
    """A scenario with a word of its own in every fact that only the customer knows, and in all that is hidden.

    Facts of one statement share their word, for they are told at once. The sentences of the background carry the words
    of the facts that they tell.
    """
    first = {fact.statement: fact.fact_id for fact in reversed(parts.facts)}
    words = {
        fact.fact_id: f"zqfact{first[fact.statement][1:]}"
        for fact in parts.facts
        if fact.is_customer_only and fact.disclosure != "opening"
    }
    facts = tuple(
        fact.model_copy(update={"statement": put_in(fact.statement, words[fact.fact_id])})
        if fact.fact_id in words
        else fact
        for fact in parts.facts
    )
    background = tuple(
        row.model_copy(
            update={"text": put_in(row.text, " ".join({words[name] for name in words.keys() & row.fact_ids}))}
        )
        for row in parts.background
    )
    hidden = {"events": "zqevents", "background": "zqbackground", "expectation": "zqexpectation"}
    record = f"{parts.scenario.case_record}\nNote: zqrecord"
    scenario = parts.scenario.model_copy(update={**hidden, "case_record": record})
    policies = tuple(policy.model_copy(update={"text": f"{policy.text} zqpolicy"}) for policy in parts.policies)
    return replace(parts, scenario=scenario, facts=facts, background=background, policies=policies)


def put_in(statement: str, word: str) -> str:
    """A statement with a further word before its end, where there is one."""
    if not word:
        return statement
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
    """A customer that looks for marked words in all it is given, and for closed facts in what it wishes for."""

    inner: Customer
    constants: Any
    facts: Sequence[KnownFact]

    async def reply(self, view: CustomerView, *, seed: int, complaints: Sequence[str] = ()) -> CustomerTurn:
        heard = set(MARK.findall(" ".join(said.text for said in view.said)))
        shown = {**asdict(view), "prompt": describe_customer(view, complaints, self.constants)}
        may = set(MARK.findall(" ".join(fact.statement for fact in (*view.told, *view.may_tell))))
        assert set(MARK.findall(json.dumps(shown))) - heard <= may
        open_ids = {fact.fact_id for fact in (*view.told, *view.may_tell)}
        closed = [fact for fact in self.facts if fact.fact_id not in open_ids]
        # What would insult is one of a fixed list, whatever the case.
        wished = (view.wish.action, view.wish.explanation, view.wish.apology)
        assert not any(find_told(text, closed) for text in wished if text)
        return await self.inner.reply(view, seed=seed, complaints=complaints)


def watch(scene: Scene, facts: Sequence[Fact]) -> Scene:
    """The scene with both sides watched; the facts are given as they stand in the scenario, without marks."""
    cast = scene.cast
    agent = WatchedAgent(cast.agent, cast.agent_spec)
    customer = WatchedCustomer(cast.customer, cast.constants, know_facts(facts))
    return replace(scene, cast=replace(cast, agent=agent, customer=customer))


def list_watched(home: Path, tmp_path: Path) -> Iterator[Scene]:
    """A conversation about every scenario of the sample, each side watched."""
    agents = [{"name": "just", "script": "just"}]
    loaded = load_experiment(write_experiment(tmp_path, agents=agents, scenarios={}))
    company = gather(loaded, read_scenarios(Lake(home), list_industries()))
    marked = {scenario: mark(parts) for scenario, parts in company.parts.items()}
    for scene in Company(loaded, marked, company.planned, company.adviser, 20).set_scenes(None):
        yield watch(scene, company.parts[scene.planned.scenario_id].facts)


def test_over_the_whole_sample_nobody_sees_what_is_not_theirs(built: Path, tmp_path: Path) -> None:
    scenes = list(list_watched(built, tmp_path))
    played = [asyncio.run(play(scene)) for scene in scenes]
    assert len(played) == len(to_records(Scenario, Lake(built).read(Scenario)))
    heard = [row.text for entry in played for row in entry.log.messages if row.role == "customer"]
    assert any(MARK.search(text) for text in heard), "no marked fact ever came out, so that nothing was tested"
    assert not any(entry.faults for entry in played)


def list_hidden(scene: Scene) -> list[str]:
    """What a scene's customer does not tell at the opening, without marks."""
    return [MARK.sub("", fact.statement) for fact in scene.parts.facts if fact.disclosure != "opening"]


def test_the_watch_finds_a_leak(built: Path, tmp_path: Path) -> None:
    scene = max(islice(list_watched(built, tmp_path), 20), key=lambda scene: len(list_hidden(scene)))
    leaking = scene.parts.scenario.model_copy(update={"case_record": "It says zqfact9."})
    untagged = scene.parts.background[0].model_copy(update={"text": "I say zqfact9.", "fact_ids": []})
    telling = scene.parts.expectation.model_copy(update={"explanation": " ".join(list_hidden(scene))})
    for changed in ({"scenario": leaking}, {"background": (untagged,)}, {"expectation": telling}):
        with pytest.raises(AssertionError):
            asyncio.run(play(replace(scene, parts=replace(scene.parts, **changed))))


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


def test_what_is_not_there_is_said_and_what_was_played_by_what_stays_written(played: Path, tmp_path: Path) -> None:
    copied = Path(shutil.copytree(played, tmp_path / "home"))
    lake, records = Lake(copied), (Playing, Conversation, ExperimentRow)
    query = "SELECT category_id, count(*) FROM scenarios.scenario WHERE industry = 'airline' GROUP BY ALL ORDER BY ALL"
    category, count = ask(copied, query)[0]
    chosen = {"industries": ["airline", "hotel"], "categories": [category], "limit": 60}
    missing = [
        "`scenarios.industries` names 'hotel', of which no released scenario is chosen",
        f"`scenarios.limit` is 60, and only {count} are there",
    ]
    run(copied, scenarios=chosen)
    assert list_warnings(copied) == missing
    before = [lake.get(record, "small") for record in records]
    run(copied, scenarios=chosen, title="Another title.", judges=[])
    after = [lake.get(record, "small") for record in records]
    assert [old == new for old, new in zip(before, after, strict=True)] == [True, True, False]
    ((cap, versions),) = ask(copied, "SELECT turn_cap, versions FROM simulation.playing")
    assert cap >= SMALL["turn_cap"]
    assert json.loads(versions)["pydantic"] == version("pydantic")
    console = Console(file=io.StringIO(), width=400)
    print_experiment(copied, "small", console)
    assert isinstance(console.file, io.StringIO)
    assert f"Not all that it asks for is there: {'; '.join(missing)}." in console.file.getvalue()


def list_warnings(home: Path) -> list[str]:
    """Warnings about selections in the logs of all runs of a home."""
    with open_instance(home) as instance:
        entries = [
            record.event_log_entry
            for run in instance.get_run_records()
            for record in instance.get_records_for_run(run.dagster_run.run_id).records
        ]
    return [
        entry.user_message for entry in entries if entry.level == logging.WARNING and "scenarios." in entry.user_message
    ]


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
    lake, path = Lake(tmp_path / "home"), write_own(tmp_path / "files", "Be kind.")
    loaded: LoadedExperiment = register_experiment(lake, path)
    assert loaded.folder == tmp_path / "home" / "experiments"
    assert (loaded.folder / "ours.md").read_text(encoding="utf-8") == "Be kind."
    assert list_experiments(lake) == {"small": loaded.folder / "small.yaml"}


def write_own(folder: Path, prompt: str, **given: Any) -> Path:
    """An experiment with a prompt of its own."""
    agents = [{"name": "ours", "model": "openai/x", "system_prompt": "ours.md"}]
    path = write_experiment(folder, **{"agents": agents, **given})
    (folder / "ours.md").write_text(prompt, encoding="utf-8")
    return path


def store_conversation(lake: Lake) -> None:
    table = from_records(Conversation, [plain_record(Conversation, experiment_id="small")])
    lake.write(Conversation, table, "small", made_from=Origin(fingerprint="0" * 64))


def read_home(lake: Lake) -> dict[str, str]:
    folder = lake.home / "experiments"
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_a_file_that_its_owner_changed_takes_its_earlier_place(tmp_path: Path) -> None:
    lake, told = Lake(tmp_path / "all" / "home"), list[str]()
    register_experiment(lake, write_own(tmp_path / "all" / "files", "Be kind."))
    store_conversation(lake)
    changed = write_own(tmp_path / "all" / "files", "Be brief.", title="Another title.")
    loaded = register_experiment(lake, changed, tell=told.append)
    assert loaded.spec.title == "Another title."
    assert read_home(lake)["ours.md"] == "Be brief."
    (tmp_path / "all").rename(tmp_path / "moved")
    lake = Lake(tmp_path / "moved" / "home")
    loaded = register_experiment(
        lake, write_own(tmp_path / "moved" / "files", "Be both.", title="A third one."), tell=told.append
    )
    assert (loaded.spec.title, told) == ("A third one.", [])


def test_a_file_from_elsewhere_takes_the_place_of_nothing_that_was_played(tmp_path: Path) -> None:
    lake, told = Lake(tmp_path / "home"), list[str]()
    register_experiment(lake, write_experiment(tmp_path / "one"))
    store_conversation(lake)
    register_experiment(lake, write_experiment(tmp_path / "two"), tell=told.append)
    register_experiment(lake, write_experiment(tmp_path / "one"), tell=told.append)
    assert told == [], "it says the same"
    before, other = read_home(lake), write_own(tmp_path / "two", "Be kind.")
    with pytest.raises(ExperimentError, match=r"another 'small\.yaml', from '.*one/small\.yaml'.*--replace"):
        register_experiment(lake, other, tell=told.append)
    assert (read_home(lake), told) == (before, [])
    loaded = register_experiment(lake, other, may_replace=True, tell=told.append)
    assert loaded.spec.agents[0].name == "ours"
    assert len(told) == 1
    assert "replaces the home's 'small.yaml'" in told[0]


def test_where_nothing_was_played_a_file_from_elsewhere_says_whose_place_it_takes(tmp_path: Path) -> None:
    lake, told = Lake(tmp_path / "home"), list[str]()
    write_experiment(lake.home / "experiments", title="Put there by hand.")
    for folder, title in (("one", "One."), ("two", "Two.")):
        path = write_experiment(tmp_path / folder, title=title)
        assert register_experiment(lake, path, tell=told.append).spec.title == title
    assert [words.partition(" from ")[2] for words in told] == [
        "a place that is not known.",
        f"{str(tmp_path / 'one' / 'small.yaml')!r}.",
    ]


def test_a_prompt_that_another_experiment_brought_along_stays(tmp_path: Path) -> None:
    lake = Lake(tmp_path / "home")
    register_experiment(lake, write_own(tmp_path / "one", "Be kind."))
    before, other = read_home(lake), write_own(tmp_path / "two", "Be brief.", title="Another title.")
    with pytest.raises(ExperimentError, match=r"another 'ours\.md'"):
        register_experiment(lake, other)
    assert read_home(lake) == before
    register_experiment(lake, other, may_replace=True)
    assert read_home(lake)["ours.md"] == "Be brief."


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
