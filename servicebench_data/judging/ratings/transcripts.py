"""What a rating was given to: a conversation's transcript, by its digest.

Belongs here: the one rule for staleness. Not here: the ratings.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from schemas.judging import RatingEntry
from schemas.simulation import Conversation, MessageRow
from servicebench_data.judging.screening import list_said
from servicebench_data.lake.arrow import keep_rows, to_records
from servicebench_data.lake.store import Lake, digest_json

State = Literal["current", "stale", "missing"]


@dataclass(frozen=True)
class Rated:
    """A conversation that can be rated.

    Attributes:
        experiment_id: Its experiment.
        scenario_id: Its scenario.
        transcript_sha256: Digest of its transcript as it is now.
    """

    experiment_id: str
    scenario_id: str
    transcript_sha256: str


def digest_transcript(messages: Iterable[MessageRow]) -> str:
    """SHA-256 of who said what, in order; nothing else decides whether a rating still holds."""
    ordered = sorted(messages, key=lambda row: row.message_index)
    return digest_json([[row.role, row.text] for row in list_said(ordered)])


def digest_transcripts(messages: pa.Table, conversation_ids: Collection[str]) -> dict[str, str]:
    """Digest of the transcript of each of some conversations."""
    rows: dict[str, list[MessageRow]] = defaultdict(list)
    for row in to_records(MessageRow, keep_rows(messages, "conversation_id", conversation_ids)):
        rows[row.conversation_id].append(row)
    return {name: digest_transcript(rows[name]) for name in conversation_ids}


def find_rated(lake: Lake, conversation_ids: Collection[str]) -> dict[str, Rated]:
    """The conversations of some ids that the lake holds, whatever their experiment."""
    found: dict[str, Rated] = {}
    for experiment in lake.partitions(Conversation):
        held = to_records(
            Conversation, keep_rows(lake.read(Conversation, experiment), "conversation_id", conversation_ids)
        )
        digests = digest_transcripts(lake.read(MessageRow, experiment), [row.conversation_id for row in held])
        for row in held:
            found[row.conversation_id] = Rated(experiment, row.scenario_id, digests[row.conversation_id])
    return found


def settle_rating(entry: RatingEntry, digests: Mapping[str, str]) -> State:
    """Whether a rating is about a transcript as it is now.

    Args:
        entry: The rating.
        digests: Digest of each transcript by its conversation.
    """
    current = digests.get(entry.conversation_id)
    if current is None:
        return "missing"
    return "current" if current == entry.transcript_sha256 else "stale"
