"""What a reader must know before citing a number of an agent.

Belongs here: the labels and when they hold. Not here: any number, or how a judge comes to its status.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import duckdb

from servicebench_data.lake.database import fetch_table

FACTS = """
    SELECT agent, bool_and(agent_made_by = 'offline') AS is_scripted, bool_or(is_self_play) AS is_self_play,
           coalesce(bool_or(scored_by = 'offline'), FALSE) AS is_by_rules,
           coalesce(bool_or(scored_by = 'model'), FALSE) AS is_by_model
    FROM measures.conversation_fact
    WHERE experiment_id = $experiment_id
    GROUP BY agent
    ORDER BY agent
"""
# Of the judges that count for an agent: models, not of its own family.
STATUS = """
    SELECT s.agent, bool_or(j.status IS NOT DISTINCT FROM 'refused') AS is_refused,
           bool_and(j.status IS NOT DISTINCT FROM 'validated') AS is_validated
    FROM measures.score_fact AS s
    LEFT JOIN measures.judge_status AS j USING (experiment_id, judge, grading_version)
    WHERE s.experiment_id = $experiment_id AND s.is_latest AND s.judge_made_by <> 'offline' AND NOT s.is_own_family
    GROUP BY s.agent
"""
JUDGES = """
    WITH scored AS (
        SELECT experiment_id, judge, judge_made_by, grading_version, agent, bool_or(is_own_family) AS is_own_family
        FROM measures.score_fact WHERE experiment_id = $experiment_id AND is_latest
        GROUP BY ALL
    )
    SELECT a.agent, s.judge, s.judge_made_by = 'offline' AS is_by_rules,
           j.status IS NOT DISTINCT FROM 'refused' AS is_refused,
           j.status IS NOT DISTINCT FROM 'validated' AS is_validated,
           (a.agent, s.judge) IN (SELECT (agent, judge) FROM scored WHERE is_own_family) AS is_own_family
    FROM (SELECT DISTINCT experiment_id, judge, judge_made_by, grading_version FROM scored) AS s
    JOIN (SELECT DISTINCT experiment_id, agent FROM measures.conversation_fact) AS a USING (experiment_id)
    LEFT JOIN measures.judge_status AS j USING (experiment_id, judge, grading_version)
    ORDER BY ALL
"""
SELF_PLAY = "self-play"


class AgentLabels(NamedTuple):
    """Labels of an agent's justice, and of its other measures."""

    justice: list[str]
    other: list[str]


def find_labels(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> Mapping[str, AgentLabels]:
    """Labels by agent; where judges have no status yet, none is validated."""
    given = {"experiment_id": experiment_id}
    status = {row["agent"]: row for row in fetch_table(connection, STATUS, given).to_pylist()}
    labels: dict[str, AgentLabels] = {}
    for row in fetch_table(connection, FACTS, given).to_pylist():
        judges = status.get(row["agent"], {"is_refused": False, "is_validated": False})
        is_judged = row["is_by_model"] or row["is_by_rules"]
        judged = ["judge not validated"] * (is_judged and not (row["is_by_model"] and judges["is_validated"]))
        judged += ["rule engine"] * row["is_by_rules"] + ["judge refused"] * judges["is_refused"]
        played = ["scripted agent"] * row["is_scripted"] + [SELF_PLAY] * row["is_self_play"]
        labels[row["agent"]] = AgentLabels([*judged, *played], played)
    return labels


def find_judge_labels(connection: duckdb.DuckDBPyConnection, experiment_id: str) -> Mapping[tuple[str, str], list[str]]:
    """Labels of each judge's own scores, by agent and judge; those of its own family's agents are self-play."""
    return {
        (row["agent"], row["judge"]): ["judge not validated"] * (not row["is_validated"])
        + ["rule engine"] * row["is_by_rules"]
        + ["judge refused"] * row["is_refused"]
        + [SELF_PLAY] * row["is_own_family"]
        for row in fetch_table(connection, JUDGES, {"experiment_id": experiment_id}).to_pylist()
    }


def join_labels(labels: Iterable[str]) -> str:
    """Labels in one text, each once."""
    return "; ".join(dict.fromkeys(label for label in labels if label))
