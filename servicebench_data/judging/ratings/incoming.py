"""Reads what a rater hands in: the CSV that the page exports, or one made otherwise in one of two layouts.

Belongs here: validating every row. Not here: storing (`store.py`).

Wide: `conversation_id`, `rater`, and a column for each question that was answered. Long: `conversation_id`, `rater`,
`dimension` (or `question`), `score`. Both may have `transcript_sha256` (else the transcript as it is now is meant),
`comment`, and `rated_at` (else the time of the import). An answer left empty was not given.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pydantic import ValidationError

from schemas.judging import RatingEntry
from servicebench_data.judging.ratings.questions import find_question_ids
from servicebench_data.judging.ratings.transcripts import Rated
from servicebench_data.review.cells import ReviewError, bare, open_rows
from servicebench_data.review.incoming import CLOCK_TOLERANCE, suggest

NEEDED = ("conversation_id", "rater")
OPTIONAL = ("transcript_sha256", "comment", "rated_at")
#: Names of the column that holds the question where each answer has a row of its own.
QUESTION = ("dimension", "question")
SCORE = "score"
#: A whole number from 1 to 5; a spreadsheet may add zeros.
WHOLE = re.compile(r"([1-5])(?:[.,]0+)?")

Rows = Sequence[tuple[int, Mapping[str, str]]]


@dataclass(frozen=True)
class Answer:
    """An answer as it stands in a file.

    Attributes:
        place: Row of the file.
        column: Column of the score.
        question: What was asked.
        score: What was answered.
        row: The whole row.
    """

    place: int
    column: str
    question: str
    score: str
    row: Mapping[str, str]


class RowError(ValueError):
    """A row that cannot be used; the message names column, value and remedy."""


def is_rating_file(path: Path) -> bool:
    """Whether a file has the columns of ratings, and not those of decisions.

    Raises:
        ReviewError: It is no CSV in UTF-8.
    """
    try:
        header = path.read_text(encoding="utf-8-sig").partition("\n")[0]
    except (UnicodeDecodeError, IsADirectoryError) as error:
        raise ReviewError([f"{str(path)!r} is no text file in UTF-8; save it as CSV (UTF-8)."]) from error
    names = {name.strip().strip('"') for name in re.split("[,;]", header)}
    return "item_id" not in names and bool(names & {*NEEDED, *find_question_ids()})


def list_conversations(path: Path) -> set[str]:
    """Conversations that a file rates.

    Raises:
        ReviewError: The file is no such CSV, or a needed column is missing.
    """
    return {bare(row["conversation_id"]) for _, row in open_rows(path, NEEDED)}


def read_ratings_file(path: Path, rated: Mapping[str, Rated], now: datetime) -> list[RatingEntry]:
    """The ratings of a file.

    Args:
        path: The CSV.
        rated: The conversations that there are, by id.
        now: Time of the ratings that have none.

    Raises:
        ReviewError: Some row cannot be used; every such row is named.
    """
    rows = open_rows(path, NEEDED)
    faults = check_columns(path, rows)
    if faults:
        raise ReviewError(faults)
    entries: list[RatingEntry] = []
    for answer in list_answers(rows):
        try:
            entries.append(read_answer(answer, rated, now))
        except RowError as error:
            faults.append(f"{str(path)!r} row {answer.place}, {error}")
    faults += find_contradictions(path, entries)
    if faults:
        raise ReviewError(list(dict.fromkeys(faults)))
    if not entries:
        raise ReviewError([f"{str(path)!r} holds no score; rate at least one conversation, then export again."])
    return entries


def check_columns(path: Path, rows: Rows) -> list[str]:
    """What is wrong with a file's columns: none of a question, or one that nobody asked for."""
    names = list(dict.fromkeys(name for _, row in rows for name in row if name != "beyond"))
    is_long = SCORE in names
    if is_long and not any(name in QUESTION for name in names):
        return [f"{str(path)!r}, header: 'score' needs a column 'dimension' beside it; add it."]
    allowed = [*NEEDED, *OPTIONAL, *((*QUESTION, SCORE) if is_long else find_question_ids())]
    faults = [
        f"{str(path)!r}, header: {name!r} is no column of ratings; {suggest(name, allowed)}"
        for name in names
        if name not in allowed and any(row.get(name) for _, row in rows)
    ]
    faults += [
        f"{str(path)!r} row {place}, column 'beyond': {row['beyond']!r} stands beyond the last column; put quotes "
        "around cells with commas."
        for place, row in rows
        if row.get("beyond")
    ]
    if not faults and names and not is_long and not any(name in find_question_ids() for name in names):
        faults.append(f"{str(path)!r}, header: no question has a column; add some of {', '.join(find_question_ids())}.")
    return faults


def list_answers(rows: Rows) -> Iterator[Answer]:
    """Every answer of a file in either layout; empty ones are left out."""
    for place, row in rows:
        if SCORE in row:
            name = next(name for name in QUESTION if name in row)
            if row[SCORE]:
                yield Answer(place, SCORE, bare(row[name]), bare(row[SCORE]), row)
        else:
            for question in find_question_ids():
                if row.get(question):
                    yield Answer(place, question, question, bare(row[question]), row)


def read_answer(answer: Answer, rated: Mapping[str, Rated], now: datetime) -> RatingEntry:
    """One rating.

    Raises:
        RowError: It cannot be used.
    """
    if answer.question not in find_question_ids():
        known = list(find_question_ids())
        raise RowError(f"column 'dimension': {answer.question!r} is not asked; {suggest(answer.question, known)}")
    row = {name: bare(answer.row.get(name) or "") for name in (*NEEDED, *OPTIONAL)}
    held = find_held(row["conversation_id"], rated)
    values: dict[str, object] = {
        **row,
        "experiment_id": held.experiment_id,
        "scenario_id": held.scenario_id,
        "transcript_sha256": row["transcript_sha256"] or held.transcript_sha256,
        "question": answer.question,
        "score": read_score(answer),
        "rated_at": row["rated_at"] or now,
    }
    try:
        entry = RatingEntry.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise RowError(f"column {name!r}: {first['input']!r}: {first['msg']}; correct it and apply again.") from error
    if entry.rated_at > now + CLOCK_TOLERANCE:
        raise RowError(f"column 'rated_at': {row['rated_at']!r} is yet to come; correct it or leave it empty.")
    return entry


def find_held(conversation_id: str, rated: Mapping[str, Rated]) -> Rated:
    """The conversation of a row.

    Raises:
        RowError: There is none.
    """
    if conversation_id not in rated:
        raise RowError(
            f"column 'conversation_id': {conversation_id!r} is no conversation of this home's experiments; remove the "
            "row, or give the home that was rated with --home."
        )
    return rated[conversation_id]


def read_score(answer: Answer) -> int:
    """A score.

    Raises:
        RowError: It is none.
    """
    found = WHOLE.fullmatch(answer.score)
    if found is None:
        raise RowError(f"column {answer.column!r}: {answer.score!r} is no score; give a whole number from 1 to 5.")
    return int(found[1])


def find_contradictions(path: Path, entries: Sequence[RatingEntry]) -> list[str]:
    """Answers of one person to one question that contradict each other and were given at one time."""
    given: dict[tuple[object, ...], int] = {}
    faults: list[str] = []
    for entry in entries:
        before = given.setdefault((*entry.target, entry.rated_at), entry.score)
        if before != entry.score:
            faults.append(
                f"{str(path)!r}, column {entry.question!r}: {entry.rater!r} gives conversation "
                f"{entry.conversation_id!r} both {before} and {entry.score}; keep one, or give each its time."
            )
    return faults
