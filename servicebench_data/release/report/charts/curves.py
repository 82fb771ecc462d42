"""Curves over turns, in panels side by side that share one vertical axis.

Belongs here: this one kind of chart, as steps or as lines. Not here: which curves.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import NARROW, Canvas, Scale, show_unit

HEIGHT = 230


@dataclass(frozen=True)
class Curve:
    """A series: places with value and, where there is one, interval."""

    series: int
    places: Sequence[tuple[float, float, float | None, float | None]]
    tip: str


@dataclass(frozen=True)
class Panel:
    """A titled set of curves."""

    title: str
    curves: Sequence[Curve]


def draw_curves(
    panels: Sequence[Panel], width: int, *, title: str, description: str, axis: str, are_steps: bool = True
) -> Markup:
    """The chart: panels side by side, on a phone below one another.

    Args:
        panels: The panels.
        width: Width, px.
        title: What it shows.
        description: What can be seen in it.
        axis: Title of the horizontal axis.
        are_steps: Whether values hold until the next place, or change evenly.
    """
    columns = 1 if width <= NARROW else min(len(panels), 2)
    rows = -(-len(panels) // columns)
    canvas = Canvas(width, rows * (HEIGHT + 62) + 4, title, description)
    last = max((place[0] for panel in panels for curve in panel.curves for place in curve.places), default=1)
    each = (width - 8) / columns
    for number, panel in enumerate(panels):
        left, top = 46 + each * (number % columns), 26 + (HEIGHT + 62) * (number // columns)
        across, up = Scale(0, max(last, 1), left, left + each - 58), Scale(0, 1, top + HEIGHT, top)
        draw_frame(canvas, panel.title, across, up, axis)
        for curve in panel.curves:
            draw_curve(canvas, curve, across, up, are_steps=are_steps)
    return canvas.finish()


def draw_frame(canvas: Canvas, title: str, across: Scale, up: Scale, axis: str) -> None:
    """Title, grid and ticks of a panel."""
    canvas.text("heading", across.start, up.end - 14, title)
    for tick in up.ticks(4):
        y = up.place(tick)
        canvas.line("grid", (across.start, y), (across.end, y))
        canvas.text("tick", across.start - 6, y, show_unit(tick, "%"), anchor="end")
    for tick in across.ticks(5):
        if float(tick).is_integer():
            canvas.text("tick", across.place(tick), up.start + 12, show_unit(tick, ""), anchor="middle")
    canvas.text("axis", (across.start + across.end) / 2, up.start + 30, axis, anchor="middle")


def draw_curve(canvas: Canvas, curve: Curve, across: Scale, up: Scale, *, are_steps: bool) -> None:
    """A band, a line upon it, and a mark of the series at its end."""
    colour = f"s{curve.series % 8}"
    bounded = [(x, low, high) for x, _, low, high in curve.places if low is not None and high is not None]
    if bounded:
        upper = trace([(across.place(x), up.place(high)) for x, _, high in bounded], are_steps=are_steps)
        lower = trace([(across.place(x), up.place(low)) for x, low, _ in bounded], are_steps=are_steps)
        canvas.add("path", f"band {colour}", d=join([*upper, *reversed(lower)]) + "Z")
    line = trace([(across.place(x), up.place(value)) for x, value, _, _ in curve.places], are_steps=are_steps)
    dash = "" if curve.series < 8 else " dashed"
    canvas.add("path", f"curve {colour}{dash}", d=join(line))
    x, y = line[-1]
    canvas.mark(curve.series, x, y, curve.tip, radius=4.5)


def trace(places: Sequence[tuple[float, float]], *, are_steps: bool) -> list[tuple[float, float]]:
    """Corners of a line; of steps also those at which it turns."""
    corners = [places[0]]
    for x, y in places[1:]:
        if are_steps:
            corners.append((x, corners[-1][1]))
        corners.append((x, y))
    return corners


def join(corners: Sequence[tuple[float, float]]) -> str:
    """Path through corners."""
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners)
