"""Model files on this machine, run in this process by llama.cpp and asked over loopback like any other endpoint.

Belongs here: starting and ending the server of a file. Not here: asking it (`roads.py`).
"""

import importlib
import os
import threading
from pathlib import Path
from typing import Any

from servicebench_data.models.faults import CallError

CONTEXT_TOKENS = 16_384


class LocalModels:
    """Servers of model files, each started when it is first asked and kept until they are closed."""

    def __init__(self) -> None:
        self._servers: dict[str, Any] = {}
        self._starting = threading.Lock()

    def find_base(self, path: str) -> str:
        """Base URL of a file's server; the first time takes as long as loading the file does.

        Raises:
            CallError: The library is missing or cannot run the file.
        """
        with self._starting:
            if path not in self._servers:
                self._servers[path] = start_server(Path(path))
            return f"{self._servers[path].listening_address}/v1"

    def close(self) -> None:
        """End all servers."""
        self._servers.clear()


def start_server(path: Path) -> Any:
    """Load a model file and serve it on loopback, one question at a time: batches would change answers."""
    try:
        library: Any = importlib.import_module("xllamacpp")
    except ImportError:
        raise CallError(
            "unknown_model", "running a file needs the extra: pip install 'servicebench-data[local]'"
        ) from None
    parameters = library.CommonParams()
    parameters.model.path = str(path)
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.n_parallel = 1
    threads = max((os.cpu_count() or 2) - 1, 1)  # one core is left: threads that wait for a core spin
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = threads
    parameters.cache_prompt = False  # with it, answers depend on what was asked before
    parameters.cache_ram_mib = 0
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.verbosity = -1  # its log would hold posts
    try:
        return library.Server(parameters)
    except Exception as error:  # noqa: BLE001  (the library raises what its C++ raises)
        raise CallError("unknown_model", f"{path.name!r} cannot be run ({type(error).__name__})") from None
