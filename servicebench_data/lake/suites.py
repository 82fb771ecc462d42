"""Great Expectations: running rules on a frame.

Belongs here: what is done with the library. Not here: which rules a table has (`expectations.py`).
"""

import importlib
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, cast


@dataclass(frozen=True)
class Rule:
    """One rule of a table.

    Attributes:
        name: Kind and column, such as `not_null:text`.
        violation: SQL condition on a row that breaks it; None for the row count.
        expectation: Great Expectations' type for it.
        arguments: Arguments of that type.
        refers_to: Another table that it needs, else empty.
    """

    name: str
    violation: str | None
    expectation: str
    arguments: Mapping[str, Any]
    refers_to: str = ""


def run_suite(frame: Any, rules: Sequence[Rule]) -> list[dict[str, Any]]:
    """Validate a frame; one result for each rule, in order. Keys of failing rows come from DuckDB, which is faster."""
    batch = define_batch().get_batch(batch_parameters={"dataframe": frame})
    with remember_configurations():
        results = batch.validate(build_suite(rules), result_format="BOOLEAN_ONLY")
    by_rule = {result.expectation_config.meta["rule"]: result.to_json_dict() for result in results.results}
    return [by_rule[rule.name] for rule in rules]


def import_expectations() -> Any:
    """Great Expectations, told before it is imported to send nothing; the import takes seconds."""
    os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
    return importlib.import_module("great_expectations")


@cache
def define_batch() -> Any:
    """Great Expectations for frames in memory, without files, telemetry and progress bars; once in a process.

    Typed Any, for its own types are incomplete.
    """
    context = import_expectations().get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False}
    return (
        context.data_sources.add_pandas("lake").add_dataframe_asset("table").add_batch_definition_whole_dataframe("all")
    )


@contextmanager
def remember_configurations() -> Generator[None]:
    """Let each expectation write its configuration once.

    Great Expectations writes it anew for every argument of every metric, some 45 times a rule, which is 40% of the time
    that a suite takes.
    """
    from great_expectations.expectations.expectation import Expectation  # noqa: PLC0415

    expectation = cast("Any", Expectation)
    original = expectation.configuration
    written: dict[int, tuple[Any, Any]] = {}
    # The expectation is kept beside its configuration, so that no other one can get its id meanwhile.
    expectation.configuration = property(
        lambda self: (written.get(id(self)) or written.setdefault(id(self), (self, original.fget(self))))[1]
    )
    try:
        yield
    finally:
        expectation.configuration = original


def build_suite(rules: Sequence[Rule]) -> Any:
    """Great Expectations suite of the given rules."""
    from great_expectations import ExpectationSuite  # noqa: PLC0415
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration  # noqa: PLC0415

    suite = cast("Any", ExpectationSuite(name="record"))
    for rule in rules:
        suite.add_expectation_configuration(
            ExpectationConfiguration(type=rule.expectation, kwargs=dict(rule.arguments), meta={"rule": rule.name})
        )
    return suite


def exception_text(info: Any) -> str:
    """Message of an exception that Great Expectations swallowed; it nests them by metric in some versions."""
    if not info:
        return ""
    entries = [info] if "raised_exception" in info else list(info.values())
    return "; ".join(str(entry.get("exception_message")) for entry in entries if entry.get("raised_exception"))
