"""Conversations as Arrow tables.

Belongs here: tables of the records, sorted, and reading conversations back. Not here: what is in the rows
(`recording.py`).
"""

from collections.abc import Iterable, Mapping, Sequence

import pyarrow as pa

from schemas.records import Record
from schemas.simulation import (
    Conversation,
    DeclaredAct,
    FactDisclosure,
    FactOpening,
    GateFlagRow,
    MessageRow,
    OfferRow,
    SimulatorFault,
)
from servicebench_data.lake.arrow import from_records, sort_rows
from servicebench_data.simulation.recording import Played

MADE: tuple[type[Record], ...] = (
    Conversation, MessageRow, OfferRow, GateFlagRow, FactOpening, FactDisclosure, SimulatorFault, DeclaredAct,
)  # fmt: skip


def list_rows(played: Played) -> Mapping[type[Record], Sequence[Record]]:
    """Rows of a conversation by table."""
    log = played.log
    return {
        Conversation: [played.conversation],
        MessageRow: log.messages,
        OfferRow: log.offers,
        GateFlagRow: log.flags,
        FactOpening: log.openings,
        FactDisclosure: log.disclosures,
        SimulatorFault: played.faults,
        DeclaredAct: log.acts,
    }


def make_tables(conversations: Iterable[Played]) -> dict[type[Record], pa.Table]:
    """Tables of conversations, each sorted by its key, so that equal conversations are equal tables."""
    rows: dict[type[Record], list[Record]] = {record: [] for record in MADE}
    for played in conversations:
        for record, found in list_rows(played).items():
            rows[record] += found
    return {record: sort_rows(from_records(record, rows[record]), *record.table.key) for record in MADE}


def join_tables(portions: Sequence[Mapping[type[Record], pa.Table]]) -> dict[type[Record], pa.Table]:
    """Tables of several portions as one each, sorted by its key."""
    return {
        record: sort_rows(pa.concat_tables([portion[record] for portion in portions]), *record.table.key)
        for record in MADE
    }
