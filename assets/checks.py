"""Asset checks: for each table the rules of its record, and before a release what must hold across tables.

Belongs here: turning findings into check results. Not here: any rule.
"""

from collections.abc import Sequence
from typing import Any

import dagster as dg

from assets.product import ProductBase
from assets.steps import escape
from schemas.records import Record
from servicebench_data.industries import list_industries
from servicebench_data.lake.expectations import Finding, check_table
from servicebench_data.lake.tables import record_of


def make_check(record: type[Record]) -> dg.AssetChecksDefinition:
    """The blocking check of a table against its record."""
    return dg.asset_check(
        asset=record.table.name,
        name=f"{record.table.name}_contract",
        description=f"Great Expectations suite made from the record {record.__name__}: row count, key, missing and "
        "allowed values, references. A failure blocks everything downstream.",
        blocking=True,
    )(ContractCheck(record))


class ContractCheck:
    """Runs the suite of one record over all its partitions."""

    def __init__(self, record: type[Record]) -> None:
        self.record = record
        self.__name__ = f"{record.table.name}_contract"

    def __call__(self, product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
        """Check the table as it lies in the lake."""
        names = {reference.table for reference in self.record.table.references}
        records = [self.record, *(record_of(name) for name in sorted(names - {self.record.table.name}))]
        files = product.lake.files(records, list_industries())
        return judge(check_table(self.record, files, product.limits))


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
