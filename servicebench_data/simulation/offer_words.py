"""The word lists by which offers are known (`offers.yaml`), as regular expressions.

Belongs here: reading and searching the lists. Not here: what follows from a hit (`offers.py`).
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

BINDER = r"\b(?:i|we|company)(?:'ve|'ll|'m|'re|'d)?\s(?:(?:{filler})\s){{0,6}}?(?:{give})\b"


def search(name: str, text: str) -> re.Match[str] | None:
    """The first of a list's words in a text."""
    return compile_list(name).search(text)


@cache
def compile_list(name: str) -> re.Pattern[str]:
    """A list, compiled once: what `re` keeps by itself is soon pushed out by patterns of single values."""
    return re.compile(words(name), re.IGNORECASE)


@cache
def words(name: str) -> str:
    """A list of `offers.yaml` as a regular expression."""
    lists = load_words()
    if name == "binder":
        return BINDER.format(filler="|".join(lists["filler"]), give="|".join(lists["give"]))
    if name == "in_kind":
        return compile_words(tuple(word for entry in lists["in_kind"] for word in entry["words"])).pattern
    return compile_words(tuple(lists[name])).pattern


@cache
def compile_words(entries: tuple[str, ...]) -> re.Pattern[str]:
    """Stretches of regular expressions as one, between word boundaries where they begin or end with a word."""
    return re.compile(rf"(?<!\w)(?:{'|'.join(entries)})(?!\w)", re.IGNORECASE)


@cache
def load_words() -> Mapping[str, Any]:
    """What `offers.yaml` holds."""
    return yaml.safe_load((Path(__file__).parent / "offers.yaml").read_text(encoding="utf-8"))
