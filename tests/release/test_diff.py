"""Two builds are compared scenario by scenario, and builds are found by name."""

from pathlib import Path

import pytest

from schemas.scenarios import Scenario
from servicebench_data.lake.database import Limits
from servicebench_data.lake.store import Lake
from servicebench_data.release.diff import UnknownBuildError, compare_builds, find_build
from servicebench_data.release.publish import publish_build
from tests.tables import Tables, make_build, make_tables, store_tables


@pytest.fixture
def tables() -> Tables:
    return make_tables()


def publish(lake: Lake, tables: Tables, limits: Limits, number: int) -> Path:
    publish_build(lake, make_build(number), store_tables(lake, tables), limits, keep=9)
    return find_build(lake.home, make_build(number).build_id)


@pytest.fixture(scope="module")
def two_builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two builds."""
    lake = Lake(tmp_path_factory.mktemp("two"))
    for number in (1, 2):
        publish(lake, make_tables(), Limits(1.0, 1, lake.scratch), number)
    return lake.home


def test_added_removed_and_changed_scenarios_are_told_apart(
    lake: Lake, limits: Limits, tables: Tables, two_builds: Path
) -> None:
    airline, hotel = tables[Scenario]
    before = find_build(two_builds, "previous")
    changed = {"severity": "high", "opening": "Other words.", "split": "train", "content_sha256": "9" * 64}
    added = hotel.model_copy(update={"scenario_id": "s-hotel-not_drawn", "dialogue_id": "hotel-not_drawn"})
    after = publish(lake, {**tables, Scenario: [airline.model_copy(update=changed), added]}, limits, 2)
    found = compare_builds(before, after)
    assert [(change.scenario_id, change.industry, change.change) for change in found] == [
        ("s-hotel-not_drawn", "hotel", "added"),
        ("s-airline-released", "airline", "changed"),
        ("s-hotel-released", "hotel", "removed"),
    ]
    assert found[1].parts == "severity low -> high, split evaluation -> train, opening"
    mirrored = [(change.scenario_id, change.change) for change in compare_builds(after, before)]
    assert sorted(mirrored) == [
        ("s-airline-released", "changed"),
        ("s-hotel-not_drawn", "removed"),
        ("s-hotel-released", "added"),
    ]


def test_a_change_of_a_part_that_the_scenario_does_not_show_is_told_too(
    lake: Lake, limits: Limits, tables: Tables, two_builds: Path
) -> None:
    airline, hotel = tables[Scenario]
    before = find_build(two_builds, "previous")
    after = publish(
        lake, {**tables, Scenario: [airline.model_copy(update={"content_sha256": "9" * 64}), hotel]}, limits, 2
    )
    assert [change.parts for change in compare_builds(before, after)] == ["facts, policies or map version"]


def test_builds_are_found_by_name_beginning_current_and_previous(two_builds: Path) -> None:
    assert find_build(two_builds, "current") == two_builds / "servicebench.duckdb"
    assert find_build(two_builds, "previous").stem == make_build(1).build_id
    assert find_build(two_builds, "20260302T063101").stem == make_build(1).build_id


def test_equal_builds_do_not_differ(two_builds: Path) -> None:
    before, after = find_build(two_builds, "previous"), find_build(two_builds, "current")
    assert compare_builds(before, after) == compare_builds(before, before) == []


@pytest.mark.parametrize("name", ["1999", "2026", ""])
def test_a_name_of_no_build_or_of_several_lists_those_that_are_kept(two_builds: Path, name: str) -> None:
    words = rf"[02] builds match '{name}'.*{make_build(2).build_id}, {make_build(1).build_id}"
    with pytest.raises(UnknownBuildError, match=words):
        find_build(two_builds, name)


@pytest.mark.parametrize("name", ["1999", "current", "previous"])
def test_a_home_without_builds_says_so(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnknownBuildError, match="none yet"):
        find_build(tmp_path, name)
