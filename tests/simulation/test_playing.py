"""Whole experiments with models, functions and scripts over a loopback endpoint: who is cast, asked and kept."""

import json
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from schemas.records import Record
from schemas.scenarios import BackgroundSentence, CasePolicy, Expectation, Fact, Scenario
from schemas.simulation import Conversation, FactOpening, MessageRow, Playing
from servicebench_data.lake.arrow import from_records
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.session import Target
from servicebench_data.processes import FEWEST
from servicebench_data.settings import Settings
from servicebench_data.simulation.casting import describe_asking, list_targets, name_model, needs_ledger, pick_decisive
from servicebench_data.simulation.outcomes import count_ends, count_faults
from servicebench_data.simulation.playing import hold_conversations
from servicebench_data.simulation.running import Tables
from servicebench_data.simulation.tables import MADE
from servicebench_data.simulation.views import Parts
from tests.models.server import Answer, Asked, Script, Server, complete
from tests.models.tasks import make_options
from tests.simulation.stage import load, make_parts, make_scenario, ramble

Serve = Callable[[Script], Server]
MODULE = """
CALLS = []

def reply(given):
    CALLS.append(given["session"])
    return f"I am sorry that this upset you, and I have looked into it: {given['seed']}."
"""
AGENTS: list[dict[str, Any]] = [
    {"name": "just", "script": "just"},
    {"name": "ours", "model": "openai/agent", "guidance": "case_and_procedure"},
    {"name": "plain", "model": "openai/plain", "answers": "text"},
    {"name": "code", "callable": "team_agent:reply", "version": "1"},
]


def make_tables(parts: Iterable[Parts]) -> dict[type[Record], pa.Table]:
    """The scenarios' tables as they lie in the lake."""
    every = list(parts)
    rows: dict[type[Record], list[Record]] = {
        Scenario: [entry.scenario for entry in every],
        Fact: [fact for entry in every for fact in entry.facts],
        BackgroundSentence: [sentence for entry in every for sentence in entry.background],
        Expectation: [entry.expectation for entry in every],
        CasePolicy: [policy for entry in every for policy in entry.policies],
    }
    return {record: from_records(record, found) for record, found in rows.items()}


def answer_by_form(asked: Asked) -> Answer:
    """An answer in the form that is asked for."""
    words = ramble(1 + asked.number)
    name = asked.body.get("response_format", {}).get("json_schema", {}).get("name", "")
    if name == "CustomerAnswer":
        return complete(json.dumps({"disclosed": [], "message": f"No, {words}.", "decision": "continue"}))
    if name == "GateAnswer":
        flags = ("acknowledges_harm", "apologises", "checks_facts", "offers_path", "provokes", "open_question")
        return complete(json.dumps({**dict.fromkeys(flags), "asks": []}))
    text = f"I am sorry that this upset you: {words}."
    return complete(json.dumps({"message": text, "offers": []}) if name else text)


@pytest.fixture
def tables() -> dict[type[Record], pa.Table]:
    """Three scenarios, one of them on the training side."""
    sides = {"s1": "evaluation", "s2": "evaluation", "s3": "train"}
    scenarios = [
        make_scenario(name, split=side, cluster_id=f"k{name}", events=f"1. What happened to {name}.")
        for name, side in sides.items()
    ]
    return make_tables(make_parts(scenario) for scenario in scenarios)


def hold(
    tmp_path: Path, tables: dict[type[Record], pa.Table], url: str = "", processes: int = 1, **given: Any
) -> Tables:
    settings = given.pop("settings", None)
    (tmp_path / "team_agent.py").write_text(given.pop("module", MODULE), encoding="utf-8")
    loaded = load(tmp_path, **{"agents": AGENTS, "styles": "balanced", "turn_cap": 2, "turn_cap_limit": 2,
                               "scenarios": {"split": "evaluation"}, **given})  # fmt: skip
    doorway = partial(open_doorway, make_options(), url)
    return hold_conversations(loaded, tables, doorway, settings=settings, processes=processes)


def test_everybody_is_cast_as_the_file_says_and_asked_once(
    serve: Serve, sqlite_url: str, tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    server = serve(answer_by_form)
    customers = [{"name": "rules"}, {"name": "model", "model": "openai/customer"}]
    first = hold(tmp_path, tables, sqlite_url, customers=customers, gate_model="openai/gate")
    rows = first[Conversation].to_pylist()
    assert Counter(row["agent_made_by"] for row in rows) == {
        "offline": 4, "openai/agent": 4, "openai/plain": 4, "team_agent:reply": 4,
    }  # fmt: skip
    assert Counter(row["customer_made_by"] for row in rows) == {"offline": 8, "openai/customer": 8}
    assert {row["gate_made_by"] for row in rows} == {"openai/gate"}
    assert {row["end"] for row in rows} <= {"turn_cap", "disengagement", "agreement"}
    assert count_faults(first[MADE[6]]) == []
    assert {asked.body["model"] for asked in server.asked} == {"agent", "plain", "customer", "gate"}
    before = len(server.asked)
    assert hold(tmp_path, tables, sqlite_url, customers=customers, gate_model="openai/gate") == first
    assert len(server.asked) == before


def test_guidance_is_in_the_prompt_of_whom_it_is_for_and_takes_no_case_of_the_experiment(
    serve: Serve, sqlite_url: str, tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    server = serve(answer_by_form)
    hold(tmp_path, tables, sqlite_url, agents=AGENTS[1:3])
    prompts = {asked.body["model"]: json.dumps(asked.body["messages"]) for asked in server.asked}
    assert "What happened to s3." in prompts["agent"]
    assert "What happened" not in prompts["plain"]
    assert not [name for name in ("s1", "s2") if f"What happened to {name}." in prompts["agent"]]


def test_scripts_and_rules_need_no_doorway(tmp_path: Path, tables: dict[type[Record], pa.Table]) -> None:
    first, second = (hold(tmp_path, tables, "nowhere", agents=AGENTS[:1]) for _ in range(2))
    assert first == second
    assert {row["made_by"] for row in first[MessageRow].to_pylist()} == {"offline"}
    (row,) = count_ends(first[Conversation])
    ends = sum(row[name] for name in ("agreed", "left", "capped", "failed", "invalid"))
    assert row["conversations"] == ends == 2


def test_a_raised_cap_asks_nothing_twice(
    serve: Serve, sqlite_url: str, tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    server = serve(answer_by_form)
    raised = hold(tmp_path, tables, sqlite_url, agents=AGENTS[1:2], turn_cap=1, turn_cap_limit=3)
    counts = [len(server.asked)]
    direct = hold(tmp_path, tables, f"{sqlite_url}2", agents=AGENTS[1:2], turn_cap=3, turn_cap_limit=3)
    counts.append(len(server.asked) - counts[0])
    names = ["conversation_id", "end", "exchanges"]
    assert raised[Conversation].select(names) == direct[Conversation].select(names)
    assert {row["exchanges"] for row in raised[Conversation].to_pylist()} == {3}
    assert counts[0] == counts[1]


def test_what_decides_the_conversations_is_written_with_them_and_names_no_machine(
    serve: Serve, sqlite_url: str, tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    serve(answer_by_form)
    settings = [pick_decisive(Settings.load({}, model_temperature=heat)) for heat in (0.1, 0.7)]
    one, other = (
        hold(tmp_path, tables, sqlite_url, agents=[*AGENTS[:2], AGENTS[3]], settings=entry)[Playing].to_pylist()[0]
        for entry in settings
    )
    assert [json.loads(row["settings"]) for row in (one, other)] == settings
    assert {**one, "settings": ""} == {**other, "settings": ""}
    ((model, place),) = json.loads(one["endpoints"])
    assert (model, place.partition(":")[0]) == ("openai/agent", "sha256")
    assert "127.0.0.1" not in str(one)
    assert "team_agent.py" not in one["prompts_sha256"]


def test_several_processes_hold_the_conversations_that_one_holds(
    tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    scripts = [{"name": name, "script": name} for name in ("just", "cold", "evader")]
    one, two = (hold(tmp_path, tables, "nowhere", processes, agents=scripts, repeats=12) for processes in (1, 2))
    assert one[Conversation].num_rows == 2 * 3 * 12 >= FEWEST
    assert one == two


def test_who_is_asked_is_known_before_anybody_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    offline, asking = load(tmp_path).spec, load(tmp_path, agents=AGENTS, gate_model="openai/gate").spec
    settings = Settings.load({}, home=tmp_path)
    assert (list_targets(offline), needs_ledger(offline), name_model(offline)) == ([], False, "none")
    assert describe_asking(offline, settings) is None
    assert list_targets(asking) == [Target("openai/agent"), Target("openai/plain"), Target("openai/gate")]
    assert name_model(asking) == "openai/agent"
    before = describe_asking(asking, settings)
    assert before != describe_asking(asking, settings.model_copy(update={"model_temperature": 0.1}))
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:10/v1")
    assert before != describe_asking(asking, settings)
    assert needs_ledger(load(tmp_path, agents=AGENTS[3:]).spec)


OPEN_MODULE = """
def reply(given):
    return f"Could you tell me what happened? My note is {len(given['conversation'])}."
"""


def test_style_acts_on_patience_and_on_what_an_open_question_brings_out_where_it_is_set_to(
    sqlite_url: str, tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    found: dict[bool, dict[str, tuple[tuple[str, ...], float]]] = {}
    for acts in (False, True):
        held = hold(
            tmp_path, tables, f"{sqlite_url}{acts}", agents=AGENTS[3:], module=OPEN_MODULE, styles="all",
            style_moves_patience=acts, scenarios={"scenario_ids": ["s1"]},
        )  # fmt: skip
        styles = {row["conversation_id"]: row["style"] for row in held[Conversation].to_pylist()}
        first = [row for row in held[FactOpening].to_pylist() if row["message_index"] == 1]
        assert {row["opened_by"] for row in first} == {"open_question"}
        found[acts] = {
            styles[row["conversation_id"]]: (
                tuple(entry["fact_id"] for entry in first if entry["conversation_id"] == row["conversation_id"]),
                row["patience"],
            )
            for row in held[MessageRow].to_pylist()
            if row["message_index"] == 0
        }
        opened = Counter(styles[row["conversation_id"]] for row in held[FactOpening].to_pylist())
        assert set(opened.values()) == {2}, "what was held back came out with the next question"
    assert len(set(found[False].values())) == 1
    assert {style: opened for style, (opened, _) in found[True].items()} == {
        "assertive_warm": ("f2", "f3"), "assertive_cold": ("f2", "f3"), "passive_warm": ("f2",),
        "passive_cold": ("f2",),
    }  # fmt: skip
    assert len({patience for _, patience in found[True].values()}) == 4
