"""Assets of the measures group: what statistics say about an experiment.

Belongs here: gathering the files that statistics run on, and showing the leaderboard. Not here: any statistic.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import dagster as dg

from assets.checks import judge
from assets.plots import draw_intervals
from assets.product import ProductBase
from assets.steps import Made, Results, Step, choose_keys, describe_step, run_step, tabulate
from schemas.measures import AgentMeasure
from schemas.scenarios import Candidate, Scenario
from servicebench_data.lake.generations import list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.measures.checks import READ as CHECKED
from servicebench_data.measures.checks import check_accounts
from servicebench_data.measures.facts import open_facts
from servicebench_data.measures.leaderboard import read_leaderboard
from servicebench_data.measures.making import MADE, READ, make_measures

CODE = ("measures", "measures.py", "measures_statistics.py", "measures_ratings.py", "judging")
MEASURES = Step(MADE, READ, CODE)


@dg.multi_asset(**describe_step(MEASURES))
def measures(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Means, comparisons and checks of the judges of an experiment, from its conversations and judgments."""
    industries = list_sources(product.lake, Scenario, Candidate)
    yield from run_step(
        context,
        product,
        MEASURES,
        lambda name: measure(product, name, industries),
        over=industries,
        show=partial(show_leaderboard, product.lake),
    )


def measure(product: ProductBase, name: str, industries: Sequence[str]) -> Made:
    """The tables of an experiment."""
    with open_facts(list_files(product.lake, name, industries), product.limits) as connection:
        return Made(make_measures(connection, name))


def list_files(lake: Lake, name: str, industries: Sequence[str]) -> Mapping[str, Sequence[Path]]:
    """Files that an experiment's statistics run on, by table."""
    return {
        record.table.name: [lake.get(record, key).path for key in choose_keys(record, name, industries)]
        for record in READ
    }


def show_leaderboard(lake: Lake, partitions: Sequence[str]) -> Mapping[str, Any]:
    """The leaderboard of the last experiment of the run, as a table and as a picture."""
    rows = read_leaderboard(lake.read(AgentMeasure, partitions[-1]))
    spans = {row["agent"]: (row["total"], row["total_low"], row["total_high"]) for row in rows}
    return {
        "leaderboard": dg.MetadataValue.md(tabulate(rows, list(rows[0])) if rows else "none"),
        "total justice": draw_intervals("Total justice, mean of the industries, with its 95% interval", spans),
    }


@dg.asset_check(
    asset=AgentMeasure.table.name,
    blocking=True,
    description="Agreed, disengaged and unresolved shares of each agent and cut sum to 1; conversations with and "
    "without a value are all that there are; every agent has its measures.",
)
def measure_accounts(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Check that no conversation vanished on its way into a mean."""
    return judge(check_accounts(product.lake.files(CHECKED, []), product.limits))


CHECKS = [measure_accounts]
