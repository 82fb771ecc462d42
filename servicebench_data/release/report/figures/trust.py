"""How far scores can be trusted as measurements: length, padding, runs, variance, judges beside people.

Belongs here: figures about what scores are made of. Not here: judges beside judges (`justice.py`), or the simulator
(`course.py`).
"""

from collections.abc import Iterator, Sequence
from typing import get_args

from schemas.measures_statistics import VarianceComponent
from servicebench_data.release.report.charts.intervals import Axis, Dot, Row, draw_intervals
from servicebench_data.release.report.charts.stacks import Bar, Part, draw_stacks
from servicebench_data.release.report.figure import (
    AbsentError,
    Drawn,
    Key,
    Scene,
    draw_both,
    in_order,
    legend,
    name_it,
    show_interval,
    show_range,
    show_sizes,
)
from servicebench_data.release.report.figures.justice import ENSEMBLE, show_p
from servicebench_data.release.report.figures.parts import JUSTICE, class_of
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.reading import Row as Data

ALL, TOTAL = "all", "total"
COMPONENTS: tuple[str, ...] = get_args(VarianceComponent.model_fields["component"].annotation)
SLOPE = Axis("standard deviations of score per one of log words (line: 95% interval)", zero=0.0)
AGREEMENT = Axis("intraclass correlation of the runs (line: 95% interval)", low=0, high=1, floor=-1, ceiling=1)
SHIFT = Axis("points of score that padding adds (line: 95% interval)", zero=0.0)
KINDNESS = Axis("points beyond people, own family less others (line: 95% interval)", zero=0.0)


def draw_length_effect(answer: Answer, scene: Scene) -> Drawn:
    """A slope for each measure, around zero."""
    del scene
    rows = answer.rows
    tips = [
        f"{name_it(row['measure'])}: {tell(row, 'beta')}, {show_p(row['p_adjusted'])} (Holm), n = {row['n']}"
        for row in rows
    ]
    chart = [Row(name_it(row["measure"]), [dot(row, "beta", tip)]) for row, tip in zip(rows, tips, strict=True)]
    both = draw_both(draw_intervals, chart, SLOPE, title="Length and score", description="; ".join(tips))
    return Drawn(*both, sizes=show_sizes(rows, "conversations"), finding=tell_slope(rows))


def tell(row: Data, column: str) -> str:
    """A row's number with its interval."""
    return show_interval(row[column], row["low"], row["high"])


def dot(row: Data, column: str, tip: str, series: int = 0) -> Dot:
    """A row's number with its interval, as a dot."""
    return Dot(series, row[column], row["low"], row["high"], tip)


def tell_slope(rows: Sequence[Data]) -> str:
    """What the slope of the total says; nothing where it has no interval."""
    row = next((row for row in rows if row["measure"] == TOTAL and row["low"] is not None), None)
    if row is None:
        return ""
    if row["low"] <= 0 <= row["high"]:
        return "Longer messages go with neither higher nor lower totals."
    return f"Longer messages go with {'higher' if row['beta'] > 0 else 'lower'} totals."


def draw_padding_effect(answer: Answer, scene: Scene) -> Drawn:
    """For each judge a shift of each measure, around zero."""
    del scene
    rows = [row for row in answer.rows if row["shift"] is not None]
    if not rows:
        reasons = "; ".join(dict.fromkeys(f"{row['judge']}: {row['label']}" for row in answer.rows))
        raise AbsentError(f"No judge scored a conversation both with padding and without ({reasons}).")
    chart = [
        Row(name_it(row["measure"]), [dot(row, "shift", describe_shift(row))], heading=row["judge"] if is_first else "")
        for row, is_first in mark_first(rows)
    ]
    words = "; ".join(map(describe_shift, rows))
    both = draw_both(draw_intervals, chart, SHIFT, title="Padding and score", description=words)
    totals = "; ".join(f"{row['judge']} {tell(row, 'shift')}" for row in rows if row["measure"] == TOTAL)
    finding = f"Padding moves totals by: {totals}." if totals else ""
    return Drawn(*both, sizes=show_sizes(rows, "conversations scored both ways"), finding=finding)


def describe_shift(row: Data) -> str:
    """A shift in words, with what to know before citing it."""
    more = f"; {row['label']}" if row["label"] else ""
    return f"{row['judge']}, {name_it(row['measure'])}: {tell(row, 'shift')}, n = {row['n']}{more}"


def mark_first(rows: Sequence[Data]) -> Iterator[tuple[Data, bool]]:
    """Each row, and whether it is the first of its judge."""
    judges = [None, *(row["judge"] for row in rows)]
    return ((row, row["judge"] != before) for row, before in zip(rows, judges, strict=False))


def draw_variance(answer: Answer, scene: Scene) -> Drawn:
    """A bar for each measure, with a part for each component that can be told."""
    del scene
    rows = answer.rows
    measures = dict.fromkeys(row["measure"] for row in rows)
    bars = [Bar(name_it(name), [make_part(row) for row in rows if row["measure"] == name]) for name in measures]
    words = "; ".join(f"{bar.label}, {part.tip}" for bar in bars for part in bar.parts)
    both = draw_both(draw_stacks, bars, title="Components of variance", description=words, axis="share of the variance")
    told = {row["component"] for row in rows if row["share"]}
    first = max((row for row in rows if row["measure"] == TOTAL), key=lambda row: row["share"], default=None)
    return Drawn(
        *both,
        sizes=f"n = {show_range([row['n'] for row in rows])} scores of each",
        finding=f"Most of it, {100 * first['share']:.0f}% in totals: {name_it(first['component'])}." if first else "",
        keys=[Key(class_of(name), name_it(name)) for name in COMPONENTS if name in told],
    )


def make_part(row: Data) -> Part:
    """A component of a bar."""
    more = f" ({row['label']})" if row["label"] else ""
    tip = f"{name_it(row['component'])}: {100 * row['share']:.1f}%, sd {row['sd']:.2f}, {row['levels']} levels{more}"
    return Part(class_of(row["component"]), float(row["share"]), tip)


def draw_run_to_run(answer: Answer, scene: Scene) -> Drawn:
    """A row for each measure with an agent's correlation of runs; the runs' own means are in its words."""
    rows = [row for row in answer.rows if row["run"] == ALL and row["icc"] is not None]
    if not rows:
        raise AbsentError(
            "Each conversation was held once, so whether another run gives the same cannot be told. Set `repeats: 3` "
            "in the experiment's file."
        )
    tips = [describe_runs(row, answer.rows) for row in rows]
    chart = [
        Row(
            name_it(measure),
            [
                dot(row, "icc", tip, scene.series(row["agent"]))
                for row, tip in zip(rows, tips, strict=True)
                if row["measure"] == measure
            ],
        )
        for measure in dict.fromkeys(row["measure"] for row in rows)
    ]
    both = draw_both(draw_intervals, chart, AGREEMENT, title="Agreement of runs", description="; ".join(tips))
    return Drawn(*both, sizes=show_sizes(rows), finding=tell_runs(rows), keys=legend(scene, in_order(scene, rows)))


def describe_runs(row: Data, rows: Sequence[Data]) -> str:
    """An agent's runs of one measure in words."""
    means = [f"{each['mean']:.2f}" for each in rows if each["run"] != ALL and is_alike(each, row)]
    return (
        f"{row['agent']}, {name_it(row['measure'])}: ICC {tell(row, 'icc')}, runs {', '.join(means)} "
        f"(mean {row['mean']:.2f}), n = {row['n']}"
    )


def is_alike(one: Data, other: Data) -> bool:
    """Whether two rows are about one measure of one agent."""
    return one["agent"] == other["agent"] and one["measure"] == other["measure"]


def tell_runs(rows: Sequence[Data]) -> str:
    """How far the runs' mean totals lie apart."""
    spreads = [row["sd"] for row in rows if row["measure"] == TOTAL and row["sd"] is not None]
    return (
        f"The mean totals of an agent's runs have a standard deviation of at most {max(spreads):.2f}."
        if spreads
        else ""
    )


def draw_self_preference(answer: Answer, scene: Scene) -> Drawn:
    """A row for each judge, around zero."""
    del scene
    rows = [row for row in answer.rows if row["difference"] is not None]
    if not rows:
        reasons = "; ".join(f"{row['judge']}: {row['label']}" for row in answer.rows)
        raise AbsentError(f"No judge can be compared with people on its own family and on others ({reasons}).")
    tips = [describe_preference(row) for row in rows]
    chart = [
        Row(f"{row['judge']} ({row['family']})", [dot(row, "difference", tip)])
        for row, tip in zip(rows, tips, strict=True)
    ]
    both = draw_both(draw_intervals, chart, KINDNESS, title="Self-preference", description="; ".join(tips))
    counts = [row["own_transcripts"] for row in rows], [row["other_transcripts"] for row in rows]
    sizes = f"n = {show_range(counts[0])} rated conversations of the own family, {show_range(counts[1])} of others"
    return Drawn(*both, sizes=sizes)


def describe_preference(row: Data) -> str:
    """A judge's kindness to its own family in words."""
    more = f"; {row['label']}" if row["label"] else ""
    return f"{row['judge']}: {tell(row, 'difference')}, {show_p(row['p_adjusted'])} (Holm){more}"


def draw_calibrated(answer: Answer, scene: Scene) -> Drawn:
    """Each agent's mean as judges gave it, and by the line to people; the headline first, then judge by judge."""
    del scene
    rows = [row for row in answer.rows if row["raw"] is not None and row["calibrated"] is not None]
    if not rows:
        raise AbsentError(
            "Too few conversations are rated by people to put scores on their scale. Write the annotation page, let "
            "people rate, and import their CSV."
        )
    chart: list[Row] = []
    for row, is_first in mark_first(rows):
        dots = [Dot(0, row["raw"], None, None, f"{row['agent']}: {row['raw']:.2f} as given"), calibrate(row)]
        chart.append(Row(row["agent"], dots, heading=name_judge(row) if is_first else ""))
    words = "; ".join(f"{row['agent']} by {name_judge(row)}: {row['raw']:.2f}, {calibrate(row).tip}" for row in rows)
    both = draw_both(draw_intervals, chart, JUSTICE, title="Scores on people's scale", description=words)
    rated = show_range([row["calibration_transcripts"] for row in rows])
    return Drawn(
        *both,
        sizes=f"{show_sizes(rows)}; lines through {rated} rated conversations",
        finding=tell_calibration(rows),
        keys=[Key("a0", "as the judge gave it"), Key("a1", "calibrated to people")],
    )


def name_judge(row: Data) -> str:
    """A judge as the page calls it."""
    return "the headline" if row["judge"] == ENSEMBLE else str(row["judge"])


def calibrate(row: Data) -> Dot:
    """A calibrated mean, as a dot."""
    return dot(row, "calibrated", f"{row['agent']}: {tell(row, 'calibrated')} calibrated", 1)


def tell_calibration(rows: Sequence[Data]) -> str:
    """What calibrating gains, for the first of the judges."""
    row = rows[0]
    return (
        f"Scores of {name_judge(row)} are off people's means by {row['raw_error']:.2f} points, calibrated by "
        f"{row['calibrated_error']:.2f} (root mean square, on conversations that the line did not see)."
    )
