"""How an experiment's conversations ended, agent by agent, for a person to look at.

Belongs here: counts over one experiment's tables. Not here: measures with their intervals.
"""

from typing import Any

import duckdb
import pyarrow as pa

from servicebench_data.lake.database import fetch_table

#: Under which name a conversation table's pointer says what was asked for and is not there.
SHORTFALL = "not there"
ENDS = """
    SELECT agent, count(*) AS conversations,
           count(*) FILTER (WHERE "end" = 'agreement') AS agreed,
           count(*) FILTER (WHERE "end" = 'disengagement') AS "left",
           count(*) FILTER (WHERE "end" = 'turn_cap') AS capped,
           count(*) FILTER (WHERE "end" = 'failed') AS failed,
           count(*) FILTER (WHERE "end" = 'invalid') AS invalid,
           round(avg(exchanges), 1) AS exchanges,
           CASE WHEN count(cost_usd) = count(*) THEN round(sum(cost_usd), 4) END AS cost_usd
    FROM conversation GROUP BY agent ORDER BY agent
"""
FAULTS = """
    SELECT made_by, kind, count(*) AS faults, count(*) FILTER (WHERE is_mended) AS mended
    FROM simulator_fault GROUP BY ALL ORDER BY ALL
"""


def count_ends(conversations: pa.Table) -> list[dict[str, Any]]:
    """Ends of all conversations by agent; the five ends add up to all of them."""
    return ask("conversation", conversations, ENDS)


def count_faults(faults: pa.Table) -> list[dict[str, Any]]:
    """Faults of the simulators, by who made them and kind."""
    return ask("simulator_fault", faults, FAULTS)


def ask(name: str, table: pa.Table, query: str) -> list[dict[str, Any]]:
    """Rows of a query over one table."""
    with duckdb.connect() as connection:
        connection.register(name, table)
        return fetch_table(connection, query).to_pylist()
