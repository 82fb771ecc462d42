"""The decisions that people made, as files: one CSV for each kind of item, in which every decision stays.

Belongs here: reading, merging, and whether a decision still holds. Not here: reading what a reviewer hands in
(`incoming.py`), or what follows from a decision.

The latest decision on an item, or on a cell of it, counts; those before it stay in the file and have no effect, so that
what was decided when, by whom and why can be told later.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from schemas.review import Override
from servicebench_data.lake.store import digest_json, write_atomically
from servicebench_data.review.cells import COLUMNS
from servicebench_data.review.entries import read_entries, write_entries

Target = tuple[str, str]
# A file of a version that knew no cells is read as well.
NEEDED = tuple(name for name in COLUMNS if name != "cell")


@dataclass(frozen=True)
class Replaced:
    """Two decisions on one item or cell: the later one, which counts, and the other."""

    counts: Override
    other: Override


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes:
        added: Decisions that were not there before.
        known: How many were there already.
        replaced: For each item or cell that had another decision: what counts now, and what does not.
    """

    added: list[Override]
    known: int
    replaced: list[Replaced]


def read_overrides(folder: Path, kind: str) -> list[Override]:
    """All decisions on one kind of item, by item and time; none where there is no file.

    Raises:
        ReviewError: The file does not hold what it must.
    """
    return sorted(read_entries(folder / f"{kind}.csv", Override, NEEDED), key=order)


def order(override: Override) -> tuple[str, str, str]:
    """Key that sorts by item and time; two at one time by their text, so that it is always the same."""
    return override.target, override.decided_at.isoformat(), override.model_dump_json()


def pick_latest(overrides: Iterable[Override]) -> dict[Target, Override]:
    """The decision that counts for each item and cell, by kind and target; of two at one time the later in the list."""
    latest: dict[Target, Override] = {}
    for override in overrides:
        key = override.kind, override.target
        if key not in latest or override.decided_at >= latest[key].decided_at:
            latest[key] = override
    return latest


def select_industry(folder: Path, kind: str, industry: str) -> dict[str, Override]:
    """The decisions that count for an industry's items of a kind, by item or cell (`Override.target`)."""
    latest = pick_latest(read_overrides(folder, kind))
    return {target: override for (_, target), override in latest.items() if override.industry == industry}


def digest_overrides(overrides: Mapping[str, Override]) -> str:
    """SHA-256 of what was decided, for the fingerprint of what is made with it."""
    return digest_json([overrides[target].model_dump(mode="json") for target in sorted(overrides)])


def merge_overrides(folder: Path, decisions: Sequence[Override]) -> Merged:
    """Add decisions to the files of their kinds; each file is replaced at once, after all of them were put together.

    Merging the same decisions again changes nothing.
    """
    before = {kind: read_overrides(folder, kind) for kind in sorted({entry.kind for entry in decisions})}
    known = {entry.model_dump_json() for entries in before.values() for entry in entries}
    fresh = {entry.model_dump_json(): entry for entry in decisions}
    added = [entry for text, entry in fresh.items() if text not in known]
    latest = pick_latest(entry for entries in before.values() for entry in entries)
    after = {
        kind: sorted([*entries, *(entry for entry in added if entry.kind == kind)], key=order)
        for kind, entries in before.items()
    }
    for kind, entries in after.items():
        if entries != before[kind]:
            write_atomically(folder / f"{kind}.csv", write_overrides(entries))
    return Merged(added, len(decisions) - len(added), list_replaced(latest, added))


def drop_overrides(folder: Path, item_ids: Iterable[str]) -> int:
    """Delete every decision on the items, whatever their kind; returns how many.

    For what must be forgotten: a reason may quote a post.
    """
    gone, count = set(item_ids), 0
    for path in sorted(folder.glob("*.csv")):
        if path.stem == "forget":
            continue
        entries = read_overrides(folder, path.stem)
        kept = [entry for entry in entries if entry.item_id not in gone]
        if len(kept) < len(entries):
            write_atomically(path, write_overrides(kept))
            count += len(entries) - len(kept)
    return count


def list_replaced(before: Mapping[Target, Override], added: Sequence[Override]) -> list[Replaced]:
    """Every added decision that meets another one on its item, in the order of the items."""
    pairs: list[Replaced] = []
    latest = dict(before)
    for entry in added:
        key = entry.kind, entry.target
        other = latest.get(key)
        wins = other is None or entry.decided_at >= other.decided_at
        if other is not None and (other.action, other.value) != (entry.action, entry.value):
            pairs.append(Replaced(entry, other) if wins else Replaced(other, entry))
        if wins:
            latest[key] = entry
    return pairs


def write_overrides(overrides: Iterable[Override]) -> str:
    """Decisions as CSV text."""
    return write_entries(Override, overrides)
