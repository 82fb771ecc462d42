"""How well people agree who coded the same items: chance-corrected, with intervals, and where they differ.

Belongs here: the figures. Not here: reading the file (`codings_file.py`), the coefficients
(`kappas.py`) or printing.

Two coders: Cohen's kappa over the items that both coded. More: Krippendorff's alpha for nominal data over the items
that at least two coded. A coding that is missing is missing: it counts neither as agreement nor as a category.
Intervals are bootstrapped over items.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from servicebench_data.journeys import kappas
from servicebench_data.journeys.arrays import Floats, Integers

# Chance moves the ends of an interval by 2% of its width with so many, and a person waits for each of them.
RESAMPLES = 1000
#: With fewer items that two people coded there is no interval, nor for a category or stage that fewer of them were
#: given: resamples of so few tell less than they seem to.
FEWEST_ITEMS = 10
FEWEST_USES = 5


class Coded(NamedTuple):
    """One person's coding of one item."""

    item_id: str
    coder: str
    category_id: str


@dataclass(frozen=True)
class Figure:
    """A coefficient over all items or for one category or stage against all others.

    Attributes:
        name: Category or stage, or what all are called.
        value: The coefficient; missing where it is undefined, as when everybody always said the same.
        low: Lower end of the 95% interval; missing where there are too few items, where most resamples have no value,
            and where all have the same.
        high: Upper end.
        uses: How often each coder used it, in the coders' order.
        items: Items that count.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    uses: tuple[int, ...]
    items: int


class Difference(NamedTuple):
    """An item that people coded differently, with each one's category; empty for a missing one."""

    item_id: str
    categories: tuple[str, ...]


@dataclass(frozen=True)
class Agreement:
    """All figures of a file.

    Attributes:
        measure: Name of the coefficient.
        coders: The coders.
        overall: By category and by stage, over all items.
        stages: Each stage against the others, in the map's order.
        categories: Each category that somebody used against the others, in the map's order.
        differences: Items that people coded differently.
        confusions: Pairs of categories by how many pairs of codings they keep apart, most frequent first.
    """

    measure: str
    coders: tuple[str, ...]
    overall: list[Figure]
    stages: list[Figure]
    categories: list[Figure]
    differences: list[Difference]
    confusions: list[tuple[str, str, int]]


def measure_agreement(codings: Sequence[Coded], stages: Mapping[str, str], seed: int) -> Agreement:
    """Agreement by category and stage.

    Args:
        codings: At most one coding for each item and coder.
        stages: Stage of each category, in the map's order.
        seed: Seed of the resamples.

    Raises:
        ValueError: Fewer than two people, or no item that two of them coded.
    """
    coders = tuple(sorted({entry.coder for entry in codings}))
    items = sorted({entry.item_id for entry in codings})
    table = tabulate(codings, items, coders, {name: place for place, name in enumerate(stages)})
    if len(coders) < 2 or not ((table >= 0).sum(axis=1) >= 2).any():
        raise ValueError(
            f"{len(coders)} people coded, and no item was coded by two; agreement needs two people's codings."
        )
    compute = compute_kappa if len(coders) == 2 else compute_alpha
    draw = Draws(table, compute, seed)
    stage_names = list(dict.fromkeys(stages.values()))
    stage_of = np.array([stage_names.index(name) for name in stages.values()], dtype=np.int64)
    by_stage = np.where(table >= 0, stage_of[table], -1)
    used = [place for place in range(len(stages)) if (table == place).any()]
    names = list(stages)
    differences = [
        Difference(item, tuple(names[place] if place >= 0 else "" for place in row))
        for item, row in zip(items, cast("list[list[int]]", table.tolist()), strict=True)
        if len({place for place in row if place >= 0}) > 1
    ]
    return Agreement(
        "Cohen's kappa" if len(coders) == 2 else "Krippendorff's alpha",
        coders,
        [draw.measure("all categories", table), draw.measure("all stages", by_stage)],
        [draw.oppose(name, by_stage, place) for place, name in enumerate(stage_names) if (by_stage == place).any()],
        [draw.oppose(names[place], table, place) for place in used],
        differences,
        count_confusions(differences),
    )


def tabulate(
    codings: Sequence[Coded], items: Sequence[str], coders: Sequence[str], places: Mapping[str, int]
) -> Integers:
    """Place of the category by item and coder; -1 where there is none."""
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (items, coders))
    table = np.full((len(items), len(coders)), -1, dtype=np.int64)
    for entry in codings:
        table[rows[entry.item_id], columns[entry.coder]] = places[entry.category_id]
    return table


class Draws:
    """Computes figures over the items and over resamples of them, the same for all figures.

    Args:
        table: Places by item and coder.
        compute: The coefficient.
        seed: Seed of the resamples.
    """

    def __init__(self, table: Integers, compute: Callable[[Integers, Floats], Floats], seed: int) -> None:
        counts = np.random.default_rng(seed).multinomial(len(table), np.full(len(table), 1 / len(table)), RESAMPLES)
        self._weights = np.vstack([np.ones(len(table)), counts.astype(np.float64)])
        self._compute = compute

    def measure(self, name: str, table: Integers) -> Figure:
        """The coefficient of a table, with its interval."""
        value, low, high = kappas.estimate(self._compute(table, self._weights))
        items = int(find_pairable(table).sum())
        return Figure(name, value, *((None, None) if items < FEWEST_ITEMS or low == high else (low, high)), (), items)

    def oppose(self, name: str, table: Integers, place: int) -> Figure:
        """The coefficient of one category or stage against all others."""
        figure = self.measure(name, np.where(table >= 0, (table == place).astype(np.int64), -1))
        uses = tuple(int(count) for count in (table == place).sum(axis=0))
        given = ((table == place).any(axis=1) & find_pairable(table)).sum()
        ends = (None, None) if given < FEWEST_USES else (figure.low, figure.high)
        return Figure(name, figure.value, *ends, uses, figure.items)


def find_pairable(table: Integers) -> NDArray[np.bool_]:
    """Whether two people coded each item."""
    return (table >= 0).sum(axis=1) >= 2


def compute_kappa(table: Integers, weights: Floats) -> Floats:
    """Cohen's kappa of two coders for each row of item weights; not a number where both always say one thing."""
    whole = (table >= 0).all(axis=1)
    left, right = table[whole].T.astype(np.float64)
    return kappas.compute_kappa(left, right, weights[:, whole], "nominal")


def compute_alpha(table: Integers, weights: Floats) -> Floats:
    """Krippendorff's nominal alpha for each row of item weights; not a number where only one value occurs."""
    return kappas.compute_alpha(np.where(table >= 0, table, np.nan), weights, "nominal")


def count_confusions(differences: Sequence[Difference]) -> list[tuple[str, str, int]]:
    """Pairs of categories that two people gave one item, with how many pairs of codings."""
    pairs = Counter[tuple[str, str]]()
    for entry in differences:
        given = sorted(category for category in entry.categories if category)
        pairs.update(
            (first, second) for place, first in enumerate(given) for second in given[place + 1 :] if first != second
        )
    return [(*pair, count) for pair, count in sorted(pairs.items(), key=lambda entry: (-entry[1], entry[0]))]
