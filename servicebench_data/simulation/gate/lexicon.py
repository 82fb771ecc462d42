"""Reads the gate's lexicons: files of named lists of patterns, one pattern a line.

Belongs here: that reading. Not here: the patterns, which stand in YAML files beside the rules that use them.

A pattern is a regular expression on text in the one spelling of `spelling.py`. A list under `patterns` is taken as it
stands; one under `words` matches whole words only. `<name>` stands for the list `name` under `parts`.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import yaml

_NAME = re.compile(r"(?<!\?P)<([a-z_]+)>")
Lists = Mapping[str, list[str]]


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A list as one pattern, named `lexicon.list`; of two entries that begin at one place the first wins."""
    lexicon, _, key = name.partition(".")
    return load_lexicon(lexicon)[key]


def has(name: str, text: str) -> bool:
    """Whether any entry of a list stands in a text."""
    return pattern(name).search(text) is not None


@cache
def load_lexicon(name: str) -> Mapping[str, re.Pattern[str]]:
    """The lists of a lexicon, each as one pattern."""
    path = Path(__file__).parent / f"{name}.yaml"
    sections: Mapping[str, Lists] = yaml.safe_load(path.read_text(encoding="utf-8"))
    parts: dict[str, str] = {}
    for part, entries in sections.get("parts", {}).items():
        parts[part] = join_entries(entries, parts, path)
    plain = {key: join_entries(entries, parts, path) for key, entries in sections.get("patterns", {}).items()}
    whole = {key: join_entries(entries, parts, path) for key, entries in sections.get("words", {}).items()}
    return {
        **{key: re.compile(text) for key, text in plain.items()},
        **{key: re.compile(rf"(?<!\w){text}(?!\w)") for key, text in whole.items()},
    }


def join_entries(entries: Iterable[str], parts: Mapping[str, str], path: Path) -> str:
    """The entries as alternatives, their named parts put in.

    Raises:
        ValueError: An entry names a part that stands nowhere before it.
    """
    filled: list[str] = []
    for entry in entries:
        unknown = [name for name in _NAME.findall(entry) if name not in parts]
        if unknown:
            raise ValueError(f"{path.name!r}: {entry!r} names the parts {unknown!r}; define them before it.")
        filled.append(_NAME.sub(lambda match: parts[match[1]], entry))
    return f"(?:{'|'.join(filled)})"
