"""Great Expectations suites from records, and running them on tables of the lake.

Belongs here: rules that only a whole table shows, derived from its record. Not here: Dagster's wrapping of the result.

Tables of up to 200,000 rows are validated row by row in pandas; larger ones by the same rules as counts that DuckDB
made, since Great Expectations takes minutes on millions of rows. A check that raised counts as failed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from schemas.records import Record
from servicebench_data.lake.columns import Column, read_columns
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.suites import Rule, exception_text, run_suite
from servicebench_data.lake.tables import RECORDS, quote_name, violations

ROW_LIMIT = 200_000
KEY_LIMIT = 20


@dataclass(frozen=True)
class Finding:
    """What a rule said of a table.

    Attributes:
        rule: Name of the rule.
        passed: Whether it held; False also when it could not be evaluated.
        failing: Rows that break it.
        keys: Keys of at most 20 of them.
        note: Why it could not be evaluated, else empty.
    """

    rule: str
    passed: bool
    failing: int
    keys: tuple[str, ...]
    note: str = ""


def find_missing(records: Iterable[type[Record]], files: Mapping[str, Sequence[Path]], remedy: str) -> list[Finding]:
    """A broken rule that names the tables that are not there; none where all are."""
    missing = sorted(record.table.name for record in records if record.table.name not in files)
    return [Finding("complete", False, len(missing), tuple(missing), remedy)] if missing else []


def judge_keys(rule: str, keys: Sequence[str], note: str = "") -> Finding:
    """A rule that is broken by just these rows."""
    return Finding(rule, not keys, len(keys), tuple(keys[:KEY_LIMIT]), note)


@cache
def list_rules(record: type[Record]) -> tuple[Rule, ...]:
    """All rules of a record's table: row count, key, missing values, allowed values, references to earlier tables."""
    rules = [] if record.table.may_be_empty else [count_rule()]
    rules.append(key_rule(record))
    for column in read_columns(record):
        rules.extend(column_rules(column))
    return (*rules, *reference_rules(record))


def count_rule() -> Rule:
    """At least one row: every other rule holds on an empty table."""
    return Rule("row_count", None, "expect_table_row_count_to_be_between", {"min_value": 1})


def flag_rule(name: str, violation: str, refers_to: str = "") -> Rule:
    """A rule that Great Expectations has no type for: DuckDB flags the rows and no flag may be set."""
    arguments = {"column": f"!{name}", "value_set": [False]}
    return Rule(name, violation, "expect_column_values_to_be_in_set", arguments, refers_to)


def key_rule(record: type[Record]) -> Rule:
    """The key identifies a row."""
    keys = ", ".join(quote_name(column) for column in record.table.key)
    present = " OR ".join(f"{quote_name(column)} IS NOT NULL" for column in record.table.key)
    violation = f"count(*) OVER (PARTITION BY {keys}) > 1 AND ({present})"
    name = f"unique:{'+'.join(record.table.key)}"
    if len(record.table.key) == 1:
        return Rule(name, violation, "expect_column_values_to_be_unique", {"column": record.table.key[0]})
    arguments = {"column_list": list(record.table.key)}
    return Rule(name, violation, "expect_compound_columns_to_be_unique", arguments)


def column_rules(column: Column) -> list[Rule]:
    """Missing values and allowed values of one column."""
    rules: list[Rule] = []
    if not column.is_nullable:
        rules.append(presence_rule(column))
    for kind, violation in violations(column).items():
        rules.append(value_rule(column, kind, f"coalesce({violation}, false)"))
    return rules


def presence_rule(column: Column) -> Rule:
    """A value in every row; pandas cannot tell a missing number from one that is not a number, so DuckDB does."""
    name, violation = f"not_null:{column.name}", f"{quote_name(column.name)} IS NULL"
    if column.type is float:
        return flag_rule(name, violation)
    return Rule(name, violation, "expect_column_values_to_not_be_null", {"column": column.name})


def value_rule(column: Column, kind: str, violation: str) -> Rule:
    """One rule on the present values of a column, by Great Expectations' own type where it has one that agrees.

    It has none for lists; pandas takes a number that is not a number for a missing one; and `$` lets a line break
    follow in Python's patterns, but neither in DuckDB's nor in the records'.
    """
    name = f"{kind}:{column.name}"
    base = {"column": column.name}
    if column.is_list or column.type is float or kind == "pattern":
        return flag_rule(name, violation)
    match kind:
        case "in_set":
            return Rule(
                name, violation, "expect_column_values_to_be_in_set", {**base, "value_set": list(column.choices)}
            )
        case "range":
            bounds = {"min_value": column.lower, "strict_min": column.is_lower_open, "max_value": column.upper}
            return Rule(name, violation, "expect_column_values_to_be_between", {**base, **bounds})
        case _:
            bounds = {"min_value": column.min_length, "max_value": column.max_length}
            return Rule(name, violation, "expect_column_value_lengths_to_be_between", {**base, **bounds})


def reference_rules(record: type[Record]) -> list[Rule]:
    """References to tables that the pipeline makes earlier; the others are checked before a release."""
    earlier = {other.table.name for other in RECORDS[: RECORDS.index(record)]}
    return [
        flag_rule(
            f"reference:{'+'.join(reference.columns)}->{reference.table}",
            orphan_condition(reference.columns, reference.table, reference.to),
            reference.table,
        )
        for reference in record.table.references
        if reference.table in earlier
    ]


def orphan_condition(columns: Sequence[str], table: str, to: Sequence[str]) -> str:
    """SQL condition under which a row points nowhere; a missing reference points nowhere on purpose."""
    present = " AND ".join(f"t.{quote_name(column)} IS NOT NULL" for column in columns)
    pairs = " AND ".join(
        f"o.{quote_name(target)} = t.{quote_name(column)}" for column, target in zip(columns, to, strict=True)
    )
    return f"({present}) AND NOT EXISTS (SELECT 1 FROM {quote_name(table)} AS o WHERE {pairs})"  # noqa: S608  (names of ours)


def check_table(
    record: type[Record], files: Mapping[str, Sequence[Path]], limits: Limits, *, row_limit: int = ROW_LIMIT
) -> list[Finding]:
    """Run a record's rules on its table.

    Args:
        record: The record.
        files: Parquet files by table: the record's own and those that it refers to.
        limits: What DuckDB may take.
        row_limit: Rows above which counts are validated in place of rows.

    Returns:
        One finding for each rule, in the rules' order; a rule whose table is not there is broken.
    """
    rules = list_rules(record)
    absent = {
        rule.name: table
        for rule in rules
        for table in (rule.refers_to, record.table.name)
        if table and not files.get(table)
    }
    findings = {
        name: Finding(name, False, 0, (), f"table {table!r} is not in the lake; make it first")
        for name, table in absent.items()
    }
    if present := [rule for rule in rules if rule.name not in absent]:
        evaluated = evaluate_rules(record, present, files, limits, row_limit=row_limit)
        findings.update((finding.rule, finding) for finding in evaluated)
    return [findings[rule.name] for rule in rules]


def evaluate_rules(
    record: type[Record], rules: Sequence[Rule], files: Mapping[str, Sequence[Path]], limits: Limits, *, row_limit: int
) -> list[Finding]:
    """Run the given rules of a record; see `check_table`."""
    with open_database(limits) as connection:
        add_views(connection, files)
        table = quote_name(record.table.name)
        row_count = count_rows(connection, table)
        if row_count > row_limit:
            results = run_suite(count_frame(connection, table, rules, row_count), [as_count(rule) for rule in rules])
        else:
            results = run_suite(row_frame(connection, table, rules), rules)
        return [describe(connection, record, rule, result) for rule, result in zip(rules, results, strict=True)]


def count_rows(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    """Rows of a table."""
    found = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608  (a table of ours)
    return int(found[0]) if found else 0


def row_frame(connection: duckdb.DuckDBPyConnection, table: str, rules: Sequence[Rule]) -> Any:
    """The table as a pandas frame, with a flag column for each rule that needs one."""
    columns = {str(rule.arguments["column"]) for rule in rules if "column" in rule.arguments}
    columns |= {name for rule in rules for name in rule.arguments.get("column_list", [])}
    flags = {str(rule.arguments["column"]): rule.violation for rule in rules if is_flag(rule)}
    parts = [f"t.{quote_name(name)}" for name in sorted(columns - set(flags))]
    parts += [f"({violation}) AS {quote_name(name)}" for name, violation in flags.items()]
    return connection.execute(f"SELECT {', '.join(parts)} FROM {table} AS t").df()  # noqa: S608  (names of ours)


def count_frame(connection: duckdb.DuckDBPyConnection, table: str, rules: Sequence[Rule], row_count: int) -> Any:
    """One row with, for each rule, how many rows break it; for the row count, one if there is none."""
    flags = [f"({rule.violation or 'false'}) AS {quote_name(rule.name)}" for rule in rules]
    sums = [f"coalesce(sum({quote_name(rule.name)}::INTEGER), 0)::BIGINT AS {quote_name(rule.name)}" for rule in rules]
    frame = connection.execute(
        f"SELECT {', '.join(sums)} FROM (SELECT {', '.join(flags)} FROM {table} AS t)"  # noqa: S608  (names of ours)
    ).df()
    if "row_count" in frame:
        frame["row_count"] = 0 if row_count else 1
    return frame


def is_flag(rule: Rule) -> bool:
    """Whether the rule is validated on a flag column."""
    return str(rule.arguments.get("column", "")).startswith("!")


def as_count(rule: Rule) -> Rule:
    """The rule on counts: none may break it."""
    return Rule(rule.name, rule.violation, "expect_column_values_to_be_in_set", {"column": rule.name, "value_set": [0]})


def describe(
    connection: duckdb.DuckDBPyConnection, record: type[Record], rule: Rule, result: Mapping[str, Any]
) -> Finding:
    """A finding from Great Expectations' result, with the keys of failing rows."""
    note = exception_text(result.get("exception_info"))
    if result["success"] and not note:
        return Finding(rule.name, True, 0, ())
    if rule.violation is None:
        return Finding(rule.name, False, 0, (), note or "the table is empty")
    keys = " || ' / ' || ".join(f"coalesce({quote_name(column)}::VARCHAR, '(missing)')" for column in record.table.key)
    table = quote_name(record.table.name)
    rows = connection.execute(
        f"SELECT k FROM (SELECT {keys} AS k, ({rule.violation}) AS broken FROM {table} AS t) WHERE broken ORDER BY k"  # noqa: S608
    ).fetchall()
    return Finding(rule.name, False, len(rows), tuple(str(row[0]) for row in rows[:KEY_LIMIT]), note)
