"""One build at a time in a home, across processes, and a killed one lets go."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from servicebench_data.lake.lock import BuildRunningError, find_killed, hold_lock, hold_lock_as, is_locked

HOLDER = """
import sys, time
from pathlib import Path
from servicebench_data.lake.lock import hold_lock
with hold_lock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path, offline_environment: dict[str, str]) -> Generator[subprocess.Popen[str]]:
    """Another process that holds the lock of the home until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        env=offline_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "held\n"
    with process:
        yield process
        process.kill()


def test_another_process_is_refused_and_told_whose_build_runs(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    assert is_locked(tmp_path)
    words = rf"another build runs in '.*' \(process {holder.pid}\); wait for it or end it"
    with pytest.raises(BuildRunningError, match=words), hold_lock(tmp_path):
        pass
    assert is_locked(tmp_path)


def test_a_killed_build_does_not_block_the_next(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert not is_locked(tmp_path)
    with hold_lock(tmp_path):
        assert is_locked(tmp_path)
    assert not is_locked(tmp_path)


@pytest.mark.parametrize("is_killed", [True, False])
def test_the_name_of_a_killed_holder_stays_until_another_takes_the_lock(
    tmp_path: Path, offline_environment: dict[str, str], is_killed: bool
) -> None:
    code = HOLDER.replace("hold_lock(Path(sys.argv[1]))", "hold_lock_as(Path(sys.argv[1]), 'first')").replace(
        "import hold_lock", "import hold_lock_as"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        env=offline_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        assert find_killed(tmp_path) == ""
        if is_killed:
            process.kill()
    assert find_killed(tmp_path) == ("first" if is_killed else "")
    with hold_lock(tmp_path):
        assert find_killed(tmp_path) == ""
    with hold_lock_as(tmp_path, "second") as killed, hold_lock_as(tmp_path, "inner") as none:
        assert (killed, none) == ("first" if is_killed else "", "")
        assert find_killed(tmp_path) == ""
    assert find_killed(tmp_path) == ""


def test_a_build_that_ends_lets_go(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.communicate()
    assert not is_locked(tmp_path)


def test_the_same_process_may_hold_it_several_times_by_any_spelling(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "link").symlink_to(home)
    with hold_lock(home), hold_lock(tmp_path / "link"):
        assert is_locked(home)
    assert not is_locked(home)


def test_an_error_inside_lets_go(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), hold_lock(tmp_path):
        raise ZeroDivisionError
    assert not is_locked(tmp_path)


def test_a_home_that_never_built_is_free_and_stays_untouched(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "home")
    assert find_killed(tmp_path / "home") == ""
    assert not (tmp_path / "home").exists()
