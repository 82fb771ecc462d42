"""The table `rating`: what counts of an experiment's ratings, and whether it still holds.

Belongs here: from files and transcripts to rows. Not here: any measure.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC

import pyarrow as pa

from schemas.judging import Rating, RatingEntry
from servicebench_data.judging.ratings.questions import AsksAbout, list_questions
from servicebench_data.judging.ratings.store import pick_latest
from servicebench_data.judging.ratings.transcripts import digest_transcripts, settle_rating
from servicebench_data.lake.arrow import from_records, sort_rows


def make_rating_table(entries: Sequence[RatingEntry], messages: pa.Table) -> pa.Table:
    """One row per person and question that the person answered about a conversation.

    Args:
        entries: Ratings of one experiment, in the store's order.
        messages: Messages of the experiment's conversations, as they are now.
    """
    latest = pick_latest(entries).values()
    there = set(messages["conversation_id"].unique().to_pylist())
    digests = digest_transcripts(messages, sorted({entry.conversation_id for entry in latest} & there))
    asks_about: dict[str, AsksAbout] = {entry.question_id: entry.asks_about for entry in list_questions()}
    rows = [describe(entry, asks_about, digests) for entry in latest if entry.question in asks_about]
    return sort_rows(from_records(Rating, rows), *Rating.table.key)


def describe(entry: RatingEntry, asks_about: Mapping[str, AsksAbout], digests: Mapping[str, str]) -> Rating:
    """A rating's row."""
    return Rating(
        experiment_id=entry.experiment_id,
        conversation_id=entry.conversation_id,
        transcript_sha256=entry.transcript_sha256,
        rater=entry.rater,
        asks_about=asks_about[entry.question],
        question=entry.question,
        score=entry.score,
        comment=entry.comment or None,
        rated_at=entry.rated_at.astimezone(UTC),
        state=settle_rating(entry, digests),
    )
