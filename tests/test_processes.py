import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.processes import FEWEST, WorkerError, cut, open_pool, share_out


@pytest.fixture(autouse=True, scope="module")
def pool() -> Iterator[None]:
    yield
    open_pool(2).shutdown()
    open_pool.cache_clear()


def double(items: Sequence[int], by: int = 2) -> list[tuple[int, int]]:
    return [(os.getpid(), item * by) for item in items]


def refuse(items: Sequence[int]) -> list[int]:
    raise KeyError(items[0])


def die(items: Sequence[int]) -> list[int]:
    os.kill(os.getpid(), signal.SIGKILL)
    return list(items)


@given(st.lists(st.integers(), max_size=3000), st.integers(1, 64))
def test_portions_hold_every_item_once_and_in_order(items: list[int], processes: int) -> None:
    portions = list(cut(items, processes))
    assert [item for portion in portions for item in portion] == items
    assert all(portions)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("count", [0, 1, FEWEST - 1, FEWEST, 5 * FEWEST])
def test_results_are_the_same_whoever_made_them(processes: int, count: int) -> None:
    items = list(range(count))
    made = [entry for portion in share_out(partial(double, by=3), items, processes) for entry in portion]
    assert [value for _, value in made] == [3 * item for item in items]
    is_shared = processes > 1 and count >= FEWEST
    assert all((worker != os.getpid()) == is_shared for worker, _ in made)


@pytest.mark.parametrize("processes", [1, 2])
def test_an_error_of_the_work_comes_out_as_it_is(processes: int) -> None:
    with pytest.raises(KeyError):
        list(share_out(refuse, range(FEWEST), processes))


def test_a_dead_worker_is_told_and_the_next_call_has_others() -> None:
    with pytest.raises(WorkerError, match="threads"):
        list(share_out(die, range(FEWEST), 2))
    assert sum(len(portion) for portion in share_out(double, range(FEWEST), 2)) == FEWEST


SCRIPT = """
import time
from servicebench_data.processes import FEWEST, share_out
from tests.test_processes import double

if __name__ == "__main__":
    workers = {pid for portion in share_out(double, range(FEWEST), 2) for pid, _ in portion}
    print(*workers, flush=True)
    time.sleep(60)
"""


def test_workers_end_with_a_process_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    path = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True, env=path) as parent:
        assert parent.stdout
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers
        assert all(is_alive(pid) for pid in workers)
        parent.kill()
    deadline = time.monotonic() + 30
    while any(is_alive(pid) for pid in workers) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in workers if is_alive(pid)]


def is_alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
