"""From posts to dialogues: who talks to whom, in what order, in which turns."""

import json
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.dialogues import Dialogue, Turn
from servicebench_data.dialogues.accounts import CareAccount, check_accounts
from servicebench_data.dialogues.dialogues import DialogueFiles, build_dialogues
from servicebench_data.dialogues.threads import link_by_hash, link_by_text, read_posts
from servicebench_data.lake.arrow import arrow_schema, to_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.sources import SourceError
from tests.dialogues.helpers import ACCOUNTS, AIR, SHOP, Row, build, load, make_row, tell

C, D, E = "501", "502", "503"


def test_tables_are_those_of_the_records(tmp_path: Path) -> None:
    build([make_row(1, C, "my bag is lost"), make_row(2, AIR, "Sorry! ^AB", 1)], tmp_path)
    for record, name in ((Turn, "turn"), (Dialogue, "dialogue")):
        table = pq.read_table(tmp_path / f"{name}.parquet")
        assert table.schema.names == arrow_schema(record).names
        assert table.schema.types == arrow_schema(record).types
        assert to_records(record, table)


def test_many_answers_and_branches_are_one_dialogue_without_a_second_copy(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "opening"),
        make_row(2, AIR, "first answer", 1, minute=5),
        make_row(3, C, "more", 1, minute=2),
        make_row(4, AIR, "second answer", 1, minute=9),
        make_row(5, C, "to the first", 2, minute=20),
        make_row(6, C, "to the second", 4, minute=10),
    ]
    built = build(rows, tmp_path)
    assert tell(built, 1) == [
        ("customer", ["1", "3"], "opening\nmore"),
        ("account", ["2"], "first answer"),
        ("customer", ["5"], "to the first"),
        ("account", ["4"], "second answer"),
        ("customer", ["6"], "to the second"),
    ]
    assert built.dialogues[0]["opening"] == "opening\nmore"
    assert built.dialogues[0]["customer_text"] == "opening\nmore\nto the first\nto the second"


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 14), st.booleans()), min_size=1, max_size=13))
def test_answers_are_linked_alike_by_hash_and_by_text(drawn: list[tuple[int, int, bool]]) -> None:
    ids = [f"{'p' if is_word else ''}{number}" for number, _, is_word in drawn]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE post (post_id TEXT, parent_id TEXT, author_id TEXT, is_inbound BOOL, "
                           "created_at TIMESTAMPTZ, n BIGINT)")  # fmt: skip
        rows = [
            (name, str(parent) if parent else None, "a", True, None, place)
            for place, (name, (_, parent, _)) in enumerate(zip(ids, drawn, strict=True))
            if name not in ids[:place]
        ]
        rows = [(*row[:-1], place) for place, row in enumerate(rows)]
        connection.executemany("INSERT INTO post VALUES (?, ?, ?, ?, ?, ?)", rows)
        posts = read_posts(connection)
        found = [
            sorted(zip(links["child"].tolist(), links["parent"].tolist(), strict=True))
            for links in (link_by_hash(connection, posts), link_by_text(connection))
        ]
    names = [row[0] for row in rows]
    known = [(row[-1], names.index(row[1]) if row[1] in names else -1) for row in rows if row[1]]
    assert found[0] == found[1] == known


@pytest.mark.parametrize(
    ("minutes", "answers", "order"),
    [
        ((1, 2, 3), "30,20,10", ["10", "20", "30"]),
        ((7, 7, 7), "30,10,20", ["30", "10", "20"]),
        ((7, 7, 7), "", ["10", "20", "30"]),
        ((None, None, 4), "", ["30", "10", "20"]),
        ((7, 7, 7), "20", ["20", "10", "30"]),
    ],
)
def test_siblings_go_by_time_then_place_then_id(
    tmp_path: Path, minutes: tuple[int | None, ...], answers: str, order: list[str]
) -> None:
    rows = [make_row(1, C, "opening", answers=answers)]
    rows += [
        make_row(post, AIR, str(post), 1, minute=minute) for post, minute in zip((10, 20, 30), minutes, strict=True)
    ]
    assert tell(build(rows, tmp_path), 1)[1][1] == order


def test_ids_of_equal_siblings_go_by_number(tmp_path: Path) -> None:
    rows = [make_row(1, C, "opening"), make_row(100, AIR, "b", 1), make_row(99, AIR, "a", 1)]
    assert tell(build(rows, tmp_path), 1)[1][1] == ["99", "100"]


def test_an_answer_stamped_before_its_parent_still_comes_behind_it(tmp_path: Path) -> None:
    rows = [make_row(9, C, "opening", minute=30), make_row(8, AIR, "answer", 9, minute=10)]
    built = build(rows, tmp_path)
    assert [turn[1] for turn in tell(built, 9)] == [["9"], ["8"]]
    assert built.dialogues[0]["started_at"].minute == 30


def test_bystander_is_dropped_unless_the_account_answers(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "opening"),
        make_row(2, D, "same here", 1, minute=1),
        make_row(3, E, "me too, gate 4", 1, minute=2),
        make_row(4, AIR, "to the first", 1, minute=3),
        make_row(5, AIR, "to the third", 3, minute=4),
        make_row(6, E, "thanks", 5, minute=5),
    ]
    built = build(rows, tmp_path)
    assert tell(built, 1) == [("customer", ["1"], "opening"), ("account", ["4"], "to the first")]
    assert [turn[1] for turn in tell(built, 3)] == [["3"], ["5"], ["6"]]
    assert "2" not in {post for turn in built.turns for post in turn["post_ids"]}
    assert built.counts.threads.bystander_posts == 1
    assert {dialogue["root_post_id"] for dialogue in built.dialogues} == {"1"}


def test_account_opens_to_all_and_answers_one(tmp_path: Path) -> None:
    rows = [
        make_row(1, AIR, "Two free bags for every story"),
        make_row(2, C, "mine was lost", 1, minute=1),
        make_row(3, D, "nice", 1, minute=2),
        make_row(4, AIR, "Which flight?", 2, minute=3),
    ]
    built = build(rows, tmp_path)
    assert [turn[1] for turn in tell(built, 2)] == [["1"], ["2"], ["4"]]
    assert len(built.dialogues) == 1
    assert built.dialogues[0]["opened_by"] == "account"
    assert built.dialogues[0]["opening"] == "mine was lost"


def test_account_opens_to_the_customer_whom_it_mentions(tmp_path: Path) -> None:
    rows = [make_row(1, AIR, f"@{C} your bag is here"), make_row(2, C, "at last", 1)]
    built = build(rows, tmp_path)
    assert [turn[1] for turn in tell(built, 2)] == [["1"], ["2"]]
    assert not built.dialogues[0]["is_truncated"]


def test_missing_parent_truncates_and_its_answers_are_one_tree(tmp_path: Path) -> None:
    rows = [
        make_row(2, AIR, f"@{C} please write to us", "1", minute=1),
        make_row(3, AIR, f"@{C} and tell us the flight", "1", minute=2),
        make_row(4, C, "BW12", 3, minute=3),
    ]
    built = build(rows, tmp_path)
    assert [turn[1] for turn in tell(built, 4)] == [["2", "3"], ["4"]]
    assert built.dialogues[0]["is_truncated"]
    assert built.dialogues[0]["root_post_id"] == "2"
    assert built.counts.threads.missing_parents == 2


def test_damaged_parents_are_not_taken_for_one(tmp_path: Path) -> None:
    rows = [
        make_row(2, C, "mine", "5.70306E+17"),
        make_row(3, AIR, "answer", 2),
        make_row(4, D, "other", "5.70306E+17"),
        make_row(5, AIR, "answer", 4),
    ]
    built = build(rows, tmp_path)
    assert sorted(dialogue["root_post_id"] for dialogue in built.dialogues) == ["2", "4"]
    assert all(dialogue["is_truncated"] for dialogue in built.dialogues)


def test_cycles_and_self_answers_end_and_are_counted(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "opening", 3, minute=1),
        make_row(2, AIR, "answer", 1, minute=2),
        make_row(3, C, "again", 2, minute=3),
        make_row(4, D, "names itself", 4),
        make_row(5, AIR, "answer", 4, minute=1),
        make_row(6, AIR, "hangs from the cycle", 3, minute=9),
    ]
    built = build(rows, tmp_path)
    assert [turn[1] for turn in tell(built, 1)] == [["1"], ["2"], ["3"], ["6"]]
    assert [turn[1] for turn in tell(built, 4)] == [["4"], ["5"]]
    assert (built.counts.threads.cycles, built.counts.threads.self_answers) == (1, 1)


def test_two_companies_make_two_dialogues(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "both of you"),
        make_row(2, AIR, "from the first", 1, minute=1),
        make_row(3, SHOP, "from the second", 1, minute=2),
        ("4", "OtherCare", "False", "", "from a third", "", "1"),
    ]
    built = build(rows, tmp_path)
    assert {dialogue["account"]: dialogue["industry"] for dialogue in built.dialogues} == {
        AIR: "airline",
        SHOP: "retail",
    }
    assert {dialogue["account_count"] for dialogue in built.dialogues} == {3}
    assert all(len([turn for turn in built.turns if turn["dialogue_id"] == dialogue["dialogue_id"]]) == 2
               for dialogue in built.dialogues)  # fmt: skip


def test_another_company_is_no_customer(tmp_path: Path) -> None:
    rows = [("1", "OtherCare", "False", "", "we have a question", "", ""), make_row(2, AIR, "yes?", 1)]
    assert build(rows, tmp_path).dialogues == []


def test_an_account_speaks_to_the_customer_above_another_company(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "opening"),
        ("2", "OtherCare", "False", "", "not us", "", "1"),
        make_row(3, AIR, "us, sorry", 2),
    ]
    assert [turn[1] for turn in tell(build(rows, tmp_path), 1)] == [["1"], ["3"]]


def test_handles_match_in_any_case_and_are_written_as_configured(tmp_path: Path) -> None:
    rows = [make_row(1, C, "opening"), ("2", AIR.upper(), "False", "", "answer", "", "1")]
    assert build(rows, tmp_path).dialogues[0]["account"] == AIR


def test_split_posts_are_joined_in_order_and_lose_their_numbers(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "2/2 and no hotel", 2, minute=1),
        make_row(2, C, "1/2 you cancelled my flight,"),
        make_row(3, AIR, "We will... (1/3) ^AB", 2, minute=4),
        make_row(5, AIR, "...the room. (3/3) ^AB", 2, minute=4),
        make_row(4, AIR, "...pay for... (2/3) ^AB", 2, minute=4),
    ]
    built = build(rows, tmp_path)
    assert tell(built, 1) == [
        ("customer", ["2", "1"], "you cancelled my flight,\nand no hotel"),
        ("account", ["3", "4", "5"], "We will...\n...pay for...\n...the room."),
    ]
    assert built.counts.shapes.joined_messages == 2


def test_parts_across_an_answer_are_not_joined(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "1/2 first"),
        make_row(2, AIR, "yes?", 1, minute=1),
        make_row(3, C, "2/2 second", 2, minute=2),
    ]
    built = build(rows, tmp_path)
    assert [turn[2] for turn in tell(built, 1)] == ["1/2 first", "yes?", "2/2 second"]
    assert built.counts.shapes.joined_messages == 0


def test_a_fraction_alone_is_no_part(tmp_path: Path) -> None:
    rows = [make_row(1, C, "open 24/7 they said"), make_row(2, C, "1/2 of my bags", 1), make_row(3, AIR, "Sorry", 2)]
    assert tell(build(rows, tmp_path), 1)[0][2] == "open 24/7 they said\n1/2 of my bags"


def test_offsets_point_to_each_post(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, f"@{AIR} 😡 first"),
        make_row(2, C, f"@{AIR}", 1, minute=1),
        make_row(3, C, "third", 2, minute=2),
        make_row(4, AIR, "answer", 3, minute=3),
    ]
    turn = build(rows, tmp_path).turns[0]
    assert turn["text"] == "😡 first\nthird"
    assert turn["post_offsets"] == [0, 8, 8]
    assert turn["text"][turn["post_offsets"][2] :] == "third"


def test_no_dialogue_without_both(tmp_path: Path) -> None:
    built = build([make_row(1, C, "alone"), make_row(2, AIR, "hello all")], tmp_path)
    assert built.dialogues == built.turns == []


def test_ids_rest_on_root_customer_and_account_alone(tmp_path: Path) -> None:
    first = [make_row(1, C, "opening"), make_row(2, AIR, "answer", 1, minute=1)]
    later = [*first, make_row(3, C, "more", 2, minute=2)]
    before, after = build(first, tmp_path).dialogues, build(later, tmp_path).dialogues
    assert before[0]["dialogue_id"] == after[0]["dialogue_id"]
    assert len(before[0]["dialogue_id"]) == 32
    assert C not in str(before)


def test_accounts_are_needed_and_unique() -> None:
    with pytest.raises(ValueError, match=r"accounts\.yaml"):
        check_accounts([])
    with pytest.raises(ValueError, match="listed twice"):
        check_accounts([CareAccount("Delta", "airline"), CareAccount("delta", "hotel")])


def test_posts_of_no_configured_account_are_an_error_that_names_the_companies_they_are_by(tmp_path: Path) -> None:
    rows = [
        make_row(1, C, "my bag is lost"),
        ("2", "AcmeHelp", "False", "", "Sorry!", "", "1"),
        ("3", "AcmeHelp", "False", "", "Where?", "", "1"),
        ("4", "Odd'[red]\n", "False", "", "Hello", "", ""),
    ]
    with pytest.raises(SourceError, match=r"'AcmeHelp' \(2\), \"Odd'\[red\]\\n\" \(1\).*accounts\.yaml"):
        build(rows, tmp_path)


def test_posts_whose_authors_are_numbers_only_are_an_error_that_says_how_to_export_handles(tmp_path: Path) -> None:
    page = {"data": [{"id": "1", "author_id": "77", "text": "my bag"}, {"id": "2", "author_id": "88", "text": "Sorry"}]}
    source = tmp_path / "api.json"
    source.write_text(json.dumps(page))
    load([source], tmp_path)
    files = DialogueFiles(tmp_path / "turn.parquet", tmp_path / "dialogue.parquet")
    with pytest.raises(SourceError, match=r"none is marked as a company's.*accounts\.yaml.*includes\.users"):
        build_dialogues(
            tmp_path / "post.parquet", files, accounts=ACCOUNTS, limits=Limits(1.0, 1, tmp_path / "scratch")
        )


@st.composite
def forests(draw: st.DrawFn) -> list[Row]:
    """Posts of a few people and accounts that answer each other at random, cycles and missing parents included."""
    size = draw(st.integers(1, 25))
    people = st.sampled_from([C, D, AIR, AIR, SHOP])
    return [
        make_row(
            post, draw(people), draw(st.sampled_from(["a", "1/2 b", "2/2 c", f"@{C} d"])),
            draw(st.one_of(st.just(""), st.integers(0, size + 2))), minute=draw(st.integers(0, 3)),
        )
        for post in range(size)
    ] + [make_row(size, AIR, "a company's post")]  # fmt: skip


def strip(built: Any) -> tuple[Any, Any]:
    return built.turns, built.dialogues


@settings(max_examples=10)
@given(forests(), st.randoms(use_true_random=False))
def test_order_of_rows_and_number_of_threads_change_nothing(
    tmp_path: Path, rows: list[Row], random_source: random.Random
) -> None:
    shuffled = rows.copy()
    random_source.shuffle(shuffled)
    built = build(rows, tmp_path, threads=1)
    assert strip(built) == strip(build(shuffled, tmp_path, threads=4))


@settings(max_examples=10)
@given(forests())
def test_shape_of_every_dialogue(tmp_path: Path, rows: list[Row]) -> None:
    built = build(rows, tmp_path)
    authors = {row[0]: row[1] for row in rows}
    accounts = {account.handle for account in ACCOUNTS}
    owners: set[tuple[str, str, str]] = set()
    for dialogue in built.dialogues:
        turns = [turn for turn in built.turns if turn["dialogue_id"] == dialogue["dialogue_id"]]
        posts = [post for turn in turns for post in turn["post_ids"]]
        assert len(posts) == len(set(posts)) == dialogue["post_count"]
        assert [turn["turn_index"] for turn in turns] == list(range(dialogue["turn_count"]))
        assert all(one["role"] != two["role"] for one, two in pairwise(turns))
        assert {authors[post] for post in posts} & accounts == {dialogue["account"]}
        customers = {authors[post] for post in posts} - accounts
        assert len(customers) == 1
        for post in posts:
            key = (post, customers.pop() if len(customers) > 1 else next(iter(customers)), dialogue["account"])
            assert key not in owners
            owners.add(key)
