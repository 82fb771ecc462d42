"""How well the gate reads agents' messages, and how well it is seen which facts a customer's message tells.

    python benchmarks/gate.py [--half dev|judge|fresh|final|unseen|sealed …] [--model NAME [--ledger URL]] [--missed]
                              [--smoke]

The banks were labelled by hand by the guides beside them (`gate/GUIDE.md`, `telling/GUIDE.md`). Their halves share no
scenario: rules were written against `dev`, first measured on `judge` unseen, then mended by what they missed there;
`fresh` and `final` were written after that, for agents' messages only; `final` is for one last measurement, and
`unseen` and `sealed`, written later and apart from the reader, for one more each. Several halves are measured together.
Prints precision and recall of each flag, of the facts opened (computed from labels and from readings by the same
definition) and of all of these together, overall and by writing style; and of the facts told, overall and by trait.
`--model` has a model read the agents' messages instead of the rules; its answers are kept in the ledger.
`--missed` prints what was read wrongly; `--smoke` takes every tenth message, which are too few for a verdict. Says
which bounds are kept, and exits with 1 where one is not: `LEAST` of all together, `LEAST_OF_STYLE` in every style,
`LEAST_TOLD` of the facts told, each for precision and recall.
"""

import argparse
import asyncio
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, get_args

import yaml

from schemas.simulation import Flag
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.options import ModelOptions
from servicebench_data.models.session import Target
from servicebench_data.models.task import How
from servicebench_data.settings import Settings
from servicebench_data.simulation.gate.model import ModelGate
from servicebench_data.simulation.gate.opening import open_facts
from servicebench_data.simulation.gate.rules import RulesGate
from servicebench_data.simulation.telling import find_told
from servicebench_data.simulation.turns import GateReading, KnownFact, SimulatorError

FOLDER = Path(__file__).resolve().parent
OPENED = "facts opened"
TOGETHER = "together"
OVERALL = "overall"
HALVES = ("dev", "judge", "fresh", "final", "unseen", "sealed")
LEAST, LEAST_OF_STYLE, LEAST_TOLD = 0.9, 0.85, 0.9
Entry = dict[str, Any]


@dataclass(frozen=True)
class Verdict:
    """One thing that a message may do or tell, as labelled and as read.

    Attributes:
        what: Flag, opened fact or told fact.
        group: Writing style, or trait of a customer's message.
        entry: Id of the message.
        is_labelled: Whether it is labelled so.
        is_read: Whether it was read so.
    """

    what: str
    group: str
    entry: str
    is_labelled: bool
    is_read: bool


class Rates(NamedTuple):
    """Precision and recall, None where there is nothing to divide by, and how much is labelled."""

    precision: float | None
    recall: float | None
    labelled: int

    def __str__(self) -> str:
        precision, recall = ("-" if rate is None else f"{rate:.3f}" for rate in self[:2])
        return f"{precision} / {recall} ({self.labelled})"

    def is_kept(self, least: float) -> bool:
        """Whether both are at least so high; what was not measured is not kept."""
        return all(rate is not None and rate >= least for rate in self[:2])


def main() -> int:
    """Read the options, print the tables and the bounds, and return 1 where one is not kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, nargs="+", default=["judge"], help="halves, measured together")
    parser.add_argument("--model", help="a model that reads instead of the rules, as litellm names it")
    parser.add_argument("--ledger", default="sqlite:///gate.sqlite", help="where the model's answers are kept")
    parser.add_argument("--missed", action="store_true", help="print what was read wrongly")
    parser.add_argument("--smoke", action="store_true", help="every tenth message")
    given = parser.parse_args()
    step = 10 if given.smoke else 1
    messages = load_messages(given.half)[::step]
    readings = asyncio.run(read_all(messages, given.model, given.ledger))
    unread = sum(reading is None for reading in readings)
    halves = " and ".join(given.half)
    print(f"{len(messages)} agents' messages, {halves}, by {given.model or 'the rules'}; {unread} unread\n")
    seen = [entry for entry, reading in zip(messages, readings, strict=True) for entry in judge(entry, reading)]
    print_table(seen, shows_missed=given.missed)
    told = list(judge_told(load_told(given.half)[::step]))
    if told:
        print(f"\nfacts told, in {len({verdict.entry for verdict in told})} customers' messages\n")
        print_table(told, shows_missed=given.missed)
    if given.smoke:
        print("\nbounds: NOT MEASURED, for a tenth of the messages says too little")
        return 0
    bounds = list(judge_bounds(seen, told))
    print("\nbounds: " + "; ".join(line for line, _ in bounds))
    return 0 if all(is_kept for _, is_kept in bounds) else 1


def judge_bounds(seen: Sequence[Verdict], told: Sequence[Verdict]) -> Iterator[tuple[str, bool]]:
    """Each bound in words, and whether it is kept."""
    styles = sorted({verdict.group for verdict in seen})
    measured = [("all together", LEAST, list(seen))]
    measured += [(style, LEAST_OF_STYLE, [row for row in seen if row.group == style]) for style in styles]
    measured += [("facts told", LEAST_TOLD, list(told))] if told else []
    for name, least, verdicts in measured:
        rates = measure(verdicts)
        is_kept = rates.is_kept(least)
        yield f"{name} {rates} of {least} {'kept' if is_kept else 'BROKEN'}", is_kept


def load_messages(halves: Iterable[str]) -> list[Entry]:
    """Agents' messages of some halves.

    Raises:
        SystemExit: A half has none.
    """
    found: list[Entry] = []
    for half in halves:
        paths = sorted((FOLDER / "gate").glob(f"{half}_*.yaml"))
        if not paths:
            raise SystemExit(f"half {half!r} has no messages in {FOLDER / 'gate'}")
        found += [entry for path in paths for entry in load(path)]
    return found


def load_told(halves: Iterable[str]) -> list[Entry]:
    """Customers' messages of some halves; some halves have none."""
    paths = [FOLDER / "telling" / f"{half}_messages.yaml" for half in halves]
    return [entry for path in paths if path.exists() for entry in load(path)]


def load(path: Path) -> list[Entry]:
    """Entries of a file of a bank."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@cache
def load_closed() -> dict[str, list[KnownFact]]:
    """Facts of each scenario that are closed at the start."""
    return {
        scenario["id"]: [
            KnownFact(**fact, is_inferred=False) for fact in scenario["facts"] if fact["disclosure"] != "opening"
        ]
        for scenario in load(FOLDER / "gate" / "scenarios.yaml")
    }


async def read_all(messages: Sequence[Entry], model: str | None, ledger: str) -> list[GateReading | None]:
    """A reading of each message; None where the model could not read it."""
    closed = load_closed()
    if model is None:
        return [await RulesGate().read(entry["message"], closed[entry["scenario"]]) for entry in messages]
    readings: list[GateReading | None] = []
    with open_doorway(ModelOptions.from_settings(Settings.load(model=model)), ledger) as doorway:
        async with doorway.open_session([Target(model)]) as session:
            for entry in messages:
                gate = ModelGate(session, How(model, seed=1), entry["scenario"])
                try:
                    readings.append(await gate.read(entry["message"], closed[entry["scenario"]]))
                except SimulatorError:
                    readings.append(None)
    return readings


def judge(entry: Entry, reading: GateReading | None) -> Iterator[Verdict]:
    """Verdicts on a message; one that could not be read shows and opens nothing."""
    flags = reading.flags if reading else {}
    opened = {opening.fact_id for opening in reading.openings} if reading else set[str]()
    closed = load_closed()[entry["scenario"]]
    due = {fact.fact_id for fact in open_facts(closed, entry["flags"], entry["asks"], entry.get("open_question"))}
    for flag in get_args(Flag):
        yield Verdict(flag, entry["style"], entry["id"], flag in entry["flags"], flag in flags)
    for fact in closed:
        yield Verdict(OPENED, entry["style"], entry["id"], fact.fact_id in due, fact.fact_id in opened)


def judge_told(messages: Iterable[Entry]) -> Iterator[Verdict]:
    """Verdicts on customers' messages."""
    closed = load_closed()
    for entry in messages:
        told = find_told(entry["message"], closed[entry["scenario"]])
        for fact in closed[entry["scenario"]]:
            yield Verdict(
                "facts told", entry["trait"], entry["id"], fact.fact_id in entry["told"], fact.fact_id in told
            )


def print_table(verdicts: Sequence[Verdict], *, shows_missed: bool) -> None:
    """Precision / recall (labelled) of each thing, overall and by group."""
    groups = [OVERALL, *sorted({verdict.group for verdict in verdicts})]
    whats = list(dict.fromkeys(verdict.what for verdict in verdicts))
    print(" " * 18 + "".join(f"{group:>20}" for group in groups))
    for what in [*whats, *([TOGETHER] if len(whats) > 1 else [])]:
        chosen = [verdict for verdict in verdicts if what in {verdict.what, TOGETHER}]
        cells = [str(measure([v for v in chosen if group in {v.group, OVERALL}])) for group in groups]
        print(f"{what:18}" + "".join(f"{cell:>20}" for cell in cells))
    if shows_missed:
        for verdict in verdicts:
            if verdict.is_labelled != verdict.is_read:
                print(f"{'not seen' if verdict.is_labelled else 'not there':10}{verdict.what:18}{verdict.entry}")


def measure(verdicts: Iterable[Verdict]) -> Rates:
    """Precision and recall of some verdicts."""
    counts = Counter((verdict.is_labelled, verdict.is_read) for verdict in verdicts)
    right, wrong, missed = counts[True, True], counts[False, True], counts[True, False]
    precision = right / (right + wrong) if right + wrong else None
    return Rates(precision, right / (right + missed) if right + missed else None, right + missed)


if __name__ == "__main__":
    sys.exit(main())
