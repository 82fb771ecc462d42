"""Verdicts that stand: a table that passed its rules, and of which no byte has changed since, is not validated again.

Belongs here: what a verdict depends on, and keeping that a table passed. Not here: the rules (`expectations.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path

from schemas.records import Record
from servicebench_data.lake import expectations
from servicebench_data.lake.database import Limits
from servicebench_data.lake.expectations import Finding, check_table, list_rules
from servicebench_data.lake.store import digest_file, digest_json, write_atomically


def check_anew(
    record: type[Record], files: Mapping[str, Sequence[Path]], limits: Limits, folder: Path
) -> list[Finding] | None:
    """Run a record's rules on its table; None where it passed them before, unchanged like all that it refers to.

    Args:
        record: The record.
        files: Parquet files by table: the record's own and those that it refers to.
        limits: What DuckDB may take.
        folder: Where it is kept that a table passed; what failed is validated every time.
    """
    note, digest = folder / f"{record.table.name}.txt", digest_grounds(record, files)
    if note.is_file() and note.read_text(encoding="utf-8") == digest:
        return None
    findings = check_table(record, files, limits)
    if all(finding.passed for finding in findings):
        write_atomically(note, digest)
    return findings


def digest_grounds(record: type[Record], files: Mapping[str, Sequence[Path]]) -> str:
    """Digest of the bytes of all tables, of the rules, and of what evaluates them."""
    tables = {name: [digest_file(path) for path in paths] for name, paths in files.items()}
    rules = [repr(astuple(rule)) for rule in list_rules(record)]
    return digest_json([tables, rules, digest_file(Path(expectations.__file__)), version("great_expectations")])
