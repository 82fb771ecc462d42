"""Tables of all industries that are made in one pass and stored industry by industry.

Belongs here: holding the pass's files for as long as its slices are taken. Not here: the pass.
"""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import duckdb
import pyarrow as pa

from schemas.records import Record
from servicebench_data.lake.arrow import conform
from servicebench_data.lake.database import fetch_table
from servicebench_data.lake.store import Counts


class Slices:
    """Files of several tables, one for all industries each, in a temporary folder.

    Args:
        scratch: Where the temporary folder is made.
        records: The tables.

    Attributes:
        counts: What the pass counted.
    """

    def __init__(self, scratch: Path, records: Sequence[type[Record]]) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self._folder = TemporaryDirectory(dir=scratch)
        self._records = records
        self.counts: Counts = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    @property
    def is_made(self) -> bool:
        """Whether the pass has been made."""
        return all(self.path(record).exists() for record in self._records)

    def path(self, record: type[Record]) -> Path:
        """File of a table."""
        return Path(self._folder.name) / f"{record.table.name}.parquet"

    def read(self, record: type[Record], industry: str) -> pa.Table:
        """Rows of one industry, sorted by the table's key."""
        keys = ", ".join(record.table.key)
        with duckdb.connect() as connection:
            connection.execute("SET TimeZone = 'UTC'")
            connection.read_parquet(str(self.path(record))).create_view("rows")
            query = f"SELECT * FROM rows WHERE industry = $industry ORDER BY {keys}"  # noqa: S608  (names of ours)
            return conform(record, fetch_table(connection, query, {"industry": industry}))

    def take_counts(self) -> Counts:
        """What the pass counted, once: counts of all slices are added up for people."""
        counts, self.counts = self.counts, {}
        return counts
