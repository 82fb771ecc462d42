"""How well the complaint filter tells complaints, on labelled posts that taught it nothing, next to a peer.

    python benchmarks/filter.py [--smoke] [--data FOLDER] [--home FOLDER]

Prints precision, recall and F1 at both thresholds on the `test` split of each label file and of both, with 95%
intervals from resampling the posts, and the peer: a logistic head over the same vectors, trained on the file's own
train split, its threshold set there by cross-validation. Skips with a reason where the labels are missing. `--smoke`
takes every 20th post.
"""

import argparse
import csv
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from servicebench_data.dialogues.complaint_bank import load_bank
from servicebench_data.dialogues.complaints import ComplaintFilter, train_filter
from servicebench_data.embeddings import Embedder, prepare_text
from servicebench_data.industries import list_brand_words, load_industries

FILES = ("complaints.csv", "complaints_airline_2015.csv")
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "labels"
RESAMPLES = 2000
SEED = 2026

Truth = NDArray[np.bool_]
Scores = NDArray[np.float64]


class Split(NamedTuple):
    """Posts of a file's split, and which of them their annotators call a complaint."""

    texts: list[str]
    is_complaint: Truth


class Measures(NamedTuple):
    """Precision, recall and F1."""

    precision: float
    recall: float
    f1: float


def main() -> None:
    """Measure and print."""
    options = parse_options()
    missing = [name for name in FILES if not (options.data / name).is_file()]
    if missing:
        print(f"skipped: {missing} not in {options.data}")
        return
    industries = load_industries()
    embedder = Embedder("bundled", options.home / "cache" / "embeddings")
    brands = sorted({word for industry in industries for word in list_brand_words(industry)})
    complaint_filter = train_filter(load_bank(industries), embedder, options.home / "cache")
    print(f"{complaint_filter.method}; {'every 20th post' if options.smoke else 'all posts'}")
    print(f"{'file':28}{'what':10}{'at':>7}{'posts':>7}{'taken':>7}  precision            recall               F1")
    pooled = Split([], np.zeros(0, dtype=np.bool_))
    for name in FILES:
        train, test = (read_split(options.data / name, split, is_smoke=options.smoke) for split in ("train", "test"))
        report_filter(name, test, complaint_filter, brands)
        report_peer(name, (train, test), embedder, brands)
        pooled = Split(pooled.texts + test.texts, np.concatenate([pooled.is_complaint, test.is_complaint]))
    report_filter("both", pooled, complaint_filter, brands)


def parse_options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="take every 20th post only")
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the label files")
    parser.add_argument("--home", type=Path, default=Path(tempfile.gettempdir()) / "servicebench_benchmarks")
    return parser.parse_args()


def read_split(path: Path, split: str, *, is_smoke: bool) -> Split:
    """Posts of one split of a label file."""
    with path.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["split"] == split][:: 20 if is_smoke else 1]
    return Split([row["text"] for row in rows], np.array([row["label"] == "1" for row in rows]))


def report_filter(name: str, test: Split, complaint_filter: ComplaintFilter, brands: list[str]) -> None:
    """Print the filter's measures at both thresholds; a post without a word left is no complaint."""
    scores = np.nan_to_num(complaint_filter.screen(test.texts, brands).complaint_probability)
    for what, cut in (("keep", complaint_filter.keep), ("release", complaint_filter.release)):
        print_line(name, what, cut, test.is_complaint, scores >= cut)


def report_peer(name: str, splits: tuple[Split, Split], embedder: Embedder, brands: list[str]) -> None:
    """Print the measures of a logistic head over the vectors of the file's own train split."""
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415 - heavy
    from sklearn.model_selection import cross_val_predict  # noqa: PLC0415

    train, test = splits
    seen, unseen = (embed_posts(split.texts, embedder, brands) for split in splits)
    model = LogisticRegression(C=10, max_iter=2000)
    held_out = np.asarray(cross_val_predict(model, seen, train.is_complaint, cv=5, method="predict_proba"))[:, 1]
    cut = find_best_cut(train.is_complaint, held_out)
    scores = model.fit(seen, train.is_complaint).predict_proba(unseen)[:, 1]
    print_line(name, "peer", cut, test.is_complaint, scores >= cut)


def embed_posts(texts: list[str], embedder: Embedder, brands: list[str]) -> NDArray[np.float32]:
    """Vectors of posts; zeros where no word is left."""
    prepared = [prepare_text(text, brands) for text in texts]
    rows = [row for row, text in enumerate(prepared) if text]
    found = embedder([prepared[row] for row in rows])
    vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
    vectors[rows] = found
    return vectors


def find_best_cut(truth: Truth, scores: Scores) -> float:
    """Threshold of the best F1."""
    return max(sorted(set(scores.tolist())), key=lambda cut: measure(truth, scores >= cut).f1)


def measure(truth: Truth, taken: Truth) -> Measures:
    """Precision, recall and F1 of what was taken; NaN where they are not defined."""
    hits, of_taken, of_truth = int((truth & taken).sum()), int(taken.sum()), int(truth.sum())
    return Measures(
        hits / of_taken if of_taken else float("nan"),
        hits / of_truth if of_truth else float("nan"),
        2 * hits / (of_taken + of_truth) if of_taken + of_truth else float("nan"),
    )


def print_line(name: str, what: str, cut: float, truth: Truth, taken: Truth) -> None:
    """Print one line of the table."""
    generator = np.random.default_rng(SEED)
    rows = generator.integers(0, len(truth), (RESAMPLES, len(truth)))
    drawn = np.array([measure(truth[chosen], taken[chosen]) for chosen in rows])
    low, high = np.nanpercentile(drawn, [2.5, 97.5], axis=0)
    triples = zip(measure(truth, taken), low, high, strict=True)
    cells = "  ".join(f"{value:.3f} [{least:.3f}, {most:.3f}]" for value, least, most in triples)
    print(f"{name:28}{what:10}{cut:7.3f}{len(truth):7}{int(taken.sum()):7}  {cells}")


if __name__ == "__main__":
    main()
