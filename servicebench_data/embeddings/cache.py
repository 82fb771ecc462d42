"""Vectors on disk: what was computed once is never computed again, and never differs.

Belongs here: the folder of Parquet shards, how it is read, appended to and kept small. Not here: computing vectors.

Each model has a folder. A shard is written to a temporary name and renamed; under the folder's lock a writer leaves out
what another process has stored since, so a text has one vector. Readers take no lock.
"""

import fcntl
import hashlib
import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
from numpy.typing import NDArray

from servicebench_data.embeddings.model import Vectors

MAX_SHARDS = 24
KEY_BYTES = 32

_parquet = cast("Any", pyarrow.parquet)
_compute = cast("Any", pyarrow.compute)


class Found(NamedTuple):
    """For each key asked for: the row that holds it in `vectors`, or -1; and whether the text had been cut."""

    rows: NDArray[np.int64]
    vectors: Vectors
    is_truncated: NDArray[np.bool_]


class VectorCache:
    """A folder of vectors by key.

    Args:
        folder: Where the folders of the models lie; made when first written to.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def locate(self, model_key: str) -> Path:
        """Folder of a model's vectors."""
        return self.folder / hashlib.sha256(model_key.encode()).hexdigest()[:16]

    def find(self, model_key: str, keys: Sequence[bytes]) -> Found:
        """Look up keys, each the 32 bytes of a SHA-256."""
        stored = read_shards(self.locate(model_key))
        wanted = pa.array(list(keys), pa.binary(KEY_BYTES))
        rows = _compute.index_in(wanted, value_set=stored.column("key").combine_chunks()).fill_null(-1)
        return Found(
            np.asarray(rows.to_numpy(), dtype=np.int64),
            unpack_vectors(stored.column("vector")),
            np.asarray(stored.column("is_truncated").to_numpy(), dtype=np.bool_),
        )

    def add(self, model_key: str, keys: Sequence[bytes], vectors: Vectors, is_truncated: NDArray[np.bool_]) -> None:
        """Store vectors under their keys; a key that is there already keeps the vector it has."""
        folder = self.locate(model_key)
        shard = pack_shard(keys, vectors, is_truncated)
        with hold_folder(folder):
            stored = read_shards(folder, ("key",))
            known = _compute.is_in(shard.column("key"), value_set=stored.column("key").combine_chunks())
            write_shard(folder, shard.filter(_compute.invert(known)))
            compact_shards(folder)


def read_shards(folder: Path, columns: Sequence[str] = ("key", "vector", "is_truncated")) -> pa.Table:
    """All vectors of a folder, or some columns of them, older shards first; read again when a writer merged them."""
    for _ in range(5):
        paths = list_shards(folder)
        if not paths:
            return pack_shard([], np.zeros((0, 1), dtype=np.float32), np.zeros(0, dtype=np.bool_))
        try:
            return pa.concat_tables([_parquet.read_table(path, columns=list(columns)) for path in paths])
        except FileNotFoundError:
            continue
    raise RuntimeError(f"vectors in {str(folder)!r} changed under every read; end the other builds and start again.")


def list_shards(folder: Path) -> list[Path]:
    """Shards of a folder in the order in which they were written."""
    return sorted(folder.glob("shard-*.parquet"))


def pack_shard(keys: Sequence[bytes], vectors: Vectors, is_truncated: NDArray[np.bool_]) -> pa.Table:
    """Arrow table of vectors, each as its bytes (little-endian float32); the first of equal keys is kept."""
    rows = list({key: row for row, key in reversed(list(enumerate(keys)))}.values())[::-1]
    packed = np.ascontiguousarray(vectors[rows], dtype="<f4")
    width = packed.shape[1] * 4
    buffers = [None, pa.py_buffer(packed.tobytes())]
    return pa.table(
        {
            "key": pa.array([keys[row] for row in rows], pa.binary(KEY_BYTES)),
            "vector": cast("Any", pa.Array).from_buffers(pa.binary(width), len(rows), buffers),
            "is_truncated": pa.array([bool(is_truncated[row]) for row in rows], pa.bool_()),
        }
    )


def unpack_vectors(column: Any) -> Vectors:
    """Vectors of a table's column, a row each, in the order of the table."""
    parts = [unpack_chunk(chunk) for chunk in column.chunks if len(chunk)]
    width = column.type.byte_width // 4
    return np.concatenate(parts) if parts else np.zeros((0, width), dtype=np.float32)


def unpack_chunk(chunk: Any) -> Vectors:
    """Vectors of one chunk, without copying."""
    width = chunk.type.byte_width
    data = np.frombuffer(chunk.buffers()[1], dtype="<f4", count=len(chunk) * width // 4, offset=chunk.offset * width)
    return data.reshape(len(chunk), width // 4)


def write_shard(folder: Path, shard: pa.Table) -> None:
    """Write a shard under the next number, whole or not at all; an empty one is not written."""
    if not shard.num_rows:
        return
    paths = list_shards(folder)
    number = int(paths[-1].name.split("-")[1]) + 1 if paths else 0
    path = folder / f"shard-{number:08d}-{uuid4().hex[:8]}.parquet"
    temporary = folder / f".{path.name}"
    try:
        # Vectors hardly compress and each key occurs once: neither compression nor a dictionary pays.
        _parquet.write_table(shard, temporary, compression="none", use_dictionary=False, write_statistics=False)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def compact_shards(folder: Path) -> None:
    """Merge the shards into one when there are many; the caller holds the folder's lock."""
    paths = list_shards(folder)
    if len(paths) <= MAX_SHARDS:
        return
    write_shard(folder, pa.concat_tables([_parquet.read_table(path) for path in paths]))
    for path in paths:
        path.unlink(missing_ok=True)


@contextmanager
def hold_folder(folder: Path) -> Generator[None]:
    """Hold a folder's lock, waiting for it; the operating system lets go of it when a process dies."""
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
