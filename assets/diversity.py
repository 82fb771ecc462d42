"""Asset of the scenarios group that tells how varied the released set is.

Belongs here: gathering its tables, and showing the report to a person. Not here: any measure
(`servicebench_data/scenarios/diversity.py`).
"""

from typing import Any

import dagster as dg
import pyarrow as pa

from assets.plots import draw_bars
from assets.product import ProductBase
from assets.steps import Made, Results, Step, describe_asset, run_step
from schemas.dialogues import Dialogue
from schemas.scenarios import BackgroundSentence, Candidate, Fact, Scenario, ScenarioDiversity
from servicebench_data.lake.generations import list_sources
from servicebench_data.scenarios.diversity import (
    count_flagged,
    list_values,
    measure_diversity,
    write_report,
)

DIVERSITY = Step(
    (ScenarioDiversity,),
    (Scenario, Candidate, Dialogue, BackgroundSentence, Fact),
    ("scenarios", "scenarios.py", "embeddings", "industries"),
    ("embedding_model",),
)


@dg.asset(**describe_asset(ScenarioDiversity), deps=[record.table.name for record in DIVERSITY.reads])
def scenario_diversity(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """How varied the released scenarios are, and what a person should look at."""
    industries = list_sources(product.lake, Scenario, Candidate)
    embedder = product.make_embedder(context.log.info)
    files = product.lake.files(DIVERSITY.reads, industries)
    yield from run_step(
        context,
        product,
        DIVERSITY,
        lambda _: Made({ScenarioDiversity: measure_diversity(files, product.limits, embedder)}),
        over=industries,
        show=lambda _: show_diversity(product.lake.read(ScenarioDiversity)),
    )


def show_diversity(table: pa.Table) -> dict[str, Any]:
    """The report in words, and how alike the scenarios of each category are, as a picture."""
    return {
        "flagged": count_flagged(table),
        "report": dg.MetadataValue.md(write_report(table)),
        "likeness": draw_bars("Mean cosine of two scenarios of a category", list_values(table, "mean_cosine")),
    }
