"""Ensembles of judges: their mean on each conversation, with and without judges of the agent's own family.

Belongs here: the table of judgments. Not here: means over conversations.

Our definition: the mean over the judges that are due, and only where each of them scored all three dimensions; a judge
that abstains by its own rule is not due. Where models judge, the rule engine is not one of them.
"""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from schemas.judging import Judgment
from schemas.records import Record
from schemas.simulation import Conversation
from servicebench_data.lake.arrow import conform
from servicebench_data.lake.database import fetch_table

SQL = (Path(__file__).parent / "ensemble.sql").read_text(encoding="utf-8")


def make_judgments(tables: Mapping[type[Record], pa.Table], scores: pa.Table) -> pa.Table:
    """Judgments of the conversations of an experiment, sorted by their key."""
    with duckdb.connect() as connection:
        connection.register("score", scores)
        connection.register("conversation", tables[Conversation].select(["conversation_id", "is_valid"]))
        return conform(Judgment, fetch_table(connection, SQL))
