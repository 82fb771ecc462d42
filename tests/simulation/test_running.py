"""Many conversations at once: durable, replayed byte for byte, and none waits for another."""

import asyncio
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest

from schemas.simulation import Conversation, MessageRow
from servicebench_data.simulation import running
from servicebench_data.simulation.attempt import Scene
from servicebench_data.simulation.running import Standing, Tables, play_all
from servicebench_data.simulation.turns import AgentTurn, AgentView
from tests.children import hold_children
from tests.models.server import Asked, Script, Server, complete
from tests.simulation.company import answer_as_agent, choose_line, hold_all, write_line
from tests.simulation.stage import LineAgent, make_parts, make_scenario
from tests.simulation.test_loop import ASKING, SETTLING, make_scene

Serve = Callable[[Script], Server]
Start = Callable[[str, Path, int], "subprocess.Popen[str]"]


@pytest.fixture
def start(offline_environment: dict[str, str]) -> Generator[Start]:
    """Holds conversations in a process of its own."""
    with hold_children(offline_environment) as nursery:

        def run(url: str, folder: Path, count: int) -> subprocess.Popen[str]:
            folder.mkdir(exist_ok=True)
            return nursery.start("tests.simulation.company", url, folder, count)

        yield run


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.parquet")}


def make_question(asked: Asked) -> str:
    return str((asked.body["messages"], asked.body["seed"]))


def test_a_killed_run_is_taken_up_where_it_stood(serve: Serve, start: Start, sqlite_url: str, tmp_path: Path) -> None:
    server = serve(answer_as_agent)
    child = start(sqlite_url, tmp_path / "killed", 8)
    while len(server.asked) < 14:
        time.sleep(0.005)
        assert child.poll() is None, child.communicate()
    child.send_signal(signal.SIGKILL)
    child.communicate()
    before = len(server.asked)
    folders = [tmp_path / "again", tmp_path / "once_more"]
    for folder in folders:
        out, err = start(sqlite_url, folder, 8).communicate()
        assert out == "done\n", err
    questions = Counter(make_question(asked) for asked in server.asked)
    assert sum(questions.values()) <= len(questions) + 8
    assert len(server.asked) > before
    assert read_files(folders[0]) == read_files(folders[1])
    clean = hold_all(f"sqlite:///{tmp_path / 'clean.sqlite'}", tmp_path / "clean", 8)
    replayed = hold_all(sqlite_url, tmp_path / "replayed", 8, replay=True)
    assert replayed == clean
    assert clean[Conversation].num_rows == 8


def test_conversations_talk_side_by_side_and_never_mix(serve: Serve, sqlite_url: str, tmp_path: Path) -> None:
    server = serve(lambda asked: complete(choose_line(asked), delay=0.01 * (asked.number % 5)))
    tables = hold_all(sqlite_url, tmp_path / "mixed", 10)
    assert server.most_in_flight > 1
    chats: dict[str, list[dict[str, str]]] = {}
    for row in tables[MessageRow].to_pylist():
        chat = chats.setdefault(row["conversation_id"], [{"role": "system", "content": "You answer complaints."}])
        if row["role"] == "agent":
            assert row["text"] == write_line(chat)
        chat.append({"role": "assistant" if row["role"] == "agent" else "user", "content": row["text"]})
    assert len(chats) == 10


@pytest.mark.parametrize("portion", [1, 2, 3])
def test_none_is_lost_while_others_become_tables(
    serve: Serve, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    serve(lambda asked: complete(choose_line(asked), delay=0.01 * (asked.number % 5)))
    whole = hold_all(sqlite_url, tmp_path / "whole", 10)
    monkeypatch.setattr(running, "PORTION", portion)
    parts = hold_all(f"sqlite:///{tmp_path / 'parts.sqlite'}", tmp_path / "parts", 10)
    assert parts[Conversation].num_rows == 10
    assert parts == whole


def test_progress_is_told_after_each_conversation_with_ends_and_cost(
    serve: Serve, sqlite_url: str, tmp_path: Path
) -> None:
    serve(answer_as_agent)
    seen: list[tuple[int, int, int]] = []
    hold_all(sqlite_url, tmp_path / "told", 5, lambda standing: seen.append(
        (standing.done, standing.total, standing.ends.total())
    ))  # fmt: skip
    assert seen == [(number, 5, number) for number in range(1, 6)]


@dataclass(frozen=True)
class WaitingAgent:
    """Answers when it is let go."""

    go: asyncio.Event

    async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:  # noqa: ARG002
        await self.go.wait()
        return AgentTurn("", failure="agent_unanswered", failure_reason="too late")


def number_scene(number: int, agent: object) -> Scene:
    planned = {"conversation_id": f"c{number}", "scenario_id": f"s{number}"}
    return make_scene(agent, parts=make_parts(make_scenario(f"s{number}")), planned=planned)


def test_a_slow_conversation_holds_up_no_other() -> None:
    ends: list[str] = []

    async def work() -> Tables:
        go = asyncio.Event()

        def follow(standing: Standing) -> None:
            ends.extend(standing.ends - Counter(ends))
            if standing.done == 6:
                go.set()

        scenes = [number_scene(0, WaitingAgent(go))]
        scenes += [number_scene(number, LineAgent([ASKING, SETTLING])) for number in range(1, 7)]
        return await play_all(scenes, len(scenes), 2, follow)

    tables = asyncio.run(work())
    assert tables[Conversation]["end"].to_pylist() == ["failed", *["agreement"] * 6]
    assert ends[-1] == "failed"


def test_an_error_of_the_code_stops_the_run_and_is_raised_as_it_is() -> None:
    class Broken:
        async def reply(self, view: AgentView, *, seed: int, scope: str) -> AgentTurn:  # noqa: ARG002
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(play_all([number_scene(0, Broken())], 1, 2))


def test_no_conversations_are_empty_tables() -> None:
    tables = asyncio.run(play_all([], 0, 4))
    assert {table.num_rows for table in tables.values()} == {0}
