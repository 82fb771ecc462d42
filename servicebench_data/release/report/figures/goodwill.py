"""At what price, and when: goodwill, first offers, what was known by then, cost.

Belongs here: figures about money, and about the moment of the first offer. Not here: scores by themselves.
"""

from servicebench_data.release.report.charts.intervals import Axis
from servicebench_data.release.report.charts.scatter import Point, draw_scatter
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Scene,
    draw_both,
    legend,
    show_interval,
    show_sizes,
)
from servicebench_data.release.report.figures.parts import draw_by_agent, draw_by_group, draw_shares
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.reading import Row as Data

TURNS = ("T1", "T2", "T3+", "never")
SHARE = Axis("share of the goodwill limit of $200", "%", floor=0)
COVERAGE = Axis("share of the customer's closed facts that were out", "%", low=0, high=1, floor=0, ceiling=1)


def draw_quality_and_goodwill(answer: Answer, scene: Scene) -> Drawn:
    """A point for each agent: goodwill to the right, justice upwards."""
    points = [make_point(row, scene) for row in answer.rows]
    axes = (
        Axis("mean goodwill at the end, zeros included", "$", low=0, floor=0),
        Axis("total justice, 1 to 5", floor=1, ceiling=5),
    )
    words = "; ".join(point.tip for point in points)
    both = draw_both(draw_scatter, points, axes, title="Justice against goodwill", description=words)
    return Drawn(*both, sizes=show_sizes(answer.rows), keys=legend(scene, [row["agent"] for row in answer.rows]))


def make_point(row: Data, scene: Scene) -> Point:
    """An agent's point."""
    justice = show_interval(row["total"], row["total_low"], row["total_high"])
    money = show_interval(row["goodwill_usd"], row["goodwill_low"], row["goodwill_high"], sign="$")
    return Point(
        scene.series(row["agent"]),
        row["agent"],
        row["goodwill_usd"],
        row["total"],
        (row["goodwill_low"], row["goodwill_high"]),
        (row["total_low"], row["total_high"]),
        f"{row['agent']}: justice {justice}, goodwill {money}",
    )


def draw_severity_goodwill(answer: Answer, scene: Scene) -> Drawn:
    """Goodwill by severity."""
    return draw_by_group(answer.rows, scene, "severity", SHARE, "Goodwill by severity")


def draw_first_offer(answer: Answer, scene: Scene) -> Drawn:
    """When goodwill was first offered."""
    return draw_shares(answer.rows, scene, "first_goodwill", TURNS, "Turn of the first offer of goodwill")


def draw_coverage(answer: Answer, scene: Scene) -> Drawn:
    """What was known when goodwill was first offered, by the turn of that offer."""
    rows = [row for row in answer.rows if row["first_goodwill"] != "all"]
    if not rows:
        raise AbsentError(
            "No conversation has customer facts that were closed at the opening, so nothing could come out."
        )
    ordered = sorted(rows, key=lambda row: TURNS.index(row["first_goodwill"]))
    named = [{**row, "first offer": row["first_goodwill"]} for row in ordered]
    return draw_by_group(named, scene, "first offer", COVERAGE, "Information coverage at the first offer")


def draw_cost(answer: Answer, scene: Scene) -> Drawn:
    """Cost by agent."""
    rows = [row for row in answer.rows if row["mean"] is not None]
    if not rows:
        raise AbsentError("The price of no conversation is known: its models are not in the price list.")
    if not any(row["mean"] for row in rows):
        raise AbsentError("Nothing was paid: scripted agents, customer and judge by rules ask no model.")
    axis = Axis("USD per conversation, all model calls", "$", low=0, floor=0)
    return draw_by_agent(rows, scene, axis, "Cost by agent")
