"""Tables of the ledger's database, and the migrations that lead to them.

Belongs here: the schema, version by version. Not here: what is read from it or written to it (`ledger.py`).

Migrations are only ever added: a ledger of any version is led forward, statement by statement, and nothing that was
paid for is lost. The statements are plain SQL that SQLite and PostgreSQL both take.
"""

from typing import Any

import sqlalchemy as sa

from schemas.models import Call

METADATA = sa.MetaData()
KINDS: dict[str, Any] = {
    "try_number": sa.BigInteger,
    "tokens_in": sa.BigInteger,
    "tokens_out": sa.BigInteger,
    "attempts": sa.BigInteger,
    "cost_usd": sa.Double,
    "counted_tokens": sa.BigInteger,
    "counted_usd": sa.Double,
    "latency_seconds": sa.Double,
}

# Columns are those of the record, by name; times are ISO 8601 in UTC, lists are JSON.
CALL = sa.Table(
    "call",
    METADATA,
    *(sa.Column(name, KINDS.get(name, sa.Text), primary_key=name == "key") for name in Call.model_fields),
)
CLAIM = sa.Table(
    "claim",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("token", sa.Text),
    sa.Column("owner", sa.Text),
    sa.Column("expires_at", sa.Double),
)
USE = sa.Table(
    "answer_use",
    METADATA,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("item_id", sa.Text, primary_key=True),
    sa.Column("uses", sa.BigInteger),
    sa.Column("is_accepted", sa.Boolean),
    sa.Column("reasons_json", sa.Text),
    sa.Column("last_used_at", sa.Text),
)
VERSION = sa.Table("ledger_version", METADATA, sa.Column("version", sa.BigInteger))

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (  # 1: the calls, and who is making one now
        "CREATE TABLE ledger_version (version BIGINT NOT NULL)",
        "INSERT INTO ledger_version (version) VALUES (0)",
        """CREATE TABLE call (
            key TEXT NOT NULL PRIMARY KEY, task TEXT NOT NULL, item_id TEXT NOT NULL, try_number BIGINT NOT NULL,
            model TEXT NOT NULL, endpoint TEXT NOT NULL, answered_by TEXT, fingerprint TEXT,
            request_json TEXT NOT NULL, dropped TEXT NOT NULL, response_text TEXT, finish_reason TEXT, error TEXT,
            tokens_in BIGINT, tokens_out BIGINT, cost_usd DOUBLE PRECISION, latency_seconds DOUBLE PRECISION NOT NULL,
            attempts BIGINT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT NOT NULL, status TEXT NOT NULL
        )""",
        """CREATE TABLE claim (
            key TEXT NOT NULL PRIMARY KEY, token TEXT NOT NULL, owner TEXT NOT NULL,
            expires_at DOUBLE PRECISION NOT NULL
        )""",
    ),
    (  # 2: the run that paid for a call, for caps that hold over several steps of one build
        "ALTER TABLE call ADD COLUMN run_id TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX call_run ON call (run_id)",
    ),
    (  # 3: which items use an answer, how often, and whether their checks accepted it
        """CREATE TABLE answer_use (
            key TEXT NOT NULL, task TEXT NOT NULL, item_id TEXT NOT NULL, uses BIGINT NOT NULL, is_accepted BOOLEAN,
            reasons_json TEXT NOT NULL, last_used_at TEXT NOT NULL, PRIMARY KEY (key, task, item_id)
        )""",
        "CREATE INDEX answer_use_item ON answer_use (item_id)",
        """INSERT INTO answer_use (key, task, item_id, uses, is_accepted, reasons_json, last_used_at)
           SELECT key, task, item_id, 1, NULL, '[]', ended_at FROM call""",
    ),
    (  # 4: what caps count a call as, also where the endpoint does not say what it took
        "ALTER TABLE call ADD COLUMN counted_tokens BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE call ADD COLUMN counted_usd DOUBLE PRECISION NOT NULL DEFAULT 0",
        """UPDATE call SET counted_tokens = COALESCE(tokens_in, 0) + COALESCE(tokens_out, 0),
           counted_usd = COALESCE(cost_usd, 0)""",
    ),
)
CURRENT = len(MIGRATIONS)

# Any number, the same for all processes that migrate one PostgreSQL ledger.
MIGRATION_LOCK = 7263001


class LedgerError(RuntimeError):
    """The ledger cannot be used; the message says why, without its password, and what to do."""


def read_version(connection: sa.Connection) -> int:
    """Version of a ledger; 0 for an empty database."""
    if not sa.inspect(connection).has_table(VERSION.name):
        return 0
    return int(connection.execute(sa.select(VERSION.c.version)).scalar_one())


def migrate(connection: sa.Connection, to: int = CURRENT) -> int:
    """Lead the ledger forward inside the caller's transaction; returns the version that it had.

    Raises:
        LedgerError: It is newer than this product knows.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
    before = read_version(connection)
    if before > CURRENT:
        raise LedgerError(f"the ledger has version {before}, this product knows {CURRENT}; update the product.")
    for number in range(before + 1, to + 1):
        for statement in MIGRATIONS[number - 1]:
            connection.exec_driver_sql(statement)
        connection.execute(sa.update(VERSION).values(version=number))
    return before
