"""Work that several processes share.

Belongs here: handing out portions of items, and putting what comes back in order. Not here: any work; waiting for
models, which takes no processor (`models/`); DuckDB's and torch's own threads.

Only pure functions of a module can be shared out: a worker begins with fresh modules, and its result must not depend on
which worker made it.
"""

import atexit
import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from typing import TypeVar

#: Items that are worth starting workers for.
FEWEST = 64
#: Portions to each worker, so that none waits long for the others.
PORTIONS = 4
PORTION_LIMIT = 250
METHODS = multiprocessing.get_all_start_methods()

Item = TypeVar("Item")
Result = TypeVar("Result")


class WorkerError(RuntimeError):
    """A worker died; nothing that it had not handed over is there."""


def share_out(
    work: Callable[[Sequence[Item]], Sequence[Result]], items: Sequence[Item], processes: int
) -> Iterator[Sequence[Result]]:
    """What a function makes of items, portion by portion in their order, made by several processes where that pays.

    Args:
        work: Pure function of a module: as many results as items, in their order.
        items: The items; they are pickled, and so is what `work` carries.
        processes: Processes that may work at once; with one everything is made in this one.

    Raises:
        WorkerError: A worker died, most likely for want of memory.
    """
    portions = cut(items, processes)
    if processes == 1 or len(items) < FEWEST:
        yield from map(work, portions)
        return
    try:
        yield from open_pool(processes).map(work, portions)
    except BrokenProcessPool as error:
        open_pool.cache_clear()
        raise WorkerError(
            f"a process that worked on {len(items)} items died, most likely for want of memory; set `threads` to 1."
        ) from error


def cut(items: Sequence[Item], processes: int) -> Iterator[Sequence[Item]]:
    """Neighbouring items as portions of one size, the last one smaller."""
    size = max(1, min(PORTION_LIMIT, -(-len(items) // (processes * PORTIONS))))
    for start in range(0, len(items), size):
        yield items[start : start + size]


@cache
def open_pool(processes: int) -> ProcessPoolExecutor:
    """Workers that stay until this process ends; each is a copy of a process that has loaded no library but ours."""
    context = multiprocessing.get_context("forkserver" if "forkserver" in METHODS else "spawn")
    pool = ProcessPoolExecutor(processes, mp_context=context, initializer=end_with_parent)
    atexit.register(pool.shutdown, cancel_futures=True)
    return pool


def end_with_parent() -> None:
    """Let a worker end when the process that it works for is gone: one that is killed cannot tell it."""
    threading.Thread(target=wait_for_parent, daemon=True, name="parent").start()


def wait_for_parent() -> None:
    """Wait until the parent is gone, and end at once."""
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)
