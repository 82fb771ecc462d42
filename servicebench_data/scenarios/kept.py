"""Parts that stand since an earlier build: only dialogues that are new, or made differently now, are written again.

Belongs here: the key under which finished parts are kept, and their file. Not here: making them (`assembly.py`,
`writing/`); people's edits and the second coding come later and are never kept.
"""

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import pyarrow as pa
from pydantic import TypeAdapter, ValidationError

from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.scenarios.parts import Parts, Source

LOG = logging.getLogger(__name__)
_SCHEMA = pa.schema([("key", pa.string()), ("parts", pa.binary())])

#: Makes the parts of dialogues.
Writer = Callable[[Sequence[Source]], list[Parts]]


def write_new(sources: Sequence[Source], write: Writer, path: Path, version: str) -> list[Parts]:
    """Parts of many dialogues, in their order; those that are kept in the file are read, the others written and kept.

    Args:
        sources: The dialogues.
        write: Writes those that are not kept.
        path: The file; afterwards it holds the finished parts of these dialogues and no others.
        version: Digest of all that decides parts beside their dialogue.
    """
    kept = read_kept(path)
    keys = [make_key(source, version) for source in sources]
    stands = {key: parts for key in keys if key in kept and (parts := read_parts(kept[key])) is not None}
    new = [source for source, key in zip(sources, keys, strict=True) if key not in stands]
    LOG.info("%d of %d scenarios stand as they were", len(sources) - len(new), len(sources))
    written = iter(write(new)) if new else iter(())
    found = [stands[key] if key in stands else next(written) for key in keys]
    damaged = {key for key in keys if key in kept} - stands.keys()
    keep(path, dict(zip(keys, found, strict=True)), {key: kept[key] for key in kept.keys() - damaged})
    return found


def make_key(source: Source, version: str) -> str:
    """SHA-256 over a dialogue with its coding and over what decides its parts."""
    return hashlib.sha256(f"{version}\0".encode() + adapt_source().dump_json(source)).hexdigest()


def read_kept(path: Path) -> dict[str, bytes]:
    """Kept parts by key, as JSON; none where there is no file, or one that cannot be read: it only spares work."""
    if not path.is_file():
        return {}
    try:
        table = read_file(path, _SCHEMA)
        keys, parts = (cast("list[Any]", table[name].to_pylist()) for name in _SCHEMA.names)
        return dict(zip(keys, parts, strict=True))
    except (ValueError, OSError) as error:
        LOG.warning("%s cannot be read (%s); its scenarios are written again", path.name, type(error).__name__)
        return {}


def read_parts(entry: bytes) -> Parts | None:
    """Parts from JSON; None where it is damaged, which only costs writing them again."""
    try:
        return adapt_parts().validate_json(entry)
    except ValidationError:
        LOG.warning("kept parts are damaged; they are written again")
        return None


def keep(path: Path, made: Mapping[str, Parts], kept: Mapping[str, bytes]) -> None:
    """Replace the file at once, unless it holds these parts and no others already."""
    finished = {key: parts for key, parts in made.items() if parts.is_finished}
    if finished.keys() == kept.keys():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [kept[key] if key in kept else adapt_parts().dump_json(parts) for key, parts in finished.items()]
    columns = {"key": [*finished], "parts": written}
    temporary = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        write_file(temporary, pa.table(columns, schema=_SCHEMA))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@cache
def adapt_parts() -> TypeAdapter[Parts]:
    """Parts as JSON and back, every record checked."""
    return TypeAdapter(Parts)


@cache
def adapt_source() -> TypeAdapter[Source]:
    """A dialogue as JSON."""
    return TypeAdapter(Source)
