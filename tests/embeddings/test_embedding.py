"""Vectors: computed once, the same for ever, whatever else is embedded with them."""

import hashlib
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from servicebench_data.embeddings.cache import MAX_SHARDS, VectorCache, list_shards, read_shards
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.embeddings.embedding import digest_text, embed_texts
from servicebench_data.embeddings.model import (
    BUNDLED_SHA256,
    EmbeddingModelError,
    Encoded,
    check_weights,
    describe_calibration,
    find_model,
    plan_batches,
)

TEXTS = ["my bag is lost", "the room smelled of smoke", "driver never came", "my bag is lost"]


class HashingModel:
    """A small real encoder, for what concerns the cache alone: the digest of a text, read as numbers."""

    def __init__(self, key: str = "hashing/1") -> None:
        self.key = key
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> Iterator[tuple[list[int], Encoded]]:
        for place, text in enumerate(texts):
            self.encoded.append(text)
            numbers = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint8).astype(np.float32)
            vector = (numbers / np.linalg.norm(numbers)).reshape(1, -1)
            yield [place], Encoded(vector.astype(np.float32), np.array([len(text) > 40]))


def embed_in_process(folder: str, texts: list[str]) -> None:
    embed_texts(texts, cache=VectorCache(Path(folder)), model=HashingModel())


def test_new_then_cached_then_partly(tmp_path: Path) -> None:
    cache, model = VectorCache(tmp_path), HashingModel()
    first, stats = embed_texts(TEXTS, cache=cache, model=model)
    assert stats == (3, 0, 0)
    again, stats = embed_texts(TEXTS, cache=cache, model=model)
    assert stats == (0, 3, 0)
    assert np.array_equal(first, again)
    _, stats = embed_texts([*TEXTS, "a fourth one that is longer than forty letters"], cache=cache, model=model)
    assert stats == (1, 3, 1)
    assert len(model.encoded) == 4


def test_another_model_computes_everything_anew(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    embed_texts(TEXTS, cache=cache, model=HashingModel("hashing/1"))
    assert embed_texts(TEXTS, cache=cache, model=HashingModel("hashing/2"))[1] == (3, 0, 0)
    assert embed_texts(TEXTS, cache=cache, model=HashingModel("hashing/1"))[1] == (0, 3, 0)


def test_the_key_names_model_weights_and_precision() -> None:
    keys = {find_model("bundled").key, find_model("bundled", "bfloat16").key, find_model("some/model").key}
    assert len(keys) == 3
    assert any(BUNDLED_SHA256[:16] in key for key in keys)


def test_the_key_of_a_folder_changes_with_what_is_in_it(tmp_path: Path) -> None:
    weights = tmp_path / "model" / "model.safetensors"
    weights.parent.mkdir()
    keys: list[str] = []
    for content in (b"one", b"two", b"one and more"):
        weights.write_bytes(content)
        keys += [find_model(str(weights.parent)).key] * 2
    (weights.parent / "pooling.json").write_text("{}")
    keys.append(find_model(str(weights.parent)).key)
    assert len({*keys}) == 4
    assert all(key.startswith(f"{weights.parent}@") for key in keys)


def test_an_embedder_counts_the_texts_that_are_longer_than_its_model_reads(tmp_path: Path) -> None:
    embedder = Embedder("bundled", tmp_path)
    embedder(["my bag is lost", "still no bag and no word " * 80])
    embedder(["my bag is lost"])
    assert (embedder.new, embedder.cached, embedder.truncated) == (2, 1, 1)


def test_what_is_said_of_confidence_by_other_models() -> None:
    assert describe_calibration("bundled") == ""
    assert "some/model" in describe_calibration("some/model")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.text("abc ", min_size=1, max_size=5).filter(str.strip), max_size=12), st.randoms())
def test_order_and_repeats_do_not_matter(tmp_path_factory: pytest.TempPathFactory, texts: list[str], random) -> None:
    cache = VectorCache(tmp_path_factory.mktemp("vectors"))
    shuffled = [*texts, *texts[:3]]
    random.shuffle(shuffled)
    ours, _ = embed_texts(texts, cache=cache, model=HashingModel())
    theirs, _ = embed_texts(shuffled, cache=cache, model=HashingModel())
    by_text = dict(zip(texts, ours, strict=True))
    assert all(np.array_equal(by_text[text], vector) for text, vector in zip(shuffled, theirs, strict=True))


def test_two_processes_leave_one_vector_for_each_text(tmp_path: Path) -> None:
    texts = [f"text number {number}" for number in range(300)]
    context = multiprocessing.get_context("spawn")
    pair = [context.Process(target=embed_in_process, args=(str(tmp_path), part)) for part in (texts[:200], texts[100:])]
    for process in pair:
        process.start()
    for process in pair:
        process.join(60)
    assert [process.exitcode for process in pair] == [0, 0]
    keys = read_shards(VectorCache(tmp_path).locate("hashing/1")).column("key").to_pylist()
    assert len(keys) == len(texts)
    assert set(keys) == {digest_text(text) for text in texts}


def test_many_small_additions_are_merged(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    for number in range(MAX_SHARDS + 3):
        embed_texts([f"text {number}"], cache=cache, model=HashingModel())
    folder = cache.locate("hashing/1")
    assert len(list_shards(folder)) <= MAX_SHARDS
    assert read_shards(folder).num_rows == MAX_SHARDS + 3
    assert {path.suffix for path in folder.iterdir() if path.name != ".lock"} == {".parquet"}


def test_an_unfinished_shard_is_not_read(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    embed_texts(TEXTS, cache=cache, model=HashingModel())
    (cache.locate("hashing/1") / ".shard-00000001-dead.parquet").write_bytes(b"PAR1 half")
    assert embed_texts(TEXTS, cache=cache, model=HashingModel())[1].new == 0


def test_an_empty_text_is_refused_and_none_is_fine(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    with pytest.raises(ValueError, match="text 1 of 2 is empty"):
        embed_texts(["words", " "], cache=cache, model=HashingModel())
    vectors, stats = embed_texts([], cache=cache, model=HashingModel())
    assert len(vectors) == 0
    assert stats == (0, 0, 0)


def test_progress_ends_with_all(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    cache = VectorCache(tmp_path)
    embed_texts(TEXTS[:1], cache=cache, model=HashingModel())
    embed_texts(TEXTS, cache=cache, model=HashingModel(), progress=lambda done, total: seen.append((done, total)))
    assert seen[0] == (1, 3)
    assert seen[-1] == (3, 3)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(EmbeddingModelError, match="SHA-256"):
        check_weights(tmp_path / "model.safetensors", BUNDLED_SHA256)
    with pytest.raises(EmbeddingModelError, match="missing"):
        check_weights(tmp_path / "none.safetensors", BUNDLED_SHA256)


def test_a_model_that_is_not_there_fails_with_the_setting(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingModelError, match="embedding_model"):
        embed_texts(["words"], cache=VectorCache(tmp_path), model=find_model("nobody/no-such-model"))


@given(st.lists(st.integers(1, 400), max_size=80))
def test_a_batch_holds_one_length_and_every_text_is_in_one(lengths: list[int]) -> None:
    batches = list(plan_batches(lengths, 256))
    assert sorted(place for places, _ in batches for place in places) == list(range(len(lengths)))
    pairs = [(lengths[place], padded) for places, padded in batches for place in places]
    assert all(padded == 256 or length <= padded < length + 8 for length, padded in pairs)


def test_the_model_gives_a_text_the_same_vector_in_any_company(tmp_path: Path) -> None:
    model = find_model()
    crowd = [f"{'very ' * (number % 9)}long queue number {number} at the desk" for number in range(40)]
    text = "They lost my suitcase and nobody answers the phone."
    alone, _ = embed_texts([text], cache=VectorCache(tmp_path / "alone"), model=model)
    among, stats = embed_texts([*crowd, text, "word " * 400], cache=VectorCache(tmp_path / "crowd"), model=model)
    assert np.array_equal(alone[0], among[40])
    assert stats == (42, 0, 1)
    assert np.allclose(np.linalg.norm(among, axis=1), 1, atol=1e-5)
    near, _ = embed_texts(["My bag is gone and no one picks up."], cache=VectorCache(tmp_path / "near"), model=model)
    assert float(near[0] @ alone[0]) > float(near[0] @ among[0]) + 0.2
