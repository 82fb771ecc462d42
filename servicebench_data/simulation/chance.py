"""Chance by hashing: the same words give the same number in every process, and nothing else does.

Belongs here: seeds and shares drawn from names. Not here: what is decided by them.
"""

import hashlib
import json
from collections.abc import Callable, Iterable

#: Seeds stay below what every provider's interface takes.
SEED_BITS = 31


def digest(*parts: object) -> str:
    """SHA-256 of some parts, told apart whatever they hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=str).encode()).hexdigest()


def draw_seed(*parts: object) -> int:
    """A seed for what some parts name."""
    return int(digest(*parts)[:16], 16) % 2**SEED_BITS


def rank_evenly(groups: Iterable[Iterable[str]], shuffle: Callable[[str], str]) -> list[str]:
    """Names in turn from each group, so that any beginning of the list has as many of each, give or take one.

    Args:
        groups: Names by what is to be balanced.
        shuffle: Digest of a name, which orders a group and the names of a turn.
    """
    shuffled = [sorted((shuffle(name), name) for name in names) for names in groups]
    turns = sorted((turn, *drawn) for names in shuffled for turn, drawn in enumerate(names))
    return [name for _, _, name in turns]


def make_id(prefix: str, *parts: object) -> str:
    """A short id for what some parts name."""
    return f"{prefix}{digest(*parts)[:16]}"
