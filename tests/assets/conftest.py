"""Homes in which the bundled sample was built, and a small experiment run, once for all tests of this folder."""

import io
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from filelock import FileLock
from rich.console import Console

from assets.runner import run_build
from servicebench_data.industries import list_industries
from servicebench_data.lake.store import Lake
from servicebench_data.settings import Settings
from tests.assets.experiments import run
from tests.earlier import copy_tables, copy_vectors


def build_sample(home: Path) -> tuple[bool, str]:
    """Build the sample in a home; returns whether it succeeded, and what was printed."""
    console = Console(file=io.StringIO(), width=200)
    done = run_build(Settings.load({}, home=home, source="sample"), list_industries(), console)
    assert isinstance(console.file, io.StringIO)
    return done, console.file.getvalue()


def make_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A home made once for all processes of a run; tests that change it take a copy."""
    folder = factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    home = folder / name
    with FileLock(folder / f"{name}.lock"):
        if not (made := folder / f"{name}.made").is_file():
            make(home)
            made.touch()
    return home


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which the sample was built."""
    return make_once(tmp_path_factory, "built", build_once)


@pytest.fixture(scope="session")
def played(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which a small experiment was run, too, and judged by the rules."""
    return make_once(tmp_path_factory, "played", partial(play_once, built))


def play_once(built: Path, home: Path) -> None:
    """Run the small experiment in a copy of a built home."""
    shutil.copytree(built, home)
    run(home)


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
