"""Whether a decision still holds for the item as it is now.

Belongs here: the one rule for staleness. Not here: what a decision changes.
"""

from collections.abc import Mapping

from schemas.review import KEEP, Outcome, Override


def settle(override: Override, digests: Mapping[str, str]) -> Outcome:
    """What becomes of a decision, as far as its item says; the owner of the item may refuse it still.

    Args:
        override: The decision.
        digests: Current digest of each item of its kind, and of each cell, by `Override.target`.
    """
    current = digests.get(override.target)
    if current is None:
        return "missing"
    if current != override.item_sha256:
        return "stale"
    return "kept" if override.action == KEEP else "applied"
