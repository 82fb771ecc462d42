"""Two measures against each other, with the intervals of both.

Belongs here: this one kind of chart. Not here: which measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import LETTER, Canvas, Scale, draw_grid, show_unit, span
from servicebench_data.release.report.charts.intervals import Axis

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True)
class Point:
    """A point with its name and both intervals."""

    series: int
    label: str
    x: float
    y: float
    x_bounds: Bounds
    y_bounds: Bounds
    tip: str


def draw_scatter(
    points: Sequence[Point], axes: tuple[Axis, Axis], width: int, *, title: str, description: str
) -> Markup:
    """The chart; each point carries its name.

    Args:
        points: The points.
        axes: Horizontal and vertical axis.
        width: Width, px.
        title: What it shows.
        description: What can be seen in it.
    """
    height = 400 if width > 500 else 330
    canvas = Canvas(width, height, title, description)
    across = Scale(*find_span(points, axes[0], "x"), 56, width - 20)
    up = Scale(*find_span(points, axes[1], "y"), height - 48, 26)
    draw_grid(canvas, across, 26, height - 48, title=axes[0].title, unit=axes[0].unit)
    for tick in up.ticks(5):
        y = up.place(tick)
        canvas.line("grid", (56, y), (width - 20, y))
        canvas.text("tick", 48, y, show_unit(tick, axes[1].unit), anchor="end")
    canvas.text("axis", 8, 10, axes[1].title)
    for point in points:
        draw_bounds(canvas, point, across, up)
    for point in points:
        canvas.mark(point.series, across.place(point.x), up.place(point.y), point.tip, radius=6.5)
    label_points(canvas, points, across, up)
    return canvas.finish()


def find_span(points: Sequence[Point], axis: Axis, side: str) -> tuple[float, float]:
    """Bounds of an axis that hold all points with their intervals."""
    numbers = [getattr(point, side) for point in points]
    ends = [end for point in points for end in getattr(point, f"{side}_bounds") if end is not None]
    wanted = [number for number in (axis.low, axis.high) if number is not None]
    return span([*numbers, *ends, *wanted], floor=axis.floor, ceiling=axis.ceiling)


def draw_bounds(canvas: Canvas, point: Point, across: Scale, up: Scale) -> None:
    """The intervals of a point."""
    x, y, kind = across.place(point.x), up.place(point.y), f"whisker s{point.series % 8}"
    left, right = point.x_bounds
    if left is not None and right is not None:
        canvas.line(kind, (across.place(left), y), (across.place(right), y))
    low, high = point.y_bounds
    if low is not None and high is not None:
        canvas.line(kind, (x, up.place(low)), (x, up.place(high)))


def label_points(canvas: Canvas, points: Sequence[Point], across: Scale, up: Scale) -> None:
    """Names beside the points: at the first of four places where they cover neither each other nor a point."""
    taken = [box_at(across.place(point.x) - 8, up.place(point.y), 16) for point in points]
    for point in points:
        x, y, length = across.place(point.x), up.place(point.y), LETTER * len(point.label) * 1.06
        places = [(x + 11, y - 11), (x - 11 - length, y - 11), (x + 11, y + 12), (x - 11 - length, y + 12)]
        inside = [place for place in places if place[0] > 4 and place[0] + length < canvas.width - 4] or places[:1]
        free = [place for place in inside if not any(meet(box_at(*place, length), box) for box in taken)]
        left, middle = (free or inside)[0]
        taken.append(box_at(left, middle, length))
        canvas.text("label halo", left, middle, point.label)


Box = tuple[float, float, float, float]


def box_at(left: float, middle: float, length: float) -> Box:
    """The room that a text takes."""
    return left, middle - 8, left + length, middle + 8


def meet(one: Box, other: Box) -> bool:
    """Whether two boxes overlap."""
    return one[0] < other[2] and one[2] > other[0] and one[1] < other[3] and one[3] > other[1]
