"""Every question of `docs/analysis.md` is answered by its SQL on a published file."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import duckdb
import pytest

from servicebench_data.lake.sample import ROOT

PAGE = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: By the number of the question: what its answer has a column for, by which it can be told what the numbers are about.
NEEDED = {
    1: {"agent", "n", "total", "total_low", "total_high", "label"},
    2: {"agent_a", "agent_b", "difference", "low", "high", "p_adjusted", "is_comparable", "label"},
    3: {"industry", "agent", "n", "mean", "low", "high", "above_others", "label"},
    4: {"agent", "spread", "best_treated", "worst_treated", "smallest_n", "label"},
    5: {"agent", "severity", "n", "total", "goodwill_share_of_limit", "z", "label"},
    6: {"agent", "total", "goodwill_standing_usd", "violation_rate", "cost_per_conversation_usd", "label"},
    7: {"industry", "category", "n", "shrunken", "low", "high", "rank", "label"},
    8: {"agent", "outcome", "end_detail", "conversations", "share"},
    9: {"agent", "turn", "at_risk", "left_by_then", "low", "high"},
    10: {"agent", "first_offer", "conversations", "median_usd", "median_turn"},
    11: {"agent", "first_goodwill", "share", "n", "coverage", "low", "high", "label"},
    12: {"agent", "kind", "facts", "elicited", "never_told"},
    13: {"agent", "invalid_share", "faults", "mended", "total_worst", "total_best"},
    14: {"agent", "judges", "which", "conversations", "with_total"},
    15: {"judge", "status", "reason", "transcripts", "raters", "spearman"},
    16: {"agent", "dimension", "question", "mean", "a_quote"},
    17: {"measure", "beta", "low", "high", "p", "p_adjusted", "n", "label"},
    18: {"component", "variance", "share", "n", "label"},
    19: {"gate", "industry", "entered", "passed", "pass_rate"},
    20: {"scenario_id", "fact_id", "statement", "is_inferred", "quote", "turn_text"},
}
#: What has no value in this file: fewer than four agents, and judges that nobody rated.
BLANK = {5: {"z"}, 15: {"spearman"}}


class Question(NamedTuple):
    """A section of the page."""

    number: int
    title: str
    query: str
    words: str


def read_questions() -> Iterator[Question]:
    for section in PAGE.split("\n## ")[1:]:
        number, _, title = section.splitlines()[0].partition(". ")
        blocks = BLOCK.findall(section)
        assert len(blocks) == 1, title
        yield Question(int(number), title, blocks[0], section.partition(f"{blocks[0]}```")[2].strip())


QUESTIONS = list(read_questions())


@pytest.fixture(scope="module")
def connection(analysed: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(analysed), read_only=True) as opened:
        yield opened


def test_the_page_asks_twenty_questions_and_says_how_to_read_each_answer() -> None:
    assert [question.number for question in QUESTIONS] == list(range(1, 21)) == list(NEEDED)
    assert all(question.title.endswith("?") for question in QUESTIONS)
    assert all(len(question.words) > 100 for question in QUESTIONS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.number))
def test_a_question_is_answered(connection: duckdb.DuckDBPyConnection, question: Question) -> None:
    answer = connection.sql(question.query)
    names = answer.columns
    assert len(set(names)) == len(names)
    assert NEEDED[question.number] <= set(names)
    rows = [dict(zip(names, row, strict=True)) for row in answer.fetchall()]
    assert rows, "what this file holds leaves no question without a row"
    blank = {name for name in NEEDED[question.number] if all(row[name] is None for row in rows)}
    assert blank == BLANK.get(question.number, set()), "a column without any value answers nothing"


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question.number))
def test_an_answer_has_one_order(connection: duckdb.DuckDBPyConnection, question: Question) -> None:
    connection.execute("SET threads = 1")
    once = connection.sql(question.query).fetchall()
    connection.execute("SET threads = 4")
    assert connection.sql(question.query).fetchall() == once
