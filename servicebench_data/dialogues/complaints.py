"""The complaint filter: which messages report a service failure, and what the others are.

Belongs here: training on the bank, judging messages, screening dialogues. Not here: the bank (`complaint_bank`), the
features (`complaint_features`), the arithmetic (`complaint_head`), telling languages.

A complaint, in this product, is a message whose author reports that a service fell short of what it should be: anger is
not needed ("my order has not arrived") and not enough ("I hate Mondays"). Only texts written for the product teach it.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np
import pyarrow as pa

from schemas.dialogues import ExclusionReason, Kind, Screening
from servicebench_data.dialogues.complaint_bank import COMPLAINT, ComplaintBank
from servicebench_data.dialogues.complaint_features import measure_messages
from servicebench_data.dialogues.complaint_head import (
    Exact,
    Head,
    Sample,
    fit_calibrated,
    fit_head,
    read_head,
    write_head,
)
from servicebench_data.embeddings import Embedder, prepare_text
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.lake.store import digest_json

VERSION = "2"
STRENGTH = 0.0027
KIND_STRENGTH = 0.01
# A message that is not kept is still called a complaint where its words alone make it nearly as likely as not.
NEAR_MISS = 0.4
LANGUAGES = frozenset({"en", "und"})


class Heads(NamedTuple):
    """One head tells complaints from the rest, the other the kinds of the rest from each other."""

    complaint: Head
    other: Head


class Verdicts(NamedTuple):
    """What the filter says of each message; where no word is left, kind is None and the probability NaN."""

    kind: list[Kind | None]
    complaint_probability: Exact


class ComplaintFilter:
    """Judges messages, each by itself.

    Args:
        bank: What taught it.
        heads: The weights that came of it.
        embedder: Gives vectors; of the model that it was trained with.
        method: Its name and version, with a digest of everything that decides its verdicts.
    """

    def __init__(self, bank: ComplaintBank, heads: Heads, *, embedder: Embedder, method: str) -> None:
        self._bank = bank
        self._heads = heads
        self._embedder = embedder
        self.method = method
        self.keep = bank.thresholds.keep.probability
        self.release = bank.thresholds.release.probability

    def screen(self, texts: Sequence[str], brand_words: Iterable[str] = (), *, is_to_care: bool = False) -> Verdicts:
        """Judge messages.

        Args:
            texts: Messages as people read them.
            brand_words: Names of the brands, which the embedding model does not get to see.
            is_to_care: Whether all are known to be said to a care account; else the handles in them tell.
        """
        brands = tuple(brand_words)
        prepared = [prepare_text(text, brands) for text in texts]
        rows = [row for row, text in enumerate(prepared) if text]
        kinds: list[Kind | None] = [None] * len(texts)
        probability = np.full(len(texts), np.nan)
        if rows:
            read = [texts[row] for row in rows]
            vectors = self._embedder([prepared[row] for row in rows])
            features = np.hstack([vectors, measure_messages(read, self._bank.lexicon, [is_to_care] * len(read))])
            share = self._heads.complaint.apply(features)[:, 0]
            probability[rows] = self._heads.complaint.calibrate(share)
            is_complaint = (probability[rows] >= self.keep) | (share >= NEAR_MISS)
            places = self._heads.other.apply(features).argmax(axis=1).tolist()
            for row, place, is_told in zip(rows, places, is_complaint.tolist(), strict=True):
                kinds[row] = COMPLAINT if is_told else cast("Kind", self._heads.other.labels[place])
        return Verdicts(kinds, probability)


def train_filter(bank: ComplaintBank, embedder: Embedder, cache_dir: Path) -> ComplaintFilter:
    """The filter that the bank teaches; its weights are kept in the cache folder by the digest of what decides them."""
    digest = digest_json([VERSION, STRENGTH, KIND_STRENGTH, bank.digest, embedder.key])
    paths = [cache_dir / "complaint_filter" / f"{digest[:32]}-{part}.npz" for part in Heads._fields]
    if all(path.is_file() for path in paths):
        heads = Heads(*map(read_head, paths))
    else:
        heads = train_heads(bank, embedder)
        for path, head in zip(paths, heads, strict=True):
            write_head(path, head)
    stamp = digest_json([digest, bank.thresholds.model_dump()])
    return ComplaintFilter(bank, heads, embedder=embedder, method=f"complaint_filter/{VERSION}/{stamp[:12]}")


def train_heads(bank: ComplaintBank, embedder: Embedder) -> Heads:
    """Learn to tell complaints from the rest, and the kinds of the rest from each other."""
    vectors = embedder(bank.prepared)
    features = np.hstack([vectors, measure_messages(bank.texts, bank.lexicon, bank.is_to_care)])
    labels = [kind if kind == COMPLAINT else "rest" for kind in bank.kinds]
    width = vectors.shape[1]
    rest = Sample(features, width, bank.kinds, bank.weights).select(np.array([label == "rest" for label in labels]))
    return Heads(
        fit_calibrated(Sample(features, width, labels, bank.weights), strength=STRENGTH),
        fit_head(rest, strength=KIND_STRENGTH),
    )


def screen_dialogues(dialogues: pa.Table, complaint_filter: ComplaintFilter, brand_words: Iterable[str]) -> pa.Table:
    """Table `screening` of dialogues, in their order.

    The opening is judged, and where it does not clear the release threshold the customer's whole side as well, for many
    open with a plain "can you help?" and tell what happened when they are asked; the higher probability counts.

    Args:
        dialogues: With the columns industry, dialogue_id, opening, customer_text and language.
        complaint_filter: What judges.
        brand_words: Names of the industry's brands.
    """
    brands = tuple(brand_words)
    languages = read_strings(dialogues, "language")
    is_read = [language in LANGUAGES for language in languages]
    verdicts = judge_sides(dialogues, is_read, complaint_filter, brands)
    probability = [None if np.isnan(value) else float(value) for value in verdicts.complaint_probability]
    reasons = [
        find_reason(kind, value, complaint_filter.keep, is_read=read)
        for kind, value, read in zip(verdicts.kind, probability, is_read, strict=True)
    ]
    columns = {
        "industry": dialogues["industry"],
        "dialogue_id": dialogues["dialogue_id"],
        "language": languages,
        "kind": verdicts.kind,
        "complaint_probability": probability,
        "is_kept": [reason is None for reason in reasons],
        "is_release_grade": [
            reason is None and value is not None and value >= complaint_filter.release
            for reason, value in zip(reasons, probability, strict=True)
        ],
        "exclusion_reason": reasons,
        "method": [complaint_filter.method] * dialogues.num_rows,
    }
    return pa.Table.from_pydict(columns, schema=arrow_schema(Screening))


def judge_sides(
    dialogues: pa.Table, is_read: Sequence[bool], complaint_filter: ComplaintFilter, brands: Sequence[str]
) -> Verdicts:
    """Verdicts of dialogues by their opening or their customer's whole side; none for those that are not to be read."""
    openings, sides = read_strings(dialogues, "opening"), read_strings(dialogues, "customer_text")
    kinds, probability = complaint_filter.screen(
        [text if read else "" for text, read in zip(openings, is_read, strict=True)], brands, is_to_care=True
    )
    again = [
        row
        for row, read in enumerate(is_read)
        if read and sides[row] != openings[row] and not probability[row] >= complaint_filter.release
    ]
    side_kinds, side_probability = complaint_filter.screen([sides[row] for row in again], brands, is_to_care=True)
    for row, kind, value in zip(again, side_kinds, side_probability, strict=True):
        if kind is not None and not value <= probability[row]:
            kinds[row], probability[row] = kind, value
    return Verdicts(kinds, probability)


def find_reason(kind: Kind | None, probability: float | None, keep: float, *, is_read: bool) -> ExclusionReason | None:
    """Why a dialogue is set aside; None where it is kept."""
    if not is_read:
        return "language"
    if kind is None or probability is None:
        return "no_text"
    if probability >= keep:
        return None
    return "below_threshold" if kind == "complaint" else kind


def read_strings(table: pa.Table, column: str) -> list[str]:
    """A text column as a list; missing values are empty."""
    return [value or "" for value in cast("list[str | None]", table[column].to_pylist())]
