"""The review page in a browser: decided by key, there after a reload, exported, and taken in."""

from collections.abc import Generator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from servicebench_data.review.forms import Action, Cell
from servicebench_data.review.incoming import read_decisions
from servicebench_data.review.overrides import merge_overrides, read_overrides
from servicebench_data.review.page import write_page
from tests.browser import needs_chromium, open_browser, open_page
from tests.review.items import CHANGED, SEEN, decide, make_form, make_item, make_sheet

pytestmark = needs_chromium

LID = Cell("lid.text", "Lid", "text", "a red lid", SEEN, (Action("edit", "edit", "It says something else.", "text"),))
SHEET = make_sheet(
    make_item("p1", cells=(LID,)),
    make_item("p2", decided=decide("p2", item_sha256=CHANGED), outcome="stale"),
    make_item("p3"),
)
FORM = replace(
    make_form(digests={"p1": SEEN, "p1/lid.text": SEEN, "p2": SEEN, "p3": SEEN}),
    cells={"p1": (LID,), "p2": (), "p3": ()},
)


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with open_browser() as found:
        yield found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "review.html"
    path.write_text(write_page(SHEET), encoding="utf-8")
    return path


def test_a_person_decides_by_key_and_the_file_is_taken_in(browser: Browser, page: Path, tmp_path: Path) -> None:
    with open_page(browser, page) as watched:
        tab, keys = watched.page, watched.page.keyboard
        tab.locator("#author").fill("Ann Lee")
        keys.press("Escape")
        keys.press("c")  # to the first part that can be edited, and into it
        keys.press("Enter")
        tab.locator("textarea").fill("a blue lid")
        keys.press("Enter")
        keys.type("it is blue")
        keys.press("Enter")
        keys.press("Escape")
        keys.press("j")
        keys.press("3")  # to be named
        keys.type("Jug")
        keys.press("Enter")
        keys.type("=it is one")
        keys.press("Enter")
        assert tab.locator("#item h2").inner_text() == "pot p3"
        keys.press("k")
        keys.press("3")  # again, though nothing lacks: what is typed is no shortcut
        keys.type(" to me")
        keys.press("Enter")
        keys.press("4")  # begun, and without a reason
        keys.press("Escape")
        tab.reload()
        assert "2 of 3 decided here, 1 incomplete" in tab.locator("#progress").inner_text()
        with tab.expect_download() as download:
            keys.press("e")
        assert "Left out as incomplete: 1" in tab.locator("#notice").inner_text()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert watched.is_clean, (watched.errors, watched.requests)
    decisions = read_decisions(path, {("pot", "pottery"): FORM}, datetime.now(UTC))
    merge_overrides(tmp_path, decisions)
    taken = read_overrides(tmp_path, "pot")
    assert sorted((entry.target, entry.action, entry.value, entry.author, entry.reason) for entry in taken) == [
        ("p1/lid.text", "edit", "a blue lid", "Ann Lee", "it is blue"),
        ("p2", "name", "Jug", "Ann Lee", "=it is one to me"),
    ]


def test_stale_decisions_are_told_apart_and_undone_ones_are_gone(browser: Browser, page: Path) -> None:
    with open_page(browser, page) as watched:
        tab, keys = watched.page, watched.page.keyboard
        tab.locator("#show").select_option("stale")
        assert tab.locator("#list .line").all_inner_texts() == ["pot p2"]
        tab.locator("#show").select_option("all")
        tab.locator("#list li").nth(1).click()
        assert "paint red by Ann, stale" in tab.locator(".decide .stale").inner_text()
        keys.press("4")
        assert tab.locator("[aria-pressed=true]").count() == 1
        keys.press("Escape")
        keys.press("u")
        assert tab.locator("[aria-pressed=true]").count() == 0
        keys.press("e")
        assert "name first" in tab.locator("#notice").inner_text()
        assert watched.is_clean, (watched.errors, watched.requests)
