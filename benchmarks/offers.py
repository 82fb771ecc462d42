"""Precision and recall of the offers that are read from an agent's words, on messages labelled by hand.

Belongs here: comparing what `simulation/offers.py` reads with the labels in `offers/`. Not here: the labels' guide
(`offers/GUIDE.md`).

    python benchmarks/offers.py [--half dev|judge|fresh] [--misses]

An offer is found where quotes overlap and kind and amount are the same; beside it stand the looser count (quotes
overlap) and the stricter one (relation, too).
"""

import argparse
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from servicebench_data.industries import load_industries
from servicebench_data.simulation.offers import read_offers
from servicebench_data.simulation.turns import Offer, PolicyView

FOLDER = Path(__file__).parent / "offers"
Label = Mapping[str, Any]


class Span(NamedTuple):
    """Where a quote stands."""

    start: int
    end: int


class Rate(NamedTuple):
    """How many offers were labelled, read, and found."""

    labelled: int
    read: int
    found: int

    def __str__(self) -> str:
        precision = self.found / self.read if self.read else 1.0
        recall = self.found / self.labelled if self.labelled else 1.0
        counts = f"{self.found} of {self.read} read, {self.labelled} labelled"
        return f"precision {precision:.3f} recall {recall:.3f} ({counts})"


def is_near(message: str, label: Label, offer: Offer) -> bool:
    """Whether quotes overlap."""
    one, other = find_span(message, label["quote"]), find_span(message, offer.quote)
    return one.start < other.end and other.start < one.end


def find_span(message: str, quote: str) -> Span:
    """Where a quote stands in its message."""
    start = message.index(quote)
    return Span(start, start + len(quote))


def is_same(message: str, label: Label, offer: Offer) -> bool:
    """Whether quotes overlap, and kind and amount are the same."""
    is_worth_same = label["amount_usd"] == offer.amount_usd
    return is_worth_same and label["kind"] == offer.kind and is_near(message, label, offer)


def is_exact(message: str, label: Label, offer: Offer) -> bool:
    """Whether all is the same."""
    return label["relation"] == offer.relation and is_same(message, label, offer)


MEASURES: Mapping[str, Callable[[str, Label, Offer], bool]] = {
    "found (words)": is_near,
    "found (words, kind, amount)": is_same,
    "found (words, kind, amount, relation)": is_exact,
}


def pair_off(entry: Label, offers: Sequence[Offer], test: Callable[[str, Label, Offer], bool]) -> Rate:
    """How many of a message's labels have an offer of their own."""
    left = list(offers)
    found = 0
    for label in entry["offers"]:
        match = next((offer for offer in left if test(entry["message"], label, offer)), None)
        if match is not None:
            left.remove(match)
            found += 1
    return Rate(len(entry["offers"]), len(offers), found)


def list_policies(entry: Label) -> list[PolicyView]:
    """The policies that a message's agent has before it."""
    books = {
        policy.id: policy
        for industry in load_industries()
        if industry.id == entry["industry"]
        for policy in industry.policies.policies
    }
    named = [books[name] for name in entry["policies"]]
    return [
        PolicyView(
            policy.id,
            policy.title,
            policy.text,
            policy.entitlement.kind if policy.entitlement else None,
            policy.entitlement.limit_usd if policy.entitlement else None,
        )
        for policy in named
    ]


def add(rates: Sequence[Rate]) -> Rate:
    """Rates of many messages as one."""
    return Rate(
        sum(rate.labelled for rate in rates), sum(rate.read for rate in rates), sum(rate.found for rate in rates)
    )


def main() -> None:
    """Print precision and recall of a half, by measure and by style."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=["dev", "judge", "fresh"], default="dev")
    parser.add_argument(
        "--misses", action="store_true", help="print each message that was read otherwise than labelled"
    )
    options = parser.parse_args()
    entries: list[Label] = yaml.safe_load((FOLDER / f"{options.half}.yaml").read_text(encoding="utf-8"))
    read = {entry["id"]: read_offers(entry["message"], list_policies(entry)) for entry in entries}
    print(f"{options.half}: {len(entries)} messages, {sum(not entry['offers'] for entry in entries)} without an offer")
    for name, test in MEASURES.items():
        print(f"  {name}: {add([pair_off(entry, read[entry['id']], test) for entry in entries])}")
    for style in sorted(Counter(entry["style"] for entry in entries)):
        mine = [entry for entry in entries if entry["style"] == style]
        print(f"  {style}: {add([pair_off(entry, read[entry['id']], is_same) for entry in mine])}")
    if options.misses:
        print_misses(entries, read)


def print_misses(entries: Sequence[Label], read: Mapping[str, Sequence[Offer]]) -> None:
    """Print messages that were read otherwise than labelled."""
    for entry in entries:
        offers = read[entry["id"]]
        rate = pair_off(entry, offers, is_exact)
        if rate.found < rate.labelled or rate.found < rate.read:
            print(f"\n{entry['id']}: {entry['message']!r}")
            for label in entry["offers"]:
                print(f"   label {label['kind']} {label['amount_usd']} {label['relation']}: {label['quote']!r}")
            for offer in offers:
                print(f"   read  {offer.kind} {offer.amount_usd} {offer.relation}: {offer.quote!r}")


if __name__ == "__main__":
    main()
