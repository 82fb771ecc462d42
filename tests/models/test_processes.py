"""Killed processes and processes side by side: nothing is paid for twice, and keys and hosts stay where they belong."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.ledger import Ledger
from servicebench_data.models.ledger_report import sum_calls
from servicebench_data.models.task import Task
from tests.children import hold_children
from tests.conftest import ROOT
from tests.models.conftest import KEY
from tests.models.server import Answer, Asked, Script, Server, complete, refuse
from tests.models.tasks import Grade, find_bag, make_items, make_options, write_grade

Serve = Callable[[Script], Server]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(offline_environment: dict[str, str], tmp_path: Path) -> Generator[Start]:
    """Starts the small task in a process of its own."""
    with hold_children(offline_environment) as nursery:

        def run(url: str, count: int, concurrency: int) -> subprocess.Popen[str]:
            folder = tmp_path / f"child {len(nursery.children)}"
            folder.mkdir()
            return nursery.start("tests.models.child", url, folder, count, concurrency)

        yield run


def slowly(asked: Asked) -> Answer:
    return complete(write_grade(asked), delay=0.02)


def count_bags(server: Server) -> Counter[str]:
    return Counter(find_bag(asked) for asked in server.asked)


def test_a_killed_run_repeats_at_most_what_was_in_flight(serve: Serve, start: Start, ledger_url: str) -> None:
    server = serve(slowly)
    for stop_at in (30, 70):
        child = start(ledger_url, 100, 4)
        while len(server.asked) < stop_at:
            time.sleep(0.005)
            assert child.poll() is None, child.communicate()
        child.send_signal(signal.SIGKILL)
        child.communicate()
    child = start(ledger_url, 100, 4)
    out, err = child.communicate()
    assert out == "100\n", err
    bags = count_bags(server)
    assert len(bags) == 100
    assert sum(bags.values()) <= 100 + 2 * 4


def test_processes_side_by_side_never_pay_for_one_call_twice(serve: Serve, start: Start, ledger_url: str) -> None:
    server = serve(slowly)
    children = [start(ledger_url, 60, 8) for _ in range(2)]
    for child in children:
        out, err = child.communicate()
        assert out == "60\n", err
    assert count_bags(server) == Counter({str(number): 1 for number in range(60)})
    ledger = Ledger(ledger_url)
    (row,) = sum_calls(ledger)
    ledger.close()
    assert (row.calls, row.reused) == (60, 60)


def test_no_key_is_written_anywhere(serve: Serve, start: Start, sqlite_url: str, tmp_path: Path) -> None:
    """An endpoint that throws the key back at us, in every kind of fault."""
    faults = [refuse(status, f"your key {KEY} is odd, Bearer {KEY}") for status in (500, 429, 400, 408, 401)]
    serve(lambda asked: slowly(asked) if asked.number < 5 else faults[min(asked.number - 5, 4)])
    child = start(sqlite_url, 12, 1)
    out, err = child.communicate()
    assert out.strip().isdigit(), err
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "ledger.sqlite" for path in files)
    for text in (out, err, *(path.read_bytes().decode("latin-1") for path in files)):
        assert "sentinel" not in text


def test_a_refused_key_is_named_by_its_variable_and_never_logged(
    serve: Serve, sqlite_url: str, task: Task[Grade], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    serve(lambda _: refuse(401, f"Incorrect API key provided: {KEY}."))
    with open_doorway(make_options(), sqlite_url) as doorway:
        (outcome,) = doorway.run(task, make_items(1))
    assert "OPENAI_API_KEY" in outcome.reasons[0]
    assert "sentinel" not in str(outcome) + caplog.text + repr(doorway.options)


SLOW_TO_LOAD = """
import asyncio, time
time.sleep(1.5)

class Found:
    def model_dump(self, **_):
        return {"choices": [{"message": {"content": '{"level": "low", "reason": "calm"}'}}]}

async def acompletion(**_):
    await asyncio.sleep(0.01)
    return Found()

async def close_litellm_async_clients():
    pass
"""


def test_the_time_that_the_library_takes_to_load_is_none_of_the_replys(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "litellm.py").write_text(SLOW_TO_LOAD, encoding="utf-8")
    program = """
import sys
from pathlib import Path
from servicebench_data.models.doorway import open_doorway
from tests.models.tasks import make_items, make_options, make_task

with open_doorway(make_options(model="some/model", timeout_seconds=1, max_attempts=1), sys.argv[1]) as doorway:
    print(doorway.run(make_task(Path(sys.argv[2])), make_items(1))[0].reasons)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    command = [sys.executable, "-c", program, sqlite_url, str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "()\n", done.stderr


def test_other_providers_are_asked_through_litellm_which_calls_nobody_else(
    serve: Serve, sqlite_url: str, tmp_path: Path
) -> None:
    server = serve(lambda asked: slowly(asked) if asked.number else refuse(429, "slow down"))
    program = """
import sys
from pathlib import Path
from servicebench_data.models.doorway import open_doorway
from tests.models.tasks import make_items, make_options, make_task

OPTIONS = make_options(model="deepseek/deepseek-chat", concurrency=1)

def run(replay):
    with open_doorway(OPTIONS, sys.argv[1], replay=replay) as doorway:
        return doorway.run(make_task(Path(sys.argv[2])), make_items(3))

assert "litellm" not in sys.modules
outcomes = run(replay=False)
assert "litellm" in sys.modules
print([outcome.status for outcome in outcomes], run(replay=True) == outcomes, outcomes[0].reasons)
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "offline"), str(ROOT)])}
    environment |= {"DEEPSEEK_API_BASE": server.base, "DEEPSEEK_API_KEY": KEY}
    command = [sys.executable, "-c", program, sqlite_url, str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == "['answered', 'answered', 'answered'] True ()\n", done.stderr
    assert len(server.asked) == 4
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert "refused:" not in done.stderr
    assert "sentinel" not in done.stderr
