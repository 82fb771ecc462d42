"""`servicebench power` on a published file: what it prints, and what it refuses in one line."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assets.cli import MENDABLE, app
from servicebench_data.measures.power import PowerError
from servicebench_data.release.publish import FILE_NAME
from tests.measures.worlds import World


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose published file holds the facts of two agents on twenty scenarios."""
    folder = tmp_path_factory.mktemp("power")
    random, world = np.random.default_rng(4), World()
    for scenario in range(20):
        for agent in "ab":
            world.add(agent, scenario, {"one": (int(random.integers(1, 6)),) * 3})
    with world.open(folder / "scratch") as connection:
        connection.execute(f"ATTACH '{folder / FILE_NAME}' AS published")
        connection.execute("CREATE SCHEMA published.measures")
        for name in ("conversation_fact", "conversation_measure"):
            connection.execute(f"CREATE TABLE published.measures.{name} AS FROM measures.{name}")
        connection.execute("DETACH published")
    return folder


def call(arguments: Sequence[str]) -> None:
    app(list(arguments), standalone_mode=False)


def test_it_prints_what_is_seen_and_needed_for_each_pair(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call(["power", "made.yaml", "--difference", "0.5", "--home", str(home)])
    shown = " ".join(capsys.readouterr().out.split())
    assert "a difference of 0.5 with that chance, at 3 repeats" in shown
    assert "Nothing was played twice" in shown
    cells = [cell.strip() for cell in shown.split("│ a │")[1].split("│")]
    assert cells[:1] + cells[2:3] == ["b", "20"]
    assert int(cells[6]) >= int(cells[5]) > 20


def test_what_cannot_be_planned_is_one_line(home: Path) -> None:
    assert PowerError in MENDABLE
    with pytest.raises(PowerError, match="'other' has no conversations"):
        call(["power", "other", "--home", str(home)])
    with pytest.raises(PowerError, match="difference is above 0"):
        call(["power", "made", "--difference", "0", "--home", str(home)])
