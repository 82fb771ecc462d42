"""Dots with intervals on one horizontal axis, in labelled rows: the chart for means that are to be compared.

Belongs here: this one kind of chart. Not here: which rows, or their numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import NARROW, Canvas, Scale, draw_grid, show_unit, span

GUTTER, MARGIN, TOP, FOOT = 190, 16, 10, 44


@dataclass(frozen=True)
class Dot:
    """A mean with its interval.

    Attributes:
        series: Number of the series, which gives colour and shape.
        value: The mean.
        low: Lower end; missing where there is no interval.
        high: Upper end.
        tip: What the tooltip says.
    """

    series: int
    value: float
    low: float | None
    high: float | None
    tip: str


@dataclass(frozen=True)
class Row:
    """A label with its dots; `heading` begins a group above it."""

    label: str
    dots: Sequence[Dot]
    heading: str = ""


@dataclass(frozen=True)
class Axis:
    """What the axis measures.

    Attributes:
        title: What is measured, with its unit.
        unit: `$`, `%` or nothing.
        low: Where the axis begins at the latest; missing where the numbers say.
        high: Where it ends at the earliest.
        floor: Below it no value can be.
        ceiling: Above it no value can be.
        zero: Where a line marks no difference.
        shows_values: Whether the mean stands beside the dot.
    """

    title: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    floor: float | None = None
    ceiling: float | None = None
    zero: float | None = None
    shows_values: bool = True


def draw_intervals(rows: Sequence[Row], axis: Axis, width: int, *, title: str, description: str) -> Markup:
    """The chart.

    Args:
        rows: Rows from top to bottom.
        axis: The axis.
        width: Width, px.
        title: What it shows.
        description: What can be seen in it.
    """
    is_narrow = width <= NARROW
    tops, bottom = lay_rows(rows, is_narrow=is_narrow)
    canvas = Canvas(width, bottom + FOOT, title, description)
    gutter = MARGIN if is_narrow else find_gutter(rows)
    scale = make_scale(rows, axis, gutter, width - MARGIN - (34 if axis.shows_values else 4))
    draw_grid(canvas, scale, TOP, bottom, title=axis.title, unit=axis.unit)
    if axis.zero is not None:
        canvas.line("zero", (scale.place(axis.zero), TOP), (scale.place(axis.zero), bottom))
    if any(len(row.dots) > 1 for row in rows):
        for top in tops[1:]:
            canvas.line("rule", (MARGIN, top), (width - MARGIN, top))
    for row, top in zip(rows, tops, strict=True):
        draw_row(canvas, row, top, scale, axis)
    return canvas.finish()


def find_gutter(rows: Sequence[Row]) -> float:
    """Room for the labels."""
    return min(max((7.2 * len(row.label) for row in rows), default=60) + 26, 260)


def make_scale(rows: Sequence[Row], axis: Axis, start: float, end: float) -> Scale:
    """A scale that holds all dots with their intervals."""
    numbers = [
        number for row in rows for dot in row.dots for number in (dot.value, dot.low, dot.high) if number is not None
    ]
    wanted = [number for number in (axis.low, axis.high, axis.zero) if number is not None]
    low, high = span([*numbers, *wanted], floor=axis.floor, ceiling=axis.ceiling)
    return Scale(low, high, start + 8, end)


def lay_rows(rows: Sequence[Row], *, is_narrow: bool) -> tuple[list[float], float]:
    """Top of each row, and the bottom of the last."""
    tops: list[float] = []
    y = float(TOP)
    for row in rows:
        y += 26 if row.heading else 0
        tops.append(y)
        y += row_height(row, is_narrow=is_narrow)
    return tops, y + 4


def row_height(row: Row, *, is_narrow: bool) -> float:
    """Height of a row: its dots below one another, and on a phone its label above them."""
    return max(14.0 * len(row.dots) + 12, 26.0) + (16 if is_narrow else 0)


def draw_row(canvas: Canvas, row: Row, top: float, scale: Scale, axis: Axis) -> None:
    """A row's label and dots."""
    is_narrow = canvas.width <= NARROW
    height = row_height(row, is_narrow=is_narrow)
    if row.heading:
        canvas.text("heading", MARGIN if is_narrow else 4, top - 10, row.heading)
    if is_narrow:
        canvas.label("label", MARGIN, top + 9, row.label, canvas.width - 2 * MARGIN)
    else:
        canvas.label("label", scale.start - 18, top + height / 2, row.label, scale.start - 20, anchor="end")
    first = top + (16 if is_narrow else 0)
    room = height - (16 if is_narrow else 0)
    for place, dot in enumerate(row.dots):
        y = first + room / 2 + 14 * (place - (len(row.dots) - 1) / 2)
        draw_dot(canvas, dot, y, scale, axis)


def draw_dot(canvas: Canvas, dot: Dot, y: float, scale: Scale, axis: Axis) -> None:
    """A dot, its interval and, where wanted, its number right of both."""
    x = scale.place(dot.value)
    right = x
    if dot.low is not None and dot.high is not None:
        left, right = scale.place(dot.low), scale.place(dot.high)
        canvas.line(f"whisker s{dot.series % 8}", (left, y), (right, y))
        for end in (left, right):
            canvas.line(f"whisker s{dot.series % 8}", (end, y - 3.5), (end, y + 3.5))
    canvas.mark(dot.series, x, y, dot.tip, radius=5)
    if axis.shows_values:
        shown = show_unit(dot.value, axis.unit) if axis.unit == "$" else show_value(dot.value, axis.unit)
        canvas.text("value", max(right, x + 5) + 6, y, shown)


def show_value(value: float, unit: str) -> str:
    """A mean beside its dot."""
    return f"{100 * value:.0f}%" if unit == "%" else f"{round(value, 2) + 0.0:.2f}".replace("-", "−")
