"""The UI on a home: its history after a restart, a run that was killed with it, and one that a person cancels."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from assets.automation import JOB_NAME, tag_all
from servicebench_data.lake.lock import find_killed, is_locked
from servicebench_data.lake.sample import ROOT
from servicebench_data.lake.store import Lake
from tests.children import find_port
from tests.earlier import copy_vectors

LAUNCH = """
mutation($params: ExecutionParams!) {
  launchRun(executionParams: $params) { __typename ... on LaunchRunSuccess { run { runId } } }
}
"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { __typename ... on Run { status jobName } } }"
CANCEL = "mutation($id: String!) { terminateRun(runId: $id) { __typename } }"

Ask = Callable[..., Any]


def wait_for(look: Callable[[], Any]) -> Any:
    """What `look` gives once it gives something; the test's own limit ends a wait in vain."""
    while not (found := look()):
        time.sleep(0.2)
    return found


def ask(port: int, query: str, **variables: Any) -> Any:
    """The answer of the UI's server."""
    body = json.dumps({"query": query, "variables": variables}).encode()
    request = Request(f"http://127.0.0.1:{port}/graphql", body, {"Content-Type": "application/json"})
    with urlopen(request, timeout=60) as reply:  # noqa: S310
        answer = json.load(reply)
    assert "errors" not in answer, answer
    (data,) = answer["data"].values()
    return data


def is_up(port: int, child: subprocess.Popen[str]) -> bool:
    assert child.poll() is None, "the UI ended by itself"
    with contextlib.suppress(URLError, OSError):
        return ask(port, "{ version }") != ""
    return False


@contextmanager
def serve(home: Path, environment: dict[str, str], ended_by: signal.Signals = signal.SIGTERM) -> Generator[Ask]:
    """The UI as the command line starts it in the background, ended as a service or a power cut ends it."""
    port = find_port()
    command = [sys.executable, "-m", "assets.cli", "dev", "--home", str(home), "-h", "127.0.0.1", "-p", str(port)]
    in_background = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *command]
    with (home.parent / "dev.log").open("a") as log:
        child = subprocess.Popen(
            in_background, env=environment, cwd=ROOT, stdout=log, stderr=log, text=True, start_new_session=True
        )
    try:
        wait_for(lambda: is_up(port, child))
        yield lambda query, **variables: ask(port, query, **variables)
        os.killpg(child.pid, ended_by)
        child.wait(timeout=120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def launch(tell: Ask) -> str:
    """Start a build of the sample as the UI does; returns its id."""
    params = {
        "selector": {
            "repositoryLocationName": "assets.definitions", "repositoryName": "__repository__", "jobName": JOB_NAME,
        },
        "runConfigData": {"resources": {"product": {"config": {"source": "sample"}}}},
        "executionMetadata": {"tags": [{"key": key, "value": value} for key, value in tag_all().items()]},
    }  # fmt: skip
    return str(tell(LAUNCH, params=params)["run"]["runId"])


@pytest.mark.slow
def test_a_run_killed_with_the_ui_holds_nobody_up_after_a_restart_and_one_that_is_cancelled_lets_go(
    tmp_path: Path, offline_environment: dict[str, str]
) -> None:
    home = tmp_path / "home"
    copy_vectors(Lake(home).cache / "embeddings")
    with serve(home, offline_environment, ended_by=signal.SIGKILL) as tell:
        killed = launch(tell)
        wait_for(lambda: is_locked(home))
    wait_for(lambda: not is_locked(home))
    assert find_killed(home) == killed
    with serve(home, offline_environment) as tell:
        cancelled = launch(tell)
        wait_for(lambda: is_locked(home))
        assert tell(STATUS, id=killed) == {"__typename": "Run", "status": "FAILURE", "jobName": JOB_NAME}
        assert tell(STATUS, id=cancelled)["status"] == "STARTED"
        assert tell(CANCEL, id=cancelled)["__typename"] == "TerminateRunSuccess"
        wait_for(lambda: tell(STATUS, id=cancelled)["status"] == "CANCELED")
        wait_for(lambda: not is_locked(home))
    assert find_killed(home) == ""
