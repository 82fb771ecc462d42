"""An SVG picture and the marks that go into it.

Belongs here: elements, scales, ticks, text. Not here: any kind of chart.

Colours, fonts and line widths come from classes of the page's style sheet, so that one picture serves light and dark.
All text goes through ElementTree, which escapes it: no name of an agent can become markup.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from xml.etree import ElementTree as ET

from markupsafe import Markup

#: Width in px of the picture on a wide page and on a phone.
WIDE, NARROW = 720, 340
#: What most letters of the page's font take at size 12, on average, in px.
LETTER = 6.6
#: The same at size 13, as labels have it.
LABEL_LETTER = 7.4
SHAPES = ("circle", "square", "diamond", "triangle", "cross", "down")
COLOURS = 8
_numbers = count()


@dataclass(frozen=True)
class Scale:
    """Maps numbers to places on one axis."""

    low: float
    high: float
    start: float
    end: float

    def place(self, value: float) -> float:
        """Where a number lies, in px; what is outside lies on the edge."""
        inside = min(max(value, self.low), self.high)
        return self.start + (inside - self.low) / ((self.high - self.low) or 1) * (self.end - self.start)

    def ticks(self, most: int = 6) -> list[float]:
        """Round numbers along the axis."""
        step = find_step((self.high - self.low) / max(most, 1))
        first = math.ceil(self.low / step - 1e-9)
        return [float(f"{step * number:.12g}") for number in range(first, math.floor(self.high / step + 1e-9) + 1)]


def find_step(rough: float) -> float:
    """The round number (1, 2, 2.5 or 5 times a power of ten) at or above a rough one."""
    if rough <= 0:
        return 1.0
    power = 10 ** math.floor(math.log10(rough))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if power * step >= rough * (1 - 1e-9))


def span(values: Sequence[float], *, floor: float | None = None, ceiling: float | None = None) -> tuple[float, float]:
    """Round bounds around some numbers, within a floor and a ceiling that the measure has."""
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    step = find_step((high - low or abs(high) or 1.0) / 5)
    low, high = math.floor(low / step) * step, math.ceil(high / step) * step
    if floor is not None:
        low = max(low, floor)
    if ceiling is not None:
        high = min(high, ceiling)
    return (low, high) if high > low else (low, low + step)


def show_tick(value: float) -> str:
    """A number on an axis."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """A picture that grows by marks.

    Args:
        width: Width, px.
        height: Height, px.
        title: What it shows, for those who hear it.
        description: What can be seen in it, in words.
    """

    def __init__(self, width: float, height: float, title: str, description: str) -> None:
        self.width, self.height = width, height
        name = f"svg{next(_numbers)}"
        box = f"0 0 {width:.0f} {height:.0f}"
        self.root = ET.Element("svg", {"viewBox": box, "role": "img", "aria-labelledby": f"{name}-t {name}-d"})
        self.root.set("width", f"{width:.0f}")
        self.root.set("height", f"{height:.0f}")
        ET.SubElement(self.root, "title", {"id": f"{name}-t"}).text = title
        ET.SubElement(self.root, "desc", {"id": f"{name}-d"}).text = description

    def add(self, tag: str, kind: str, **given: object) -> ET.Element:
        """An element with a class; numbers are rounded, underscores in names become hyphens."""
        values = {name.replace("_", "-"): show_number(value) for name, value in given.items()}
        return ET.SubElement(self.root, tag, {"class": kind, **values})

    def line(self, kind: str, start: tuple[float, float], end: tuple[float, float]) -> ET.Element:
        """A straight line."""
        return self.add("line", kind, x1=start[0], y1=start[1], x2=end[0], y2=end[1])

    def text(self, kind: str, x: float, y: float, text: str, *, anchor: str = "start") -> ET.Element:
        """Text on one line; `y` is its middle."""
        element = self.add("text", kind, x=x, y=y + 4, text_anchor=anchor)
        element.text = text
        return element

    def label(self, kind: str, x: float, y: float, text: str, room: float, *, anchor: str = "start") -> ET.Element:
        """Text that fits the room, with the whole of it as a tooltip where it had to be cut."""
        shown = shorten(text, room * LETTER / LABEL_LETTER)
        element = self.text(kind, x, y, shown, anchor=anchor)
        if shown != text:
            ET.SubElement(element, "title").text = text
        return element

    def mark(self, series: int, x: float, y: float, tip: str, *, radius: float = 5.5) -> None:
        """A series' mark, told apart by colour and shape, with a tooltip."""
        path = draw_shape(find_shape(series), x, y, radius)
        element = self.add("path", f"mark s{series % COLOURS}", d=path)
        ET.SubElement(element, "title").text = tip

    def finish(self) -> Markup:
        """The picture as markup."""
        return Markup(ET.tostring(self.root, encoding="unicode"))  # noqa: S704  (ElementTree has escaped all text)


def find_shape(series: int) -> str:
    """Shape of a series; two of one colour have different ones."""
    return SHAPES[(series % COLOURS + series // COLOURS) % len(SHAPES)]


def draw_swatch(series: int) -> Markup:
    """A series' mark by itself, for legends and tables."""
    box = {"viewBox": "0 0 14 14", "width": "14", "height": "14", "class": "key", "aria-hidden": "true"}
    root = ET.Element("svg", box)
    path = draw_shape(find_shape(series), 7, 7, 5)
    ET.SubElement(root, "path", {"class": f"mark s{series % COLOURS}", "d": path})
    return Markup(ET.tostring(root, encoding="unicode"))  # noqa: S704  (nothing from outside is in it)


def draw_shape(shape: str, x: float, y: float, r: float) -> str:
    """Path of a mark of about the area of a circle of that radius."""
    if shape == "circle":
        return f"M{x - r:.1f} {y:.1f}a{r:.1f} {r:.1f} 0 1 0 {2 * r:.1f} 0a{r:.1f} {r:.1f} 0 1 0 {-2 * r:.1f} 0Z"
    corners = {
        "square": [(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
        "diamond": [(0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)],
        "triangle": [(0, -1.2), (1.15, 0.85), (-1.15, 0.85)],
        "down": [(0, 1.2), (1.15, -0.85), (-1.15, -0.85)],
        "cross": [
            (-0.4, -1.2), (0.4, -1.2), (0.4, -0.4), (1.2, -0.4), (1.2, 0.4), (0.4, 0.4),
            (0.4, 1.2), (-0.4, 1.2), (-0.4, 0.4), (-1.2, 0.4), (-1.2, -0.4), (-0.4, -0.4),
        ],
    }[shape]  # fmt: skip
    return "M" + "L".join(f"{x + r * dx:.1f} {y + r * dy:.1f}" for dx, dy in corners) + "Z"


def show_number(value: object) -> str:
    """An attribute's value, short."""
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def shorten(text: str, width: float) -> str:
    """A label that fits the width, with the sign of an omission where it does not."""
    room = max(int(width / LETTER), 4)
    return text if len(text) <= room else text[: room - 1] + "…"


def draw_grid(canvas: Canvas, scale: Scale, top: float, bottom: float, *, title: str, unit: str = "") -> None:
    """Vertical lines at round numbers, their labels below, and the axis's title."""
    for tick in scale.ticks(6 if canvas.width > 500 else 4):
        x = scale.place(tick)
        canvas.line("grid", (x, top), (x, bottom))
        canvas.text("tick", x, bottom + 12, show_unit(tick, unit), anchor="middle")
    # What stands in brackets is an aid that a phone has no room for.
    shown = title if LETTER * len(title) < canvas.width else title.partition(" (")[0]
    half = LETTER * len(shown) / 2
    middle = min(max((scale.start + scale.end) / 2, half), max(canvas.width - half, canvas.width / 2))
    canvas.text("axis", middle, bottom + 30, shown, anchor="middle")


def show_unit(value: float, unit: str) -> str:
    """A number with its unit: `$` before it, `%` of a share after it."""
    if unit == "$":
        return f"${show_tick(value)}" if value >= 0 else f"−${show_tick(-value)}"
    if unit == "%":
        return f"{show_tick(100 * value)}%"
    return show_tick(value).replace("-", "−")
