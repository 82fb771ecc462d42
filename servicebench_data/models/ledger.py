"""The ledger: every model call, kept for good in SQLite or PostgreSQL, and who is making one now.

Belongs here: reading and writing calls, claims and uses, many at a time. Not here: when to (`keeper.py`), sums for
people (`ledger_report.py`).

A call is claimed before it is made: the claim names the process and runs out when that ends or stops renewing it, so
that two processes never pay for one call and none waits for a dead one.
"""

import contextlib
import json
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from schemas.models import Call
from servicebench_data.models.ledger_tables import CALL, CLAIM, CURRENT, USE, LedgerError, migrate
from servicebench_data.models.owners import is_dead, name_owner

LOCK_WAIT_SECONDS = 60
CHUNK = 400  # fewer bound values than either database allows
LISTS = ("dropped",)
TIMES = ("started_at", "ended_at")


class Use(NamedTuple):
    """An item that used an answer; `is_accepted` says whether its checks passed."""

    key: str
    task: str
    item_id: str
    is_accepted: bool
    reasons: tuple[str, ...]


class Spent(NamedTuple):
    """What a run has spent so far; calls of unknown price count 0 USD here, so caps in USD refuse such models."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


class Ledger:
    """The ledger's database.

    Args:
        url: SQLAlchemy URL; SQLite or PostgreSQL.
        lease_seconds: How long a claim holds that is not renewed.

    Raises:
        LedgerError: It cannot be opened.
    """

    def __init__(self, url: str, *, lease_seconds: float = 60.0) -> None:
        self.lease_seconds = lease_seconds
        self.owner = name_owner()
        self.engine = make_engine(url)
        self.writes = self.engine.execution_options(writes=True)
        try:
            with self.writes.begin() as connection:
                self.version_before = migrate(connection)
            with self.engine.connect() as connection:
                self.clock_offset = measure_offset(connection)
        except LedgerError:
            self.engine.dispose()
            raise
        except SQLAlchemyError as error:
            self.engine.dispose()
            raise LedgerError(f"the ledger at {hide(url)} cannot be opened: {say(error)}; check the address.") from None

    def close(self) -> None:
        """Let go of our claims and of the database; where it is gone, they run out by themselves."""
        with contextlib.suppress(SQLAlchemyError), self.writes.begin() as connection:
            connection.execute(sa.delete(CLAIM).where(CLAIM.c.owner == self.owner))
        self.engine.dispose()

    def find(self, keys: Collection[str]) -> dict[str, Call]:
        """Answered calls by key."""
        with self.engine.connect() as connection:
            return self.find_on(connection, keys)

    def find_on(self, connection: sa.Connection, keys: Collection[str]) -> dict[str, Call]:
        """`find` in a transaction that is open."""
        found: dict[str, Call] = {}
        for chunk in split(list(keys)):
            query = sa.select(CALL).where(CALL.c.key.in_(chunk), CALL.c.status == "answered")
            found.update((row["key"], from_row(row)) for row in connection.execute(query).mappings())
        return found

    def claim(self, tokens: Mapping[str, str]) -> set[str]:
        """Claim keys, each with a token of its own; returns those that were free."""
        if not tokens:
            return set()
        with self.writes.begin() as connection:
            self.drop_dead(connection, list(tokens))
            now = time.time() + self.clock_offset
            rows = [
                {"key": key, "token": token, "owner": self.owner, "expires_at": now + self.lease_seconds}
                for key, token in sorted(tokens.items())
            ]
            insert = insert_into(connection, CLAIM)
            update = {name: insert.excluded[name] for name in ("token", "owner", "expires_at")}
            statement = insert.on_conflict_do_update(
                index_elements=["key"], set_=update, where=CLAIM.c.expires_at < now
            )
            connection.execute(statement, rows)
            return {key for key, token in self.read_tokens(connection, list(tokens)) if tokens[key] == token}

    def read_tokens(self, connection: sa.Connection, keys: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Key and token of the claims on some keys."""
        for chunk in split(keys):
            for row in connection.execute(sa.select(CLAIM.c.key, CLAIM.c.token).where(CLAIM.c.key.in_(chunk))):
                yield row.key, row.token

    def drop_dead(self, connection: sa.Connection, keys: Sequence[str]) -> None:
        """Remove claims on some keys whose process has ended on this machine."""
        for chunk in split(keys):
            query = sa.select(CLAIM.c.token, CLAIM.c.owner).where(CLAIM.c.key.in_(chunk), CLAIM.c.owner != self.owner)
            dead = [row.token for row in connection.execute(query) if is_dead(row.owner)]
            if dead:
                connection.execute(sa.delete(CLAIM).where(CLAIM.c.token.in_(dead)))

    def record(self, calls: Sequence[Call], released: Sequence[str] = (), uses: Sequence[Use] = ()) -> None:
        """Keep calls, release the claims with the given tokens, and note uses: all of it, or nothing."""
        if not calls and not released and not uses:
            return
        with self.writes.begin() as connection:
            self.write_calls(connection, calls)
            for chunk in split(released):
                connection.execute(sa.delete(CLAIM).where(CLAIM.c.token.in_(chunk)))
            self.write_uses(connection, uses)

    def write_calls(self, connection: sa.Connection, calls: Sequence[Call]) -> None:
        """Insert calls; one that failed gives way, one that is answered stays as it is."""
        if not calls:
            return
        insert = insert_into(connection, CALL)
        update = {column.name: insert.excluded[column.name] for column in CALL.c if column.name != "key"}
        statement = insert.on_conflict_do_update(index_elements=["key"], set_=update, where=CALL.c.status == "failed")
        connection.execute(statement, [to_row(call) for call in sorted(calls, key=by_key)])

    def write_uses(self, connection: sa.Connection, uses: Sequence[Use]) -> None:
        """Count uses; the latest word of the checks holds."""
        if not uses:
            return
        now = datetime.now(UTC).isoformat()
        rows = [
            {
                "key": use.key, "task": use.task, "item_id": use.item_id, "uses": 1, "is_accepted": use.is_accepted,
                "reasons_json": json.dumps(use.reasons, ensure_ascii=False), "last_used_at": now,
            }
            for use in sorted(uses)
        ]  # fmt: skip
        insert = insert_into(connection, USE)
        update: dict[str, Any] = {
            name: insert.excluded[name] for name in ("is_accepted", "reasons_json", "last_used_at")
        }
        update["uses"] = USE.c.uses + 1
        connection.execute(insert.on_conflict_do_update(index_elements=["key", "task", "item_id"], set_=update), rows)

    def renew(self) -> None:
        """Make this process's claims hold for another lease."""
        expires = time.time() + self.clock_offset + self.lease_seconds
        with self.writes.begin() as connection:
            connection.execute(sa.update(CLAIM).where(CLAIM.c.owner == self.owner).values(expires_at=expires))

    def sum_spent(self, run_id: str) -> Spent:
        """What a run has spent, by the calls that it paid for; requests that failed count as calls."""
        query = sa.select(
            sa.func.coalesce(sa.func.sum(CALL.c.attempts), 0),
            sa.func.coalesce(sa.func.sum(CALL.c.counted_tokens), 0),
            sa.func.coalesce(sa.func.sum(CALL.c.counted_usd), 0.0),
        ).where(CALL.c.run_id == run_id)
        with self.engine.connect() as connection:
            calls, used, usd = connection.execute(query).one()
        return Spent(int(calls), int(used), float(usd))

    def read_mean_tokens_out(self, task: str, model: str) -> float | None:
        """Mean tokens of a task's answers by a model; None where there is none yet."""
        query = sa.select(sa.func.avg(CALL.c.tokens_out)).where(
            CALL.c.task == task, CALL.c.model == model, CALL.c.status == "answered"
        )
        with self.engine.connect() as connection:
            found = connection.execute(query).scalar()
        return None if found is None else float(found)


def forget_calls(ledger: Ledger, item_ids: Iterable[str]) -> int:
    """Delete every call that one of the items made or used, with its text; returns how many.

    An answer that another item shares goes too, for its question was the same text. SQLite overwrites what is deleted
    and empties its journal.
    """
    wanted = sorted(set(item_ids))
    count = 0
    with ledger.writes.begin() as connection:
        for chunk in split(wanted):
            used = sa.select(USE.c.key).where(USE.c.item_id.in_(chunk))
            keys = [
                row.key
                for row in connection.execute(
                    sa.select(CALL.c.key).where(sa.or_(CALL.c.item_id.in_(chunk), CALL.c.key.in_(used)))
                )
            ]
            for part in split(keys):
                for table in (USE, CALL):
                    connection.execute(sa.delete(table).where(table.c.key.in_(part)))
            connection.execute(sa.delete(USE).where(USE.c.item_id.in_(chunk)))
            count += len(keys)
    if count and ledger.engine.dialect.name == "sqlite":
        with ledger.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def make_engine(url: str) -> sa.Engine:
    """Engine of a ledger's URL.

    Raises:
        LedgerError: It is no URL of SQLite or PostgreSQL.
    """
    try:
        parsed = sa.make_url(url)
    except ArgumentError:
        raise LedgerError("the ledger's address is no URL; write sqlite:///FILE or postgresql://HOST/NAME.") from None
    if parsed.drivername in {"postgresql", "postgres"}:
        parsed = parsed.set(drivername="postgresql+psycopg")
    dialect = parsed.get_backend_name()
    if dialect not in {"sqlite", "postgresql"}:
        raise LedgerError(f"the ledger cannot lie in {dialect!r}; write sqlite:///FILE or postgresql://HOST/NAME.")
    if dialect == "postgresql":
        return sa.create_engine(parsed, pool_pre_ping=True, hide_parameters=True)
    if parsed.database and parsed.database != ":memory:":
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(parsed, connect_args={"timeout": LOCK_WAIT_SECONDS}, hide_parameters=True)
    event.listen(engine, "connect", prepare_sqlite)
    event.listen(engine, "begin", begin_sqlite)
    return engine


def prepare_sqlite(connection: Any, _: Any) -> None:
    """Write-ahead journal, commits that survive a power cut, deleted text overwritten; transactions are begun by us."""
    connection.isolation_level = None
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")


def begin_sqlite(connection: sa.Connection) -> None:
    """Take the write lock at the start of what writes: taken later it could not be waited for."""
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def measure_offset(connection: sa.Connection) -> float:
    """How far the database's clock is ahead of ours, seconds; SQLite's is ours."""
    if connection.dialect.name == "sqlite":
        return 0.0
    return float(connection.exec_driver_sql("SELECT extract(epoch FROM clock_timestamp())").scalar_one()) - time.time()


def insert_into(connection: sa.Connection, table: sa.Table) -> Any:
    """An insert that can say what happens on a conflict, of the connection's dialect."""
    return postgresql.insert(table) if connection.dialect.name == "postgresql" else sqlite.insert(table)


def to_row(call: Call) -> dict[str, Any]:
    """A call as the database holds it."""
    row = call.model_dump()
    row.update((name, json.dumps(row[name])) for name in LISTS)
    row.update((name, row[name].isoformat()) for name in TIMES)
    return row


def from_row(row: Mapping[Any, Any]) -> Call:
    """A call from the database's row."""
    values = {str(name): value for name, value in row.items()}
    return Call.model_validate({**values, **{name: json.loads(values[name]) for name in LISTS}})


def by_key(call: Call) -> str:
    """Order in which rows are written, the same in every process, so that none waits for another in a circle."""
    return call.key


def split(values: Sequence[str]) -> Iterator[Sequence[str]]:
    """Portions that fit into one statement."""
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]


def hide(url: str) -> str:
    """A URL without its password."""
    return repr(sa.make_url(url).set(password=None, query={}).render_as_string(hide_password=True))


def say(error: Exception) -> str:
    """First line of an error, without the statement and its values."""
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


__all__ = ["CURRENT", "Ledger", "LedgerError", "Spent", "Use", "forget_calls"]
