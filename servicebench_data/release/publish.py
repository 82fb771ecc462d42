"""Writes the published DuckDB file beside the old one and replaces it at once.

Belongs here: the file, its tables, views and comments, and the builds kept beside it. Not here: deciding whether a
build may be published (`steps.py` and the checks of each table).
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import duckdb
import pyarrow as pa
from pydantic import ValidationError

from schemas.dialogues import Post
from schemas.records import Record
from schemas.release import Build
from schemas.scenarios import Scenario
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits, fetch_table
from servicebench_data.lake.forget import read_forget_list, remove_builds_that_hold
from servicebench_data.lake.generations import drop_stale_experiments
from servicebench_data.lake.statements import read_statements
from servicebench_data.lake.store import Lake, digest_file
from servicebench_data.lake.tables import RECORDS, quote_name, quote_text, write_ddl
from servicebench_data.measures.facts import FACTS
from servicebench_data.measures.leaderboard import ANSWERS
from servicebench_data.release.manifest import describe_build
from servicebench_data.settings import Settings

FILE_NAME = "servicebench.duckdb"
STORAGE_VERSION = "v1.4.0"
VIEWS = [
    *((Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("views.sql", "gates.sql")),
    FACTS,
    ANSWERS,
]

Files = Mapping[str, Sequence[Path]]


class Published(NamedTuple):
    """What is published now, and whether it was published just now."""

    path: Path
    build: Build
    scenario_count: int
    is_new: bool


class PublishError(RuntimeError):
    """The build cannot be published; the published file is as it was."""


def publish_once(lake: Lake, settings: Settings, files: Files, limits: Limits) -> Published:
    """Publish the lake's tables, unless just these are published already.

    Args:
        lake: The home's lake.
        settings: Settings of the build.
        files: Parquet files by table.
        limits: What DuckDB may take.

    Raises:
        PublishError: A row breaks a constraint of its table.
    """
    scenarios = lake.read(Scenario).select(["content_sha256", "made_by"]).to_pydict()
    build = describe_build(
        settings.public(),
        str(lake.get(Post).pointer.counts.get("source_sha256s", "")).split(),
        scenarios["content_sha256"],
        tables=[digest_file(path) for name in sorted(files) for path in files[name]],
        made_by=", ".join(sorted(set(scenarios["made_by"]))) or "offline",
    )
    # First, so that what must be forgotten goes even when this build changes nothing else or cannot be published.
    forget = read_forget_list(lake)
    remove_builds_that_hold([path for path in list_builds(lake.home) if not is_published(lake, path)], forget)
    before = read_build(lake.home)
    if before and before.model_dump(exclude={"build_id", "built_at"}) == build.model_dump(
        exclude={"build_id", "built_at"}
    ):
        return Published(lake.home / FILE_NAME, before, len(scenarios["made_by"]), False)
    path = publish_build(lake, build, files, limits, keep=settings.keep_builds)
    remove_builds_that_hold(list_builds(lake.home)[1:], forget)
    if forget.post_ids or forget.author_ids:
        lake.prune_previous()
        drop_stale_experiments(lake)
    return Published(path, build, len(scenarios["made_by"]), True)


def is_published(lake: Lake, build: Path) -> bool:
    """Whether a kept build is the published one."""
    published = lake.home / FILE_NAME
    return published.exists() and published.samefile(build)


def read_build(home: Path) -> Build | None:
    """What the published file says about itself; None where there is none that can be read."""
    path = home / FILE_NAME
    if not path.exists():
        return None
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            rows = fetch_table(connection, "FROM release.build").to_pylist()
        return Build.model_validate(rows[0])
    except (duckdb.Error, ValidationError, IndexError):
        return None


def read_coverage(path: Path) -> dict[str, list[tuple[str, int]]]:
    """Categories with their number of scenarios, by industry and stage, in the journeys' order."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(
            "SELECT industry || ': ' || stage, category, scenarios FROM release.category_coverage "
            "ORDER BY industry, stage_position, category_id"
        ).fetchall()
    cells: dict[str, list[tuple[str, int]]] = {}
    for stage, category, count in rows:
        cells.setdefault(str(stage), []).append((str(category), int(count)))
    return cells


def publish_build(lake: Lake, build: Build, files: Files, limits: Limits, *, keep: int) -> Path:
    """Write a build's file and make it the published one.

    Args:
        lake: The home's lake.
        build: What to say about the build.
        files: Parquet files by table.
        limits: What DuckDB may take.
        keep: How many builds to keep, this one among them.

    Returns:
        Path of the published file; it is the old file, byte for byte, until the new one is whole.

    Raises:
        PublishError: A row breaks a constraint of its table.
    """
    folder = lake.home / "builds"
    folder.mkdir(parents=True, exist_ok=True)
    remove_leftovers(lake)
    temporary = folder / f".{uuid4().hex}.tmp"
    try:
        write_file(temporary, build, files, limits)
        target = folder / f"{build.build_id}.duckdb"
        temporary.replace(target)
    finally:
        remove_leftovers(lake)
    link_published(lake, target)
    remove_old_builds(folder, keep)
    return lake.home / FILE_NAME


def link_published(lake: Lake, target: Path) -> None:
    """Give a build's file the published name as well, in one rename; a copy where the disk knows no hard links."""
    beside = lake.home / f".{FILE_NAME}.{uuid4().hex}"
    try:
        os.link(target, beside)
    except OSError:
        shutil.copyfile(target, beside)
    beside.replace(lake.home / FILE_NAME)


def remove_leftovers(lake: Lake) -> None:
    """Remove unfinished files, DuckDB's log beside them, and those of a build that was killed."""
    for path in (*(lake.home / "builds").glob(".*.tmp*"), *lake.home.glob(f".{FILE_NAME}.*")):
        path.unlink(missing_ok=True)


def write_file(path: Path, build: Build, files: Files, limits: Limits) -> None:
    """Write all published tables, views and comments to a new DuckDB file that 1.x clients can read."""
    limits.scratch.mkdir(parents=True, exist_ok=True)
    config = {"memory_limit": f"{round(limits.memory_gb * 1024)}MiB", "threads": limits.threads}
    connection = duckdb.connect(config={**config, "temp_directory": str(limits.scratch)})
    try:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute(f"ATTACH {quote_text(str(path))} AS build (STORAGE_VERSION {quote_text(STORAGE_VERSION)})")
        connection.execute("USE build")
        connection.execute("BEGIN")
        for statement in create_statements():
            connection.execute(statement)
        connection.execute("COMMIT")
        insert_tables(connection, build, files)
        for statement in read_statements("".join(VIEWS)):
            connection.execute(statement)
        connection.execute("CHECKPOINT build")
        connection.execute("USE memory")
        connection.execute("DETACH build")
    except duckdb.ConstraintException as error:
        raise PublishError(
            f"a row breaks its table's constraints: {error}. The published file is as it was."
        ) from error
    finally:
        connection.close()


def create_statements() -> list[str]:
    """Schemas and tables of the published file."""
    published = [record for record in RECORDS if record.table.is_published]
    groups = dict.fromkeys(record.table.group for record in published)
    return [
        *(f"CREATE SCHEMA {group}" for group in groups),
        *(statement for record in published for statement in write_ddl(record)),
    ]


def insert_tables(connection: duckdb.DuckDBPyConnection, build: Build, files: Files) -> None:
    """Fill the published tables, sorted by their keys."""
    for record in RECORDS:
        if not record.table.is_published:
            continue
        if record is Build:
            insert_rows(connection, record, from_records(Build, [build]))
        elif record.table.name in files:
            insert_rows(connection, record, connection.read_parquet([str(path) for path in files[record.table.name]]))


def insert_rows(
    connection: duckdb.DuckDBPyConnection, record: type[Record], rows: "pa.Table | duckdb.DuckDBPyRelation"
) -> None:
    """Insert rows into a record's table."""
    columns = ", ".join(quote_name(name) for name in record.model_fields)
    keys = ", ".join(quote_name(name) for name in record.table.key)
    connection.register("incoming", rows)
    connection.execute(
        f"INSERT INTO {record.table.group}.{quote_name(record.table.name)} ({columns}) "  # noqa: S608  (names of ours)
        f"SELECT {columns} FROM incoming ORDER BY {keys}"
    )
    connection.unregister("incoming")


def list_builds(home: Path) -> list[Path]:
    """Files of the builds that are kept, newest first."""
    return sorted((home / "builds").glob("*.duckdb"), reverse=True)


def remove_old_builds(folder: Path, keep: int) -> None:
    """Remove all but the newest builds."""
    for path in list_builds(folder.parent)[keep:]:
        path.unlink()
