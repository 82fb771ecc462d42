"""Topics: the same whatever the order, the process or the threads; nothing is lost, and small inputs say so."""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from schemas.journeys import Topic, TopicMember
from servicebench_data.journeys.clusters import compile_ahead, load_umap
from servicebench_data.journeys.keywords import rank_keywords
from servicebench_data.journeys.registry import Registry, list_changes
from servicebench_data.journeys.topics import Topics, find_topics
from servicebench_data.lake.arrow import arrow_schema, to_records
from tests.journeys.words import airline, airline_head, embed_table, map_examples, tabulate

SEED = 7


def find(table: pa.Table, previous: Registry | None = None, model: str = "words") -> Topics:
    head, vectors = airline_head(), embed_table(table)
    return find_topics(table, vectors, airline(), head, previous, model=model, seed=SEED, min_dialogues=20)


def topic_of(topics: Topics) -> dict[str, str | None]:
    rows = topics.topic_member.to_pylist()
    return {row["dialogue_id"]: row["topic_id"] for row in rows}


def register(topics: Topics) -> Registry:
    return Registry(topics.topic, topics.topic_member)


@cache
def complaints() -> pa.Table:
    """The map's examples, and every tenth of them a second time."""
    texts = map_examples()
    return tabulate([*texts, *texts[::10]])


@cache
def found() -> Topics:
    return find(complaints())


@pytest.mark.parametrize("count", [0, 1, 5, 19])
def test_too_few_complaints_get_no_topics_and_say_so(count: int) -> None:
    topics = find(complaints().slice(0, count))
    assert topics.topic.num_rows == 0
    assert topics.topic.schema == arrow_schema(Topic)
    assert topics.topic_member["note"].to_pylist() == ["too_few_dialogues"] * count


def test_the_same_text_fifty_times_is_too_few_to_cluster() -> None:
    topics = find(tabulate(["my bag is lost again"] * 50))
    assert set(topics.topic_member["note"].to_pylist()) == {"too_few_dialogues"}


@pytest.mark.parametrize("count", [20, 30])
def test_few_complaints_do_not_fail(count: int) -> None:
    topics = find(complaints().slice(0, count))
    assert topics.topic_member.num_rows == count


def test_tables_fit_their_records_and_each_other() -> None:
    topics = found()
    assert topics.topic.schema == arrow_schema(Topic)
    assert topics.topic_member.schema == arrow_schema(TopicMember)
    rows = to_records(Topic, topics.topic)
    members = to_records(TopicMember, topics.topic_member)
    assert [row.dialogue_id for row in members] == complaints()["dialogue_id"].to_pylist()
    for row in rows:
        inside = [member for member in members if member.topic_id == row.topic_id]
        assert row.size == len(inside)
        assert row.core_size == sum(member.is_core for member in inside)
        assert set(row.representative_ids) <= {member.dialogue_id for member in inside}
        assert row.is_novel == (row.category_id is None)
    assert all((member.topic_id is None) == (member.note == "outlier") for member in members)


def test_at_most_a_tenth_stays_without_a_topic() -> None:
    counts = found().counts
    assert counts["topics"] > 5
    assert counts["outliers"] <= 0.1 * counts["dialogues"]
    assert counts["outliers"] == sum(name is None for name in topic_of(found()).values())


def test_identical_texts_share_their_topic() -> None:
    topics, by_text = topic_of(found()), dict[str, set[str | None]]()
    for row in complaints().to_pylist():
        by_text.setdefault(row["customer_text"], set()).add(topics[row["dialogue_id"]])
    assert all(len(names) == 1 for names in by_text.values())


def test_the_order_of_dialogues_does_not_matter() -> None:
    table = complaints()
    turned = find(table.take(pa.array(range(table.num_rows - 1, -1, -1))))
    assert turned.topic.equals(found().topic)
    assert turned.topic_member.equals(found().topic_member)


def test_dialogues_without_a_word_are_outliers() -> None:
    table = pa.concat_tables([complaints(), tabulate(["@Delta 😡"], first=90000)])
    topics = find(table)
    assert topics.topic_member.to_pylist()[-1]["note"] == "outlier"
    assert topics.counts["no_text"] == 1


def test_brands_do_not_become_topics() -> None:
    texts = map_examples()[::4]
    delta = tabulate([f"@Delta {text} Delta" for text in texts])
    jetblue = tabulate([f"@JetBlue {text} JetBlue" for text in texts], first=5000)
    names = list(topic_of(find(pa.concat_tables([delta, jetblue]))).values())
    assert names[: len(texts)] == names[len(texts) :]


def test_an_unchanged_rebuild_changes_nothing() -> None:
    again = find(complaints(), register(found()))
    assert again.counts["is_fitted_anew"] == 0
    assert again.topic.equals(found().topic)
    assert again.topic_member.equals(found().topic_member)
    assert list_changes("airline", register(found()), register(again)) == []


def test_five_percent_more_dialogues_leave_the_old_ones_where_they_are() -> None:
    table = complaints()
    cut = round(table.num_rows * 0.95)
    old = find(table.slice(0, cut))
    new = find(table, register(old))
    before, after = topic_of(old), topic_of(new)
    kept = sum(after[dialogue] == name for dialogue, name in before.items())
    assert kept >= 0.95 * len(before)
    assert new.counts["outliers"] <= 0.1 * new.counts["dialogues"]
    codes = [{row["topic_id"]: row["category_id"] for row in part.topic.to_pylist()} for part in (old, new)]
    assert sum(codes[1].get(name) == code for name, code in codes[0].items()) >= 0.95 * len(codes[0])


def spread(table: pa.Table) -> pa.Table:
    """The same rows, those that stood together far apart."""
    return table.take(pa.array([row for start in range(7) for row in range(start, table.num_rows, 7)]))


@pytest.mark.parametrize("table", [complaints(), spread(complaints())], ids=["new kinds", "the same kinds"])
def test_rebuild_after_rebuild_old_dialogues_and_topics_stay_also_where_topics_are_sought_again(
    table: pa.Table,
) -> None:
    sizes = [round(table.num_rows * 1.055 ** (step - 6)) for step in range(7)]
    builds = [find(table.slice(0, sizes[0]))]
    for size in sizes[1:]:
        builds.append(find(table.slice(0, size), register(builds[-1])))
    assert sum(build.counts["is_fitted_anew"] for build in builds[1:]) == 1
    for old, new in pairwise(builds):
        before, after = topic_of(old), topic_of(new)
        assert sum(after[dialogue] == name for dialogue, name in before.items()) >= 0.95 * len(before)
        assert new.counts["outliers"] <= 0.1 * new.counts["dialogues"]
        codes = [{row["topic_id"]: row["category_id"] for row in part.topic.to_pylist()} for part in (old, new)]
        assert codes[0].items() <= codes[1].items()
    first, last = ({row["topic_id"]: row for row in build.topic.to_pylist()} for build in (builds[0], builds[-1]))
    assert [row["similarity"] for row in first.values()] == pytest.approx([last[name]["similarity"] for name in first])


def test_a_matter_that_comes_up_gets_a_topic_when_topics_are_sought_again() -> None:
    words = ["basil", "tomato", "carrot", "spinach", "radish", "lettuce"]
    garden = [f"{first} compost greenhouse watering {second} seedlings" for first in words for second in words]
    table = pa.concat_tables([complaints(), tabulate(garden, first=7000)])
    builds = [find(complaints().slice(0, 470))]
    for size in (525, 587, table.num_rows):
        builds.append(find(table.slice(0, size), register(builds[-1])))
    known = {row["topic_id"] for row in builds[0].topic.to_pylist()}
    added = [row for row in builds[-1].topic.to_pylist() if row["topic_id"] not in known]
    assert any("greenhouse" in row["keywords"] for row in added)


def test_with_another_embedding_model_topics_begin_anew() -> None:
    assert {row["embedding_model"] for row in found().topic.to_pylist()} == {"words"}
    again = find(complaints(), register(found()), model="others")
    assert again.counts["is_fitted_anew"] == 1
    assert {row["embedding_model"] for row in again.topic.to_pylist()} == {"others"}
    untold = Registry(found().topic.drop_columns(["embedding_model"]), found().topic_member)
    assert find(complaints(), untold).counts["is_fitted_anew"] == 0, "a version that did not store it"


def test_ten_texts_stand_for_a_topic_or_all_that_it_has_and_its_core_comes_first() -> None:
    texts = {row["dialogue_id"]: row["customer_text"] for row in complaints().to_pylist()}
    members = to_records(TopicMember, found().topic_member)
    core = {member.dialogue_id for member in members if member.is_core}
    is_filled = False
    for row in to_records(Topic, found().topic):
        inside = {texts[member.dialogue_id] for member in members if member.topic_id == row.topic_id}
        shown = [texts[name] for name in row.representative_ids]
        assert len(shown) == len({*shown}) == min(10, len(inside))
        is_core = [name in core for name in row.representative_ids]
        assert is_core == sorted(is_core, reverse=True)
        is_filled |= not all(is_core)
    assert is_filled


def test_a_build_that_brings_many_is_fitted_anew_and_ids_carry_over() -> None:
    table = complaints()
    old = find(table.slice(0, table.num_rows // 2))
    new = find(table, register(old))
    assert new.counts["is_fitted_anew"] == 1
    assert new.counts["kept_topics"] + new.counts["new_topics"] == new.counts["topics"]
    assert new.counts["kept_topics"] > 0


def test_deleted_dialogues_leave_no_trace() -> None:
    kept = complaints().slice(20)
    topics = find(kept, register(found()))
    assert set(topic_of(topics)) == set(kept["dialogue_id"].to_pylist())
    named = {name for row in topics.topic.to_pylist() for name in row["representative_ids"]}
    assert named <= set(kept["dialogue_id"].to_pylist())


def test_a_topic_that_the_map_does_not_know_is_novel() -> None:
    kinds = ["basil", "tomato", "carrot", "spinach", "radish", "lettuce", "pumpkin", "leek", "fennel", "parsley"]
    garden = [f"{first} compost greenhouse watering {second} seedlings" for first in kinds for second in kinds[:4]]
    topics = find(pa.concat_tables([complaints(), tabulate(garden, first=7000)]))
    novel = [row for row in topics.topic.to_pylist() if row["is_novel"]]
    assert topics.counts["novel_topics"] == len(novel) > 0
    assert all(row["category_id"] is None and row["rival_category_id"] for row in novel)
    assert any("greenhouse" in row["keywords"] for row in novel)


def test_keywords_are_words_of_the_matter() -> None:
    keywords = [word for row in found().topic.to_pylist() for word in row["keywords"]]
    assert keywords
    assert not {"the", "of", "and", "my", "just", "flight's", "delta", "jetblue", "americanair"} & set(keywords)


def test_masks_handles_links_and_brands_are_no_keywords() -> None:
    texts = ["[booking-1] @JetBlue https://t.co/bag the suitcase was Delta's, [name-1] suitcase", "wifi the of and"]
    assert rank_keywords(texts, np.array([0, 1]), 2, ["Delta", "JetBlue"]) == [["suitcase"], ["wifi"]]


def test_topics_of_nothing_but_stop_words_have_no_keywords() -> None:
    assert rank_keywords(["the and of", "it is"], np.array([0, 1]), 2, []) == [[], []]


CHILD = """
import hashlib, json
from tests.journeys.test_topics import complaints, find
topics = find(complaints())
rows = [topics.topic.to_pylist(), topics.topic_member.to_pylist()]
print(hashlib.sha256(json.dumps(rows).encode()).hexdigest())
"""


@pytest.mark.slow
def test_another_process_with_other_threads_finds_the_same() -> None:
    rows = [found().topic.to_pylist(), found().topic_member.to_pylist()]
    expected = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, "8"), "PYTHONHASHSEED": "8"}
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CHILD], env=environment, capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert child.stdout.strip() == expected


def test_what_fitting_needs_can_be_compiled_ahead() -> None:
    compile_ahead()
    kept = load_umap().umap_.smooth_knn_dist.stats
    assert kept.cache_hits or kept.cache_misses, "what was compiled is kept on disk"
