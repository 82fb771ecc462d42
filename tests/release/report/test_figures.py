"""What figures make of answers, on literal rows: order, signs, words, and what they refuse to draw."""

import re
from typing import Any

import pytest

from servicebench_data.release.report.figure import AbsentError, Scene, show_interval, show_sizes
from servicebench_data.release.report.figures import conditions, course, goodwill, journey, justice, trust
from servicebench_data.release.report.reading import Answer
from servicebench_data.release.report.summary import describe_trust, list_agents, list_tiles, stamp

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


def test_outcomes_are_shares_of_all_and_in_words_of_the_resolved() -> None:
    ends = {"resolved_rate": 0.75, "resolved_low": 0.5, "resolved_high": 0.9, "resolved_n": 8}
    rows = [
        {"agent": "a", "outcome": "agreed", "conversations": 6, "share": 0.6, "n": 10, **ends},
        {"agent": "a", "outcome": "unresolved", "conversations": 2, "share": 0.2, "n": 10, "resolved_rate": None},
    ]
    none = {**rows[0], "agent": "b", "conversations": 0, "share": 0.0, "resolved_rate": 0.0, "resolved_low": 0.0}
    left = {**rows[0], "agent": "b", "outcome": "disengaged", "conversations": 10, "share": 1.0}
    drawn = course.draw_outcomes(answer(*rows, none, left), SCENE)
    assert drawn.finding == "Agreed, of those that agreed or left: a 75% [50%, 90%] of 8; b 0% [0%, 90%] of 8."
    assert "a, agreed: 60.0% (6 of 10)" in str(drawn.wide)
    assert "b, agreed" not in str(drawn.wide)
    assert not course.draw_outcomes(answer(rows[1]), SCENE).finding


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
    assert drawn.sizes == "n = 20 conversations per question, from 18 source dialogues, 60 ratings by 3 people"
    assert drawn.finding == "Overall: Taken as a whole, could this customer be a person?"


def test_few_conversations_in_a_category_are_told() -> None:
    row = {"industry": "hotel", "stage": "Stay", "category": "Noise", "category_id": "noise", "mean": 2.0, "n": 9}
    other = {**row, "category": "Pests", "category_id": "pests", "mean": None, "n": 0}
    drawn = journey.draw_journey(answer(row, other, {**other, "industry": "airline"}), SCENE)
    assert list(drawn.extra) == ["hotel"]
    cells = drawn.extra["hotel"]["Stay"]
    assert [(cell["kind"], cell["is_few"]) for cell in cells] == [("q2", True), ("empty", False)]
    assert drawn.finding == "1 of 1 categories have fewer than 10 conversations."


def test_the_highest_and_the_lowest_categories_stand_apart() -> None:
    row = {**mean("all", 4.0), "industry": "hotel", "ranked": 20}
    rows = [{**row, "category": f"c{rank}", "rank": rank, "mean": 4 - rank / 10} for rank in (1, 2, 19, 20)]
    drawn = journey.draw_extremes(answer(*rows), SCENE)
    words = str(drawn.wide)
    assert [words.count(f">{heading}<") for heading in ("highest", "lowest")] == [1, 1]
    assert words.index(">highest<") < words.index("c2 (n 20)") < words.index(">lowest<") < words.index("c19 (n 20)")
    assert "c20: 2.00 [3.90, 4.10], n = 20, rank 20" in words
    assert drawn.sizes == "n = 20 conversations per category, from 18 source dialogues; 20 categories ranked"


def test_labels_are_told_once_with_whom_they_concern() -> None:
    labels = answer(
        {"agent": "a", "label": "judge not validated", "is_headline": True},
        {"agent": "b", "label": "judge not validated; rule engine", "is_headline": True},
        {"agent": "a", "label": "self-play", "is_headline": False},
    )
    found = describe_trust(labels, answer())
    assert [(entry.label, entry.agents, entry.is_headline) for entry in found.warnings] == [
        ("judge not validated", ["a", "b"], True),
        ("rule engine", ["b"], True),
        ("self-play", ["a"], False),
    ]
    assert all(entry.meaning for entry in found.warnings)


def test_a_figure_is_stamped_as_the_headline_and_as_its_own_rows() -> None:
    rows = [{"label": "self-play; own family: something that only its table says"}, {"label": None}, {}]
    assert stamp(["rule engine"], rows) == ["rule engine", "self-play"]
    assert stamp(["rule engine"], []) == ["rule engine"]


def test_a_judge_of_the_agents_own_family_is_marked_in_its_cell() -> None:
    rows = [mean("a", 3.0, judge="kin", is_own_family=True), mean("b", 2.0, judge="kin", is_own_family=False)]
    picture = str(justice.draw_judges(answer(*rows), SCENE).wide)
    assert "3.00 own" in picture
    assert "2.00 own" not in picture
    assert picture.count(", self-play") == 2  # in the words of the picture and in the cell's


SLOPE: dict[str, Any] = {
    "measure": "total", "beta": -0.31, "low": -0.4, "high": -0.22, "t": -7.0, "p": 0.0001, "p_adjusted": 0.002,
    "n": 60, "clusters": 30, "label": "an association",
}  # fmt: skip


@pytest.mark.parametrize(
    ("ends", "words"),
    [((-0.4, -0.22), "with lower totals"), ((-0.7, 0.1), "neither higher nor lower"), ((None, None), "^$")],
)
def test_length_says_what_its_interval_allows(ends: tuple[float | None, float | None], words: str) -> None:
    drawn = trust.draw_length_effect(answer({**SLOPE, "low": ends[0], "high": ends[1]}), SCENE)
    assert re.search(words, drawn.finding)
    assert "−0.31" in str(drawn.narrow)
    assert "p = 0.002 (Holm)" in str(drawn.narrow)
    assert drawn.sizes == "n = 60 conversations, from 30 source dialogues"


def test_padding_is_told_by_judge_with_its_interval_and_its_label() -> None:
    row = {
        "judge": "gpt", "measure": "total", "shift": 0.21, "low": 0.1, "high": 0.32, "n": 50, "clusters": 40,
        "label": "",
    }  # fmt: skip
    rules = {**row, "judge": "rules", "shift": 0.0, "low": None, "high": None, "label": "rule engine"}
    drawn = trust.draw_padding_effect(answer(row, {**row, "measure": "procedural"}, rules), SCENE)
    assert drawn.finding == "Padding moves totals by: gpt 0.21 [0.10, 0.32]; rules 0.00 (no interval)."
    assert drawn.sizes == "n = 50 conversations scored both ways, from 40 source dialogues"
    assert "rules, total: 0.00 (no interval), n = 50; rule engine" in str(drawn.wide)
    assert str(drawn.wide).count(">gpt<") == 1
    with pytest.raises(AbsentError, match="gpt: no conversation has a score both ways"):
        trust.draw_padding_effect(
            answer({**row, "shift": None, "label": "no conversation has a score both ways"}), SCENE
        )


def test_the_parts_of_the_variance_add_up_and_the_largest_is_named() -> None:
    shares = {"scenario": 0.55, "run": 0.3, "residual": 0.15}
    row = {"measure": "total", "variance": 0.1, "sd": 0.32, "levels": 20, "n": 240, "label": ""}
    rows = [{**row, "component": name, "share": share} for name, share in shares.items()]
    drawn = trust.draw_variance(answer(*rows), SCENE)
    assert drawn.finding == "Most of it, 55% in totals: scenario."
    assert all(f">{100 * share:.0f}%<" in str(drawn.wide) for share in shares.values())
    assert [key.kind for key in drawn.keys] == ["o-scenario", "o-run", "o-residual"]


def test_runs_are_told_with_their_means_and_one_run_tells_nothing() -> None:
    row = mean("a", 3.4, measure="total", run="all", icc=0.6)
    runs = [mean("a", 3.0 + place, measure="total", run=str(place), icc=None) for place in range(2)]
    drawn = trust.draw_run_to_run(answer(*runs, row), SCENE)
    assert "runs 3.00, 4.00 (mean 3.40)" in str(drawn.wide)
    assert drawn.finding.endswith("at most 0.50.")
    with pytest.raises(AbsentError, match="repeats: 3"):
        trust.draw_run_to_run(answer(*runs, {**row, "icc": None}), SCENE)


def test_self_preference_is_drawn_where_people_rated_and_else_says_why_not() -> None:
    row = {
        "judge": "gpt", "family": "gpt", "difference": 0.4, "low": 0.1, "high": 0.7, "p_adjusted": 0.01, "label": "",
        "own_transcripts": 40, "other_transcripts": 80,
    }  # fmt: skip
    drawn = trust.draw_self_preference(answer(row), SCENE)
    assert "gpt: 0.40 [0.10, 0.70], p = 0.010 (Holm)" in str(drawn.wide)
    assert drawn.sizes == "n = 40 rated conversations of the own family, 80 of others"
    with pytest.raises(AbsentError, match="gpt: nobody rated"):
        trust.draw_self_preference(answer({**row, "difference": None, "label": "nobody rated"}), SCENE)


def test_calibrated_means_stand_beside_the_judges_own() -> None:
    row = {
        "judge": "ensemble", "agent": "a", "raw": 4.2, "calibrated": 3.6, "low": 3.4, "high": 3.8, "n": 60,
        "clusters": 30, "calibration_transcripts": 40, "raw_error": 0.9, "calibrated_error": 0.5,
    }  # fmt: skip
    drawn = trust.draw_calibrated(answer(row), SCENE)
    assert "a: 4.20 as given" in str(drawn.wide)
    assert "a: 3.60 [3.40, 3.80] calibrated" in str(drawn.wide)
    assert "by 0.90 points, calibrated by 0.50" in drawn.finding
    with pytest.raises(AbsentError, match="rated by people"):
        trust.draw_calibrated(answer({**row, "calibrated": None}), SCENE)


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
