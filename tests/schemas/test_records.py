"""Every record becomes an Arrow schema, a DuckDB table and a dictionary entry that hold exactly what it allows."""

from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.records import Record
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.columns import read_columns
from servicebench_data.lake.dictionary import json_schema
from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.lake.tables import RECORDS, arrow_schema, quote_name, record_of, write_ddl
from tests.rows import list_breaks, plain_row
from tests.schemas.strategies import records

EACH_RECORD = pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.__name__)


@pytest.fixture(scope="module")
def database() -> Generator[duckdb.DuckDBPyConnection]:
    """A database with an empty table of each record."""
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for group in dict.fromkeys(record.table.group for record in RECORDS):
            connection.execute(f"CREATE SCHEMA {group}")
        for record in RECORDS:
            for statement in write_ddl(record):
                connection.execute(statement)
        yield connection


def empty(database: duckdb.DuckDBPyConnection, record: type[Record]) -> None:
    database.execute(f"DELETE FROM {name_table(record)}")


def name_table(record: type[Record]) -> str:
    return f"{record.table.group}.{quote_name(record.table.name)}"


def insert(connection: duckdb.DuckDBPyConnection, record: type[Record], row: dict[str, Any]) -> None:
    connection.execute(f"INSERT INTO {name_table(record)} VALUES ({', '.join('?' * len(row))})", list(row.values()))


def by_key(record: type[Record], rows: Iterable[Record]) -> list[Record]:
    return sorted(rows, key=lambda row: [str(getattr(row, name)) for name in record.table.key])


@EACH_RECORD
@settings(max_examples=3)
@given(data=st.data())
def test_records_survive_arrow_parquet_and_duckdb(
    record: type[Record], data: st.DataObject, tmp_path: Path, database: duckdb.DuckDBPyConnection
) -> None:
    rows = data.draw(records(record))
    path = tmp_path / "table.parquet"
    write_file(path, from_records(record, rows))
    assert to_records(record, read_file(path, arrow_schema(record))) == rows
    empty(database, record)
    database.read_parquet(str(path)).insert_into(name_table(record))
    stored: pa.Table = database.sql(f"FROM {name_table(record)}").to_arrow_table()
    assert stored.column_names == list(record.model_fields)
    assert by_key(record, to_records(record, stored.cast(arrow_schema(record)))) == by_key(record, rows)


@EACH_RECORD
def test_a_plain_row_is_valid_everywhere(record: type[Record], database: duckdb.DuckDBPyConnection) -> None:
    row = plain_row(record)
    checked = record.model_validate(row)
    empty(database, record)
    insert(database, record, row)
    stored: pa.Table = database.sql(f"FROM {name_table(record)}").to_arrow_table()
    assert to_records(record, stored.cast(arrow_schema(record))) == [checked]


@EACH_RECORD
def test_record_and_table_refuse_the_same_values(record: type[Record], database: duckdb.DuckDBPyConnection) -> None:
    empty(database, record)
    for column in read_columns(record):
        for flaw in list_breaks(column):
            row = {**plain_row(record), flaw.column: flaw.value}
            with pytest.raises(ValidationError):
                record.model_validate(row)
            with pytest.raises(duckdb.ConstraintException):
                insert(database, record, row)


@EACH_RECORD
def test_table_refuses_a_second_row_of_one_key(record: type[Record], database: duckdb.DuckDBPyConnection) -> None:
    empty(database, record)
    insert(database, record, plain_row(record))
    with pytest.raises(duckdb.ConstraintException, match=r"(?i)duplicate key"):
        insert(database, record, plain_row(record))


@EACH_RECORD
def test_table_and_columns_carry_comments(record: type[Record], database: duckdb.DuckDBPyConnection) -> None:
    empty(database, record)
    row = database.execute(f"SELECT comment FROM duckdb_tables() WHERE table_name = '{record.table.name}'").fetchone()
    comments = database.execute(
        "SELECT column_name, comment FROM duckdb_columns() "
        f"WHERE NOT internal AND table_name = '{record.table.name}' ORDER BY column_index"
    ).fetchall()
    assert row
    assert row[0].startswith("One row per ")
    assert comments == [(name, field.description) for name, field in record.model_fields.items()]


@EACH_RECORD
def test_arrow_schema_has_the_records_columns_in_order(record: type[Record]) -> None:
    schema = arrow_schema(record)
    assert schema.names == list(record.model_fields)
    for name, field in record.model_fields.items():
        assert schema.field(name).metadata == {b"description": (field.description or "").encode()}


@EACH_RECORD
def test_json_schema_requires_every_column_and_no_other(record: type[Record]) -> None:
    schema = json_schema(record)
    assert schema["required"] == list(record.model_fields)
    assert schema["additionalProperties"] is False


@EACH_RECORD
def test_table_is_described_whole(record: type[Record]) -> None:
    table = record.table
    assert (record.__doc__ or "").startswith("One row per ")
    assert set(table.key) <= set(record.model_fields)
    assert not any(record.model_fields[name].annotation is None for name in table.key)
    if table.is_partitioned and table.per == "industry":
        assert "industry" in record.model_fields
    assert not (table.is_raw and table.is_published)


@EACH_RECORD
def test_references_point_to_the_key_of_an_earlier_or_later_table(record: type[Record]) -> None:
    for reference in record.table.references:
        assert set(reference.columns) <= set(record.model_fields)
        assert reference.to == record_of(reference.table).table.key


def test_table_names_are_singular_and_unique() -> None:
    names = [record.table.name for record in RECORDS]
    assert len(set(names)) == len(names)
    assert not [name for name in names if name.endswith("s") and not name.endswith("status")]


def test_an_unknown_table_is_named() -> None:
    with pytest.raises(KeyError, match="no table 'dialog'"):
        record_of("dialog")


def test_a_key_is_never_missing() -> None:
    for record in RECORDS:
        columns = {column.name: column for column in read_columns(record)}
        assert not [name for name in record.table.key if columns[name].is_nullable or columns[name].is_list]
