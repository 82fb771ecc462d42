"""A real PostgreSQL on loopback, from Debian's package, for as long as the tests run.

Belongs here: starting and ending it. Not here: what is stored in it.
"""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.children import find_port

UNPRIVILEGED = ("postgres", "nobody")


def find_programs() -> Path | None:
    """Folder of the newest PostgreSQL's programs."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).parent if on_path else None


def find_user() -> str | None:
    """Who runs it: PostgreSQL refuses root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in UNPRIVILEGED if name in known)


@contextmanager
def serve_postgres(programs: Path) -> Generator[str]:
    """URL of a running server, without database name."""
    user, port = find_user(), find_port()
    folder = Path(tempfile.mkdtemp(prefix="ledger-pg-"))
    if user:
        shutil.chown(folder, user)
    try:
        call(
            user, programs / "initdb", "-D", folder / "data", "-U", "ledger", "--auth=trust", "--no-sync", "-E", "UTF8"
        )
        options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off -c max_connections=40"
        call(user, programs / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql://ledger@127.0.0.1:{port}"
        finally:
            call(user, programs / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def call(user: str | None, *command: str | Path) -> None:
    """Run a program as the given user, or as whoever we are."""
    done = subprocess.run(
        [str(part) for part in command],
        user=user,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if "start" not in command else subprocess.DEVNULL,
        cwd="/",
        timeout=300,  # patience with a busy machine
    )
    assert done.returncode == 0, done.stderr


def create_place(server: str, name: str) -> str:
    """URL that leads to a new empty schema; a database for each test would be three hundred files each."""
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server}/postgres?options=-csearch_path%3D{name}"
