"""What no linter holds: module docstrings that draw a line, short functions, short files, nothing nested."""

import ast
import statistics
from typing import Any

import pytest

from tests.architecture.sources import FLOORS, list_functions, read_sources
from tests.conftest import ROOT

SOURCES = read_sources(*FLOORS)
LONGEST_FUNCTION = 50
LONGEST_FILE = 400


def measure(function: Any) -> int:
    """Lines of a function from its `def` to its end, its docstring not counted."""
    body = function.body
    docstring = body[0] if ast.get_docstring(function) else None
    return function.end_lineno - function.lineno + 1 - (docstring.end_lineno - docstring.lineno + 1 if docstring else 0)


def reads_environment(node: ast.AST) -> bool:
    """Whether a node asks for a variable; setting one for a library, or handing all to a child, is no asking."""
    if isinstance(node, ast.Attribute) and node.attr == "getenv":
        return True
    if isinstance(node, ast.Attribute) and node.attr in {"get", "pop"}:
        return is_environment(node.value)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        return is_environment(node.value)
    return isinstance(node, ast.Compare) and any(is_environment(part) for part in node.comparators)


def is_environment(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"


def is_print(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"


def test_every_module_says_what_belongs_in_it_and_what_does_not() -> None:
    wrong: list[str] = []
    for source in SOURCES:
        text = " ".join((ast.get_docstring(source.tree) or "").split())
        if "Belongs here" not in text or not ("Not here" in text or "Does not belong here" in text):
            wrong.append(str(source.path))
    assert wrong == []


def test_files_are_short() -> None:
    assert [str(source.path) for source in SOURCES if source.text.count("\n") > LONGEST_FILE] == []


def test_functions_are_short() -> None:
    functions = [(source, function) for source in SOURCES for function in list_functions(source)]
    wrong = [f"{source.path}: {entry.name}" for source, entry in functions if measure(entry) > LONGEST_FUNCTION]
    assert wrong == []


def test_no_function_or_class_lies_in_a_function() -> None:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    wrong = [
        f"{source.path}:{inner.lineno}: {inner.name}"
        for source in SOURCES
        for outer in list_functions(source)
        for inner in ast.walk(outer)
        if isinstance(inner, kinds) and inner is not outer
    ]
    assert wrong == []


def test_nothing_is_printed_and_the_environment_is_read_in_settings_alone() -> None:
    wrong = [
        f"{source.path}:{getattr(node, 'lineno', 0)}"
        for source in SOURCES
        for node in ast.walk(source.tree)
        if is_print(node) or (reads_environment(node) and source.module != "servicebench_data.settings")
    ]
    assert wrong == []


@pytest.mark.parametrize("text", ["os.getenv('A')", "os.environ['A']", "os.environ.get('A')", "'A' in os.environ"])
def test_reading_the_environment_is_seen(text: str) -> None:
    assert any(reads_environment(node) for node in ast.walk(ast.parse(text)))


def test_the_median_function_has_at_most_ten_lines() -> None:
    assert statistics.median(measure(function) for source in SOURCES for function in list_functions(source)) <= 10


@pytest.mark.parametrize("folder", ["schemas", "servicebench_data", "assets", "tests", "benchmarks", "docs", "sample"])
def test_no_path_of_one_machine_stands_in_the_repository(folder: str) -> None:
    suffixes = {".py", ".sql", ".md", ".yaml", ".toml"}
    marks = [f"/{name}/" for name in ("work", "root", "home")]
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    assert files
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not [mark for mark in marks if mark in text], path
