"""Ids of topics over rebuilds, and what changed from one build to the next.

Belongs here: reading and matching the topics of the previous build, making ids, listing changes. Not here: finding
topics.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa

from schemas.journeys import Coding, CodingChange, Topic, TopicChange, TopicMember
from servicebench_data.journeys.arrays import load_library
from servicebench_data.lake.parquet import read_file
from servicebench_data.lake.store import Lake

# A topic keeps its id when it and the old one share at least this part of what either holds, among dialogues that
# both builds know.
SAME_SHARE = 0.3


@dataclass(frozen=True)
class Registry:
    """The tables `topic` and `topic_member` of the previous build of one industry.

    They may have been stored by a version whose tables had fewer columns: ids outlive an upgrade.
    """

    topics: pa.Table
    members: pa.Table

    @property
    def topic_of(self) -> dict[str, str | None]:
        """Topic that each dialogue of the previous build was found in; None for those without."""
        names = cast("list[str]", self.members["dialogue_id"].to_pylist())
        column = "found_topic_id" if "found_topic_id" in self.members.column_names else "topic_id"
        return dict(zip(names, self.members[column].to_pylist(), strict=True))

    @property
    def core(self) -> frozenset[str]:
        """Dialogues that the clustering itself had put into their topic."""
        names = cast("list[str]", self.members["dialogue_id"].to_pylist())
        rows = zip(names, self.members["is_core"].to_pylist(), strict=True)
        return frozenset(dialogue for dialogue, is_core in rows if is_core)

    @property
    def model(self) -> str | None:
        """Key of the embedding model that the topics were found with; None where the version did not store it."""
        if not self.topics.num_rows or "embedding_model" not in self.topics.column_names:
            return None
        return cast("str", self.topics["embedding_model"][0].as_py())

    @property
    def fit_count(self) -> int:
        """Complaints at the last clustering."""
        return cast("int", self.topics["fit_count"][0].as_py())


def read_registry(lake: Lake, industry: str) -> Registry | None:
    """The stored topics of an industry, whatever version stored them; None where there are none."""
    topics, members = lake.find(Topic, industry), lake.find(TopicMember, industry)
    return Registry(read_file(topics.path), read_file(members.path)) if topics and members else None


def read_codings(lake: Lake, industry: str) -> pa.Table | None:
    """The stored codings of an industry; None where there are none."""
    stored = lake.find(Coding, industry)
    return read_file(stored.path) if stored else None


def name_topics(
    industry: str, groups: Sequence[Sequence[str]], previous: Mapping[str, str | None], kept: Sequence[str] = ()
) -> list[str]:
    """Id of each group of dialogues: that of the old topic it continues, or a new one made from its members.

    Args:
        industry: Industry of the topics.
        groups: Dialogues of each topic.
        previous: Topic of each dialogue of the previous build.
        kept: Ids of the first groups where topics were carried on; the others are new then.
    """
    matched = dict(enumerate(kept)) or match_groups(groups, previous)
    taken = {name for name in previous.values() if name is not None}
    names: list[str] = []
    for place, group in enumerate(groups):
        name = matched.get(place) or make_id(industry, group, taken)
        taken.add(name)
        names.append(name)
    return names


def match_groups(groups: Sequence[Sequence[str]], previous: Mapping[str, str | None]) -> dict[int, str]:
    """Old topic that each group continues: the assignment with the largest overlap in all, above `SAME_SHARE`."""
    old = sorted({name for name in previous.values() if name is not None})
    if not old or not groups:
        return {}
    overlap = measure_overlap(groups, old, previous)
    rows, columns = load_library("scipy.optimize").linear_sum_assignment(overlap, maximize=True)
    return {
        int(row): old[column] for row, column in zip(rows, columns, strict=True) if overlap[row, column] >= SAME_SHARE
    }


def measure_overlap(groups: Sequence[Sequence[str]], old: Sequence[str], previous: Mapping[str, str | None]) -> Any:
    """Jaccard overlap of each group with each old topic, over the dialogues that both builds know."""
    known = {dialogue for group in groups for dialogue in group}
    sizes = Counter(name for dialogue, name in previous.items() if dialogue in known)
    place_of = {name: place for place, name in enumerate(old)}
    shared = np.zeros((len(groups), len(old)))
    group_sizes = np.zeros((len(groups), 1))
    for row, group in enumerate(groups):
        group_sizes[row] = sum(dialogue in previous for dialogue in group)
        for name, count in Counter(previous.get(dialogue) for dialogue in group).items():
            if name is not None:
                shared[row, place_of[name]] = count
    union = group_sizes + np.array([[sizes[name] for name in old]]) - shared
    return shared / np.maximum(union, 1.0)


def make_id(industry: str, group: Sequence[str], taken: set[str]) -> str:
    """A new id from the topic's members at birth, so that no retired topic's id comes back for another."""
    salt = 0
    while True:
        content = "\n".join([industry, str(salt), *sorted(group)])
        name = f"{industry}-{hashlib.sha256(content.encode()).hexdigest()[:8]}"
        if name not in taken:
            return name
        salt += 1


def list_changes(industry: str, previous: Registry | None, current: Registry) -> list[TopicChange]:
    """What changed: topics new, retired or coded otherwise, dialogues that moved or joined; by topic within each kind.

    Nothing has changed where there was no build before.
    """
    if previous is None:
        return []
    before, after = read_codes(previous.topics), read_codes(current.topics)
    both = sorted(before.keys() & after.keys())
    found = [
        *(("new", name, None, after[name]) for name in sorted(after.keys() - before.keys())),
        *(("retired", name, before[name], None) for name in sorted(before.keys() - after.keys())),
        *(("recoded", name, before[name], after[name]) for name in both if before[name] != after[name]),
        *(("moved", *move) for move in list_moves(previous.topic_of, current.topic_of)),
        *(("joined", name, None, count) for name, count in list_joined(previous.topic_of, current.topic_of)),
    ]
    names = ("change", "topic_id", "before", "after")
    return [TopicChange.model_validate({"industry": industry, **dict(zip(names, row, strict=True))}) for row in found]


def read_codes(topics: pa.Table) -> dict[str, str | None]:
    """Category of each topic."""
    names = cast("list[str]", topics["topic_id"].to_pylist())
    return dict(zip(names, topics["category_id"].to_pylist(), strict=True))


def list_moves(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[tuple[str, str, str]]:
    """Topics that lost dialogues to another topic or to none, among dialogues that both builds know: how many of."""
    held = Counter(name for dialogue, name in before.items() if name is not None and dialogue in after)
    left = Counter(
        name for dialogue, name in before.items() if name is not None and dialogue in after and after[dialogue] != name
    )
    return [(name, str(held[name]), str(left[name])) for name in sorted(left)]


def list_joined(before: Mapping[str, str | None], after: Mapping[str, str | None]) -> list[tuple[str, str]]:
    """Topics that dialogues joined which the build before knew and had in none: how many of them."""
    joined = Counter(name for dialogue, name in after.items() if name and before.get(dialogue, name) is None)
    return [(name, str(count)) for name, count in sorted(joined.items())]


def list_recodings(previous: pa.Table | None, current: pa.Table) -> list[CodingChange]:
    """Dialogues of a table `coding` that had another category in the build before; none without one."""
    names = ("dialogue_id", "category_id")
    before = dict(zip(*(previous[name].to_pylist() for name in names), strict=True)) if previous is not None else {}
    rows = current.select(["industry", *names]).to_pylist()
    return [
        CodingChange(**row, before_category_id=before[row["dialogue_id"]])
        for row in sorted(rows, key=lambda row: row["dialogue_id"])
        if row["dialogue_id"] in before and before[row["dialogue_id"]] != row["category_id"]
    ]
