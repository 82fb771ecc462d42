"""Justice on the journey map, as a heat map of categories in the order of the journey.

Belongs here: gathering cells by industry and stage. Not here: how they are laid out (`templates/`), for words that wrap
are HTML's business and not SVG's.
"""

from typing import Any

from servicebench_data.release.report.charts.heat import find_step_of
from servicebench_data.release.report.charts.intervals import Dot, Row, draw_intervals
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Key,
    Scene,
    describe_rows,
    draw_both,
    name_it,
    show_interval,
    show_range,
    show_sizes,
)
from servicebench_data.release.report.figures.parts import JUSTICE
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.reading import Row as Data

#: Fewer conversations rank nothing.
LEAST = 10


def draw_journey(answer: Answer, scene: Scene) -> Drawn:
    """Industries with their stages and the cells in them; only industries that were played."""
    del scene
    played = {row["industry"] for row in answer.rows if row["n"]}
    if not played:
        raise AbsentError("No conversation of this experiment has a score, so no category has one.")
    maps: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for row in answer.rows:
        if row["industry"] in played:
            maps.setdefault(row["industry"], {}).setdefault(row["stage"], []).append(make_cell(row))
    rows = [row for row in answer.rows if row["n"]]
    sizes = f"n = {show_range([row['n'] for row in rows])} conversations in each of {len(rows)} categories"
    few = sum(row["n"] < LEAST for row in rows)
    finding = f"{few} of {len(rows)} categories have fewer than {LEAST} conversations." if few else ""
    keys = [Key(f"q{step}", f"{1 + 4 * step / 8:.1f}") for step in range(0, 9, 2)]
    return Drawn(None, None, sizes, finding, keys, maps)


def draw_extremes(answer: Answer, scene: Scene) -> Drawn:
    """The highest and the lowest categories, by shrunken mean."""
    del scene
    rows = answer.rows
    chart: list[Row] = []
    for place, row in enumerate(rows):
        heading = "highest" if place == 0 else "lowest" if rows[place - 1]["rank"] + 1 < row["rank"] else ""
        interval = show_interval(row["mean"], row["low"], row["high"])
        tip = f"{row['category']}: {interval}, n = {row['n']}, rank {row['rank']}"
        dot = Dot(0, row["mean"], row["low"], row["high"], tip)
        chart.append(Row(f"{row['category']} (n {row['n']})", [dot], heading=heading))
    words = describe_rows(rows, lambda row: f"{row['category']}, {name_it(row['industry'])}")
    both = draw_both(draw_intervals, chart, JUSTICE, title="Categories, highest and lowest", description=words)
    return Drawn(
        *both, sizes=f"{show_sizes(rows, 'conversations per category')}; {rows[0]['ranked']} categories ranked"
    )


def make_cell(row: Data) -> dict[str, Any]:
    """A category's cell."""
    mean = row["mean"]
    return {
        "category": row["category"],
        "category_id": row["category_id"],
        "n": row["n"],
        "mean": None if mean is None else f"{mean:.2f}",
        "kind": "empty" if mean is None else f"q{find_step_of(mean, 1.0, 5.0)}",
        "is_few": bool(row["n"]) and row["n"] < LEAST,
    }
