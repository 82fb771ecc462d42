"""Posts in the TWCS layout for tests, and one call that turns them into dialogues."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from servicebench_data.dialogues.accounts import CareAccount, Forget
from servicebench_data.dialogues.dialogues import DialogueCounts, DialogueFiles, build_dialogues
from servicebench_data.dialogues.posts import LoadCounts, PostFiles, load_posts
from servicebench_data.dialogues.sources import COLUMNS
from servicebench_data.lake.database import Limits

ACCOUNTS = (
    CareAccount("HelpAtBrightwing", "airline", is_sample=True, words=("Brightwing",)),
    CareAccount("AskMerriwell", "retail", is_sample=True, words=("Merriwell",)),
)
AIR = "HelpAtBrightwing"
SHOP = "AskMerriwell"
NO_TIME = ""
NOTHING = Forget()

Row = tuple[str, ...]


class Built(NamedTuple):
    """Everything that a file of posts became."""

    posts: list[dict[str, Any]]
    quarantine: list[dict[str, Any]]
    turns: list[dict[str, Any]]
    dialogues: list[dict[str, Any]]
    loaded: LoadCounts
    counts: DialogueCounts


def make_row(
    post_id: object, author: str, text: str, parent: object = "", *, minute: int | None = 0, answers: str = ""
) -> Row:
    """A row of the file; accounts are outbound, `minute` counts from noon."""
    outbound = {account.handle.lower() for account in ACCOUNTS}
    inbound = "False" if author.lower() in outbound else "True"
    time = NO_TIME if minute is None else f"Tue Mar 04 {12 + minute // 60:02}:{minute % 60:02}:00 +0000 2025"
    return (str(post_id), author, inbound, time, text, answers, str(parent))


def write_csv(path: Path, rows: Iterable[Sequence[str]], **dialect: Any) -> Path:
    """Write rows under the header of the layout."""
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator=dialect.pop("lineterminator", "\n"), **dialect)
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """All rows of a Parquet file."""
    return pq.read_table(path).to_pylist()


def load(
    sources: Sequence[Path], folder: Path, forget: Forget = NOTHING, accounts: Sequence[CareAccount] = ACCOUNTS
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], LoadCounts]:
    """Read files; return posts, quarantined posts and counts."""
    files = PostFiles(folder / "post.parquet", folder / "quarantine.parquet")
    limits = Limits(1.0, 2, folder / "scratch")
    counts = load_posts(sources, files, accounts=accounts, forget=forget, limits=limits)
    return read(files.posts), read(files.quarantine), counts


def build(
    rows: Iterable[Sequence[str]], folder: Path, *, threads: int = 2, accounts: Sequence[CareAccount] = ACCOUNTS
) -> Built:
    """Turn rows into dialogues."""
    source = write_csv(folder / "posts.csv", rows)
    posts, quarantine, loaded = load([source], folder, accounts=accounts)
    files = DialogueFiles(folder / "turn.parquet", folder / "dialogue.parquet")
    limits = Limits(1.0, threads, folder / "scratch")
    counts = build_dialogues(folder / "post.parquet", files, accounts=accounts, limits=limits)
    return Built(posts, quarantine, read(files.turns), read(files.dialogues), loaded, counts)


def tell(built: Built, customer_post: object) -> list[tuple[str, list[str], str]]:
    """Role, posts and text of the turns of the dialogue that holds a post (and, if several do, the first of them)."""
    owner = next(turn["dialogue_id"] for turn in built.turns if str(customer_post) in turn["post_ids"])
    return [(turn["role"], turn["post_ids"], turn["text"]) for turn in built.turns if turn["dialogue_id"] == owner]
