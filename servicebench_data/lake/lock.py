"""One build at a time in a home, held by the operating system so that a killed process lets go.

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

_held: dict[Path, int] = {}


class BuildRunningError(RuntimeError):
    """Another process builds in the same home."""


@contextmanager
def hold_lock(home: Path) -> Generator[None]:
    """Hold the home's build lock; the same process may take it several times.

    Raises:
        BuildRunningError: Another process holds it.
    """
    path = home.resolve() / "build.lock"
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


def is_locked(home: Path) -> bool:
    """Whether some process builds in the home now."""
    path = home / "build.lock"
    if not path.exists():
        return False
    handle = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False
