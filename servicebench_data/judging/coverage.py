"""Checks of the judging group that need more than one table: coverage, and judges that do not tell cases apart.

Belongs here: whether every verdict that is due is there or missing with a reason, how many are missing, and how scores
are spread. Not here: rules of one table, which follow from its record.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from schemas.judging import RubricItem, Score, SubScore
from schemas.records import Record
from schemas.simulation import Conversation, ExperimentRow
from servicebench_data.judging.rubric import DIMENSIONS
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.expectations import Finding, find_missing, judge_keys

SQL = (Path(__file__).parent / "coverage.sql").read_text(encoding="utf-8")
RULES = ("covered", "score_or_reason", "invalid_unscored", "items_whole")
#: Records of the tables that are read.
READ: tuple[type[Record], ...] = (ExperimentRow, Conversation, Score, SubScore, RubricItem)
#: Share of a judge's verdicts on valid conversations that may be missing, in all and with each agent.
MISSING_SHARE = 0.05
#: With an agent of few conversations one of them may be missing whole, though that is a greater share.
MISSING_WHOLE = len(DIMENSIONS)
#: A judge is looked at from so many conversations on.
LEAST_CONVERSATIONS = 20
#: A standard deviation below it, or a share of one score above it, tells nothing apart.
LEAST_SPREAD = 0.25
MOST_ALIKE = 0.85

_MISSING = """
    SELECT experiment_id, judge, agent, count(*) FILTER (WHERE status = 'missing') AS missing, count(*) AS due,
           min(reason) FILTER (WHERE status = 'missing') AS reason
    FROM score JOIN conversation USING (conversation_id)
    WHERE is_valid AND status <> 'unscored'
    GROUP BY GROUPING SETS ((experiment_id, judge), (experiment_id, judge, agent))
    ORDER BY experiment_id, judge, agent NULLS FIRST
"""
_SPREAD = """
    SELECT experiment_id, judge, dimension, count(*) AS scored, stddev_samp(score) AS spread,
           avg((score = mode)::INT) AS alike, any_value(mode) AS mode
    FROM (
        SELECT experiment_id, judge, dimension, grading_version, score,
               mode(score) OVER (PARTITION BY experiment_id, judge, dimension, grading_version) AS mode
        FROM score JOIN conversation USING (conversation_id)
        WHERE status = 'scored' AND judge_made_by <> 'offline'
    )
    GROUP BY ALL HAVING scored >= $least ORDER BY ALL
"""


def check_coverage(files: Mapping[str, Sequence[Path]], limits: Limits) -> list[Finding]:
    """One finding for each rule on single verdicts, and for each judge, in all and by agent, on how many are missing.

    Args:
        files: Parquet files of the `READ` tables, by table.
        limits: What DuckDB may take.
    """
    if lacking := find_missing(READ, files, "judge an experiment first"):
        return lacking
    with open_database(limits) as connection:
        add_views(connection, files)
        wrong = connection.execute(SQL).fetchall()
        missing = connection.execute(_MISSING).fetchall()
    found = [judge_keys(rule, [name for row_rule, name in wrong if row_rule == rule]) for rule in RULES]
    return [*found, *(judge_missing((row[0], row[1], row[2]), *row[3:]) for row in missing)]


def judge_missing(who: tuple[str, str, str | None], missing: int, due: int, reason: str | None) -> Finding:
    """Whether few enough of a judge's verdicts are missing: experiment, judge, and the agent where it is about one."""
    most = MISSING_SHARE * due if who[-1] is None else max(MISSING_WHOLE, MISSING_SHARE * due)
    is_fine = missing <= most
    note = "" if is_fine else f"{missing} of {due} verdicts are missing, such as: {reason}; mend this and judge again"
    return Finding(":".join(["missing", *filter(None, who)]), is_fine, missing, (), note)


def find_degenerate(files: Mapping[str, Sequence[Path]], limits: Limits) -> list[Finding]:
    """One finding for each model and dimension with enough scores: whether it tells conversations apart."""
    if any(record.table.name not in files for record in (Score, Conversation)):
        return []
    with open_database(limits) as connection:
        add_views(connection, files)
        rows = connection.execute(_SPREAD, {"least": LEAST_CONVERSATIONS}).fetchall()
    return [judge_spread(f"{experiment}:{judge}:{dimension}", *row) for experiment, judge, dimension, *row in rows]


def judge_spread(name: str, scored: int, spread: float, alike: float, mode: int) -> Finding:
    """Whether a judge's scores on a dimension are spread."""
    is_fine = spread >= LEAST_SPREAD and alike <= MOST_ALIKE
    note = "" if is_fine else f"standard deviation {spread:.2f} over {scored} conversations, {alike:.0%} of them {mode}"
    return Finding(f"judge_degenerate:{name}", is_fine, 0 if is_fine else scored, (), note)
