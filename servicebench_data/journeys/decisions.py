"""What people decided on topics and dialogues, and whether it still holds.

Belongs here: reading the decisions of an industry and settling them. Not here: keeping them (`review/`), what follows
from them (`deciding.py`), or what a reviewer is shown (`reviewing.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pyarrow as pa

from schemas.review import Outcome, Override
from servicebench_data.lake.store import digest_json
from servicebench_data.review.overrides import digest_overrides, select_industry
from servicebench_data.review.settling import settle

TOPIC = "topic"
DIALOGUE = "dialogue"
NOT_A_COMPLAINT = "not_a_complaint"

Overrides = dict[str, Override]
Outcomes = dict[str, Outcome]


@dataclass(frozen=True)
class Decisions:
    """The decisions that count for an industry, by topic and by dialogue."""

    topics: Overrides = field(default_factory=dict[str, Override])
    dialogues: Overrides = field(default_factory=dict[str, Override])

    @property
    def digest(self) -> list[str]:
        """What stands in the fingerprint of the tables made with them."""
        return [digest_overrides(self.topics), digest_overrides(self.dialogues)]


def load_decisions(folder: Path, industry: str) -> Decisions:
    """Read an industry's decisions from the home's folder of overrides.

    Raises:
        ReviewError: A file there does not hold what it must.
    """
    return Decisions(select_industry(folder, TOPIC, industry), select_industry(folder, DIALOGUE, industry))


def digest_topics(topics: pa.Table, members: pa.Table, embeddings: pa.Table) -> dict[str, str]:
    """Digest of the texts that stand for each topic, by topic: what a reviewer saw of it.

    New dialogues in a topic do not change it: the texts are those at the centre of what the clustering put there, or
    of all its dialogues where none of these is left.
    """
    core = set(cast("list[str]", members.filter(members["is_core"])["dialogue_id"].to_pylist()))
    texts = digest_dialogues(embeddings)
    names = cast("list[str]", topics["topic_id"].to_pylist())
    shown = cast("list[list[str]]", topics["representative_ids"].to_pylist())
    return {
        name: digest_json(sorted({texts[dialogue] for dialogue in core & {*ids} or ids if dialogue in texts}))
        for name, ids in zip(names, shown, strict=True)
    }


def digest_dialogues(embeddings: pa.Table) -> dict[str, str]:
    """Digest of each dialogue's customer side, as it is embedded."""
    names = cast("list[str]", embeddings["dialogue_id"].to_pylist())
    return dict(zip(names, cast("list[str]", embeddings["text_sha256"].to_pylist()), strict=True))


def settle_topics(decisions: Overrides, digests: Mapping[str, str], categories: Sequence[str]) -> Outcomes:
    """What becomes of each decision on a topic.

    Args:
        decisions: The decisions by topic.
        digests: Current digest of each topic.
        categories: The map's categories.
    """
    outcomes: Outcomes = {}
    for topic, override in sorted(decisions.items()):
        outcome = settle(override, digests)
        if outcome == "applied":
            outcome = refuse_value(override, categories, digests)
        outcomes[topic] = outcome
    targets = {name: decisions[name].value for name, outcome in outcomes.items() if is_merge(decisions[name], outcome)}
    circular = {name for name in targets if find_target(name, targets) is None}
    return {name: "refused" if name in circular else outcome for name, outcome in outcomes.items()}


def refuse_value(override: Override, categories: Sequence[str], topics: Mapping[str, str]) -> Outcome:
    """The outcome of a decision whose item is unchanged: whether its value can still be used."""
    if override.action == "propose":
        return "proposal"
    if override.action == "recode" and override.value not in categories:
        return "refused"
    if override.action == "merge" and override.value not in topics:
        return "refused"
    return "applied"


def is_merge(override: Override, outcome: Outcome) -> bool:
    """Whether a decision merges a topic into another."""
    return override.action == "merge" and outcome == "applied"


def find_target(topic: str, targets: Mapping[str, str]) -> str | None:
    """Topic at the end of a chain of merges, or None where the chain is a circle or ends in one."""
    seen = {topic}
    while topic in targets:
        topic = targets[topic]
        if topic in seen:
            return None
        seen.add(topic)
    return topic


def settle_dialogues(decisions: Overrides, digests: Mapping[str, str], categories: Sequence[str]) -> Outcomes:
    """What becomes of each decision on a dialogue; see `settle_topics`."""
    outcomes: Outcomes = {name: settle(override, digests) for name, override in sorted(decisions.items())}
    for name, outcome in outcomes.items():
        if outcome == "applied":
            outcomes[name] = refuse_value(decisions[name], categories, {})
    return outcomes
