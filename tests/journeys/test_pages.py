"""The generated pages of the maps: up to date, complete, and with counts only where a build is given."""

import re

import pytest

from schemas.industry import Industry
from servicebench_data.industries import list_industries, load_industries
from servicebench_data.journeys.pages import CategoryCount, anchor, escape, write_journey
from tests.conftest import ROOT

EACH = pytest.mark.parametrize("industry", load_industries(), ids=lambda industry: industry.id)


@EACH
def test_the_page_is_up_to_date(industry: Industry) -> None:
    page = ROOT / "docs" / "journeys" / f"{industry.id}.md"
    assert page.read_text(encoding="utf-8") == write_journey(industry), "run `make docs`"


def test_there_is_no_page_of_an_industry_that_is_none() -> None:
    assert sorted(path.stem for path in (ROOT / "docs" / "journeys").iterdir()) == list_industries()


@EACH
def test_stages_and_categories_stand_in_the_order_of_the_journey(industry: Industry) -> None:
    page = write_journey(industry)
    stages = re.findall(r"^## \d+\. (.*)$", page, flags=re.MULTILINE)
    assert stages == [stage.name for stage in industry.journey.stages]
    names = re.findall(r"^### (.*)$", page, flags=re.MULTILINE)
    assert names == [category.name for category in industry.journey.categories]


@EACH
def test_every_link_on_the_page_leads_to_a_category(industry: Industry) -> None:
    page = write_journey(industry)
    anchors = {anchor(category.name) for category in industry.journey.categories}
    assert len(anchors) == len(industry.journey.categories)
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) == anchors
    assert (ROOT / "docs" / "journeys" / re.findall(r"\]\((\.\./[^)]*)\)", page)[0]).is_file()


def test_counts_stand_on_the_page_where_a_build_is_given() -> None:
    industry = load_industries()[0]
    first = industry.journey.categories[0]
    page = write_journey(industry, {first.id: CategoryCount(12, 3)})
    assert f"`{first.id}` · 12 dialogues and 3 scenarios in the last build" in page
    assert page.count(" · 0 dialogues and 0 scenarios") == len(industry.journey.categories) - 1
    assert "in the last build" not in write_journey(industry)


def test_no_text_of_a_map_is_taken_for_markup() -> None:
    assert escape("a *b*\n_c_ <d> [e] | `f`") == r"a \*b\* \_c\_ \<d> \[e] \| \`f\`"
