"""Chooses the released scenarios: how many of each category, which ones, and on which side of the split they stand.

Belongs here: the allocation rule, the draw, the clusters, the split. Not here: whether a candidate is valid, or which
are near-duplicates (`duplicates.py`).

The rule: one for each category that has any valid candidate (where the size does not suffice for that, the first
categories by industry and id get theirs); then equal shares for the industries, what one cannot use passed on to the
others; within an industry in proportion to the square root of the category's count, by largest remainder, never more
than there are.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from schemas.scenarios import Split
from servicebench_data.scenarios.duplicates import choose_kept, name_groups
from servicebench_data.scenarios.likeness import label_groups, link_equal
from servicebench_data.scenarios.members import Member

Cell = tuple[str, str]
K = TypeVar("K", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class Drawn:
    """A candidate that is released."""

    scenario_id: str
    cluster_id: str
    split: Split
    inclusion_probability: float


def allocate(counts: Mapping[Cell, int], size: int) -> dict[Cell, int]:
    """How many to release of each category; see the module's rule.

    Args:
        counts: Valid candidates by industry and category; categories without any may be left out.
        size: How many to release in all.
    """
    available = {cell: counts[cell] for cell in sorted(counts) if counts[cell] > 0}
    total = min(size, sum(available.values()))
    given = {cell: 1 if index < total else 0 for index, cell in enumerate(available)}
    rest = total - sum(given.values())
    spare = {cell: available[cell] - given[cell] for cell in available}
    for industry, share in share_equally(sum_by_industry(spare), rest).items():
        cells = {cell: spare[cell] for cell in available if cell[0] == industry}
        weights = {cell: math.sqrt(available[cell]) for cell in cells}
        for cell, more in share_by_weight(cells, weights, share).items():
            given[cell] += more
    return given


def sum_by_industry(counts: Mapping[Cell, int]) -> dict[str, int]:
    """Totals of the categories of each industry."""
    totals: dict[str, int] = {}
    for (industry, _), count in counts.items():
        totals[industry] = totals.get(industry, 0) + count
    return totals


def share_equally(caps: Mapping[str, int], total: int) -> dict[str, int]:
    """Equal shares, none above its cap; what one cannot use goes to the others."""
    return share_by_weight(caps, dict.fromkeys(caps, 1.0), total)


def share_by_weight(caps: Mapping[K, int], weights: Mapping[K, float], total: int) -> dict[K, int]:
    """Whole shares in proportion to weights, none above its cap; their sum is the total, or all there is."""
    shares = dict.fromkeys(caps, 0)
    rest = min(total, sum(caps.values()))
    while rest > 0:
        open_keys = sorted(key for key in caps if shares[key] < caps[key])
        quotas = split_rest({key: weights[key] for key in open_keys}, rest)
        for key in open_keys:
            shares[key] += min(quotas[key], caps[key] - shares[key])
        rest = min(total, sum(caps.values())) - sum(shares.values())
    return shares


def split_rest(weights: Mapping[K, float], rest: int) -> dict[K, int]:
    """Largest-remainder apportionment without caps; ties go to the smaller key."""
    whole = sum(weights.values())
    exact = {key: rest * weight / whole for key, weight in weights.items()}
    quotas = {key: math.floor(share) for key, share in exact.items()}
    ranked = sorted(weights, key=lambda key: (quotas[key] - exact[key], key))
    for key in ranked[: rest - sum(quotas.values())]:
        quotas[key] += 1
    return quotas


def draw_release(
    members: Sequence[Member], groups: Mapping[str, str], *, size: int, seed: int, evaluation_share: float
) -> list[Drawn]:
    """The released candidates in the order of their ids.

    Args:
        members: All valid candidates, in any order.
        groups: Group of near-duplicates of each; of a group one may be drawn.
        size: How many to release; all where there are fewer.
        seed: Seed of the draw. The split does not depend on it: a scenario never changes sides.
        evaluation_share: Share of clusters on the evaluation side.
    """
    kept = set(choose_kept(members, groups).values())
    cells: dict[Cell, list[str]] = {}
    for member in members:
        if member.scenario_id in kept:
            cells.setdefault(member.cell, []).append(member.scenario_id)
    given = allocate({cell: len(found) for cell, found in cells.items()}, size)
    clusters = find_clusters(members, groups)
    drawn = [
        Drawn(entry, clusters[entry], choose_split(clusters[entry], evaluation_share), given[cell] / len(found))
        for cell, found in cells.items()
        for entry in sorted(found, key=lambda entry: rank(seed, entry))[: given[cell]]
    ]
    return sorted(drawn, key=lambda entry: entry.scenario_id)


def rank(seed: int, scenario_id: str) -> tuple[str, str]:
    """Place in the draw: by a hash of seed and scenario, so that a candidate more or less moves no other."""
    return hashlib.sha256(f"draw:{seed}:{scenario_id}".encode()).hexdigest(), scenario_id


def choose_split(cluster_id: str, evaluation_share: float) -> Split:
    """The side of a cluster: fixed by its id."""
    digest = hashlib.sha256(f"split:{cluster_id}".encode()).digest()
    return "evaluation" if int.from_bytes(digest[:8], "big") / 2**64 < evaluation_share else "train"


def find_clusters(members: Sequence[Member], groups: Mapping[str, str]) -> dict[str, str]:
    """Cluster by scenario: near-duplicates and candidates of one author share it, and so on along the chain.

    A cluster's id is made from its smallest scenario id.
    """
    ids = [member.scenario_id for member in members]
    links = [*link_equal([member.customer_id for member in members]), *link_equal([groups[entry] for entry in ids])]
    named = name_groups(ids, label_groups(links, len(ids)))
    return {entry: "c" + first[1:] for entry, first in named.items()}
