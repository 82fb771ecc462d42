"""The page is one file that asks nothing of anyone, runs its own script alone, and shows texts as texts."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from schemas.review import KEEP
from servicebench_data.journeys import atlas
from servicebench_data.review import page
from servicebench_data.review.html import assemble_page, embed_data
from servicebench_data.review.page import write_page
from tests.review.items import HOSTILE, SEEN, decide, make_item, make_sheet

TEMPLATES = [page.TEMPLATE, atlas.TEMPLATE]


class Tags(HTMLParser):
    """Tags with their attributes, and what stands in scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: list[tuple[str, str]] = []
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in {"script", "style"}:
            self.blocks.append((self._inside, data))


def read_data(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    assert found
    return json.loads(found[1])


def test_the_data_come_out_as_they_went_in() -> None:
    data = read_data(write_page(make_sheet()))
    assert data["items"][0]["texts"] == [HOSTILE, "@you a pot"]
    assert [action["name"] for action in data["forms"]["pot"]["actions"]] == [KEEP, "paint", "name", "drop"]


def test_no_text_can_become_a_tag() -> None:
    tags = Tags(write_page(make_sheet()))
    assert [tag for tag, _ in tags.found].count("script") == 2
    assert not [tag for tag, _ in tags.found if tag in {"img", "iframe", "object", "link"}]
    assert "<" not in embed_data(HOSTILE)
    assert json.loads(embed_data(HOSTILE)) == HOSTILE


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_the_policy_allows_the_pages_own_script_and_style_alone(template: Path) -> None:
    tags = Tags(assemble_page("<b>", template, {}))
    policy = next(str(attrs["content"]) for tag, attrs in tags.found if attrs.get("http-equiv"))
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert "unsafe" not in policy
    for kind, block in (tags.blocks[0], tags.blocks[-1]):
        digest = base64.b64encode(hashlib.sha256(block.encode()).digest()).decode()
        assert parts[f"{kind}-src"] == f"'sha256-{digest}'"


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_nothing_is_loaded_and_no_markup_is_made_from_text(template: Path) -> None:
    tags = Tags(assemble_page("title", template, {}))
    assert not [attrs for _, attrs in tags.found if {"src", "href", "style", "onclick"} & set(attrs)]
    script = template.with_suffix(".js").read_text(encoding="utf-8")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|XMLHttp|import\(", script)
    assert "</script" not in script


def test_the_latest_decision_and_what_became_of_it_are_shown() -> None:
    item = make_item(decided=decide(author="Bo"), outcome="stale")
    shown = read_data(write_page(make_sheet(item)))["items"][0]
    assert shown["decided"] == "decided: paint red by Bo, stale"
    assert (shown["outcome"], shown["sha256"]) == ("stale", SEEN)
