"""The views that answer by name hold what the measures say, and what a person would make of them."""

import math
from collections.abc import Generator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from schemas.measures import AgentMeasure
from schemas.records import Record
from servicebench_data.lake.arrow import arrow_schema
from servicebench_data.lake.database import Limits
from servicebench_data.lake.statements import read_statements
from servicebench_data.measures.checks import RULES, check_accounts
from servicebench_data.measures.leaderboard import ANSWERS, read_leaderboard
from servicebench_data.measures.making import make_measures
from servicebench_data.release.publish import write_file
from tests.measures.stored import fill
from tests.measures.talks import EXPERIMENT, Talks
from tests.tables import make_build

# SB Table 11, airline: share of the limit and its z among seven agents; the seventh, which the paper leaves out, is the
# one for which the printed z come out.
AIRLINE = {
    "GPT-4o": (0.361, 0.076), "GPT-4o mini": (0.345, -0.065), "GPT-5": (0.456, 0.908),
    "DeepSeek-V4-Pro": (0.351, -0.009), "Gemini 2.5 Flash": (0.337, -0.134), "Llama 3.3 70B": (0.130, -1.945),
}  # fmt: skip
SEVENTH = 0.486


def play() -> Talks:
    """Two agents over five scenarios, one conversation of the second spoiled by the simulator."""
    talks = Talks()
    for number in range(5):
        talks.scenario(f"s{number}", severity="high" if number < 2 else "low")
        talks.know("x", scenario_id=f"s{number}")
        for agent, score in (("first", 4), ("second", 2)):
            end = "simulator_fault" if (agent, number) == ("second", 0) else "accepted" if number < 3 else "left"
            name = talks.talk(f"{agent}{number}", agent=agent, scenario_id=f"s{number}", end=end)
            if end != "simulator_fault":
                talks.judge(name, (score, score, score))
                talks.settle(name, (score, score, score))
                talks.offer(name, "3:0", 20.0 * score)
    talks.stumble("second0", "role_flip", is_mended=False)
    talks.stumble("second1", "role_flip", is_mended=True)
    return talks


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published file of an experiment with all its measures."""
    folder = tmp_path_factory.mktemp("answers")
    talks, limits = play(), Limits(1.0, 1, folder / "scratch")
    with talks.open(folder) as connection:
        made = make_measures(connection, EXPERIMENT)
    for record, table in made.items():
        talks.rows[record] = table.to_pylist()
    write_file(folder / "published.duckdb", make_build(), talks.write(folder), limits)
    return folder / "published.duckdb"


@pytest.fixture
def analyst(published: Path) -> Generator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(published), read_only=True) as connection:
        yield connection


def list_rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    return connection.sql(query).to_arrow_table().to_pylist()


def test_every_view_has_rows_and_says_what_it_is(analyst: duckdb.DuckDBPyConnection) -> None:
    views = analyst.execute(
        "SELECT view_name, comment FROM duckdb_views() WHERE schema_name = 'measures' ORDER BY view_name"
    ).fetchall()
    assert len(views) >= 22
    for name, comment in views:
        assert comment, name
        assert comment.startswith("One row per"), name
        assert analyst.execute(f"SELECT count(*) > 0 FROM measures.{name}").fetchall() == [(True,)], name


def test_the_leaderboard_ranks_by_the_headline(analyst: duckdb.DuckDBPyConnection) -> None:
    rows = list_rows(analyst, "FROM measures.leaderboard")
    assert [(row["place"], row["agent"], row["total"], row["n"], row["missing"]) for row in rows] == [
        (1, "first", 4.0, 5, 0),
        (2, "second", 2.0, 4, 1),
    ]
    assert [row["goodwill_standing_usd"] for row in rows] == [80.0, 40.0]
    assert {row["label"] for row in rows} == {"judge not validated"}


def test_every_mean_of_the_leaderboard_has_its_n_spread_and_interval(analyst: duckdb.DuckDBPyConnection) -> None:
    for row in list_rows(analyst, "FROM measures.leaderboard"):
        query = f"FROM measures.agent_measure WHERE \"by\" = 'macro' AND agent = '{row['agent']}'"
        found = {each["measure"]: each for each in list_rows(analyst, query)}
        means = [name for name in found if name in row]
        assert len(means) == 11
        for name in means:
            parts = ["n" if name == "total" else f"{name}_n", name, f"{name}_sd", f"{name}_low", f"{name}_high"]
            assert [row[part] for part in parts] == [found[name][key] for key in ("n", "mean", "sd", "low", "high")]
        resolved = row["agreement_rate_resolved"] + row["disengagement_rate_resolved"]
        assert (resolved, row["agreement_rate_resolved_n"]) == (1.0, row["agreement_rate_n"])


def test_the_leaderboard_for_a_person_has_the_spread_of_the_total_alone() -> None:
    rows = [
        fill(AgentMeasure, by="macro", measure=name, mean=3.0, sd=1.0, label="") for name in ("total", "procedural")
    ]
    (row,) = read_leaderboard(pa.Table.from_pylist(rows, schema=arrow_schema(AgentMeasure)))
    assert (row["total"], row["total_sd"], row["procedural"]) == (3.0, 1.0, 3.0)
    assert "n" in row
    assert "procedural_sd" not in row


#: Tables about the instruments: variances of scores, and what padding does to a judge's.
INSTRUMENTS = {"variance_component", "padding_effect"}
#: What has justice without a column that names the measure.
JUST = {"leaderboard", "invalid_share", "category_ranking", "justice_calibrated_to_people"}


def test_every_justice_number_is_marked_until_people_bear_the_judge_out(analyst: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT table_name, list(column_name) FROM duckdb_columns() WHERE schema_name = 'measures' GROUP BY ALL"
    columns = {name: set(named) for name, named in analyst.execute(query).fetchall()}
    measured = {name for name, named in columns.items() if {"measure", "label"} <= named} - INSTRUMENTS
    assert measured > {"agent_measure", "agent_contrast", "judge_consistency", "run_to_run", "justice_by_style"}
    for name in sorted(measured | JUST):
        kept = "measure IN ('interactional', 'procedural', 'distributive', 'total')" if name in measured else "TRUE"
        bare = analyst.execute(
            f"SELECT count(*) FROM measures.{name} WHERE {kept} AND NOT contains(label, 'judge not validated')"
        )
        assert bare.fetchall() == [(0,)], name


def test_goodwill_stands_as_offered_left_and_accepted(analyst: duckdb.DuckDBPyConnection) -> None:
    query = "FROM measures.goodwill_by_agent WHERE agent = 'first' AND \"by\" = 'all'"
    found = {row["measure"]: (row["n"], row["mean"]) for row in list_rows(analyst, query)}
    # Three of five agreed, each of which had 80 offered.
    assert found == {
        "goodwill_offered_max_usd": (5, 80.0), "goodwill_standing_usd": (5, 80.0), "goodwill_accepted_usd": (5, 48.0),
        "goodwill_normalised": (5, 0.4), "violation_rate": (5, 0.0),
    }  # fmt: skip


def test_a_refused_judge_and_the_rule_engine_give_no_place_on_the_leaderboard() -> None:
    shared: dict[str, Any] = {"experiment_id": EXPERIMENT, "by": "macro", "value": "all", "measure": "total"}
    rows = [
        fill(AgentMeasure, **shared, agent="refused", mean=4.9, label="judge refused"),
        fill(AgentMeasure, **shared, agent="ranked", mean=3.0, label="judge not validated"),
        fill(AgentMeasure, **shared, agent="script", mean=4.8, label="judge not validated; rule engine"),
        fill(AgentMeasure, **shared, agent="unscored", mean=None, label=""),
    ]
    found = read_leaderboard(pa.Table.from_pylist(rows, schema=arrow_schema(AgentMeasure)))
    assert [(row["agent"], row["place"]) for row in found] == [
        ("ranked", 1), ("refused", None), ("script", None), ("unscored", None)
    ]  # fmt: skip


def test_invalid_conversations_bound_what_could_have_been(analyst: duckdb.DuckDBPyConnection) -> None:
    first, second = list_rows(analyst, "FROM measures.invalid_share")
    assert (first["invalid"], first["agreement_rate_worst"], first["agreement_rate_best"]) == (0, 0.6, 0.6)
    assert (second["invalid"], second["invalid_share"], second["agreement_rate"]) == (1, 0.2, 0.5)
    assert (second["agreement_rate_worst"], second["agreement_rate_best"]) == (0.4, 0.6)
    assert (second["total"], second["total_worst"], second["total_best"]) == (2.0, 9 / 5, 13 / 5)
    assert (second["n"], second["total_n"], second["total_sd"]) == (5, 4, 0.0)


def test_faults_are_counted_by_what_became_of_them(analyst: duckdb.DuckDBPyConnection) -> None:
    (row,) = list_rows(analyst, "FROM measures.simulator_faults")
    assert (row["kind"], row["faults"], row["mended"], row["invalid_conversations"]) == ("role_flip", 2, 1, 1)
    assert row["share_of_conversations"] == 2 / 10


def test_cost_is_summed_and_an_unknown_price_makes_no_sum(tmp_path: Path) -> None:
    talks = Talks()
    talks.scenario()
    for name, price in (("known", 0.5), ("unknown", None)):
        talks.judge(talks.talk(name, agent=name, cost_usd=price), (3, 3, 3), cost_usd=price)
        talks.talk(f"{name}2", agent=name, cost_usd=0.25)
    with talks.open(tmp_path) as connection:
        view = next(text for text in read_statements(ANSWERS) if "VIEW measures.cost_by_agent" in text)
        connection.execute(view).fetchall()
        rows = {row["agent"]: row for row in list_rows(connection, "FROM measures.cost_by_agent")}
    assert (rows["known"]["cost_usd"], rows["known"]["judge_cost_usd"]) == (0.75, 1.5)
    assert (rows["unknown"]["cost_usd"], rows["unknown"]["judge_cost_usd"], rows["unknown"]["unknown"]) == (
        None,
        None,
        1,
    )


def test_first_offers_and_coverage_stand_by_turn(analyst: duckdb.DuckDBPyConnection) -> None:
    query = "FROM measures.first_offer_timing WHERE agent = 'first' AND \"by\" = 'all'"
    assert {row["first_goodwill"]: row["share"] for row in list_rows(analyst, query)} == {
        "T1": 0.0, "T2": 1.0, "T3+": 0.0, "never": 0.0,
    }  # fmt: skip
    query = "FROM measures.coverage_at_commitment WHERE agent = 'first' AND measure = 'coverage_all'"
    assert {row["first_goodwill"]: (row["n"], row["mean"]) for row in list_rows(analyst, query)} == {
        "T2": (5, 0.0), "all": (5, 0.0),
    }  # fmt: skip
    query = "FROM measures.coverage_by_turn WHERE agent = 'second'"
    assert [(row["turn"], row["n"], row["running"]) for row in list_rows(analyst, query)] == [(1, 4, 5), (2, 4, 5)]


def stand(goodwill: dict[str, float]) -> list[dict[str, Any]]:
    """Normalised goodwill by agent, as the view has it."""
    shared: dict[str, Any] = {"by": "industry", "value": "airline", "measure": "goodwill_normalised"}
    rows = [fill(AgentMeasure, **shared, agent=agent, mean=mean) for agent, mean in goodwill.items()]
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA measures").fetchall()
        connection.register("incoming", pa.Table.from_pylist(rows, schema=arrow_schema(AgentMeasure)))
        connection.execute("CREATE TABLE measures.agent_measure AS FROM incoming").fetchall()
        view = next(text for text in read_statements(ANSWERS) if "VIEW measures.goodwill_by_industry" in text)
        connection.execute(view).fetchall()
        return list_rows(connection, "FROM measures.goodwill_by_industry")


def test_z_scores_are_the_papers_within_rounding() -> None:
    goodwill = {**{agent: mean for agent, (mean, _) in AIRLINE.items()}, "seventh": SEVENTH}
    found = {row["agent"]: row["z"] for row in stand(goodwill)}
    for agent, (_, z) in AIRLINE.items():
        assert found[agent] == pytest.approx(z, abs=0.0044)  # half a unit of a printed share, in standard deviations
    assert math.sqrt(sum(z**2 for z in found.values()) / 6) == pytest.approx(1.0)


def test_fewer_than_four_agents_and_agents_that_are_alike_have_no_z() -> None:
    assert [row["z"] for row in stand({"a": 0.1, "b": 0.2, "c": 0.3})] == [None] * 3
    assert [row["z"] for row in stand(dict.fromkeys("abcd", 0.2))] == [None] * 4
    assert None not in [row["z"] for row in stand({"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4})]


def check(talks: Talks, folder: Path, rows: list[dict[str, Any]]) -> dict[str, bool]:
    """What the rules say of an experiment whose measures are these rows."""
    record: type[Record] = AgentMeasure
    talks.rows[record] = rows
    found = check_accounts(talks.write(folder), Limits(1.0, 1, folder / "scratch"))
    return {finding.rule: finding.passed for finding in found}


def test_the_accounts_hold_and_each_way_to_break_them_is_found(published: Path, tmp_path: Path) -> None:
    talks = play()
    with duckdb.connect(str(published), read_only=True) as connection:
        rows = list_rows(connection, "FROM measures.agent_measure")
    assert check(talks, tmp_path, rows) == dict.fromkeys(RULES, True)
    place = next(i for i, row in enumerate(rows) if row["measure"] == "unresolved_rate" and row["by"] == "style")
    moved = [*rows[:place], {**rows[place], "mean": 0.1}, *rows[place + 1 :]]
    assert check(talks, tmp_path, moved) == {**dict.fromkeys(RULES, True), "outcomes_sum_to_one": False}
    lost = [*rows[:place], {**rows[place], "missing": rows[place]["missing"] + 1}, *rows[place + 1 :]]
    assert check(talks, tmp_path, lost) == {**dict.fromkeys(RULES, True), "all_conversations_counted": False}
    without = [row for row in rows if row["agent"] != "second"]
    assert check(talks, tmp_path, without) == {**dict.fromkeys(RULES, True), "every_agent_measured": False}


def test_measures_that_are_not_there_fail_the_check(tmp_path: Path, limits: Limits) -> None:
    (finding,) = check_accounts({}, limits)
    assert (finding.rule, finding.passed) == ("complete", False)
