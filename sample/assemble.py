"""Turns the dialogues that people wrote (`<industry>.yaml`) into posts in the TWCS layout (`posts.csv`, `gold.csv`).

Run by `make sample` after an edit; a test fails when the CSV files are not what this makes of the YAML files. Ids and
times are invented here, the same ones at every run; the words are all in the YAML files.
"""

import csv
import hashlib
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import yaml

FOLDER = Path(__file__).parent
FIRST_POST_ID = 7_000_001
START = datetime(2026, 3, 2, 6, 0, tzinfo=UTC)
SPAN_MINUTES = 60 * 24 * 70
COLUMNS = [
    "tweet_id", "author_id", "inbound", "created_at", "text", "response_tweet_id", "in_response_to_tweet_id"
]  # fmt: skip


class Draft(NamedTuple):
    """A post before it has its id."""

    at: datetime
    dialogue: str
    index: int
    author: str
    is_inbound: bool
    text: str
    parent: int | None


def draw(*parts: object, below: int) -> int:
    """A number that looks random and is always the same for the same parts."""
    return int(hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest(), 16) % below


def read_accounts() -> dict[str, str]:
    """Handle of the fictional account of each industry."""
    found = {}
    for path in sorted((FOLDER.parent / "schemas" / "industries").glob("*/accounts.yaml")):
        accounts = yaml.safe_load(path.read_text(encoding="utf-8"))["accounts"]
        found[path.parent.name] = next(entry["handle"] for entry in accounts if entry["is_sample"])
    return found


def draft_posts(dialogue: dict[str, Any], account: str) -> list[Draft]:
    """Posts of one dialogue with authors, times and places in the thread."""
    name = dialogue["id"]
    customer = str(300_000 + draw(name, "customer", below=600_000))
    at = START + timedelta(minutes=draw(name, "start", below=SPAN_MINUTES))
    drafts = []
    for index, post in enumerate(dialogue["posts"]):
        role = next(key for key in ("customer", "account", "bystander") if key in post)
        bystander = str(900_000 + draw(name, "bystander", index, below=90_000))
        author = {"customer": customer, "account": account, "bystander": bystander}[role]
        text = str(post[role]).replace("{customer}", customer).strip()
        parent = post.get("reply_to", index - 1 if index else None)
        drafts.append(Draft(at, name, index, author, role != "account", text, parent))
        at += timedelta(seconds=40 + draw(name, index, below=60 * (4 if role == "customer" else 55)))
    return drafts


def number_posts(drafts: list[Draft]) -> list[dict[str, object]]:
    """Rows in the TWCS layout, ids in the order of time."""
    ordered = sorted(drafts, key=lambda draft: (draft.at, draft.dialogue, draft.index))
    ids = {(draft.dialogue, draft.index): FIRST_POST_ID + place for place, draft in enumerate(ordered)}
    answers: dict[int, list[int]] = {}
    for draft in ordered:
        if draft.parent is not None:
            answers.setdefault(ids[draft.dialogue, draft.parent], []).append(ids[draft.dialogue, draft.index])
    return [
        {
            "tweet_id": (own := ids[draft.dialogue, draft.index]),
            "author_id": draft.author,
            "inbound": draft.is_inbound,
            "created_at": draft.at.strftime("%a %b %d %H:%M:%S +0000 %Y"),
            "text": draft.text,
            "response_tweet_id": ",".join(map(str, answers.get(own, []))),
            "in_response_to_tweet_id": "" if draft.parent is None else ids[draft.dialogue, draft.parent],
        }
        for draft in ordered
    ]


def write_csv(path: Path, columns: list[str], rows: list[dict[str, object]]) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def assemble(target: Path) -> None:
    """Write `posts.csv`, and `gold.csv` with the kind and category that the writers meant."""
    accounts = read_accounts()
    dialogues = [
        (industry, dialogue)
        for industry in sorted(accounts)
        for dialogue in yaml.safe_load((FOLDER / f"{industry}.yaml").read_text(encoding="utf-8"))
    ]
    drafts = [draft for industry, dialogue in dialogues for draft in draft_posts(dialogue, accounts[industry])]
    rows = number_posts(drafts)
    ordered = sorted(drafts, key=lambda draft: (draft.at, draft.dialogue, draft.index))
    roots = {draft.dialogue: row["tweet_id"] for draft, row in zip(ordered, rows, strict=True) if draft.index == 0}
    gold: list[dict[str, object]] = [
        {
            "root_post_id": roots[entry["id"]],
            "dialogue": entry["id"],
            "industry": industry,
            "kind": entry["kind"],
            "category_id": entry.get("category", ""),
        }
        for industry, entry in dialogues
    ]
    write_csv(target / "posts.csv", COLUMNS, rows)
    write_csv(target / "gold.csv", ["root_post_id", "dialogue", "industry", "kind", "category_id"], gold)


if __name__ == "__main__":
    assemble(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
