"""Precision and recall of the offline extraction on posts that were labelled by hand.

The labels (`labels/extraction.csv`) hold ids and character spans in the raw text, no text. They cover all customer
posts of 140 dialogues of the half of the real posts on which no rule was written (the first byte of the SHA-256 of
the root id is odd): 70 were labelled before the rules were written, by the same hand (round 1), 70 when the rules
were finished, and no rule of the extraction was changed after them (round 2, the cleaner measure). The posts are
read, threaded and masked by the product; a value found in a masked turn is carried back to the raw text by aligning
the two. A value counts as found when a value of the same kind overlaps it; `exact` counts those with the same bounds.
References that the masking leaves bare are missed here, for the extraction only knows its tokens.

Run: python benchmarks/extraction.py [--smoke] [--posts FILE] [--errors]
"""

import argparse
import csv
import gzip
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq

from servicebench_data.dialogues.accounts import Forget, list_accounts
from servicebench_data.dialogues.dialogues import DialogueFiles, build_dialogues
from servicebench_data.dialogues.engine import Limits
from servicebench_data.dialogues.posts import PostFiles, load_posts
from servicebench_data.industries import load_industries
from servicebench_data.scenarios.parts import prepare
from servicebench_data.scenarios.reading import SourceTurn, extract_turns

POSTS = Path(__file__).parents[2] / "shared" / "data" / "posts" / "twcs_union.csv.gz"
LABELS = Path(__file__).parent / "labels" / "extraction.csv"
KINDS = ("amount", "time", "date", "duration", "reference", "place", "flight_number", "product", "count")
REFERENCES = ("booking_reference", "order_reference", "loyalty_number")
Span = tuple[int, int]
Spans = dict[str, dict[str, list[Span]]]


@dataclass
class Score:
    """Counts of one kind."""

    labelled: int = 0
    found: int = 0
    hits: int = 0
    right: int = 0
    exact: int = 0

    def show(self, kind: str) -> str:
        """A line of the table."""
        precision = f"{self.right / self.found:.2f}" if self.found else "   -"
        recall = f"{self.hits / self.labelled:.2f}" if self.labelled else "   -"
        return f"{kind:14} {self.labelled:8} {self.found:6} {precision:>10} {recall:>7} {self.exact:6}"


def read_labels(path: Path, limit: int | None) -> dict[int, Spans]:
    """Labelled spans by round, post and kind; a post without values is there with none."""
    labels: dict[int, Spans] = {}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            kinds = labels.setdefault(int(row["round"]), {}).setdefault(row["post_id"], defaultdict(list))
            if row["kind"] != "none":
                kinds[row["kind"]].append((int(row["start"]), int(row["end"])))
    return {number: dict(list(posts.items())[:limit]) for number, posts in labels.items()}


def read_raw(path: Path, wanted: set[str]) -> dict[str, str]:
    """Raw texts of the labelled posts."""
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        return {row["tweet_id"]: row["text"] for row in csv.DictReader(file) if row["tweet_id"] in wanted}


def build_turns(path: Path) -> dict[str, list[SourceTurn]]:
    """Masked turns by dialogue, made by the product."""
    accounts = list_accounts(load_industries(), is_sample=False)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        limits = Limits(memory_gb=1.5, threads=2, scratch=place)
        files = DialogueFiles(place / "turns.parquet", place / "dialogues.parquet")
        load_posts(
            [path],
            PostFiles(place / "posts.parquet", place / "quarantine.parquet"),
            accounts=accounts,
            forget=Forget(),
            limits=limits,
        )
        build_dialogues(place / "posts.parquet", files, accounts=accounts, limits=limits)
        turns: dict[str, list[SourceTurn]] = defaultdict(list)
        for row in pq.read_table(files.turns).to_pylist():
            turns[row["dialogue_id"]].append(
                SourceTurn(
                    row["turn_index"], row["role"], row["text"], tuple(row["post_ids"]), tuple(row["post_offsets"])
                )
            )
    return turns


def extract_posts(turns: Mapping[str, list[SourceTurn]], raw: Mapping[str, str]) -> tuple[Spans, set[str]]:
    """Extracted spans in the raw text by post and kind, and the posts that were read at all."""
    brands = {handle: brand for industry in load_industries() for handle, brand in prepare(industry).brands.items()}
    found: Spans = defaultdict(lambda: defaultdict(list))
    seen: set[str] = set()
    for dialogue in turns.values():
        for turn, values, _ in extract_turns(dialogue, brands):
            for post_id, start, end in list_posts(turn):
                if post_id not in raw or post_id in seen:
                    continue
                seen.add(post_id)
                for value in values:
                    if start <= value.start and value.end <= end:
                        kind = "reference" if value.kind in REFERENCES else value.kind
                        span = align(turn.text[start:end], raw[post_id], (value.start - start, value.end - start))
                        found[post_id][kind].append(span)
    return found, seen


def list_posts(turn: SourceTurn) -> Iterator[tuple[str, int, int]]:
    """Posts of a turn with the bounds of their text."""
    ends = [*turn.post_offsets[1:], len(turn.text)]
    yield from zip(turn.post_ids, turn.post_offsets, ends, strict=True)


def align(masked: str, raw: str, span: Span) -> Span:
    """Where a stretch of the masked text lies in the raw text."""
    codes = SequenceMatcher(None, masked, raw, autojunk=False).get_opcodes()
    inside = [
        (raw_start + max(0, span[0] - start), raw_start + min(end, span[1]) - start)
        if tag == "equal"
        else (raw_start, raw_end)
        for tag, start, end, raw_start, raw_end in codes
        if start < span[1] and span[0] < end
    ]
    return inside[0][0], inside[-1][1]


def overlaps(span: Span, others: list[Span]) -> bool:
    """Whether a span shares a character with one of the others."""
    return any(span[0] < other[1] and other[0] < span[1] for other in others)


def score(labels: Spans, found: Spans, seen: set[str]) -> dict[str, Score]:
    """Counts by kind over the posts that were read."""
    scores = {kind: Score() for kind in KINDS}
    for post_id in seen & labels.keys():
        for kind, counts in scores.items():
            wanted, got = labels[post_id].get(kind, []), found.get(post_id, {}).get(kind, [])
            counts.labelled += len(wanted)
            counts.found += len(got)
            counts.hits += sum(overlaps(span, got) for span in wanted)
            counts.right += sum(overlaps(span, wanted) for span in got)
            counts.exact += len(set(wanted) & set(got))
    return scores


def show_round(number: int, labels: Spans, found: Spans, seen: set[str]) -> None:
    """Print the table of one round of labels."""
    scores = score(labels, found, seen)
    print(f"round {number}: {len(seen & labels.keys())} of {len(labels)} labelled posts read")
    print(f"{'kind':14} {'labelled':>8} {'found':>6} {'precision':>10} {'recall':>7} {'exact':>6}")
    for kind, counts in scores.items():
        print(counts.show(kind))
    total = Score(**{name: sum(vars(counts)[name] for counts in scores.values()) for name in vars(Score())})
    print(total.show("all"))


def show_errors(labels: Spans, found: Spans, seen: set[str]) -> None:
    """Print ids and spans of what was missed and what was found wrongly; no text."""
    for post_id in sorted(seen & labels.keys(), key=int):
        for kind in KINDS:
            wanted, got = labels[post_id].get(kind, []), found.get(post_id, {}).get(kind, [])
            for span in wanted:
                if not overlaps(span, got):
                    print(f"missed {kind:14} {post_id} {span[0]}:{span[1]}")
            for span in got:
                if not overlaps(span, wanted):
                    print(f"wrong  {kind:14} {post_id} {span[0]}:{span[1]}")


def main() -> int:
    """Measure and print; 0 also where the data is missing, with the reason."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--smoke", action="store_true", help="only the first 40 labelled posts")
    parser.add_argument("--posts", type=Path, default=POSTS, help="the posts that were labelled")
    parser.add_argument("--errors", action="store_true", help="list ids and spans of errors")
    options = parser.parse_args()
    if not options.posts.is_file():
        print(f"skipped: {options.posts} is missing; the labelled posts are not part of the repository.")
        return 0
    rounds = read_labels(LABELS, 40 if options.smoke else None)
    raw = read_raw(options.posts, {post_id for labels in rounds.values() for post_id in labels})
    found, seen = extract_posts(build_turns(options.posts), raw)
    for number, labels in rounds.items():
        show_round(number, labels, found, seen)
        if options.errors:
            show_errors(labels, found, seen)
    return 0


if __name__ == "__main__":
    sys.exit(main())
