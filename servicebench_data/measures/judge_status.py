"""Whether a judge's scores may stand in a leaderboard: validated against people, not yet, or refused.

Belongs here: the rules, ours, and the table `judge_status`. Not here: how well a judge does otherwise
(`validity.py`).

The rule engine is `offline`. A judge that gives every conversation the same score on some dimension is refused, once it
scored enough of them. One that people rated at least 100 conversations for, each by three or more, is validated where
the rank correlation of its total with theirs is at least 0.5, and else refused; with fewer conversations it is refused
where the whole 95% interval lies below 0.5, and else not validated.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import pyarrow as pa

from schemas.measures_ratings import JudgeState, JudgeStatus
from servicebench_data.judging.coverage import LEAST_CONVERSATIONS
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.concordance import NOTHING, Estimate, compute_spearman, draw_weights, estimate
from servicebench_data.measures.panels import TOTAL, Bench, Panel, pair_one, read_benches, read_panels
from servicebench_data.measures.reading import make_table

NEEDED_TRANSCRIPTS = 100
NEEDED_RATERS = 3
LEAST_SPEARMAN = 0.5
OFFLINE = "offline"

_JUDGES = """
    SELECT DISTINCT s.judge, s.judge_made_by, s.grading_version
    FROM judging.score AS s JOIN simulation.conversation AS c USING (conversation_id)
    WHERE c.experiment_id = $experiment_id
    ORDER BY ALL
"""


@dataclass(frozen=True)
class Evidence:
    """What is known of a judge.

    Attributes:
        is_offline: Whether it is the rule engine.
        constant: Dimension on which it gives one score to all, with that score; None where there is none.
        transcripts: Conversations that it scored whole and that enough people rated.
        raters: People who rated those.
        spearman: Rank correlation of its total with people's over those.
    """

    is_offline: bool
    constant: tuple[str, float] | None
    transcripts: int
    raters: int
    spearman: Estimate


def make_judge_status(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> pa.Table:
    """One row per judge and grading version, also where nobody rated anything."""
    panel = read_panels(connection, experiment_id).get(TOTAL)
    benches = {entry[:3]: entry for entry in read_benches(connection, experiment_id)}
    rows: list[Mapping[str, Any]] = []
    for row in fetch_table(connection, _JUDGES, {"experiment_id": experiment_id}).to_pylist():
        key = (row["judge"], row["judge_made_by"], row["grading_version"])
        evidence = gather_evidence(benches.get(key, Bench(*key, {})), panel)
        status, reason = judge_judge(evidence)
        rows.append({
            "experiment_id": experiment_id, "judge": key[0], "grading_version": key[2], "status": status,
            "reason": reason, "transcripts": evidence.transcripts, "raters": evidence.raters,
            "spearman": evidence.spearman.value,
        })  # fmt: skip
    return make_table(JudgeStatus, rows)


def gather_evidence(bench: Bench, panel: Panel | None) -> Evidence:
    """What is known of a judge."""
    is_offline = bench.made_by == OFFLINE
    if panel is None or TOTAL not in bench.scores:
        return Evidence(is_offline, find_constant(bench), 0, 0, NOTHING)
    judge, rated = pair_one(bench.scores[TOTAL], panel)
    enough = rated.counts >= NEEDED_RATERS
    judge, rated = judge[enough], rated.keep(enough)
    if not len(judge):
        return Evidence(is_offline, find_constant(bench), 0, 0, NOTHING)
    values = compute_spearman(judge, rated.average(), draw_weights(rated.clusters))
    return Evidence(is_offline, find_constant(bench), len(judge), len(rated.raters), estimate(values, rated.clusters))


def find_constant(bench: Bench) -> tuple[str, float] | None:
    """A dimension on which enough conversations all have the same score."""
    for dimension, scores in bench.scores.items():
        if len(scores) >= LEAST_CONVERSATIONS and len(set(scores.values())) == 1:
            return dimension, next(iter(scores.values()))
    return None


def judge_judge(evidence: Evidence) -> tuple[JudgeState, str]:
    """The status by the rules, with its reason."""
    if evidence.is_offline:
        return "offline", "the rule engine reads declared acts and is no judge of quality"
    if evidence.constant:
        dimension, score = evidence.constant
        return "refused", f"its scores do not vary: every conversation has {score:g} on {dimension}"
    spearman, transcripts = evidence.spearman, evidence.transcripts
    is_enough = transcripts >= NEEDED_TRANSCRIPTS
    told = f"{transcripts} conversations are rated by {NEEDED_RATERS} people or more"
    if spearman.value is None:
        return "not_validated", f"{told}, of {NEEDED_TRANSCRIPTS} that are needed" if not is_enough else (
            f"{told}, and people give all of them the same"
        )
    figure = f"Spearman with people is {spearman.value:.3f} over {transcripts} conversations"
    decisive = spearman.value if is_enough else spearman.high
    is_low = decisive is not None and decisive < LEAST_SPEARMAN
    if is_low:
        return "refused", f"{figure}, below {LEAST_SPEARMAN}"
    if not is_enough:
        return "not_validated", f"{told}, of {NEEDED_TRANSCRIPTS} that are needed; {figure}"
    return "validated", figure
