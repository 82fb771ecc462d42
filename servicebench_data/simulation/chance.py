"""Chance by hashing: the same words give the same number in every process, and nothing else does.

Belongs here: seeds and shares drawn from names. Not here: what is decided by them.
"""

import hashlib
import json

#: Seeds stay below what every provider's interface takes.
SEED_BITS = 31


def digest(*parts: object) -> str:
    """SHA-256 of some parts, told apart whatever they hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, default=str).encode()).hexdigest()


def draw_seed(*parts: object) -> int:
    """A seed for what some parts name."""
    return int(digest(*parts)[:16], 16) % 2**SEED_BITS


def make_id(prefix: str, *parts: object) -> str:
    """A short id for what some parts name."""
    return f"{prefix}{digest(*parts)[:16]}"
