"""How fast an endpoint is asked: requests at once, pauses before retries, and when to stop asking.

Belongs here: limiter, breaker, length of pauses. Not here: budgets (`budget.py`), the requests themselves.
"""

import asyncio
import contextlib
import random
from collections import deque

LONGEST_PAUSE = 60.0
LONGEST_WAIT_ASKED = 900.0
FAILURES_IN_A_ROW = 5


class BreakerOpenError(RuntimeError):
    """The endpoint is not asked any more; the message says why."""


class Breaker:
    """Stops all asking of an endpoint once it is hopeless.

    It opens at once on a refused key or a spent quota, and when call after call has failed in spite of all retries.
    """

    def __init__(self) -> None:
        self._reason: str | None = None
        self._failures = 0
        self._opened = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """Whether asking has stopped."""
        return self._reason is not None

    def check(self) -> None:
        """Raise BreakerOpenError where asking has stopped."""
        if self._reason is not None:
            raise BreakerOpenError(self._reason)

    def open(self, reason: str) -> None:
        """Stop asking; the first reason stands."""
        self._reason = self._reason or reason
        self._opened.set()

    def note_failure(self, reason: str) -> None:
        """A call failed in spite of all retries."""
        self._failures += 1
        if self._failures >= FAILURES_IN_A_ROW:
            self.open(f"{self._failures} calls in a row failed in spite of retries; the last: {reason}")

    def note_answer(self) -> None:
        """A call was answered."""
        self._failures = 0

    async def pause(self, seconds: float) -> None:
        """Wait, but not on a stopped endpoint.

        Raises:
            BreakerOpenError: Asking stopped meanwhile.
        """
        if seconds > 0:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._opened.wait(), seconds)
        self.check()


class Limiter:
    """Requests at once: halved when the endpoint asks to slow down, grown by one for each round that goes well.

    Args:
        most: Most requests at once; it starts there.
        breaker: Ends every wait when it opens.
    """

    def __init__(self, most: int, breaker: Breaker) -> None:
        self.most = most
        self._breaker = breaker
        self.limit = float(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._cuts = 0
        self._resume_at = 0.0

    async def acquire(self) -> int:
        """Wait for a place; returns a ticket for `note_busy`.

        Raises:
            BreakerOpenError: Asking stopped meanwhile.
        """
        while True:
            loop = asyncio.get_running_loop()
            pause = self._resume_at - loop.time()
            if pause > 0:
                await self._breaker.pause(pause)
            elif self.in_flight < int(self.limit):
                self.in_flight += 1
                return self._cuts
            else:
                place = loop.create_future()
                self._waiting.append(place)
                await place

    def release(self) -> None:
        """Give a place back."""
        self.in_flight -= 1
        self._wake()

    def note_answer(self) -> None:
        """A request went well."""
        self.limit = min(self.limit + 1 / self.limit, float(self.most))
        self._wake()

    def note_busy(self, ticket: int, retry_after: float | None = None) -> None:
        """The endpoint asked to slow down: halve, once for all requests that were on their way together."""
        if ticket == self._cuts:
            self._cuts += 1
            self.limit = max(self.limit / 2, 1.0)
        if retry_after:
            self._resume_at = max(self._resume_at, asyncio.get_running_loop().time() + retry_after)

    def _wake(self) -> None:
        for _ in range(max(int(self.limit) - self.in_flight, 0)):
            while self._waiting and (place := self._waiting.popleft()):
                if not place.done():
                    place.set_result(None)
                    break


def choose_pause(attempt: int, base: float, retry_after: float | None) -> float:
    """Seconds before a retry: anything up to a bound that doubles, on top of what the endpoint asked for."""
    bound = min(base * 2 ** (attempt - 1), LONGEST_PAUSE)
    jitter = random.uniform(0, bound)  # noqa: S311  (spreads retries; decides no result)
    return jitter if retry_after is None else retry_after + min(jitter, bound / 2)
