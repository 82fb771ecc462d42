"""The complaint filter: what it calls a complaint, what it calls the rest, and which dialogues are kept."""

import csv
import re
from pathlib import Path
from typing import get_args

import numpy as np
import pyarrow as pa
import pytest

from schemas.dialogues import Kind, Screening
from servicebench_data.dialogues.complaint_bank import BANK_FOLDER, ComplaintBankError, load_bank, read_messages
from servicebench_data.dialogues.complaint_features import Lexicon, find_address, measure_messages, measure_shape
from servicebench_data.dialogues.complaint_head import Sample, fit_calibrated, fit_head, read_head, write_head
from servicebench_data.dialogues.complaints import ComplaintFilter, screen_dialogues, train_filter
from servicebench_data.embeddings import Embedder
from servicebench_data.industries import load_industries
from servicebench_data.lake.arrow import to_records
from tests.earlier import copy_vectors

LABELS = Path(__file__).resolve().parents[3] / "shared" / "data" / "labels"


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    """Vectors kept from an earlier build where there was one."""
    return Embedder("bundled", copy_vectors(tmp_path_factory.mktemp("filter") / "embeddings"))


@pytest.fixture(scope="module")
def complaint_filter(embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> ComplaintFilter:
    """The filter as the general bank alone teaches it; the journey maps add their industries' words in a build."""
    return train_filter(load_bank(()), embedder, tmp_path_factory.mktemp("heads"))


def screen_one(complaint_filter: ComplaintFilter, **given: str) -> Screening:
    """The screening of one dialogue."""
    row = {"industry": "airline", "dialogue_id": "d1", "language": "en", "opening": "", "customer_text": "", **given}
    table = screen_dialogues(pa.Table.from_pylist([row]), complaint_filter, ["Brightwing"])
    return to_records(Screening, table)[0]


@pytest.mark.parametrize(
    "text",
    [
        "You lost my suitcase and nobody has called me back in four days. Disgraceful.",
        "my order was supposed to be here on Friday and it still hasn't arrived",
        "Charged twice for one ride and support just keeps sending me the same link",
        "Thanks for cancelling our flight an hour before departure with no hotel and no explanation",
        "my new phone died after two days and your shop refuses to replace it",
    ],
)
def test_a_service_failure_is_kept(complaint_filter: ComplaintFilter, text: str) -> None:
    found = screen_one(complaint_filter, opening=text, customer_text=text)
    assert (found.is_kept, found.kind, found.exclusion_reason) == (True, "complaint", None)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Thank you so much to the lovely crew on our flight today, you made my mum's birthday!", "praise"),
        ("Just want to say your staff at the Reno store are amazing, five stars", "praise"),
        ("Do you have the blue lamp in stock at the Springfield store?", "question"),
        ("what time does check in start for guests with a late arrival?", "question"),
        ("Enter to WIN a free gift card, click here now [link] #giveaway", "spam"),
        ("Sign up with my code CLEO30 and get free rides and prizes [link] #promo #free", "spam"),
        ("we landed at six and now we're having tacos with the cousins", "other"),
    ],
)
def test_the_rest_is_told_apart(complaint_filter: ComplaintFilter, text: str, kind: str) -> None:
    found = screen_one(complaint_filter, opening=text, customer_text=text)
    assert not found.is_kept
    assert found.exclusion_reason == found.kind
    assert kind in {found.kind, "spam" if found.kind == "marketing" else found.kind}


@pytest.mark.parametrize(
    "text", ["", "@HelpAtBrightwing", "@HelpAtBrightwing https://t.co/AbCdEf1234", "😡😡😡", "[link]"]
)
def test_nothing_left_after_cleaning_is_no_text(complaint_filter: ComplaintFilter, text: str) -> None:
    found = screen_one(complaint_filter, opening=text, customer_text=text)
    assert (found.exclusion_reason, found.kind, found.complaint_probability) == ("no_text", None, None)


def test_a_plain_opening_is_judged_by_what_comes_after(complaint_filter: ComplaintFilter) -> None:
    opening = "Hi, can you help me with my booking please?"
    later = f"{opening}\nMy flight was cancelled last night, I slept on the floor and nobody will refund me the $340"
    assert not screen_one(complaint_filter, opening=opening, customer_text=opening).is_kept
    assert screen_one(complaint_filter, opening=opening, customer_text=later).is_kept
    assert screen_one(complaint_filter, opening="@HelpAtBrightwing", customer_text=later).is_kept


@pytest.mark.parametrize(("language", "is_kept"), [("en", True), ("und", True), ("es", False), ("ja", False)])
def test_other_languages_are_set_aside_unread(complaint_filter: ComplaintFilter, language: str, is_kept: bool) -> None:
    text = "You lost my suitcase and nobody has called me back in four days. Disgraceful."
    found = screen_one(complaint_filter, opening=text, customer_text=text, language=language)
    assert found.is_kept == is_kept
    if not is_kept:
        assert (found.exclusion_reason, found.kind) == ("language", None)


def test_release_grade_is_stricter(complaint_filter: ComplaintFilter) -> None:
    assert complaint_filter.release > complaint_filter.keep
    clear = "Worst airline ever. You lost my bag, your agent hung up on me and I still have no refund after 3 weeks!"
    faint = "the wifi was a bit slow on the way over"
    assert screen_one(complaint_filter, opening=clear, customer_text=clear).is_release_grade
    assert not screen_one(complaint_filter, opening=faint, customer_text=faint).is_release_grade


def test_every_dialogue_has_a_row_in_its_order(complaint_filter: ComplaintFilter) -> None:
    texts = ["my bag is gone and nobody cares", "", "thank you all, wonderful flight", "perdieron mi maleta"]
    rows = [
        {"industry": "airline", "dialogue_id": f"d{place}", "language": "es" if place == 3 else "en", "opening": text,
         "customer_text": text}
        for place, text in enumerate(texts)
    ]  # fmt: skip
    table = screen_dialogues(pa.Table.from_pylist(rows), complaint_filter, [])
    assert table["dialogue_id"].to_pylist() == ["d0", "d1", "d2", "d3"]
    assert table["exclusion_reason"].to_pylist() == [None, "no_text", "praise", "language"]
    empty = screen_dialogues(pa.Table.from_pylist(rows).slice(0, 0), complaint_filter, [])
    assert empty.num_rows == 0
    assert empty.schema.equals(table.schema)


def test_a_message_is_judged_the_same_in_any_company(complaint_filter: ComplaintFilter) -> None:
    texts = ["the room smelled of smoke and they refused to move us", "when do you open?", "ok", "lost my order AGAIN"]
    forward = complaint_filter.screen(texts).complaint_probability
    backward = complaint_filter.screen(texts[::-1]).complaint_probability[::-1]
    assert np.allclose(forward, backward, atol=1e-6)


def test_training_again_gives_the_same_filter(embedder: Embedder, tmp_path: Path) -> None:
    bank = load_bank(())
    texts = ["they lost my order AGAIN", "when do you open?", "lovely crew"]
    first = train_filter(bank, embedder, tmp_path / "a")
    again = train_filter(bank, embedder, tmp_path / "b")
    kept = train_filter(bank, embedder, tmp_path / "a")
    assert first.method == again.method == kept.method
    wanted = first.screen(texts).complaint_probability
    assert np.array_equal(wanted, again.screen(texts).complaint_probability)
    assert np.array_equal(wanted, kept.screen(texts).complaint_probability)
    assert {path.suffix for path in tmp_path.rglob("*") if path.is_file()} == {".npz"}


def test_a_head_separates_and_survives_the_file(tmp_path: Path) -> None:
    generator = np.random.default_rng(1)
    features = np.vstack([generator.normal(1, 1, (60, 3)), generator.normal(-1, 1, (20, 3))]).astype(np.float32)
    sample = Sample(features, 0, ["complaint"] * 60 + ["rest"] * 20, [1.0] * 80)
    head = fit_calibrated(sample, strength=1.0)
    write_head(tmp_path / "head.npz", head)
    found = read_head(tmp_path / "head.npz").apply(features)
    assert np.array_equal(found, head.apply(features))
    assert np.allclose(found.sum(axis=1), 1)
    assert found[:60, 0].mean() > 0.8
    assert found[60:, 0].mean() < 0.2
    three = fit_head(Sample(features, 0, ["a", "b", "c", "a"] * 20, [1.0] * 80), strength=1.0)
    assert three.apply(features).shape == (80, 3)


def test_words_and_shapes_are_counted() -> None:
    lexicon = Lexicon({"failure": ["lost", "delay*"], "thanks": ["thank"]})
    row = measure_messages(["@HelpAtBrightwing LOST my bag, delayed twice", "thanks"], lexicon)
    assert row[0][0] == pytest.approx(np.log1p(2))
    assert row[1][:2].tolist() == [0.0, 0.0]
    assert measure_shape("What time do you open?")[:2] == [1.0, 1.0]
    assert find_address("@HelpAtBrightwing hi") == [1, 1]
    assert find_address("@neighbour hi") == [1, 0]
    assert find_address("hi") == [0, 0]
    assert find_address("hi", is_to_care=True) == [1, 1]


def test_the_bank_holds_enough_of_every_kind() -> None:
    wanted: dict[Kind, int] = {"complaint": 250, "praise": 150, "question": 200, "other": 230}
    found = {kind: len(read_messages(BANK_FOLDER, kind)) for kind in wanted}
    assert all(found[kind] >= count for kind, count in wanted.items()), found
    assert len(read_messages(BANK_FOLDER, "spam")) + len(read_messages(BANK_FOLDER, "marketing")) >= 120


def test_the_bank_names_no_account_of_ours_and_links_nowhere() -> None:
    lines = [line for path in BANK_FOLDER.glob("*.txt") for line in path.read_text(encoding="utf-8").splitlines()]
    assert not [line for line in lines if re.search(r"https?://(?!t\.co/\w{4,10}\b)|www\.|\w@\w", line)]
    accounts = {account.handle.lower() for entry in load_industries() for account in entry.accounts.accounts}
    handles = {handle.lower() for line in lines for handle in re.findall(r"@(\w+)", line)}
    assert handles
    assert not handles & accounts


@pytest.mark.parametrize("content", ["", "one line\nanother\none line\n"])
def test_an_empty_or_repeating_file_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "praise.txt").write_text(content, encoding="utf-8")
    with pytest.raises(ComplaintBankError, match=r"praise\.txt"):
        read_messages(tmp_path, "praise")
    with pytest.raises(ComplaintBankError, match=r"spam\.txt"):
        read_messages(tmp_path, "spam")


@pytest.mark.real
@pytest.mark.skipif(not LABELS.is_dir(), reason="needs the labelled posts in ../shared/data/labels")
def test_the_bank_repeats_no_labelled_post() -> None:
    posts: set[tuple[str, ...]] = set()
    for path in LABELS.glob("complaints*.csv"):
        with path.open(encoding="utf-8", newline="") as handle:
            posts.update(run for row in csv.DictReader(handle) for run in list_runs(row["text"]))
    lines = [line for kind in get_args(Kind) for line in read_messages(BANK_FOLDER, kind)]
    assert not [line for line in lines if posts.intersection(list_runs(line))]


def list_runs(text: str, length: int = 6) -> list[tuple[str, ...]]:
    """Runs of consecutive words."""
    words = re.findall(r"[a-z']+", text.lower())
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]
