"""Files of posts in every format and state."""

import gzip
import hashlib
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.dialogues import Post, QuarantinedPost
from servicebench_data.dialogues.accounts import Forget
from servicebench_data.dialogues.sources import COLUMNS, SourceError
from servicebench_data.lake.arrow import arrow_schema
from tests.conftest import SHARED_DATA
from tests.dialogues.helpers import AIR, load, make_row, write_csv

ROWS = [
    make_row(1, "501", f"@{AIR} lost my bag, again", answers="2"),
    make_row(2, AIR, "@501 Sorry to hear.\nWhere did you land?", 1, minute=5, answers="3"),
    make_row(3, "501", 'Lisbon, "the" airport 😡', 2, minute=9),
]


def strip_source(posts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in post.items() if key != "source"} for post in posts]


def test_columns_are_those_of_the_records(tmp_path: Path) -> None:
    load([write_csv(tmp_path / "a.csv", [*ROWS, make_row("", "502", "no id")])], tmp_path)
    assert pq.read_schema(tmp_path / "post.parquet").names == arrow_schema(Post).names
    assert pq.read_table(tmp_path / "post.parquet").cast(arrow_schema(Post)).num_rows == 3
    assert pq.read_table(tmp_path / "quarantine.parquet").cast(arrow_schema(QuarantinedPost)).num_rows == 1


def test_cells_are_read_exactly(tmp_path: Path) -> None:
    posts, _, _ = load([write_csv(tmp_path / "a.csv", ROWS)], tmp_path)
    assert posts[1]["text"] == "@501 Sorry to hear.\nWhere did you land?"
    assert posts[1]["parent_id"] == "1"
    assert posts[1]["response_ids"] == ["3"]
    assert posts[1]["created_at"].isoformat() == "2025-03-04T12:05:00+00:00"
    assert [post["post_id"] for post in posts] == ["1", "2", "3"]


def test_same_content_in_any_wrapping_reads_the_same(tmp_path: Path) -> None:
    plain = write_csv(tmp_path / "plain.csv", ROWS)
    text = plain.read_bytes()
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + text)
    crlf = write_csv(tmp_path / "crlf.csv", ROWS, lineterminator="\r\n")
    (tmp_path / "wrapped.csv.gz").write_bytes(gzip.compress(text))
    with pa.CompressedOutputStream(str(tmp_path / "wrapped.csv.zst"), "zstd") as stream:
        stream.write(text)
    with zipfile.ZipFile(tmp_path / "wrapped.zip", "w") as archive:
        archive.writestr("posts.csv", text)
    (tmp_path / "lines.jsonl").write_text(
        "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in ROWS)
    )
    columns = {name: list(values) for name, values in zip(COLUMNS, zip(*ROWS, strict=True), strict=True)}
    pq.write_table(pa.table(columns), tmp_path / "table.parquet")
    expected = strip_source(load([plain], tmp_path)[0])
    for name in ("bom.csv", "wrapped.csv.gz", "wrapped.csv.zst", "wrapped.zip", "lines.jsonl", "table.parquet"):
        assert strip_source(load([tmp_path / name], tmp_path)[0]) == expected, name
    assert strip_source(load([crlf], tmp_path)[0]) == expected


def test_first_quoted_comma_after_the_sample_that_a_sniffer_reads(tmp_path: Path) -> None:
    rows = [make_row(index, "501", "plain") for index in range(25_000)]
    rows.append(make_row(25_000, "501", "comma, and\nbreak", answers="9,6,10"))
    posts, _, counts = load([write_csv(tmp_path / "a.csv", rows)], tmp_path)
    assert counts.posts == 25_001
    assert posts[-1]["text"] == "comma, and\nbreak"
    assert posts[-1]["response_ids"] == ["9", "6", "10"]


def test_several_files_are_read_in_their_order(tmp_path: Path) -> None:
    sources = [write_csv(tmp_path / "a.csv", ROWS[:1]), write_csv(tmp_path / "b.csv", ROWS[1:])]
    posts, _, counts = load(sources, tmp_path)
    assert [(post["source"], post["post_id"]) for post in posts] == [("a.csv", "1"), ("b.csv", "2"), ("b.csv", "3")]
    assert counts.sources == {"a.csv": 1, "b.csv": 2}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (("", "501", "True", "", "text", "", ""), "missing_id"),
        (("5.70306E+17", "501", "True", "", "text", "", ""), "bad_id"),
        (("1,234", "501", "True", "", "text", "", ""), "bad_id"),
        (("7", "", "True", "", "text", "", ""), "missing_author"),
        (("7", "501", "maybe", "", "text", "", ""), "bad_inbound"),
        (("7", "501", "True", "", "  ", "", ""), "missing_text"),
    ],
)
def test_rows_are_set_aside_with_their_reason(tmp_path: Path, row: tuple[str, ...], reason: str) -> None:
    posts, quarantine, counts = load([write_csv(tmp_path / "a.csv", [*ROWS, row])], tmp_path)
    assert [entry["reason"] for entry in quarantine] == [reason]
    assert quarantine[0]["row_number"] == 4
    assert len(posts) == 3
    assert counts.rows == 4


@pytest.mark.parametrize(
    ("written", "is_inbound"),
    [("True", True), ("TRUE", True), ("1", True), ("t", True), ("False", False), ("FALSE", False), ("0", False)],
)
def test_inbound_in_any_spelling(tmp_path: Path, written: str, is_inbound: bool) -> None:
    posts, _, _ = load([write_csv(tmp_path / "a.csv", [("1", "501", written, "", "text", "", "")])], tmp_path)
    assert posts[0]["is_inbound"] is is_inbound


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Tue Oct 31 23:10:47 +0100 2017", "2017-10-31T22:10:47+00:00"),
        ("2017-10-31T22:10:47.000Z", "2017-10-31T22:10:47+00:00"),
        ("2017-10-31 22:10:47", "2017-10-31T22:10:47+00:00"),
        ("", None),
        ("yesterday", None),
    ],
)
def test_times_are_utc_or_missing(tmp_path: Path, written: str, read: str | None) -> None:
    posts, _, counts = load([write_csv(tmp_path / "a.csv", [("1", "501", "True", written, "text", "", "")])], tmp_path)
    assert (posts[0]["created_at"] and posts[0]["created_at"].isoformat()) == read
    assert counts.unreadable_times == (written == "yesterday")


def test_ids_are_exact_and_floats_are_mended_and_counted(tmp_path: Path) -> None:
    rows = [
        ("9007199254740993123", "501", "True", "", "long", "12.0,13", ""),
        ("12.0", AIR, "False", "", "float", "", "9007199254740993123.0"),
        ("tweet-a_1", "501", "True", "", "text id", "", ""),
    ]
    posts, _, counts = load([write_csv(tmp_path / "a.csv", rows)], tmp_path)
    assert [post["post_id"] for post in posts] == ["9007199254740993123", "12", "tweet-a_1"]
    assert posts[0]["response_ids"] == ["12", "13"]
    assert posts[1]["parent_id"] == "9007199254740993123"
    assert counts.float_ids == 1


def test_no_usable_id_at_all_names_the_remedy(tmp_path: Path) -> None:
    rows = [("5.70306E+17", "501", "True", "", "text", "", "")] * 3
    with pytest.raises(SourceError, match=r"a\.csv.*tweet_id.*as text"):
        load([write_csv(tmp_path / "a.csv", rows)], tmp_path)


def test_last_complete_row_of_an_id_wins(tmp_path: Path) -> None:
    rows = [
        make_row(1, "501", "first"),
        make_row(1, "501", "last complete", minute=3),
        make_row(1, "501", "later, without a time", minute=None),
        make_row(1, "", "later, without an author", minute=9),
        make_row(2, "501", "alone"),
    ]
    posts, quarantine, counts = load([write_csv(tmp_path / "a.csv", rows)], tmp_path)
    assert [post["text"] for post in posts] == ["last complete", "alone"]
    assert counts.reasons == {"duplicate_id": 2, "missing_author": 1}
    assert [entry["row_number"] for entry in quarantine] == [1, 3, 4]


def test_forgotten_posts_and_authors_are_left_out_and_not_named(tmp_path: Path) -> None:
    forget = Forget(frozenset({"3"}), frozenset({f"@{AIR.upper()}"}))
    posts, quarantine, counts = load([write_csv(tmp_path / "a.csv", ROWS)], tmp_path, forget)
    assert [post["post_id"] for post in posts] == ["1"]
    assert counts.reasons == {"forgotten": 2}
    assert {entry["post_id"] for entry in quarantine} == {None}


def test_blank_rows_behind_the_data_are_counted(tmp_path: Path) -> None:
    source = write_csv(tmp_path / "a.csv", ROWS)
    source.write_text(source.read_text() + ",,,,,,\n" * 1000 + "\n\n")
    _, _, counts = load([source], tmp_path)
    assert (counts.posts, counts.reasons) == (3, {"missing_id": 1000})


def test_stray_carriage_return_outside_quotes_becomes_a_blank(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes((",".join(COLUMNS) + '\n1,501,True,,bag\rlost,,\n2,501,True,,"kept\rhere",,\n').encode())
    posts, _, counts = load([source], tmp_path)
    assert [post["text"] for post in posts] == ["bag lost", "kept\rhere"]
    assert (counts.repaired_files, counts.carriage_returns, counts.rows) == (1, 1, 2)


def test_old_line_ends_with_latin_bytes(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_bytes((",".join(COLUMNS) + "\r1,501,True,,caf\xe9 \x80 5,,\r2,501,True,,plain,,\r").encode("latin-1"))
    posts, _, counts = load([source], tmp_path)
    assert [post["text"] for post in posts] == ["café € 5", "plain"]
    assert counts.legacy_lines == 1


def test_damaged_lines_are_set_aside_and_the_rest_is_kept(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    lines = [
        ",".join(COLUMNS),
        "1,501,True,,fine,,",
        "2,501,True,,too,many,cells,here,,",
        '3,501,True,,"never closed,,',
    ]
    source.write_text("\n".join(lines + [f"{index},501,True,,fine,," for index in range(4, 400)]) + "\n")
    posts, quarantine, counts = load([source], tmp_path)
    assert counts.reasons == {"bad_line": 2}
    assert [entry["row_number"] for entry in quarantine] == [2, 3]
    assert len(posts) == 397


def test_lone_surrogates_do_not_stop_a_file(tmp_path: Path) -> None:
    source = tmp_path / "a.jsonl"
    row = dict(zip(COLUMNS, ROWS[0], strict=True)) | {"text": "broken \ud83d emoji"}
    source.write_text(json.dumps(row) + "\nno json\n")
    posts, quarantine, _ = load([source], tmp_path)
    assert posts[0]["text"] == "broken � emoji"
    assert quarantine[0]["reason"] == "bad_line"
    damaged = tmp_path / "b.csv"
    damaged.write_bytes((",".join(COLUMNS) + "\n1,501,True,,x ").encode() + b"\xed\xa0\xbd y,,\n")
    assert load([damaged], tmp_path)[0][0]["text"] == "x � y"


API_PAGE = {
    "data": [
        {"id": "1800000000000000001", "author_id": "77", "conversation_id": "1800000000000000001",
         "created_at": "2025-03-04T12:00:00.000Z", "text": f"@{AIR} my seat is broken &amp; wet"},
        {"id": "1800000000000000002", "author_id": "88", "conversation_id": "1800000000000000001",
         "created_at": "2025-03-04T12:05:00.000Z", "text": "@jo_77 Which flight?",
         "referenced_tweets": [{"type": "quoted", "id": "5"}, {"type": "replied_to", "id": "1800000000000000001"}]},
        {"id": "1800000000000000003", "author_id": "77", "conversation_id": "1800000000000000001",
         "created_at": "2025-03-04T12:09:00.000Z", "text": "BW12"},
    ],
    "includes": {"users": [{"id": "77", "username": "jo_77"}, {"id": "88", "username": AIR.lower()}]},
    "meta": {"result_count": 3},
}  # fmt: skip


@pytest.mark.parametrize("shape", ["page", "lines of pages", "array"])
def test_posts_of_the_api(tmp_path: Path, shape: str) -> None:
    source = tmp_path / "api.json"
    empty = {"meta": {"result_count": 0}}
    texts = {"page": json.dumps(API_PAGE, indent=1), "lines of pages": json.dumps(API_PAGE) + "\n" + json.dumps(empty)}
    source.write_text(texts.get(shape, json.dumps(API_PAGE["data"])))
    posts, _, counts = load([source], tmp_path)
    assert counts.posts == 3
    first = "1800000000000000001"
    assert [post["parent_id"] for post in posts] == [None, first, first]
    if shape != "array":
        assert [(post["author_id"], post["is_inbound"]) for post in posts] == [
            ("jo_77", True), (AIR.lower(), False), ("jo_77", True)
        ]  # fmt: skip


def test_posts_that_a_page_includes_are_read_and_counted(tmp_path: Path) -> None:
    answered = {
        "id": "1700000000000000009",
        "author_id": "77",
        "created_at": "2025-03-04T11:00:00.000Z",
        "text": "first",
    }
    answer = {**API_PAGE["data"][1], "referenced_tweets": [{"type": "replied_to", "id": answered["id"]}]}
    pages = [
        {"data": [answer], "includes": {**API_PAGE["includes"], "tweets": [answered]}, "meta": {"result_count": 1}},
        {"data": API_PAGE["data"][0], "includes": {"tweets": [answered, {"id": "5"}]}},
        {"includes": {"tweets": [{**answered, "id": "6"}]}, "meta": {"result_count": 0}},
    ]
    source = tmp_path / "api.jsonl"
    source.write_text("".join(json.dumps(page) + "\n" for page in pages))
    posts, quarantine, counts = load([source], tmp_path)
    assert [post["post_id"] for post in posts] == [answer["id"], API_PAGE["data"][0]["id"], answered["id"], "6"]
    assert posts[0]["parent_id"] == answered["id"]
    assert {post["author_id"] for post in posts} == {"jo_77", AIR.lower()}
    assert counts.reasons == {"duplicate_id": 1, "missing_author": 1}
    assert counts.rows == len(posts) + len(quarantine) == 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"meta": {"result_count": 0}}', r"holds no post"),
        (b"", r"empty"),
        (b" \n\n", r"nothing but blanks"),
        (b"<!DOCTYPE html><html>", r"web page"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", r"git lfs pull"),
        (b"tweet_id,author_id,text\n1,2,x\n", r"lacks the columns \['inbound', 'created_at'.*rename"),
        (",".join(COLUMNS).encode() + b"\n", r"no rows"),
        (";".join(COLUMNS).encode() + b"\n1;2;True;;x;;\n", r"semicolons"),
        (b"PAR1 but no Parquet", r"damaged Parquet"),
        (b"\x1f\x8b damaged", r"damaged gzip"),
        (b"PK\x03\x04 damaged", r"damaged zip"),
        (b'{"id": "1", "text": "x"}\n', r"lacks the keys"),
    ],
)
def test_wrong_files_are_refused_with_the_remedy(tmp_path: Path, content: bytes, message: str) -> None:
    source = tmp_path / "wrong.csv"
    source.write_bytes(content)
    with pytest.raises(SourceError, match=message) as raised:
        load([source], tmp_path)
    assert "wrong.csv" in str(raised.value)


def pack(folder: Path) -> dict[str, bytes]:
    """The same posts in every format that knows where it ends."""
    rows = [make_row(post, "501", hashlib.sha256(str(post).encode()).hexdigest()) for post in range(3000)]
    text = write_csv(folder / "plain.csv", rows).read_bytes()
    objects: list[dict[str, str]] = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    lines = "".join(json.dumps(entry) + "\n" for entry in objects).encode()
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("posts.csv", text)
    for name, content in (("a.csv.zst", text), ("a.jsonl.zst", lines)):
        with pa.CompressedOutputStream(str(folder / name), "zstd") as stream:
            stream.write(content)
    pq.write_table(pa.Table.from_pylist(objects), folder / "a.parquet")
    made = {name: (folder / name).read_bytes() for name in ("a.zip", "a.csv.zst", "a.jsonl.zst", "a.parquet")}
    page = {"data": [{"id": row[0], "author_id": row[1], "text": row[4]} for row in rows], "meta": {}}
    return made | {
        "a.csv.gz": gzip.compress(text),
        "a.jsonl.gz": gzip.compress(lines),
        "a.json": json.dumps(objects).encode(),
        "page.json": json.dumps(page).encode(),
    }


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_a_file_that_breaks_off_is_named_with_the_remedy_in_every_format(tmp_path: Path, kept: float) -> None:
    for name, content in pack(tmp_path).items():
        (tmp_path / name).write_bytes(content)
        assert load([tmp_path / name], tmp_path)[2].posts == 3000, name
        (tmp_path / name).write_bytes(content[: int(kept * len(content))])
        with pytest.raises(SourceError, match=rf"{re.escape(name)}'.*fetch it again"):
            load([tmp_path / name], tmp_path)


@pytest.mark.parametrize("name", ["a.zip", "a.csv.gz", "a.jsonl.gz", "a.parquet"])
def test_a_file_that_is_damaged_in_the_middle_is_named_with_the_remedy(tmp_path: Path, name: str) -> None:
    content = pack(tmp_path)[name]
    middle = len(content) // 2
    (tmp_path / name).write_bytes(content[:middle] + bytes(50) + content[middle + 50 :])
    with pytest.raises(SourceError, match=rf"{re.escape(name)}'.*fetch it again"):
        load([tmp_path / name], tmp_path)


def test_a_file_inside_an_archive_is_called_by_the_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("posts.csv", ",".join(COLUMNS) + "\n")
    with pytest.raises(SourceError, match=r"a\.zip' has columns but no rows"):
        load([tmp_path / "a.zip"], tmp_path)


def test_folder_and_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a folder"):
        load([tmp_path], tmp_path)
    with pytest.raises(SourceError, match="does not exist"):
        load([tmp_path / "none.csv"], tmp_path)
    with pytest.raises(SourceError, match="no file"):
        load([], tmp_path)


def test_excel_workbook_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "posts.csv", "w") as archive:
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/workbook.xml", "")
    with pytest.raises(SourceError, match="Excel workbook"):
        load([tmp_path / "posts.csv"], tmp_path)


CELL = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\x00"), max_size=12)
IDS = st.one_of(st.sampled_from(["1", "2", "3.0", "", "5.7E+17", "x y"]), st.integers(0, 30).map(str))


@settings(max_examples=12)
@given(
    st.lists(st.tuples(IDS, st.sampled_from(["", "501", AIR]), st.sampled_from(["True", "0", "?"]), CELL, CELL,
                       CELL, IDS),
             min_size=1, max_size=30)
)  # fmt: skip
def test_rows_in_are_posts_and_quarantined(tmp_path: Path, rows: list[tuple[str, ...]]) -> None:
    source = write_csv(tmp_path / "a.csv", [*rows, make_row("last", "501", "usable")])
    posts, quarantine, counts = load([source], tmp_path)
    assert len(posts) + len(quarantine) == counts.rows == len(rows) + 1
    numbers = [entry["row_number"] for entry in quarantine]
    assert len(set(numbers)) == len(numbers)
    assert set(numbers) <= set(range(1, len(rows) + 2))
    assert len({post["post_id"] for post in posts}) == len(posts)


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("excel_damaged.csv", 121),
        ("index_column_float_parents.csv", 5000),
        ("one_sided_bare_carriage_returns.csv", 15096),
    ],
)
def test_awkward_real_files_load(tmp_path: Path, name: str, rows: int) -> None:
    _, _, counts = load([SHARED_DATA / "awkward" / name], tmp_path)
    assert counts.rows == rows
    assert counts.posts >= 0.99 * rows
