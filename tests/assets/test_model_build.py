"""The whole graph with a model: an industry of the bundled sample, written over real HTTP by a script."""

import io
from collections.abc import Generator
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from assets.runner import run_build, run_plan
from schemas.dialogues import Dialogue, Screening, Turn
from schemas.journeys import Coding
from servicebench_data.industries import load_industry
from servicebench_data.lake.store import Lake, digest_file
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.scenarios.assembly import read_sources
from servicebench_data.scenarios.candidates import select_codings
from servicebench_data.scenarios.parts import prepare
from servicebench_data.scenarios.writing.stages import name_version
from servicebench_data.settings import Settings
from tests.assets.test_build import fetch
from tests.scenarios import scripted

INDUSTRY, MODEL, KEY = "hotel", "openai/scripted", "sk-sentinel-that-nobody-may-see"


@pytest.fixture
def script(copied: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[scripted.Script]:
    """A served script that knows the dialogues of the copied home."""
    lake, knowledge = Lake(copied), prepare(load_industry(INDUSTRY))
    codings = select_codings(lake.read(Coding, INDUSTRY), lake.read(Screening, INDUSTRY))
    known = scripted.Script()
    known.learn(read_sources(lake.read(Turn, INDUSTRY), lake.read(Dialogue, INDUSTRY), codings, knowledge), knowledge)
    known.learn_codings(lake.read(Dialogue, INDUSTRY), lake.read(Coding, INDUSTRY))
    with scripted.serve(known) as base:
        monkeypatch.setenv("OPENAI_API_BASE", base)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        yield known


def settings(home: Path, **values: object) -> Settings:
    return Settings.load({}, home=home, source="sample", model=MODEL, **values)


def build(home: Path, **values: object) -> tuple[bool, str]:
    """Build the industry with the model; returns whether it succeeded, and what was printed."""
    console = Console(file=io.StringIO(), width=200)
    done = run_build(settings(home, **values), [INDUSTRY], console)
    assert isinstance(console.file, io.StringIO)
    return done, console.file.getvalue()


@pytest.mark.slow
def test_a_plan_asks_nothing_and_a_model_writes_what_is_published(copied: Path, script: scripted.Script) -> None:
    plan = run_plan(settings(copied), [INDUSTRY], Console(file=io.StringIO()))
    assert plan is not None
    assert script.calls == {}
    done, printed = build(copied)
    assert done, printed
    rows = {row.task: row for row in plan}
    assert rows["events"].calls == script.calls["events"] > 20
    methods = fetch(copied, "SELECT method FROM journeys.coding WHERE industry = 'hotel'")
    doubts = methods.count(("model",))
    assert rows["category"].calls - rows["category"].estimated == doubts > 0
    assert rows["category"].estimated > 0, "finished texts are coded again by the model too"
    assert script.calls["category"] > doubts
    assert fetch(
        copied,
        "SELECT count(*) > 0 FROM scenarios.candidate JOIN journeys.coding USING (dialogue_id) "
        "WHERE method = 'model' AND is_valid",
    ) == [(True,)]

    made = fetch(
        copied, "SELECT DISTINCT industry, made_by, rules_version FROM scenarios.scenario WHERE made_by != 'offline'"
    )
    assert made == [(INDUSTRY, MODEL, name_version())]
    assert fetch(copied, "SELECT made_by FROM release.build") == [(f"offline, {MODEL}",)]
    for part in ("event", "severity", "fact", "background", "expectation", "case_field"):
        query = f"SELECT DISTINCT made_by FROM scenarios.{part} WHERE industry = $1 AND made_by != 'offline'"
        with duckdb.connect(str(copied / FILE_NAME), read_only=True) as connection:
            assert connection.execute(query, [INDUSTRY]).fetchall() == [(MODEL,)], part

    assert not [path for path in copied.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


@pytest.mark.slow
def test_a_cap_that_is_reached_publishes_nothing_and_says_how_to_go_on(copied: Path, script: scripted.Script) -> None:
    before = digest_file(copied / FILE_NAME)
    done, printed = build(copied, model_budget_calls=30)
    assert not done
    assert "task_balance" in printed
    assert "build again" in printed
    assert digest_file(copied / FILE_NAME) == before
    assert sum(script.calls.values()) == 30
