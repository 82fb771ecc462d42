"""Who holds a claim: a process of one machine, and whether it still lives.

Belongs here: naming this process and looking at others. Not here: claims themselves (`ledger.py`).
"""

import os
import platform
from functools import cache
from pathlib import Path
from uuid import uuid4

SEPARATOR = "|"
PROC = Path("/proc")
START_FIELD = 19  # of /proc/PID/stat behind the name: when the process began, in ticks since boot


@cache
def name_machine() -> str:
    """A name that two processes share only when each can see the other's id: this boot, this space of process ids."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text().strip()
        space = (PROC / "self/ns/pid").readlink()
    except OSError:
        return platform.node()
    return f"{boot}/{space}"


def read_start(pid: int) -> str | None:
    """When a process began; None where it is not there, or the machine does not tell."""
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()[START_FIELD]


def name_owner() -> str:
    """A name for whoever opens a ledger, which nobody else ever has."""
    pid = os.getpid()
    return SEPARATOR.join([name_machine(), str(pid), read_start(pid) or "", uuid4().hex])


def is_dead(owner: str) -> bool:
    """Whether the owner's process was one of this machine and has ended; those elsewhere may live."""
    machine, pid, start, _ = owner.split(SEPARATOR)
    if machine != name_machine():
        return False
    if start:
        return read_start(int(pid)) != start
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
