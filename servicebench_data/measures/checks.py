"""Whether the measures of an experiment account for all of its conversations.

Belongs here: sums that must come out. Not here: rules of one table, which follow from its record.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from schemas.measures import AgentMeasure
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.lake.database import Limits, add_views, open_database
from servicebench_data.lake.expectations import Finding, find_missing, judge_keys

#: Records of the tables that are read.
READ: tuple[type[Record], ...] = (Conversation, AgentMeasure)
RULES: Mapping[str, str] = {
    "outcomes_sum_to_one": """
        SELECT concat_ws(' ', experiment_id, agent, "by", value, round(sum(mean), 6)) AS name
        FROM agent_measure
        WHERE measure IN ('agreement_rate', 'disengagement_rate', 'unresolved_rate')
        GROUP BY experiment_id, agent, "by", value
        HAVING sum(n) > 0 AND count(mean) > 0 AND (count(mean) <> 3 OR abs(sum(mean) - 1) > 1e-9)
        ORDER BY name
    """,
    "all_conversations_counted": """
        WITH played AS (SELECT experiment_id, agent, count(*) AS conversations FROM conversation GROUP BY ALL),
        counted AS (
            SELECT experiment_id, agent, measure, "by",
                   CASE WHEN "by" IN ('judge', 'turn') THEN value ELSE '' END AS each, sum(n + missing) AS counted
            FROM agent_measure
            WHERE "by" <> 'severity_mix'
            GROUP BY ALL
        )
        SELECT concat_ws(' ', experiment_id, agent, measure, "by", each, counted, 'of', conversations) AS name
        FROM counted LEFT JOIN played USING (experiment_id, agent)
        WHERE counted IS DISTINCT FROM conversations
        ORDER BY name
    """,
    "every_agent_measured": """
        SELECT DISTINCT concat_ws(' ', experiment_id, agent) AS name
        FROM conversation ANTI JOIN (FROM agent_measure WHERE "by" = 'all') USING (experiment_id, agent)
        ORDER BY name
    """,
}


def check_accounts(files: Mapping[str, Sequence[Path]], limits: Limits) -> list[Finding]:
    """One finding for each rule.

    Args:
        files: Parquet files of the `READ` tables, by table.
        limits: What DuckDB may take.
    """
    if missing := find_missing(READ, files, "run an experiment first"):
        return missing
    with open_database(limits) as connection:
        add_views(connection, files)
        broken = {rule: [str(row[0]) for row in connection.execute(query).fetchall()] for rule, query in RULES.items()}
    return [judge_keys(rule, names) for rule, names in broken.items()]
