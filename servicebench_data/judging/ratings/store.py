"""People's ratings as files: one CSV for each experiment, in which every rating stays.

Belongs here: reading, merging, and forgetting. Not here: reading what a rater hands in (`incoming.py`).

The latest answer of a person to a question about a conversation counts; those before it stay in the file.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from schemas.judging import RatingEntry
from servicebench_data.lake.store import Lake, digest_json, write_atomically
from servicebench_data.review.entries import read_entries, write_entries

Target = tuple[str, str, str]


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes:
        added: Ratings that were not there before.
        known: How many were there already.
        changed: How many of the added ones give another score than the same person gave before.
    """

    added: list[RatingEntry]
    known: int
    changed: int


class Counts(NamedTuple):
    """How much of an experiment was rated: people, conversations, and those that three people or more rated."""

    raters: int
    conversations: int
    by_three: int


def count_ratings(lake: Lake) -> dict[str, Counts]:
    """How much was rated, by experiment, whether it still holds or not."""
    found: dict[str, Counts] = {}
    for name in list_rated_experiments(lake):
        raters: dict[str, set[str]] = defaultdict(set)
        for entry in read_ratings(lake, name):
            raters[entry.conversation_id].add(entry.rater)
        everybody = {rater for names in raters.values() for rater in names}
        found[name] = Counts(len(everybody), len(raters), sum(len(names) >= 3 for names in raters.values()))
    return found


def locate_ratings(lake: Lake) -> Path:
    """Folder of the home's ratings."""
    return lake.overrides / "ratings"


def list_rated_experiments(lake: Lake) -> list[str]:
    """Experiments that somebody rated, sorted."""
    return sorted(path.stem for path in locate_ratings(lake).glob("*.csv"))


def read_ratings(lake: Lake, experiment_id: str) -> list[RatingEntry]:
    """All ratings of an experiment, in their order; none where nobody rated.

    Raises:
        ReviewError: The file does not hold what it must.
    """
    path = locate_ratings(lake) / f"{experiment_id}.csv"
    return sorted(read_entries(path, RatingEntry, list(RatingEntry.model_fields)), key=order)


def order(entry: RatingEntry) -> tuple[Target, str, str]:
    """Key that sorts by target and time; two at one time by their text, so that it is always the same."""
    return entry.target, entry.rated_at.isoformat(), entry.model_dump_json()


def pick_latest(entries: Iterable[RatingEntry]) -> dict[Target, RatingEntry]:
    """The answer that counts for each target; of two at one time the later in the list."""
    latest: dict[Target, RatingEntry] = {}
    for entry in entries:
        if entry.target not in latest or entry.rated_at >= latest[entry.target].rated_at:
            latest[entry.target] = entry
    return latest


def digest_ratings(entries: Sequence[RatingEntry]) -> str:
    """SHA-256 of what was rated, for the fingerprint of what is made with it."""
    return digest_json([entry.model_dump(mode="json") for entry in entries])


def merge_ratings(lake: Lake, entries: Sequence[RatingEntry]) -> Merged:
    """Add ratings to the files of their experiments; each file is replaced at once, after all were put together.

    Merging the same ratings again changes nothing, also where they came without a time.
    """
    before = {name: read_ratings(lake, name) for name in sorted({entry.experiment_id for entry in entries})}
    held = [entry for name in before for entry in before[name]]
    latest, known = pick_latest(held), set(held)
    added = [entry for entry in dict.fromkeys(entries) if entry not in known and not is_same(entry, latest)]
    after: dict[str, list[RatingEntry]] = defaultdict(list)
    for entry in (*held, *added):
        after[entry.experiment_id].append(entry)
    for name, rows in after.items():
        if len(rows) > len(before[name]):
            write(lake, name, rows)
    changed = [entry for entry in added if entry.target in latest and latest[entry.target].score != entry.score]
    return Merged(added, len(entries) - len(added), len(changed))


def is_same(entry: RatingEntry, latest: dict[Target, RatingEntry]) -> bool:
    """Whether a rating says what the one that counts says already, at whatever time."""
    other = latest.get(entry.target)
    return other is not None and entry.model_copy(update={"rated_at": other.rated_at}) == other


def write(lake: Lake, experiment_id: str, entries: Iterable[RatingEntry]) -> None:
    """Replace an experiment's file."""
    text = write_entries(RatingEntry, sorted(entries, key=order))
    write_atomically(locate_ratings(lake) / f"{experiment_id}.csv", text)


def drop_ratings(lake: Lake, scenario_ids: Collection[str]) -> int:
    """Delete every rating of conversations on some scenarios; returns how many.

    For what must be forgotten: a comment may quote a post.
    """
    count = 0
    for name in list_rated_experiments(lake):
        entries = read_ratings(lake, name)
        kept = [entry for entry in entries if entry.scenario_id not in scenario_ids]
        if len(kept) < len(entries):
            write(lake, name, kept)
            count += len(entries) - len(kept)
    return count
