"""Assets of the scenarios group: the parts of every candidate, and the released set.

Belongs here: which function makes which table of which inputs. Not here: any rule of a part.
"""

from collections.abc import Sequence
from functools import partial

import dagster as dg

from assets.plots import draw_stacks
from assets.product import ProductBase
from assets.progress import ProgressLog
from assets.steps import Made, Results, Step, describe_asset, describe_step, run_step
from schemas.dialogues import Dialogue, Screening, Turn
from schemas.journeys import CategoryRow, Coding
from schemas.scenarios import (
    BackgroundSentence,
    Candidate,
    CaseFieldRow,
    CasePolicy,
    Event,
    Expectation,
    Fact,
    GroundingFailure,
    Scenario,
    Severity,
)
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.journeys.heads import find_head
from servicebench_data.lake.generations import find_current
from servicebench_data.scenarios.assembly import RULES_VERSION, read_sources
from servicebench_data.scenarios.candidates import build_candidates, recode_texts, select_codings
from servicebench_data.scenarios.parts import prepare
from servicebench_data.scenarios.releasing import count_reasons, release_scenarios

PARTS = (
    Event, Severity, Fact, BackgroundSentence, Expectation, CaseFieldRow, CasePolicy, GroundingFailure, Candidate
)  # fmt: skip
CANDIDATES = Step(
    PARTS,
    (Turn, Dialogue, Screening, Coding),
    ("scenarios", "scenarios.py", "journeys", "embeddings", "industries"),
    ("seed", "stale_rate", "embedding_model"),
)
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
    (Scenario,),
    (*READ_BY_RELEASE, Fact, CasePolicy),
    ("scenarios", "scenarios.py"),
    ("seed", "release_size", "evaluation_share", "goodwill_limit_usd"),
)


@dg.multi_asset(**describe_step(CANDIDATES))
def scenario_parts(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Events, severity, facts, background, expectation, case record and policies of every candidate, by rules."""
    yield from run_step(
        context,
        product,
        CANDIDATES,
        lambda name: build_parts(context, product, name),
        show=lambda partitions: {"candidates": draw_reasons(product, partitions)},
    )


def build_parts(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """The parts of one industry's candidates."""
    lake, industry = product.lake, load_industry(name)
    knowledge, embedder = prepare(industry), product.make_embedder(context.log.info)
    codings = select_codings(lake.read(Coding, name), lake.read(Screening, name))
    tables = build_candidates(
        read_sources(lake.read(Turn, name), lake.read(Dialogue, name), codings, knowledge),
        knowledge,
        partial(recode_texts, head=find_head(industry, embedder), embedder=embedder),
        seed=product.settings.seed,
        stale_rate=product.settings.stale_rate,
        progress=ProgressLog(context.log.info, f"candidates of {name}"),
    )
    return Made(tables)


def draw_reasons(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """Why candidates were rejected, by industry."""
    counts = {name: count_reasons(product.lake.read(Candidate, name)) for name in partitions}
    reasons = sorted(
        {reason for entry in counts.values() for reason in entry}, key=lambda reason: (reason != "valid", reason)
    )
    parts = {reason: [float(counts[name].get(reason, 0)) for name in partitions] for reason in reasons}
    return draw_stacks("Candidates by outcome", partitions, parts)


@dg.asset(**describe_asset(Scenario), deps=[record.table.name for record in (*SCENARIOS.reads,)])
def scenario(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """The released set, chosen from the valid candidates of all industries that are up to date."""
    industries = find_current(product.lake, list_industries(), Scenario)
    left_out = sorted(set(list_industries()) - set(industries))
    if left_out:
        context.log.warning("left out, for their tables are missing or out of date: %s", ", ".join(left_out))
    yield from run_step(
        context, product, SCENARIOS, lambda _: choose(product, industries), over=industries, extra=RULES_VERSION
    )


def choose(product: ProductBase, industries: Sequence[str]) -> Made:
    """Draw and write the released scenarios."""
    files = product.lake.files(SCENARIOS.reads, industries)
    released = release_scenarios(files, product.settings, product.limits, rules_version=RULES_VERSION)
    return Made({Scenario: released.table}, released.counts)
