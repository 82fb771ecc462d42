"""The lake: one Parquet file for each table and partition, found through a small pointer file.

Belongs here: paths, atomic writing, reading, and what a stored table was made from. Not here: how tables are computed.

A table's folder holds `pointer.json`, which names the current data file and says what it was made from, and the data
file itself. The pointer is replaced by one rename, so a reader sees the old table or the new one, never a mixture, and
a killed write leaves the old one in place.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, cast
from uuid import uuid4

import pyarrow as pa
from pydantic import Field, ValidationError

from schemas.records import Record, Strict
from servicebench_data.lake.arrow import conform
from servicebench_data.lake.parquet import read_file, read_shape, write_file
from servicebench_data.lake.tables import arrow_schema, record_of

ALL = "all"
Counts = dict[str, int | float | str]


class Pointer(Strict):
    """What a table's folder says about its current data.

    Attributes:
        file: Name of the data file.
        sha256: SHA-256 of its bytes.
        row_count: Rows in it.
        fingerprint: Digest of everything it was made from; equal fingerprints mean equal tables.
        inputs: SHA-256 of each table that it was made from, by `table/partition`.
        counts: What the step counted while it made the table, for people to see.
    """

    file: str
    sha256: str
    row_count: int
    fingerprint: str
    inputs: dict[str, str] = Field(default_factory=dict)
    counts: Counts = Field(default_factory=dict)


class Origin(Strict):
    """What a table was made from; see `Pointer`."""

    fingerprint: str
    inputs: dict[str, str] = Field(default_factory=dict)
    counts: Counts = Field(default_factory=dict)


class Stored(NamedTuple):
    """A table in the lake."""

    path: Path
    pointer: Pointer


class LakeError(RuntimeError):
    """A table that is not there or cannot be read; the message names it and the remedy."""


class Lake:
    """Typed Parquet tables under one home folder.

    Args:
        home: The folder; `posts/` in it holds what is unmasked, `lake/` everything else.
    """

    def __init__(self, home: Path) -> None:
        self.home = home

    @property
    def posts(self) -> Path:
        """Folder of raw posts and of every table with unmasked text."""
        return self.home / "posts"

    @property
    def overrides(self) -> Path:
        """Folder of what people decided: forget lists, recodings, edits."""
        return self.home / "overrides"

    @property
    def reviews(self) -> Path:
        """Folder of pages for reviewers, which quote masked dialogues."""
        return self.home / "review"

    @property
    def cache(self) -> Path:
        """Folder of what can be recomputed at a price: embeddings, trained heads, parts of scenarios, verdicts."""
        return self.home / "cache"

    @property
    def parts(self) -> Path:
        """Folder of the finished parts of scenarios, a file for each industry."""
        return self.cache / "parts"

    @property
    def verdicts(self) -> Path:
        """Folder of the digests of tables that passed their rules."""
        return self.cache / "verdicts"

    @property
    def scratch(self) -> Path:
        """Folder for unfinished work; DuckDB spills there."""
        return self.home / "scratch"

    def folder(self, record: type[Record], partition: str = ALL) -> Path:
        """Folder of a table's partition."""
        base = self.posts / "tables" if record.table.is_raw else self.home / "lake"
        return base / record.table.name / partition

    def find(self, record: type[Record], partition: str = ALL) -> Stored | None:
        """The stored table, or None where there is none that can be read."""
        folder = self.folder(record, partition)
        try:
            pointer = Pointer.model_validate_json((folder / "pointer.json").read_bytes())
        except (FileNotFoundError, NotADirectoryError, ValidationError):
            return None
        path = folder / pointer.file
        return Stored(path, pointer) if path.is_file() else None

    def get(self, record: type[Record], partition: str = ALL) -> Stored:
        """The stored table.

        Raises:
            LakeError: It has not been made yet.
        """
        stored = self.find(record, partition)
        if stored is None:
            raise LakeError(
                f"table {record.table.name!r} of {partition!r} is not in the lake at {str(self.home)!r}; "
                "run `servicebench build` or materialise it first."
            )
        return stored

    def read(self, record: type[Record], partition: str = ALL) -> pa.Table:
        """A stored table with the record's exact schema.

        Raises:
            LakeError: It has not been made yet, or its file is damaged or of another version's schema.
        """
        path = self.get(record, partition).path
        try:
            return read_file(path, arrow_schema(record))
        except ValueError as error:
            raise LakeError(f"{str(path)!r} cannot be read as {record.__name__}; delete it and build again.") from error

    def partitions(self, record: type[Record]) -> list[str]:
        """Partitions of a table that are stored, sorted."""
        base = self.folder(record).parent
        return sorted(path.name for path in base.iterdir() if self.find(record, path.name)) if base.is_dir() else []

    def new_file(self, record: type[Record], partition: str = ALL) -> Path:
        """A new name inside the table's folder, for a writer that streams; pass it to `adopt` when it is whole."""
        folder = self.folder(record, partition)
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{uuid4().hex}.parquet"

    def write(self, record: type[Record], table: pa.Table, partition: str = ALL, *, made_from: Origin) -> Stored:
        """Store a table, replacing the one before it at once.

        Raises:
            ValueError: The table does not have the record's schema.
        """
        path = self.new_file(record, partition)
        write_file(path, conform(record, table))
        return self.adopt(record, path, partition, made_from=made_from)

    def adopt(self, record: type[Record], path: Path, partition: str = ALL, *, made_from: Origin) -> Stored:
        """Make a finished file, written to a name from `new_file`, the current data of its table."""
        names, row_count = read_shape(path)
        if names != arrow_schema(record).names:
            raise ValueError(f"file for {record.table.name!r} has columns {names}; make it match the record.")
        before = self.find(record, partition)
        pointer = Pointer(
            file=path.name,
            sha256=digest_file(path),
            row_count=row_count,
            fingerprint=made_from.fingerprint,
            inputs=made_from.inputs,
            counts=made_from.counts,
        )
        write_atomically(path.parent / "pointer.json", pointer.model_dump_json(indent=2))
        prune(path.parent, {path.name, "pointer.json", *([before.path.name] if before else [])})
        return Stored(path, pointer)

    def prune_previous(self) -> None:
        """Remove the data files that are no longer current, where they must not be kept for readers any longer."""
        for pointer in [*self.home.glob("lake/*/*/pointer.json"), *self.posts.glob("tables/*/*/pointer.json")]:
            current = Pointer.model_validate_json(pointer.read_bytes()).file
            prune(pointer.parent, {"pointer.json", current})

    def files(self, records: Iterable[type[Record]], industries: Iterable[str]) -> dict[str, list[Path]]:
        """Data files of several tables by table name; see `choose_partitions`."""
        names = list(industries)
        found = {
            record.table.name: [
                stored.path
                for partition in self.choose_partitions(record, names)
                if (stored := self.find(record, partition))
            ]
            for record in records
        }
        return {name: paths for name, paths in found.items() if paths}

    def choose_partitions(self, record: type[Record], industries: Iterable[str]) -> list[str]:
        """Partitions of a table: the one of a table without, the industries asked for, or every current experiment."""
        if not record.table.is_partitioned:
            return [ALL]
        if record.table.per == "industry":
            return list(industries)
        return [name for name in self.partitions(record) if self.is_current(record, name)]

    def is_current(self, record: type[Record], partition: str) -> bool:
        """Whether a stored table was made from the tables that are stored now."""
        inputs = self.get(record, partition).pointer.inputs
        return all(self.find_digest(source) == sha256 for source, sha256 in inputs.items())

    def find_digest(self, source: str) -> str | None:
        """Digest of a stored table by `table/partition`; None where there is none."""
        table, _, partition = source.partition("/")
        stored = self.find(record_of(table), partition)
        return stored.pointer.sha256 if stored else None


def prune(folder: Path, keep: Iterable[str]) -> None:
    """Remove the files of a folder that are not named; the one before last stays for readers that have just begun."""
    kept = set(keep)
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink(missing_ok=True)


def write_atomically(path: Path, text: str) -> None:
    """Write a text file by way of a temporary name, so that a reader never sees half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with temporary.open("w", encoding="utf-8") as handle:
            handle.write(text)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes, as hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def digest_folders(*folders: Path) -> str:
    """SHA-256 over places and contents of all source and data files in the given folders or files, as hex."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted([folder] if folder.is_file() else folder.rglob("*")):
            if path.suffix in {".py", ".sql", ".yaml", ".txt", ".md"}:
                digest.update(f"{path.relative_to(folder.parent)}\0{digest_file(path)}\0".encode())
    return digest.hexdigest()


def digest_json(value: object) -> str:
    """SHA-256 of a value's canonical JSON, as hex."""
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def flatten_counts(counts: Mapping[str, object], prefix: str = "") -> Counts:
    """Nested counts as one level, names joined with a dot; what is no number or text is left out."""
    flat: Counts = {}
    for name, value in counts.items():
        if isinstance(value, Mapping):
            flat.update(flatten_counts(cast("Mapping[str, object]", value), f"{prefix}{name}."))
        elif isinstance(value, int | float | str):
            flat[f"{prefix}{name}"] = value
    return flat
