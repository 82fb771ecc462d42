"""`servicebench export`: a release as a folder of plain files.

Belongs here: the command's arguments, and printing. Not here: what is written.
"""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from assets.arguments import Home
from assets.console import print_table
from servicebench_data.lake.database import Limits
from servicebench_data.lake.store import Lake
from servicebench_data.release.diff import find_build
from servicebench_data.release.export.export import Exported, export_release
from servicebench_data.release.export.files import FileFormat
from servicebench_data.settings import Settings

out = Console()


class Formats(StrEnum):
    """What the data files are written as."""

    PARQUET = "parquet"
    JSONL = "jsonl"
    BOTH = "both"


FORMATS: dict[Formats, list[FileFormat]] = {
    Formats.PARQUET: ["parquet"],
    Formats.JSONL: ["jsonl"],
    Formats.BOTH: ["parquet", "jsonl"],
}


def export(
    *,
    folder: Annotated[Path, typer.Option("--out", help="Folder to make; it must not exist.")],
    build: Annotated[str, typer.Option(help="Id of a kept build, the beginning of it, or `previous`.")] = "current",
    formats: Annotated[Formats, typer.Option("--format", help="What the tables are written as.")] = Formats.BOTH,
    home: Home = None,
) -> None:
    """Write a release as Parquet and JSON Lines, with a dataset card and Croissant metadata.

    The folder is what Hugging Face's `load_dataset` takes, table by table, and needs no network.
    """
    settings = Settings.load(home=home)
    lake = Lake(settings.home)
    published = find_build(lake.home, build)
    limits = Limits(settings.memory_gb, settings.threads, lake.scratch)
    print_exported(export_release(published, folder, FORMATS[formats], limits))


def print_exported(exported: Exported) -> None:
    """Where the folder is, what it holds, and how to load it."""
    release = exported.release
    out.print(f"\nExported [bold]{exported.folder}[/bold]", soft_wrap=True)
    rows = [[file.path, file.rows, f"{file.size / 1000:,.0f}"] for file in exported.files if file.rows]
    print_table(out, ["file", "rows", "kB"], rows)
    out.print(f"Build {release.build_id}: {release.scenario_count} scenarios; licence: {release.license}")
    call = f'load_dataset("{exported.folder}", "scenario", split="evaluation")'
    out.print(f"Read README.md first. In Python: {call}", markup=False, highlight=False, soft_wrap=True)
