"""What tests of the judging group share beside rows: a model on loopback."""

from collections.abc import Callable, Generator

import pytest

from tests.models.server import Script, Server


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Generator[Callable[[Script], Server]]:
    """Starts one server that answers by a script."""
    opened: list[Server] = []

    def start(script: Script) -> Server:
        server = Server(script)
        opened.append(server)
        server.__enter__()
        monkeypatch.setenv("OPENAI_API_BASE", server.base)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        return server

    yield start
    for server in opened:
        server.__exit__(None, None, None)
