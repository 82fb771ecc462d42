"""Small pictures for the lineage UI.

Belongs here: drawing from plain numbers into a metadata value. Not here: computing the numbers.
"""

import base64
import io
from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from servicebench_data.journeys.atlas import Atlas, Label, describe_size
from servicebench_data.journeys.saturation import Saturation

#: A mean with the ends of its interval; what there is not is missing.
Span = tuple[float | None, float | None, float | None]

BAR = "#3d6f8e"
WIDTH_INCHES = 7.0
COLOURS = ("#3b6fb6", "#d1495b", "#2a9d6f", "#e09f3e", "#7b4ea3", "#17a2b8", "#a0522d", "#444444")
LABELS_SHOWN = 30
PALETTE_SIZE = 96


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


def draw_intervals(
    title: str, spans: Mapping[str, tuple[float | None, float | None, float | None]]
) -> dg.MarkdownMetadataValue:
    """A point with its interval for each name, in their order; names without a value are left out."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    known = {name: span for name, span in spans.items() if span[0] is not None}
    figure = Figure(figsize=(WIDTH_INCHES, 0.9 + 0.3 * max(len(known), 2)), layout="constrained")
    axes = figure.add_subplot()
    for place, (mean, low, high) in enumerate(known.values()):
        if low is not None and high is not None:
            axes.hlines(place, low, high, color=BAR, linewidth=2)
        axes.scatter([mean or 0.0], [place], color=BAR)
    axes.set_yticks(range(len(known)), [clean(name) for name in known])
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
            # Cells lie within the axes: measuring each for the layout would take longer than drawing it.
            axes.add_patch(Rectangle((column, row), 0.94, 0.9, color=shade, in_layout=False))
            axes.text(column + 0.47, row + 0.45, str(count), ha="center", va="center", fontsize=7, in_layout=False)
    axes.set_xlim(0, widest)
    axes.set_ylim(len(cells), 0)
    axes.set_yticks([row + 0.45 for row in range(len(cells))], [clean(name) for name in cells], fontsize=7)
    axes.set_xticks([])
    finish(axes, title)
    return embed(figure)


def draw_saturation(title: str, curves: Mapping[str, Saturation]) -> dg.MarkdownMetadataValue:
    """Categories found against dialogues read: a line with its band for each name, a dotted line at the map's total."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(WIDTH_INCHES, 4.2), layout="constrained")
    axes = figure.add_subplot()
    for place, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[place % len(COLOURS)]
        label = f"{clean(name)}: {curve.found[-1]} of {curve.total} in {curve.read[-1]}"
        axes.fill_between(curve.read, curve.low, curve.high, color=colour, alpha=0.18, linewidth=0)
        axes.plot(curve.read, curve.found, color=colour, linewidth=1.6, label=label)
        axes.axhline(curve.total, color=colour, linewidth=0.8, linestyle=":")
    axes.set_xlabel("dialogues read, in a random order", fontsize=8)
    axes.set_ylabel("categories found", fontsize=8)
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    if curves:
        axes.legend(fontsize=7.5, loc="lower right", frameon=False)
    finish(axes, title)
    return embed(figure)


def draw_atlas(atlas: Atlas) -> dg.MarkdownMetadataValue:
    """Dialogues as points in the colour of their stage, the largest topics by their words where there is room."""
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(WIDTH_INCHES + 4, WIDTH_INCHES), dpi=90)
    axes = figure.add_axes((0.04, 0.02, 0.66, 0.92))
    last = len(atlas.stages) - 1
    size = 46 if len(atlas.ids) < 500 else 16 if len(atlas.ids) < 2000 else 7
    for stage in (last, *range(last)):
        inside = [row for row, place in enumerate(atlas.stage_of) if place == stage]
        if inside:
            points = atlas.places[inside]
            axes.scatter(
                points[:, 0], points[:, 1], s=size, color=atlas.colours[stage], linewidths=0,
                alpha=0.55 if stage == last else 0.75, label=f"{clean(atlas.stages[stage])} ({len(inside)})",
            )  # fmt: skip
    axes.set_axis_off()
    write_labels(figure, axes, atlas.labels)
    handles, names = axes.get_legend_handles_labels()
    # In the journey's order; the unassigned were drawn first, to lie beneath.
    order = [*range(1, len(names)), 0] if last in atlas.stage_of else list(range(len(names)))
    figure.legend(
        [handles[row] for row in order], [names[row] for row in order], loc="upper right", fontsize=8.5,
        frameon=False, markerscale=1.0 if size > 16 else 2.2,
    )  # fmt: skip
    title = f"{clean(atlas.title)}: {describe_size(atlas)} dialogues by what they say, {atlas.coloured_by}"
    axes.set_title(title, fontsize=11, loc="left")
    return embed(figure)


def write_labels(figure: Any, axes: Any, labels: Sequence[Label]) -> None:
    """The largest topics' words at their middles; one that would lie on another is left out."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.patheffects import withStroke  # noqa: PLC0415

    renderer = FigureCanvasAgg(figure).get_renderer()
    taken: list[Any] = []
    for label in labels[:LABELS_SHOWN]:
        text = axes.text(
            label.x, label.y, clean(label.text), ha="center", va="center", fontsize=8.5, fontweight="bold",
            color="#1d2733", path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
        box = text.get_window_extent(renderer).expanded(1.04, 1.15)
        if any(box.overlaps(other) for other in taken):
            text.remove()
        else:
            taken.append(box)


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
    """The figure as a PNG of few colours inside Markdown, which the UI shows and the run's history keeps."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from PIL import Image  # noqa: PLC0415

    figure.set_dpi(90)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    size = canvas.get_width_height()
    image = Image.frombytes("RGBA", size, bytes(canvas.buffer_rgba())).convert("RGB")
    buffer = io.BytesIO()
    image.quantize(PALETTE_SIZE, method=Image.Quantize.FASTOCTREE).save(buffer, format="png")
    return dg.MetadataValue.md(f"![plot](data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()})")
