"""What figures make of answers, on literal rows: order, signs, words, and what they refuse to draw."""

from typing import Any

import pytest

from servicebench_data.release.report.figure import AbsentError, Scene, show_interval, show_sizes
from servicebench_data.release.report.figures import conditions, course, goodwill, journey, justice
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.summary import describe_trust, list_agents, list_tiles

SCENE = Scene("try", ("b", "a"))
PAIR: dict[str, Any] = {
    "agent_a": "a", "agent_b": "b", "difference": -0.5, "low": -0.8, "high": -0.2, "p": 0.01, "p_adjusted": 0.02,
    "adjustment": "holm", "n": 40, "clusters": 38, "is_comparable": True,
    "worst_case": -1.0, "best_case": 0.1, "label": "",
}  # fmt: skip


def answer(*rows: dict[str, Any]) -> Answer:
    return Answer(list(rows[0]) if rows else [], rows)


def mean(agent: str, value: float | None, **more: Any) -> dict[str, Any]:
    bounds = {"low": None, "high": None} if value is None else {"low": value - 0.1, "high": value + 0.1}
    return {"agent": agent, "mean": value, "sd": 0.5, "n": 20, "clusters": 18, "label": "", **bounds, **more}


def test_a_pair_is_turned_so_that_the_better_one_stands_first() -> None:
    turned = justice.orient(PAIR)
    assert (turned["agent_a"], turned["agent_b"]) == ("b", "a")
    assert (turned["difference"], turned["low"], turned["high"]) == (0.5, 0.2, 0.8)
    assert (turned["worst_case"], turned["best_case"]) == (-0.1, 1.0)
    assert justice.orient(turned) == turned


def test_pairs_are_counted_by_their_adjusted_p() -> None:
    drawn = justice.draw_paired_tests(answer(PAIR, {**PAIR, "agent_b": "c", "p_adjusted": 0.06}), SCENE)
    assert drawn.finding == "1 of 2 pairs differ at p < 0.05 after Holm's correction."
    drawn = justice.draw_paired_tests(answer({**PAIR, "p": None, "p_adjusted": None}), SCENE)
    assert drawn.finding.endswith("1 without a test, for the differences do not vary.")
    with pytest.raises(AbsentError, match="common scenario"):
        justice.draw_paired_tests(answer({**PAIR, "difference": None}), SCENE)


def test_a_refused_judges_agent_has_no_place_on_the_leaderboard() -> None:
    refused = mean("a", 4.9, measure="total", label="rule engine; judge refused")
    drawn = justice.draw_leaderboard(answer(refused, mean("b", 3.0, measure="total")), SCENE)
    assert drawn.finding == "b leads with 3.00 [2.90, 3.10]. 1 without a place, for a judge of theirs is refused."
    assert [(row["agent"], row["is_ranked"]) for row in drawn.extra] == [("b", True), ("a", False)]
    assert "4.90" not in str(drawn.wide)
    with pytest.raises(AbsentError, match="refused"):
        justice.draw_leaderboard(answer(refused), SCENE)


def test_a_rule_engine_gives_nobody_a_place() -> None:
    rules = mean("a", 4.9, measure="total", label="judge not validated; rule engine; scripted agent")
    drawn = justice.draw_leaderboard(answer(rules), SCENE)
    assert drawn.finding.startswith("Nobody has a place: a rule engine scored")
    assert [row["is_ranked"] for row in drawn.extra] == [False]
    assert "4.90" in str(drawn.wide)
    drawn = justice.draw_leaderboard(answer(rules, mean("b", 3.0, measure="total")), SCENE)
    assert drawn.finding == "b leads with 3.00 [2.90, 3.10]."
    assert [(row["agent"], row["is_ranked"]) for row in drawn.extra] == [("b", True), ("a", False)]


def test_one_judge_is_told_as_such() -> None:
    rows = [mean("a", 3.0, judge="only"), mean("a", 3.0, judge="ensemble")]
    assert "One judge only" in justice.draw_judges(answer(*rows), SCENE).finding
    assert not justice.draw_judges(answer(*rows, mean("a", 2.0, judge="other")), SCENE).finding


def test_what_was_not_varied_is_not_compared() -> None:
    row = mean("a", 3.0, reasoning="direct", guidance="none", model="m", disclosure="progressive")
    with pytest.raises(AbsentError, match=r"reason alike \(direct\).*no guidance"):
        conditions.draw_strategies(answer(row), SCENE)
    with pytest.raises(AbsentError, match="full_information"):
        conditions.draw_disclosure(answer(row), SCENE)
    varied = {**row, "agent": "b", "reasoning": "chain_of_thought", "disclosure": "full_information"}
    assert "chain of thought" in str(conditions.draw_strategies(answer(row, varied), SCENE).wide)
    assert "all in the opening" in str(conditions.draw_disclosure(answer(row, varied), SCENE).wide)


@pytest.mark.parametrize(("value", "words"), [(None, "not known|is known"), (0.0, "Nothing was paid")])
def test_a_cost_that_is_not_known_and_one_of_nothing_differ(value: float | None, words: str) -> None:
    with pytest.raises(AbsentError, match=words):
        goodwill.draw_cost(answer(mean("a", value)), SCENE)


def test_curves_begin_at_nothing() -> None:
    rows = [
        {
            "agent": "a",
            "outcome": "agreed",
            "turn": turn,
            "incidence": 0.1 * turn,
            "low": None,
            "high": None,
            "at_risk": 9,
        }
        for turn in (1, 2)
    ]
    curve = course.make_curve(answer(*rows), SCENE, "agreed", "a")
    assert [place[:2] for place in curve.places] == [(0.0, 0.0), (1.0, 0.1), (2.0, 0.2), (2.6, 0.2)]
    assert course.draw_cumulative(answer(*rows), SCENE).sizes == "n = 9 conversations per agent"
    with pytest.raises(AbsentError):
        course.draw_cumulative(answer({**rows[0], "incidence": 0.0}), SCENE)


def test_faults_are_told_with_what_was_mended() -> None:
    row = {"customer": "c", "kind": "role_flip", "faults": 4, "mended": 3, "n": 100}
    drawn = course.draw_faults(answer(row), SCENE)
    assert drawn.sizes == "4 faults in 100 conversations (n)"
    assert "role flip (c): 4" in str(drawn.wide)
    assert "1 not mended" in str(drawn.wide)


def test_spoilt_conversations_are_drawn_where_there_are_any() -> None:
    rows = [mean("a", 0.0, measure="invalid_rate"), mean("b", 0.0, measure="invalid_rate")]
    with pytest.raises(AbsentError, match="None of 40 conversations"):
        course.draw_invalid(answer(*rows), SCENE)
    assert "10%" in str(course.draw_invalid(answer(*rows, mean("b", 0.1, measure="failed_rate")), SCENE).wide)


def test_realism_is_drawn_by_question() -> None:
    row = {**mean("a", 3.5), "customer": "model", "question": "realism_overall", "ratings": 60, "raters": 3}
    drawn = course.draw_realism(answer(row), SCENE)
    assert "3.50 [3.40, 3.60]" in str(drawn.wide)
    assert "ratings" in drawn.sizes or "conversations" in drawn.sizes


def test_few_conversations_in_a_category_are_told() -> None:
    row = {"industry": "hotel", "stage": "Stay", "category": "Noise", "category_id": "noise", "mean": 2.0, "n": 9}
    other = {**row, "category": "Pests", "category_id": "pests", "mean": None, "n": 0}
    drawn = journey.draw_journey(answer(row, other, {**other, "industry": "airline"}), SCENE)
    assert list(drawn.extra) == ["hotel"]
    cells = drawn.extra["hotel"]["Stay"]
    assert [(cell["kind"], cell["is_few"]) for cell in cells] == [("q2", True), ("empty", False)]
    assert drawn.finding == "1 of 1 categories have fewer than 10 conversations."


def test_labels_are_told_once_with_whom_they_concern() -> None:
    labels = answer(
        {"agent": "a", "label": "self-play; judge not validated"}, {"agent": "b", "label": "judge not validated"}
    )
    found = describe_trust(labels, answer())
    assert [(entry.label, entry.agents) for entry in found.warnings] == [
        ("judge not validated", ["a", "b"]),
        ("self-play", ["a"]),
    ]
    assert all(entry.meaning for entry in found.warnings)


def test_agents_keep_the_order_of_the_experiments_file() -> None:
    played = [{"agent": name} for name in ("a", "b", "c")]
    assert list_agents({"definition": '{"agents": [{"name": "c"}, {"name": "a"}, {"name": "x"}]}'}, played) == [
        "c",
        "a",
        "b",
    ]
    assert list_agents({"definition": "no json"}, played) == ["a", "b", "c"]


def test_tiles_tell_what_was_spoilt() -> None:
    agents = [{"conversations": 1200, "valid": 1190, "scenarios": 300, "repeats": 1}]
    assert list_tiles({"judges": ["one"]}, agents) == [
        ("1", "agent"), ("300", "scenarios each"), ("1,200", "conversations"), ("10", "of them spoilt"),
        ("1", "run of each"), ("1", "judge"),
    ]  # fmt: skip


def test_numbers_in_words() -> None:
    assert show_interval(-0.5, -1.0, 0.25) == "−0.50 [−1.00, 0.25]"
    assert show_interval(0.5, None, None, sign="%") == "50% (no interval)"
    assert show_interval(None, None, None) == "no value"
    assert (
        show_sizes([{"n": 3, "clusters": 2}, {"n": 1200, "clusters": 2}])
        == "n = 3 to 1,200 conversations per agent, from 2 source dialogues"
    )
