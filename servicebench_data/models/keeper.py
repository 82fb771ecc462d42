"""The ledger's own thread: what many calls ask of it at once becomes one transaction.

Belongs here: queueing, batching, renewing claims. Not here: SQL (`ledger.py`), when to ask (`calling.py`).

Whoever asks waits until the transaction is committed; so a call counts as kept only when it is, and at 64 calls at once
one commit serves all that came in while the one before it was written.
"""

import asyncio
import queue
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Literal, Self
from uuid import uuid4

from schemas.models import Call
from servicebench_data.models.ledger import Ledger, LedgerError, Use, say

Kind = Literal["claim", "find", "keep", "stop"]


@dataclass
class Ask:
    """One thing asked of the ledger.

    Attributes:
        kind: What is asked.
        key: Key to find or to claim.
        calls: Calls to keep.
        released: Tokens of claims to release.
        uses: Uses to note.
        reply: Filled in with the result, once it is committed.
    """

    kind: Kind
    key: str = ""
    calls: Sequence[Call] = ()
    released: Sequence[str] = ()
    uses: Sequence[Use] = ()
    reply: "Future[Call | str | None]" = field(default_factory=Future["Call | str | None"])


class Keeper:
    """Serves a ledger from a thread of its own.

    Args:
        ledger: The ledger.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._asks: queue.SimpleQueue[Ask] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._serve, name="ledger", daemon=True)
        self._renewed_at = time.monotonic()
        self._error: Exception | None = None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._asks.put(Ask("stop"))
        self._thread.join()
        if self._error and kind is None:
            raise self._error

    async def find(self, key: str) -> Call | None:
        """An answered call, if there is one."""
        found = await self._ask(Ask("find", key=key))
        return found if isinstance(found, Call) else None

    async def claim(self, key: str) -> Call | str | None:
        """The answered call, or a token where the call is ours to make, or None while another process makes it."""
        return await self._ask(Ask("claim", key=key))

    async def keep(self, call: Call, token: str) -> None:
        """Keep a call for good and release its claim."""
        await self._ask(Ask("keep", calls=[call], released=[token]))

    def release(self, token: str) -> None:
        """Release a claim without a call, with the next batch."""
        self._asks.put(Ask("keep", released=[token]))

    def note(self, use: Use) -> None:
        """Note that an item used an answer, with the next batch."""
        self._asks.put(Ask("keep", uses=[use]))

    async def _ask(self, ask: Ask) -> Call | str | None:
        self._asks.put(ask)
        return await asyncio.wrap_future(ask.reply)

    def _serve(self) -> None:
        is_stopped = False
        while not is_stopped:
            batch = self._collect()
            is_stopped = any(ask.kind == "stop" for ask in batch)
            try:
                self._renew()
                answer_all(self.ledger, batch)
            except Exception as error:  # noqa: BLE001  (whoever asked gets it)
                self._error = LedgerError(
                    f"the ledger cannot be written: {say(error)}; free its disk or start its database, then run again: "
                    "what was kept before is there."
                )
                fail_all(batch, self._error)

    def _collect(self) -> list[Ask]:
        """All that is asked now; none where nothing is asked for a third of the lease."""
        try:
            batch = [self._asks.get(timeout=self.ledger.lease_seconds / 3)]
        except queue.Empty:
            return []
        while True:
            try:
                batch.append(self._asks.get_nowait())
            except queue.Empty:
                return batch

    def _renew(self) -> None:
        if time.monotonic() - self._renewed_at >= self.ledger.lease_seconds / 3:
            self.ledger.renew()
            self._renewed_at = time.monotonic()


def answer_all(ledger: Ledger, batch: Sequence[Ask]) -> None:
    """Keep what is to be kept, then find and claim."""
    keeps = [ask for ask in batch if ask.kind == "keep"]
    ledger.record(
        [call for ask in keeps for call in ask.calls],
        [token for ask in keeps for token in ask.released],
        [use for ask in keeps for use in ask.uses],
    )
    for ask in keeps:
        ask.reply.set_result(None)
    asks = [ask for ask in batch if ask.kind in {"find", "claim"}]
    found: dict[str, Call | str] = {**ledger.find({ask.key for ask in asks})}
    wanted = {ask.key for ask in asks if ask.kind == "claim" and ask.key not in found}
    found.update(claim_all(ledger, wanted))
    for ask in asks:
        result = found.get(ask.key)
        ask.reply.set_result(result)
        if isinstance(result, str):  # a second one that asks for the same key waits like another process
            del found[ask.key]


def claim_all(ledger: Ledger, keys: set[str]) -> dict[str, Call | str]:
    """Claim keys; where another process has answered one since it was looked for, its answer."""
    tokens = {key: uuid4().hex for key in sorted(keys)}
    claimed = ledger.claim(tokens)
    answered = ledger.find(claimed)
    ledger.record([], [tokens[key] for key in answered])
    return {key: answered.get(key, tokens[key]) for key in sorted(claimed)}


def fail_all(batch: Sequence[Ask], error: Exception) -> None:
    """Hand an error to all who still wait."""
    for ask in batch:
        if not ask.reply.done():
            ask.reply.set_exception(error)
