"""Taking in ratings that people hand in: all files or none.

Belongs here: the one entry for the command. Not here: reading a file (`incoming.py`), or storing (`store.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from schemas.judging import RatingEntry
from servicebench_data.judging.ratings.incoming import list_conversations, read_ratings_file
from servicebench_data.judging.ratings.store import Merged, list_rated_experiments, merge_ratings, read_ratings
from servicebench_data.judging.ratings.transcripts import find_rated
from servicebench_data.lake.lock import hold_lock
from servicebench_data.lake.store import Lake
from servicebench_data.review.cells import ReviewError


@dataclass(frozen=True)
class Taken:
    """What was taken in.

    Attributes:
        merged: What the merge did.
        stale: How many of the added ratings are about a transcript that reads otherwise now.
    """

    merged: Merged
    stale: int


def take_in_ratings(lake: Lake, paths: Sequence[Path], now: datetime) -> Taken:
    """Read files of ratings and keep what they hold, or nothing where a row of any of them cannot be used.

    Raises:
        ReviewError: Some row cannot be used; every such row is named.
    """
    rated = find_rated(lake, {name for path in paths for name in list_conversations(path)})
    files: dict[Path, list[RatingEntry]] = {}
    faults: list[str] = []
    for path in paths:
        try:
            files[path] = read_ratings_file(path, rated, now)
        except ReviewError as error:
            faults += error.faults
    with hold_lock(lake.home):
        faults += find_other_spellings(lake, files)
        if faults:
            raise ReviewError(faults)
        merged = merge_ratings(lake, [entry for entries in files.values() for entry in entries])
    stale = sum(entry.transcript_sha256 != rated[entry.conversation_id].transcript_sha256 for entry in merged.added)
    return Taken(merged, stale)


def find_other_spellings(lake: Lake, files: Mapping[Path, Sequence[RatingEntry]]) -> list[str]:
    """Names that are written otherwise elsewhere, also in earlier files: one person must not count as two."""
    held = [entry for name in list_rated_experiments(lake) for entry in read_ratings(lake, name)]
    spelled = {entry.rater.casefold(): entry.rater for entry in held}
    faults: list[str] = []
    for path, entries in files.items():
        for entry in entries:
            name = spelled.setdefault(entry.rater.casefold(), entry.rater)
            if name != entry.rater:
                faults.append(
                    f"{str(path)!r}, column 'rater': {entry.rater!r} is written {name!r} elsewhere; write one person's "
                    "name in one way."
                )
    return list(dict.fromkeys(faults))
