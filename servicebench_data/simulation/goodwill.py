"""Goodwill of a finished conversation, from its offers as rows.

Belongs here: what was offered at most, what stands at the end, what was accepted, whether the limit was passed. Not
here: the offers while the conversation runs (`book.py`), or means over conversations.
"""

from collections.abc import Iterable
from typing import NamedTuple

from schemas.simulation import OfferRow


class Goodwill(NamedTuple):
    """Goodwill of one conversation, USD; entitlements and what has no figure count nothing.

    Attributes:
        offered_max: The most that stood on the table at any time.
        standing_at_end: What stands at the end.
        accepted: The same where the customer agreed, else nothing.
        is_over_limit: Whether an offer passed the limit; it counts as it was written.
    """

    offered_max: float
    standing_at_end: float
    accepted: float
    is_over_limit: bool


def sum_goodwill(offers: Iterable[OfferRow], *, is_agreed: bool) -> Goodwill:
    """The goodwill of a conversation's offers: a raise takes the place of its offer, an addition adds."""
    rows = sorted(offers, key=lambda row: (row.message_index, row.offer_index))
    standing: dict[str, float] = {}
    most = 0.0
    for row in rows:
        standing.pop(row.raises_offer or "", None)
        standing[f"{row.message_index}:{row.offer_index}"] = 0.0 if row.kind == "entitlement" else row.amount_usd or 0.0
        most = max(most, sum(standing.values()))
    at_end = sum(standing.values())
    return Goodwill(most, at_end, at_end if is_agreed else 0.0, any(row.is_over_limit for row in rows))
