"""Near-duplicates among the valid candidates: groups of them, which one of a group may be released, and the rest.

Two candidates are near-duplicates when their customers wrote the same words, when what they tell without brands, values
and numbers is alike by its vector or by its word pairs, or when others link them. Belongs here: this one definition,
which the draw and the clusters of the statistics share. Not here: how texts are compared (`likeness.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import pyarrow as pa

from schemas.scenarios import NearDuplicate
from servicebench_data.journeys.arrays import Vectors
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.store import Counts
from servicebench_data.scenarios.likeness import (
    label_groups,
    link_equal,
    link_vectors,
    link_words,
    list_words,
    measure_overlap,
    pair_words,
)
from servicebench_data.scenarios.members import Member

# Chosen on planted pairs and on real ones at the border; `benchmarks/duplicates.py` prints the figures.
LEAST_COSINE = 0.83
LEAST_OVERLAP = 0.4


def find_groups(members: Sequence[Member], vectors: Vectors) -> dict[str, str]:
    """Group of each candidate, named by its smallest scenario id; one that is like no other is a group of its own.

    Args:
        members: Valid candidates.
        vectors: Unit vector of what each tells, or zeros.
    """
    firsts = list({member.told: place for place, member in reversed(list(enumerate(members)))}.values())
    told = [members[place].told for place in firsts]
    alike = [*link_vectors(vectors[firsts], LEAST_COSINE), *link_words(told, LEAST_OVERLAP)]
    links = [
        *((firsts[one], firsts[other]) for one, other in alike),
        *link_equal([member.told for member in members]),
        *link_equal([" ".join(list_words(member.customer_text)) for member in members]),
    ]
    return name_groups([member.scenario_id for member in members], label_groups(links, len(members)))


def name_groups(ids: Sequence[str], labels: Sequence[int]) -> dict[str, str]:
    """Smallest id of the group of each id."""
    smallest: dict[int, str] = {}
    for entry, label in zip(ids, labels, strict=True):
        smallest[label] = min(entry, smallest.get(label, entry))
    return {entry: smallest[label] for entry, label in zip(ids, labels, strict=True)}


def choose_kept(members: Sequence[Member], groups: Mapping[str, str]) -> dict[str, str]:
    """The one candidate of each group that may be released, by group.

    It is of the category with the fewest candidates, so that no rare category loses its only one to a common one; then
    the one with the most facts; then the one with the smallest id.
    """
    sizes = Counter(member.cell for member in members)
    ranked = sorted(members, key=lambda member: (sizes[member.cell], -member.fact_count, member.scenario_id))
    kept: dict[str, str] = {}
    for member in ranked:
        kept.setdefault(groups[member.scenario_id], member.scenario_id)
    return kept


def tabulate_duplicates(members: Sequence[Member], vectors: Vectors, groups: Mapping[str, str]) -> pa.Table:
    """Table `near_duplicate`: every candidate that is left out, in their order, with the one that stands for it."""
    kept = choose_kept(members, groups)
    place_of = {member.scenario_id: place for place, member in enumerate(members)}
    pairs = [(place, place_of[kept[groups[member.scenario_id]]]) for place, member in enumerate(members)]
    rows = (compare(members, vectors, place, other) for place, other in pairs if place != other)
    return from_records(NearDuplicate, rows)


def compare(members: Sequence[Member], vectors: Vectors, place: int, other: int) -> NearDuplicate:
    """The row of a candidate that is left out for another."""
    return NearDuplicate(
        industry=members[place].industry,
        scenario_id=members[place].scenario_id,
        kept_scenario_id=members[other].scenario_id,
        cosine=min(1.0, max(-1.0, float(vectors[place] @ vectors[other]))),
        overlap=measure_overlap(pair_words(members[place].told), pair_words(members[other].told)),
    )


def count_groups(groups: Mapping[str, str]) -> Counts:
    """How many groups there are, how many candidates are left out for them, and the size of the largest."""
    sizes = [size for size in Counter(groups.values()).values() if size > 1]
    return {
        "groups of near-duplicates": len(sizes),
        "near-duplicates left out": sum(sizes) - len(sizes),
        "largest group": max(sizes, default=1),
    }
