"""What a task would cost, told before anything is spent.

Belongs here: the forecast and how tokens are estimated. Not here: asking.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from pydantic import BaseModel

from servicebench_data.models.conversation import Refusal, ask, judge, write_request
from servicebench_data.models.endpoints import Endpoint, find_endpoint
from servicebench_data.models.ledger import Ledger
from servicebench_data.models.options import ModelOptions
from servicebench_data.models.prices import find_price
from servicebench_data.models.request import Request, estimate_tokens
from servicebench_data.models.task import Item, Task

A = TypeVar("A", bound=BaseModel)

TOKENS_OUT = 500  # of an answer, where the ledger holds none of the task yet
PORTION = 500  # items looked up at once


class Forecast(NamedTuple):
    """What asking for some items would take; each new item counts as solved at the first try.

    Attributes:
        task: The task.
        model: The model asked first.
        items: Items to do.
        calls: Calls to make.
        cached: Calls that the ledger already holds.
        tokens_in: Tokens of the calls to make, estimated.
        tokens_out: Tokens of their answers: the mean of the ledger's for this task and model, else an assumption.
        cost_usd: Price of the calls to make; None where the model's price is unknown.
    """

    task: str
    model: str
    items: int
    calls: int
    cached: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


def forecast_task(options: ModelOptions, ledger: Ledger, task: Task[A], items: Sequence[Item[A]]) -> Forecast:
    """What the first model would be asked; see `Doorway.forecast`."""
    endpoint = find_endpoint(options.list_models(task.name)[0])
    missing, cached = 0, 0
    tokens_in = 0
    for start in range(0, len(items), PORTION):
        walk = Walk(options, ledger, endpoint)
        for request in walk.find_missing(task, items[start : start + PORTION]):
            missing += 1
            tokens_in += estimate_tokens(request.messages)
        cached += walk.cached
    mean = ledger.read_mean_tokens_out(task.name, endpoint.model)
    tokens_out = round(missing * (mean if mean is not None else min(TOKENS_OUT, options.max_output_tokens)))
    price = find_price(options, endpoint)
    cost = tokens_in * price.tokens_in + tokens_out * price.tokens_out if price else None
    return Forecast(task.name, endpoint.model, len(items), missing, cached, tokens_in, tokens_out, cost)


class Walk:
    """Follows conversations as far as the ledger knows them.

    Attributes:
        cached: Calls found so far.
    """

    def __init__(self, options: ModelOptions, ledger: Ledger, endpoint: Endpoint) -> None:
        self.options = options
        self.ledger = ledger
        self.endpoint = endpoint
        self.cached = 0

    def find_missing(self, task: Task[A], items: Sequence[Item[A]]) -> Iterator[Request]:
        """For each item that the ledger does not answer, the next request that it lacks."""
        waiting: list[tuple[Item[A], list[Refusal[A]]]] = [(item, []) for item in items]
        for _ in range(self.options.max_tries):
            asked = [
                (item, refusals, write_request(self.options, self.endpoint, task, ask(task, item, refusals)))
                for item, refusals in waiting
            ]
            found = self.ledger.find({request.key for _, _, request in asked})
            yield from (request for _, _, request in asked if request.key not in found)
            known = [(item, refusals, found[request.key]) for item, refusals, request in asked if request.key in found]
            self.cached += len(known)
            judged = [(item, refusals, call, judge(call, task, item)) for item, refusals, call in known]
            waiting = [
                (item, [*refusals, Refusal(call, verdict)])
                for item, refusals, call, verdict in judged
                if verdict.answer is None
            ]
