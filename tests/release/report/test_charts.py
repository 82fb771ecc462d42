"""Charts are well-formed whatever they show, keep their marks inside, and take every text as text."""

from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.release.report.charts.canvas import (
    COLOURS,
    NARROW,
    SHAPES,
    WIDE,
    Canvas,
    Scale,
    find_shape,
    find_step,
    shorten,
    show_unit,
    span,
)
from servicebench_data.release.report.charts.curves import Curve, Panel, draw_curves
from servicebench_data.release.report.charts.heat import STEPS, Cell, draw_heat, find_step_of, split_label
from servicebench_data.release.report.charts.intervals import Axis, Dot, Row, draw_intervals
from servicebench_data.release.report.charts.scatter import Point, draw_scatter
from servicebench_data.release.report.charts.stacks import Bar, Part, draw_stacks

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
# What ElementTree can write and a parser of XML reads back; a browser is more lenient.
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), min_size=1)
WORDS: dict[str, Any] = {"title": "A title", "description": "What is seen"}
WIDTHS = pytest.mark.parametrize("width", [WIDE, NARROW])


def parse(picture: str) -> ET.Element:
    return ET.fromstring(picture)  # noqa: S314  (ours)


def texts_of(picture: str) -> list[str]:
    return [element.text or "" for element in parse(picture).iter()]


def list_x(picture: str, kind: str) -> list[float]:
    """Left ends of the marks of a class."""
    found = [element for element in parse(picture).iter() if kind in (element.get("class") or "").split()]
    return [float((element.get("d") or "").lstrip("M").split()[0]) for element in found]


@given(NUMBERS, NUMBERS)
def test_ticks_are_round_few_and_inside(one: float, other: float) -> None:
    scale = Scale(*span([one, other]), 0, 100)
    ticks = scale.ticks(6)
    assert 2 <= len(ticks) <= 8
    assert all(-1e-6 <= scale.place(tick) <= 100 + 1e-6 for tick in ticks)
    assert scale.low <= min(one, other)
    assert max(one, other) <= scale.high


@given(st.floats(1e-6, 1e9))
def test_a_step_is_the_next_round_number(rough: float) -> None:
    step = find_step(rough)
    assert rough * (1 - 1e-9) <= step <= 2.6 * rough


def test_a_span_stays_within_what_a_measure_can_be() -> None:
    assert span([1.02, 4.9], floor=1, ceiling=5) == (1, 5)
    assert span([0.0, 0.0], floor=0) == (0.0, 0.2)


@WIDTHS
@given(label=TEXTS, tip=TEXTS)
def test_names_and_tips_stay_text(width: int, label: str, tip: str) -> None:
    rows = [Row(label, [Dot(0, 2.0, 1.5, 2.5, tip)])]
    picture = draw_intervals(rows, Axis("axis"), width, **WORDS)
    found = texts_of(picture)
    assert tip in found
    assert any(text == label or text == shorten(label, len(text) * 6.6) for text in found)
    assert {element.tag for element in parse(picture).iter()} <= {
        "svg",
        "title",
        "desc",
        "line",
        "text",
        "path",
    }


@WIDTHS
@given(values=st.lists(st.tuples(NUMBERS, st.floats(0, 100)), min_size=1, max_size=9))
def test_marks_lie_inside_the_picture(width: int, values: list[tuple[float, float]]) -> None:
    dots = [Dot(place, value, value - half, value + half, "") for place, (value, half) in enumerate(values)]
    picture = draw_intervals([Row("row", dots)], Axis("axis"), width, **WORDS)
    assert len(list_x(picture, "mark")) == len(values)
    assert all(0 <= x <= width for x in list_x(picture, "mark"))


@WIDTHS
def test_every_kind_of_chart_has_a_title_and_a_description(width: int) -> None:
    axis = Axis("axis", "$")
    pictures = [
        draw_intervals([Row("a", [Dot(0, 1.0, None, None, "")], heading="group")], Axis("x", zero=0.0), width, **WORDS),
        draw_scatter([Point(0, "a", 1.0, 2.0, (0.5, 1.5), (None, None), "")], (axis, axis), width, **WORDS),
        draw_stacks([Bar("a", [Part("o-agreed", 0.4, ""), Part("o-left", 0.6, "")])], width, axis="share", **WORDS),
        draw_curves([Panel("p", [Curve(9, [(0, 0, 0, 0), (1, 0.5, 0.4, 0.6)], "")])], width, axis="turn", **WORDS),
        draw_heat((["a"], ["b", "c"]), {(0, 0): Cell(1.0, "1.00", "n 3", "")}, (1.0, 5.0), width, **WORDS),
    ]
    for picture in pictures:
        root = parse(picture)
        assert root.get("role") == "img"
        names = (root.get("aria-labelledby") or "").split()
        found = {element.get("id"): element.text for element in root if element.get("id")}
        assert [found[name] for name in names] == ["A title", "What is seen"]


def test_two_pictures_share_no_id() -> None:
    ids = [
        element.get("id")
        for _ in range(3)
        for element in parse(Canvas(10, 10, "t", "d").finish()).iter()
        if element.get("id")
    ]
    assert len(ids) == len(set(ids)) == 6


def test_series_of_one_colour_have_different_shapes() -> None:
    seen = {(series % COLOURS, find_shape(series)) for series in range(COLOURS * 3)}
    assert len(seen) == COLOURS * 3
    assert {find_shape(series) for series in range(COLOURS)} == set(SHAPES)


def test_names_of_points_do_not_cover_each_other() -> None:
    points = [
        Point(place, f"agent {place}", 50.0, 3.0 + place / 50, (None, None), (None, None), "") for place in range(3)
    ]
    axes = (Axis("x", low=0, high=100), Axis("y", low=1, high=5))
    root = parse(draw_scatter(points, axes, WIDE, **WORDS))
    labels = [element for element in root.iter() if "halo" in (element.get("class") or "")]
    places = [(float(element.get("x") or 0), float(element.get("y") or 0)) for element in labels]
    for number, (x, y) in enumerate(places):
        assert all(abs(x - left) > 50 or abs(y - top) >= 16 for left, top in places[:number])


def test_bars_add_up_to_the_whole_width() -> None:
    parts = [Part("o-agreed", 0.25, ""), Part("o-left", 0.5, ""), Part("o-never", 0.25, "")]
    root = parse(draw_stacks([Bar("a", parts)], WIDE, axis="share", **WORDS))
    widths = [float(element.get("width") or 0) + 1 for element in root.iter("rect")]
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.3)
    assert [text for text in texts_of(ET.tostring(root, encoding="unicode")) if text in {"50%", "25%"}].count(
        "50%"
    ) == 1 + 0


@given(NUMBERS, NUMBERS, NUMBERS)
def test_steps_of_the_ramp_are_in_order_and_inside(value: float, one: float, other: float) -> None:
    low, high = min(one, other), max(one, other) + 1
    assert 0 <= find_step_of(value, low, high) < STEPS
    assert find_step_of(low, low, high) == 0
    assert find_step_of(high, low, high) == STEPS - 1


@pytest.mark.parametrize(
    ("label", "lines"),
    [("short", ["short"]), ("ride hailing delivery", ["ride hailing", "delivery"]), ("unbrokenandverylongname", None)],
)
def test_long_heads_go_on_two_lines(label: str, lines: list[str] | None) -> None:
    assert split_label(label, 100) == (lines or [label])


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.25, "%", "25%"), (-20, "$", "−$20"), (1500, "$", "$1,500"), (-0.5, "", "−0.5"), (3.0, "", "3")],
)
def test_numbers_on_axes(value: float, unit: str, text: str) -> None:
    assert show_unit(value, unit) == text
