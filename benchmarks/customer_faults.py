"""How well the detectors find faults of a customer simulator, on turns with planted faults and on clean ones.

    python benchmarks/customer_faults.py [--smoke]

Prints recall and precision by kind and overall, and what was missed or raised without cause; then plays the rule-based
customer and counts the faults found in it, which must be none. A planted turn has one fault: another kind that is
found in it, too, counts as raised without cause unless the bank says that it follows. Exits with 1 below `LEAST`.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from benchmarks.fictional import SCRIPTS, Setting, hold, list_parts
from schemas.experiment import STYLES
from schemas.simulation import SimulatorFaultKind
from servicebench_data.simulation.faults import DETECTORS, find_faults
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.turns import CustomerTurn, CustomerView, KnownFact, Said, Wish

FOLDER = Path(__file__).parent / "customer_faults"
LEAST = 0.9
KINDS: tuple[SimulatorFaultKind, ...] = (*DETECTORS, "unanswered")


@dataclass(frozen=True)
class Situation:
    """A view of the bank, with the facts that are closed in it."""

    view: CustomerView
    closed: tuple[KnownFact, ...]


def main() -> int:
    """Measure on the bank, then on the rule-based customer."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="fewer conversations of the rule-based customer")
    options = parser.parse_args()
    situations = {name: read_situation(entry) for name, entry in read("contexts").items()}
    worst = measure("written with the detectors", [*read("planted"), *read("clean")], situations)
    measure("written after them", read("unseen"), situations)
    turns, alarms = play(6 if options.smoke else 36)
    return 1 if worst < LEAST or alarms or not turns else 0


def measure(title: str, entries: list[dict[str, Any]], situations: dict[str, Situation]) -> float:
    """Print what was missed and raised in some turns, and the figures; returns the worse of recall and precision."""
    right, missed, raised = Counter[str](), Counter[str](), Counter[str]()
    say(f"{title}: {len(entries)} turns")
    for entry in entries:
        planted, found = entry.get("fault"), find_kinds(entry, situations)
        if planted:
            (right if planted in found else missed)[planted] += 1
        for kind in sorted(found - {planted, *entry.get("also", [])}):
            raised[kind] += 1
            say(f"  raised {kind} in {entry['id']}: {entry['message']!r}")
        if planted and planted not in found:
            say(f"  missed {planted} in {entry['id']}: {entry['message']!r}")
    return report(right, missed, raised)


def read(name: str) -> Any:
    """A file of the bank."""
    return yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))


def read_situation(entry: dict[str, Any]) -> Situation:
    """A situation of `contexts.yaml`."""
    told, may_tell, closed = (tuple(map(read_fact, entry[name])) for name in ("told", "may_tell", "closed"))
    view = CustomerView(
        brand=entry["brand"], style=entry["style"], told=told, may_tell=may_tell, background=(),
        wish=Wish(**entry["wish"], insult="A scripted reply.", is_loss_money=entry["wish"]["min_usd"] > 0),
        said=tuple(Said(role, text) for role, text in entry["said"]), attitude=entry["attitude"],
        patience=entry["patience"], may_accept=entry.get("may_accept", False),
        is_last_straw=entry.get("is_last_straw", False), missing=tuple(entry["missing"]), exit=entry.get("exit"),
    )  # fmt: skip
    return Situation(view, closed)


def read_fact(entry: dict[str, Any]) -> KnownFact:
    """A fact of a situation."""
    return KnownFact(**entry, disclosure="when_asked", is_customer_only=False, is_inferred=False)


def find_kinds(entry: dict[str, Any], situations: dict[str, Situation]) -> set[str]:
    """Kinds of fault found in a turn; without a list the customer claims what it may tell."""
    situation = situations[entry["context"]]
    claimed = entry.get("disclosed", [fact.fact_id for fact in situation.view.may_tell])
    turn = CustomerTurn(entry["message"], tuple(claimed), entry.get("decision", "continue"))
    return {fault.kind for fault in find_faults(turn, situation.view, situation.closed, load_constants())}


def report(right: Counter[str], missed: Counter[str], raised: Counter[str]) -> float:
    """Print recall and precision by kind and overall; returns the worse of the two overall."""
    for kind in [*KINDS, "all"]:
        good, lost, false = ((counts.total() if kind == "all" else counts[kind]) for counts in (right, missed, raised))
        recall, precision = good / max(1, good + lost), good / max(1, good + false)
        say(f"{kind:>20}: planted {good + lost:3d}  recall {recall:.3f}  precision {precision:.3f}")
    return min(right.total() / (right.total() + missed.total()), right.total() / (right.total() + raised.total()))


def play(count: int) -> tuple[int, int]:
    """Turns of the rule-based customer in conversations with the scripted agents, and faults found in them."""
    faults: Counter[str] = Counter()
    turns = 0
    for number, parts in enumerate(list_parts(None, count)):
        for script in SCRIPTS:
            played = hold(parts, Setting(script, STYLES[number % len(STYLES)], load_constants()))
            turns += sum(row.role == "customer" for row in played.log.messages) - 1
            faults.update(fault.kind for fault in played.faults)
    say(f"rule-based customer: {turns} turns, {faults.total()} faults {dict(faults)}")
    return turns, faults.total()


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
