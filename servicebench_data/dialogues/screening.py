"""Screens the dialogues of an industry: language first, then kind.

Belongs here: joining the two, and counting what became of the dialogues. Not here: telling a language (`language.py`)
or a complaint (`complaints.py`).
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pyarrow as pa

from schemas.industry import Industry
from servicebench_data.dialogues.complaint_bank import load_bank
from servicebench_data.dialogues.complaints import screen_dialogues, train_filter
from servicebench_data.dialogues.language import identify_languages
from servicebench_data.embeddings import Embedder
from servicebench_data.industries import list_brand_words


def screen_industry(
    dialogues: pa.Table, industry: Industry, industries: Sequence[Industry], *, embedder: Embedder, cache: Path
) -> pa.Table:
    """Table `screening` of an industry's dialogues.

    Args:
        dialogues: Its dialogues.
        industry: The industry, for its brand words.
        industries: All industries, whose examples teach the filter.
        embedder: Gives vectors.
        cache: Folder for the trained filter.
    """
    complaint_filter = train_filter(load_bank(industries), embedder, cache)
    languages = identify_languages(cast("list[str]", dialogues["customer_text"].to_pylist()))
    told = dialogues.append_column("language", pa.array(languages, pa.string()))
    return screen_dialogues(told, complaint_filter, list_brand_words(industry))


def count_outcomes(screenings: pa.Table) -> dict[str, int]:
    """Dialogues that were kept, and those set aside by reason."""
    reasons = cast("list[str | None]", screenings["exclusion_reason"].to_pylist())
    return dict(sorted(Counter(reason or "kept" for reason in reasons).items()))
