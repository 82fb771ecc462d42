"""Writes a published file's tables as one folder, beside where it belongs, and moves it there at once.

Belongs here: the folder as a whole. Not here: what stands in any of its files.
"""

import json
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from servicebench_data.lake.database import Limits, open_database
from servicebench_data.lake.tables import quote_text
from servicebench_data.release.export.about import Release, read_release
from servicebench_data.release.export.card import write_card
from servicebench_data.release.export.croissant import describe_croissant
from servicebench_data.release.export.files import DataFile, FileFormat, write_table
from servicebench_data.release.export.tables import list_tables

CARD = "README.md"
CROISSANT = "croissant.json"


class ExportError(ValueError):
    """The release cannot be exported there; the message says why and what to do."""


class Exported(NamedTuple):
    """What was written."""

    folder: Path
    release: Release
    files: Sequence[DataFile]


def export_release(published: Path, folder: Path, formats: Sequence[FileFormat], limits: Limits) -> Exported:
    """Write a published file's tables with card and Croissant metadata; one input gives the same bytes each time.

    Args:
        published: A published file, or a kept build.
        folder: Folder to make; it appears whole or not at all.
        formats: Formats of the data files.
        limits: What DuckDB may take.

    Raises:
        ExportError: The folder exists, or the file is no published one.
    """
    with make_folder(folder) as unfinished, open_database(limits) as connection:
        connection.execute(f"ATTACH {quote_text(str(published))} AS build (READ_ONLY)")
        connection.execute("USE build")
        tables = list_tables(connection)
        if "build" not in {table.name for table in tables}:
            raise ExportError(f"{str(published)!r} is no published file: it has no table `release.build`.")
        release = read_release(connection, tables)
        files = [
            file for kind in formats for table in tables for file in write_table(connection, table, unfinished, kind)
        ]
        (unfinished / CARD).write_text(write_card(release, files), encoding="utf-8")
        metadata = json.dumps(describe_croissant(release, files), indent=2)
        (unfinished / CROISSANT).write_text(f"{metadata}\n", encoding="utf-8")
    return Exported(folder, release, files)


@contextmanager
def make_folder(folder: Path) -> Generator[Path]:
    """An unfinished folder beside the wanted one, which takes its name when all is written and goes when not.

    Raises:
        ExportError: The wanted one exists already.
    """
    if folder.exists():
        raise ExportError(
            f"{str(folder)!r} exists already; remove it (`rm -r`) to replace it, or name another folder with --out."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    unfinished = folder.parent / f".{folder.name}.{uuid4().hex}.tmp"
    unfinished.mkdir()
    try:
        yield unfinished
        unfinished.rename(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
