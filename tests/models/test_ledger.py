"""The ledger in SQLite and in PostgreSQL: calls, claims, migrations, forgetting, sums."""

import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from schemas.models import Call, TaskFailure
from servicebench_data.models import owners
from servicebench_data.models.ledger import Ledger, LedgerError, Spent, Use, forget_calls, from_row, make_engine, to_row
from servicebench_data.models.ledger_report import TaskSum, sum_calls
from servicebench_data.models.ledger_tables import CALL, CLAIM, CURRENT, METADATA, USE, migrate, read_version
from tests.rows import plain_record, plain_row


def make_call(number: int, **given: Any) -> Call:
    defaults = {"status": "answered", "error": None, "item_id": f"scenario {number}", "task": "events", "model": "m"}
    row = plain_row(Call, number, **{**defaults, **given})
    return Call.model_validate(row)


@pytest.fixture
def ledger(ledger_url: str) -> Any:
    opened = Ledger(ledger_url, lease_seconds=5)
    yield opened
    opened.close()


def test_a_call_comes_back_as_it_was_kept(ledger: Ledger) -> None:
    calls = [
        make_call(1),
        make_call(2, cost_usd=None, tokens_in=None, response_text="héllo\n\u2028 🙂", dropped=["seed", "x"]),
        make_call(3, dropped=[], finish_reason=None, request_json='{"a": "\\u0000 \'"}'),
    ]
    ledger.record(calls)
    assert ledger.find({call.key for call in calls}) == {call.key: call for call in calls}
    assert ledger.find({"0" * 63 + "f"}) == {}


@given(st.datetimes(timezones=st.just(UTC)), st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_a_row_is_the_call(moment: datetime, text: str) -> None:
    call = make_call(1, started_at=moment, response_text=text)
    assert from_row(to_row(call)) == call


def test_many_calls_are_found_at_once(ledger: Ledger) -> None:
    calls = [make_call(number) for number in range(1500)]
    ledger.record(calls)
    assert len(ledger.find({call.key for call in calls})) == 1500


def test_a_failed_call_is_no_answer_and_gives_way_to_one(ledger: Ledger) -> None:
    failed = make_call(1, status="failed", response_text=None, error="busy")
    ledger.record([failed])
    assert ledger.find({failed.key}) == {}
    ledger.record([make_call(1, response_text="first")])
    ledger.record([make_call(1, response_text="second"), failed])
    assert ledger.find({failed.key})[failed.key].response_text == "first"


def test_a_key_is_claimed_once_until_it_is_released(ledger: Ledger, ledger_url: str) -> None:
    other = Ledger(ledger_url)
    call = make_call(1)
    assert ledger.claim({call.key: "mine", "other": "mine too"}) == {call.key, "other"}
    assert other.claim({call.key: "theirs"}) == set()
    assert ledger.claim({call.key: "again"}) == set()
    ledger.record([call], ["mine"])
    assert other.claim({call.key: "theirs"}) == {call.key}
    other.close()


def test_closing_a_ledger_releases_its_own_claims_alone(ledger: Ledger, ledger_url: str) -> None:
    other = Ledger(ledger_url)
    assert ledger.claim({"a": "1"})
    assert other.claim({"b": "2"})
    other.close()
    assert ledger.claim({"a": "3", "b": "4"}) == {"b"}


def test_a_claim_runs_out_and_renewing_holds_it(ledger_url: str) -> None:
    first, second = Ledger(ledger_url, lease_seconds=0.3), Ledger(ledger_url)
    assert first.claim({"a": "1", "b": "2"})
    first.lease_seconds = 60
    with first.writes.begin() as connection:
        connection.execute(sa.update(CLAIM).where(CLAIM.c.key == "b").values(owner="elsewhere|1||x"))
    first.renew()
    time.sleep(0.4)
    assert second.claim({"a": "3", "b": "4"}) == {"b"}
    first.close()
    second.close()


def test_the_claim_of_a_dead_process_is_free_at_once(ledger: Ledger, ledger_url: str) -> None:
    program = f"from servicebench_data.models.ledger import Ledger; print(Ledger({ledger_url!r}).claim({{'a': '1'}}))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout == "{'a'}\n"
    assert ledger.claim({"a": "2"}) == {"a"}


def test_only_processes_of_this_machine_are_known_to_be_dead() -> None:
    machine, pid, start, _ = owners.name_owner().split("|")
    assert not owners.is_dead(owners.name_owner())
    assert not owners.is_dead(f"elsewhere|{pid}|0|x")
    assert owners.is_dead(f"{machine}|{pid}|0{start}|x")
    assert not owners.is_dead(f"{machine}|{pid}||x")
    assert owners.is_dead(f"{machine}|4194399||x")


def write_version(url: str, calls: list[Call], version: int = 1) -> None:
    """A ledger as an earlier version left it, with calls in it."""
    engine = make_engine(url)
    with engine.execution_options(writes=True).begin() as connection:
        assert migrate(connection, to=version) == 0
        table = sa.Table("call", sa.MetaData(), autoload_with=connection)
        rows = [{name: value for name, value in to_row(call).items() if name in table.c} for call in calls]
        connection.execute(sa.insert(table), rows)
    engine.dispose()


@pytest.mark.parametrize("version", range(1, CURRENT))
def test_a_ledger_of_an_earlier_version_is_led_forward_without_loss(ledger_url: str, version: int) -> None:
    took: dict[str, Any] = {"tokens_in": 10, "tokens_out": 5, "cost_usd": 0.5, "counted_tokens": 15, "counted_usd": 0.5}
    calls = [make_call(number, run_id="run 1" if version > 1 else "", **took) for number in range(20)]
    write_version(ledger_url, calls, version)
    ledger = Ledger(ledger_url)
    assert ledger.version_before == version
    assert ledger.find({call.key for call in calls}) == {call.key: call for call in calls}
    assert forget_calls(ledger, ["scenario 3"]) == 1
    ledger.close()
    again = Ledger(ledger_url)
    assert again.version_before == CURRENT
    assert sum(row.calls for row in sum_calls(again)) == 19
    again.close()


def test_the_migrations_lead_to_the_tables_that_are_used(ledger: Ledger) -> None:
    found = sa.inspect(ledger.engine)
    for table in METADATA.sorted_tables:
        assert {column["name"] for column in found.get_columns(table.name)} == {column.name for column in table.columns}
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [key.name for key in table.primary_key]


def test_a_ledger_of_a_later_version_is_refused(ledger: Ledger, ledger_url: str) -> None:
    with ledger.writes.begin() as connection:
        connection.exec_driver_sql(f"UPDATE ledger_version SET version = {CURRENT + 1}")
    with pytest.raises(LedgerError, match="update the product"):
        Ledger(ledger_url)
    with ledger.engine.connect() as connection:
        assert read_version(connection) == CURRENT + 1


def test_what_a_person_wants_forgotten_is_gone_with_its_text(ledger: Ledger) -> None:
    ledger.record([make_call(number, response_text=f"secret {number}") for number in range(5)])
    keys = [make_call(number).key for number in range(5)]
    ledger.record([], uses=[Use(keys[4], "events", "scenario 0", is_accepted=True, reasons=())])
    assert forget_calls(ledger, ["scenario 0", "scenario 1", "no such"]) == 3
    assert sorted(ledger.find(keys)) == sorted([keys[2], keys[3]])
    assert forget_calls(ledger, ["scenario 0"]) == 0
    with ledger.engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(USE)).scalar() == 0


def test_forgotten_text_leaves_no_trace_in_the_file(sqlite_url: str) -> None:
    ledger = Ledger(sqlite_url)
    ledger.record([make_call(1, response_text="traceable " * 50), make_call(2)])
    forget_calls(ledger, ["scenario 1"])
    folder = Path(sqlite_url.removeprefix("sqlite:///")).parent
    assert not [path for path in folder.glob("ledger.sqlite*") if b"traceable" in path.read_bytes()]
    ledger.close()


def test_the_report_sums_by_task_and_model(ledger: Ledger) -> None:
    calls = [
        make_call(n, latency_seconds=n / 10, tokens_in=10, tokens_out=2, cost_usd=0.5, attempts=1) for n in range(1, 21)
    ]
    calls.append(make_call(30, task="severity", cost_usd=None, tokens_in=None, tokens_out=None, attempts=3))
    calls.append(
        make_call(31, task="severity", status="failed", attempts=2, tokens_in=None, tokens_out=None, cost_usd=None)
    )
    ledger.record(calls)
    ledger.record([], uses=[Use(calls[0].key, "events", "scenario 1", is_accepted=False, reasons=("no",))])
    for _ in range(2):
        ledger.record(
            [], uses=[Use(call.key, "events", call.item_id, is_accepted=True, reasons=()) for call in calls[1:20]]
        )
    assert sum_calls(ledger) == [
        TaskSum("events", "m", 20, 20, 19, 1, 0, 200, 40, 10.0, 0, 1.0, 1.9),
        TaskSum("severity", "m", 1, 5, 0, 0, 1, 0, 0, None, 1, calls[20].latency_seconds, calls[20].latency_seconds),
    ]


def test_what_a_run_spent_is_summed(ledger: Ledger) -> None:
    ledger.record([
        make_call(1, run_id="a", attempts=2, counted_tokens=15, counted_usd=0.25),
        make_call(2, run_id="a", attempts=1, counted_tokens=90, counted_usd=0.5, tokens_in=None, status="failed"),
        make_call(3, run_id="b", attempts=1),
    ])  # fmt: skip
    assert ledger.sum_spent("a") == Spent(3, 105, 0.75)
    assert ledger.sum_spent("c") == Spent()


@pytest.mark.parametrize("url", ["mysql://me:hidden@host/x", "no url", "postgresql://me:hidden@127.0.0.1:1/x"])
def test_an_address_that_does_not_serve_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(LedgerError) as found:
        Ledger(url)
    assert "hidden" not in str(found.value)


def test_the_files_of_a_killed_writer_are_read(sqlite_url: str) -> None:
    program = f"""
import os, sys
sys.path.insert(0, ".")
from tests.models.test_ledger import make_call
from servicebench_data.models.ledger import Ledger
ledger = Ledger({sqlite_url!r})
ledger.record([make_call(1)])
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)
    assert done.returncode == -9
    ledger = Ledger(sqlite_url)
    assert len(ledger.find({make_call(1).key})) == 1
    ledger.close()


def test_records_are_tables() -> None:
    assert list(Call.model_fields) == [column.name for column in CALL.c]
    assert plain_record(TaskFailure)
    assert datetime.now(UTC) - timedelta(days=1) < datetime.now(UTC)
