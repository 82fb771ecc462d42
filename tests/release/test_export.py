"""An export holds every published row with its type, says what it is, and appears whole or not at all."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import hypothesis
import hypothesis.strategies as st
import mlcroissant
import pyarrow as pa
import pytest
import yaml

from schemas.dialogues import Post, Turn
from schemas.judging import Score
from schemas.records import Record
from schemas.release import Build
from schemas.scenarios import Scenario
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.columns import Column, read_columns
from servicebench_data.lake.database import Limits
from servicebench_data.lake.parquet import read_file, write_file
from servicebench_data.lake.store import Lake, digest_file
from servicebench_data.lake.tables import RECORDS, arrow_schema, quote_name, quote_text
from servicebench_data.release.export.card import write_cell
from servicebench_data.release.export.export import Exported, ExportError, export_release
from servicebench_data.release.export.files import FileFormat, write_lines
from servicebench_data.release.publish import publish_build
from tests.rows import plain_record, plain_row
from tests.tables import make_build, make_tables

pytestmark = [
    pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.reset_index:DeprecationWarning"),
]

PUBLISHED = [record for record in RECORDS if record.table.is_published]
# What breaks careless writers: quotes, tags, ends of lines that only some readers know, signs outside ASCII.
HOSTILE = 'a "b" \\ </script><img onerror=x>\r\n\u2028\u2029\x85\x0b\ttab, =1+1 | \U0001f62c é \ufeff'
EMPTY = "simulator_fault"

LOADER = """
import json, sys
from pathlib import Path
from datasets import load_dataset
for name in json.loads(sys.argv[3]):
    found = load_dataset(sys.argv[1], name, cache_dir=sys.argv[2])
    print(json.dumps([name, {side: rows.to_list() for side, rows in found.items()}], default=lambda at: at.isoformat()))
"""


def make_messy(record: type[Record]) -> dict[str, Any]:
    """A row in which whatever may be missing is, lists are empty where they may be, and free texts are hostile."""
    return {column.name: make_value(record, column) for column in read_columns(record)}


def make_value(record: type[Record], column: Column) -> Any:
    if column.is_nullable:
        return None
    if column.is_list:
        items: list[Any] = plain_row(record, 50)[column.name][: column.min_length or 0]
        return [HOSTILE for _ in items] if column.type is str and not (column.choices or column.pattern) else items
    is_free = column.type is str and not (column.choices or column.pattern) and column.name not in record.table.key
    is_read = (record.table.name, column.name) == ("build", "source")
    return HOSTILE if is_free and not is_read else plain_row(record, 50)[column.name]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published file with a plain and a messy row in every table but one, which is empty."""
    home = tmp_path_factory.mktemp("home")
    files: dict[str, list[Path]] = {}
    tables = make_tables()
    for record in PUBLISHED:
        rows = [*tables.get(record, []), *([] if record in tables else [plain_record(record)])]
        messy = record.model_validate(make_messy(record))
        path = home / f"{record.table.name}.parquet"
        write_file(path, from_records(record, [] if record.table.name == EMPTY else [*rows, messy]))
        files[record.table.name] = [path]
    build = make_build(1, product_version="0.1.0")
    return publish_build(Lake(home), build, files, Limits(1.0, 1, home / "scratch"), keep=1)


def export(published: Path, folder: Path, *formats: FileFormat) -> Exported:
    return export_release(published, folder, formats or ("parquet", "jsonl"), Limits(1.0, 1, folder.parent / "scratch"))


@pytest.fixture(scope="module")
def exported(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Exported:
    """Both formats, for tests that only read them."""
    return export(published, tmp_path_factory.mktemp("exported") / "release")


def read_rows(published: Path, record: type[Record], side: str = "") -> list[dict[str, Any]]:
    """A table's rows as the published file holds them, in the order of its key."""
    keys = ", ".join(quote_name(name) for name in record.table.key)
    where = f"WHERE split = {quote_text(side)}" if side else ""
    with duckdb.connect(str(published), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        query = f"FROM {record.table.group}.{quote_name(record.table.name)} {where} ORDER BY {keys}"
        return connection.sql(query).to_arrow_table().to_pylist()


def list_sides(record: type[Record]) -> list[str]:
    return ["train", "evaluation"] if record.table.name == "scenario" else [""]


def find_file(folder: Path, record: type[Record], side: str, kind: str) -> Path:
    name = "-".join(part for part in (record.table.name, side) if part)
    return folder / kind / record.table.group / f"{name}.{kind}"


def normalise(rows: list[dict[str, Any]]) -> Any:
    """Rows as JSON sees them, times as texts that any reader makes."""
    return json.loads(json.dumps(rows, default=lambda at: at.isoformat()))


def describe_schema(schema: pa.Schema) -> list[tuple[object, ...]]:
    """All that a schema says; Parquet calls an item of a list an element."""
    return [
        (entry.name, str(entry.type).replace("element: ", "item: "), entry.nullable, entry.metadata) for entry in schema
    ]


@pytest.mark.parametrize("record", PUBLISHED)
def test_parquet_has_every_row_in_order_with_the_records_own_schema(
    published: Path, exported: Exported, record: type[Record]
) -> None:
    for side in list_sides(record):
        table = read_file(find_file(exported.folder, record, side, "parquet"))
        assert describe_schema(table.schema) == describe_schema(arrow_schema(record))
        assert table.to_pylist() == read_rows(published, record, side)


@pytest.mark.parametrize("record", PUBLISHED)
def test_json_lines_have_the_same_rows(published: Path, exported: Exported, record: type[Record]) -> None:
    times = [column.name for column in read_columns(record) if column.type is datetime]
    for side in list_sides(record):
        text = find_file(exported.folder, record, side, "jsonl").read_bytes().decode("ascii")
        rows = [json.loads(line) for line in text.splitlines()]
        for row, name in [(row, name) for row in rows for name in times if row[name]]:
            assert row[name].endswith("Z")
            row[name] = datetime.fromisoformat(row[name])
        assert rows == read_rows(published, record, side)


def test_no_other_file_is_there_and_hostile_text_came_through(exported: Exported) -> None:
    files = {str(path.relative_to(exported.folder)) for path in exported.folder.rglob("*") if path.is_file()}
    assert files == {"README.md", "croissant.json", *(file.path for file in exported.files)}
    turns = (exported.folder / "jsonl/dialogues/turn.jsonl").read_text(encoding="utf-8")
    assert HOSTILE in [json.loads(line)["text"] for line in turns.splitlines()]


def test_what_must_stay_in_the_lake_is_left_out_of_any_file(published: Path, tmp_path: Path) -> None:
    """A file that someone put raw posts into is exported without them."""
    changed = Path(shutil.copy(published, tmp_path / "changed.duckdb"))
    with duckdb.connect(str(changed)) as connection:
        connection.execute("CREATE TABLE dialogues.post AS SELECT 'unmasked' AS text")
    done = export(changed, tmp_path / "release", "jsonl")
    assert Post.table.is_raw
    assert {file.table for file in done.files} == {record.table.name for record in PUBLISHED}
    assert not [path for path in done.folder.rglob("*") if path.is_file() and "unmasked" in path.read_text()]


def test_a_build_of_an_older_version_is_exported_as_it_is(published: Path, tmp_path: Path) -> None:
    older = Path(shutil.copy(published, tmp_path / "older.duckdb"))
    with duckdb.connect(str(older)) as connection:
        for statement in (
            "DROP SCHEMA IF EXISTS measures CASCADE", "DROP SCHEMA judging CASCADE", "DROP SCHEMA simulation CASCADE",
            "ALTER TABLE journeys.stage DROP COLUMN name", "ALTER TABLE journeys.stage ADD COLUMN former BIGINT",
        ):  # fmt: skip
            connection.execute(statement)
    done = export(older, tmp_path / "release")
    assert {table.group for table in done.release.tables} == {"dialogues", "journeys", "scenarios", "release"}
    stages = read_file(done.folder / "parquet/journeys/stage.parquet")
    assert "former" in stages.schema.names
    assert "name" not in stages.schema.names
    mlcroissant.Dataset(jsonld=done.folder / "croissant.json")


def test_two_exports_of_one_file_are_equal_byte_by_byte(published: Path, exported: Exported, tmp_path: Path) -> None:
    again = export(published, tmp_path / "release")
    assert again.files == exported.files
    for name in ("README.md", "croissant.json"):
        assert (again.folder / name).read_bytes() == (exported.folder / name).read_bytes()


def test_a_folder_that_is_there_is_never_touched(published: Path, tmp_path: Path) -> None:
    (tmp_path / "release").mkdir()
    with pytest.raises(ExportError, match=r"'.*release' exists already; remove it \(`rm -r`\)"):
        export(published, tmp_path / "release")
    assert list((tmp_path / "release").iterdir()) == []


def test_an_export_that_fails_leaves_nothing(published: Path, tmp_path: Path) -> None:
    broken = Path(shutil.copy(published, tmp_path / "broken.duckdb"))
    with duckdb.connect(str(broken)) as connection:
        connection.execute("CREATE TABLE release.zz (odd DECIMAL(9, 2))")
    with pytest.raises(TypeError, match=r"column 'odd' of 'zz' has type 'DECIMAL\(9,2\)'"):
        export(broken, tmp_path / "deep" / "release")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["scratch"]


def test_a_file_that_nobody_published_is_refused(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a BIGINT)")
    with pytest.raises(ExportError, match="is no published file"):
        export(tmp_path / "other.duckdb", tmp_path / "release")


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("parquet", {record.table.name: record for record in PUBLISHED if record.table.name != EMPTY}),
        # With lists, times, numbers and what may be missing.
        ("jsonl", {record.table.name: record for record in (Scenario, Turn, Score, Build)}),
    ],
)
def test_hugging_face_loads_tables_by_name_without_a_network(
    published: Path,
    tmp_path: Path,
    offline_environment: dict[str, str],
    kind: FileFormat,
    wanted: dict[str, type[Record]],
) -> None:
    folder = export(published, tmp_path / "release", kind).folder
    done = subprocess.run(
        [sys.executable, "-c", LOADER, str(folder), str(tmp_path / "cache"), json.dumps(list(wanted))],
        env={**offline_environment, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    assert set(found) == set(wanted)
    for name, record in wanted.items():
        sides = {side or "full": read_rows(published, record, side) for side in list_sides(record)}
        assert found[name] == normalise([sides])[0], name


def test_the_card_has_a_configuration_for_each_table_with_rows(exported: Exported) -> None:
    front, text = split_card(exported)
    names = [config["config_name"] for config in front["configs"]]
    assert names == [record.table.name for record in PUBLISHED if record.table.name != EMPTY]
    assert [config["config_name"] for config in front["configs"] if config.get("default")] == ["scenario"]
    scenario = front["configs"][names.index("scenario")]
    assert [part["split"] for part in scenario["data_files"]] == ["train", "evaluation"]
    assert (front["license"], front["language"], front["size_categories"]) == ("cc-by-nc-sa-4.0", ["en"], ["n<1K"])
    for record in PUBLISHED:
        assert f"| `{record.table.name}` ({record.table.group}) |" in text
    assert "Empty in this build" in text
    assert make_build(1).license in text


def split_card(exported: Exported) -> tuple[dict[str, Any], str]:
    """Front matter and text of a card."""
    _, front, text = (exported.folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(front), text


def test_the_fictional_sample_has_a_licence_of_its_own(published: Path, tmp_path: Path) -> None:
    sample = Path(shutil.copy(published, tmp_path / "sample.duckdb"))
    with duckdb.connect(str(sample)) as connection:
        connection.execute("UPDATE release.build SET source = 'sample'")
    done = export(sample, tmp_path / "release", "parquet")
    front, text = split_card(done)
    assert front["license"] == "apache-2.0"
    assert "The posts are fiction" in text
    assert "Posts on X" not in text


@hypothesis.given(st.text())
def test_a_cell_of_the_card_is_one_line_that_begins_no_markup(text: str) -> None:
    cell = write_cell(text)
    assert cell.splitlines() in ([], [cell])
    bare = cell.replace("\\\\", "")
    assert not [sign for at, sign in enumerate(bare) if sign in "|<`*_[" and bare[at - 1 : at] != "\\"]


@hypothesis.given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_json_lines_keep_any_text(tmp_path: Path, texts: list[str]) -> None:
    path = tmp_path / "lines.jsonl"
    assert write_lines(path, [pa.table({"text": pa.array(texts, pa.string())})]) == len(texts)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["text"] for line in lines] == texts


def decode(value: Any) -> Any:
    """A value as mlcroissant gives it, in Python's own types."""
    match value:
        case bytes():
            return value.decode()
        case list():
            return [decode(item) for item in value]
        case datetime():
            return value.isoformat()
        case _:
            return value


def test_croissant_is_valid_and_its_records_are_the_rows(published: Path, exported: Exported) -> None:
    dataset = mlcroissant.Dataset(jsonld=exported.folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert (issues.errors, issues.warnings) == (set(), set())
    assert [records.id for records in dataset.metadata.record_sets] == [record.table.name for record in PUBLISHED]
    for record in PUBLISHED:
        name = record.table.name
        found = [
            {key.decode() if isinstance(key, bytes) else key: decode(value) for key, value in row.items()}
            for row in dataset.records(name)
        ]
        rows = [row for side in list_sides(record)[::-1] for row in read_rows(published, record, side)]
        assert found == [{f"{name}/{key}": value for key, value in row.items()} for row in normalise(rows)]


def test_croissant_names_every_file_with_its_digest(exported: Exported) -> None:
    metadata = json.loads((exported.folder / "croissant.json").read_text(encoding="utf-8"))
    files = [entry for entry in metadata["distribution"] if entry["@type"] == "cr:FileObject"]
    data = [path for path in exported.folder.rglob("*.*") if path.parent != exported.folder and path.is_file()]
    assert {entry["contentUrl"] for entry in files} == {str(path.relative_to(exported.folder)) for path in data}
    assert all(entry["sha256"] == digest_file(exported.folder / entry["contentUrl"]) for entry in files)
    keys = {entry["@id"]: [key["@id"] for key in entry["key"]] for entry in metadata["recordSet"]}
    assert keys["fact"] == ["fact/scenario_id", "fact/fact_id"]


def drop_digest(metadata: dict[str, Any]) -> None:
    del metadata["distribution"][0]["sha256"]


def drop_type(metadata: dict[str, Any]) -> None:
    del metadata["recordSet"][0]["field"][0]["dataType"]


def misname_file(metadata: dict[str, Any]) -> None:
    metadata["recordSet"][0]["field"][0]["source"]["fileObject"]["@id"] = "no/such.file"


@pytest.mark.parametrize("spoil", [drop_digest, drop_type, misname_file])
def test_the_validation_finds_what_is_wrong(
    exported: Exported, tmp_path: Path, spoil: Callable[[dict[str, Any]], None]
) -> None:
    metadata = json.loads((exported.folder / "croissant.json").read_text(encoding="utf-8"))
    first = {name: metadata[name][:1] for name in ("distribution", "recordSet")}
    spoil({**metadata, **first})
    (tmp_path / "croissant.json").write_text(json.dumps({**metadata, **first}), encoding="utf-8")
    with pytest.raises(mlcroissant.ValidationError):
        mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
