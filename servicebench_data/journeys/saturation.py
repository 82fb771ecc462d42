"""How many categories have been found after so many dialogues: whether reading more would find more.

Belongs here: the counting. Not here: drawing.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from servicebench_data.journeys.arrays import Floats, Integers

ORDERS = 50
POINTS = 120
BAND = (0.05, 0.95)


class Saturation(NamedTuple):
    """Categories found against dialogues read.

    Attributes:
        read: Dialogues read, ascending, from 0.
        found: Categories found in one random order.
        low: Lower edge of the band over all orders.
        high: Upper edge.
        total: Categories of the map.
    """

    read: list[int]
    found: list[int]
    low: list[float]
    high: list[float]
    total: int


def measure_saturation(categories: Sequence[str | None], total: int, seed: int) -> Saturation:
    """Read an industry's dialogues in `ORDERS` random orders; the seed fixes them.

    Args:
        categories: Category of each dialogue; None for one without, which is read and finds nothing.
        total: Categories of the map.
        seed: Seed of the orders.
    """
    names = sorted({name for name in categories if name is not None})
    place = {name: number for number, name in enumerate(names)}
    codes = np.array([place.get(name or "", -1) for name in categories], dtype=np.int64)
    read = np.unique(np.linspace(0, len(codes), min(POINTS, len(codes)) + 1).round().astype(np.int64))
    chance = np.random.default_rng(seed)
    curves = np.array([count_found(codes[chance.permutation(len(codes))], read) for _ in range(ORDERS)])
    low, high = cast("tuple[Floats, Floats]", tuple(np.quantile(curves, BAND, axis=0)))
    return Saturation(
        [int(value) for value in read], [int(value) for value in curves[0]], [float(value) for value in low],
        [float(value) for value in high], total,
    )  # fmt: skip


def count_found(codes: Integers, read: Integers) -> Integers:
    """Different categories among the first dialogues of an order, for each number of dialogues read."""
    found, first = np.unique(codes, return_index=True)
    return np.searchsorted(np.sort(first[found >= 0]), read, side="left").astype(np.int64)
