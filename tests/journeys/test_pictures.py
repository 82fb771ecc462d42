"""Pictures: every dialogue with text has its place, equal texts the same one, and the curve counts what was found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.journeys.atlas import UNASSIGNED, find_places, read_atlas, write_atlas
from servicebench_data.journeys.clusters import lay_out
from servicebench_data.journeys.saturation import measure_saturation
from servicebench_data.lake.store import Lake
from tests.journeys.stored import complaints, found, store
from tests.journeys.words import airline
from tests.review.items import HOSTILE
from tests.review.test_page import Tags, read_data

SEED = 7


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return store(tmp_path_factory.mktemp("drawn"))


def test_every_dialogue_with_a_word_is_a_point_of_its_stage(stored: Lake) -> None:
    atlas = read_atlas(stored, airline(), SEED)
    coded = {row["dialogue_id"]: row["category_id"] for row in found()[1].to_pylist()}
    assert atlas.ids == complaints()["dialogue_id"].to_pylist()[:-1]
    names = {
        category.id: (category.name, stage.name) for stage in airline().journey.stages for category in stage.categories
    }
    for name, stage, category in zip(atlas.ids, atlas.stage_of, atlas.categories, strict=True):
        expected = names.get(coded[name] or "", (UNASSIGNED, UNASSIGNED))
        assert (category, atlas.stages[stage]) == expected
    assert len(atlas.colours) == len(atlas.stages) == len(set(atlas.colours))
    assert np.isfinite(atlas.places).all()
    assert ((atlas.places >= -0.05) & (atlas.places <= 1.05)).all()


def test_by_topic_a_dialogue_has_the_stage_of_its_topic(stored: Lake) -> None:
    atlas = read_atlas(stored, airline(), SEED, by_topic=True)
    topics = {row["topic_id"]: row["category_id"] for row in found()[0].topic.to_pylist()}
    member = {row["dialogue_id"]: row["topic_id"] for row in found()[0].topic_member.to_pylist()}
    title = {category.id: category.name for category in airline().journey.categories}
    codes = [topics.get(member[name]) for name in atlas.ids]
    assert atlas.categories == [title.get(code or "", atlas.stages[-1]) for code in codes]


def test_the_title_says_by_what_the_points_are_coloured(stored: Lake) -> None:
    of_topics, own = (read_atlas(stored, airline(), SEED, by_topic=by_topic) for by_topic in (True, False))
    assert "coloured by the stage of their topic" in read_data(write_atlas(of_topics, {}))["title"]
    assert "coloured by the stage of their own coding" in read_data(write_atlas(own, {}))["title"]


def test_places_are_kept_and_the_same_without_the_cache(stored: Lake) -> None:
    first = read_atlas(stored, airline(), SEED).places
    files = sorted((stored.cache / "layouts").iterdir())
    assert len(files) == 1
    files[0].unlink()
    assert np.array_equal(read_atlas(stored, airline(), SEED).places, first)


def test_equal_vectors_lie_at_one_place(stored: Lake) -> None:
    vectors = np.random.default_rng(1).normal(size=(12, 8)).astype(np.float32)
    places = find_places(stored.cache / "layouts", vectors[[0, *range(12), 0]], SEED)
    assert np.array_equal(places[0], places[1])
    assert np.array_equal(places[0], places[-1])


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_vectors_are_no_failure(count: int) -> None:
    assert lay_out(np.ones((count, 4), dtype=np.float32), SEED).shape == (count, 2)


def test_the_map_page_holds_texts_as_texts(stored: Lake) -> None:
    atlas = read_atlas(stored, airline(), SEED)
    page = write_atlas(atlas, {atlas.ids[0]: HOSTILE})
    assert [tag for tag, _ in Tags(page).found].count("script") == 2
    data = read_data(page)
    assert data["points"][0][4:] == [atlas.ids[0], HOSTILE]
    assert len(data["points"]) == len(atlas.ids)


CATEGORIES = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=40)


@given(CATEGORIES, st.integers(0, 5))
def test_the_curve_rises_to_what_is_there(categories: list[str | None], seed: int) -> None:
    curve = measure_saturation(categories, 5, seed)
    assert (curve.read[0], curve.read[-1]) == (0, len(categories))
    assert (curve.found[0], curve.found[-1]) == (0, len(set(categories) - {None}))
    assert curve.found == sorted(curve.found)
    assert all(low <= high for low, high in zip(curve.low, curve.high, strict=True))
    assert curve == measure_saturation(categories, 5, seed)
    assert all(found <= read for found, read in zip(curve.found, curve.read, strict=True))


def test_after_one_dialogue_one_category_is_found() -> None:
    curve = measure_saturation(["a", "b", "a", "b"], 2, 1)
    assert (curve.read, curve.found[1], curve.low[1], curve.high[1]) == ([0, 1, 2, 3, 4], 1, 1.0, 1.0)
