"""Has a model settle the codings of which the head is least sure.

Belongs here: which dialogues are asked about, what is asked and checked, and what an answer changes. Not here: how the
head codes (`head.py`), or how a model is asked (`models/`).

The head's few likeliest categories are what the model chooses from. Where no answer passes, the head's coding stands
and is counted: it is a coding with a stated confidence, not a guess in the model's place.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from schemas.industry import Category, Industry
from schemas.journeys import CategoryAnswer, Coding
from servicebench_data.journeys.arrays import Vectors
from servicebench_data.journeys.head import Head
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.models.asking import describe_asking
from servicebench_data.models.prompts import load_prompt
from servicebench_data.models.task import Item, Outcome, Task
from servicebench_data.settings import Settings

#: Name of the task in settings, ledger and reports.
TASK = "category"
#: Changes whenever what is asked about or made of an answer changes; the prompt brings its own digest.
SETTLING_VERSION = 1
#: Categories that the model chooses from.
SHORTLIST = 6


@dataclass(frozen=True)
class Doubt:
    """A dialogue of which the head is not sure.

    Attributes:
        dialogue_id: The dialogue.
        text: What the customer wrote.
        shortlist: The likeliest categories, the likeliest first.
    """

    dialogue_id: str
    text: str
    shortlist: tuple[Category, ...]


@cache
def make_task() -> Task[CategoryAnswer]:
    """The task whose prompt lies beside this file."""
    return Task(TASK, load_prompt(Path(__file__).parent / f"{TASK}.md"), CategoryAnswer)


def describe_settling(settings: Settings) -> dict[str, object] | None:
    """What decides the settled codings beside the dialogues; None where no model is set.

    Raises:
        OptionsError: The model cannot be asked as it is named.
    """
    asking = describe_asking(settings, [TASK])
    return asking and {"version": f"{SETTLING_VERSION}-{make_task().prompt.digest[:12]}", **asking}


def find_doubts(
    codings: pa.Table, dialogues: pa.Table, vectors: Vectors, head: Head, industry: Industry
) -> list[Doubt]:
    """The dialogues whose margin is below the head's `settle_margin`, by id.

    Args:
        codings: The head's codings, as `schemas.journeys.Coding`.
        dialogues: Complaints with `dialogue_id` and `customer_text`, in the order of the vectors.
        vectors: Unit vector of each one's prepared customer text.
        head: The industry's head.
        industry: The industry.
    """
    limit = head.calibration.settle_margin
    asked = {row.dialogue_id for row in to_records(Coding, codings) if row.margin is not None and row.margin < limit}
    ids = cast("list[str]", dialogues["dialogue_id"].to_pylist())
    texts = cast("list[str]", dialogues["customer_text"].to_pylist())
    places = sorted((row for row, name in enumerate(ids) if name in asked), key=ids.__getitem__)
    if not places:
        return []
    scores = head.score([texts[row] for row in places], vectors[places])
    nearest = np.argsort(-scores, axis=1, kind="stable")[:, :SHORTLIST]
    known = {entry.id: entry for entry in industry.journey.categories}
    return [
        Doubt(ids[row], texts[row], tuple(known[head.category_ids[place]] for place in order))
        for row, order in zip(places, nearest.tolist(), strict=True)
    ]


def make_items(doubts: Sequence[Doubt], industry: Industry) -> list[Item[CategoryAnswer]]:
    """What to ask for each doubt."""
    return [
        Item(
            doubt.dialogue_id,
            {
                "industry": industry.accounts.title,
                "categories": "\n".join(map(describe_category, doubt.shortlist)),
                "customer_text": doubt.text,
            },
            partial(list_reasons, doubt),
        )
        for doubt in doubts
    ]


def describe_category(category: Category) -> str:
    """A category as the model reads it."""
    includes = "; ".join(category.includes)
    excludes = "; ".join(f"not {entry.what}: use {entry.instead}" for entry in category.excludes)
    return f"- {category.id} ({category.name}): {category.definition} Includes {includes}. {excludes}".strip()


def list_reasons(doubt: Doubt, answer: CategoryAnswer) -> list[str]:
    """Why an answer is refused, in words for the model."""
    return list(find_reasons(doubt, answer))


def find_reasons(doubt: Doubt, answer: CategoryAnswer) -> Iterator[str]:
    """Yield why an answer is refused."""
    known = [entry.id for entry in doubt.shortlist]
    if answer.category_id is None:
        if answer.quote is not None:
            yield "quote must be null where category_id is null."
        return
    if answer.category_id not in known:
        yield f"category_id {answer.category_id!r} is none of the categories listed: {', '.join(known)}; or null."
    if answer.quote is None:
        yield "quote is missing: copy the customer's words that decide."
    elif squeeze(answer.quote) not in squeeze(doubt.text):
        yield f"the customer did not write {answer.quote!r}: copy one unbroken stretch letter by letter."


def squeeze(text: str) -> str:
    """A text without differences of case and white space."""
    return " ".join(text.casefold().split())


def settle_codings(
    codings: pa.Table, outcomes: Sequence[Outcome[CategoryAnswer]], stages: dict[str, str]
) -> tuple[pa.Table, dict[str, int]]:
    """The codings with what the model settled, and how many answers were of which kind.

    Args:
        codings: The head's codings.
        outcomes: What came of each doubt.
        stages: Stage of each category.
    """
    answers = {outcome.item_id: outcome.answer for outcome in outcomes}
    rows = to_records(Coding, codings)
    kinds = Counter(name_kind(row, answers[row.dialogue_id]) for row in rows if row.dialogue_id in answers)
    settled = [settle(row, answers.get(row.dialogue_id), stages) for row in rows]
    return from_records(Coding, settled), {f"settled by a model: {kind}": kinds[kind] for kind in sorted(kinds)}


def has_settled(outcomes: Sequence[Outcome[CategoryAnswer] | None]) -> bool:
    """Whether each doubt has its answer, or one that was refused for good; else a later build asks again."""
    return all(outcome and outcome.status in {"answered", "invalid"} for outcome in outcomes)


def name_kind(row: Coding, answer: CategoryAnswer | None) -> str:
    """What an answer does to a coding."""
    if answer is None:
        return "no answer, the head's coding stands"
    if answer.category_id is None:
        return "no category fits"
    return "as the head said" if answer.category_id == row.category_id else "another category"


def settle(row: Coding, answer: CategoryAnswer | None, stages: dict[str, str]) -> Coding:
    """A coding after the model's answer; its confidence is missing, for the head's is not the model's."""
    if answer is None:
        return row
    chosen = answer.category_id
    rivals = [name for name in (row.category_id, row.rival_category_id) if name not in {None, chosen}]
    changed: dict[str, Any] = {
        "category_id": chosen,
        "stage_id": stages[chosen] if chosen else None,
        "confidence": None,
        "margin": None,
        "rival_category_id": rivals[0] if rivals else None,
        "method": "model",
        "unassigned_reason": None if chosen else "no_category_fits",
    }
    return Coding.model_validate({**row.model_dump(), **changed})
