"""The published file is whole, readable by everyone, replaced at once, and left alone by a build that fails."""

import hashlib
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import duckdb
import pytest

from schemas.dialogues import Turn
from schemas.release import Build, BuildStep
from schemas.scenarios import Scenario
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import write_file
from servicebench_data.lake.store import Lake, Origin
from servicebench_data.lake.tables import RECORDS, quote_name
from servicebench_data.release.publish import (
    FILE_NAME,
    PublishError,
    list_builds,
    publish_build,
    publish_once,
    read_build,
    read_coverage,
)
from servicebench_data.release.steps import count_steps
from servicebench_data.settings import Settings
from tests.rows import plain_row
from tests.tables import Tables, list_files, make_build, make_tables, store_tables

PUBLISHED = [record for record in RECORDS if record.table.is_published]
VIEWS = ["category_coverage", "fact_evidence", "funnel", "gate_pass_rate", "rejected_candidate", "scenario_card"]
# What may differ between two builds of one input.
VOLATILE = {"build_id", "built_at"}

READER = """
import sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True) as connection:
    for line in sys.stdin:
        print(connection.execute("SELECT build_id FROM release.build").fetchone()[0], flush=True)
"""


def fill(lake: Lake, limits: Limits, tables: Tables | None = None) -> dict[str, list[Path]]:
    """Store all tables and their counts, as the pipeline does before it publishes."""
    files = store_tables(lake, tables or make_tables())
    lake.write(BuildStep, count_steps(files, limits), made_from=Origin(fingerprint="f" * 64))
    return {**files, **list_files(lake, [BuildStep])}


def ask(path: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(query).fetchall()


def digest_tables(path: Path) -> dict[str, tuple[object, ...]]:
    """A content hash of each table that depends on no order, without what may differ between builds."""
    hashes: dict[str, tuple[object, ...]] = {}
    for record in PUBLISHED:
        name = f"{record.table.group}.{quote_name(record.table.name)}"
        rows = ", ".join(quote_name(column) for column in record.model_fields if column not in VOLATILE)
        hashes[name] = ask(path, f"SELECT count(*), bit_xor(hash({rows}))::VARCHAR FROM {name}")[0]
    return hashes


def list_leftovers(home: Path) -> list[str]:
    """Names of unfinished files."""
    return [path.name for path in home.rglob("*") if ".tmp" in path.name or ".wal" in path.name or path.name[0] == "."]


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    """A home with one published build, for tests that only read it."""
    lake = Lake(tmp_path_factory.mktemp("reference"))
    limits = Limits(1.0, 1, lake.scratch)
    publish_build(lake, make_build(1), fill(lake, limits), limits, keep=3)
    return lake


@pytest.fixture
def published(lake: Lake, limits: Limits) -> Path:
    return publish_build(lake, make_build(1), fill(lake, limits), limits, keep=3)


@pytest.fixture
def analyst(published: Path, offline_environment: dict[str, str]) -> Generator[subprocess.Popen[str]]:
    """Another process that has the published file open; answers each line with the build that it sees."""
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(published)],
        env=offline_environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        process.kill()


def see_build(analyst: subprocess.Popen[str]) -> str:
    assert analyst.stdin
    assert analyst.stdout
    analyst.stdin.write("\n")
    analyst.stdin.flush()
    return analyst.stdout.readline().strip()


def test_every_published_table_holds_its_rows_and_no_other_table_is_there(reference: Lake) -> None:
    found = {
        str(name): count
        for name, count in ask(reference.home / FILE_NAME, "SELECT table_name, estimated_size FROM duckdb_tables()")
    }
    assert set(found) == {record.table.name for record in PUBLISHED}
    for record in PUBLISHED:
        if record is Build:
            assert found["build"] == 1
        elif record.table.is_partitioned:
            stored = [reference.get(record, partition).pointer.row_count for partition in reference.partitions(record)]
            assert found[record.table.name] == sum(stored) > 0
        else:
            assert found[record.table.name] == reference.get(record).pointer.row_count


def test_tables_columns_and_views_carry_comments(reference: Lake) -> None:
    assert ask(reference.home / FILE_NAME, "SELECT table_name FROM duckdb_tables() WHERE comment IS NULL") == []
    columns = "duckdb_columns() JOIN duckdb_tables() AS t USING (schema_name, table_name)"
    assert (
        ask(reference.home / FILE_NAME, f"SELECT column_name FROM {columns} WHERE duckdb_columns.comment IS NULL") == []
    )
    views = ask(
        reference.home / FILE_NAME,
        "SELECT schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
    )
    assert [name for schema, name, _ in views if schema == "release"] == VIEWS
    assert {schema for schema, *_ in views} == {"measures", "release"}
    assert all(str(comment).startswith("One row per ") for *_, comment in views)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_answers(reference: Lake, view: str) -> None:
    assert ask(reference.home / FILE_NAME, f"FROM release.{view}")


def test_views_say_what_happened(reference: Lake) -> None:
    card = "SELECT scenario_id, stage, severity FROM release.scenario_card"
    assert ask(reference.home / FILE_NAME, card) == [
        ("s-airline-released", "Before", "low"),
        ("s-hotel-released", "Before", "low"),
    ]
    coverage = ask(reference.home / FILE_NAME, "SELECT category_id, dialogues, candidates, valid_candidates, scenarios "
                   "FROM release.category_coverage WHERE industry = 'airline'")  # fmt: skip
    assert coverage == [("delay", 5, 4, 3, 1), ("refund", 0, 0, 0, 0)]
    rejected = ask(
        reference.home / FILE_NAME,
        "SELECT scenario_id, rejection_reason, len(failures) FROM release.rejected_candidate",
    )
    assert rejected == [("s-airline-invalid", "ungrounded", 1), ("s-hotel-invalid", "ungrounded", 1)]
    shares = ask(
        reference.home / FILE_NAME,
        "SELECT step, industry, sum(share) FROM release.funnel GROUP BY ALL HAVING abs(sum(share) - 1) > 1e-9",
    )
    assert shares == []
    evidence = ask(reference.home / FILE_NAME, "SELECT count(*), count(turn_text) FROM release.fact_evidence")
    assert evidence == [(8, 8)]


def test_coverage_counts_scenarios_in_the_journeys_order(reference: Lake) -> None:
    assert [
        (stage, [count for _, count in cells]) for stage, cells in read_coverage(reference.home / FILE_NAME).items()
    ] == [
        ("airline: Before", [1, 0]),
        ("hotel: Before", [1, 0]),
    ]


def test_the_file_is_in_a_version_that_older_clients_read(reference: Lake) -> None:
    """DuckDB 1.4 writes storage version 67; the header holds it as a little-endian number after the magic bytes."""
    head = (reference.home / FILE_NAME).read_bytes()[:20]
    assert head[8:12] == b"DUCK"
    assert int.from_bytes(head[12:20], "little") <= 67


def test_an_analyst_keeps_an_open_build_and_sees_the_new_one_on_reopening(
    lake: Lake, limits: Limits, published: Path, analyst: subprocess.Popen[str]
) -> None:
    assert see_build(analyst) == make_build(1).build_id
    publish_build(lake, make_build(2), fill(lake, limits), limits, keep=1)
    assert see_build(analyst) == make_build(1).build_id
    assert ask(published, "SELECT build_id FROM release.build") == [(make_build(2).build_id,)]
    assert read_build(lake.home) == make_build(2)


def test_a_broken_row_leaves_the_published_file_as_it_was(lake: Lake, limits: Limits, published: Path) -> None:
    before = hashlib.sha256(published.read_bytes()).hexdigest()
    files = fill(lake, limits)
    flawed = lake.home / "flawed.parquet"
    table = from_records(Scenario, [])
    rows = [plain_row(Scenario, number, scenario_id="twice") for number in range(2)]
    write_file(flawed, type(table).from_pylist(rows, schema=table.schema))
    with pytest.raises(PublishError, match=r"a row breaks its table's constraints.*The published file is as it was"):
        publish_build(lake, make_build(2), {**files, "scenario": [flawed]}, limits, keep=1)
    assert hashlib.sha256(published.read_bytes()).hexdigest() == before
    assert [path.stem for path in list_builds(lake.home)] == [make_build(1).build_id]
    assert list_leftovers(lake.home) == []


def test_a_refused_row_is_not_quoted(lake: Lake, limits: Limits) -> None:
    files = fill(lake, limits)
    flawed = lake.home / "flawed.parquet"
    schema = from_records(Turn, []).schema
    row = plain_row(Turn, role="someone", text="words that stay in the lake")
    write_file(flawed, from_records(Turn, []).from_pylist([row], schema=schema))
    with pytest.raises(PublishError) as caught:
        publish_build(lake, make_build(2), {**files, "turn": [flawed]}, limits, keep=1)
    assert "words that stay" not in str(caught.value)


def test_a_build_that_was_killed_leaves_nothing_for_long(lake: Lake, limits: Limits) -> None:
    (lake.home / "builds").mkdir(parents=True)
    for name in ("builds/.ab.tmp", "builds/.ab.tmp.wal", f".{FILE_NAME}.ab"):
        (lake.home / name).write_bytes(b"half")
    publish_build(lake, make_build(2), fill(lake, limits), limits, keep=3)
    assert list_leftovers(lake.home) == []


def test_the_newest_builds_are_kept_in_the_order_of_their_names(lake: Lake, limits: Limits) -> None:
    files = fill(lake, limits)
    for number in (1, 2, 3):
        publish_build(lake, make_build(number), files, limits, keep=2)
    assert [path.stem for path in list_builds(lake.home)] == [make_build(3).build_id, make_build(2).build_id]
    assert ask(lake.home / FILE_NAME, "SELECT build_id FROM release.build") == [(make_build(3).build_id,)]


def test_a_disk_without_hard_links_gets_a_copy(lake: Lake, limits: Limits, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError("no hard links here")

    monkeypatch.setattr("os.link", refuse)
    path = publish_build(lake, make_build(1), fill(lake, limits), limits, keep=3)
    assert path.stat().st_nlink == 1
    assert path.read_bytes() == list_builds(lake.home)[0].read_bytes()


def test_an_unchanged_build_is_not_published_again(lake: Lake, limits: Limits) -> None:
    settings = Settings.load({}, home=lake.home)
    files = fill(lake, limits)
    first = publish_once(lake, settings, files, limits)
    again = publish_once(lake, settings, files, limits)
    assert (first.is_new, again.is_new) == (True, False)
    assert again[:3] == first[:3]
    changed = publish_once(lake, settings.model_copy(update={"seed": 1}), files, limits)
    assert changed.is_new
    assert len(list_builds(lake.home)) == 2


def test_a_published_file_that_cannot_be_read_is_replaced(lake: Lake, limits: Limits) -> None:
    lake.home.mkdir(parents=True)
    (lake.home / FILE_NAME).write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    assert read_build(lake.home) is None
    assert publish_once(lake, Settings.load({}, home=lake.home), fill(lake, limits), limits).is_new
    assert read_build(lake.home)


def test_two_builds_of_one_input_are_equal_whatever_the_threads(tmp_path: Path) -> None:
    hashes: list[dict[str, tuple[object, ...]]] = []
    for threads in (1, 4):
        lake = Lake(tmp_path / str(len(hashes)))
        limits = Limits(1.0, threads, tmp_path / "scratch")
        path = publish_build(lake, make_build(), fill(lake, limits), limits, keep=1)
        hashes.append(digest_tables(path))
    assert hashes[0] == hashes[1]
    assert all(row[0] for row in hashes[0].values())


def test_tables_are_sorted_by_their_keys(reference: Lake) -> None:
    for record in PUBLISHED:
        keys = ", ".join(quote_name(name) for name in record.table.key)
        name = f"{record.table.group}.{quote_name(record.table.name)}"
        stored = ask(reference.home / FILE_NAME, f"SELECT {keys} FROM {name} ORDER BY rowid")
        assert stored == sorted(stored)
