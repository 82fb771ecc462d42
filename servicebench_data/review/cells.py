"""Rows and cells of the CSV files that people edit with a spreadsheet.

Belongs here: opening such a file, guarding cells against being taken for formulas, naming what is wrong with a row. Not
here: what rows mean.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schemas.review import Override

COLUMNS = tuple(Override.model_fields)
# A spreadsheet takes a cell that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
SHOWN_FAULTS = 20


class ReviewError(ValueError):
    """Decisions that cannot be used; the message names file, row, field and remedy of each, and nothing was changed."""

    def __init__(self, faults: Sequence[str]) -> None:
        more = len(faults) - SHOWN_FAULTS
        lines = [*faults[:SHOWN_FAULTS], *([f"… and {more} more."] if more > 0 else [])]
        super().__init__("\n".join(lines))
        self.faults = list(faults)


def guard(text: str) -> str:
    """A cell that no spreadsheet takes for a formula, with plain line breaks; `bare` gives the text back."""
    flat = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{flat}" if flat.startswith((*FORMULA, "'")) else flat


def bare(text: str) -> str:
    """The text of a guarded cell."""
    return text[1:] if text[:1] == "'" and text[1:].startswith((*FORMULA, "'")) else text


def open_rows(path: Path, needed: Sequence[str] = COLUMNS) -> list[tuple[int, dict[str, str]]]:
    """Rows of a CSV with their places, from 2 for the first below the header; empty ones are left out.

    A spreadsheet of some countries writes semicolons in place of commas.

    Raises:
        ReviewError: The file is no such CSV, or a needed column is missing.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise ReviewError([f"{str(path)!r} is no text file in UTF-8; save it as CSV (UTF-8)."]) from error
    header = text.partition("\n")[0]
    sign = ";" if header.count(";") > header.count(",") else ","
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
        names, rows = list(reader.fieldnames or []), list(reader)
    except csv.Error as error:
        raise ReviewError([f"{str(path)!r} is no valid CSV: {error}; export it again."]) from error
    missing = [name for name in needed if name not in names]
    if missing:
        fault = f"{str(path)!r}, header: the columns {missing!r} are missing (found {names[:12]!r}); "
        raise ReviewError([f"{fault}they must be {', '.join(needed)}."])
    kept = enumerate(rows, start=2)
    return [(place, tidy(row)) for place, row in kept if any(value for value in row.values())]


def tidy(row: Mapping[Any, Any]) -> dict[str, str]:
    """A row without white space around its values; what stands beyond the last column is under the name `beyond`."""
    return {
        str(name or "beyond"): value.strip() if isinstance(value, str) else " ".join(value or [])
        for name, value in row.items()
    }


def describe_fault(path: Path, place: int, error: ValidationError) -> str:
    """What is wrong with a row, as one line: file, row, field, value, remedy."""
    faults = [
        f"field {str(entry['loc'][0]) if entry['loc'] else 'author or reason'!r}: {entry['input']!r}: {entry['msg']}"
        for entry in error.errors()
    ]
    return f"{str(path)!r} row {place}, {'; '.join(faults)}; correct it and apply again."
