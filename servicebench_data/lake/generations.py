"""Which stored tables belong together: each was made from the tables that are stored now.

Belongs here: comparing what pointers say about their inputs. Not here: making what is out of date.
"""

import shutil
from collections.abc import Iterable
from typing import NamedTuple

from schemas.records import Record
from servicebench_data.lake.store import Lake
from servicebench_data.lake.tables import RECORDS


class Generation(NamedTuple):
    """What is missing or out of date, as `table/partition` and as sentences."""

    missing: list[str]
    stale: list[str]


def compare_generation(lake: Lake, industries: Iterable[str], records: Iterable[type[Record]]) -> Generation:
    """Look for tables of the given industries that are missing, or were made from an older table.

    Experiments that were made from older tables are left out everywhere, so that none is ever out of date here.
    """
    names = list(industries)
    stored = {
        f"{record.table.name}/{partition}": lake.find(record, partition)
        for record in records
        for partition in lake.choose_partitions(record, names)
    }
    current = {name: entry.pointer.sha256 for name, entry in stored.items() if entry}
    stale = [
        f"{name} was made from an older {source}"
        for name, entry in stored.items()
        if entry
        for source, sha256 in entry.pointer.inputs.items()
        if current.get(source, sha256) != sha256
    ]
    return Generation(sorted(name for name, entry in stored.items() if entry is None), sorted(stale))


def lake_records(before: type[Record] | None = None) -> list[type[Record]]:
    """Records whose tables the lake holds, in the order of the pipeline, up to but without the given one."""
    records = [record for record in RECORDS if record.table.group != "release"]
    return records[: records.index(before)] if before else records


def find_current(lake: Lake, industries: Iterable[str], before: type[Record]) -> list[str]:
    """Industries all of whose tables, up to the given one, are there and of one generation."""
    records = lake_records(before)
    return [name for name in industries if not any(compare_generation(lake, [name], records))]


def drop_stale_experiments(lake: Lake) -> None:
    """Remove the tables of experiments that were made from older tables, which may hold what has gone since."""
    for record in lake_records():
        for name in lake.partitions(record) if record.table.per == "experiment" else []:
            if not lake.is_current(record, name):
                shutil.rmtree(lake.folder(record, name))


def list_sources(lake: Lake, made: type[Record], source: type[Record]) -> list[str]:
    """Partitions of a table that another one, as it is stored, was made from."""
    inputs = lake.get(made).pointer.inputs
    return sorted(name.split("/")[1] for name in inputs if name.startswith(f"{source.table.name}/"))
