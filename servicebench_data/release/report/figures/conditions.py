"""Under which conditions an agent is just: strategies, disclosure, styles, severity.

Belongs here: figures by condition of the play. Not here: overall results.
"""

from servicebench_data.release.report.charts.intervals import Row, draw_intervals
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Scene,
    describe_rows,
    draw_both,
    in_order,
    legend,
    name_it,
    show_sizes,
)
from servicebench_data.release.report.figures.parts import JUSTICE, draw_by_group, make_dot
from servicebench_data.release.report.reading import Answer


def draw_strategies(answer: Answer, scene: Scene) -> Drawn:
    """A row for each agent, named by how it reasons and is guided, grouped by model."""
    rows = answer.rows
    ways = {(row["reasoning"], row["guidance"]) for row in rows}
    if len(ways) < 2:
        reasoning, guidance = next(iter(ways))
        raise AbsentError(
            f"All agents of this experiment reason alike ({name_it(reasoning)}) and get the same guidance "
            f"({name_it(guidance)}), so there is nothing to compare. Name a model several times in the experiment's "
            "file, with different `reasoning` or `guidance`."
        )
    chart: list[Row] = []
    for place, row in enumerate(rows):
        is_first = place == 0 or rows[place - 1]["model"] != row["model"]
        label = f"{name_it(row['reasoning'])}, {name_it(row['guidance'])}"
        chart.append(Row(label, [make_dot(row, scene)], heading=row["model"] if is_first else ""))
    words = describe_rows(rows, lambda row: f"{row['agent']}, {name_it(row['reasoning'])}, {name_it(row['guidance'])}")
    both = draw_both(draw_intervals, chart, JUSTICE, title="Total justice by strategy", description=words)
    return Drawn(*both, sizes=show_sizes(rows), keys=legend(scene, in_order(scene, rows)))


def draw_disclosure(answer: Answer, scene: Scene) -> Drawn:
    """A row for each way of disclosure within each agent."""
    ways = {row["disclosure"] for row in answer.rows}
    if len(ways) < 2:
        raise AbsentError(
            f"All conversations of this experiment were held with facts {name_it(next(iter(ways)))}, so there is "
            "nothing to compare. Set `disclosure: [progressive, full_information]` in the experiment's file."
        )
    return draw_by_group(answer.rows, scene, "disclosure", JUSTICE, "Total justice by disclosure")


def draw_styles(answer: Answer, scene: Scene) -> Drawn:
    """A row for each style."""
    return draw_by_group(answer.rows, scene, "style", JUSTICE, "Total justice by the customer's style")


def draw_severity(answer: Answer, scene: Scene) -> Drawn:
    """A row for each level of severity."""
    return draw_by_group(answer.rows, scene, "severity", JUSTICE, "Total justice by severity")
