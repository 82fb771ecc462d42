"""What a figure of the report is made of.

Belongs here: the parts that every figure has, the experiment's agents with their colours, and wording that figures
share. Not here: any one figure (`figures/`), or how it looks (`templates/`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import NARROW, WIDE
from servicebench_data.release.report.reading import Answer, Row

#: What the codes of the data are called on the page.
WORDS = {
    "agreed": "agreed", "disengaged": "left", "unresolved": "unresolved", "invalid": "invalid",
    "unplayed": "not played",
    "failed": "failed", "ensemble": "all judges",
    "T1": "1st message", "T2": "2nd message", "T3+": "3rd or later", "never": "never",
    "assertive_warm": "assertive, warm", "assertive_cold": "assertive, cold",
    "passive_warm": "passive, warm", "passive_cold": "passive, cold",
    "progressive": "bit by bit", "full_information": "all in the opening",
    "none": "no guidance", "case": "case guidance", "procedure": "procedure",
    "case_and_procedure": "case and procedure",
    "direct": "direct", "chain_of_thought": "chain of thought", "plan_then_reply": "plan, then reply",
    "reflect_then_reply": "reflect, then reply",
    "scenario_x_style": "scenario in its style", "agent_x_scenario": "agent on a scenario",
    "agent_x_scenario_x_style": "agent on a scenario in its style", "residual": "judge on one conversation",
    "goodwill_standing_usd": "goodwill",
}  # fmt: skip


class AbsentError(ValueError):
    """A figure cannot be drawn from what there is; the message says what is missing and why."""


@dataclass(frozen=True)
class Scene:
    """What all figures of an experiment share.

    Attributes:
        experiment: Its name.
        agents: Its agents in the order of its file; the place gives colour and shape.
    """

    experiment: str
    agents: Sequence[str]

    def series(self, agent: str) -> int:
        """Number of an agent."""
        return self.agents.index(agent) if agent in self.agents else len(self.agents)


@dataclass(frozen=True)
class Key:
    """An entry of a legend: the class that colours it, and its words."""

    kind: str
    text: str


@dataclass(frozen=True)
class Drawn:
    """What was made of an answer.

    Attributes:
        wide: The picture for a wide page.
        narrow: The same for a phone.
        sizes: How many it rests on, in words.
        finding: What it says, in a sentence.
        keys: The legend.
        extra: Further rows for the page's template.
    """

    wide: Markup | None
    narrow: Markup | None
    sizes: str
    finding: str = ""
    keys: Sequence[Key] = ()
    extra: Any = None


Draw = Callable[[Answer, Scene], Drawn]


@dataclass(frozen=True)
class Spec:
    """A figure before it is drawn.

    Attributes:
        name: Its name and that of its query.
        title: What it shows.
        reading: How to read it.
        draw: Makes it from the query's answer; raises `AbsentError` where it cannot.
        absent: What to say where the query gives no rows.
        source: Figure or table of the paper that it corresponds to.
        is_justice: Whether it shows scores of judges, and so carries their label.
        layout: Template that shows it.
    """

    name: str
    title: str
    reading: str
    draw: Draw
    absent: str
    source: str = ""
    is_justice: bool = False
    layout: str = "chart"


@dataclass(frozen=True)
class Figure:
    """A figure as the page shows it: drawn, or a sentence that says what is missing."""

    spec: Spec
    sql: str
    answer: Answer
    drawn: Drawn | None
    missing: str = ""
    labels: Sequence[str] = field(default_factory=tuple)


class Both(NamedTuple):
    """A picture for a wide page, and for a phone."""

    wide: Markup
    narrow: Markup


def draw_both(chart: Callable[..., Markup], *given: Any, title: str, description: str, **more: Any) -> Both:
    """A chart in both widths.

    Args:
        chart: Draws it; takes what is given, then the width.
        given: What it shows.
        title: Its title.
        description: What can be seen in it.
        more: Further arguments of the chart.
    """
    words = {"title": title, "description": description}
    return Both(*(chart(*given, width, **words, **more) for width in (WIDE, NARROW)))


def legend(scene: Scene, agents: Sequence[str]) -> list[Key]:
    """A legend of agents."""
    return [Key(f"a{scene.series(agent)}", agent) for agent in agents]


def in_order(scene: Scene, rows: Sequence[Row]) -> list[str]:
    """The agents of some rows, in the experiment's order."""
    return sorted({row["agent"] for row in rows}, key=lambda agent: (scene.series(agent), agent))


def name_it(code: object) -> str:
    """A code of the data in words."""
    text = str(code)
    return WORDS.get(text, text.replace("_", " "))


def show_interval(mean: float | None, low: float | None, high: float | None, *, digits: int = 2, sign: str = "") -> str:
    """A mean with its interval, as tooltips and sentences give it."""
    if mean is None:
        return "no value"
    shown = show_signed(mean, digits, sign)
    if low is None or high is None:
        return f"{shown} (no interval)"
    return f"{shown} [{show_signed(low, digits, sign)}, {show_signed(high, digits, sign)}]"


def show_signed(value: float, digits: int, sign: str) -> str:
    """A number with a true minus; `sign` stands before it, or behind it where it is `%`."""
    if sign == "%":
        return f"{100 * value:.0f}%".replace("-", "−")
    return f"{'−' if round(value, digits) < 0 else ''}{sign}{abs(value):.{digits}f}"


def show_sizes(rows: Sequence[Row], what: str = "conversations per agent") -> str:
    """How many the numbers rest on: one figure, or the least and the most."""
    counts = [int(row["n"]) for row in rows if row.get("n") is not None]
    clusters = [int(row["clusters"]) for row in rows if row.get("clusters") is not None]
    shown = f"n = {show_range(counts)} {what}"
    return f"{shown}, from {show_range(clusters)} source dialogues" if clusters else shown


def show_range(counts: Sequence[int]) -> str:
    """A count, or the least and the most."""
    if not counts:
        return "0"
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def describe_rows(rows: Sequence[Row], name: Callable[[Row], str], *, sign: str = "") -> str:
    """A chart's numbers in words, for those who hear it."""
    return "; ".join(f"{name(row)}: {show_interval(row['mean'], row['low'], row['high'], sign=sign)}" for row in rows)
