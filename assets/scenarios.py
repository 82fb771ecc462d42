"""Assets of the scenarios group: the parts of every candidate, and the released set.

Belongs here: which function makes which table of which inputs. Not here: any rule of a part.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import dagster as dg

from assets.checks import judge
from assets.journeys import settle_doubts
from assets.plots import draw_stacks
from assets.product import ProductBase, find_payer
from assets.progress import ProgressLog
from assets.steps import Made, Results, Step, describe_asset, describe_step, digest_code, run_step, tabulate
from schemas.dialogues import Dialogue, Screening, Turn
from schemas.journeys import CategoryRow, Coding
from schemas.models import TaskFailure
from schemas.scenarios import (
    BackgroundSentence,
    Candidate,
    CaseFieldRow,
    CasePolicy,
    Event,
    Expectation,
    Fact,
    GroundingFailure,
    NearDuplicate,
    Scenario,
    ScenarioDecision,
    Severity,
)
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.journeys.heads import find_head
from servicebench_data.journeys.settling import describe_settling
from servicebench_data.lake.generations import find_current
from servicebench_data.lake.store import digest_json
from servicebench_data.models.task import Door
from servicebench_data.review.overrides import digest_overrides
from servicebench_data.scenarios.assembly import build_many, read_sources
from servicebench_data.scenarios.candidates import Recoder, build_candidates, select_codings
from servicebench_data.scenarios.decisions import Overrides, load_decisions
from servicebench_data.scenarios.kept import Writer, write_new
from servicebench_data.scenarios.parts import Chance, Knowledge, Source, prepare
from servicebench_data.scenarios.releasing import count_reasons, release_scenarios
from servicebench_data.scenarios.writing.balance import WEIGHED, check_balance, is_finished
from servicebench_data.scenarios.writing.stages import describe_writing, write_parts

PARTS = (
    Event, Severity, Fact, BackgroundSentence, Expectation, CaseFieldRow, CasePolicy, GroundingFailure, Candidate,
    TaskFailure, ScenarioDecision,
)  # fmt: skip
CANDIDATES = Step(
    PARTS,
    (Turn, Dialogue, Screening, Coding),
    ("scenarios", "scenarios.py", "journeys", "embeddings", "industries"),
    ("seed", "stale_rate", "embedding_model"),
)
SHOWN_OF_DECISIONS = (
    "outcome", "industry", "item_id", "cell", "action", "made_text", "value", "author", "reason", "open_failures",
)  # fmt: skip
READ_BY_RELEASE = (
    Candidate,
    Dialogue,
    Turn,
    Event,
    Severity,
    BackgroundSentence,
    Expectation,
    CaseFieldRow,
    CategoryRow,
)
SCENARIOS = Step(
    (Scenario, NearDuplicate),
    (*READ_BY_RELEASE, Fact, CasePolicy),
    ("scenarios", "scenarios.py", "embeddings", "industries"),
    ("seed", "release_size", "evaluation_share", "goodwill_limit_usd", "embedding_model"),
)


@dg.multi_asset(**describe_step(CANDIDATES))
def scenario_parts(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Events, severity, facts, background, expectation, case record and policies of every candidate.

    By rules, or by the model that the settings name; each record says which. People's edits are laid over what was made
    before it is checked.
    """
    with product.hold_doorway(find_payer(context.run)) as open_once:
        yield from run_step(
            context,
            product,
            CANDIDATES,
            lambda name: build_parts(context, product, name, open_once),
            extra=lambda name: [
                describe_writing(product.settings),
                describe_settling(product.settings),
                digest_overrides(read_decisions(product, name)),
            ],
            show=lambda partitions: {
                "candidates": draw_reasons(product, partitions),
                "decisions": show_decisions(product, partitions),
            },
        )


def build_parts(
    context: dg.AssetExecutionContext, product: ProductBase, name: str, open_doorway: Callable[[], Door]
) -> Made:
    """The parts of one industry's candidates; those that the model did not get to are asked for again next time."""
    industry = load_industry(name)
    knowledge, embedder = prepare(industry), product.make_embedder(context.log.info)
    if product.settings.model:
        write = make_writer(context, product, knowledge, open_doorway)
    else:
        write = make_rules(context, product, knowledge)
    if not product.settings.model_replay:  # which is to find every answer in the ledger
        path = product.lake.parts / f"{name}.parquet"
        write = partial(write_new, write=write, path=path, version=name_writing(product))
    ask = partial(settle_doubts, context, product, open_doorway=open_doorway) if product.settings.model else None
    recode = Recoder(industry, find_head(industry, embedder), embedder, ask)
    sources = read_candidates(product, knowledge)
    tables = build_candidates(sources, knowledge, recode, write, read_decisions(product, name))
    return Made(tables, is_final=recode.is_final and is_finished(tables[TaskFailure]))


def name_writing(product: ProductBase) -> str:
    """Digest of all that decides the parts of a scenario beside its dialogue."""
    code, chance = digest_code(CANDIDATES.code), make_chance(product)
    return digest_json([code, describe_writing(product.settings), chance.seed, chance.stale_rate])


def read_decisions(product: ProductBase, name: str) -> Overrides:
    """What people decided on the scenarios of one industry."""
    return load_decisions(product.lake.overrides, name)


def read_candidates(product: ProductBase, knowledge: Knowledge) -> list[Source]:
    """The coded dialogues of one industry that clear the release threshold."""
    lake, name = product.lake, knowledge.industry.id
    codings = select_codings(lake.read(Coding, name), lake.read(Screening, name))
    return read_sources(lake.read(Turn, name), lake.read(Dialogue, name), codings, knowledge)


def make_rules(context: dg.AssetExecutionContext, product: ProductBase, knowledge: Knowledge) -> Writer:
    """Has the offline rules write the scenarios of one industry, in as many processes as there may be threads."""
    return partial(
        build_many,
        knowledge=knowledge,
        seed=product.settings.seed,
        stale_rate=product.settings.stale_rate,
        processes=product.settings.threads,
        progress=ProgressLog(context.log.info, f"candidates of {knowledge.industry.id}"),
    )


def make_writer(
    context: dg.AssetExecutionContext, product: ProductBase, knowledge: Knowledge, open_doorway: Callable[[], Door]
) -> Writer:
    """Has the model write the scenarios of one industry."""
    return partial(
        write_parts,
        knowledge=knowledge,
        chance=make_chance(product),
        doorway=open_doorway(),
        progress=lambda task: ProgressLog(context.log.info, f"{task} of {knowledge.industry.id}"),
    )


def make_chance(product: ProductBase) -> Chance:
    """What is left to chance."""
    return Chance(product.settings.seed, product.settings.stale_rate)


@dg.asset_check(
    asset=TaskFailure.table.name,
    blocking=True,
    description="Every scenario that a task was asked for is there or failed with its reasons, task by task; no cap or "
    "fault left the model's work undone.",
)
def task_balance(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Check that rows in are rows made plus rows failed."""
    return judge(check_balance(product.lake.files(WEIGHED, list_industries()), product.limits))


def draw_reasons(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """Why candidates were rejected, by industry."""
    counts = {name: count_reasons(product.lake.read(Candidate, name)) for name in partitions}
    reasons = sorted(
        {reason for entry in counts.values() for reason in entry}, key=lambda reason: (reason != "valid", reason)
    )
    parts = {reason: [float(counts[name].get(reason, 0)) for name in partitions] for reason in reasons}
    return draw_stacks("Candidates by outcome", partitions, parts)


def show_decisions(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """What people decided on scenarios, with author and reason, what became of it, and how often."""
    rows = [row for name in partitions for row in product.lake.read(ScenarioDecision, name).to_pylist()]
    if not rows:
        return dg.MetadataValue.md("Nobody has decided anything; see `servicebench review --industry NAME`.")
    counts = Counter(str(row["outcome"]) for row in rows)
    told = ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
    return dg.MetadataValue.md(f"{told}\n\n{tabulate(rows, SHOWN_OF_DECISIONS)}")


@dg.multi_asset(
    specs=[
        dg.AssetSpec(**describe_asset(record), deps=[source.table.name for source in SCENARIOS.reads])
        for record in SCENARIOS.makes
    ]
)
def released_scenarios(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """The released set, chosen from the valid candidates of all industries that are up to date, and near-duplicates."""
    industries = find_current(product.lake, list_industries(), Scenario)
    left_out = sorted(set(list_industries()) - set(industries))
    if left_out:
        context.log.warning("left out, for their tables are missing or out of date: %s", ", ".join(left_out))
    embedder = product.make_embedder(context.log.info)
    yield from run_step(context, product, SCENARIOS, lambda _: choose(product, industries, embedder), over=industries)


def choose(product: ProductBase, industries: Sequence[str], embedder: Embedder) -> Made:
    """Draw and write the released scenarios."""
    files = product.lake.files(SCENARIOS.reads, industries)
    released = release_scenarios(files, product.settings, product.limits, embedder)
    return Made({Scenario: released.table, NearDuplicate: released.duplicates}, released.counts)


CHECKS = [task_balance]
