"""Progress of long steps in the run's log: Dagster has no other place for it.

Belongs here: deciding when a line is due, and who else is told. Not here: the steps.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from servicebench_data.simulation.running import Standing

#: Whoever runs the graph in this process and wants to show more than the log holds.
WATCHER: "ContextVar[Callable[[Standing], None] | None]" = ContextVar("watcher", default=None)
SHARE = 0.05
#: Between two lines; each is a row of the run's history, and costs as much as twenty texts that are embedded.
LEAST_SECONDS = 2.0
MOST_SECONDS = 30.0


class ProgressLog:
    """Logs a line about every 5%, from 2 to 30 seconds after the one before, and always the last; with the time left.

    Args:
        log: Takes a format and its arguments, such as `context.log.info`.
        what: What is counted.
    """

    def __init__(self, log: Callable[..., Any], what: str) -> None:
        self._log = log
        self._what = what
        self._start = self._last_time = time.monotonic()
        self._first = self._last_done = 0

    def __call__(self, done: int, total: int) -> None:
        """Take notice of what is done."""
        now = time.monotonic()
        if done <= self._last_done and done:
            self._start, self._first, self._last_done = now, done, done
        waited = now - self._last_time
        is_due = waited >= (LEAST_SECONDS if done - self._last_done >= SHARE * total else MOST_SECONDS)
        if not (is_due or done == total) or total == 0 or done == self._first:
            return
        left = (now - self._start) / max(done - self._first, 1) * (total - done)
        self._log("%s: %s of %s, about %.0f s left", self._what, done, total, left)
        self._last_done, self._last_time = done, now


class StandingLog:
    """Logs how many conversations are over, and tells the watcher after each.

    Args:
        log: Takes a format and its arguments.
        what: What is counted.
    """

    def __init__(self, log: Callable[..., Any], what: str) -> None:
        self._log = ProgressLog(log, what)
        self._watcher = WATCHER.get()

    def __call__(self, standing: "Standing") -> None:
        """Take notice of how a run stands."""
        self._log(standing.done, standing.total)
        if self._watcher:
            self._watcher(standing)
