"""`servicebench report`: every figure of an experiment and all its transcripts, as one HTML page.

Belongs here: the command's arguments, and printing. Not here: the page.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from assets.arguments import Home
from servicebench_data.lake.store import Lake
from servicebench_data.settings import Settings

out = Console()


def report(
    *,
    experiment: Annotated[
        str | None, typer.Option(help="Only this experiment; else all in the published file.")
    ] = None,
    file: Annotated[
        Path | None, typer.Option("--out", help="Where to write the page; default `reports` in the home.")
    ] = None,
    home: Home = None,
) -> None:
    """Write an experiment's figures, with error bars and SQL, and its transcripts as one page that needs no network."""
    # Charts and templates that no other command needs.
    from servicebench_data.release.report.files import write_reports  # noqa: PLC0415

    pages = write_reports(Lake(Settings.load(home=home).home), experiment, file, must_be=True)
    for page in pages:
        out.print(f"Open {page} in a browser.", markup=False, highlight=False, soft_wrap=True)
