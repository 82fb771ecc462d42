"""`servicebench ledger`: what the calls to models took, and leading an older ledger forward.

Belongs here: the command's arguments and what it prints. Not here: sums (`servicebench_data/models/ledger_report.py`).
"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.arguments import Home
from servicebench_data.models.options import OptionsError
from servicebench_data.settings import Settings

if TYPE_CHECKING:
    from servicebench_data.models.ledger import Ledger

app = typer.Typer(help="Show what the calls to models took, or lead an older ledger forward.")
out = Console()

HEADS = (
    "task", "model", "calls", "requests", "reused", "refused", "failed", "tokens in", "tokens out", "USD", "unpriced",
    "p50 s", "p95 s",
)  # fmt: skip


@app.callback(invoke_without_command=True)
def ledger(context: typer.Context, home: Home = None) -> None:
    """Show calls, tokens, cost, latency and failures by task and model.

    `servicebench build --set model_replay=true` builds from the ledger alone: no model is asked.
    """
    if context.invoked_subcommand is None:
        print_sums(Settings.load(home=home), out)


@app.command()
def migrate(home: Home = None) -> None:
    """Lead an older ledger forward to this version; nothing in it is lost."""
    from servicebench_data.models.ledger import CURRENT  # noqa: PLC0415  (only this command needs a database)

    opened = open_ledger(Settings.load(home=home).locate_ledger())
    opened.close()
    before = opened.version_before
    out.print(
        f"The ledger had version {before} and has version {CURRENT} now."
        if before != CURRENT
        else f"The ledger has version {CURRENT}, the newest."
    )


def print_sums(settings: Settings, out: Console) -> None:
    """One row per task and model, or a sentence where nothing was asked yet."""
    from servicebench_data.models.ledger_report import sum_calls  # noqa: PLC0415  (only this command needs a database)

    url = settings.locate_ledger()
    if not settings.ledger_url and not Path(url.removeprefix("sqlite:///")).is_file():
        out.print("No model has been asked in this home yet; build with --model NAME.")
        return
    opened = open_ledger(url)
    try:
        rows = sum_calls(opened)
    finally:
        opened.close()
    table = Table(*HEADS)
    for row in rows:
        table.add_row(*(Text(write_cell(value)) for value in row))
    out.print(table)


def open_ledger(url: str) -> "Ledger":
    """The ledger at an address.

    Raises:
        OptionsError: It cannot be opened; the command line prints that as one line.
    """
    from servicebench_data.models.ledger import Ledger, LedgerError  # noqa: PLC0415  (only here is a database needed)

    try:
        return Ledger(url)
    except LedgerError as error:
        raise OptionsError(str(error)) from None


def write_cell(value: str | float | None) -> str:
    """A value for people; what is unknown says so."""
    if value is None:
        return "unknown"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
