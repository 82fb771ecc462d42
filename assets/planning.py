"""The asset that tells what the model's work would take, before anything is spent.

Belongs here: showing the plan in the Launchpad and the lineage. Not here: how it is made (`scenarios/writing/plan.py`).
"""

from collections.abc import Callable, Sequence
from typing import Any

import dagster as dg

from assets.automation import PLAN
from assets.journeys import code_complaints
from assets.product import ProductBase
from assets.scenarios import CANDIDATES, make_chance, read_candidates
from assets.steps import INDUSTRIES, OWNERS
from schemas.journeys import Embedding
from servicebench_data.industries import load_industry
from servicebench_data.journeys.heads import find_head
from servicebench_data.journeys.settling import make_items, make_task
from servicebench_data.scenarios.candidates import Recoder, foresee_doubts
from servicebench_data.scenarios.parts import Knowledge, prepare
from servicebench_data.scenarios.writing.plan import LedgerOracle, Oracle, PlanRow, add_plans, plan_parts, plan_task

NO_MODEL = "No model is set: the offline rules make the scenarios, and nothing is spent. Set `model` to plan for one."
NOTES = (
    "One try for each call is counted; refused answers are asked for again.",
    "Doubtful codings that are settled can add or take out dialogues that the other tasks are asked about.",
    "Estimated items lean on answers that are not there yet: the rules' parts stand in, and each counts as passed.",
)


@dg.asset(
    key=PLAN,
    group_name="scenarios",
    description="Items, calls, tokens and cost of each task that a model would do, and what the ledger already holds. "
    "Asks no model and stores nothing; `scenario_build` leaves it out, the job `model_plan` makes it.",
    owners=OWNERS,
    deps=[record.table.name for record in CANDIDATES.reads],
    partitions_def=INDUSTRIES,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def writing_plan(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> dg.MaterializeResult:
    """One row per task; see the description."""
    if not product.settings.model:
        return dg.MaterializeResult(metadata={"plan": dg.MetadataValue.md(NO_MODEL)})
    rows = make_plan(product, context.partition_keys, context.log.info)
    return dg.MaterializeResult(
        metadata={
            "plan": dg.MetadataValue.md("\n\n".join([tabulate(rows), *NOTES])),
            "rows": dg.MetadataValue.json([row._asdict() for row in rows]),
        }
    )


def make_plan(product: ProductBase, industries: Sequence[str], log: Callable[..., Any]) -> list[PlanRow]:
    """The plan over the given industries."""
    with product.make_doorway(only_recalls=True) as doorway:
        oracle, chance = LedgerOracle(doorway), make_chance(product)
        known = [prepare(load_industry(name)) for name in industries]
        return add_plans([
            [
                plan_settling(product, entry, oracle, log),
                *plan_parts(read_candidates(product, entry), entry, chance, oracle),
            ]
            for entry in known
        ])  # fmt: skip


def plan_settling(product: ProductBase, known: Knowledge, oracle: Oracle, log: Callable[..., Any]) -> PlanRow:
    """What settling the doubtful codings would take, of the dialogues and then of their finished texts."""
    industry = known.industry
    _, doubts = code_complaints(product, log, industry, product.lake.read(Embedding, industry.id))
    asked = {doubt.dialogue_id for doubt in doubts}
    sources = [source for source in read_candidates(product, known) if source.dialogue_id in asked]
    embedder = product.make_embedder(log)
    recoder = Recoder(industry, find_head(industry, embedder), embedder)
    again = foresee_doubts(sources, known, make_chance(product), recoder)
    return plan_task(make_task(), make_items(doubts, industry), oracle, make_items(again, industry))


def tabulate(rows: Sequence[PlanRow]) -> str:
    """The plan as a Markdown table."""
    lines = ["| task | model | items | of them estimated | calls | in the ledger | tokens in | out | USD |"]
    lines.append("|---|---|---|---|---|---|---|---|---|")
    lines += [f"| {' | '.join(show_row(row))} |" for row in rows]
    return "\n".join(lines)


def show_row(row: PlanRow) -> list[str]:
    """A row as texts; an unknown cost says so."""
    cost = "unknown" if row.cost_usd is None else f"{row.cost_usd:.2f}"
    return [row.task, row.model, *(str(number) for number in row[2:-1]), cost]
