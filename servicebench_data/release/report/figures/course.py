"""How conversations go and end: outcomes, turns, length, and what the simulator did wrong.

Belongs here: figures about the course of a conversation. Not here: scores or money.
"""

from dataclasses import replace

from servicebench_data.judging.ratings.questions import list_questions
from servicebench_data.release.report.charts.curves import Curve, Panel, draw_curves
from servicebench_data.release.report.charts.intervals import Axis, Row, draw_intervals
from servicebench_data.release.report.charts.stacks import Bar, Part, draw_stacks
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Key,
    Scene,
    describe_rows,
    draw_both,
    in_order,
    legend,
    name_it,
    show_interval,
    show_range,
    show_sizes,
)
from servicebench_data.release.report.figures.parts import draw_by_agent, draw_by_group, draw_shares, make_dot
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.reading import Row as Data

OUTCOMES = ("agreed", "disengaged", "unresolved", "failed", "invalid", "unplayed")
SHARE = Axis("share of conversations", "%", low=0, floor=0, ceiling=1)
MEASURES = {"invalid_rate": "spoilt by the simulator", "failed_rate": "failed by agent or endpoint"}


def draw_outcomes(answer: Answer, scene: Scene) -> Drawn:
    """How conversations ended; in words, how many of those that were resolved agreed."""
    happened = [row for row in answer.rows if row["conversations"]]
    drawn = draw_shares(happened, scene, "outcome", OUTCOMES, "Outcomes by agent")
    agreed = [row for row in answer.rows if row["outcome"] == "agreed" and row["resolved_rate"] is not None]
    told = "; ".join(f"{row['agent']} {show_resolved(row)}" for row in agreed)
    return replace(drawn, finding=f"Agreed, of those that agreed or left: {told}." if told else "")


def show_resolved(row: Data) -> str:
    """A rate over the conversations that agreed or left."""
    interval = show_interval(row["resolved_rate"], row["resolved_low"], row["resolved_high"], sign="%")
    return f"{interval} of {row['resolved_n']}"


def draw_cumulative(answer: Answer, scene: Scene) -> Drawn:
    """Cumulative incidence by turn: a panel for each outcome, a curve for each agent."""
    agents = in_order(scene, answer.rows)
    happened = {row["outcome"] for row in answer.rows if row["incidence"] > 0}
    outcomes = [name for name in OUTCOMES if name in happened]
    if not outcomes:
        raise AbsentError("No conversation ended in agreement or disengagement.")
    panels = [Panel(name_it(name), [make_curve(answer, scene, name, agent) for agent in agents]) for name in outcomes]
    lasts = {(row["outcome"], row["agent"]): row for row in answer.rows}
    words = "; ".join(f"{agent}: {name_it(name)} {100 * row['incidence']:.0f}%" for (name, agent), row in lasts.items())
    both = draw_both(
        draw_curves, panels, title="Cumulative outcomes by turn", description=f"At the end: {words}", axis="exchange"
    )
    starts: dict[str, int] = {}
    for row in answer.rows:
        starts[row["agent"]] = max(starts.get(row["agent"], 0), int(row["at_risk"]))
    sizes = show_sizes([{"n": count} for count in starts.values()])
    return Drawn(*both, sizes=sizes, keys=legend(scene, agents))


def make_curve(answer: Answer, scene: Scene, outcome: str, agent: str) -> Curve:
    """An agent's curve, from nothing at the start."""
    rows = [row for row in answer.rows if row["outcome"] == outcome and row["agent"] == agent]
    begins = [] if rows and rows[0]["turn"] == 0 else [(0.0, 0.0, 0.0, 0.0)]
    places = [*begins, *((float(row["turn"]), row["incidence"], row["low"], row["high"]) for row in rows)]
    turn, *rest = places[-1]
    places.append((turn + 0.6, rest[0], rest[1], rest[2]))  # so that the last step is seen
    end = f", {100 * rows[-1]['incidence']:.0f}% by exchange {rows[-1]['turn']}" if rows else ""
    return Curve(scene.series(agent), places, f"{agent}: {name_it(outcome)}{end}")


def draw_coverage_by_turn(answer: Answer, scene: Scene) -> Drawn:
    """What is out by each turn: a curve for each agent."""
    agents = in_order(scene, answer.rows)
    curves = [make_line([row for row in answer.rows if row["agent"] == agent], scene) for agent in agents]
    words = "; ".join(curve.tip for curve in curves)
    both = draw_both(
        draw_curves, [Panel("share of closed facts out", curves)],
        title="Coverage by turn", description=words, axis="agent's turn", are_steps=False,
    )  # fmt: skip
    return Drawn(*both, sizes=show_sizes(answer.rows, "conversations per agent and turn"), keys=legend(scene, agents))


def make_line(rows: list[Data], scene: Scene) -> Curve:
    """An agent's line."""
    places = [(float(row["turn"]), row["mean"], row["low"], row["high"]) for row in rows]
    return Curve(scene.series(rows[0]["agent"]), places, f"{rows[0]['agent']}: {100 * rows[-1]['mean']:.0f}% at last")


def sort_rows(answer: Answer, scene: Scene) -> list[Data]:
    """Rows of agents in the experiment's order."""
    return sorted(answer.rows, key=lambda row: scene.series(row["agent"]))


def draw_length(answer: Answer, scene: Scene) -> Drawn:
    """Exchanges by agent."""
    return draw_by_agent(
        sort_rows(answer, scene), scene, Axis("exchanges per conversation", low=0, floor=0), "Exchanges by agent"
    )


def draw_words(answer: Answer, scene: Scene) -> Drawn:
    """Words of an agent's message, by agent."""
    return draw_by_agent(
        sort_rows(answer, scene), scene, Axis("words per agent message", low=0, floor=0), "Words by agent"
    )


def draw_faults(answer: Answer, scene: Scene) -> Drawn:
    """Faults by kind: mended, and left."""
    del scene
    most = max(row["faults"] for row in answer.rows)
    bars = [
        Bar(
            f"{name_it(row['kind'])} ({row['customer']}): {row['faults']}",
            [
                Part("o-mended", row["mended"] / most, f"{row['mended']} mended"),
                Part("o-left", (row["faults"] - row["mended"]) / most, f"{row['faults'] - row['mended']} not mended"),
            ],
        )
        for row in answer.rows
    ]
    words = "; ".join(f"{name_it(row['kind'])}: {row['faults']}, {row['mended']} mended" for row in answer.rows)
    both = draw_both(
        draw_stacks, bars, title="Simulator faults", description=words, axis=f"share of {most}, the most of a kind"
    )
    total = sum(row["faults"] for row in answer.rows)
    return Drawn(
        *both, sizes=f"{total} faults in {answer.rows[0]['n']:,} conversations (n)",
        keys=[Key("o-mended", "mended by a later try"), Key("o-left", "left standing")],
    )  # fmt: skip


def draw_invalid(answer: Answer, scene: Scene) -> Drawn:
    """Shares of conversations that the simulator or the agent spoilt."""
    if not any(row["mean"] for row in answer.rows):
        total = sum(row["n"] for row in answer.rows if row["measure"] == "invalid_rate")
        raise AbsentError(
            f"None of {total:,} conversations (n) was spoilt by the simulator, or failed by an agent or endpoint."
        )
    rows = [{**row, "reason": MEASURES[row["measure"]]} for row in answer.rows]
    return draw_by_group(sorted(rows, key=lambda row: row["measure"]), scene, "reason", SHARE, "Spoilt conversations")


def draw_realism(answer: Answer, scene: Scene) -> Drawn:
    """Ratings of the customer by question, with what was asked."""
    del scene
    customers = sorted({row["customer"] for row in answer.rows})
    named = Scene("", customers)
    rows = [{**row, "agent": row["customer"]} for row in answer.rows]
    questions = list(dict.fromkeys(row["question"] for row in rows))
    chart = [
        Row(shorten(question), [make_dot(row, named) for row in rows if row["question"] == question])
        for question in questions
    ]
    words = describe_rows(rows, lambda row: f"{row['customer']}, {shorten(row['question'])}")
    asked = {entry.question_id: entry.question for entry in list_questions()}
    axis = Axis("rating, 1 to 5 (line: 95% interval)", low=1, high=5, floor=1, ceiling=5)
    both = draw_both(draw_intervals, chart, axis, title="Realism of the customer", description=words)
    counts = (show_range([row[name] for row in rows]) for name in ("ratings", "raters"))
    return Drawn(
        *both,
        sizes="{}, {} ratings by {} people".format(show_sizes(rows, "conversations per question"), *counts),
        finding=" ".join(f"{shorten(name).capitalize()}: {asked[name]}" for name in questions if name in asked),
        keys=legend(named, customers),
    )


def shorten(question: str) -> str:
    """A question on realism in a word."""
    return name_it(question.removeprefix("realism_"))
