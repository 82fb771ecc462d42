"""Which conversations come of an experiment: choice, styles, ids, seeds."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.experiment import STYLES, Selection
from schemas.scenarios import Scenario
from servicebench_data.simulation.experiment import ExperimentError
from servicebench_data.simulation.plan import (
    KEYS,
    balance_styles,
    find_shortfalls,
    plan_conversations,
    select_scenarios,
)
from tests.simulation.stage import load, make_scenario

IDS = st.lists(st.integers(0, 10**6).map("s{}".format), unique=True, max_size=60)


def make_many(count: int, categories: int = 4) -> list[Scenario]:
    return [
        make_scenario(
            f"s{number:04}", category_id=f"category_{number % categories}", severity="high" if number % 2 else "low"
        )
        for number in range(count)
    ]


def test_every_cell_of_the_design_is_planned_once(tmp_path: Path) -> None:
    loaded = load(tmp_path, disclosure=["progressive", "full_information"], repeats=3)
    planned = plan_conversations(loaded, make_many(5))
    assert len(planned) == 2 * 5 * 4 * 2 * 3
    assert len({entry.conversation_id for entry in planned}) == len(planned)
    assert planned == sorted(planned, key=lambda entry: entry.conversation_id)


def test_what_is_named_twice_is_played_once(tmp_path: Path) -> None:
    twice = {"disclosure": ["progressive", "progressive"], "styles": ["passive_warm", "passive_warm"]}
    assert len(plan_conversations(load(tmp_path, **twice), make_many(5))) == 2 * 5


def test_all_agents_meet_the_same_customers(tmp_path: Path) -> None:
    planned = plan_conversations(load(tmp_path, styles="balanced", repeats=2), make_many(9))
    met: dict[str, set[tuple[Any, ...]]] = {}
    for entry in planned:
        met.setdefault(entry.agent, set()).add((entry.scenario_id, entry.style, entry.repeat, entry.seed))
    assert met["just"] == met["cold"]
    assert len({seed for *_, seed in met["just"]}) == 18


def test_another_agent_changes_no_other_conversation(tmp_path: Path) -> None:
    agents = [{"name": "just", "script": "just"}, {"name": "cold", "script": "cold"}]
    before = plan_conversations(load(tmp_path, agents=agents), make_many(4))
    after = plan_conversations(load(tmp_path, agents=[{"name": "e", "script": "evader"}, *agents]), make_many(4))
    assert set(before) < set(after)


def test_another_seed_changes_seeds_and_no_ids(tmp_path: Path) -> None:
    one, other = (plan_conversations(load(tmp_path, seed=seed), make_many(4)) for seed in (1, 2))
    assert [entry.conversation_id for entry in one] == [entry.conversation_id for entry in other]
    assert not {entry.seed for entry in one} & {entry.seed for entry in other}


@given(IDS, st.integers(0, 5))
def test_balanced_styles_differ_by_one_at_most(ids: list[str], seed: int) -> None:
    styles = balance_styles(ids, seed)
    counts = Counter(dict.fromkeys(STYLES, 0)) + Counter(styles.values())
    sizes = [counts[style] for style in STYLES]
    assert set(styles) == set(ids)
    assert max(sizes) - min(sizes) <= 1
    assert styles == balance_styles(reversed(ids), seed)


@given(IDS.filter(lambda ids: len(ids) > 1))
def test_another_scenario_changes_few_styles(ids: list[str]) -> None:
    before, after = balance_styles(ids[1:], 1), balance_styles(ids, 1)
    assert sum(before[scenario] != after[scenario] for scenario in before) <= len(STYLES)


def test_a_limit_is_spread_evenly_and_every_beginning_is_kept() -> None:
    scenarios = make_many(40)
    chosen = {limit: select_scenarios(Selection(limit=limit), scenarios, 3) for limit in (4, 6, 12, 40)}
    for limit, found in chosen.items():
        counts = Counter(scenario.category_id for scenario in found).values()
        assert len(found) == limit
        assert max(counts) - min(counts) <= 1
    ids = [{scenario.scenario_id for scenario in found} for found in chosen.values()]
    assert ids[0] < ids[1] < ids[2] < ids[3]
    assert chosen[6] == select_scenarios(Selection(limit=6), reversed(scenarios), 3)
    assert chosen[6] != select_scenarios(Selection(limit=6), scenarios, 4)


def test_another_scenario_displaces_one_at_most() -> None:
    scenarios = make_many(41)
    before = {entry.scenario_id for entry in select_scenarios(Selection(limit=10), scenarios[:-1], 3)}
    after = {entry.scenario_id for entry in select_scenarios(Selection(limit=10), scenarios, 3)}
    assert len(before - after) <= 1


@pytest.mark.parametrize(
    ("selection", "count"),
    [
        ({"severities": ["high"]}, 10),
        ({"categories": ["category_1"]}, 5),
        ({"categories": ["category_1"], "severities": ["low"]}, 0),
        ({"industries": ["hotel"]}, 0),
        ({"split": "evaluation"}, 20),
        ({"split": "train"}, 0),
        ({"scenario_ids": ["s0003", "s0004"]}, 2),
        ({"scenario_ids": ["s0003", "s9"]}, -1),
    ],
)
def test_a_selection_narrows_and_says_when_nothing_is_left(selection: dict[str, Any], count: int) -> None:
    if count > 0:
        assert len(select_scenarios(Selection.model_validate(selection), make_many(20), 1)) == count
        return
    with pytest.raises(ExperimentError, match="'s9' is not released" if count < 0 else "none of the 20"):
        select_scenarios(Selection.model_validate(selection), make_many(20), 1)


def test_every_list_of_a_selection_is_one_that_narrows() -> None:
    lists = {name for name, value in Selection().model_dump().items() if isinstance(value, list)}
    assert lists == set(KEYS)


def list_some(*values: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), max_size=3)


SELECTIONS = st.fixed_dictionaries({
    "industries": list_some("airline", "hotel"),
    "categories": list_some("category_0", "category_1", "category_9"),
    "severities": list_some("low", "medium", "high"),
    "scenario_ids": list_some("s0000", "s0003", "s0011"),
    "split": st.sampled_from([None, "evaluation"]),
    "limit": st.none() | st.integers(1, 30),
})  # fmt: skip


@given(SELECTIONS)
def test_whatever_is_asked_for_is_chosen_or_told(given: dict[str, Any]) -> None:
    scenarios, unlimited = make_many(20), Selection.model_validate({**given, "limit": None})
    told = find_shortfalls(Selection.model_validate(given), scenarios)
    try:
        chosen = select_scenarios(unlimited, scenarios, 1)
    except ExperimentError:
        chosen = []
    absent = [
        (key, name)
        for key, read in KEYS.items()
        for name in given[key]
        if name not in {read(entry) for entry in chosen}
    ]
    assert all(any(key in words and repr(name) in words for words in told) for key, name in absent)
    is_short = given["limit"] is not None and len(chosen) < given["limit"]
    assert len(told) == len(set(absent)) + is_short
    assert (f"`scenarios.limit` is {given['limit']}, and only {len(chosen)} are there" in told) == is_short


def test_an_id_that_is_nearly_right_is_suggested() -> None:
    with pytest.raises(ExperimentError, match="did you mean `s0003`"):
        select_scenarios(Selection(scenario_ids=["s00003"]), make_many(4), 1)
