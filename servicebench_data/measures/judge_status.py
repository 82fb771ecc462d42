"""Whether a judge's scores may stand in a leaderboard: validated against people, not yet, or refused.

Belongs here: the rules, ours, and the table `judge_status`. Not here: how well a judge does otherwise
(`validity.py`).

The rule engine is `offline`. A judge that gives every conversation the same score on some dimension is refused, once it
scored enough of them. Over the conversations that three people or more rated, a rank correlation of its total with
theirs below 0.5 refuses it, however few they are, and so does a total that is the same for all; below ten of them it is
not validated only, for so few tell nothing. From 100 on, at least 0.5 validates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from schemas.measures_ratings import JudgeState, JudgeStatus
from servicebench_data.journeys.kappas import NOTHING, Estimate
from servicebench_data.judging.coverage import LEAST_CONVERSATIONS
from servicebench_data.lake.database import fetch_table
from servicebench_data.measures.concordance import compute_spearman, draw_weights, estimate
from servicebench_data.measures.panels import TOTAL, Bench, Panel, pair_one, read_benches, read_panels
from servicebench_data.measures.reading import make_table

NEEDED_TRANSCRIPTS = 100
#: Fewer rated conversations than this neither validate nor refuse.
LEAST_TRANSCRIPTS = 10
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
        constant: What it gives to all, in words; empty where its scores vary.
        transcripts: Conversations that it scored whole and that enough people rated.
        raters: People who rated those.
        spearman: Rank correlation of its total with people's over those.
    """

    is_offline: bool
    constant: str
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
            "spearman": evidence.spearman.value, "spearman_low": evidence.spearman.low,
            "spearman_high": evidence.spearman.high,
        })  # fmt: skip
    return make_table(JudgeStatus, rows)


def gather_evidence(bench: Bench, panel: Panel | None) -> Evidence:
    """What is known of a judge."""
    is_offline, constant = bench.made_by == OFFLINE, find_constant(bench)
    if panel is None or TOTAL not in bench.scores:
        return Evidence(is_offline, constant, 0, 0, NOTHING)
    judge, rated = pair_one(bench.scores[TOTAL], panel)
    enough = rated.counts >= NEEDED_RATERS
    judge, rated = judge[enough], rated.keep(enough)
    if len(judge) < LEAST_TRANSCRIPTS:
        return Evidence(is_offline, constant, len(judge), len(rated.raters), NOTHING)
    if np.ptp(judge) == 0:
        constant = constant or f"each of {len(judge)} rated conversations has {judge[0]:.3g} in total"
    found = estimate(compute_spearman(judge, rated.average(), draw_weights(rated.clusters)), rated.clusters)
    return Evidence(is_offline, constant, len(judge), len(rated.raters), found)


def find_constant(bench: Bench) -> str:
    """What enough conversations all have on some dimension, in words."""
    for dimension, scores in bench.scores.items():
        if len(scores) >= LEAST_CONVERSATIONS and len(set(scores.values())) == 1:
            return f"every conversation has {next(iter(scores.values())):g} on {dimension}"
    return ""


def judge_judge(evidence: Evidence) -> tuple[JudgeState, str]:
    """The status by the rules, with its reason."""
    if evidence.is_offline:
        return "offline", "the rule engine reads declared acts and is no judge of quality"
    if evidence.constant:
        return "refused", f"its scores do not vary: {evidence.constant}"
    told = f"{evidence.transcripts} conversations are rated by {NEEDED_RATERS} people or more"
    wanted = f"{told}, of {NEEDED_TRANSCRIPTS} that are needed"
    spearman = evidence.spearman
    if evidence.transcripts < LEAST_TRANSCRIPTS:
        return "not_validated", wanted
    if spearman.value is None:
        return "not_validated", f"{told}, and people give all of them the same"
    figure = f"Spearman with people is {show_estimate(spearman)} over {evidence.transcripts} conversations"
    if spearman.value < LEAST_SPEARMAN:
        return "refused", f"{figure}, below {LEAST_SPEARMAN}"
    is_enough = evidence.transcripts >= NEEDED_TRANSCRIPTS
    return ("validated", figure) if is_enough else ("not_validated", f"{wanted}; {figure}")


def show_estimate(found: Estimate) -> str:
    """A value with its interval, in words."""
    if found.low is None or found.high is None:
        return f"{found.value:.3f} (no interval)"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
