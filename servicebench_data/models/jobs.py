"""A call while it is made: the endpoint's state, the job, and the ledger's row that comes of it.

Belongs here: what `calling.py` carries from step to step. Not here: the steps.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from schemas.models import Call
from servicebench_data.models.endpoints import Endpoint
from servicebench_data.models.ledger import Spent
from servicebench_data.models.options import Price
from servicebench_data.models.pacing import Breaker, Limiter
from servicebench_data.models.prices import compute_cost
from servicebench_data.models.replies import Reply
from servicebench_data.models.request import Request


class Origin(NamedTuple):
    """What a call is made for."""

    task: str
    item_id: str
    try_number: int


@dataclass
class Line:
    """An endpoint as a run sees it.

    Attributes:
        endpoint: Where it is.
        price: What a token costs.
        breaker: Whether it is still asked.
        limiter: How many requests at once.
        dropped: Parameters that it refused.
    """

    endpoint: Endpoint
    price: Price | None
    breaker: Breaker
    limiter: Limiter
    dropped: set[str] = field(default_factory=set[str])


@dataclass
class Job:
    """A call that is ours to make.

    Attributes:
        line: The endpoint.
        request: What is asked.
        origin: What for.
        token: Our claim on it.
        run_id: Run that pays.
        started_at: When it began.
        attempts: Requests sent so far.
        latency: Time of the last of them, seconds.
        taken: What all of them took, as caps count it.
    """

    line: Line
    request: Request
    origin: Origin
    token: str
    run_id: str
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    attempts: int = 0
    latency: float = 0.0
    taken: Spent = field(default_factory=Spent)

    def bound_need(self) -> Spent:
        """The most that one request can take."""
        price = self.line.price
        tokens_in, tokens_out = self.request.bound_tokens_in(), self.request.max_output_tokens
        usd = tokens_in * price.tokens_in + tokens_out * price.tokens_out if price else 0.0
        return Spent(1, tokens_in + tokens_out, usd)

    def count_taken(self, reply: Reply, need: Spent) -> Spent:
        """What a reply took; the most that it can be where the endpoint does not say."""
        if reply.tokens_in is None or reply.tokens_out is None:
            return need
        cost = compute_cost(self.line.price, reply)
        return Spent(1, reply.tokens_in + reply.tokens_out, need.usd if cost is None else cost)

    def write_call(self, reply: Reply | None, error: str | None = None) -> Call:
        """The ledger's row: of an answer, or of a failure."""
        known = reply or Reply("")
        return Call(
            key=self.request.key,
            task=self.origin.task,
            item_id=self.origin.item_id,
            try_number=self.origin.try_number,
            model=self.line.endpoint.model,
            endpoint=self.line.endpoint.identity,
            answered_by=known.model,
            fingerprint=known.fingerprint,
            request_json=self.request.text,
            dropped=sorted(self.line.dropped),
            response_text=known.refusal or known.text if reply else None,
            finish_reason="refusal" if known.refusal else known.finish_reason,
            error=error,
            tokens_in=known.tokens_in,
            tokens_out=known.tokens_out,
            cost_usd=compute_cost(self.line.price, known),
            counted_tokens=self.taken.tokens,
            counted_usd=self.taken.usd,
            latency_seconds=self.latency,
            attempts=max(self.attempts, 1),
            started_at=self.started_at,
            ended_at=datetime.now(UTC),
            status="answered" if reply else "failed",
            run_id=self.run_id,
        )


def read_reply(call: Call) -> Reply:
    """The reply that an answered call holds."""
    text = call.response_text or ""
    if call.finish_reason == "refusal":
        return Reply("", finish_reason=call.finish_reason, refusal=text)
    return Reply(text, finish_reason=call.finish_reason)
