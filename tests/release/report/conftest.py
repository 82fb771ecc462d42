"""Files and pages that the report's tests share: each is made once."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from servicebench_data.release.report.page import write_report
from tests.browser import open_browser
from tests.release.report.made import EXPERIMENT, HOSTILE, Size, make_file

AGENTS = ("fair", "curt", "lavish", "slow")


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published file whose experiment has something for most figures."""
    size = Size(scenarios=12, agents=AGENTS, both_ways=True, repeats=2, is_rated=True)
    return make_file(tmp_path_factory.mktemp("report") / "made.duckdb", size)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with hostile texts wherever a model, a customer or an author of an experiment writes."""
    agents = tuple(text[:150].replace("\u0000", "") for text in HOSTILE[:5])
    size = Size(scenarios=8, agents=agents, judges=(HOSTILE[0], HOSTILE[3]), texts=HOSTILE)
    return make_file(tmp_path_factory.mktemp("hostile") / "made.duckdb", size)


@pytest.fixture(scope="session")
def page(published: Path) -> Path:
    return write_beside(published)


@pytest.fixture(scope="session")
def hostile_page(hostile: Path) -> Path:
    return write_beside(hostile)


@pytest.fixture(scope="module")  # while it is open no other test of the process can run a loop of its own
def browser() -> Generator[Browser]:
    with open_browser() as found:
        yield found


def write_beside(published: Path) -> Path:
    path = published.with_suffix(".html")
    path.write_text(write_report(published, EXPERIMENT), encoding="utf-8")
    return path
