"""What the judges of an experiment gave, agent by agent, for a person to look at.

Belongs here: counts and means over one experiment's tables. Not here: measures with their intervals.
"""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import duckdb
import pyarrow as pa

from schemas.judging import Score
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.lake.database import fetch_table

VERDICTS = """
    SELECT agent, judge, judge_made_by,
           count(DISTINCT conversation_id) AS conversations,
           count(*) FILTER (WHERE status = 'unscored') AS unscored,
           count(*) FILTER (WHERE status = 'missing') AS missing,
           round(avg(score) FILTER (WHERE dimension = 'interactional'), 2) AS interactional,
           round(avg(score) FILTER (WHERE dimension = 'procedural'), 2) AS procedural,
           round(avg(score) FILTER (WHERE dimension = 'distributive'), 2) AS distributive,
           count(DISTINCT conversation_id) FILTER (WHERE has_injection) AS injections
    FROM score JOIN conversation USING (conversation_id)
    GROUP BY ALL ORDER BY agent, judge
"""
#: What may come out otherwise on another day; a rerun takes it up again.
PASSING = ("unanswered", "over_budget")


def count_verdicts(tables: Mapping[type[Record], pa.Table]) -> list[dict[str, Any]]:
    """Verdicts by agent and judge: how many, how many without a score, and the means of the rest."""
    with duckdb.connect() as connection:
        connection.register("score", tables[Score])
        connection.register("conversation", tables[Conversation].select(["conversation_id", "agent"]))
        return fetch_table(connection, VERDICTS).to_pylist()


def is_final(*tables: pa.Table) -> bool:
    """Whether no verdict of tables of scores is missing for a reason that another run could mend."""
    rows = chain.from_iterable(table.select(["status", "reason"]).to_pylist() for table in tables)
    return not any(row["status"] == "missing" and str(row["reason"]).startswith(PASSING) for row in rows)
