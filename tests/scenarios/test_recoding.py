"""The second coding of a finished text questions the first one by its own method, never a person's decision."""

from collections.abc import Sequence

import pytest

from schemas.journeys import CategoryAnswer
from schemas.scenarios import Candidate
from servicebench_data.models.task import Item, Outcome
from servicebench_data.scenarios.candidates import Finished, Recoder, judge_coding
from tests.journeys.words import airline, airline_head, embed_words
from tests.rows import plain_row

CASES = [("delayed_baggage", None), ("tarmac_holds", "recoded_differently"), (None, "recoded_unassigned")]


def make_candidate() -> Candidate:
    return Candidate.model_validate(plain_row(Candidate, dialogue_id="d1", category_id="delayed_baggage"))


@pytest.mark.parametrize(("recoded", "reason"), CASES)
def test_a_text_that_the_head_codes_otherwise_is_rejected(recoded: str | None, reason: str | None) -> None:
    judged = judge_coding(make_candidate(), recoded, is_decided=False)
    assert (judged.is_valid, judged.rejection_reason) == (reason is None, reason)


@pytest.mark.parametrize("recoded", [recoded for recoded, _ in CASES])
def test_where_a_person_decided_the_heads_coding_is_noted_and_no_reason(recoded: str | None) -> None:
    judged = judge_coding(make_candidate(), recoded, is_decided=True)
    assert (judged.is_valid, judged.rejection_reason, judged.recoded_category_id) == (True, None, recoded)


CLEAR = "My suitcase never came off the belt in Denver and nobody can tell me where my bag is."
DOUBTFUL = "Still nothing, unbelievable."


class Settler:
    """Answers as it is told, and remembers what it was asked; without an answer as where a budget is spent."""

    def __init__(self, place: int | None, *, is_spent: bool = False) -> None:
        self.place = place
        self.is_spent = is_spent
        self.items: list[Item[CategoryAnswer]] = []

    def __call__(self, items: Sequence[Item[CategoryAnswer]]) -> list[Outcome[CategoryAnswer] | None]:
        self.items += items
        return [None if self.is_spent else self.answer(item) for item in items]

    def answer(self, item: Item[CategoryAnswer]) -> Outcome[CategoryAnswer]:
        listed = [line.split()[1] for line in item.variables["categories"].splitlines()]
        chosen = None if self.place is None else listed[self.place]
        answer = CategoryAnswer(category_id=chosen, quote=chosen and item.variables["customer_text"])
        assert list(item.check(answer)) == []
        return Outcome(item.item_id, answer, (), None, 1, "openai/any", None, ())


def recode(text: str, settler: Settler, *, is_settled: bool) -> tuple[str | None, Recoder]:
    recoder = Recoder(airline(), airline_head(), embed_words, settler)
    (found,) = recoder([Finished("d1", text, is_settled)])
    return found, recoder


def code_by_head(text: str) -> str:
    prepared = airline_head().prepare([text])
    return airline_head().category_ids[int(airline_head().code(prepared, embed_words(prepared)).best[0])]


@pytest.mark.parametrize("place", [0, 3, None])
def test_where_a_model_settled_the_first_coding_it_settles_the_second_from_the_finished_text_alone(
    place: int | None,
) -> None:
    settler = Settler(place)
    found, recoder = recode(DOUBTFUL, settler, is_settled=True)
    (item,) = settler.items
    listed = [line.split()[1] for line in item.variables["categories"].splitlines()]
    assert found == (None if place is None else listed[place])
    assert listed[0] == code_by_head(DOUBTFUL)
    assert item.variables["customer_text"] == DOUBTFUL
    assert set(item.variables) == {"industry", "categories", "customer_text"}, "nothing of the first coding"
    assert recoder.is_final


@pytest.mark.parametrize(("text", "is_settled"), [(CLEAR, True), (DOUBTFUL, False)])
def test_where_the_head_is_sure_or_no_model_settled_the_head_alone_codes_again(text: str, is_settled: bool) -> None:
    settler = Settler(3)
    found, recoder = recode(text, settler, is_settled=is_settled)
    assert settler.items == []
    assert found in {code_by_head(text), None}
    assert recoder.is_final


def test_an_answer_that_did_not_come_is_asked_for_again_by_a_later_build() -> None:
    found, recoder = recode(DOUBTFUL, Settler(0, is_spent=True), is_settled=True)
    assert not recoder.is_final
    assert found in {code_by_head(DOUBTFUL), None}


def test_texts_without_a_word_and_no_texts_at_all_are_coded_to_nothing() -> None:
    recoder = Recoder(airline(), airline_head(), embed_words, Settler(0))
    assert recoder([]) == []
    assert recoder([Finished("d1", "@Delta 😡", True), Finished("d2", CLEAR, False)]) == [None, code_by_head(CLEAR)]
