"""How much the agents' order by agreement depends on the customer's constants.

    python benchmarks/patience.py [--home FOLDER] [--scenarios 36] [--smoke]

Each constant of `patience.yaml` is taken half lower and half higher, one at a time; the scripted agents talk with the
rule-based customer over the same scenarios, styles and seeds each time. Printed: agreement by agent as the constants
stand, then for each variation Kendall's tau-b of the agents' order with that one, and the least of all. The premature
payer must not agree more often than the just agent anywhere, and that one must agree at all: where it never does,
nothing is compared.
"""

import argparse
import math
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, replace
from itertools import combinations
from pathlib import Path

from benchmarks.fictional import SCRIPTS, Setting, hold, list_parts
from schemas.experiment import STYLES
from servicebench_data.simulation.patience import Constants, load_constants
from servicebench_data.simulation.views import Parts

#: Act only where an experiment lets style move patience, which these do not.
STYLE_ONLY = {"assertive_factor", "cold_factor", "passive_tells"}


def main() -> int:
    """Measure the constants as they stand and each variation; 1 where paying alone wins, or nothing was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="home whose released scenarios are played; the fictional ones else")
    parser.add_argument("--scenarios", type=int, default=36)
    parser.add_argument("--smoke", action="store_true", help="a short run that only shows that it works")
    options = parser.parse_args()
    parts = list_parts(options.home, 6 if options.smoke else options.scenarios)
    constants = load_constants()
    base, ends = measure(parts, constants)
    say(f"{len(parts)} scenarios, agreement by agent: {tell(base)}")
    for script in SCRIPTS:
        say(f"  {script:>16}: " + ", ".join(f"{end} {ends[script, end]}" for end in sorted({end for _, end in ends})))
    taus, runs = [], [base]
    for name, value, varied in vary(constants, only_some=options.smoke):
        shares, _ = measure(parts, varied)
        taus.append(kendall(list(base.values()), list(shares.values())))
        runs.append(shares)
        say(f"{name:>20} = {value:<6g} tau {taus[-1]:+.2f}  {tell(shares)}")
    say(f"least tau over {len(taus)} variations: {min(taus):+.2f}; mean {sum(taus) / len(taus):+.2f}")
    return judge(runs)


def judge(runs: list[dict[str, float]]) -> int:
    """Say in how many runs paying alone wins, and in how many nothing is compared; 1 where there is any."""
    paid, silent = sum(map(pays_off, runs)), sum(not shares["just"] for shares in runs)
    say(f"premature payer above the just agent: in {paid} of {len(runs)} runs")
    say(f"the just agent never agrees, so that nothing is compared: in {silent} of {len(runs)} runs")
    return 1 if paid or silent else 0


def measure(parts: list[Parts], constants: Constants) -> tuple[dict[str, float], Counter[tuple[str, str]]]:
    """Share of conversations that end in agreement, by agent, and all ends."""
    ends: Counter[tuple[str, str]] = Counter()
    for script in SCRIPTS:
        for number, entry in enumerate(parts):
            played = hold(entry, Setting(script, STYLES[number % len(STYLES)], constants))
            ends[script, played.conversation.end_detail] += 1
    return {script: ends[script, "accepted"] / len(parts) for script in SCRIPTS}, ends


def vary(constants: Constants, *, only_some: bool) -> Iterator[tuple[str, float, Constants]]:
    """Each constant half lower and half higher; a constant that counts levels or steps is rounded where it is used."""
    names = [name for name in asdict(constants) if name not in STYLE_ONLY]
    for name in names[:2] if only_some else names:
        for factor in (0.5, 1.5):
            value = getattr(constants, name) * factor
            yield name, value, replace(constants, **{name: value})


def kendall(one: list[float], other: list[float]) -> float:
    """Kendall's tau-b of two orders; where one has no order at all, 1 if the other has none either."""
    pairs = list(combinations(range(len(one)), 2))
    signs = [(compare(one[a], one[b]), compare(other[a], other[b])) for a, b in pairs]
    untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    if not all(untied):
        return float(untied[0] == untied[1])
    return sum(left * right for left, right in signs) / math.sqrt(untied[0] * untied[1])


def compare(one: float, other: float) -> int:
    """Which of two is greater, as a sign."""
    return (one > other) - (one < other)


def pays_off(shares: dict[str, float]) -> bool:
    """Whether paying at once agrees more often than the just agent."""
    return shares["premature_payer"] > shares["just"]


def tell(shares: dict[str, float]) -> str:
    """Shares in a line."""
    return "  ".join(f"{name} {share:.2f}" for name, share in shares.items())


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
