"""The doorway: items of a task go in, checked answers come out, and each call is paid for once.

Belongs here: opening sessions, and running a task over its items. Not here: one item (`conversation.py`), questions
of a running conversation (`session.py`), what is kept (`ledger.py`).
"""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from pydantic import BaseModel

from servicebench_data.models.budget import Budget
from servicebench_data.models.calling import Caller
from servicebench_data.models.conversation import solve
from servicebench_data.models.endpoints import Endpoint, find_endpoint
from servicebench_data.models.faults import Scrubber
from servicebench_data.models.forecast import Forecast, forecast_task
from servicebench_data.models.jobs import Line
from servicebench_data.models.keeper import Keeper
from servicebench_data.models.ledger import Ledger, Spent
from servicebench_data.models.local import LocalModels
from servicebench_data.models.options import ModelOptions, OptionsError
from servicebench_data.models.pacing import Breaker, Limiter
from servicebench_data.models.prices import find_price
from servicebench_data.models.roads import Roads
from servicebench_data.models.session import Session, Target
from servicebench_data.models.task import Item, Outcome, Task
from servicebench_data.settings import list_secrets

A = TypeVar("A", bound=BaseModel)
T = TypeVar("T")

# More items in hand than requests at once, so that one is ready whenever a place is free; not where places are few: an
# item's next question begins as its last did, which a server that keeps one conversation in mind answers twice as fast.
ITEMS_PER_PLACE = 1.25
# Fewer items say too little of how a model does.
FEWEST_TO_STOP = 25


class Doorway:
    """The way to models; close it, or use it in a `with`, when all is asked.

    Args:
        options: How models are asked.
        ledger: What they answered.
        replay: Whether only the ledger may answer.
        run_id: Run that pays; the caps hold over all doorways of one run that follow each other.
    """

    def __init__(self, options: ModelOptions, ledger: Ledger, *, replay: bool = False, run_id: str = "") -> None:
        self.options = options
        self.ledger = ledger
        self.replay = replay
        self.run_id = run_id
        self._spent = ledger.sum_spent(run_id) if run_id else Spent()
        self._local = LocalModels()
        self._dropped: dict[str, set[str]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the ledger and of model files."""
        self._local.close()
        self.ledger.close()

    def run(
        self, task: Task[A], items: Sequence[Item[A]], progress: Callable[[int, int], None] | None = None
    ) -> list[Outcome[A]]:
        """Outcome of each item, in order; `progress` is told how many of how many are done.

        Raises:
            OptionsError: A model cannot be asked as it is named, or a cap in USD cannot be held.
            PromptError: Variables of an item do not fit the prompt.
            ReplayMissError: A replay needs a call that the ledger does not hold.
            LedgerError: The ledger cannot be written; what was answered before is kept.
        """
        endpoints = [find_endpoint(name) for name in self.options.list_models(task.name)]
        self.refuse_blind_cap(endpoints)
        shift = Shift(task, items, progress)
        run_loop(self._run(endpoints, shift))
        return shift.list_outcomes()

    @asynccontextmanager
    async def open_session(self, targets: Iterable[Target]) -> AsyncGenerator[Session]:
        """A session that asks any of some models within the running loop; one session of a doorway at a time.

        Raises:
            OptionsError: A model cannot be asked as it is named, or a cap in USD cannot be held.
            ReplayMissError: A replay needs a call that the ledger does not hold.
            LedgerError: The ledger cannot be written; what was answered before is kept.
        """
        endpoints = {target: find_endpoint(*target) for target in targets}
        self.refuse_blind_cap([*endpoints.values()])
        async with self._open_caller([*endpoints.values()]) as caller:
            yield Session(caller, {target: self.open_line(endpoint) for target, endpoint in endpoints.items()})

    def refuse_blind_cap(self, endpoints: Sequence[Endpoint]) -> None:
        """Raise OptionsError where a cap in USD meets a model whose price is unknown: it would never stop anything."""
        if not self.options.caps.usd or self.replay:
            return
        for endpoint in endpoints:
            if find_price(self.options, endpoint) is None:
                raise OptionsError(
                    f"the price of {endpoint.model!r} is unknown, so a cap in USD cannot be held; set "
                    f"SERVICEBENCH_MODEL_PRICES={endpoint.model}=IN:OUT, or cap calls or tokens instead."
                )

    async def _run(self, endpoints: Sequence[Endpoint], shift: "Shift[A]") -> None:
        async with self._open_caller(endpoints) as caller:
            lines = [self.open_line(endpoint) for endpoint in endpoints]
            await finish_all([shift.work_off(caller, lines) for _ in range(self.count_workers(shift))])

    @asynccontextmanager
    async def _open_caller(self, endpoints: Sequence[Endpoint]) -> AsyncGenerator[Caller]:
        budget = Budget(self.options.caps, self._spent)
        options = self.options
        with Keeper(self.ledger) as keeper:
            async with Roads(options.concurrency, options.timeout_seconds, self._local) as roads:
                used = None if self.replay else roads
                try:
                    yield Caller(
                        options,
                        keeper=keeper,
                        roads=used,
                        budget=budget,
                        scrub=self.list_keys(endpoints),
                        run_id=self.run_id,
                    )
                finally:
                    self._spent = budget.spent

    def open_line(self, endpoint: Endpoint) -> Line:
        """An endpoint with what earlier tasks learned of it."""
        breaker = Breaker()
        limiter = Limiter(self.options.concurrency if endpoint.road != "local" else 1, breaker)
        dropped = self._dropped.setdefault(endpoint.model, set())
        return Line(endpoint, find_price(self.options, endpoint), breaker, limiter, dropped)

    def list_keys(self, endpoints: Sequence[Endpoint]) -> Scrubber:
        """What must never be written anywhere."""
        keys = [endpoint.key.get_secret_value() for endpoint in endpoints if endpoint.key]
        return Scrubber([*keys, *list_secrets()])

    def count_workers(self, shift: "Shift[Any]") -> int:
        """Items in hand at once."""
        return min(len(shift.items), math.floor(self.options.concurrency * ITEMS_PER_PLACE))

    def forecast(self, task: Task[A], items: Sequence[Item[A]]) -> Forecast:
        """What `run` would take of the first model, if it solved each new item at the first try; nothing is spent.

        Raises:
            OptionsError: The model cannot be asked as it is named.
            PromptError: Variables of an item do not fit the prompt.
        """
        return forecast_task(self.options, self.ledger, task, items)


@dataclass
class Shift(Generic[A]):
    """A task's items while workers take them one by one.

    Attributes:
        task: The task.
        items: All items.
        progress: Told how many of how many are done.
        outcomes: What came of each, by place.
        refused: How many failed every try.
        places: Places that no worker has taken yet.
    """

    task: Task[A]
    items: Sequence[Item[A]]
    progress: Callable[[int, int], None] | None
    outcomes: dict[int, Outcome[A]] = field(default_factory=dict[int, Outcome[A]])
    refused: int = 0
    places: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.places = iter(range(len(self.items)))

    async def work_off(self, caller: Caller, lines: Sequence[Line]) -> None:
        """Take items until none is left."""
        for place in self.places:
            outcome = await solve(caller, lines, self.task, self.items[place])
            self.outcomes[place] = outcome
            self.refused += outcome.status == "invalid"
            self.stop_where_hopeless(lines, caller.options.refused_share)
            if self.progress:
                self.progress(len(self.outcomes), len(self.items))

    def stop_where_hopeless(self, lines: Sequence[Line], share: float) -> None:
        """Ask no more where nearly all that was asked so far failed every try: more of it would cost as much."""
        done = len(self.outcomes)
        if done >= FEWEST_TO_STOP and self.refused > share * done:
            reason = (
                f"{self.refused} of {done} items of task {self.task.name!r} failed every try; ask another model, "
                "or raise SERVICEBENCH_MODEL_REFUSED_SHARE to go on."
            )
            for line in lines:
                line.breaker.open(reason)

    def list_outcomes(self) -> list[Outcome[A]]:
        """Outcomes in the order of the items."""
        return [self.outcomes[place] for place in range(len(self.items))]


async def finish_all(workers: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run workers side by side; the first error stops them all and is raised as it is."""
    tasks = [asyncio.create_task(worker) for worker in workers]
    if not tasks:
        return
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


def run_loop(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end in a loop of its own; in a notebook, whose thread has one already, in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def open_doorway(options: ModelOptions, ledger_url: str, *, replay: bool = False, run_id: str = "") -> Doorway:
    """A doorway on the ledger at an address.

    Raises:
        LedgerError: The ledger cannot be opened.
    """
    ledger = Ledger(ledger_url, lease_seconds=options.lease_seconds)
    return Doorway(options, ledger, replay=replay, run_id=run_id)
