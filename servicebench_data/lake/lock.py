"""One build at a time in a home, held by the operating system so that a killed process lets go.

Belongs here: the lock. Not here: what to do when it is taken.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_held: dict[Path, int] = {}


class BuildRunningError(RuntimeError):
    """Another process builds in the same home."""


@contextmanager
def hold_lock(home: Path) -> Generator[None]:
    """Hold the home's build lock; the same process may take it several times.

    Raises:
        BuildRunningError: Another process holds it.
    """
    path = home / "build.lock"
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
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BuildRunningError(
                f"another build runs in {str(home)!r} (process {path.read_text() or 'unknown'}); "
                "wait for it or end it, then start again."
            ) from error
        os.truncate(handle, 0)
        os.write(handle, str(os.getpid()).encode())
        _held[path] = 1
        yield
    finally:
        _held.pop(path, None)
        os.close(handle)


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
