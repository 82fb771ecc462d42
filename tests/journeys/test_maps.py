"""Maps as tables: complete, ordered, consistent."""

import pytest

from schemas.journeys import CategoryRow, StageRow
from servicebench_data.industries import list_brand_words, load_industries, load_industry
from servicebench_data.journeys.maps import digest_map, list_categories, list_stages
from servicebench_data.lake.arrow import arrow_schema, to_records

NAMED_IN_THE_PAPER = {
    "Product Hazard Concerns", "Delivery Handling Failures", "Product Mismatch", "Replacement Execution Failures",
    "Unsafe Consumables", "Baggage Follow-up Failures", "Room Assignment Failures", "Pest and Infestation Problems",
    "Room Environment Problems", "Specialist Service Delays",
}  # fmt: skip


def test_all_maps_have_37_stages_and_184_categories() -> None:
    assert sum(list_stages(industry).num_rows for industry in load_industries()) == 37
    assert sum(list_categories(industry).num_rows for industry in load_industries()) == 184


def test_airline_has_8_stages_and_44_categories() -> None:
    airline = load_industry("airline")
    assert (list_stages(airline).num_rows, list_categories(airline).num_rows) == (8, 44)


def test_the_categories_that_the_paper_names_are_there() -> None:
    names = {name for industry in load_industries() for name in list_categories(industry)["name"].to_pylist()}
    assert names >= NAMED_IN_THE_PAPER


@pytest.mark.parametrize("industry", load_industries(), ids=lambda industry: industry.id)
def test_tables_fit_their_records_and_each_other(industry) -> None:
    stages, categories = list_stages(industry), list_categories(industry)
    assert stages.schema == arrow_schema(StageRow)
    assert categories.schema == arrow_schema(CategoryRow)
    to_records(StageRow, stages)
    to_records(CategoryRow, categories)
    assert stages["position"].to_pylist() == list(range(1, stages.num_rows + 1))
    assert categories["position"].to_pylist() == list(range(1, categories.num_rows + 1))
    # Categories stand in the order of their stages, and every stage has some.
    assert list(dict.fromkeys(categories["stage_id"].to_pylist())) == stages["stage_id"].to_pylist()


def test_exclusions_name_the_neighbour() -> None:
    rows = list_categories(load_industry("airline")).to_pylist()
    ids = {row["category_id"] for row in rows}
    assert all(text.rsplit("(use ", 1)[1].rstrip(")") in ids for row in rows for text in row["excludes"])


def test_an_edit_of_the_map_changes_its_digest() -> None:
    airline = load_industry("airline")
    edited = airline.model_copy(update={"journey": airline.journey.model_copy(update={"version": 99})})
    assert digest_map(airline) == digest_map(load_industry("airline"))
    assert digest_map(airline) != digest_map(edited)


def test_brand_words_hold_every_handle_longest_first() -> None:
    words = list_brand_words(load_industry("airline"))
    assert {"AmericanAir", "Delta", "JetBlue", "SouthwestAir"} <= set(words)
    assert words == sorted(words, key=lambda word: (-len(word), word))
