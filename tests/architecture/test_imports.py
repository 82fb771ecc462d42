"""Imports run down the floors and never in a circle, and importing costs little."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.architecture.sources import FLOORS, Import, Source, list_imports, list_targets, read_sources

# Groups of floor two, each of which may import those before it; `settings` and `industries` are modules.
GROUPS = (
    "settings", "processes", "industries", "lake", "review", "embeddings", "models", "dialogues", "journeys",
    "scenarios", "simulation", "judging", "measures", "release",
)  # fmt: skip
HEAVY = {
    "torch", "bertopic", "umap", "hdbscan", "sklearn", "great_expectations", "litellm", "sentence_transformers",
    "matplotlib", "transformers", "numba",
}  # fmt: skip
SOURCES = read_sources(*FLOORS)


def name_top(module: str) -> str:
    return module.split(".", maxsplit=1)[0]


def name_group(module: str) -> str:
    """Group of a module of floor two, else nothing."""
    floor, _, rest = module.partition(".")
    return name_top(rest) if floor == "servicebench_data" else ""


def find_imports(is_wrong: Callable[[Source, Import], bool]) -> list[str]:
    """Place of every import that breaks a rule."""
    return [
        f"{source.path}:{entry.line} imports {entry.module}"
        for source in SOURCES
        for entry in list_imports(source)
        if is_wrong(source, entry)
    ]


def runs_up(source: Source, entry: Import) -> bool:
    above = FLOORS[FLOORS.index(name_top(source.module)) + 1 :]
    return name_top(entry.module) in {*above, "tests", "benchmarks", "sample"}


def is_out_of_place(source: Source, entry: Import) -> bool:
    """Whether a lower floor imports what is not for it."""
    floor, top = name_top(source.module), name_top(entry.module)
    if floor == "schemas":
        return top not in {"pydantic", "schemas", *sys.stdlib_module_names}
    return floor == "servicebench_data" and top in {"dagster", "typer", "rich"}


def is_heavy(_: Source, entry: Import) -> bool:
    return entry.is_at_top and name_top(entry.module) in HEAVY


def is_relative_or_postponed(_: Source, entry: Import) -> bool:
    return entry.module.startswith((".", "__future__"))


@pytest.mark.parametrize("rule", [runs_up, is_out_of_place, is_heavy, is_relative_or_postponed])
def test_no_import_breaks_the_rule(rule: Callable[[Source, Import], bool]) -> None:
    assert find_imports(rule) == []


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (runs_up, "from assets.steps import run_step"),
        (is_out_of_place, "import dagster as dg"),
        (is_heavy, "import torch.nn"),
        (is_heavy, "class A:\n    from sklearn import svm"),
        (is_relative_or_postponed, "from . import store"),
        (is_relative_or_postponed, "from __future__ import annotations"),
    ],
)
def test_the_rules_see_what_breaks_them(rule: Callable[[Source, Import], bool], text: str) -> None:
    source = Source("servicebench_data.lake.odd", Path("odd.py"), text, ast.parse(text))
    assert [entry for entry in list_imports(source) if rule(source, entry)]


def test_heavy_libraries_may_be_imported_inside_functions() -> None:
    text = "def f():\n    import torch"
    (entry,) = list_imports(Source("servicebench_data.lake.odd", Path("odd.py"), text, ast.parse(text)))
    assert not is_heavy(SOURCES[0], entry)


def test_no_group_imports_a_later_one() -> None:
    modules = {source.module for source in SOURCES}
    wrong: list[str] = []
    for source in SOURCES:
        parts = source.module.split(".")
        if parts[0] != "servicebench_data" or len(parts) == 1:
            continue
        assert parts[1] in GROUPS, f"{source.path} belongs to no group; list it in GROUPS in its place"
        later = GROUPS[GROUPS.index(parts[1]) + 1 :]
        targets = sorted(list_targets(source, modules))
        wrong += [f"{source.path} imports {name}" for name in targets if name_group(name) in later]
    assert wrong == []


def test_imports_form_no_circle() -> None:
    modules = {source.module for source in SOURCES}
    waiting = {source.module: list_targets(source, modules) - {source.module} for source in SOURCES}
    while ready := {module for module, targets in waiting.items() if not targets & set(waiting)}:
        waiting = {module: targets for module, targets in waiting.items() if module not in ready}
    assert not waiting, f"imports in a circle, or through one: {sorted(waiting)}"


def test_modules_of_the_two_lower_floors_load_no_heavy_library(offline_environment: dict[str, str]) -> None:
    modules = [source.module for source in SOURCES if name_top(source.module) != "assets"]
    program = f"""
import importlib, sys
for module in {modules!r}:
    importlib.import_module(module)
print(*sorted({HEAVY!r} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], env=offline_environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
