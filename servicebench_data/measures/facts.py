"""The facts of all conversations as DuckDB views, over the lake's files as in the published file.

Belongs here: the one place where `facts.sql` is put over tables at rest. Not here: what is computed from the facts.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb

from schemas.judging import Judgment, RubricItem, Score
from schemas.records import Record
from schemas.scenarios import Fact, Scenario
from schemas.simulation import Conversation, ExperimentRow, FactDisclosure, MessageRow, OfferRow
from servicebench_data.lake.database import Limits, open_database
from servicebench_data.lake.statements import read_statements
from servicebench_data.lake.tables import RECORDS, arrow_schema, quote_name, record_of

FACTS = (Path(__file__).parent / "facts.sql").read_text(encoding="utf-8")
GROUP = "measures"
#: Views that much is read from, each after those that it reads.
HELD = ("offer_fact", "disclosure_fact", "conversation_fact", "score_fact", "turn_fact")
#: Tables that the facts are made of.
READ: tuple[type[Record], ...] = (
    ExperimentRow, Conversation, MessageRow, OfferRow, FactDisclosure, Score, Judgment, RubricItem, Scenario, Fact,
)  # fmt: skip


@contextmanager
def open_facts(files: Mapping[str, Sequence[Path]], limits: Limits) -> Generator[duckdb.DuckDBPyConnection]:
    """An in-memory database in which tables and facts have the names that they have in the published file.

    The group's own tables stand there empty until they are made.

    Args:
        files: Parquet files by table; more tables than the facts need may be given. One without files is empty.
        limits: What DuckDB may take; of its threads one, for sums that several threads add up differ in their last
            digits from run to run.
    """
    with open_database(replace(limits, threads=1)) as connection:
        own = [record for record in RECORDS if record.table.group == GROUP]
        for record in dict.fromkeys([*READ, *own, *(record_of(name) for name in files)]):
            add_table(connection, record, files.get(record.table.name, ()))
        for statement in read_statements(FACTS):
            if not statement.startswith("COMMENT"):
                connection.execute(statement).fetchall()
        yield connection


def add_table(connection: duckdb.DuckDBPyConnection, record: type[Record], files: Sequence[Path]) -> None:
    """A view over a table's files in the schema of its group; an empty table where there is none."""
    group, name = record.table.group, record.table.name
    rows = (
        connection.read_parquet([str(path) for path in files], union_by_name=True)
        if files
        else arrow_schema(record).empty_table()
    )
    connection.register(f"file_{name}", rows)
    kind = "VIEW" if files else "TABLE"
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {group}").fetchall()
    connection.execute(f"CREATE {kind} {group}.{quote_name(name)} AS FROM {quote_name(f'file_{name}')}").fetchall()


def hold_facts(connection: duckdb.DuckDBPyConnection) -> None:
    """Compute the facts once: tables take the places of the views that much is read from.

    Args:
        connection: A database from `open_facts`; what is added to its tables later is not seen.
    """
    for name in HELD:
        connection.execute(f"CREATE TABLE {GROUP}.held AS FROM {GROUP}.{name}").fetchall()
        connection.execute(f"DROP VIEW {GROUP}.{name}").fetchall()
        connection.execute(f"ALTER TABLE {GROUP}.held RENAME TO {name}").fetchall()
