"""Functions that are not async, each call in a thread of its own.

Belongs here: starting the thread, and what becomes of it. Not here: how long anybody waits for it (`callables.py`).

A pool would hold as many calls as it has threads and let the others wait, and whoever waits for one of these would take
that for the function's own time. A thread for each call begins at once; there are as many as conversations go on at a
time. One whose function never ends is left behind, and keeps neither the loop nor the process from ending.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from threading import Thread
from typing import Any, NamedTuple


class Settled(NamedTuple):
    """What came of a call: what it returned, or what it raised."""

    found: Any
    error: BaseException | None


async def run_in_thread(function: Callable[[Any], Any], given: Any) -> Any:
    """What a function returns, or raises, that runs in a thread while the loop goes on."""
    answer: Future[Settled] = Future()
    run = copy_context().run
    Thread(target=run, args=(settle, answer, function, given), name="callable", daemon=True).start()
    found, error = await asyncio.wrap_future(answer)
    if error is not None:
        raise error
    return found


def settle(answer: Future[Settled], function: Callable[[Any], Any], given: Any) -> None:
    """Call a function; an error is handed over as a value, for some (StopIteration) no future takes as errors."""
    try:
        settled = Settled(function(given), None)
    except BaseException as error:  # noqa: BLE001  (whoever waits gets it, whatever it is)
        settled = Settled(None, error)
    if answer.set_running_or_notify_cancel():
        answer.set_result(settled)
