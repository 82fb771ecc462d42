"""Asset checks: for each table the rules of its record, and before a release what must hold across tables.

Belongs here: turning findings into check results. Not here: any rule.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import dagster as dg

from assets.product import ProductBase
from assets.steps import escape
from schemas.records import Record
from servicebench_data.industries import list_industries
from servicebench_data.lake.expectations import Finding, list_rules
from servicebench_data.lake.tables import RECORDS, record_of
from servicebench_data.lake.verdicts import check_anew


def make_contracts(asset: dg.AssetsDefinition) -> dg.AssetChecksDefinition | None:
    """The blocking checks of the tables that an asset makes against their records, in one step; None without tables.

    Each step costs a few dozen writes to the instance's event log, so that one for each table would take longer than
    the checks themselves.
    """
    names = {key.to_user_string() for key in asset.keys}
    records = [record for record in RECORDS if record.table.name in names and record.table.group != "release"]
    if not records:
        return None
    return dg.multi_asset_check(
        name=f"{asset.op.name}_contract",
        specs=[describe_contract(record) for record in records],
    )(partial(check_contracts, records))


def describe_contract(record: type[Record]) -> dg.AssetCheckSpec:
    """Name and description of the check of one table."""
    return dg.AssetCheckSpec(
        name=f"{record.table.name}_contract",
        asset=record.table.name,
        description=f"Great Expectations suite made from the record {record.__name__}: row count, key, missing and "
        "allowed values, references. A failure blocks everything downstream.",
        blocking=True,
    )


def check_contracts(
    records: Sequence[type[Record]], product: dg.ResourceParam[ProductBase]
) -> Iterator[dg.AssetCheckResult]:
    """Check tables as they lie in the lake, over all partitions; one that passed unchanged is not validated again."""
    for record in records:
        names = {reference.table for reference in record.table.references}
        others = [record_of(name) for name in sorted(names - {record.table.name})]
        files = product.lake.files([record, *others], list_industries())
        findings = check_anew(record, files, product.limits, product.lake.verdicts)
        found = judge(findings) if findings is not None else confirm(len(list_rules(record)))
        yield found._replace(asset_key=dg.AssetKey(record.table.name), check_name=f"{record.table.name}_contract")


def confirm(rules: int) -> dg.AssetCheckResult:
    """The result of a table that is as it was when it passed."""
    return dg.AssetCheckResult(
        passed=True, description=f"{rules} rules hold; unchanged since they passed", metadata={"rules": rules}
    )


def judge(
    findings: Sequence[Finding], severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
) -> dg.AssetCheckResult:
    """One result from all findings: failed if any is."""
    failed = [finding for finding in findings if not finding.passed]
    metadata: dict[str, Any] = {"rules": len(findings), "failed rules": len(failed)}
    if failed:
        metadata["failures"] = dg.MetadataValue.md(tabulate(failed))
    return dg.AssetCheckResult(
        passed=not failed,
        severity=severity,
        description=f"{len(findings)} rules hold" if not failed else f"{len(failed)} of {len(findings)} rules broken",
        metadata=metadata,
    )


def tabulate(failed: Sequence[Finding]) -> str:
    """Failed rules with their counts and keys as a Markdown table."""
    rows = [
        f"| {finding.rule} | {finding.failing} | {escape(', '.join(finding.keys))} | {escape(finding.note)} |"
        for finding in failed
    ]
    return "\n".join(["| rule | failing rows | keys (at most 20) | note |", "|---|---|---|---|", *rows])
