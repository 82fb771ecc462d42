"""Codes complaints to categories of the map, or says why it does not.

Belongs here: from dialogues to the table `coding`. Not here: how the head decides (`head.py`).
"""

from operator import attrgetter
from typing import cast

import pyarrow as pa

from schemas.journeys import Coding
from servicebench_data.journeys.arrays import Vectors
from servicebench_data.journeys.head import Codes, Head
from servicebench_data.lake.arrow import from_records


def code_dialogues(
    dialogues: pa.Table, vectors: Vectors, head: Head, *, min_confidence: float | None = None
) -> pa.Table:
    """Table `coding` of an industry's complaints, by dialogue id.

    Args:
        dialogues: Complaints with `dialogue_id` and `customer_text`; in any order.
        vectors: Unit vector of each one's prepared customer text; a row of zeros for one without text.
        head: The industry's head.
        min_confidence: A dialogue below it stays unassigned; by default as in `calibration.yaml`.
    """
    floor = head.calibration.min_confidence if min_confidence is None else min_confidence
    ids = cast("list[str]", dialogues["dialogue_id"].to_pylist())
    texts = head.prepare(cast("list[str]", dialogues["customer_text"].to_pylist()))
    filled = [row for row, text in enumerate(texts) if text and vectors[row].any()]
    codes = head.code([texts[row] for row in filled], vectors[filled])
    made = [describe_coding(head, codes, place, ids[row], floor=floor) for place, row in enumerate(filled)]
    silent = [describe_silence(head, ids[row]) for row in sorted(set(range(len(ids))) - set(filled))]
    return from_records(Coding, sorted([*made, *silent], key=attrgetter("dialogue_id")))


def describe_coding(head: Head, codes: Codes, place: int, dialogue_id: str, *, floor: float) -> Coding:
    """The coding of one dialogue, from the codes of all."""
    best, confidence, margin = int(codes.best[place]), float(codes.confidence[place]), float(codes.margin[place])
    is_sure = confidence >= floor
    return Coding(
        industry=head.industry,
        dialogue_id=dialogue_id,
        category_id=head.category_ids[best] if is_sure else None,
        stage_id=head.stage_ids[best] if is_sure else None,
        confidence=confidence,
        margin=margin,
        rival_category_id=head.category_ids[int(codes.rival[place])],
        method="head",
        unassigned_reason=None if is_sure else "low_confidence",
        map_version=head.map_version,
    )


def describe_silence(head: Head, dialogue_id: str) -> Coding:
    """The coding of a dialogue in which the customer wrote no word."""
    return Coding(
        industry=head.industry, dialogue_id=dialogue_id, category_id=None, stage_id=None, confidence=None, margin=None,
        rival_category_id=None, method="head", unassigned_reason="no_text", map_version=head.map_version,
    )  # fmt: skip
