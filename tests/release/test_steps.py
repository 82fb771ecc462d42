"""What came into a step left it, references point somewhere, tables belong together; else it is told which do not."""

from collections.abc import Callable
from typing import Any

import pytest

from schemas import dialogues, journeys, scenarios
from schemas.records import Record
from schemas.release import BuildStep
from servicebench_data.lake.arrow import to_records
from servicebench_data.lake.database import Limits
from servicebench_data.lake.expectations import Finding
from servicebench_data.lake.generations import find_current, lake_records
from servicebench_data.lake.store import ALL, Lake, Origin
from servicebench_data.release.steps import check_balance, check_generation, check_references, count_steps
from tests.rows import plain_record
from tests.tables import INDUSTRIES, Tables, list_files, list_partitions, make_tables, store_tables

ONE_INDUSTRY = [
    ("dialogues", "made", 7),
    ("screening", "made", 6),
    ("screening", "praise", 1),
    ("coding", "low_confidence", 1),
    ("coding", "made", 5),
    ("release_grade", "below_release_threshold", 1),
    ("release_grade", "made", 4),
    ("candidates", "made", 3),
    ("candidates", "ungrounded", 1),
    ("scenarios", "made", 1),
    ("scenarios", "near_duplicate", 1),
    ("scenarios", "not_drawn", 1),
]


def broken(findings: list[Finding]) -> dict[str, tuple[str, ...]]:
    return {finding.rule: finding.keys for finding in findings if not finding.passed}


def balance(lake: Lake, tables: Tables, limits: Limits) -> dict[str, tuple[str, ...]]:
    return broken(check_balance(count_steps(store_tables(lake, tables), limits)))


def drop(tables: Tables, record: type[Record], dialogue: str) -> None:
    """Let one row vanish."""
    before = len(tables[record])
    tables[record] = [row for row in tables[record] if getattr(row, "dialogue_id", None) != dialogue]
    assert len(tables[record]) == before - 1


def change(tables: Tables, record: type[Record], dialogue: str, **values: Any) -> None:
    """Change one row."""
    tables[record] = [
        row.model_copy(update=values) if getattr(row, "dialogue_id", None) == dialogue else row
        for row in tables[record]
    ]


def test_every_step_is_counted_by_industry_and_outcome(lake: Lake, limits: Limits) -> None:
    steps = to_records(BuildStep, count_steps(store_tables(lake, make_tables()), limits))
    assert [(row.step, row.outcome, row.row_count) for row in steps if row.industry == "all"] == [
        ("posts", "made", 28),
        ("posts", "missing_id", 1),
    ]
    for industry in INDUSTRIES:
        assert [(row.step, row.outcome, row.row_count) for row in steps if row.industry == industry] == ONE_INDUSTRY


def test_what_adds_up_passes(lake: Lake, limits: Limits) -> None:
    findings = check_balance(count_steps(store_tables(lake, make_tables()), limits))
    assert [finding.rule for finding in findings] == [
        "balance:screening",
        "balance:coding",
        "balance:release_grade",
        "balance:candidates",
        "balance:scenarios",
    ]
    assert not broken(findings)


@pytest.mark.parametrize(
    ("record", "dialogue", "expected"),
    [
        (dialogues.Screening, "hotel-praise", {"balance:screening": ("hotel: 7 came in, 6 left",)}),
        (journeys.Coding, "hotel-unassigned", {"balance:coding": ("hotel: 6 came in, 5 left",)}),
        (scenarios.Candidate, "hotel-not_drawn", {"balance:candidates": ("hotel: 4 came in, 3 left",)}),
        (
            dialogues.Screening,
            "hotel-below_threshold",
            {
                "balance:screening": ("hotel: 7 came in, 6 left",),
                "balance:coding": ("hotel: 5 came in, 6 left",),
                "balance:release_grade": ("hotel: 5 came in, 4 left",),
            },
        ),
        (
            scenarios.Candidate,
            "hotel-released",
            {"balance:candidates": ("hotel: 4 came in, 3 left",), "balance:scenarios": ("hotel: 2 came in, 3 left",)},
        ),
    ],
)
def test_a_row_that_vanishes_is_missed(
    lake: Lake, limits: Limits, record: type[Record], dialogue: str, expected: dict[str, tuple[str, ...]]
) -> None:
    tables = make_tables()
    drop(tables, record, dialogue)
    assert balance(lake, tables, limits) == expected


def test_a_whole_industry_that_vanishes_is_missed(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    tables[journeys.Coding] = [row for row in tables[journeys.Coding] if getattr(row, "industry", "") != "hotel"]
    assert balance(lake, tables, limits)["balance:coding"] == ("hotel: 6 came in, 0 left",)


def test_a_scenario_of_a_rejected_candidate_is_one_too_many(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    reason = {"is_valid": False, "rejection_reason": "no_events"}
    change(tables, scenarios.Candidate, "hotel-released", **reason)
    assert balance(lake, tables, limits) == {"balance:scenarios": ("hotel: 2 came in, 3 left",)}


def test_a_near_duplicate_that_is_released_nevertheless_is_one_too_many(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    twice = plain_record(scenarios.NearDuplicate, 9, industry="hotel", scenario_id="s-hotel-released")
    tables[scenarios.NearDuplicate].append(twice)
    assert balance(lake, tables, limits) == {"balance:scenarios": ("hotel: 3 came in, 4 left",)}


def test_a_dialogue_that_left_without_a_reason_is_missed(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    drop(tables, journeys.Coding, "hotel-released")
    drop(tables, scenarios.Candidate, "hotel-released")
    drop(tables, scenarios.Scenario, "hotel-released")
    assert balance(lake, tables, limits) == {"balance:coding": ("hotel: 6 came in, 5 left",)}


def test_every_reference_is_checked_and_holds(lake: Lake, limits: Limits) -> None:
    findings = check_references(store_tables(lake, make_tables()), limits)
    assert len(findings) == sum(len(record.table.references) for record in lake_records())
    assert len({finding.rule for finding in findings}) == len(findings)
    assert not broken(findings)


def test_a_reference_to_nothing_is_named_even_to_a_later_table(lake: Lake, limits: Limits) -> None:
    tables = make_tables()
    tables[scenarios.Event].append(
        plain_record(scenarios.Event, 77, industry="hotel", scenario_id="gone", event_index=3)
    )
    change(tables, journeys.Coding, "airline-released", category_id="no_such_category")
    assert broken(check_references(store_tables(lake, tables), limits)) == {
        "reference:event.scenario_id->candidate": ("gone / 3",),
        "reference:coding.industry+category_id->category": ("airline-released",),
    }


def test_a_reference_to_a_table_that_is_not_there_is_broken(lake: Lake, limits: Limits) -> None:
    files = store_tables(lake, make_tables())
    del files["candidate"]
    found = [finding for finding in check_references(files, limits) if not finding.passed]
    assert found
    assert {finding.note for finding in found} == {"table 'candidate' is not there"}


def test_tables_of_one_generation_pass(lake: Lake) -> None:
    store_tables(lake, make_tables())
    assert not broken(check_generation(lake, INDUSTRIES))
    assert find_current(lake, INDUSTRIES, scenarios.Scenario) == INDUSTRIES


def remake(lake: Lake) -> dict[str, tuple[str, ...]]:
    """Make one table anew, and nothing of what was made from it."""
    table = lake.read(journeys.Coding, "hotel")
    lake.write(journeys.Coding, table.slice(1), "hotel", made_from=Origin(fingerprint="0" * 64))
    later = lake_records()[lake_records().index(journeys.Coding) + 1 :]
    places = [(record, name) for record in later for name in list_partitions(record) if name in {"hotel", ALL}]
    names = [f"{record.table.name}/{name}" for record, name in places]
    return {"one_generation": tuple(sorted(f"{name} was made from an older coding/hotel" for name in names))}


def lose(lake: Lake) -> dict[str, tuple[str, ...]]:
    """Lose one table."""
    lake.get(journeys.Coding, "hotel").path.unlink()
    return {"complete": ("coding/hotel",)}


@pytest.mark.parametrize("harm", [remake, lose])
def test_what_is_out_of_date_or_missing_is_named(
    lake: Lake, harm: Callable[[Lake], dict[str, tuple[str, ...]]]
) -> None:
    store_tables(lake, make_tables())
    expected = harm(lake)
    findings = check_generation(lake, INDUSTRIES)
    assert broken(findings) == expected
    assert find_current(lake, INDUSTRIES, scenarios.Scenario) == ["airline"]


def test_an_equal_table_made_again_is_not_out_of_date(lake: Lake) -> None:
    store_tables(lake, make_tables())
    lake.write(journeys.Coding, lake.read(journeys.Coding, "hotel"), "hotel", made_from=Origin(fingerprint="0" * 64))
    assert not broken(check_generation(lake, INDUSTRIES))


def test_counting_does_not_depend_on_threads(lake: Lake, limits: Limits) -> None:
    files = store_tables(lake, make_tables())
    many = Limits(limits.memory_gb, 4, limits.scratch)
    assert count_steps(files, limits).equals(count_steps(files, many))
    assert list_files(lake, make_tables()) == files
