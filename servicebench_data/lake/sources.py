"""The raw files of a home: registering them by content, and listing what a build reads.

Belongs here: files as files. Not here: what is in them (`dialogues/`).
"""

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from pydantic import TypeAdapter, ValidationError

from servicebench_data.lake.store import Lake, digest_file, write_atomically

REGISTER = "register.json"
_REGISTER = TypeAdapter(dict[str, str])


class SourceError(ValueError):
    """A posts file that cannot be registered; the message names it and the remedy."""


class Registered(NamedTuple):
    """A file that a build reads."""

    path: Path
    sha256: str


def register_files(lake: Lake, files: Iterable[Path]) -> list[Registered]:
    """Copy files into the home's posts folder, each once by its content.

    Args:
        lake: The home's lake.
        files: Files to add; one that is registered already is left as it is.

    Returns:
        The registered files, in the order given.

    Raises:
        SourceError: A path is missing, a folder, or empty.
    """
    lake.posts.mkdir(parents=True, exist_ok=True)
    return [register_file(lake, path) for path in files]


def register_file(lake: Lake, path: Path) -> Registered:
    """Register one file; see `register_files`."""
    refuse_unusable(path)
    digest = digest_file(path)
    known = sorted(lake.posts.glob(f"{digest[:12]}-*"))
    target = known[0] if known else lake.posts / f"{digest[:12]}-{path.name}"
    if not known:
        temporary = lake.posts / f".{uuid4().hex}"
        try:
            shutil.copyfile(path, temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    return Registered(target, digest)


def refuse_unusable(path: Path) -> None:
    """Raise SourceError where a path is no file with content."""
    if path.is_dir():
        raise SourceError(f"{str(path)!r} is a folder; name the files in it, for example {str(path / '*.csv')!r}.")
    if not path.is_file():
        raise SourceError(f"{str(path)!r} does not exist; check the path.")
    if path.stat().st_size == 0:
        raise SourceError(f"{str(path)!r} is empty; download or export it again.")


def list_sources(lake: Lake) -> list[Registered]:
    """All files in the posts folder, also those that someone put there by hand, sorted by name; equal contents once.

    Digests are remembered by size and time of change, so that a large file is hashed once.
    """
    if not lake.posts.is_dir():
        return []
    known = read_register(lake)
    entries = {path: stamp(path) for path in sorted(lake.posts.iterdir()) if is_source(path)}
    digests = {path: known.get(f"{path.name}|{mark}") or digest_file(path) for path, mark in entries.items()}
    register = {f"{path.name}|{mark}": digests[path] for path, mark in entries.items()}
    if register != known:
        write_atomically(lake.posts / REGISTER, json.dumps(register, indent=2))
    first: dict[str, Registered] = {}
    for path, digest in digests.items():
        first.setdefault(digest, Registered(path, digest))
    return list(first.values())


def is_source(path: Path) -> bool:
    """Whether a file in the posts folder is one of posts."""
    return path.is_file() and path.name != REGISTER and not path.name.startswith(".")


def stamp(path: Path) -> str:
    """Size and time of change of a file."""
    status: os.stat_result = path.stat()
    return f"{status.st_size}|{status.st_mtime_ns}"


def read_register(lake: Lake) -> dict[str, str]:
    """Remembered digests; none where the file is missing or damaged, for it can be made again."""
    try:
        return _REGISTER.validate_json((lake.posts / REGISTER).read_bytes())
    except (FileNotFoundError, ValidationError):
        return {}
