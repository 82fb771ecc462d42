"""Reading, row by row, a CSV file that the engine's strict reader refuses.

Belongs here: what is mended on the way (encodings, line ends, stray carriage returns) and what is given up as a bad
line. Not here: files that the engine reads, which is faster.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa

from servicebench_data.dialogues.sources import COLUMNS, HEAD_BYTES, Source, open_bytes

CHUNK_BYTES = 1 << 20
BATCH_ROWS = 20_000
# A quoted field that runs over more lines than this has lost its closing quote.
MAX_RECORD_LINES = 200
SURROGATE_BYTES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")
QUOTED = re.compile(r'("[^"]*(?:"|$))')


NO_CELLS: list[str] = []


class Row(NamedTuple):
    """Cells of a row in the layout's order; all missing where the line is bad."""

    cells: list[str | None]
    is_bad: bool = False


@dataclass
class RepairCounts:
    """What was mended in one file.

    Attributes:
        carriage_returns: Rows with a carriage return outside quotes, which became a space.
        legacy_lines: Lines that were no UTF-8 and were read as Windows-1252.
        bad_lines: Lines given up.
    """

    carriage_returns: int = 0
    legacy_lines: int = 0
    bad_lines: int = 0


def read_repaired(source: Source, counts: RepairCounts) -> Iterator[pa.Table]:
    """Yield the rows of a CSV file in batches; a line that cannot be read is a row with `is_bad`."""
    places = [source.columns.index(name) for name in COLUMNS]
    rows: list[Row] = []
    for record in read_records(source, counts):
        rows.append(parse_record(record, len(source.columns), places, counts))
        if len(rows) == BATCH_ROWS:
            yield make_batch(rows)
            rows = []
    if rows:
        yield make_batch(rows)


def make_batch(rows: list[Row]) -> pa.Table:
    """Turn rows into an Arrow table of text columns and `is_bad`."""
    cells = [pa.array([row.cells[place] for row in rows], pa.string()) for place in range(len(COLUMNS))]
    return pa.table([*cells, pa.array([row.is_bad for row in rows], pa.bool_())], names=[*COLUMNS, "is_bad"])


def parse_record(record: str | None, width: int, places: list[int], counts: RepairCounts) -> Row:
    """Split a record into the seven columns."""
    cells: list[str] = []
    if record is not None:
        if "\r" in record:
            record = replace_carriage_returns(record, counts)
        try:
            cells = next(csv.reader([record], strict=True), NO_CELLS)
        except csv.Error:
            cells = []
    if len(cells) == width:
        return Row([cells[place] or None for place in places])
    counts.bad_lines += 1
    return Row([None] * len(places), is_bad=True)


def replace_carriage_returns(record: str, counts: RepairCounts) -> str:
    """Put a space for each carriage return outside quotes."""
    parts = QUOTED.split(record)
    mended = "".join(part if part.startswith('"') else part.replace("\r", " ") for part in parts)
    counts.carriage_returns += mended != record
    return mended


def read_records(source: Source, counts: RepairCounts) -> Iterator[str | None]:
    """Yield the records after the header; None stands for a line whose quote never closes."""
    pending: list[str] = []
    is_header = True
    lines = read_lines(source, counts)
    queue: list[str] = []
    while True:
        line = queue.pop(0) if queue else next(lines, None)
        if line is None and not pending:
            return
        if line is not None:
            if not pending and not line.strip("\r"):
                continue
            pending.append(line)
            if has_open_quote(pending) and len(pending) <= MAX_RECORD_LINES:
                continue
        if has_open_quote(pending):
            queue = pending[1:] + queue
            pending = []
            yield None
            continue
        record = "\n".join(pending)
        pending = []
        if not is_header:
            yield record
        is_header = False


def has_open_quote(lines: list[str]) -> bool:
    """Tell whether a record that consists of these lines still has an open quote."""
    return sum(line.count('"') for line in lines) % 2 == 1


def read_lines(source: Source, counts: RepairCounts) -> Iterator[str]:
    """Yield lines without their ends, decoded; lines end as the file's first bytes show."""
    with open_bytes(source.path, source.compression) as stream:
        head = stream.read(HEAD_BYTES)
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            yield from (head + stream.read()).decode("utf-16", errors="replace").replace("\r\n", "\n").split("\n")
            return
        end = b"\n" if b"\n" in head else b"\r"
        rest = head.removeprefix(b"\xef\xbb\xbf")
        while chunk := stream.read(CHUNK_BYTES):
            rest += chunk
            *complete, rest = rest.split(end)
            for line in complete:
                yield decode_line(line, counts)
        for line in rest.removesuffix(end).split(end):
            yield decode_line(line, counts)


def decode_line(line: bytes, counts: RepairCounts) -> str:
    """Decode one line as UTF-8, lone surrogates replaced, or as Windows-1252."""
    line = line.removesuffix(b"\r")
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if SURROGATE_BYTES.search(line):
        try:
            return replace_surrogates(line.decode("utf-8", errors="surrogatepass"))
        except UnicodeDecodeError:
            pass
    counts.legacy_lines += 1
    return line.decode("cp1252", errors="replace")


def replace_surrogates(text: str) -> str:
    """Join pairs of surrogates into their character and put U+FFFD for lone ones."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", errors="replace")
