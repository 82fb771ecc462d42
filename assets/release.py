"""Assets of the release group: counts of every step, the published build, and the report on each experiment.

Belongs here: gathering the lake's tables for publishing. Not here: what must hold between them (`release/steps.py`).
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import dagster as dg

from assets.checks import judge
from assets.plots import draw_heat
from assets.product import ProductBase
from assets.steps import OWNERS, Made, Results, Step, describe_asset, run_step, tabulate
from schemas.release import Build, BuildStep
from schemas.scenarios import Candidate, Scenario
from servicebench_data.lake.generations import lake_records, list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.release.gates import read_gates
from servicebench_data.release.publish import publish_once, read_coverage
from servicebench_data.release.report.files import write_reports
from servicebench_data.release.steps import (
    check_balance,
    check_generation,
    check_references,
    count_steps,
    find_left_out,
)

EVERYTHING = [record.table.name for record in lake_records()]
STEP = Step((BuildStep,), (Scenario,), ("release", "release.py"))


def list_files(lake: Lake) -> Mapping[str, Sequence[Path]]:
    """Files of the industries that the scenarios were chosen from."""
    return lake.files([*lake_records(), BuildStep], find_industries(lake))


def find_industries(lake: Lake) -> list[str]:
    """Industries that the scenarios were chosen from."""
    return list_sources(lake, Scenario, Candidate)


@dg.asset(**describe_asset(BuildStep), deps=EVERYTHING)
def build_step(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """One row per table and industry of the build; see the record."""
    lake = product.lake
    files = list_files(lake)
    inputs = sorted(path.name for name, paths in files.items() if name != BuildStep.table.name for path in paths)
    yield from run_step(
        context, product, STEP, lambda _: Made({BuildStep: count_steps(files, product.limits)}), extra=inputs
    )


@dg.asset_check(
    asset=BuildStep.table.name,
    blocking=True,
    description="Every table is there and of one generation, every reference points somewhere, and what came into "
    "each step is what left it, with its reason.",
)
def build_consistency(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Check across all tables before anything is published."""
    lake = product.lake
    findings = [
        *check_generation(lake, find_industries(lake)),
        *check_references(list_files(lake), product.limits),
        *check_balance(lake.read(BuildStep)),
    ]
    return judge(findings)


@dg.asset(**{**describe_asset(Build), "kinds": {"duckdb"}}, deps=[BuildStep.table.name])
def build(product: dg.ResourceParam[ProductBase]) -> dg.MaterializeResult:
    """The published DuckDB file; an unchanged build is not published again."""
    published = publish_once(product.lake, product.settings, list_files(product.lake), product.limits)
    coverage = read_coverage(published.path)
    return dg.MaterializeResult(
        metadata={
            "file": dg.MetadataValue.path(str(published.path)),
            "build": published.build.build_id,
            "published anew": published.is_new,
            "scenarios": published.scenario_count,
            "industries left out": ", ".join(find_left_out(product.lake)) or "none",
            "licence": published.build.license,
            "coverage": draw_heat("Scenarios by stage (rows) and category (cells)", coverage),
            **{f"gates by {by}": show_gates(published.path, by) for by in ("industry", "severity", "turns")},
        }
    )


def show_gates(path: Path, by: str) -> dg.MarkdownMetadataValue:
    """How many dialogues passed each gate, of those that entered it."""
    rows = read_gates(path, by)
    return dg.MetadataValue.md(tabulate(rows, list(rows[0])) if rows else "Nothing has been published.")


@dg.asset(
    deps=[Build.table.name],
    group_name=Build.table.group,
    owners=OWNERS,
    kinds={"html"},
    description="One HTML page per experiment: every figure with its SQL, and all transcripts. It needs no network.",
)
def report(product: dg.ResourceParam[ProductBase]) -> dg.MaterializeResult:
    """One page per experiment that the published file holds; none where it holds none."""
    pages = write_reports(product.lake)
    return dg.MaterializeResult(
        metadata={
            "experiments": len(pages),
            **{f"page on {page.stem}": dg.MetadataValue.path(str(page)) for page in pages},
        }
    )


CHECKS = [build_consistency]
