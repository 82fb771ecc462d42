"""The cap on exchanges, raised where too many conversations reach it."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.experiment import Experiment
from schemas.records import Record
from schemas.simulation import Conversation, MessageRow, Playing
from servicebench_data.simulation.capping import CAPPED_SHARE, find_capped, find_highest
from servicebench_data.simulation.playing import hold_conversations
from servicebench_data.simulation.running import Tables
from servicebench_data.simulation.tables import MADE
from tests.simulation.stage import load, make_parts, make_scenario
from tests.simulation.test_playing import make_tables

SCRIPTS = [{"name": name, "script": name} for name in ("just", "cold", "evader")]


def make_column(ends: list[tuple[str, bool]]) -> pa.Table:
    return pa.table(
        {
            "conversation_id": [f"c{place}" for place in range(len(ends))],
            "agent": [agent for agent, _ in ends],
            "end": ["turn_cap" if capped else "agreement" for _, capped in ends],
        }
    )


@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), st.booleans()), max_size=60))
def test_all_capped_conversations_go_on_where_one_agent_has_too_many(ends: list[tuple[str, bool]]) -> None:
    share = {
        agent: sum(capped for name, capped in ends if name == agent) / max(1, sum(name == agent for name, _ in ends))
        for agent in ("a", "b")
    }
    expected = {f"c{place}" for place, (_, capped) in enumerate(ends) if capped}
    assert find_capped(make_column(ends)) == (expected if max(share.values()) > CAPPED_SHARE else frozenset())


def test_just_a_twentieth_may_be_capped() -> None:
    assert find_capped(make_column([("a", False)] * 19 + [("a", True)])) == frozenset()
    assert find_capped(make_column([("a", False)] * 18 + [("a", True)])) == {"c18"}


@pytest.mark.parametrize(("given", "highest"), [({}, 60), ({"turn_cap": 4}, 12), ({"turn_cap_limit": 20}, 20)])
def test_the_highest_cap_is_named_or_three_times_the_cap(given: dict[str, int], highest: int) -> None:
    spec = {"title": "t", "agents": SCRIPTS, **given}
    assert find_highest(Experiment.model_validate(spec)) == highest


def test_a_limit_below_the_cap_is_refused() -> None:
    with pytest.raises(ValueError, match="turn_cap_limit"):
        Experiment.model_validate({"title": "t", "agents": SCRIPTS, "turn_cap": 8, "turn_cap_limit": 7})


@pytest.fixture(scope="module")
def tables() -> dict[type[Record], pa.Table]:
    return make_tables(make_parts(make_scenario(f"s{number}", cluster_id=f"k{number}")) for number in range(3))


def hold(tmp_path: Path, tables: dict[type[Record], pa.Table], **given: Any) -> Tables:
    loaded = load(tmp_path, agents=SCRIPTS, styles="all", **given)
    return hold_conversations(loaded, tables, lambda: pytest.fail("rules and scripts need no doorway"))


def test_a_raised_cap_gives_what_a_cap_that_was_high_from_the_beginning_gives(
    tmp_path: Path, tables: dict[type[Record], pa.Table]
) -> None:
    low, kept, high = (
        hold(tmp_path, tables, turn_cap=cap, turn_cap_limit=limit) for cap, limit in ((1, 30), (1, 1), (30, 30))
    )
    assert "turn_cap" in kept[Conversation]["end"].to_pylist()
    assert "turn_cap" not in high[Conversation]["end"].to_pylist()
    assert [low[record] for record in MADE] == [high[record] for record in MADE]
    caps = [tables[Playing]["turn_cap"].to_pylist() for tables in (low, kept, high)]
    assert caps[1:] == [[1], [30]]
    assert [max(row["exchanges"] for row in low[Conversation].to_pylist())] <= caps[0] < [30]
    assert low[MessageRow].num_rows > kept[MessageRow].num_rows
