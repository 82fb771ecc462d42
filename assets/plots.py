"""Small pictures for the lineage UI.

Belongs here: drawing from plain numbers into a metadata value. Not here: computing the numbers.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

BAR = "#3d6f8e"
WIDTH_INCHES = 7.0


def draw_bars(title: str, values: Mapping[str, float]) -> dg.MarkdownMetadataValue:
    """Horizontal bars, largest on top, each with its number; at most 30."""
    from matplotlib.figure import Figure  # noqa: PLC0415  (a second that only a drawing should pay)

    items = sorted(values.items(), key=lambda item: (-item[1], item[0]))[:30]
    figure = Figure(figsize=(WIDTH_INCHES, 0.6 + 0.24 * max(len(items), 2)), layout="constrained")
    axes = figure.add_subplot()
    bars = axes.barh([clean(name) for name, _ in items], [value for _, value in items], color=BAR)
    axes.bar_label(bars, fmt="%g", padding=2, fontsize=8)
    axes.invert_yaxis()
    finish(axes, title)
    return embed(figure)


def draw_stacks(title: str, rows: Sequence[str], parts: Mapping[str, Sequence[float]]) -> dg.MarkdownMetadataValue:
    """One horizontal stack for each row, a colour for each part."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(WIDTH_INCHES, 1.4 + 0.32 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    left = [0.0] * len(rows)
    for name, values in parts.items():
        axes.barh([clean(row) for row in rows], list(values), left=left, label=clean(name))
        left = [start + value for start, value in zip(left, values, strict=True)]
    axes.invert_yaxis()
    axes.legend(fontsize=7, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.12))
    finish(axes, title)
    return embed(figure)


def draw_heat(title: str, cells: Mapping[str, Sequence[tuple[str, int]]]) -> dg.MarkdownMetadataValue:
    """A row for each stage, a cell for each of its categories with the count in it; zero stands out in red."""
    from matplotlib.figure import Figure  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    widest = max((len(entries) for entries in cells.values()), default=1)
    figure = Figure(figsize=(WIDTH_INCHES + 3, 0.7 + 0.34 * max(len(cells), 1)), layout="constrained")
    axes = figure.add_subplot()
    top = max((count for entries in cells.values() for _, count in entries), default=0) or 1
    for row, entries in enumerate(cells.values()):
        for column, (_, count) in enumerate(entries):
            shade = (0.24, 0.44, 0.56, 0.15 + 0.85 * (count / top) ** 0.5) if count else (0.86, 0.35, 0.3, 0.8)
            axes.add_patch(Rectangle((column, row), 0.94, 0.9, color=shade))
            axes.text(column + 0.47, row + 0.45, str(count), ha="center", va="center", fontsize=7)
    axes.set_xlim(0, widest)
    axes.set_ylim(len(cells), 0)
    axes.set_yticks([row + 0.45 for row in range(len(cells))], [clean(name) for name in cells], fontsize=7)
    axes.set_xticks([])
    finish(axes, title)
    return embed(figure)


def clean(text: str) -> str:
    """A label in which matplotlib finds no formula."""
    return text.replace("$", r"\$")


def finish(axes: Any, title: str) -> None:
    """Title and quiet frame."""
    axes.set_title(title, fontsize=10, loc="left")
    axes.tick_params(labelsize=8)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def embed(figure: Any) -> dg.MarkdownMetadataValue:
    """The figure as a PNG inside Markdown, which the UI shows."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=90)
    return dg.MetadataValue.md(f"![plot](data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()})")
