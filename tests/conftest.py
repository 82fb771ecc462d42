"""Marks, Hypothesis' settings, and fixtures that all groups share.

Belongs here: what every test runs under. Not here: data (`rows.py`, `tables.py`).
"""

import os
import socket
from collections.abc import Generator
from pathlib import Path

import hypothesis
import pytest

from servicebench_data.lake.database import Limits
from servicebench_data.lake.store import Lake
from tests.offline import sitecustomize

ROOT = Path(__file__).parent.parent
SHARED_DATA = ROOT.parent / "shared" / "data"

hypothesis.settings.register_profile(
    "repeatable",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=25,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)
hypothesis.settings.load_profile("repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files for two processes, and skip what lacks its data."""
    items.sort(key=rank_file)
    if SHARED_DATA.is_dir():
        return
    skip = pytest.mark.skip(reason=f"needs the real posts and labels in {SHARED_DATA}")
    for item in items:
        if item.get_closest_marker("real"):
            item.add_marker(skip)


def rank_file(item: pytest.Item) -> int:
    """What takes long comes first, so that no process is alone with it at the end.

    One process builds the home that others wait for, while the other does long files that do without it.
    """
    if item.path.name == "test_build.py":
        return 0
    if {"release", "models"} & set(item.path.parts) or item.path.name == "test_dev.py":
        return 1
    return 2 if "assets" in item.path.parts else 3


@pytest.fixture(autouse=True, scope="session")
def refuse_network() -> Generator[None]:
    """No test of this suite leaves the machine."""
    original = socket.socket, socket.getaddrinfo
    sitecustomize.install()
    yield
    socket.socket, socket.getaddrinfo = original


@pytest.fixture(autouse=True)
def see_refused() -> Generator[None]:
    """Nothing even tries to leave it: a library that swallows the refusal is seen here."""
    sitecustomize.REFUSED.clear()
    yield
    assert sitecustomize.REFUSED == []


@pytest.fixture
def offline_environment() -> dict[str, str]:
    """Environment for a child process that may not leave the machine, without settings of whoever runs the tests."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("SERVICEBENCH_", "DAGSTER_"))}
    return {**kept, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests" / "offline"), str(ROOT)])}


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """The lake of an empty home."""
    return Lake(tmp_path / "home")


@pytest.fixture
def limits(tmp_path: Path) -> Limits:
    """Limits of a small machine."""
    return Limits(memory_gb=1.0, threads=1, scratch=tmp_path / "scratch")
