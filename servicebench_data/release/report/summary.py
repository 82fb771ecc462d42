"""What stands at the top of the report: what was played, and how far its numbers can be trusted.

Belongs here: agents in order, the tiles, and what each label means. Not here: any figure.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servicebench_data.release.report.reading import Answer, Row

#: What a label on a justice number means to its reader.
MEANINGS = {
    "judge not validated": "The judges have not been held against people. Until at least 100 transcripts are rated by "
    "three people each, read every justice number as what these judges say, not as what people would.",
    "rule engine": "Scores come from a rule engine that reads the acts which agents declare. It shows that the "
    "machinery works and keeps its order; it is no model's judgment and nobody's feeling.",
    "scripted agent": "Agents follow scripts of ours with known virtues and faults. They are a yardstick for the "
    "instruments, not products to choose from.",
    "self-play": "An agent's model family plays a second part, the customer or a judge: a model talks with itself or "
    "grades itself. The headline leaves out judges of the agent's own family.",
    "judge refused": "A judge's scores do not vary, or agree too little with people's (Spearman under 0.5): they enter "
    "no leaderboard.",
}


@dataclass(frozen=True)
class Caution:
    """A label with what it means and whom it is about; of the headline, or of single judges' scores alone."""

    label: str
    meaning: str
    agents: Sequence[str]
    is_headline: bool


@dataclass(frozen=True)
class Trust:
    """How far the numbers can be trusted."""

    warnings: Sequence[Caution]
    judges: Answer


def describe_trust(labels: Answer, judges: Answer) -> Trust:
    """The labels with their meaning, and what is known of the judges.

    Args:
        labels: Agents with the labels of their totals.
        judges: Status of the judges; may be missing.
    """
    about: dict[str, dict[str, bool]] = {}
    for row in labels.rows:
        for label in split_label(row):
            agents = about.setdefault(label, {})
            agents[row["agent"]] = agents.get(row["agent"], False) or row["is_headline"]
    return Trust([describe_label(label, about[label]) for label in sorted(about, key=rank_label)], judges)


def describe_label(label: str, agents: Mapping[str, bool]) -> Caution:
    """A label with its meaning and the agents that it is about, each with whether its headline carries it."""
    return Caution(label, MEANINGS.get(label, ""), list(agents), any(agents.values()))


def split_label(row: Row) -> list[str]:
    """The labels of a row."""
    return [label for label in str(row.get("label") or "").split("; ") if label]


def rank_label(label: str) -> tuple[int, str]:
    """Key that sorts labels as they are listed above, others by name behind them."""
    return (list(MEANINGS).index(label) if label in MEANINGS else len(MEANINGS), label)


def stamp(headline: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Labels of a figure of justice: those of the headline, and those with a meaning that its own rows carry."""
    own = {label for row in rows for label in split_label(row) if label in MEANINGS}
    return sorted({*headline, *own}, key=rank_label)


def list_agents(about: Row, agents: Sequence[Row]) -> list[str]:
    """Agents in the order of the experiment's file; those that the file does not name follow by name."""
    try:
        named = [str(entry["name"]) for entry in json.loads(about["definition"])["agents"]]
    except (ValueError, KeyError, TypeError):
        named = []
    played = [str(row["agent"]) for row in agents]
    return [*(name for name in named if name in played), *(name for name in played if name not in named)]


def list_tiles(about: Row, agents: Sequence[Row]) -> list[tuple[str, str]]:
    """Figures that say how large the experiment is."""
    conversations = sum(int(row["conversations"]) for row in agents)
    valid = sum(int(row["valid"]) for row in agents)
    tiles = [
        (len(agents), "agent", "agents"),
        (max((int(row["scenarios"]) for row in agents), default=0), "scenario each", "scenarios each"),
        (conversations, "conversation", "conversations"),
        (conversations - valid, "of them spoilt", "of them spoilt"),
        (max((int(row["repeats"]) for row in agents), default=0), "run of each", "runs of each"),
        (len(about["judges"] or []), "judge", "judges"),
    ]
    shown = [tile for tile in tiles if tile[0] or "spoilt" not in tile[1]]
    return [(f"{number:,}", one if number == 1 else many) for number, one, many in shown]
