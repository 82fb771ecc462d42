"""Fixtures of the models group: a task, an endpoint's address, and ledgers in both databases."""

import itertools
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from servicebench_data.models.task import Task
from tests.models.postgres import create_place, find_programs, serve_postgres
from tests.models.server import Script, Server
from tests.models.tasks import Grade, make_task

KEY = "sk-sentinel-4f1d9a77c0ffee"
NUMBERS = itertools.count(1)


@pytest.fixture
def task(tmp_path: Path) -> Task[Grade]:
    """The small task."""
    return make_task(tmp_path)


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[[Script], Server]]:
    """Starts a server that answers by a script and makes it the address of `openai/…`."""
    opened: list[AbstractContextManager[Server]] = []

    def start(script: Script) -> Server:
        server = Server(script)
        server.__enter__()
        opened.append(server)
        monkeypatch.setenv("OPENAI_API_BASE", server.base)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        return server

    yield start
    for server in opened:
        server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def postgres() -> Generator[str]:
    """A running PostgreSQL."""
    programs = find_programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed; `apt-get install postgresql` brings it")
    with serve_postgres(programs) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """A ledger in a new file."""
    return f"sqlite:///{tmp_path / 'ledger.sqlite'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_url(request: pytest.FixtureRequest, sqlite_url: str) -> str:
    """A new ledger in each of the two databases."""
    if request.param == "sqlite":
        return sqlite_url
    return create_place(request.getfixturevalue("postgres"), f"ledger_{next(NUMBERS)}")
