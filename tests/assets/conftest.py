"""A home in which the bundled sample was built once, for all tests of this folder."""

import io
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from assets.runner import run_build
from servicebench_data.industries import list_industries
from servicebench_data.settings import Settings


def build_sample(home: Path) -> tuple[bool, str]:
    """Build the sample in a home; returns whether it succeeded, and what was printed."""
    console = Console(file=io.StringIO(), width=200)
    done = run_build(Settings.load({}, home=home, source="sample"), list_industries(), console)
    assert isinstance(console.file, io.StringIO)
    return done, console.file.getvalue()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home; tests that change it take a copy."""
    home = tmp_path_factory.mktemp("built") / "home"
    loaded = set(sys.modules)
    done, printed = build_sample(home)
    assert done, printed
    assert not {"litellm", "openai"} & (set(sys.modules) - loaded), "an offline build loads no client of a model"
    return home


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of the built home."""
    return Path(shutil.copytree(built, tmp_path / "home"))


@pytest.fixture
def rebuild() -> Callable[[Path], tuple[bool, str]]:
    """Builds the sample again in a home."""
    return build_sample
