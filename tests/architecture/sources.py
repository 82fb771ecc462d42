"""The product's source files as syntax trees, for tests that read code instead of running it.

Belongs here: finding and parsing files, and what they import. Not here: rules.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT

FLOORS = ("schemas", "servicebench_data", "assets")


class Source(NamedTuple):
    """A source file."""

    module: str
    path: Path
    text: str
    tree: ast.Module


class Import(NamedTuple):
    """An import of a module, or of a name from it."""

    line: int
    module: str
    names: tuple[str, ...]
    is_at_top: bool


@cache
def read_sources(*folders: str) -> tuple[Source, ...]:
    """All source files below the given folders of the repository, by name."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return tuple(read_source(path) for path in paths)


def read_source(path: Path) -> Source:
    """Parse one file."""
    text = path.read_text(encoding="utf-8")
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Source(name, path.relative_to(ROOT), text, ast.parse(text))


@cache
def list_imports(source: Source) -> tuple[Import, ...]:
    """Every import of a file, also those inside functions; `is_at_top` for what runs when the file is imported."""
    return tuple(walk_imports(source))


def walk_imports(source: Source) -> Iterator[Import]:
    """See `list_imports`."""
    inside = {id(node) for function in list_functions(source) for node in ast.walk(function)}
    for node in ast.walk(source.tree):
        is_at_top = id(node) not in inside
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, (), is_at_top)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield Import(node.lineno, module, tuple(alias.name for alias in node.names), is_at_top)


def list_functions(source: Source) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a file."""
    return [node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def list_targets(source: Source, modules: set[str]) -> set[str]:
    """Modules of ours that a file imports, a module imported as a name of its package among them."""
    found: set[str] = set()
    for entry in list_imports(source):
        found |= {entry.module, *(f"{entry.module}.{name}" for name in entry.names)} & modules
    return found
