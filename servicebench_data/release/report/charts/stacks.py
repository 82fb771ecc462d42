"""Shares that add up to all, as one bar per row.

Belongs here: this one kind of chart. Not here: which shares.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import NARROW, Canvas, Scale, draw_grid

BAR = 24


@dataclass(frozen=True)
class Part:
    """A part of a bar: its class in the style sheet, its share, and what the tooltip says."""

    kind: str
    share: float
    tip: str


@dataclass(frozen=True)
class Bar:
    """A labelled bar."""

    label: str
    parts: Sequence[Part]


def draw_stacks(bars: Sequence[Bar], width: int, *, title: str, description: str, axis: str) -> Markup:
    """The chart.

    Args:
        bars: Bars from top to bottom.
        width: Width, px.
        title: What it shows.
        description: What can be seen in it.
        axis: Title of the axis.
    """
    is_narrow = width <= NARROW
    step = BAR + (26 if is_narrow else 12)
    bottom = 8 + step * len(bars)
    canvas = Canvas(width, bottom + 44, title, description)
    gutter = 14 if is_narrow else min(max(7.2 * len(bar.label) for bar in bars) + 26, 260)
    scale = Scale(0, 1, gutter, width - 24)
    draw_grid(canvas, scale, 6, bottom, title=axis, unit="%")
    for place, bar in enumerate(bars):
        top = 8 + step * place + (18 if is_narrow else 4)
        if is_narrow:
            canvas.label("label", 14, top - 9, bar.label, width - 28)
        else:
            canvas.label("label", gutter - 12, top + BAR / 2, bar.label, gutter - 14, anchor="end")
        draw_bar(canvas, bar, top, scale)
    return canvas.finish()


def draw_bar(canvas: Canvas, bar: Bar, top: float, scale: Scale) -> None:
    """The parts of a bar side by side, each with its share where there is room for it."""
    begun = 0.0
    for part in bar.parts:
        left, right = scale.place(begun), scale.place(begun + part.share)
        begun += part.share
        if right - left < 0.05:
            continue
        element = canvas.add("rect", f"part {part.kind}", x=left, y=top, width=max(right - left - 1, 0.5), height=BAR)
        add_tip(element, part.tip)
        if right - left > 34:
            canvas.text(
                f"inside {part.kind}", (left + right) / 2, top + BAR / 2, f"{100 * part.share:.0f}%", anchor="middle"
            )


def add_tip(element: ET.Element, tip: str) -> None:
    """A tooltip."""
    ET.SubElement(element, "title").text = tip
