"""Processes that a test starts and may kill.

Belongs here: starting them off the network and ending them with the test. Not here: what they run.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from tests.conftest import ROOT


def find_port() -> int:
    """A port of loopback that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Nursery:
    """Starts modules as processes of their own.

    Args:
        environment: Their environment; what names the model's endpoint is added.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = environment
        self.children: list[subprocess.Popen[str]] = []

    def start(self, module: str, *arguments: object) -> subprocess.Popen[str]:
        """Run a module, its output piped."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("OPENAI_")}
        child = subprocess.Popen(
            [sys.executable, "-m", module, *map(str, arguments)],
            env={**self.environment, **kept},
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.children.append(child)
        return child


@contextmanager
def hold_children(environment: Mapping[str, str]) -> Generator[Nursery]:
    """A nursery whose children do not outlive it."""
    nursery = Nursery(environment)
    yield nursery
    for child in nursery.children:
        child.kill()
        child.communicate()
