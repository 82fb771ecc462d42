"""What people use today for the same work: a pandas notebook of merges, and ConvoKit.

Belongs here: each peer's usual way from the file to threads, written as its users write it, and what a run takes. It
imports nothing of the product, so that a Python that has the peer alone can run it: `peers.py NAME FOLDER`, as
`ingest.py` does.
"""

import csv
import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path


def measure(build: Callable[[Path], None], folder: Path) -> None:
    """Run something here and print what it took: seconds, processor seconds, and the peak memory in MB."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    build(folder)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps([seconds, cpu, after.ru_maxrss / 1024]))


def build_pandas(folder: Path) -> None:
    """Read the file and find each post's root by merging with the parents until nothing changes."""
    import pandas as pd  # noqa: PLC0415

    posts = pd.read_csv(folder / "posts.csv", dtype={"tweet_id": "int64", "author_id": "string"})
    posts["created_at"] = pd.to_datetime(posts["created_at"], format="%a %b %d %H:%M:%S %z %Y")
    links = posts[["tweet_id", "in_response_to_tweet_id"]].rename(columns={"in_response_to_tweet_id": "parent"})
    roots = links.assign(root=links["parent"].fillna(links["tweet_id"]).astype("int64"))[["tweet_id", "root"]]
    while True:
        merged = roots.merge(roots, left_on="root", right_on="tweet_id", how="left", suffixes=("", "_next"))
        following = merged["root_next"].fillna(merged["root"]).astype("int64")
        if (following.to_numpy() == roots["root"].to_numpy()).all():
            break
        roots = roots.assign(root=following.to_numpy())
    threads = posts.merge(roots, on="tweet_id").sort_values(["root", "created_at"])
    threads.groupby("root")["tweet_id"].agg(list)


def build_convokit(folder: Path) -> None:
    """Build a corpus: one utterance for each post, conversations by root."""
    from convokit import Corpus, Speaker, Utterance  # noqa: PLC0415 # pyright: ignore[reportMissingImports]

    with (folder / "posts.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    parents = {row["tweet_id"]: row["in_response_to_tweet_id"] for row in rows}
    roots: dict[str, str] = {}
    for post in parents:
        path = [post]
        while path[-1] not in roots and parents.get(path[-1]):
            path.append(parents[path[-1]])
        root = roots.get(path[-1], path[-1])
        roots.update(dict.fromkeys(path, root))
    speakers = {row["author_id"]: Speaker(id=row["author_id"]) for row in rows}
    Corpus(
        utterances=[
            Utterance(
                id=row["tweet_id"],
                speaker=speakers[row["author_id"]],
                conversation_id=roots[row["tweet_id"]],
                reply_to=row["in_response_to_tweet_id"] or None,
                timestamp=row["created_at"],
                text=row["text"],
            )
            for row in rows
        ]
    )


PEERS: dict[str, Callable[[Path], None]] = {"pandas": build_pandas, "convokit": build_convokit}

if __name__ == "__main__":
    importlib.import_module(sys.argv[1])  # before the clock starts
    measure(PEERS[sys.argv[1]], Path(sys.argv[2]))
