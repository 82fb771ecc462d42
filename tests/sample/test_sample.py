"""The bundled sample is what its writers wrote, fictional, and covers what the product has to show."""

import csv
from collections import Counter
from functools import cache
from pathlib import Path

import yaml

from sample.assemble import COLUMNS, FOLDER, assemble
from servicebench_data.industries import load_industries
from tests.conftest import ROOT


@cache
def read_csv(name: str) -> tuple[dict[str, str], ...]:
    """Rows of a file of the sample."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as handle:
        return tuple(csv.DictReader(handle))


def test_the_files_are_what_the_writers_dialogues_give(tmp_path: Path) -> None:
    assemble(tmp_path)
    for name in ("posts.csv", "gold.csv"):
        assert (tmp_path / name).read_bytes() == (FOLDER / name).read_bytes(), "run `make sample`"


def test_posts_are_in_the_layout_with_ids_of_their_own() -> None:
    posts = read_csv("posts.csv")
    assert list(posts[0]) == COLUMNS
    ids = [row["tweet_id"] for row in posts]
    assert len(set(ids)) == len(ids)
    assert all(entry.isdigit() for entry in ids)
    parents = {row["in_response_to_tweet_id"] for row in posts} - {""}
    assert parents <= set(ids)


def test_answers_and_parents_agree() -> None:
    posts = read_csv("posts.csv")
    down = {(row["tweet_id"], child) for row in posts for child in row["response_tweet_id"].split(",") if child}
    up = {(row["in_response_to_tweet_id"], row["tweet_id"]) for row in posts if row["in_response_to_tweet_id"]}
    assert down == up


def test_it_has_six_hundred_dialogues_of_every_industry_stage_and_a_hundred_and_twenty_categories() -> None:
    gold = read_csv("gold.csv")
    assert len(gold) >= 600
    coded = {(row["industry"], row["category_id"]) for row in gold if row["kind"] == "complaint"}
    assert len(coded) >= 120
    for industry in load_industries():
        for stage in industry.journey.stages:
            assert {(industry.id, category.id) for category in stage.categories} & coded, (industry.id, stage.id)
    known = {(industry.id, category.id) for industry in load_industries() for category in industry.journey.categories}
    assert coded <= known


def test_it_has_praise_questions_and_spam_besides() -> None:
    kinds = Counter(row["kind"] for row in read_csv("gold.csv"))
    assert kinds["complaint"] > sum(kinds.values()) / 2
    assert all(kinds[kind] >= 3 for kind in ("praise", "question", "spam"))


def test_only_fictional_accounts_and_numbered_customers_post() -> None:
    accounts = [account for industry in load_industries() for account in industry.accounts.accounts]
    fictional = {account.handle for account in accounts if account.is_sample}
    authors = {row["author_id"] for row in read_csv("posts.csv")}
    assert {author for author in authors if not author.isdigit()} == fictional
    text = "\n".join(row["text"] for row in read_csv("posts.csv")).lower()
    assert not [
        account.handle for account in accounts if not account.is_sample and f"@{account.handle.lower()}" in text
    ]


def test_no_two_posts_of_customers_have_the_same_words() -> None:
    texts = Counter(
        " ".join(word for word in row["text"].lower().split() if not word.startswith("@"))
        for row in read_csv("posts.csv")
        if row["author_id"].isdigit()
    )
    assert [text for text, count in texts.items() if count > 1 and len(text.split()) > 3] == []


def test_every_written_dialogue_has_an_id_of_its_own() -> None:
    names: list[str] = []
    for industry in load_industries():
        path = ROOT / "sample" / f"{industry.id}.yaml"
        names += [entry["id"] for entry in yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)]
    assert len(set(names)) == len(names) == len(read_csv("gold.csv"))
