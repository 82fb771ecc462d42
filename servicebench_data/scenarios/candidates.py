"""Candidates of an industry with all their parts, edited by people, and coded again from their finished text.

Belongs here: which dialogues become candidates, the order in which they are made, edited, checked and coded again, and
the second coding that each must pass. Not here: the parts (`assembly.py`), edits (`deciding.py`), or how a text is
coded (`journeys/head.py`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pyarrow as pa

from schemas.industry import Industry
from schemas.journeys import CategoryAnswer
from schemas.records import Record
from schemas.review import Override
from schemas.scenarios import Candidate, RejectionReason, ScenarioDecision
from servicebench_data.journeys.arrays import Embedder, Vectors
from servicebench_data.journeys.coding import code_dialogues
from servicebench_data.journeys.head import Head
from servicebench_data.journeys.maps import map_stages
from servicebench_data.journeys.settling import Doubt, find_doubts, has_settled, make_items, settle_codings
from servicebench_data.lake.arrow import from_records, keep_rows
from servicebench_data.models.task import Item, Outcome
from servicebench_data.scenarios.assembly import RECORDS, build_many, describe_for_coding, tabulate
from servicebench_data.scenarios.deciding import conclude, report_decisions, revise
from servicebench_data.scenarios.decisions import group_decisions
from servicebench_data.scenarios.kept import Writer
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source


@dataclass(frozen=True)
class Finished:
    """The finished text of a scenario, to be coded again.

    Attributes:
        dialogue_id: Its dialogue.
        text: The text.
        is_settled: Whether a model settled the dialogue's category.
    """

    dialogue_id: str
    text: str
    is_settled: bool


#: Codes finished texts to categories; None where it is not sure.
Recode = Callable[[Sequence[Finished]], list[str | None]]
#: Asks a model about doubtful codings.
Ask = Callable[[Sequence[Item[CategoryAnswer]]], Sequence[Outcome[CategoryAnswer] | None]]


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
        recode: Codes finished texts again.
        write: Makes the parts: `build_many` by rules, or a model.
        overrides: What people decided on scenarios of the industry, by target.
    """
    made = write(sources)
    groups = group_decisions(overrides or {})
    revised = [
        revise(parts, source, knowledge, groups.get(source.scenario_id, ()))
        for parts, source in zip(made, sources, strict=True)
    ]
    recoded = recode_candidates([entry.parts for entry in revised], sources, recode)
    concluded = [conclude(entry, parts) for entry, parts in zip(revised, recoded, strict=True)]
    decisions = from_records(ScenarioDecision, report_decisions(overrides or {}, revised, concluded))
    return {**{RECORDS[name]: table for name, table in tabulate(concluded).items()}, ScenarioDecision: decisions}


def recode_candidates(made: Sequence[Parts], sources: Sequence[Source], recode: Recode) -> list[Parts]:
    """Code the finished texts of the valid candidates; those that are not coded as their source become invalid.

    Where a person decided the source's category, the second coding is noted and no reason.
    """
    valid = [row for row, parts in enumerate(made) if parts.candidate.is_valid]
    codes = dict(zip(valid, recode([finish(made[row], sources[row]) for row in valid]), strict=True))
    return [
        replace(parts, candidate=judge_coding(parts.candidate, codes[row], is_decided=source.is_decided))
        if row in codes else parts
        for row, (parts, source) in enumerate(zip(made, sources, strict=True))
    ]  # fmt: skip


def finish(parts: Parts, source: Source) -> Finished:
    """The finished text of a scenario."""
    return Finished(source.dialogue_id, describe_for_coding(parts), source.is_settled)


def judge_coding(candidate: Candidate, recoded: str | None, *, is_decided: bool) -> Candidate:
    """The candidate with the category of its finished text, valid only where that is the source's, or decided."""
    reason: RejectionReason | None = None
    if is_decided:
        pass
    elif recoded is None:
        reason = "recoded_unassigned"
    elif recoded != candidate.category_id:
        reason = "recoded_differently"
    return candidate.model_copy(
        update={"recoded_category_id": recoded, "is_valid": reason is None, "rejection_reason": reason}
    )


class Recoder:
    """Codes finished texts as their dialogues were coded: by the head, and by a model where one settled the dialogue's.

    The model chooses from what the head finds in the finished text, and sees nothing of the first coding.

    Args:
        industry: The industry.
        head: Its head.
        embed: Embeds prepared texts.
        ask: Asks the model; None where none is set.

    Attributes:
        is_final: Whether every answer that was asked for is there or was refused for good.
    """

    def __init__(self, industry: Industry, head: Head, embed: Embedder, ask: Ask | None = None) -> None:
        self._industry = industry
        self._head = head
        self._embed = embed
        self._ask = ask
        self.is_final = True

    def __call__(self, finished: Sequence[Finished]) -> list[str | None]:
        """Category of each text; None for a text with no word in it, or below the head's threshold."""
        coded, doubts = self.read(finished)
        if doubts:
            outcomes = self._ask(make_items(doubts, self._industry)) if self._ask else ()
            self.is_final = has_settled(outcomes)
            answers = [outcome for outcome in outcomes if outcome]
            coded, _ = settle_codings(coded, answers, map_stages(self._industry))
        category_of = dict(zip(*(coded[name].to_pylist() for name in ("dialogue_id", "category_id")), strict=True))
        return [category_of[entry.dialogue_id] for entry in finished]

    def read(self, finished: Sequence[Finished]) -> tuple[pa.Table, list[Doubt]]:
        """The head's codings, as `schemas.journeys.Coding`, and what a model is to settle of them.

        That are texts of dialogues that it settled and of which the head is in doubt.
        """
        texts, vectors = self.embed(finished)
        coded = code_dialogues(texts, vectors, self._head)
        settled = np.array([entry.is_settled for entry in finished], dtype=bool)
        return coded, find_doubts(coded, texts.filter(settled), vectors[settled], self._head, self._industry)

    def embed(self, finished: Sequence[Finished]) -> tuple[pa.Table, Vectors]:
        """The texts as dialogues, and the vector of each; zeros where no word is left."""
        table = pa.table({
            "dialogue_id": pa.array([entry.dialogue_id for entry in finished], pa.string()),
            "customer_text": pa.array([entry.text for entry in finished], pa.string()),
        })  # fmt: skip
        prepared = self._head.prepare([entry.text for entry in finished])
        filled = [row for row, text in enumerate(prepared) if text]
        vectors = np.zeros((len(prepared), self._head.anchors.shape[1]), dtype=np.float32)
        if filled:
            vectors[filled] = self._embed([prepared[row] for row in filled])
        return table, vectors


def foresee_doubts(sources: Sequence[Source], knowledge: Knowledge, chance: Chance, recoder: Recoder) -> list[Doubt]:
    """About what a model would be asked of the scenarios of dialogues that it settles; the rules' parts stand in.

    Args:
        sources: Those dialogues.
        knowledge: Their industry.
        chance: Seed and rate of the stale fields.
        recoder: Codes the finished texts.
    """
    settled = [replace(source, is_settled=True) for source in sources]
    made = build_many(settled, knowledge, seed=chance.seed, stale_rate=chance.stale_rate)
    pairs = zip(made, settled, strict=True)
    _, doubts = recoder.read([finish(parts, source) for parts, source in pairs if parts.candidate.is_valid])
    return doubts
