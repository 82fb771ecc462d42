"""One call: from the ledger where it is there, else claimed, paid for within the caps, retried, and kept.

Belongs here: the only place that retries. Not here: asking again with reasons (`conversation.py`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from schemas.models import Call
from servicebench_data.models.budget import Budget, add
from servicebench_data.models.deeds import Deed
from servicebench_data.models.endpoints import Endpoint
from servicebench_data.models.faults import HOPELESS, OF_QUESTION, RETRIED, CallError, Fault, Scrubber
from servicebench_data.models.jobs import Job, Line, Origin
from servicebench_data.models.keeper import Keeper
from servicebench_data.models.ledger import Spent
from servicebench_data.models.options import ModelOptions
from servicebench_data.models.pacing import LONGEST_WAIT_ASKED, choose_pause
from servicebench_data.models.replies import Reply
from servicebench_data.models.request import Request
from servicebench_data.models.roads import Roads

LOG = logging.getLogger(__name__)
FIRST_POLL, LONGEST_POLL = 0.05, 1.0

REMEDIES: dict[Fault, str] = {
    "spent_quota": "add credit or name another model with SERVICEBENCH_MODEL",
    "unknown_model": "mend SERVICEBENCH_MODEL or the address",
    "busy": "lower SERVICEBENCH_MODEL_CONCURRENCY or build again later",
    "filtered": "a filter of the endpoint stops this question; name another model for it as a fallback",
    "context_overflow": "name a model with a longer context, or ask it less",
    "timeout": "raise SERVICEBENCH_MODEL_TIMEOUT_SECONDS or build again later",
}


class NoAnswerError(RuntimeError):
    """No answer came in spite of all retries; the message says why, without keys.

    Attributes:
        fault: What kind of fault it was.
    """

    def __init__(self, message: str, fault: Fault) -> None:
        super().__init__(message)
        self.fault: Fault = fault


class ReplayMissError(RuntimeError):
    """The ledger does not hold a call that a replay needs; the message names task and item."""


class Caller:
    """Makes calls.

    Args:
        options: How to ask.
        keeper: The ledger.
        roads: Ways to the endpoints; None where only the ledger may answer.
        budget: What may be spent.
        scrub: Strikes keys out of texts.
        run_id: Run that pays.
    """

    def __init__(
        self,
        options: ModelOptions,
        *,
        keeper: Keeper,
        roads: Roads | None,
        budget: Budget,
        scrub: Scrubber,
        run_id: str,
    ) -> None:
        self.options = options
        self.keeper = keeper
        self.roads = roads
        self.budget = budget
        self.scrub = scrub
        self.run_id = run_id

    async def call(self, line: Line, request: Request, origin: Origin) -> Call:
        """The answered call of a request, made only if nobody has made it.

        Raises:
            NoAnswerError: None came.
            BreakerOpenError: The endpoint is not asked any more.
            OverBudgetError: It could pass a cap.
            ReplayMissError: It is not in the ledger, and only the ledger may answer.
        """
        if self.roads is None:
            return await self.replay(request.key, origin, request.endpoint.model)
        found = await self.claim(request.key)
        return (
            found
            if isinstance(found, Call)
            else await self.make(self.roads, Job(line, request, origin, found, self.run_id))
        )

    async def claim(self, key: str) -> Call | str:
        """The answered call, or a token where it is ours to make; waits for another process that makes it now."""
        pause = FIRST_POLL
        while True:
            found = await self.keeper.claim(key)
            if found is not None:
                return found
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_POLL)

    async def replay(self, key: str, origin: Origin, asked: str) -> Call:
        """The call from the ledger alone."""
        found = await self.keeper.find(key)
        if found is None:
            raise ReplayMissError(
                f"the ledger does not hold try {origin.try_number} of task {origin.task!r} for item "
                f"{origin.item_id!r} by {asked!r}; build without replay to ask the model."
            )
        return found

    async def recall(self, deed: Deed, do: Callable[[], Awaitable[str]]) -> Call:
        """The kept answer of a function, which is called only if nobody has called it so.

        Raises:
            ReplayMissError: It is not in the ledger, and only the ledger may answer.
        """
        if self.roads is None:
            return await self.replay(deed.key, Origin(deed.task, deed.item_id, 1), deed.name)
        found = await self.claim(deed.key)
        if isinstance(found, Call):
            return found
        try:
            call = deed.write_call(await do(), self.run_id)
            await self.keeper.keep(call, found)
        except BaseException:
            self.keeper.release(found)
            raise
        return call

    async def make(self, roads: Roads, job: Job) -> Call:
        """Make a claimed call and keep it, or release the claim."""
        try:
            return await self.try_repeatedly(roads, job)
        except BaseException:
            self.keeper.release(job.token)
            raise

    async def try_repeatedly(self, roads: Roads, job: Job) -> Call:
        """Send a request until an answer comes, the fault is no passing one, or the attempts are used up."""
        line, tries = job.line, 0
        while True:
            try:
                return await self.attempt(roads, job)
            except CallError as error:
                if drop_parameter(line, error):
                    continue
                tries += 1
                LOG.warning("a request to %r failed: %s", line.endpoint.model, error.fault)
                if not self.is_worth_a_retry(error, tries):
                    raise NoAnswerError(await self.give_up(job, error), error.fault) from None
                await line.breaker.pause(choose_pause(tries, self.options.backoff_seconds, error.retry_after))

    def is_worth_a_retry(self, error: CallError, tries: int) -> bool:
        """Whether to send the request again."""
        is_soon = (error.retry_after or 0) <= LONGEST_WAIT_ASKED
        return error.fault in RETRIED and is_soon and tries < self.options.max_attempts

    async def attempt(self, roads: Roads, job: Job) -> Call:
        """Send a request once; its place is given back when the answer is kept, so that few can ever be lost.

        Raises:
            CallError: No answer came.
        """
        line = job.line
        line.breaker.check()
        ticket = await line.limiter.acquire()
        try:
            line.breaker.check()
            need = job.bound_need()
            await self.budget.reserve(need)
            reply = await self.send(roads, job, need, ticket)
            call = job.write_call(reply)
            await self.keeper.keep(call, job.token)
            return call
        finally:
            line.limiter.release()

    async def send(self, roads: Roads, job: Job, need: Spent, ticket: int) -> Reply:
        """Send a request, and settle what it took and what it says about the endpoint's pace."""
        job.attempts += 1
        clock = asyncio.get_running_loop()
        start = clock.time()
        taken = need  # whatever else ends the wait, the endpoint may bill all of it
        try:
            reply = await roads.send(job.request, frozenset(job.line.dropped))
            taken = job.count_taken(reply, need)
        except CallError as error:
            if error.fault not in {"timeout", "unreadable"}:
                taken = Spent(calls=1)
            self.note_fault(job.line, error, ticket)
            raise
        finally:
            job.latency = clock.time() - start
            job.taken = add(job.taken, taken)
            self.budget.settle(need, taken)
        job.line.limiter.note_answer()
        job.line.breaker.note_answer()
        return reply

    def note_fault(self, line: Line, error: CallError, ticket: int) -> None:
        """Slow down, or stop."""
        if error.fault in {"busy", "timeout"}:
            wait = error.retry_after if (error.retry_after or 0) <= LONGEST_WAIT_ASKED else None
            line.limiter.note_busy(ticket, wait)
        if error.fault in HOPELESS:
            line.breaker.open(self.explain(line.endpoint, error))

    async def give_up(self, job: Job, error: CallError) -> str:
        """Keep a failed call, count it against the endpoint, and say why."""
        reason = self.explain(job.line.endpoint, error)
        if error.fault not in OF_QUESTION:
            job.line.breaker.note_failure(reason)
        failed = job.write_call(None, self.scrub(f"{error.fault}: {error}"))
        await self.keeper.keep(failed, job.token)
        return reason

    def explain(self, endpoint: Endpoint, error: CallError) -> str:
        """A fault in words for people, with the remedy and without keys."""
        remedy = REMEDIES.get(error.fault, "see the ledger's row, or build again later")
        if error.fault == "refused_key":
            remedy = f"set {endpoint.key_name or 'its key'} to a key that is valid there"
        return f"model {endpoint.model!r}: {error.fault.replace('_', ' ')} ({self.scrub(str(error))}); {remedy}."


def drop_parameter(line: Line, error: CallError) -> bool:
    """Leave a refused parameter out from now on; False where the fault is another one."""
    if error.fault != "refused_parameter" or error.parameter is None:
        return False
    if error.parameter not in line.dropped:
        line.dropped.add(error.parameter)
        LOG.warning("%r refuses the parameter %r; it is left out", line.endpoint.model, error.parameter)
    return True
