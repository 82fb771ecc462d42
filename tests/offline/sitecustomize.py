"""Refuses and reports every connection that leaves the machine; Python runs it at its start where it lies on the path.

Belongs here: the guard, for this process (`install`) and for child processes (by `PYTHONPATH`). Not here: any test.
"""

import ipaddress
import socket
from typing import Any


class LeavesMachineError(RuntimeError):
    """Something tried to reach another machine."""


def is_local(family: int, address: Any) -> bool:
    """Whether an address is on this machine."""
    if family not in {socket.AF_INET, socket.AF_INET6}:
        return True
    host = str(address[0])
    try:
        return host in {"", "localhost"} or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class GuardedSocket(socket.socket):
    """A socket that connects to this machine only."""

    def connect(self, address: Any) -> None:
        """Connect, or raise LeavesMachineError."""
        refuse(self.family, address)
        super().connect(address)

    def connect_ex(self, address: Any) -> int:
        """Connect, or raise LeavesMachineError."""
        refuse(self.family, address)
        return super().connect_ex(address)


def refuse(family: int, address: Any) -> None:
    """Raise LeavesMachineError for an address elsewhere."""
    if not is_local(family, address):
        raise LeavesMachineError(f"connection to {address!r} refused: tests and offline builds stay on this machine.")


def install() -> None:
    """Guard all sockets that are made from now on."""
    socket.socket = GuardedSocket


if __name__ == "sitecustomize":
    install()
