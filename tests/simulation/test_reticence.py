"""What a passive customer holds back of what the gate opened."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from schemas.experiment import STYLES
from schemas.simulation import OpenedBy, Style
from servicebench_data.simulation.patience import load_constants
from servicebench_data.simulation.reticence import hold_back
from servicebench_data.simulation.turns import KnownFact, Opening
from servicebench_data.simulation.views import know_facts
from tests.simulation.stage import make_fact

WAYS: tuple[OpenedBy | None, ...] = ("asked", "open_question", "earned", None)


@st.composite
def draw_openings(draw: st.DrawFn) -> tuple[list[KnownFact], list[Opening]]:
    """Closed facts, some of one statement, and which of them were opened by what."""
    said = draw(st.lists(st.integers(0, 4), min_size=1, max_size=8))
    facts = know_facts([
        make_fact((f"f{place}", f"Statement {number}.", None, "when_asked", True), "s1")
        for place, number in enumerate(said)
    ])  # fmt: skip
    ways: dict[int, OpenedBy | None] = {number: draw(st.sampled_from(WAYS)) for number in set(said)}
    opened = [
        Opening(fact.fact_id, way, "words") for fact, number in zip(facts, said, strict=True) if (way := ways[number])
    ]
    return list(facts), opened


@given(draw_openings(), st.sampled_from(STYLES), st.floats(0, 4))
def test_only_open_questions_bring_out_less_and_never_nothing(
    drawn: tuple[list[KnownFact], list[Opening]], style: Style, most: float
) -> None:
    facts, openings = drawn
    told = hold_back(openings, facts, style, replace(load_constants(), passive_tells=most))
    statements = {fact.fact_id: fact.statement for fact in facts}
    named = [opening for opening in openings if opening.opened_by != "open_question"]
    assert [opening for opening in told if opening.opened_by != "open_question"] == named
    freely = [statements[opening.fact_id] for opening in openings if opening.opened_by == "open_question"]
    kept = [statements[opening.fact_id] for opening in told if opening.opened_by == "open_question"]
    if style.startswith("assertive"):
        assert list(told) == openings
        return
    assert len(set(kept)) == min(len(set(freely)), max(1, round(most)))
    assert kept == [statement for statement in freely if statement in set(kept)], "a statement is told whole"
    assert list(told) == [opening for opening in openings if opening in told]
