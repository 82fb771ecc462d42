"""A home with an experiment that nobody rated yet, and made files of ratings: nobody gave any of them.

Belongs here: what the tests of ratings share. Not here: tests.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schemas.scenarios import Scenario
from schemas.simulation import Conversation, MessageRow
from servicebench_data.judging.ratings.page import COLUMNS
from servicebench_data.judging.ratings.transcripts import digest_transcript
from servicebench_data.lake.store import ALL, Lake, Origin
from tests.judging.bench import SAID, make_conversation, make_messages, make_tables

EXPERIMENT = "try"
#: What would give the agent away.
AGENT, MODEL = "Zebulon", "openai/gpt-zebra"


def make_home(folder: Path, said: Sequence[Sequence[str]] = (SAID,) * 6) -> Lake:
    """A lake with one conversation for each transcript; the second half is of another agent."""
    lake = Lake(folder)
    rows: list[Conversation] = []
    messages: list[MessageRow] = []
    for number, words in enumerate(said):
        agent = AGENT if number < len(said) / 2 else "Yolanda"
        rows.append(make_conversation(number, agent=agent, agent_made_by=MODEL, end_reason="SECRET-END"))
        messages += make_messages(number, words)
    for record, table in make_tables(rows, messages).items():
        is_partitioned = record.table.is_partitioned
        place = EXPERIMENT if record.table.per == "experiment" else "airline"
        lake.write(record, table, place if is_partitioned else ALL, made_from=Origin(fingerprint="made"))
    assert not Scenario.table.is_partitioned
    return lake


def digest(said: Sequence[str] = SAID) -> str:
    return digest_transcript(make_messages(0, said))


def row(number: int = 0, **given: Any) -> str:
    """A row as the page writes it."""
    values = {
        "conversation_id": f"c{number:04}", "transcript_sha256": digest(), "rater": "Ann", "interactional": 4,
        "procedural": 3, "distributive": 5, "realism_overall": 2, "rated_at": "2026-03-01T10:00:00Z", **given,
    }  # fmt: skip
    return ",".join(str(values.get(name, "")) for name in COLUMNS)


def write(folder: Path, *rows: str, header: str = ",".join(COLUMNS), name: str = "ann.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path
