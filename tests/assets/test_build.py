"""One run of the whole graph on the bundled sample: what it publishes, and what a second run or a broken table does."""

import csv
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import duckdb
import pyarrow as pa
import pytest
from rich.console import Console

from assets.console import print_summary
from assets.instance import open_instance
from assets.runner import run_build
from schemas.dialogues import Dialogue, Screening
from schemas.records import Record
from schemas.scenarios import Fact
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.lake.sample import ROOT
from servicebench_data.lake.store import Lake, Origin, digest_file
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.scenarios.case_record import shows_choice
from servicebench_data.settings import Settings

COUNTED = "SELECT build_id, (SELECT count(*) FROM scenarios.scenario) FROM release.build"
#: An analyst who asks the file over and over until their input ends, over one connection or a new one each time.
READER = """
import json, select, sys, time
import duckdb

path, query, is_held = sys.argv[1:]
connection, seen, is_over = duckdb.connect(path, read_only=True), set(), False
print("reading", flush=True)
while not is_over:
    is_over = bool(select.select([sys.stdin], [], [], 0.02)[0])
    if not is_held:
        connection.close()
        connection = duckdb.connect(path, read_only=True)
    seen.update(connection.execute(query).fetchall())
print(json.dumps(sorted(seen)))
"""

Rebuild = Callable[[Path], tuple[bool, str]]


def fetch(home: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(home / FILE_NAME), read_only=True) as connection:
        return connection.execute(query).fetchall()


def plant(home: Path, record: type[Record], change: Callable[[pa.Table], pa.Table], industry: str = "hotel") -> None:
    """Replace a stored table by a changed one that claims to be made from the same."""
    lake = Lake(home)
    pointer = lake.get(record, industry).pointer
    origin = Origin(fingerprint=pointer.fingerprint, inputs=pointer.inputs, counts=pointer.counts)
    lake.write(record, change(lake.read(record, industry)), industry, made_from=origin)


def test_scenarios_of_all_industries_are_published_and_say_that_no_model_made_them(built: Path) -> None:
    industries = fetch(built, "SELECT industry, count(*) FROM scenarios.scenario GROUP BY ALL ORDER BY ALL")
    assert [row[0] for row in industries] == list_industries()
    assert fetch(built, "SELECT DISTINCT made_by, is_sample FROM scenarios.scenario") == [("offline", True)]
    for part in ("event", "severity", "fact", "background", "expectation", "case_field", "case_policy"):
        assert fetch(built, f"SELECT DISTINCT made_by FROM scenarios.{part}") == [("offline",)]


def test_a_category_has_a_scenario_when_it_has_a_valid_candidate(built: Path) -> None:
    rows = fetch(built, "SELECT category FROM release.category_coverage WHERE valid_candidates > 0 AND scenarios = 0")
    assert rows == []


def test_every_quote_stands_in_the_turn_that_it_points_to(built: Path) -> None:
    rows = fetch(
        built,
        "SELECT fact_id FROM release.fact_evidence WHERE NOT is_inferred AND NOT contains(turn_text, quote)",
    )
    assert rows == []
    assert fetch(built, "SELECT count(*) FROM release.fact_evidence WHERE turn_text IS NULL AND NOT is_inferred") == [
        (0,)
    ]


def test_no_customer_only_fact_stands_in_the_case_record(built: Path) -> None:
    rows = fetch(
        built,
        "SELECT f.value, c.shown FROM scenarios.case_field AS c JOIN scenarios.fact AS f "
        "USING (scenario_id, fact_id) WHERE f.is_customer_only",
    )
    assert rows == []


def test_no_choice_of_the_case_record_is_said_by_the_customer_alone(built: Path) -> None:
    forms = {name: {field.id: field for field in load_industry(name).case_record.fields} for name in list_industries()}
    rows = fetch(
        built,
        """
        WITH secret AS (
            SELECT scenario_id, quote FROM scenarios.fact WHERE quote IS NOT NULL
            GROUP BY ALL HAVING bool_and(is_customer_only)
        ),
        hidden AS (SELECT scenario_id, list(quote ORDER BY length(quote) DESC) AS quotes FROM secret GROUP BY ALL),
        told AS (SELECT dialogue_id, string_agg(text, ' ' ORDER BY turn_index) AS said FROM dialogues.turn GROUP BY ALL)
        SELECT c.industry, field_id, truth, said, coalesce(quotes, [])
        FROM scenarios.case_field AS c JOIN scenarios.candidate USING (scenario_id) JOIN told USING (dialogue_id)
        LEFT JOIN hidden USING (scenario_id) WHERE c.type = 'choice'
        """,
    )
    assert rows
    for industry, field_id, truth, said, quotes in rows:
        assert isinstance(quotes, list)
        rest = str(said)
        for quote in quotes:
            rest = rest.replace(quote, " ")
        assert shows_choice(forms[str(industry)][str(field_id)], str(truth), rest), (industry, field_id, truth, quotes)


EXAMPLE = "(SELECT scenario_id FROM scenarios.fact WHERE contains(quote, 'we cannot make the Asheville trip'))"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("severity", "'severity ' || level"),
        ("event", "string_agg(event_index + 1 || '. ' || text, ' ' ORDER BY event_index)"),
        ("background", "string_agg(text, ' ' ORDER BY sentence_index)"),
        ("expectation", "concat_ws(' ', explanation, action, apology)"),
        ("expectation", "'Goodwill of up to USD ' || compensation_max_usd::INTEGER"),
        ("expectation", "'An insult: ' || insult"),
        ("case_field", "string_agg(title || ': ' || coalesce(shown, '(missing)'), '; ')"),
    ],
)
def test_the_readme_shows_a_scenario_as_the_build_made_it(built: Path, table: str, text: str) -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (made,) = fetch(built, f"SELECT {text} FROM scenarios.{table} WHERE scenario_id IN {EXAMPLE}")[0]
    assert made
    assert str(made) in readme


def test_planted_personal_data_is_nowhere_in_the_published_file(built: Path) -> None:
    with duckdb.connect(str(built / FILE_NAME), read_only=True) as connection:
        columns = connection.execute(
            "SELECT schema_name, table_name, column_name FROM duckdb_columns() "
            "WHERE data_type IN ('VARCHAR', 'VARCHAR[]') AND NOT internal"
        ).fetchall()
        for schema, table, column in columns:
            query = f'SELECT count(*) FROM "{schema}"."{table}" WHERE regexp_matches("{column}"::VARCHAR, $planted)'
            planted = r"555-01\d\d|@example\.(com|org)|example\.com"
            found = connection.execute(query, {"planted": planted}).fetchone()
            assert found == (0,), (schema, table, column)


def test_coding_agrees_with_the_writers_of_the_sample(built: Path) -> None:
    with (ROOT / "sample" / "gold.csv").open(encoding="utf-8") as handle:
        gold = {row["root_post_id"]: row["category_id"] for row in csv.DictReader(handle) if row["category_id"]}
    query = "SELECT root_post_id, category_id FROM journeys.coding JOIN dialogues.dialogue USING (dialogue_id)"
    coded = {str(row[0]): row[1] for row in fetch(built, query)}
    right = sum(coded.get(post) == category for post, category in gold.items())
    assert right / len(gold) >= 0.68


def test_an_unchanged_rebuild_makes_nothing_anew(copied: Path, rebuild: Rebuild) -> None:
    before = digest_file(copied / FILE_NAME)
    files = {path: path.stat().st_mtime_ns for path in (copied / "lake").rglob("*.parquet")}
    vectors = {path: path.stat().st_mtime_ns for path in (copied / "cache").rglob("*") if path.is_file()}
    assert rebuild(copied)[0]
    assert digest_file(copied / FILE_NAME) == before
    assert {path: path.stat().st_mtime_ns for path in (copied / "lake").rglob("*.parquet")} == files
    assert {path: path.stat().st_mtime_ns for path in (copied / "cache").rglob("*") if path.is_file()} == vectors


@pytest.mark.parametrize("record", [Dialogue, Screening, Fact])
def test_a_broken_table_blocks_what_is_downstream_and_leaves_the_published_file(
    record: type[Record], copied: Path, rebuild: Rebuild
) -> None:
    before = digest_file(copied / FILE_NAME)
    plant(copied, record, lambda table: pa.concat_tables([table, table.slice(0, 1)]))
    done, printed = rebuild(copied)
    assert not done
    assert f"{record.table.name}_contract" in printed
    assert "unique" in printed
    assert digest_file(copied / FILE_NAME) == before


def test_a_vanished_candidate_is_found_before_publishing(copied: Path, rebuild: Rebuild) -> None:
    before = digest_file(copied / FILE_NAME)
    plant(copied, Screening, lambda table: table.slice(0, table.num_rows - 1))
    done, printed = rebuild(copied)
    assert not done
    assert "balance:screening" in printed
    assert digest_file(copied / FILE_NAME) == before


def start_reader(home: Path, environment: dict[str, str], how: str) -> subprocess.Popen[str]:
    """An analyst in a process of their own, who reads already."""
    command = [sys.executable, "-c", READER, str(home / FILE_NAME), COUNTED, how]
    reader = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert reader.stdout is not None
    assert reader.stdout.readline() == "reading\n"
    return reader


def test_the_published_file_is_read_all_through_a_rebuild(copied: Path, offline_environment: dict[str, str]) -> None:
    (before,) = fetch(copied, COUNTED)
    seen: dict[str, list[tuple[object, ...]]] = {}
    with (
        start_reader(copied, offline_environment, "held") as held,
        start_reader(copied, offline_environment, "") as anew,
    ):
        settings = Settings.load({}, home=copied, source="sample", release_size=100)
        assert run_build(settings, list_industries(), Console(file=io.StringIO()))
        for name, reader in (("held", held), ("anew", anew)):
            seen[name] = [tuple(row) for row in json.loads(reader.communicate()[0])]
            assert reader.returncode == 0
    (after,) = fetch(copied, COUNTED)
    assert after[1] != before[1]
    assert seen == {"held": [before], "anew": sorted([before, after])}


def test_industries_that_are_left_out_are_named(copied: Path) -> None:
    shutil.rmtree(Lake(copied).folder(Screening, "hotel"))
    console = Console(file=io.StringIO(), width=200)
    assert run_build(Settings.load({}, home=copied, source="sample"), ["airline"], console)
    print_summary(copied, console)
    assert isinstance(console.file, io.StringIO)
    assert "Left out: hotel." in console.file.getvalue()
    assert fetch(copied, "SELECT count(*) FROM scenarios.scenario WHERE industry = 'hotel'") == [(0,)]
    with open_instance(copied) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("build"))
    assert event is not None
    assert event.asset_materialization is not None
    assert event.asset_materialization.metadata["industries left out"].value == "hotel"


def test_a_run_stands_in_the_history_and_its_metadata_is_small(built: Path) -> None:
    with open_instance(built) as instance:
        runs = instance.get_run_records()
        assert len(runs) == 1
        entries = instance.all_logs(runs[0].dagster_run.run_id)
    events = [entry.dagster_event for entry in entries if entry.dagster_event]
    sizes = [
        len(str(value.value))
        for event in events
        if event.is_step_materialization
        for value in event.step_materialization_data.materialization.metadata.values()
    ]
    assert max(sizes) < 200_000
    assert len(entries) < 2_000
