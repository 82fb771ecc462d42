"""What a token costs: from settings, else from the price list that litellm carries, else unknown.

Belongs here: prices and the cost of a reply. Not here: caps (`budget.py`).
"""

import importlib.util
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from servicebench_data.models.endpoints import Endpoint
from servicebench_data.models.options import ModelOptions, Price
from servicebench_data.models.replies import Reply

LIST = "model_prices_and_context_window_backup.json"


@cache
def read_list() -> dict[str, Price]:
    """Price list of litellm, read from its folder without importing it (that takes seconds).

    A price of nothing stands there for one that nobody entered, and is left out.
    """
    found = importlib.util.find_spec("litellm")
    if found is None or not found.origin:
        return {}
    path = Path(found.origin).parent / LIST
    entries = cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}
    return {name: price for name, entry in entries.items() if (price := read_price(entry))}


def read_price(entry: dict[str, Any]) -> Price | None:
    """Price in an entry of the list."""
    first, second = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    if not isinstance(first, float) or not isinstance(second, float) or not first or not second:
        return None
    cached = entry.get("cache_read_input_token_cost")
    return Price(tokens_in=first, tokens_out=second, tokens_in_cached=cached if isinstance(cached, float) else None)


def find_price(options: ModelOptions, endpoint: Endpoint) -> Price | None:
    """Price of a model; None where it is unknown, as it is behind an address of one's own."""
    if endpoint.model in options.prices:
        return options.prices[endpoint.model]
    if not endpoint.is_default:
        return None
    return read_list().get(endpoint.model) or read_list().get(endpoint.name)


def compute_cost(price: Price | None, reply: Reply) -> float | None:
    """Price of a reply; None where the price or a count of tokens is unknown."""
    if price is None or reply.tokens_in is None or reply.tokens_out is None:
        return None
    cached = reply.tokens_in_cached if price.tokens_in_cached is not None else 0
    cheap = cached * (price.tokens_in_cached or 0.0)
    return (reply.tokens_in - cached) * price.tokens_in + cheap + reply.tokens_out * price.tokens_out


def add_costs(costs: Sequence[float | None]) -> float | None:
    """The sum; None where one is unknown, which is not nothing."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
