"""One build at a time in a home, held by the operating system so that a killed process lets go.

A holder may give its name, which stands beside the lock until it lets go by itself: a name that stands there while the
lock is free is that of one that was killed.

Belongs here: the lock. Not here: what to do when it is taken.
"""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

ATTEMPTS = 5
PAUSE_SECONDS = 0.02
LOCK = "build.lock"
HOLDER = "build.holder"

_held: dict[Path, int] = {}


class BuildRunningError(RuntimeError):
    """Another process builds in the same home."""


@contextmanager
def hold_lock(home: Path) -> Generator[None]:
    """Hold the home's build lock; the same process may take it several times.

    Raises:
        BuildRunningError: Another process holds it.
    """
    path = home.resolve() / LOCK
    if _held.get(path):
        _held[path] += 1
        try:
            yield
        finally:
            _held[path] -= 1
        return
    home.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not take(handle):
            raise BuildRunningError(
                f"another build runs in {str(home)!r} (process {path.read_text() or 'unknown'}); "
                "wait for it or end it, then start again."
            )
        os.truncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        _held[path] = 1
        yield
    finally:
        _held.pop(path, None)
        os.close(handle)


def take(handle: int) -> bool:
    """Take the lock; a few attempts, for `is_locked` holds it for a moment while it looks."""
    for attempt in range(ATTEMPTS):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(PAUSE_SECONDS * (attempt + 1))
        else:
            return True
    return False


@contextmanager
def hold_lock_as(home: Path, name: str) -> Generator[str]:
    """Hold the home's build lock under a name; yields that of a holder before who was killed, else nothing.

    Where this process holds it already, the name stays that of the outer holder.

    Raises:
        BuildRunningError: Another process holds it.
    """
    is_held = (home.resolve() / LOCK) in _held
    with hold_lock(home):
        if is_held:
            yield ""
            return
        killed = read_holder(home)
        (home / HOLDER).write_text(name)
        try:
            yield killed
        finally:
            (home / HOLDER).unlink(missing_ok=True)


def read_holder(home: Path) -> str:
    """The name that stands beside the lock; empty where none does."""
    try:
        return (home / HOLDER).read_text()
    except FileNotFoundError:
        return ""


def is_locked(home: Path) -> bool:
    """Whether some process builds in the home now."""
    return look(home) is None


def find_killed(home: Path) -> str:
    """Name of the last holder, where it was killed; empty where it was not, or where some process builds now."""
    return look(home) or ""


def look(home: Path) -> str | None:
    """The name that a killed holder left beside the lock, looked up while nobody holds it; None where someone does."""
    if not (home / LOCK).exists():
        return ""
    handle = os.open(home / LOCK, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return read_holder(home)
    except BlockingIOError:
        return None
    finally:
        os.close(handle)
