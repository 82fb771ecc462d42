"""The raw files of a home: registering them by content, and listing what a build reads.

Belongs here: files as files. Not here: what is in them (`dialogues/`).
"""

import os
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from pydantic import ValidationError

from schemas.records import Strict
from servicebench_data.lake.store import Lake, digest_file, write_atomically

REGISTER = "register.json"


class SourceError(ValueError):
    """A file that cannot be registered or read as posts; the message names it and the remedy."""


class Registered(NamedTuple):
    """A file that a build reads."""

    path: Path
    sha256: str


class Register(Strict):
    """What is remembered of the files in the posts folder.

    Attributes:
        digests: SHA-256 of each file by its name, size and time of change, so that a large file is hashed once.
        registered_at: When each content was first seen, by SHA-256.
    """

    digests: dict[str, str]
    registered_at: dict[str, datetime]


def register_files(lake: Lake, files: Sequence[Path], check: Callable[[Path], object]) -> list[Registered]:
    """Copy files into the home's posts folder, each once by its content; all of them, or none.

    Args:
        lake: The home's lake.
        files: Files to add; one that is registered already is left as it is.
        check: Raises SourceError where a file cannot be read: later builds read whatever is registered.

    Returns:
        The registered files, in the order given.

    Raises:
        SourceError: A path is missing, a folder, or empty, or `check` refused it.
    """
    for path in files:
        refuse_unusable(path)
    digests = [digest_file(path) for path in files]
    for path, digest in zip(files, digests, strict=True):
        if find_registered(lake, digest) is None:
            check(path)
    lake.posts.mkdir(parents=True, exist_ok=True)
    return [register_file(lake, path, digest) for path, digest in zip(files, digests, strict=True)]


def find_registered(lake: Lake, digest: str) -> Path | None:
    """The registered copy of a content."""
    return min(lake.posts.glob(f"{digest[:12]}-*"), default=None)


def register_file(lake: Lake, path: Path, digest: str) -> Registered:
    """Copy one file into the posts folder, and note the time."""
    if known := find_registered(lake, digest):
        return Registered(known, digest)
    target = lake.posts / f"{digest[:12]}-{path.name}"
    temporary = lake.posts / f".{uuid4().hex}"
    try:
        shutil.copyfile(path, temporary)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    list_sources(lake)
    return Registered(target, digest)


def refuse_unusable(path: Path) -> None:
    """Raise SourceError where a path is no file with content."""
    if path.is_dir():
        raise SourceError(f"{str(path)!r} is a folder; name the files in it, for example {str(path / '*.csv')!r}")
    if not path.is_file():
        raise SourceError(f"{str(path)!r} does not exist; check the path")
    if path.stat().st_size == 0:
        raise SourceError(f"{str(path)!r} is empty; download or export it again")


def list_sources(lake: Lake) -> list[Registered]:
    """All files in the posts folder, also those that someone put there by hand, equal contents once.

    They come in the order in which they were registered, so that of a post's several rows the one exported last wins; a
    file put there by hand counts as registered when it is first seen, and of those seen at once the older comes first.
    """
    if not lake.posts.is_dir():
        return []
    known = read_register(lake)
    marks = {path: f"{path.name}|{stamp(path)}" for path in lake.posts.iterdir() if is_source(path)}
    digests = {path: known.digests.get(mark) or digest_file(path) for path, mark in marks.items()}
    now = datetime.now(UTC)
    times = {digest: known.registered_at.get(digest, now) for digest in digests.values()}
    register = Register(digests={mark: digests[path] for path, mark in marks.items()}, registered_at=times)
    if register != known:
        write_atomically(lake.posts / REGISTER, register.model_dump_json(indent=2))
    first: dict[str, Registered] = {}
    for path in sorted(marks, key=lambda path: (times[digests[path]], path.stat().st_mtime_ns, path.name)):
        first.setdefault(digests[path], Registered(path, digests[path]))
    return list(first.values())


def is_source(path: Path) -> bool:
    """Whether a file in the posts folder is one of posts."""
    return path.is_file() and path.name != REGISTER and not path.name.startswith(".")


def stamp(path: Path) -> str:
    """Size and time of change of a file."""
    status: os.stat_result = path.stat()
    return f"{status.st_size}|{status.st_mtime_ns}"


def read_register(lake: Lake) -> Register:
    """What is remembered; nothing where the file is missing or damaged, for times of change tell nearly the same."""
    try:
        return Register.model_validate_json((lake.posts / REGISTER).read_bytes())
    except (FileNotFoundError, ValidationError):
        return Register(digests={}, registered_at={})
