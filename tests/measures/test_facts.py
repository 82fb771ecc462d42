"""What is known of a conversation comes out as a person would count it, in the home as in the published file."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.judging import RubricItem
from schemas.simulation import ExperimentRow, OfferRow
from servicebench_data.lake.database import Limits
from servicebench_data.measures.facts import open_facts
from servicebench_data.release.publish import write_file
from servicebench_data.simulation.ending import ENDS
from servicebench_data.simulation.goodwill import sum_goodwill
from tests.measures.stored import VERSION
from tests.measures.talks import Talks
from tests.tables import make_build

FACTS = "FROM measures.conversation_fact ORDER BY conversation_id"
GOODWILL = (
    "SELECT goodwill_offered_max_usd, goodwill_standing_usd, goodwill_accepted_usd, entitlement_standing_usd, "
    f"unpriced_offers, violations {FACTS}"
)
COVERAGE = (
    "SELECT coverage_total, coverage_elicited, coverage_volunteered, coverage_all, coverage_with_opening, "
    f"coverage_grounded, coverage_final {FACTS}"
)


@pytest.fixture
def talks() -> Talks:
    made = Talks()
    made.scenario()
    return made


def test_a_raise_takes_the_place_of_its_offer_and_an_addition_adds(talks: Talks, tmp_path: Path) -> None:
    name = talks.talk("c1", messages=8)
    talks.offer(name, "1:0", 40.0)
    talks.offer(name, "3:0", 60.0, relation="raise", raises_offer="1:0")
    talks.offer(name, "5:0", 15.0, relation="addition", kind="goodwill_non_cash")
    talks.offer(name, "5:1", 64.0, kind="entitlement")
    assert talks.ask(tmp_path, GOODWILL) == [(75.0, 75.0, 75.0, 64.0, 0, 0)]


def test_a_lowered_offer_stands_lower_at_the_end_and_nothing_is_accepted_without_agreement(
    talks: Talks, tmp_path: Path
) -> None:
    name = talks.talk("c1", end="left", messages=4)
    talks.offer(name, "1:0", 100.0)
    talks.offer(name, "3:0", 30.0, relation="raise", raises_offer="1:0")
    assert talks.ask(tmp_path, GOODWILL) == [(100.0, 30.0, 0.0, 0.0, 0, 0)]


def test_an_offer_over_the_limit_stands_as_written_and_its_message_counts_once(talks: Talks, tmp_path: Path) -> None:
    name = talks.talk("c1", messages=6)
    talks.offer(name, "1:0", 150.0)
    talks.offer(name, "3:0", 300.0, relation="addition", is_over_limit=True)
    talks.offer(name, "3:1", 10.0, relation="addition", is_over_limit=True)
    talks.offer(name, "5:0", 5.0, relation="addition", is_over_limit=True)
    assert talks.ask(tmp_path, GOODWILL) == [(465.0, 465.0, 465.0, 0.0, 0, 2)]
    assert talks.ask(tmp_path, f"SELECT goodwill_normalised {FACTS}") == [(465 / 200,)]


def test_an_offer_without_an_amount_is_an_offer_that_counts_nothing(talks: Talks, tmp_path: Path) -> None:
    talks.offer(talks.talk("c1"), "3:0", None)
    assert talks.ask(tmp_path, GOODWILL) == [(0.0, 0.0, 0.0, 0.0, 1, 0)]
    assert talks.ask(tmp_path, f"SELECT first_goodwill, first_goodwill_turn {FACTS}") == [("T2", 2)]


def test_without_offers_goodwill_is_zero_and_no_row_is_lost(talks: Talks, tmp_path: Path) -> None:
    talks.talk("c1", messages=0)
    assert talks.ask(tmp_path, GOODWILL) == [(0.0, 0.0, 0.0, 0.0, 0, 0)]


OFFERS = st.lists(
    st.tuples(
        st.sampled_from(("entitlement", "goodwill_cash", "goodwill_non_cash")),
        st.one_of(st.none(), st.integers(0, 300).map(float)),
        st.integers(0, 2),
        st.booleans(),
    ),
    max_size=12,
)


def lay_out(drawn: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Offers in messages, some of which replace one that stands."""
    rows: list[dict[str, Any]] = []
    standing: list[str] = []
    message, number = 1, 0
    for kind, usd, skip, is_raise in drawn:
        message, number = (message + 2 * skip, 0) if skip else (message, number)
        raised = standing.pop() if is_raise and standing else None
        standing.append(f"{message}:{number}")
        rows.append({"at": standing[-1], "usd": usd, "kind": kind, "raises_offer": raised})
        number += 1
    return rows


@settings(max_examples=4)
@given(st.lists(st.tuples(OFFERS, st.booleans()), min_size=8, max_size=40))
def test_goodwill_is_that_of_the_harness(tmp_path: Path, drawn: list[tuple[Any, bool]]) -> None:
    talks = Talks()
    talks.scenario()
    expected: list[Any] = []
    for number, (offers, is_agreed) in enumerate(drawn):
        before = len(talks.rows[OfferRow])
        name = talks.talk(f"c{number:02}", end="accepted" if is_agreed else "left")
        for row in lay_out(offers):
            talks.offer(name, **row)
        rows = [OfferRow.model_validate(row) for row in talks.rows[OfferRow][before:]]
        expected.append(pytest.approx(sum_goodwill(rows, is_agreed=is_agreed)[:3]))
    assert [row[:3] for row in talks.ask(tmp_path, GOODWILL)] == expected


def test_the_first_goodwill_offer_has_its_turn_and_entitlements_have_none(talks: Talks, tmp_path: Path) -> None:
    for number, place in enumerate((1, 3, 5, 9)):
        name = talks.talk(f"c{number}", messages=12)
        talks.offer(name, "1:1" if place == 1 else "1:0", 10.0, kind="entitlement")
        talks.offer(name, f"{place}:0", 10.0)
    talks.talk("c9")
    found = talks.ask(tmp_path, f"SELECT first_goodwill, first_goodwill_turn, has_commitment {FACTS}")
    assert found == [("T1", 1, True), ("T2", 2, True), ("T3+", 3, True), ("T3+", 5, True), ("never", None, False)]


def know_five(talks: Talks) -> None:
    """Five facts that only the customer knows, the last of them not in the source, and one that the company knows."""
    for fact_id in ("opening", "asked", "free", "late"):
        talks.know(fact_id)
    talks.know("inferred", is_inferred=True)
    talks.know("known", is_secret=False)


def test_coverage_at_commitment_counts_what_was_out_when_the_offer_was_written(talks: Talks, tmp_path: Path) -> None:
    know_five(talks)
    name = talks.talk("c1", messages=8)
    talks.tell(name, "opening", 0, "opening")
    talks.tell(name, "known", 0, "opening")
    talks.tell(name, "asked", 2, "elicited")
    talks.tell(name, "free", 4, "volunteered")
    talks.tell(name, "inferred", 4, "early")
    talks.tell(name, "late", 6, "elicited")
    talks.offer(name, "5:0", 10.0)
    # Of 4 hidden facts 1 was elicited and 2 came unasked; of all 5 secret ones 4 were out; of 3 in the source, 2.
    assert talks.ask(tmp_path, COVERAGE) == [(4, 1 / 4, 2 / 4, 3 / 4, 4 / 5, 2 / 3, 4 / 4)]


def test_coverage_without_an_offer_is_that_of_the_end(talks: Talks, tmp_path: Path) -> None:
    know_five(talks)
    name = talks.talk("c1", messages=4)
    talks.tell(name, "asked", 2, "elicited")
    # The opening told nothing, so that all 5 are hidden; 4 of them are in the source.
    assert talks.ask(tmp_path, COVERAGE) == [(5, 1 / 5, 0.0, 1 / 5, 1 / 5, 1 / 4, 1 / 5)]


def test_coverage_is_missing_under_full_information_and_without_hidden_facts(talks: Talks, tmp_path: Path) -> None:
    talks.know("only")
    talks.tell(talks.talk("c1", disclosure="full_information"), "only", 0, "opening")
    talks.tell(talks.talk("c2"), "only", 0, "opening")
    missing = (None,) * 3
    assert talks.ask(tmp_path, COVERAGE) == [
        (0, *missing, None, None, None),
        (0, *missing, 1.0, None, None),
    ]


def test_coverage_by_turn_grows_with_what_is_told(talks: Talks, tmp_path: Path) -> None:
    know_five(talks)
    name = talks.talk("c1", end="left", messages=6)
    talks.tell(name, "opening", 0, "opening")
    talks.tell(name, "asked", 2, "elicited")
    talks.tell(name, "free", 4, "volunteered")
    talks.offer(name, "3:0", 20.0)
    query = "SELECT turn, facts_out, coverage, goodwill_standing_usd, is_commitment, outcome FROM measures.turn_fact"
    assert talks.ask(tmp_path, f"{query} ORDER BY turn") == [
        (1, 0, 0.0, 0.0, False, None),
        (2, 1, 0.25, 20.0, True, None),
        (3, 2, 0.5, 20.0, False, "disengaged"),
    ]


OUTCOMES = {
    "accepted": "agreed", "left": "disengaged", "third_party": "disengaged", "faded_out": "disengaged",
    "turn_cap": "unresolved", "agent_empty": "unresolved", "agent_refusal": "unresolved",
    "agent_unparsable": "unresolved", "agent_context_overflow": "unresolved", "agent_too_long": "unresolved",
    "agent_unanswered": "unresolved",
    "simulator_fault": "invalid", "simulator_unanswered": "unplayed", "over_budget": "unplayed",
}  # fmt: skip
VALUES = """
    SELECT end_detail, outcome, total, map_from_entries(list((measure, m.value)))
    FROM measures.conversation_fact JOIN measures.conversation_measure AS m USING (conversation_id, outcome)
    GROUP BY ALL
"""


def test_every_end_is_an_outcome_and_only_results_have_scores_and_rates(talks: Talks, tmp_path: Path) -> None:
    assert set(OUTCOMES) == set(ENDS)
    for end in OUTCOMES:
        name = talks.talk(end, end=end)
        talks.judge(name, (4, 4, 4))
        talks.settle(name, (4.0, 4.0, 4.0))
    with talks.open(tmp_path) as connection:
        rows = connection.execute(VALUES).fetchall()
        scored = connection.execute("SELECT count(*) FROM measures.score_fact").fetchall()
    assert {end: outcome for end, outcome, *_ in rows} == OUTCOMES
    assert scored == [(33,)]
    for end, outcome, total, values in rows:
        has_result = outcome not in {"invalid", "unplayed"}
        assert total == (4.0 if has_result else None)
        expected = {
            "agreement_rate": outcome == "agreed", "disengagement_rate": outcome == "disengaged",
            "unresolved_rate": outcome == "unresolved", "failed_rate": end.startswith("agent_"),
        }  # fmt: skip
        for measure, is_so in expected.items():
            assert values[measure] == (float(is_so) if has_result else None)
        is_resolved = outcome in {"agreed", "disengaged"}
        assert values["agreement_rate_resolved"] == (float(outcome == "agreed") if is_resolved else None)
        assert values["invalid_rate"] == {"invalid": 1.0, "unplayed": None}.get(outcome, 0.0)
        assert values["cost_usd"] == 0.5


def test_words_are_counted_over_messages_that_say_anything(talks: Talks, tmp_path: Path) -> None:
    name = talks.talk("c1", messages=0)
    for place, text in enumerate(("Hi all of you", "One  two\nthree", "Hm", "Four", "Hm", " ")):
        talks.say(name, place, text)
    talks.talk("c2", messages=1)
    found = talks.ask(tmp_path, f"SELECT agent_messages, words_per_agent_message, exp(log_mean_words) {FACTS}")
    assert found == [(2, 2.0, pytest.approx(2.0)), (0, None, None)]


def test_scores_of_the_version_in_force_stand_before_older_and_newer_ones(talks: Talks, tmp_path: Path) -> None:
    name = talks.talk("c1")
    for version, score in (("1-9-old", 2), (VERSION, 4), ("2-1-other", 5)):
        talks.judge(name, (score, score, score), grading_version=version, judge_made_by="offline")
        talks.settle(name, (score, score, score), grading_version=version)
    assert talks.ask(tmp_path, f"SELECT grading_version, total, scored_by {FACTS}") == [("2-1-other", 5.0, "offline")]
    talks.put(RubricItem, grading_version=VERSION)
    assert talks.ask(tmp_path, f"SELECT grading_version, total {FACTS}") == [(VERSION, 4.0)]


def test_the_ensemble_without_own_family_stands_and_one_model_makes_the_scores_a_models(
    talks: Talks, tmp_path: Path
) -> None:
    name = talks.talk("c1")
    talks.judge(name, (1, 1, 1), judge="rules", judge_made_by="offline")
    talks.judge(name, (3, 3, 3))
    talks.settle(name, (3.0, 3.0, 3.0))
    talks.settle(name, (2.0, 2.0, 2.0), ensemble="all")
    assert talks.ask(tmp_path, f"SELECT total, scored_by {FACTS}") == [(3.0, "model")]


def test_the_chance_of_being_played_is_that_of_the_release_times_that_of_the_experiment(tmp_path: Path) -> None:
    talks = Talks()
    for number in range(4):
        talks.scenario(f"s{number}", severity="low" if number else "high", inclusion_probability=0.5)
    talks.scenario("s9", category_id="other", inclusion_probability=0.25)
    chosen = {"industries": [], "categories": [], "severities": ["low"], "scenario_ids": [], "split": None, "limit": 2}
    talks.rows[ExperimentRow][0]["definition"] = json.dumps({"scenarios": chosen})
    talks.talk("c1", scenario_id="s1")
    talks.talk("c2", scenario_id="s9")
    # Of three low ones of its category one is played; the other category's only one is.
    assert talks.ask(tmp_path, f"SELECT inclusion_probability {FACTS}") == [(pytest.approx(0.5 / 3),), (0.25,)]


def test_the_published_views_and_those_over_the_lake_give_the_same_rows(tmp_path: Path, limits: Limits) -> None:
    talks = Talks()
    talks.scenario()
    know_five(talks)
    for number, end in enumerate(("accepted", "left", "turn_cap", "simulator_fault", "over_budget")):
        name = talks.talk(f"c{number}", end=end, agent=f"a{number % 2}", messages=6)
        talks.tell(name, "asked", 2, "elicited")
        talks.offer(name, "3:0", 25.0 * number)
        talks.judge(name, (3, 4, 5))
        talks.settle(name, (3.0, 4.0, 5.0))
    files = talks.write(tmp_path / "rows")
    published = tmp_path / "published.duckdb"
    write_file(published, make_build(), files, limits)
    with open_facts(files, limits) as ours, duckdb.connect(str(published), read_only=True) as theirs:
        for view in ("offer_fact", "disclosure_fact", "conversation_fact", "score_fact", "turn_fact"):
            query = f"SELECT * FROM measures.{view} ORDER BY ALL"
            rows = ours.execute(query).fetchall()
            assert rows
            assert theirs.execute(query).fetchall() == rows
        described = theirs.execute(
            "SELECT view_name FROM duckdb_views() WHERE schema_name = 'measures' AND comment IS NULL"
        ).fetchall()
        assert not described


def test_sums_are_added_up_in_one_order_whatever_the_threads(tmp_path: Path) -> None:
    with open_facts({}, Limits(1.0, 4, tmp_path)) as connection:
        assert connection.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
