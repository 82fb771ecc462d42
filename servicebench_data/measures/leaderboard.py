"""The leaderboard of an experiment, for a person to look at.

Belongs here: the headline of each agent in one row, by the published view's own statement. Not here: the measures.
"""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from servicebench_data.lake.database import fetch_table
from servicebench_data.lake.statements import read_statements

ANSWERS = (Path(__file__).parent / "answers.sql").read_text(encoding="utf-8")
_LEADERBOARD = next(
    statement for statement in read_statements(ANSWERS) if "CREATE VIEW measures.leaderboard " in statement
)
_SHOWN = r"""
    SELECT COLUMNS(lambda name: name SIMILAR TO 'total_(sd|low|high)' OR NOT name SIMILAR TO '.*_(n|sd|low|high)')
    FROM measures.leaderboard
"""


def read_leaderboard(measures: pa.Table) -> list[dict[str, Any]]:
    """Rows of the view `leaderboard` over a table `agent_measure`, with the spread of the total alone.

    Args:
        measures: The table.
    """
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA measures").fetchall()
        connection.register("incoming", measures)
        connection.execute("CREATE TABLE measures.agent_measure AS FROM incoming").fetchall()
        connection.execute(_LEADERBOARD).fetchall()
        rows = fetch_table(connection, _SHOWN).to_pylist()
    return [{name: round_number(value) for name, value in row.items() if name != "experiment_id"} for row in rows]


def round_number(value: Any) -> Any:
    """A number with three decimals, anything else as it is."""
    return round(value, 3) if isinstance(value, float) else value
