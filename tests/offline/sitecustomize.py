"""Refuses and reports whatever leads away from the machine; Python runs it at its start where it lies on the path.

Belongs here: the guard, for this process (`install`) and for child processes (by `PYTHONPATH`). Not here: any test.
"""

import ipaddress
import socket
import sys
from typing import Any

#: Addresses that were refused since somebody looked: libraries swallow the error.
REFUSED: list[str] = []
find_addresses = socket.getaddrinfo


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


def is_number(host: str) -> bool:
    """Whether a host is an address by itself, which nobody is asked for."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


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
    """Note an address elsewhere, report it, and raise LeavesMachineError."""
    if is_local(family, address):
        return
    told = f"connection to {address!r} refused: tests and offline builds stay on this machine."
    REFUSED.append(told)
    sys.stderr.write(f"{told}\n")
    raise LeavesMachineError(told)


def find_local_addresses(host: Any, *given: Any, **named: Any) -> Any:
    """The addresses of this machine's names; asking for another name would leave the machine."""
    name = host.decode() if isinstance(host, bytes) else host or ""
    if name != socket.gethostname() and not is_number(name):
        refuse(socket.AF_INET, (name,))
    return find_addresses(host, *given, **named)


def install() -> None:
    """Guard all sockets that are made from now on, and all names that are looked up."""
    socket.socket = GuardedSocket
    socket.getaddrinfo = find_local_addresses


if __name__ == "sitecustomize":
    install()
