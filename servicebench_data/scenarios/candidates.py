"""Candidates of an industry with all their parts, edited by people, and coded again from their finished text.

Belongs here: which dialogues become candidates, the order in which they are made, edited, checked and coded again, and
the second coding that each must pass. Not here: the parts (`assembly.py`), edits (`deciding.py`), or how a text is
coded (`journeys/head.py`).
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from typing import cast

import pyarrow as pa

from schemas.records import Record
from schemas.review import Override
from schemas.scenarios import Candidate, RejectionReason, ScenarioDecision
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.journeys.head import Head
from servicebench_data.lake.arrow import from_records, keep_rows
from servicebench_data.scenarios.assembly import RECORDS, describe_for_coding, tabulate
from servicebench_data.scenarios.deciding import conclude, report_decisions, revise
from servicebench_data.scenarios.decisions import group_decisions
from servicebench_data.scenarios.kept import Writer
from servicebench_data.scenarios.parts import Knowledge, Parts, Source

Recode = Callable[[Sequence[str]], list[str | None]]


def select_codings(codings: pa.Table, screenings: pa.Table) -> pa.Table:
    """Codings of the dialogues that clear the release threshold of the complaint filter."""
    graded = cast("list[str]", screenings.filter(screenings["is_release_grade"])["dialogue_id"].to_pylist())
    return keep_rows(codings, "dialogue_id", graded)


def build_candidates(
    sources: Sequence[Source],
    knowledge: Knowledge,
    recode: Recode,
    write: Writer,
    overrides: Mapping[str, Override] | None = None,
) -> dict[type[Record], pa.Table]:
    """Tables of all parts, by record.

    Args:
        sources: Dialogues with a category.
        knowledge: Their industry.
        recode: Codes texts to categories; None where it is not sure.
        write: Makes the parts: `build_many` by rules, or a model.
        overrides: What people decided on scenarios of the industry, by target.
    """
    made = write(sources)
    groups = group_decisions(overrides or {})
    revised = [
        revise(parts, source, knowledge, groups.get(source.scenario_id, ()))
        for parts, source in zip(made, sources, strict=True)
    ]
    decided = frozenset(source.dialogue_id for source in sources if source.is_decided)
    recoded = recode_candidates([entry.parts for entry in revised], recode, decided)
    concluded = [conclude(entry, parts) for entry, parts in zip(revised, recoded, strict=True)]
    decisions = from_records(ScenarioDecision, report_decisions(overrides or {}, revised, concluded))
    return {**{RECORDS[name]: table for name, table in tabulate(concluded).items()}, ScenarioDecision: decisions}


def recode_candidates(made: Sequence[Parts], recode: Recode, decided: Container[str] = ()) -> list[Parts]:
    """Code the finished texts of the valid candidates; those that are not coded as their source become invalid.

    Where a person decided the source's category (`decided`: their dialogues), the head's coding is noted and no reason.
    """
    valid = [row for row, parts in enumerate(made) if parts.candidate.is_valid]
    codes = dict(zip(valid, recode([describe_for_coding(made[row]) for row in valid]), strict=True))
    return [
        replace(parts, candidate=judge_coding(parts.candidate, codes[row], decided)) if row in codes else parts
        for row, parts in enumerate(made)
    ]


def judge_coding(candidate: Candidate, recoded: str | None, decided: Container[str]) -> Candidate:
    """The candidate with the category of its finished text, valid only where that is the source's, or decided."""
    reason: RejectionReason | None = None
    if candidate.dialogue_id in decided:
        pass
    elif recoded is None:
        reason = "recoded_unassigned"
    elif recoded != candidate.category_id:
        reason = "recoded_differently"
    return candidate.model_copy(
        update={"recoded_category_id": recoded, "is_valid": reason is None, "rejection_reason": reason}
    )


def recode_texts(texts: Sequence[str], head: Head, embedder: Embedder) -> list[str | None]:
    """Categories of texts by the head alone; None for a text with no word in it, or below the head's threshold."""
    prepared = head.prepare(texts)
    filled = [row for row, text in enumerate(prepared) if text]
    found: list[str | None] = [None] * len(texts)
    if not filled:
        return found
    codes = head.code([prepared[row] for row in filled], embedder([prepared[row] for row in filled]))
    for place, row in enumerate(filled):
        if float(codes.confidence[place]) >= head.calibration.min_confidence:
            found[row] = head.category_ids[int(codes.best[place])]
    return found
