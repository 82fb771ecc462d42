"""How many planted near-duplicates are found at which threshold, and how many other cases are taken for one.

    python benchmarks/duplicates.py [--smoke] [--missed] [--home HOME]

The bank (`duplicates/pairs.yaml`) holds 40 openings of the bundled sample, each with the same case told again (other
values, other words, or both) and with another case of the same category and a similar plot. All pass through the
offline rules first: what is compared is what the finished scenarios tell. Counted as duplicates are the 40 pairs of an
opening and its retelling; as others the 80 pairs of either with the other case. Prints recall by kind and precision for
thresholds of each sign and for the two in use. `--home` shows the real pairs at the border, nearest first, for a person
to judge; they are printed, never kept. `--smoke` takes every fourth entry.
"""

import argparse
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from schemas.dialogues import Dialogue
from schemas.scenarios import BackgroundSentence, Candidate, Fact
from servicebench_data.embeddings import BUNDLED
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import list_brand_words, list_industries, load_industry
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.store import Lake
from servicebench_data.scenarios.assembly import build_parts
from servicebench_data.scenarios.duplicates import LEAST_COSINE, LEAST_OVERLAP
from servicebench_data.scenarios.likeness import measure_overlap, pair_words
from servicebench_data.scenarios.members import Member, embed_members, list_members, tell_plainly
from servicebench_data.scenarios.parts import Knowledge, Source, prepare
from servicebench_data.scenarios.reading import SourceTurn

ROOT = Path(__file__).resolve().parents[1]
REPLY = "Sorry to hear this. Please send us your details so that we can look into it."
KINDS = ("swap", "reword", "both")
COSINES = (0.75, 0.78, 0.8, 0.83, 0.85, 0.88, 0.9)
OVERLAPS = (0.2, 0.3, 0.4, 0.5, 0.6)
BORDER = 20


@dataclass(frozen=True)
class Pair:
    """Two scenarios of the bank, and how alike they are.

    Attributes:
        base: Entry of the bank.
        kind: How the retelling differs; empty for another case.
        cosine: Cosine of what they tell.
        overlap: Share of their word pairs that both have.
    """

    base: str
    kind: str
    cosine: float
    overlap: float

    def is_found(self, least_cosine: float, least_overlap: float) -> bool:
        """Whether either sign is strong enough."""
        return self.cosine >= least_cosine or self.overlap >= least_overlap


@cache
def load_knowledge(industry: str) -> Knowledge:
    """An industry, prepared."""
    return prepare(load_industry(industry))


def read_sample() -> dict[str, dict[str, Any]]:
    """Dialogues of the bundled sample by id, each with its industry."""
    return {
        entry["id"]: {**entry, "industry": name}
        for name in list_industries()
        for entry in yaml.safe_load((ROOT / "sample" / f"{name}.yaml").read_text(encoding="utf-8"))
    }


def tell(industry: str, category: str, text: str) -> Member:
    """What the finished scenario of an opening tells."""
    knowledge = load_knowledge(industry)
    account = next(entry.handle for entry in knowledge.industry.accounts.accounts if entry.is_sample)
    turns = (SourceTurn(0, "customer", text, ("p0",), (0,)), SourceTurn(1, "account", REPLY, ("p1",), (0,)))
    parts = build_parts(Source("d", account, category, turns), knowledge, seed=1, stale_rate=0.0)
    lived = [row.text for row in parts.background if not row.is_inferred]
    values = {fact.value for fact in parts.facts if fact.value}
    told = tell_plainly(" ".join([text, *lived]), values, list_brand_words(knowledge.industry))
    return Member("s", industry, category, len(parts.facts), "c", text, told)


def make_pairs(entries: list[dict[str, Any]], embedder: Embedder) -> list[Pair]:
    """The pairs of the bank: of each entry the retelling, and the other case beside both."""
    sample, found = read_sample(), list[Pair]()
    for entry in entries:
        base = sample[entry["base"]]
        posts = [post["customer"] for post in base["posts"][: entry.get("posts", 1)]]
        texts = [" ".join(posts), entry["near"], entry["other"]]
        members = [tell(base["industry"], base["category"], text) for text in texts]
        vectors = embed_members(members, embedder)
        for one, other, kind in ((0, 1, entry["kind"]), (0, 2, ""), (1, 2, "")):
            overlap = measure_overlap(pair_words(members[one].told), pair_words(members[other].told))
            found.append(Pair(entry["base"], kind, float(vectors[one] @ vectors[other]), overlap))
    return found


def print_row(title: str, pairs: list[Pair], least_cosine: float, least_overlap: float) -> None:
    """Recall by kind and in all, and precision, at a pair of thresholds."""
    flagged = [pair for pair in pairs if pair.is_found(least_cosine, least_overlap)]
    recall = [
        f"{sum(pair.kind == kind for pair in flagged):3}/{sum(pair.kind == kind for pair in pairs):<3}"
        for kind in KINDS
    ]
    right, total = sum(bool(pair.kind) for pair in flagged), sum(bool(pair.kind) for pair in pairs)
    precision = f"{right / len(flagged):8.1%}" if flagged else f"{'-':>8}"
    print(f"{title:24} {' '.join(recall)} {right / total:8.1%} {precision} {len(flagged) - right:6}")


def print_table(pairs: list[Pair]) -> None:
    """Every threshold of each sign alone, then those in use together."""
    print(f"{'':24} {'swap':7} {'reword':7} {'both':7} {'recall':>8} {'precis.':>8} {'wrong':>6}")
    for least in COSINES:
        print_row(f"cosine >= {least}", pairs, least, 2.0)
    for least in OVERLAPS:
        print_row(f"overlap >= {least}", pairs, 2.0, least)
    print_row(f"in use: {LEAST_COSINE} or {LEAST_OVERLAP}", pairs, LEAST_COSINE, LEAST_OVERLAP)
    others = [pair for pair in pairs if not pair.kind]
    print(f"other cases at most: cosine {max(pair.cosine for pair in others):.3f}, "
          f"overlap {max(pair.overlap for pair in others):.3f}")  # fmt: skip


def print_border(home: Path) -> None:
    """Real pairs on either side of each threshold."""
    lake = Lake(home)
    with tempfile.TemporaryDirectory() as scratch, open_database(Limits(2.0, 2, Path(scratch))) as connection:
        add_views(connection, lake.files([Candidate, Dialogue, BackgroundSentence, Fact], list_industries()))
        members = list_members(connection)
    vectors = embed_members(members, Embedder(BUNDLED, lake.cache / "embeddings"))
    cosines = np.triu(vectors @ vectors.T, 1)
    print(f"{len(members)} candidates; pairs by cosine:",
          ", ".join(f">= {least}: {int((cosines >= least).sum())}" for least in COSINES))  # fmt: skip
    order = np.argsort(np.abs(cosines - LEAST_COSINE), axis=None, kind="stable")[:BORDER]
    for one, other in sorted(zip(*np.unravel_index(order, cosines.shape), strict=True), key=lambda at: -cosines[at]):
        print(f"\n{cosines[one, other]:.3f}  {members[one].customer_text[:240]!r}\n"
              f"       {members[other].customer_text[:240]!r}")  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="take every fourth entry only")
    parser.add_argument("--missed", action="store_true", help="name the retellings that are missed")
    parser.add_argument("--home", type=Path, help="show real pairs at the border, from this home's lake")
    options = parser.parse_args()
    entries = yaml.safe_load((Path(__file__).parent / "duplicates" / "pairs.yaml").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        pairs = make_pairs(entries[:: 4 if options.smoke else 1], Embedder(BUNDLED, Path(folder)))
    print_table(pairs)
    missed = [pair for pair in pairs if pair.kind and not pair.is_found(LEAST_COSINE, LEAST_OVERLAP)]
    for pair in missed if options.missed else []:
        print(f"  missed: {pair.base:28} {pair.kind:7} cosine {pair.cosine:.3f} overlap {pair.overlap:.3f}")
    if options.home:
        print_border(options.home)


if __name__ == "__main__":
    main()
