"""What people hand in or decide, as rows of a CSV file of one record.

Belongs here: reading such a file whole or not at all, and writing it. Not here: any record.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from schemas.records import Strict
from servicebench_data.review.cells import ReviewError, bare, describe_fault, guard, open_rows

T = TypeVar("T", bound=Strict)


def read_entries(path: Path, kind: type[T], needed: Sequence[str]) -> list[T]:
    """The rows of a file, in its order; none where there is no file.

    Args:
        path: The file.
        kind: Record of its rows.
        needed: Columns that must be there; others of the record may be missing and are then empty.

    Raises:
        ReviewError: The file does not hold what it must.
    """
    if not path.exists():
        return []
    found: list[T] = []
    for place, row in open_rows(path, needed):
        try:
            found.append(kind.model_validate({name: bare(row.get(name) or "") for name in kind.model_fields}))
        except ValidationError as error:
            raise ReviewError([describe_fault(path, place, error)]) from error
    return found


def write_entries(kind: type[T], entries: Iterable[T]) -> str:
    """Rows as CSV text."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(kind.model_fields), lineterminator="\n")
    writer.writeheader()
    for entry in entries:
        writer.writerow({name: guard(str(value)) for name, value in entry.model_dump(mode="json").items()})
    return buffer.getvalue()
