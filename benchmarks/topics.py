"""Topics: the product's against `BERTopic()` out of the box with the same embedding model, on real airline threads.

Run by hand: `python benchmarks/topics.py` (`--smoke` for 600 threads). Each runs in a process of its own, so that its
peak memory is its own; both embed, reduce and cluster the openings of real threads and the labelled posts. Printed:
wall time, peak memory, outliers, and how well the topics agree with the reasons that people gave the labelled posts. A
whole run ends with 1 where the product is not `FASTER` times as fast, agrees less, or leaves more than `OUTLIER_SHARE`.
"""

import argparse
import csv
import gzip
import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from servicebench_data.embeddings import BUNDLED, prepare_text
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import list_brand_words, load_industry
from servicebench_data.journeys.head import train_head
from servicebench_data.journeys.outliers import OUTLIER_SHARE
from servicebench_data.journeys.topics import find_topics

DATA = Path(__file__).parents[2] / "shared" / "data"
POSTS = Path("posts") / "twcs_airline_filled.csv.gz"
REASONS = Path("labels") / "airline_negative_reasons.csv"
NO_REASON = {"", "Can't Tell", "best flight", "nice flight"}
SEED = 2026
#: How many times as fast the product is to be.
FASTER = 3.0


def main() -> int:
    """Run both and print the comparison, or run one as a child."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="600 threads and 300 labelled posts")
    parser.add_argument("--threads", type=int, default=30_000, help="threads to take")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the real data")
    parser.add_argument("--child", choices=("product", "bertopic"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    missing = [str(path) for path in (POSTS, REASONS) if not (options.data / path).is_file()]
    if missing:
        print(f"skipped: {options.data} lacks {', '.join(missing)}")
        return 0
    if options.child:
        run_child(options)
        return 0
    results = {name: run_apart(name) for name in ("product", "bertopic")}
    print(f"{'':10s}   texts  seconds    CPU s  peak MB  topics  outliers    NMI")
    for name, result in results.items():
        print(
            f"{name:10s} {result['texts']:7d} {result['seconds']:8.1f} {result['cpu']:8.1f} "
            f"{result['peak_mb']:8.0f} {result['topics']:7d} {result['outliers']:9.3f} {result['nmi']:6.3f}"
        )
    wall, cpu = (results["bertopic"][name] / results["product"][name] for name in ("seconds", "cpu"))
    print(f"the product takes 1/{wall:.2f} of the time, 1/{cpu:.2f} of the processors' work")
    missed = [] if options.smoke else list_missed(results["product"], results["bertopic"])
    print("\n".join(missed) or ("a part promises nothing" if options.smoke else "nothing promised was missed"))
    return 1 if missed else 0


def list_missed(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """A line for each promise that was not kept."""
    wall = theirs["seconds"] / ours["seconds"]
    kept = {
        f"speed: {wall:.2f} times as fast, promised is {FASTER}": wall >= FASTER,
        f"agreement: NMI {ours['nmi']:.3f}, BERTopic's is {theirs['nmi']:.3f}": ours["nmi"] >= theirs["nmi"],
        f"outliers: {ours['outliers']:.3f}, promised is {OUTLIER_SHARE}": ours["outliers"] <= OUTLIER_SHARE,
    }
    return [f"missed: {line}" for line, is_kept in kept.items() if not is_kept]


def run_apart(name: str) -> dict[str, Any]:
    """Run one in its own process."""
    command = [sys.executable, __file__, *sys.argv[1:], "--child", name]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_child(options: argparse.Namespace) -> None:
    """Time one and print its figures as JSON."""
    warnings.simplefilter("ignore")
    texts, reasons = read_texts(options)
    seconds, cpu, labels = run_product(texts) if options.child == "product" else run_bertopic(texts)
    labelled = [row for row, reason in enumerate(reasons) if reason]
    from sklearn.metrics import normalized_mutual_info_score  # noqa: PLC0415

    nmi = normalized_mutual_info_score([reasons[row] for row in labelled], [labels[row] for row in labelled])
    print(json.dumps({
        "texts": len(texts), "seconds": seconds, "cpu": cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "topics": len(set(labels) - {"-1"}), "outliers": labels.count("-1") / len(labels), "nmi": float(nmi),
    }))  # fmt: skip


def read_texts(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """Prepared texts, and the reason of each labelled one; threads first."""
    brands = list_brand_words(load_industry("airline"))
    threads, posts = (600, 300) if options.smoke else (options.threads, sys.maxsize)
    with gzip.open(options.data / POSTS, "rt", encoding="utf-8", newline="") as lines:
        rows = (row for row in csv.DictReader(lines) if row["inbound"] == "True" and not row["in_response_to_tweet_id"])
        texts = [
            text for _, row in zip(range(threads), rows, strict=False) if (text := prepare_text(row["text"], brands))
        ]
    reasons = [""] * len(texts)
    with (options.data / REASONS).open(encoding="utf-8", newline="") as lines:
        kept = [row for row in csv.DictReader(lines) if row["negative_reason"] not in NO_REASON][:posts]
    for row in kept:
        if text := prepare_text(row["text"], brands):
            texts.append(text)
            reasons.append(row["negative_reason"])
    return texts, reasons


def read_clocks() -> Any:
    """Seconds on the wall's clock, and of the processors' work for this process, whatever else is running."""
    return np.array([time.perf_counter(), time.process_time()])


def run_product(texts: list[str]) -> tuple[float, float, list[str]]:
    """Embed into an empty cache and find topics; training the head is no part of it."""
    industry = load_industry("airline")
    with tempfile.TemporaryDirectory() as folder:
        embed = Embedder(BUNDLED, Path(folder))
        head = train_head(industry, embed)
        start = read_clocks()
        ids = [f"{row:06}" for row in range(len(texts))]
        dialogues = pa.table({"dialogue_id": ids, "customer_text": texts})
        found = find_topics(dialogues, embed(texts), industry, head, model=embed.key, seed=SEED, min_dialogues=50)
        seconds, cpu = (read_clocks() - start).tolist()
    return seconds, cpu, [topic or "-1" for topic in found.topic_member["topic_id"].to_pylist()]


def run_bertopic(texts: list[str]) -> tuple[float, float, list[str]]:
    """BERTopic as it comes; only the embedding model is given, so that it is the same."""
    from bertopic import BERTopic  # noqa: PLC0415
    from sentence_transformers import SentenceTransformer  # noqa: PLC0415

    from servicebench_data.embeddings.model import find_bundled  # noqa: PLC0415

    encoder = SentenceTransformer(str(find_bundled()), device="cpu", local_files_only=True)
    start = read_clocks()
    labels, _ = BERTopic(embedding_model=encoder).fit_transform(texts)
    seconds, cpu = (read_clocks() - start).tolist()
    return seconds, cpu, [str(label) for label in np.asarray(labels)]


if __name__ == "__main__":
    sys.exit(main())
