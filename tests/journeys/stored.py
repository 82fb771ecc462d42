"""A lake with the topics and codings of some complaints made from the airline map's own examples.

Belongs here: what tests of pages and pictures read. Not here: tests.
"""

from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from schemas.dialogues import Dialogue
from schemas.journeys import Coding, Embedding, Recoding, Topic, TopicMember
from schemas.records import Record
from servicebench_data.journeys.coding import code_dialogues
from servicebench_data.journeys.deciding import CodingTables, TopicTables, apply_to_codings, apply_to_topics
from servicebench_data.journeys.decisions import Decisions, load_decisions
from servicebench_data.journeys.topics import find_topics
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.store import Lake, Origin
from tests.journeys.words import airline, airline_head, embed_table, map_examples, tabulate
from tests.review.items import HOSTILE
from tests.rows import plain_row


@cache
def complaints() -> pa.Table:
    """Every third example, one of them with something hostile in it, and one without a word."""
    texts = map_examples()[::3]
    return tabulate([f"{HOSTILE} {texts[0]}", *texts[1:], "😡"])


@cache
def found() -> tuple[TopicTables, pa.Table]:
    """The topics as they were found, and the head's codings."""
    table, head = complaints(), airline_head()
    vectors = embed_table(table)
    topics = find_topics(table, vectors, airline(), head, model="words", seed=7, min_dialogues=20)
    return TopicTables(topics.topic, topics.topic_member), code_dialogues(table, vectors, head)


@cache
def embeddings() -> pa.Table:
    """Table `embedding` of the complaints."""
    vectors = embed_table(complaints())
    keys: dict[str, Any] = {"industry": "airline", "model": "words"}
    rows = [
        Embedding(dialogue_id=name, text_sha256=f"{place:064x}", vector=[float(value) for value in vector], **keys)
        for place, (name, vector) in enumerate(
            zip(map(str, complaints()["dialogue_id"].to_pylist()), vectors, strict=True)
        )
    ]
    return from_records(Embedding, rows)


def store(home: Path) -> Lake:
    """A lake in a home, with what people decided there."""
    lake = Lake(home)
    rows = [
        Dialogue.model_validate(plain_row(Dialogue, place, industry="airline", post_count=2, turn_count=2, **row))
        for place, row in enumerate(complaints().to_pylist())
    ]
    write(lake, Dialogue, from_records(Dialogue, rows))
    write(lake, Embedding, embeddings())
    rebuild(lake)
    return lake


def rebuild(lake: Lake) -> CodingTables:
    """Apply what people decided, as a build does."""
    topics, codings = found()
    decisions: Decisions = load_decisions(lake.overrides, "airline")
    decided = apply_to_topics(topics, embeddings(), decisions, airline())
    coded = apply_to_codings(codings, decided, embeddings(), decisions, airline())
    for record, table in (
        (Topic, decided.topic), (TopicMember, decided.topic_member), (Coding, coded.coding), (Recoding, coded.recoding),
    ):  # fmt: skip
        write(lake, record, table)
    return coded


def write(lake: Lake, record: type[Record], table: pa.Table) -> None:
    """Store a table of the industry."""
    lake.write(record, table, "airline", made_from=Origin(fingerprint="f" * 64))
