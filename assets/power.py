"""`servicebench power`: how many scenarios a comparison of two agents takes.

Belongs here: the command's arguments, and printing. Not here: any formula (`servicebench_data/measures/power.py`).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from assets.arguments import Home
from assets.console import open_published, print_table
from servicebench_data.measures.power import Aim, Forecast, plan_power
from servicebench_data.settings import Settings

out = Console()

HEADS = ("agent", "agent", "differ by", "played", "sees", "by Holm", "needs", "by Holm")


def power(
    experiment: Annotated[str, typer.Argument(help="Name of a published experiment: its file's name.")],
    *,
    difference: Annotated[float, typer.Option(help="Difference in macro total justice to be seen, in points.")] = 0.2,
    power: Annotated[float, typer.Option(help="Chance of seeing it.")] = 0.8,
    repeats: Annotated[int, typer.Option(help="Conversations to be held of each scenario in each style.")] = 3,
    alpha: Annotated[float, typer.Option(help="Level of the test.")] = 0.05,
    home: Home = None,
) -> None:
    """Tell how many scenarios show a difference between two agents, and what the present set can show."""
    aim = Aim(difference, power, repeats, alpha)
    with open_published(Settings.load(home=home).home) as connection:
        print_forecasts(plan_power(connection, Path(experiment).stem, aim), aim)


def print_forecasts(forecasts: Sequence[Forecast], aim: Aim) -> None:
    """One row for each pair of agents, and how to read them."""
    rows = [
        (
            entry.agent_a,
            entry.agent_b,
            f"{entry.noise.difference:+.3f}",
            entry.noise.scenarios,
            write_seen(entry.seen),
            write_seen(entry.seen_holm),
            entry.needed,
            entry.needed_holm,
        )
        for entry in forecasts
    ]
    print_table(out, HEADS, rows, "Macro total justice")
    for line in explain(forecasts, aim):
        out.print(line, markup=False, highlight=False)


def write_seen(value: float) -> str:
    """A difference; in words where there is no noise to go by."""
    return "any" if math.isnan(value) else f"{value:.3f}"


def explain(forecasts: Sequence[Forecast], aim: Aim) -> list[str]:
    """What the columns mean, in words."""
    seen = f"the smallest difference that the scenarios played so far show with a chance of {aim.power:.0%}"
    needed = f"scenarios that show a difference of {aim.difference:g} with that chance, at {aim.repeats} repeats"
    lines = [
        "played: scenarios that both played, in pairs; what they share cancels out.",
        f"sees: {seen}.",
        f"needs: {needed} in the styles played so far, the industries having equal shares.",
        f"Both at the level {aim.alpha:g}; by Holm as the first of {len(forecasts)} pairs, which is the hardest step.",
    ]
    if not any(entry.noise.has_repeats for entry in forecasts):
        lines.append("Nothing was played twice, so that nothing is known of what repeats would gain: none is counted.")
    return lines
