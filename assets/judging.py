"""Assets of the judging group: the rubric, and what judges and people gave to an experiment's conversations.

Belongs here: gathering what is judged, and showing how judges judged. Not here: any rule of judging.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import dagster as dg

from assets.checks import judge
from assets.product import ProductBase, find_payer
from assets.progress import ProgressLog
from assets.simulation import read_scenarios
from assets.steps import Made, Results, Step, describe_asset, describe_step, run_step, tabulate
from schemas.judging import PaddedScore, Rating, RubricItem, Score
from schemas.scenarios import Candidate, Scenario
from schemas.simulation import Conversation, MessageRow
from servicebench_data.judging.cases import READ_OF_EXPERIMENT, READ_OF_SCENARIOS
from servicebench_data.judging.coverage import READ, check_coverage, find_degenerate
from servicebench_data.judging.judging import MADE, describe_judging, judge_conversations, name_judge
from servicebench_data.judging.outcomes import count_verdicts, is_final
from servicebench_data.judging.ratings.store import digest_ratings, read_ratings
from servicebench_data.judging.ratings.table import make_rating_table
from servicebench_data.judging.versions import make_rubric_table, name_grading_version
from servicebench_data.lake.generations import list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.simulation.files import find_experiment

CODE = ("judging", "judging.py", "rubric.py")
RUBRIC = Step((RubricItem,), (), CODE)
JUDGING = Step(MADE, (*READ_OF_EXPERIMENT, *READ_OF_SCENARIOS, RubricItem), CODE)
RATING = Step((Rating,), (MessageRow,), (*CODE, "review"))


@dg.asset(**describe_asset(RubricItem))
def rubric(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """The rubric in force."""
    yield from run_step(
        context,
        product,
        RUBRIC,
        lambda _: Made({RubricItem: make_rubric_table()}),
        extra=lambda _: name_grading_version(),
    )


@dg.multi_asset(**describe_step(JUDGING))
def judgments(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """What each judge of an experiment gave to its conversations as they are stored; nothing is simulated again."""
    industries = list_sources(product.lake, Scenario, Candidate)
    yield from run_step(
        context,
        product,
        JUDGING,
        lambda name: sit(context, product, name, industries),
        extra=lambda name: describe_judging(find_experiment(product.lake, name).spec, product.settings),
        over=industries,
        show=partial(show_verdicts, product.lake),
    )


def sit(context: dg.AssetExecutionContext, product: ProductBase, name: str, industries: Sequence[str]) -> Made:
    """Judge an experiment; what a cap or a silent endpoint left missing is asked for again next time."""
    spec = find_experiment(product.lake, name).spec
    played = {record: product.lake.read(record, name) for record in READ_OF_EXPERIMENT}
    made = judge_conversations(
        spec,
        {**played, **read_scenarios(product.lake, industries, READ_OF_SCENARIOS)},
        lambda: product.make_doorway_for(name_judge(spec), find_payer(context.run)),
        ProgressLog(context.log.info, f"verdicts on {name}"),
    )
    return Made(made, is_final=is_final(made[Score], made[PaddedScore]))


@dg.multi_asset(**describe_step(RATING))
def ratings(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """What people gave to an experiment's conversations, and whether it still holds for these as they are now."""
    lake = product.lake
    yield from run_step(
        context,
        product,
        RATING,
        lambda name: Made({Rating: make_rating_table(read_ratings(lake, name), lake.read(MessageRow, name))}),
        extra=lambda name: digest_ratings(read_ratings(lake, name)),
    )


def show_verdicts(lake: Lake, partitions: Sequence[str]) -> Mapping[str, Any]:
    """Verdicts by agent and judge, of the last experiment of the run."""
    rows = count_verdicts({record: lake.read(record, partitions[-1]) for record in (Score, Conversation)})
    return {"verdicts": dg.MetadataValue.md(tabulate(rows, list(rows[0])) if rows else "none")}


@dg.asset_check(
    asset=Score.table.name,
    blocking=True,
    description="Every conversation has a row for each judge and dimension, scored or with its reason; each score has "
    "all items of the rubric; few enough are missing, in all and with each agent.",
)
def coverage(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Check that no verdict vanished."""
    return judge(check_coverage(product.lake.files(READ, []), product.limits))


@dg.asset_check(
    asset=Score.table.name,
    description="Each model that judged at least 20 conversations tells them apart: its scores are neither all the "
    "same nor nearly so.",
)
def judge_degenerate(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Warn of judges whose scores say nothing."""
    found = find_degenerate(product.lake.files(READ, []), product.limits)
    return judge(found, dg.AssetCheckSeverity.WARN)


CHECKS = [coverage, judge_degenerate]
