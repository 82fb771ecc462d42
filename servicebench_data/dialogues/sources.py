"""What kind of file a source is, and clear errors for those that hold no posts.

Belongs here: telling formats by their first bytes, finding the columns, saying what to do about a wrong file. Not here:
reading rows.
"""

import csv
import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal, cast
from zipfile import BadZipFile, ZipFile

import pyarrow as pa

from servicebench_data.lake.sources import SourceError, refuse_unusable

Shape = Literal["csv", "json", "parquet"]
Compression = Literal["none", "gzip", "zstd"]

COLUMNS = (
    "tweet_id",
    "author_id",
    "inbound",
    "created_at",
    "text",
    "response_tweet_id",
    "in_response_to_tweet_id",
)
HEAD_BYTES = 65536
MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
LINE_END = re.compile(r"\r\n|\n|\r")
ZIP_MAGIC = b"PK\x03\x04"


@dataclass(frozen=True)
class Source:
    """A file of posts.

    Attributes:
        path: The file.
        named: The file that was named: the archive, where `path` was unpacked from one; errors call it so.
        label: Name under which its rows are known: the file's name, or its path where two files share a name.
        shape: Format of its contents.
        compression: Compression around them.
        columns: Columns in the file's order; empty for JSON.
    """

    path: Path
    named: Path
    label: str
    shape: Shape
    compression: Compression
    columns: tuple[str, ...] = ()


def identify_sources(paths: Sequence[Path], scratch: Path) -> list[Source]:
    """Tell what each file is, or raise SourceError; a zip archive's files are unpacked into `scratch`."""
    if not paths:
        raise SourceError("no file of posts was named; name at least one")
    unpacked = [(member, path) for path in paths for member in unpack(path, scratch)]
    names = [path.name for path in paths]
    return [
        identify(member, path.name if names.count(path.name) == 1 else str(path), path) for member, path in unpacked
    ]


def unpack(path: Path, scratch: Path) -> list[Path]:
    """Return the file itself, or the one file of posts inside a zip archive, unpacked."""
    refuse_unusable(path)
    with path.open("rb") as stream:
        if stream.read(4) != ZIP_MAGIC:
            return [path]
    try:
        with ZipFile(path) as archive:
            members = [entry for entry in archive.namelist() if not entry.endswith("/") and "__MACOSX" not in entry]
            if "[Content_Types].xml" in members:
                raise SourceError(f"{str(path)!r} is an Excel workbook; export it as CSV with the ids as text")
            if len(members) != 1:
                raise SourceError(f"{str(path)!r} holds {len(members)} files; unpack it and name the files of posts")
            return [Path(archive.extract(members[0], scratch / f"zip-{len(list(scratch.iterdir()))}"))]
    except (BadZipFile, zlib.error, EOFError) as error:
        raise SourceError(f"{str(path)!r} is a damaged zip archive; fetch it again") from error
    except RuntimeError as error:  # which a password or a rare method of compression raises
        raise SourceError(f"{str(path)!r} cannot be unpacked here ({error}); unpack it and name the file") from error


def identify(path: Path, label: str, named: Path) -> Source:
    """Tell what one file is by its first bytes; errors call it `named`."""
    with path.open("rb") as stream:
        magic = stream.read(4)
    if magic == b"PAR1":
        return Source(path, named, label, "parquet", "none")
    compression = detect_compression(magic)
    head = decode_head(read_head(path, compression, named))
    refuse_wrong_file(head, named)
    if head.lstrip()[:1] in {"{", "["}:
        return Source(path, named, label, "json", compression)
    columns = read_header(head)
    check_columns(columns, named, head)
    return Source(path, named, label, "csv", compression, columns)


def detect_compression(magic: bytes) -> Compression:
    """Tell a file's compression by its first bytes."""
    for start, compression in MAGIC.items():
        if magic.startswith(start):
            return compression
    return "none"


def open_bytes(path: Path, compression: Compression) -> IO[bytes]:
    """Open a file for reading its decompressed bytes."""
    raw = pa.OSFile(str(path), "rb")
    return cast("IO[bytes]", raw if compression == "none" else pa.CompressedInputStream(raw, compression))


def read_head(path: Path, compression: Compression, named: Path) -> bytes:
    """Return the first bytes of the decompressed file."""
    try:
        with open_bytes(path, compression) as stream:
            return stream.read(HEAD_BYTES)
    except OSError as error:
        raise SourceError(f"{str(named)!r} is damaged {compression} data; fetch it again") from error


def decode_head(head: bytes) -> str:
    """Decode enough of the first bytes to tell the format."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", errors="ignore")
    return head.decode("utf-8-sig", errors="replace")


def refuse_wrong_file(head: str, named: Path) -> None:
    """Raise SourceError for the files that people save under the name of a data set."""
    start = head.lstrip()[:200].lower()
    if not start:
        raise SourceError(f"{str(named)!r} holds nothing but blanks; fetch it again")
    if start.startswith("<"):
        raise SourceError(f"{str(named)!r} is a web page (HTML or XML), not posts; download the data file itself")
    if start.startswith("version https://git-lfs"):
        raise SourceError(f"{str(named)!r} is a Git LFS pointer, not the file; run `git lfs pull` and name it again")


def read_header(head: str) -> tuple[str, ...]:
    """Return the names in the first line of a CSV file, trimmed and in lower case."""
    lines = LINE_END.split(head.lstrip("\r\n"), maxsplit=1)
    rows = list(csv.reader([lines[0]]))
    return tuple(name.strip().lower() for row in rows for name in row)


def check_columns(columns: tuple[str, ...], named: Path, head: str = "") -> None:
    """Raise SourceError that names the columns which are missing or stand there twice."""
    missing = [name for name in COLUMNS if name not in columns]
    twice = [name for name in COLUMNS if columns.count(name) > 1]
    if twice:
        raise SourceError(f"{str(named)!r} has the columns {twice!r} more than once; keep one of each")
    if not missing:
        return
    first_line = LINE_END.split(head.lstrip("\r\n"), maxsplit=1)[0]
    for separator, name in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(first_line.split(separator)) >= len(COLUMNS):
            raise SourceError(f"{str(named)!r} is separated by {name}, not commas; export it again with commas")
    shown = [name[:40] for name in columns[:12]] if 0 < len(columns) < 40 else []
    raise SourceError(
        f"{str(named)!r} lacks the columns {missing!r} (its first line has {shown!r}); "
        f"rename its columns to {', '.join(COLUMNS)}, or name another file"
    )
