"""Which agent is more just, and whether the difference is real.

Belongs here: the leaderboard, paired tests, and justice by industry and by judge. Not here: goodwill, or conditions.
"""

from collections.abc import Sequence

from servicebench_data.release.report.charts.heat import Cell, draw_heat
from servicebench_data.release.report.charts.intervals import Axis, Dot, Row, draw_intervals
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Scene,
    draw_both,
    in_order,
    name_it,
    show_interval,
    show_signed,
    show_sizes,
)
from servicebench_data.release.report.figures.parts import JUSTICE, draw_by_agent
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.reading import Row as Data

ALPHA = 0.05
ENSEMBLE = "ensemble"
REFUSED = "judge refused"
BY_RULES = "rule engine"


def draw_leaderboard(answer: Answer, scene: Scene) -> Drawn:
    """Agents by macro total justice, best first; the dimensions beside it as a table."""
    totals = [row for row in answer.rows if row["measure"] == "total" and row["mean"] is not None]
    shown = [row for row in totals if REFUSED not in str(row["label"])]
    ranked = [row for row in shown if BY_RULES not in str(row["label"])]
    if not shown:
        raise AbsentError(
            "No agent has a total that can be ranked: no conversation was scored in all three dimensions by every "
            "judge, or a judge is refused, for its scores do not vary or agree too little with people's."
        )
    drawn = draw_by_agent(shown, scene, JUSTICE, "Total justice by agent")
    table = [
        {"agent": row["agent"], "series": scene.series(row["agent"]), "n": row["n"], "is_ranked": row in ranked}
        | {entry["measure"]: entry for entry in answer.rows if entry["agent"] == row["agent"]}
        for row in [*ranked, *(row for row in totals if row not in ranked)]
    ]
    return Drawn(drawn.wide, drawn.narrow, drawn.sizes, tell_leader(ranked, len(shown), len(totals)), extra=table)


def tell_leader(ranked: Sequence[Data], shown: int, total: int) -> str:
    """Who leads, and who has no place and why."""
    if ranked:
        first = ranked[0]
        finding = f"{first['agent']} leads with {show_interval(first['mean'], first['low'], first['high'])}."
    else:
        finding = "Nobody has a place: a rule engine scored what agents declare, and it is no judge of quality."
    if total > shown:
        finding += f" {total - shown} without a place, for a judge of theirs is refused."
    return finding


def draw_paired_tests(answer: Answer, scene: Scene) -> Drawn:
    """Each pair's difference with its interval, from the greatest."""
    rows = [orient(row) for row in answer.rows if row["difference"] is not None]
    if not rows:
        raise AbsentError("No two agents were scored on a common scenario, so no pair can be compared.")
    chart = [Row(f"{row['agent_a']} − {row['agent_b']}", [make_difference(row, scene)]) for row in rows]
    real = [row for row in rows if row["p_adjusted"] is not None and row["p_adjusted"] < ALPHA]
    axis = Axis("difference in total justice, same scenarios (line: 95% interval)", zero=0.0)
    words = "; ".join(describe_difference(row) for row in rows)
    both = draw_both(draw_intervals, chart, axis, title="Differences between agents", description=words)
    finding = (
        f"{len(real)} of {len(rows)} {'pair differs' if len(rows) == 1 else 'pairs differ'} "
        "at p < 0.05 after Holm's correction."
    )
    untested = sum(row["p_adjusted"] is None for row in rows)
    if untested:
        finding += f" {untested} without a test, for the differences do not vary."
    return Drawn(*both, sizes=show_sizes(rows, "scenarios in a style that both played"), finding=finding, extra=rows)


def orient(row: Data) -> Data:
    """A pair with the better agent first, so that all differences are positive."""
    if row["difference"] is None or row["difference"] >= 0:
        return row
    turned = {"agent_a": row["agent_b"], "agent_b": row["agent_a"], "difference": -row["difference"]}
    ends = {one: None if row[other] is None else -row[other] for one, other in SWAPPED}
    return {**row, **turned, **ends}


SWAPPED = (("low", "high"), ("high", "low"), ("worst_case", "best_case"), ("best_case", "worst_case"))


def make_difference(row: Data, scene: Scene) -> Dot:
    """A dot of a pair, in the better agent's colour."""
    return Dot(scene.series(row["agent_a"]), row["difference"], row["low"], row["high"], describe_difference(row))


def describe_difference(row: Data) -> str:
    """A pair in words."""
    interval = show_interval(row["difference"], row["low"], row["high"])
    p = f"{show_p(row['p_adjusted'])} ({row['adjustment']})"
    return f"{row['agent_a']} over {row['agent_b']}: {interval}, {p}, n = {row['n']}"


def show_p(p: float | None) -> str:
    """A p-value as papers give it."""
    if p is None:
        return "p not known"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def draw_by_industry(answer: Answer, scene: Scene) -> Drawn:
    """Agents by industries, each cell a mean."""
    return draw_matrix(answer, scene, "industry", "Total justice by agent and industry")


def draw_judges(answer: Answer, scene: Scene) -> Drawn:
    """Agents by judges, each cell a mean with its standard deviation."""
    drawn = draw_matrix(answer, scene, "judge", "Total justice by agent and judge")
    judges = {row["judge"] for row in answer.rows} - {ENSEMBLE}
    if len(judges) > 1:
        return drawn
    note = "One judge only: whether judges agree, and whether one favours its own family, cannot be told from this."
    return Drawn(drawn.wide, drawn.narrow, drawn.sizes, note)


def draw_advantage(answer: Answer, scene: Scene) -> Drawn:
    """Agents by judges, each cell an advantage around zero; cells of one model family are marked."""
    agents = in_order(scene, answer.rows)
    judges = sorted({row["judge"] for row in answer.rows})
    cells = {
        (agents.index(row["agent"]), judges.index(row["judge"])): Cell(
            row["advantage"],
            show_signed(row["advantage"], 2, "") + mark_own(row),
            show_p(row["p_adjusted"]),
            f"{row['judge']} on {row['agent']}: {show_signed(row['advantage'], 3, '')} sd, {show_p(row['p_adjusted'])} "
            f"(Holm), n = {row['n']}{', own family' if row['is_own_family'] else ''}",
        )
        for row in answer.rows
    }
    most = max(0.1, *(abs(row["advantage"]) for row in answer.rows))
    words = "; ".join(cell.tip for cell in cells.values())
    both = draw_both(
        draw_heat, (agents, judges), cells, (-most, most),
        title="Judge preference advantage", description=words, ramp="d",
    )  # fmt: skip
    return Drawn(*both, sizes=show_sizes(answer.rows, "conversations per agent that every judge scored"))


def draw_matrix(answer: Answer, scene: Scene, column: str, title: str) -> Drawn:
    """A matrix of agents and another column."""
    agents = in_order(scene, answer.rows)
    others = sorted({row[column] for row in answer.rows}, key=lambda other: (other == ENSEMBLE, other))
    cells = {
        (agents.index(row["agent"]), others.index(row[column])): Cell(
            row["mean"],
            f"{row['mean']:.2f}{mark_own(row)}",
            f"±{row['sd']:.2f}  n {row['n']}" if row["sd"] is not None else f"n {row['n']}",
            f"{row['agent']}, {name_it(row[column])}: {show_interval(row['mean'], row['low'], row['high'])}, "
            f"sd {'–' if row['sd'] is None else show_signed(row['sd'], 2, '')}, n = {row['n']}"
            f"{', self-play' if mark_own(row) else ''}",
        )
        for row in answer.rows
    }
    words = "; ".join(cell.tip for cell in cells.values())
    labels = (agents, [name_it(other) for other in others])
    both = draw_both(draw_heat, labels, cells, (1.0, 5.0), title=title, description=words)
    return Drawn(*both, sizes=show_sizes(answer.rows, f"conversations per agent and {column}"))


def mark_own(row: Data) -> str:
    """A mark of cells in which a judge scored its own family."""
    return " own" if row.get("is_own_family") else ""
