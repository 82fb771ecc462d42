"""A matrix of numbers, each cell coloured by its own.

Belongs here: this one kind of chart, and steps of the colour ramp. Not here: which numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import NARROW, Canvas

#: Steps of the ramp in the style sheet: `q0` to `q8`.
STEPS = 9
CELL = 40


@dataclass(frozen=True)
class Cell:
    """A number as shown, with what is smaller beneath it and in the tooltip."""

    value: float
    shown: str
    below: str
    tip: str


def find_step_of(value: float, low: float, high: float) -> int:
    """Step of the ramp for a value between two ends."""
    share = (value - low) / ((high - low) or 1)
    return min(max(int(share * STEPS), 0), STEPS - 1)


def draw_heat(
    labels: tuple[Sequence[str], Sequence[str]],
    cells: Mapping[tuple[int, int], Cell],
    ends: tuple[float, float],
    width: int,
    *,
    title: str,
    description: str,
    ramp: str = "q",
) -> Markup:
    """The matrix; on a phone its column labels stand slanted.

    Args:
        labels: Labels of rows and of columns.
        cells: Cells by row and column; a missing one stays empty.
        ends: Numbers at the ends of the ramp.
        width: Width, px.
        title: What it shows.
        description: What can be seen in it.
        ramp: Letter of the ramp's classes: `q` from little to much, `d` around zero.
    """
    rows, columns = labels
    is_narrow = width <= NARROW
    gutter = min(max(7.2 * len(label) for label in rows) + 18, 96 if is_narrow else 220)
    size = min((width - gutter - 6) / len(columns), 118)
    heads = [split_label(label, size) for label in columns]
    is_slanted = max(len(line) for lines in heads for line in lines) * 6.8 > size
    if is_slanted:  # the last label leans out to the right
        size = min((width - gutter - 46) / len(columns), 118)
    head = 84 if is_slanted else 42 if any(len(lines) > 1 for lines in heads) else 26
    canvas = Canvas(width, head + CELL * len(rows) + 8, title, description)
    for place, lines in enumerate(heads):
        write_head(canvas, lines, gutter + size * (place + 0.5), head, is_slanted=is_slanted)
    for row, label in enumerate(rows):
        canvas.label("label", gutter - 10, head + CELL * (row + 0.5), label, gutter - 10, anchor="end")
        for column in range(len(columns)):
            corner = (gutter + size * column, head + CELL * row)
            draw_cell(canvas, cells.get((row, column)), (*corner, size), ends, ramp)
    return canvas.finish()


def split_label(label: str, size: float) -> list[str]:
    """A label on one line, or where it is too long for that on two of about one length."""
    words = label.split()
    if len(label) * 6.8 <= size or len(words) < 2:
        return [label]
    cuts = [(" ".join(words[:place]), " ".join(words[place:])) for place in range(1, len(words))]
    return list(min(cuts, key=lambda cut: max(len(part) for part in cut)))


def write_head(canvas: Canvas, lines: Sequence[str], x: float, head: float, *, is_slanted: bool) -> None:
    """A column's label."""
    if not is_slanted:
        for place, line in enumerate(reversed(lines)):
            canvas.text("label", x, head - 12 - 15 * place, line, anchor="middle")
        return
    element = canvas.label("label", x - 4, head - 10, " ".join(lines), 104)
    element.set("transform", f"rotate(-42 {x - 4:.1f} {head - 6:.1f})")


def draw_cell(
    canvas: Canvas, cell: Cell | None, box: tuple[float, float, float], ends: tuple[float, float], ramp: str
) -> None:
    """A cell with its numbers, or an empty one; the box is left, top and width."""
    left, top, size = box
    step = "empty" if cell is None else f"{ramp}{find_step_of(cell.value, *ends)}"
    shape = canvas.add("rect", f"cell {step}", x=left + 1, y=top + 1, width=size - 2, height=CELL - 2, rx=3)
    if cell is None:
        canvas.text("inside empty", left + size / 2, top + CELL / 2, "–", anchor="middle")
        return
    ET.SubElement(shape, "title").text = cell.tip
    canvas.text(f"inside {step}", left + size / 2, top + (14 if cell.below else CELL / 2), cell.shown, anchor="middle")
    if cell.below:
        below = cell.below if 6 * len(cell.below) < size else cell.below.split("  ")[-1]
        canvas.text(f"inside small {step}", left + size / 2, top + 28, below, anchor="middle")
