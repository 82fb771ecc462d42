"""Heads that a process has trained, so that coding, topics and the second coding of scenarios share one.

Belongs here: keeping them by what decides them. Not here: training (`head.py`).
"""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from schemas.industry import Industry
from servicebench_data.dialogues.complaint_bank import load_bank
from servicebench_data.dialogues.complaints import train_filter
from servicebench_data.embeddings import Embedder
from servicebench_data.journeys.clusters import compile_ahead
from servicebench_data.journeys.head import Head, read_calibration, train_head
from servicebench_data.journeys.maps import digest_map
from servicebench_data.lake.store import digest_json

_trained: dict[str, Head] = {}


def find_head(industry: Industry, embedder: Embedder) -> Head:
    """The industry's head for an embedding model, trained at its first use in this process."""
    accounts = industry.accounts.model_dump(mode="json")
    key = digest_json([digest_map(industry), accounts, embedder.key, asdict(read_calibration())])
    if key not in _trained:
        _trained[key] = train_head(industry, embedder)
    return _trained[key]


def warm_up(industries: Sequence[Industry], embedder: Embedder, cache: Path) -> None:
    """Learn what builds learn from the product's own texts, and compile what they need, so that the first finds both.

    Args:
        industries: All industries.
        embedder: Gives vectors, and keeps them.
        cache: Folder for the trained complaint filter.
    """
    train_filter(load_bank(industries), embedder, cache)
    for industry in industries:
        find_head(industry, embedder)
    compile_ahead()
