"""People's ratings: taken in whole or not at all, kept, told apart when the transcript changes, forgotten on demand."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.judging import Rating, RatingEntry
from schemas.simulation import MessageRow
from servicebench_data.judging.ratings.choosing import choose_conversations, find_done, order_for
from servicebench_data.judging.ratings.incoming import is_rating_file
from servicebench_data.judging.ratings.page import Draw, assign, read_cases
from servicebench_data.judging.ratings.questions import find_question_ids, list_questions
from servicebench_data.judging.ratings.store import drop_ratings, pick_latest, read_ratings
from servicebench_data.judging.ratings.table import make_rating_table
from servicebench_data.judging.ratings.taking import Taken, take_in_ratings
from servicebench_data.lake.arrow import from_records, to_records
from servicebench_data.lake.store import Lake, digest_json
from servicebench_data.review.cells import ReviewError
from tests.judging.bench import SAID, make_conversation, make_messages
from tests.judging.rated import EXPERIMENT, digest, make_home, row, write

NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
LONG = "conversation_id,rater,dimension,score"


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    return make_home(tmp_path / "home")


def take(lake: Lake, *paths: Path) -> Taken:
    return take_in_ratings(lake, paths, NOW)


def list_scores(lake: Lake) -> dict[tuple[str, str, str], int]:
    return {target: entry.score for target, entry in pick_latest(read_ratings(lake, EXPERIMENT)).items()}


def test_every_answer_of_a_row_becomes_a_rating(lake: Lake, tmp_path: Path) -> None:
    taken = take(lake, write(tmp_path, row(comment='"kind, quick"'), row(1, procedural="")))
    assert (len(taken.merged.added), taken.merged.known, taken.merged.changed, taken.stale) == (7, 0, 0, 0)
    assert list_scores(lake) == {
        ("c0000", "Ann", "interactional"): 4, ("c0000", "Ann", "procedural"): 3, ("c0000", "Ann", "distributive"): 5,
        ("c0000", "Ann", "realism_overall"): 2, ("c0001", "Ann", "interactional"): 4,
        ("c0001", "Ann", "distributive"): 5, ("c0001", "Ann", "realism_overall"): 2,
    }  # fmt: skip
    first = read_ratings(lake, EXPERIMENT)[0]
    assert (first.comment, first.scenario_id) == ("kind, quick", "s0001")
    assert first.rated_at == datetime(2026, 3, 1, 10, tzinfo=UTC)


def test_one_row_for_each_answer_is_read_as_well_without_digest_and_time(lake: Lake, tmp_path: Path) -> None:
    rows = ("c0000,Ann,procedural,4", "c0001,Ann,realism_overall,1.0", "c0002,Ann,procedural,")
    path = write(tmp_path, *rows, header=LONG)
    take(lake, path)
    assert list_scores(lake) == {("c0000", "Ann", "procedural"): 4, ("c0001", "Ann", "realism_overall"): 1}
    assert {(entry.rated_at, entry.transcript_sha256) for entry in read_ratings(lake, EXPERIMENT)} == {(NOW, digest())}


def test_a_spreadsheet_may_write_semicolons_and_a_mark_before_all(lake: Lake, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + f"{LONG}\nc0000,Ann,procedural,4".replace(",", ";").encode())
    assert is_rating_file(path)
    take(lake, path)
    assert list_scores(lake) == {("c0000", "Ann", "procedural"): 4}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row(1, procedural=6), ["row 3", "'procedural'", "'6'", "whole number from 1 to 5"]),
        (row(1, procedural=0), ["row 3", "'procedural'", "'0'", "whole number"]),
        (row(1, procedural="3.5"), ["row 3", "'procedural'", "'3.5'", "whole number"]),
        (row(1, procedural="good"), ["row 3", "'procedural'", "'good'", "whole number"]),
        (row(1, realism_overall="-1"), ["row 3", "'realism_overall'", "'-1'", "whole number"]),
        (row(99), ["row 3", "'conversation_id'", "'c0099'", "remove the row"]),
        (row(1, conversation_id=""), ["row 3", "'conversation_id'", "''", "remove the row"]),
        (row(1, rater=" "), ["row 3", "'rater'", "correct it"]),
        (row(1, transcript_sha256="1f"), ["row 3", "'transcript_sha256'", "'1f'", "correct it"]),
        (row(1, rated_at="yesterday"), ["row 3", "'rated_at'", "'yesterday'", "correct it"]),
        (row(1, rated_at="2026-03-01T10:00:00"), ["row 3", "'rated_at'", "correct it"]),
        (row(1, rated_at="2027-03-01T10:00:00Z"), ["row 3", "'rated_at'", "yet to come"]),
        (row(1, comment="x" * 2001), ["row 3", "'comment'", "correct it"]),
        (f"{row(1)},more", ["row 3", "'beyond'", "'more'", "put quotes"]),
        (row(interactional=5), ["'interactional'", "'c0000'", "both 4 and 5", "keep one"]),
        (row(1, rater="ANN"), ["'rater'", "'ANN'", "'Ann'", "in one way"]),
    ],
)
def test_a_bad_row_is_named_with_column_value_and_remedy_and_nothing_is_taken_in(
    lake: Lake, tmp_path: Path, bad: str, words: list[str]
) -> None:
    path = write(tmp_path, row(), bad)
    with pytest.raises(ReviewError) as caught:
        take(lake, path)
    for word in [path.name, *words]:
        assert word in str(caught.value)
    assert read_ratings(lake, EXPERIMENT) == []


@pytest.mark.parametrize(
    ("header", "line", "words"),
    [
        ("conversation_id,rater,procedual", "c0000,Ann,3", ["header", "'procedual'", "did you mean 'procedural'"]),
        ("conversation_id,rater,dimension,score", "c0000,Ann,procedual,3", ["row 2", "did you mean 'procedural'"]),
        ("conversation_id,rater,dimension,score", "c0000,Ann,,3", ["row 2", "'dimension'", "''"]),
        ("conversation_id,rater,score", "c0000,Ann,3", ["header", "'score'", "'dimension'"]),
        ("conversation_id,rater,comment", "c0000,Ann,fine", ["header", "no question", "procedural"]),
        ("conversation_id,procedural", "c0000,3", ["header", "'rater'"]),
        ("rater,procedural", "Ann,3", ["header", "'conversation_id'"]),
        ("conversation_id,rater,procedural", "c0000,Ann,", ["no score", "export again"]),
    ],
)
def test_wrong_columns_are_named(lake: Lake, tmp_path: Path, header: str, line: str, words: list[str]) -> None:
    path = write(tmp_path, line, header=header)
    with pytest.raises(ReviewError) as caught:
        take(lake, path)
    for word in [path.name, *words]:
        assert word in str(caught.value)


def test_of_several_files_all_are_taken_in_or_none(lake: Lake, tmp_path: Path) -> None:
    good, bad = write(tmp_path, row()), write(tmp_path, row(rater="Bo", procedural=9), name="bo.csv")
    with pytest.raises(ReviewError, match=r"bo\.csv"):
        take(lake, good, bad)
    assert read_ratings(lake, EXPERIMENT) == []
    taken = take(lake, good, write(tmp_path, row(rater="Bo"), name="bo.csv"))
    assert len(taken.merged.added) == 8
    assert {target[1] for target in list_scores(lake)} == {"Ann", "Bo"}


def test_one_persons_name_is_not_written_in_two_ways_in_two_files(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row()))
    with pytest.raises(ReviewError, match="'ann' is written 'Ann'"):
        take(lake, write(tmp_path, row(1, rater="ann")))


@pytest.mark.parametrize("given", [{}, {"rated_at": ""}])
def test_the_same_file_again_changes_nothing(lake: Lake, tmp_path: Path, given: dict[str, Any]) -> None:
    path = write(tmp_path, row(**given))
    take(lake, path)
    before = (lake.overrides / "ratings" / f"{EXPERIMENT}.csv").read_bytes()
    later = take_in_ratings(lake, [path], datetime(2026, 3, 2, 12, tzinfo=UTC))
    assert (later.merged.added, later.merged.known) == ([], 4)
    assert (lake.overrides / "ratings" / f"{EXPERIMENT}.csv").read_bytes() == before


def test_the_later_answer_counts_and_the_earlier_one_stays_on_file(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row()))
    taken = take(lake, write(tmp_path, row(procedural=5, rated_at="2026-03-01T11:00:00Z")))
    assert (len(taken.merged.added), taken.merged.known, taken.merged.changed) == (1, 3, 1)
    assert list_scores(lake)["c0000", "Ann", "procedural"] == 5
    assert len(read_ratings(lake, EXPERIMENT)) == 5


def make_table(lake: Lake, messages: list[MessageRow]) -> list[Rating]:
    table = make_rating_table(read_ratings(lake, EXPERIMENT), from_records(MessageRow, messages))
    return list(to_records(Rating, table))


def test_a_rating_goes_with_the_transcript_that_it_was_given_to(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row(), row(1), row(2)))
    changed = make_messages(1, [*SAID[:-1], "Fine, and I'm still cross."])
    states = {row.conversation_id: row.state for row in make_table(lake, [*make_messages(0), *changed])}
    assert states == {"c0000": "current", "c0001": "stale", "c0002": "missing"}


def test_what_else_changes_about_a_conversation_leaves_ratings_as_they_are(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row()))
    same = make_messages(0, made_by="openai/else", tries=3)
    assert {row.state for row in make_table(lake, list(reversed(same)))} == {"current"}
    assert {row.state for row in make_table(lake, make_messages(0, [*SAID, " "]))} == {"current"}


def test_a_file_on_an_older_transcript_is_kept_and_said_to_be_stale(lake: Lake, tmp_path: Path) -> None:
    taken = take(lake, write(tmp_path, row(), row(1, transcript_sha256=digest(["Where is my bag?"]))))
    assert taken.stale == 4
    states = {row.conversation_id: row.state for row in make_table(lake, [*make_messages(0), *make_messages(1)])}
    assert states == {"c0000": "current", "c0001": "stale"}


def test_the_table_tells_what_each_question_is_about(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row(comment="")))
    rows = make_table(lake, make_messages(0))
    assert {row.question: row.asks_about for row in rows} == {
        "interactional": "justice", "procedural": "justice", "distributive": "justice", "realism_overall": "realism",
    }  # fmt: skip
    assert {row.comment for row in rows} == {None}


def test_ratings_of_a_forgotten_scenario_go(lake: Lake, tmp_path: Path) -> None:
    take(lake, write(tmp_path, row(), row(1)))
    assert drop_ratings(lake, ["s9999"]) == 0
    assert drop_ratings(lake, ["s0001"]) == 8
    assert read_ratings(lake, EXPERIMENT) == []
    assert "Ann" not in (lake.overrides / "ratings" / f"{EXPERIMENT}.csv").read_text(encoding="utf-8")


def test_what_was_taken_in_survives_as_text_of_any_kind(lake: Lake, tmp_path: Path) -> None:
    path = write(tmp_path, row(comment='"=HYPERLINK(""x"");\n<script>"', rater="@ann"))
    take(lake, path)
    entry = read_ratings(lake, EXPERIMENT)[0]
    assert (entry.comment, entry.rater) == ('=HYPERLINK("x"); <script>', "@ann")
    assert "'=HYPERLINK" in (lake.overrides / "ratings" / f"{EXPERIMENT}.csv").read_text(encoding="utf-8")


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


@given(st.permutations(range(4)), st.lists(st.integers(1, 5), min_size=4, max_size=4))
def test_the_latest_counts_in_any_order(places: list[int], scores: list[int]) -> None:
    entries = [
        RatingEntry(
            experiment_id="e", conversation_id="c", scenario_id="s", transcript_sha256=digest_json("x"), rater="Ann",
            question="procedural", score=scores[hour], comment="", rated_at=NOW.replace(hour=hour),
        )
        for hour in places
    ]  # fmt: skip
    assert [entry.score for entry in pick_latest(entries).values()] == [scores[3]]


def test_questions_have_an_anchor_for_each_point_and_columns_of_their_own() -> None:
    assert find_question_ids()[:3] == ("interactional", "procedural", "distributive")
    for question in list_questions():
        assert question.asks_about == ("realism" if question.question_id.startswith("realism_") else "justice")
        assert all(sorted(entry.anchors) == [1, 2, 3, 4, 5] for entry in question.helps)


def test_the_draw_goes_round_agents_and_takes_up_what_was_begun() -> None:
    rows = [make_conversation(number, agent="ab"[number % 2]) for number in range(20)]
    chosen = choose_conversations(rows, {"c0007"}, count=6, seed=1)
    assert chosen[0] == "c0007"
    agents = ["ab"[int(name[1:]) % 2] for name in chosen]
    assert 2 <= agents.count("a") <= 4
    assert choose_conversations(list(reversed(rows)), {"c0007"}, count=6, seed=1) == chosen
    assert choose_conversations(rows, {"c0007"}, count=6, seed=2) != chosen


def test_everybody_gets_the_same_conversations_in_an_order_of_their_own() -> None:
    names = [f"c{number:04}" for number in range(30)]
    ann, bo = order_for("Ann", names, 1), order_for("Bo", names, 1)
    assert sorted(ann) == sorted(bo) == names
    assert ann != bo
    assert order_for("Ann", list(reversed(names)), 1) == ann


def test_what_a_person_has_rated_whole_is_left_out_until_it_is_stale(lake: Lake, tmp_path: Path) -> None:
    whole = dict.fromkeys(find_question_ids(), 3)
    take(lake, write(tmp_path, row(0, **whole), row(1)))
    cases = read_cases(lake, EXPERIMENT)
    made = assign(lake, EXPERIMENT, cases, "ann", Draw(6, 10, 1))
    assert (made.done, sorted(case.conversation.conversation_id for case in made.cases)) == (
        1, ["c0001", "c0002", "c0003", "c0004", "c0005"],
    )  # fmt: skip
    assert assign(lake, EXPERIMENT, cases, "Bo", Draw(6, 2, 1)).done == 0
    assert len(assign(lake, EXPERIMENT, cases, "Bo", Draw(6, 2, 1)).cases) == 2
    latest = list(pick_latest(read_ratings(lake, EXPERIMENT)).values())
    assert find_done(latest, {"c0000": "0" * 64}, "Ann") == set()


def test_an_unknown_experiment_is_named(lake: Lake) -> None:
    with pytest.raises(ReviewError, match=r"no experiment 'tri'.*there is try"):
        read_cases(lake, "tri")
