"""Charts that several figures draw alike: means in rows by agent, by group and agent, and shares.

Belongs here: making a chart's rows from an answer's. Not here: any one figure's words.
"""

from collections.abc import Sequence

from servicebench_data.release.report.charts.intervals import Axis, Dot, Row, draw_intervals
from servicebench_data.release.report.charts.stacks import Bar, Part, draw_stacks
from servicebench_data.release.report.figure import (
    Drawn,
    Key,
    Scene,
    describe_rows,
    draw_both,
    in_order,
    legend,
    name_it,
    show_interval,
    show_sizes,
)
from servicebench_data.release.report.reading import Row as Data

JUSTICE = Axis("justice, 1 to 5 (dot: mean; line: 95% interval)", floor=1, ceiling=5)


def make_dot(row: Data, scene: Scene, unit: str = "") -> Dot:
    """A dot of an agent's mean."""
    interval = show_interval(row["mean"], row["low"], row["high"], sign=unit)
    tip = f"{row['agent']}: {interval}, n = {row.get('n', '?')}"
    return Dot(scene.series(row["agent"]), row["mean"], row["low"], row["high"], tip)


def draw_by_agent(rows: Sequence[Data], scene: Scene, axis: Axis, title: str) -> Drawn:
    """A row for each agent, in the order of the rows."""
    chart = [Row(row["agent"], [make_dot(row, scene, axis.unit)]) for row in rows]
    words = describe_rows(rows, lambda row: row["agent"], sign=axis.unit)
    both = draw_both(draw_intervals, chart, axis, title=title, description=words)
    return Drawn(*both, sizes=show_sizes(rows))


def draw_by_group(rows: Sequence[Data], scene: Scene, group: str, axis: Axis, title: str) -> Drawn:
    """A row for each group with a dot for each agent.

    Args:
        rows: Rows with agent, group, mean and interval, groups in order.
        scene: The experiment.
        group: Column of the group.
        axis: The axis.
        title: The chart's title.
    """
    agents = in_order(scene, rows)
    groups = list(dict.fromkeys(row[group] for row in rows))
    chart = [
        Row(
            name_it(value),
            [
                make_dot(row, scene, axis.unit)
                for agent in agents
                for row in rows
                if row[group] == value and row["agent"] == agent
            ],
        )
        for value in groups
    ]
    words = describe_rows(rows, lambda row: f"{row['agent']}, {name_it(row[group])}", sign=axis.unit)
    both = draw_both(draw_intervals, chart, axis, title=title, description=words)
    return Drawn(*both, sizes=show_sizes(rows, f"conversations per agent and {group}"), keys=legend(scene, agents))


def draw_shares(rows: Sequence[Data], scene: Scene, column: str, order: Sequence[str], title: str) -> Drawn:
    """A bar for each agent with a part for each outcome.

    Args:
        rows: Rows with agent, the column, share, conversations and n.
        scene: The experiment.
        column: Column that tells the parts apart.
        order: Its values in order; `order` and class names go together (`o-agreed`).
        title: The chart's title.
    """
    share = {(row["agent"], row[column]): row for row in rows}
    agents = in_order(scene, rows)
    bars = [
        Bar(agent, [make_part(share[agent, value], column) for value in order if (agent, value) in share])
        for agent in agents
    ]
    words = "; ".join(f"{row['agent']}: {name_it(row[column])} {100 * row['share']:.0f}%" for row in rows)
    both = draw_both(draw_stacks, bars, title=title, description=words, axis="share of conversations")
    keys = [Key(class_of(value), name_it(value)) for value in order if any(row[column] == value for row in rows)]
    return Drawn(*both, sizes=show_sizes(rows), keys=keys)


def make_part(row: Data, column: str) -> Part:
    """A part of a bar."""
    tip = f"{row['agent']}, {name_it(row[column])}: {100 * row['share']:.1f}% ({row['conversations']} of {row['n']})"
    return Part(class_of(row[column]), float(row["share"]), tip)


def class_of(value: str) -> str:
    """Class of a part in the style sheet."""
    return "o-" + value.lower().replace("+", "plus")
