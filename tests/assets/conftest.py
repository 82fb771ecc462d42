"""A home in which the bundled sample was built once, for all tests of this folder."""

import io
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from rich.console import Console

from assets.runner import run_build
from servicebench_data.industries import list_industries
from servicebench_data.lake.store import Lake
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.settings import Settings
from tests.earlier import copy_tables, copy_vectors


def build_sample(home: Path) -> tuple[bool, str]:
    """Build the sample in a home; returns whether it succeeded, and what was printed."""
    console = Console(file=io.StringIO(), width=200)
    done = run_build(Settings.load({}, home=home, source="sample"), list_industries(), console)
    assert isinstance(console.file, io.StringIO)
    return done, console.file.getvalue()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home, built once for all processes of a run; tests that change it take a copy."""
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    home = folder / "built"
    with FileLock(folder / "built.lock"):
        if not (home / FILE_NAME).is_file():
            build_once(home)
    return home


def build_once(home: Path) -> None:
    """Build the sample, and see that it loads no client of a model."""
    copy_vectors(Lake(home).cache / "embeddings")
    copy_tables(home)
    loaded = set(sys.modules)
    done, printed = build_sample(home)
    assert done, printed
    assert not {"litellm", "openai"} & (set(sys.modules) - loaded), "an offline build loads no client of a model"


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of the built home."""
    return Path(shutil.copytree(built, tmp_path / "home"))


@pytest.fixture
def rebuild() -> Callable[[Path], tuple[bool, str]]:
    """Builds the sample again in a home."""
    return build_sample
