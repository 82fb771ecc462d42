"""`servicebench ledger`: what it prints, and that it leads an older ledger forward."""

from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from assets.ledger import app
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.ledger_tables import CURRENT
from servicebench_data.models.task import Task
from servicebench_data.settings import Settings, SettingsError
from tests.models.server import Script, Server
from tests.models.tasks import Grade, grade, make_items, make_options
from tests.models.test_ledger import make_call, write_version


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., str]:
    """Runs the command on an empty home and gives what it prints."""
    monkeypatch.setattr("assets.ledger.out", Console(width=200))

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(app, [*arguments, "--home", str(tmp_path)])
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_it_says_so_where_nothing_was_asked(call: Callable[..., str], tmp_path: Path) -> None:
    assert "No model has been asked" in call()
    assert list(tmp_path.iterdir()) == []


def test_it_shows_calls_tokens_cost_latency_and_failures(
    call: Callable[..., str], serve: Callable[[Script], Server], task: Task[Grade], tmp_path: Path
) -> None:
    serve(grade)
    with open_doorway(make_options(), Settings.load({}, home=tmp_path).locate_ledger()) as doorway:
        for _ in range(2):
            doorway.run(task, make_items(3))
    text = call()
    row = next(line for line in text.splitlines() if "openai/small" in line)
    assert [cell.strip() for cell in row.split("│")][1:11] == [
        "grade", "openai/small", "3", "3", "3", "0", "0", "120", "30", "unknown",
    ]  # fmt: skip


def test_it_leads_an_older_ledger_forward(call: Callable[..., str], tmp_path: Path) -> None:
    write_version(Settings.load({}, home=tmp_path).locate_ledger(), [make_call(1)])
    assert f"had version 1 and has version {CURRENT} now" in call("migrate")
    assert "the newest" in call("migrate")
    assert "events" in call()


@pytest.mark.parametrize("url", ["postgresql://me:hidden@host/ledger", "postgresql://host/ledger?password=hidden"])
def test_a_password_in_the_ledgers_address_is_refused_and_not_shown(url: str) -> None:
    for load in ({"environment": {"SERVICEBENCH_LEDGER_URL": url}}, {"environment": {}, "ledger_url": url}):
        with pytest.raises(SettingsError, match="PGPASSWORD") as found:
            Settings.load(**load)
        assert "hidden" not in str(found.value)
