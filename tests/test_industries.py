"""Industry folders: the bundled ones hold what the method says, and a damaged one is named with its remedy."""

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from schemas.industry import Industry
from servicebench_data.industries import (
    FILES,
    INDUSTRIES_FOLDER,
    IndustryError,
    list_industries,
    load_industries,
    load_industry,
)
from tests.conftest import ROOT

ACCOUNTS = {
    "airline": {"AmericanAir", "Delta", "JetBlue", "SouthwestAir"},
    "hotel": {"HiltonHelp", "IHGService"},
    "restaurant": {"McDonalds", "TacoBellTeam", "KFC_UKI_Help"},
    "retail": {"AskTarget", "Walmart"},
    "ride_hailing_delivery": {"Uber_Support", "AskLyft"},
}
NAMED = {
    "Product Hazard Concerns", "Delivery Handling Failures", "Product Mismatch", "Replacement Execution Failures",
    "Unsafe Consumables", "Baggage Follow-up Failures", "Room Assignment Failures", "Pest and Infestation Problems",
    "Room Environment Problems", "Specialist Service Delays",
}  # fmt: skip
EACH_INDUSTRY = pytest.mark.parametrize("industry", load_industries(), ids=lambda industry: industry.id)


def test_the_industries_are_the_folders() -> None:
    assert list_industries() == sorted(ACCOUNTS)
    assert [industry.id for industry in load_industries()] == sorted(ACCOUNTS)


def test_the_maps_have_37_stages_and_184_categories_the_airline_8_and_44() -> None:
    maps = {industry.id: industry.journey for industry in load_industries()}
    assert sum(len(journey.stages) for journey in maps.values()) == 37
    assert sum(len(journey.categories) for journey in maps.values()) == 184
    assert (len(maps["airline"].stages), len(maps["airline"].categories)) == (8, 44)


def test_the_categories_that_the_method_names_are_there() -> None:
    names = {category.name for industry in load_industries() for category in industry.journey.categories}
    assert names >= NAMED


@EACH_INDUSTRY
def test_accounts_are_the_published_ones_and_one_fictional_one(industry: Industry) -> None:
    accounts = industry.accounts.accounts
    assert {account.handle for account in accounts if not account.is_sample} == ACCOUNTS[industry.id]
    assert len([account for account in accounts if account.is_sample]) == 1


def test_no_account_belongs_to_two_industries() -> None:
    handles = [account.handle.lower() for industry in load_industries() for account in industry.accounts.accounts]
    assert len(set(handles)) == len(handles)


@EACH_INDUSTRY
def test_every_category_has_twelve_examples_and_shares_none(industry: Industry) -> None:
    assert all(len(category.examples) >= 12 for category in industry.journey.categories)
    counts = Counter(fold(text) for category in industry.journey.categories for text in category.examples)
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_example_stands_in_two_industries() -> None:
    counts = Counter(fold(text) for text in list_examples())
    assert [text for text, count in counts.items() if count > 1] == []


def test_no_example_is_a_post_of_the_sample() -> None:
    """Else the sample would be coded by its own words."""
    with (ROOT / "sample" / "posts.csv").open(encoding="utf-8", newline="") as handle:
        posts = {fold(row["text"]) for row in csv.DictReader(handle)}
    assert posts & {fold(text) for text in list_examples()} == set()


def test_names_and_definitions_tell_categories_apart() -> None:
    for industry in load_industries():
        for values in (
            [category.name for category in industry.journey.categories],
            [category.definition for category in industry.journey.categories],
        ):
            assert len(set(values)) == len(values)


@EACH_INDUSTRY
def test_no_category_excludes_itself(industry: Industry) -> None:
    for category in industry.journey.categories:
        assert category.id not in {exclusion.instead for exclusion in category.excludes}


def list_examples() -> list[str]:
    """All examples of all maps."""
    return [
        text for industry in load_industries() for category in industry.journey.categories for text in category.examples
    ]


def fold(text: str) -> str:
    """A text without handles, case and spacing."""
    return " ".join(word for word in text.lower().split() if not word.startswith("@"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of one industry that a test may damage."""
    shutil.copytree(INDUSTRIES_FOLDER / "hotel", tmp_path / "hotel")
    return tmp_path


def edit(folder: Path, part: str) -> tuple[Path, Any]:
    path = folder / "hotel" / f"{part}.yaml"
    return path, yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def save(path: Path, content: Any) -> None:
    path.write_text(yaml.dump(content, Dumper=yaml.CSafeDumper, allow_unicode=True), encoding="utf-8")


def test_an_industry_is_added_by_adding_a_folder(folder: Path) -> None:
    (folder / "hotel").rename(folder / "hostel")
    (folder / "notes").mkdir()
    assert list_industries(folder) == ["hostel"]
    assert load_industry("hostel", folder).journey == load_industry("hotel").journey


@pytest.mark.parametrize("part", FILES)
def test_a_missing_file_is_named(folder: Path, part: str) -> None:
    (folder / "hotel" / f"{part}.yaml").unlink()
    with pytest.raises(IndustryError, match=rf"{part}\.yaml is missing; an industry folder holds"):
        load_industry("hotel", folder)


@pytest.mark.parametrize(
    ("text", "words"), [("a: [", "is not valid YAML"), ("- a\n", "must hold a mapping"), ("", "mapping")]
)
def test_a_file_of_another_form_is_named(folder: Path, text: str, words: str) -> None:
    (folder / "hotel" / "policies.yaml").write_text(text)
    with pytest.raises(IndustryError, match=rf"policies\.yaml.*{words}"):
        load_industry("hotel", folder)


def test_a_repeated_category_an_unknown_neighbour_and_a_typing_error_are_named(folder: Path) -> None:
    path, journey = edit(folder, "journey")
    first, second = journey["stages"][0]["categories"][:2]
    kept = second["id"]
    second["id"] = first["id"]
    save(path, journey)
    with pytest.raises(IndustryError, match=rf"category ids must be unique; repeated: \['{first['id']}'\]"):
        load_industry("hotel", folder)
    second["id"] = kept
    first["excludes"][0]["instead"] = "no_such_neighbour"
    save(path, journey)
    with pytest.raises(IndustryError, match=r"no_such_neighbour.*Mend the files in"):
        load_industry("hotel", folder)
    first["exampels"] = first.pop("examples")
    save(path, journey)
    with pytest.raises(IndustryError, match=r"journey\.stages\.0\.categories\.0\.ex"):
        load_industry("hotel", folder)


def test_a_category_without_a_policy_is_named(folder: Path) -> None:
    path, book = edit(folder, "policies")
    lost = book["policies"][0]["applies_to"].pop()
    for policy in book["policies"]:
        policy["applies_to"] = [name for name in policy["applies_to"] if name != lost] or ["no_such_category"]
    save(path, book)
    with pytest.raises(IndustryError, match=rf"{lost}|no_such_category"):
        load_industry("hotel", folder)
