"""The page in Chromium, without a network: it looks after itself, and nobody's text runs."""

import re
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import DESKTOP, PHONE, Watched, measure_overflow, needs_chromium, open_page
from tests.release.report.conftest import AGENTS
from tests.release.report.made import HOSTILE

pytestmark = needs_chromium


def wait_ready(page: Page) -> None:
    """Wait until the transcripts are unpacked; by a selector, for the page's policy lets nobody evaluate strings."""
    page.wait_for_selector("html[data-ready]", state="attached")


@pytest.fixture
def watched(browser: Browser, page: Path) -> Generator[Watched]:
    """The report, unpacked."""
    with open_page(browser, page) as found:
        wait_ready(found.page)
        yield found
        assert found.is_clean, (found.requests, found.errors)


def open_transcripts(page: Page) -> None:
    page.get_by_role("link", name="Transcripts", exact=True).click()
    expect(page.locator("#viewer")).to_be_visible()


def open_first(page: Page) -> None:
    open_transcripts(page)
    page.locator(".row").first.click()
    expect(page.locator(".talk")).to_have_count(1)


def read_contrast(page: Page, selector: str) -> float:
    """Least ratio of luminance between text and ground of the elements, as WCAG counts it."""
    found: Any = page.evaluate(CONTRAST, selector)
    return float(found)


NAMED = """(svg) =>
  svg.getAttribute("aria-labelledby").split(" ").map((id) => document.getElementById(id).textContent)"""
CONTRAST = """(selector) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = (colours) => {
    paint.clearRect(0, 0, 1, 1);
    for (const colour of colours) { paint.fillStyle = colour; paint.fillRect(0, 0, 1, 1); }
    return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (rgb) => rgb.map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, place) => sum + part * [0.2126, 0.7152, 0.0722][place], 0);
  const grounds = (element) => {
    const list = [];
    for (let at = element; at; at = at.parentElement) list.unshift(getComputedStyle(at).backgroundColor);
    return list;
  };
  const seen = [...document.querySelectorAll(selector)].filter((element) => element.checkVisibility());
  return Math.min(...seen.map((element) => {
    const style = getComputedStyle(element);
    const ink = element instanceof SVGElement ? style.fill : style.color;
    const [a, b] = [light(read([...grounds(element), ink])), light(read(grounds(element)))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }));
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_every_part_fits_and_can_be_read(
    browser: Browser, page: Path, scheme: Literal["light", "dark"], size: tuple[int, int]
) -> None:
    with open_page(browser, page, size=size, scheme=scheme) as found:
        wait_ready(found.page)
        assert measure_overflow(found.page) <= 0
        plots = found.page.locator(".plot.narrow" if size == PHONE else ".plot.wide")
        assert plots.count() > 5
        assert all(plots.nth(place).is_visible() for place in range(plots.count()))
        for selector in ("p", "h2", "td", ".stamp", ".source", ".cell span", "svg .tick", "svg .label", "summary"):
            assert read_contrast(found.page, selector) >= 4.5, selector
        open_first(found.page)
        assert measure_overflow(found.page) <= 0
        for selector in (".bubble", ".who", ".note", ".chip", ".hl", ".fact", ".why"):
            assert read_contrast(found.page, selector) >= 4.5, selector
        assert found.is_clean, (found.requests, found.errors)


def test_the_measure_of_contrast_sees_what_cannot_be_read(watched: Watched) -> None:
    watched.page.evaluate("document.querySelector('.lead').style.color = '#b0b8c0'")
    assert read_contrast(watched.page, ".lead") < 4.5


def test_light_and_dark_differ_and_a_button_overrides_the_system(watched: Watched) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    before = watched.page.evaluate(ground)
    watched.page.locator("#theme").click()
    assert watched.page.evaluate(ground) == before
    watched.page.locator("#theme").click()
    assert watched.page.evaluate(ground) != before


def test_the_page_can_be_walked_with_the_tab_key(watched: Watched) -> None:
    page = watched.page
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    seen: set[str] = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.add(page.evaluate("document.activeElement.tagName + '.' + document.activeElement.className"))
    assert {"A.", "SUMMARY.", "DIV.scroll"} <= seen


def test_sql_is_copied_as_it_is_shown(browser: Browser, page: Path) -> None:
    with open_page(browser, page, permissions=["clipboard-read", "clipboard-write"]) as found:
        figure = found.page.locator("#fig-leaderboard")
        figure.locator("summary", has_text="SQL").click()
        figure.locator(".copy").click()
        expect(figure.locator(".copy")).to_have_text("Copied")
        assert found.page.evaluate("navigator.clipboard.readText()") == figure.locator("code").text_content()


def test_pictures_have_names_for_those_who_hear_them(watched: Watched) -> None:
    pictures = watched.page.locator(".plot.wide svg[role=img]")
    assert pictures.count() > 8
    for place in range(pictures.count()):
        named: Any = pictures.nth(place).evaluate(NAMED)
        assert all(len(text) > 5 for text in named)


def test_the_list_shows_all_and_draws_few(watched: Watched) -> None:
    open_transcripts(watched.page)
    expect(watched.page.locator("#count")).to_have_text(f"{12 * 4 * 2 * 2} of {12 * 4 * 2 * 2} conversations")
    assert watched.page.locator(".row").count() < 40
    watched.page.locator("#list").evaluate("(list) => { list.scrollTop = list.scrollHeight; }")
    expect(watched.page.locator(".row[aria-posinset='192']")).to_be_visible()


def test_filters_and_search_narrow_the_list(watched: Watched) -> None:
    page = watched.page
    open_transcripts(page)
    page.locator("[name=agent]").select_option("curt")
    expect(page.locator("#count")).to_contain_text("48 of 192")
    page.locator("[name=outcome]").select_option("agreed")
    assert int(re.findall(r"\d+", page.locator("#count").inner_text())[0]) < 48
    page.get_by_role("button", name="Reset").click()
    expect(page.locator("#count")).to_contain_text("192 of 192")
    page.keyboard.press("/")
    page.keyboard.type("message 10")
    narrowed = int(re.findall(r"\d+", page.locator("#count").inner_text())[0])
    assert 0 < narrowed < 192
    page.keyboard.type(" no such words")
    expect(page.locator("#count")).to_contain_text("nothing fits")


def test_a_link_from_a_figure_filters_the_transcripts(watched: Watched) -> None:
    watched.page.locator("#fig-leaderboard .board a", has_text="lavish").click()
    expect(watched.page.locator("#count")).to_contain_text("48 of 192")
    watched.page.get_by_role("link", name="Figures").click()
    expect(watched.page.locator("#report")).to_be_visible()
    watched.page.locator("#fig-journey_map .cell a").first.click()
    expect(watched.page.locator("#viewer")).to_be_visible()
    assert watched.page.locator("[name=category]").input_value() == "c00"


def test_facts_light_up_as_they_come_out(watched: Watched) -> None:
    page = watched.page
    open_first(page)
    lit = page.locator(".facts .fact.lit")
    while page.locator("#turn").input_value() != "0":
        page.keyboard.press("ArrowLeft")
    expect(lit).to_have_count(1)
    expect(page.locator(".message.later")).not_to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".facts .fact.open")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(lit).to_have_count(2)
    expect(page.locator(".fact.now").first).to_contain_text("f2")
    page.locator(".facts .fact.lit button").last.click()
    expect(page.locator(".hl.flash")).to_have_text("fact 2 is out")


def test_quotes_are_marked_where_they_stand(watched: Watched) -> None:
    page = watched.page
    open_first(page)
    expect(page.locator("#talks .hl.judge").first).to_have_text("I hear you.")
    title = page.locator("#talks .hl.judge").first.get_attribute("title") or ""
    assert "first on dignity" in title
    assert "gate: acknowledges harm" in title
    expect(page.locator("#talks .hl.told").first).to_have_text("fact 1 is out")
    page.locator(".layers input[name=judge]").uncheck()
    colour = page.locator("#talks .hl.judge").first.evaluate("(span) => getComputedStyle(span).backgroundColor")
    assert colour == "rgba(0, 0, 0, 0)"
    page.locator(".judgment summary").first.click()
    page.locator(".judgment .quote").first.click()
    expect(page.locator(".hl.flash").first).to_have_text("I hear you.")


def test_keys_walk_the_list_and_put_another_agent_beside(watched: Watched) -> None:
    page = watched.page
    open_transcripts(page)
    page.keyboard.press("j")
    first = page.locator(".head code").text_content()
    page.keyboard.press("j")
    assert page.locator(".head code").text_content() != first
    page.keyboard.press("k")
    assert page.locator(".head code").text_content() == first
    page.keyboard.press("b")
    expect(page.locator(".talk")).to_have_count(2)
    agents = page.locator(".head h2 span:nth-of-type(1)").all_inner_texts()
    assert len(set(agents)) == 2
    assert set(agents) <= set(AGENTS)
    scenarios = {(code or "").split("-")[0] for code in page.locator(".head code").all_text_contents()}
    assert len(scenarios) == 1
    page.keyboard.press("Escape")
    expect(page.locator(".talk")).to_have_count(1)
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_an_address_opens_its_conversation_or_two(browser: Browser, page: Path) -> None:
    with open_page(browser, page, hash_="c0003-1-0-p") as found:
        expect(found.page.locator(".head code")).to_have_text("c0003-1-0-p")
        expect(found.page.locator(".row[aria-selected=true]")).to_be_visible()
    with open_page(browser, page, hash_="c0003-1-0-p,c0003-0-0-p") as found:
        expect(found.page.locator(".head code")).to_have_count(2)
        assert found.is_clean
    with open_page(browser, page, hash_="no-such") as found:
        wait_ready(found.page)
        expect(found.page.locator("#report")).to_be_visible()


def test_reading_on_a_phone_goes_there_and_back(browser: Browser, page: Path) -> None:
    with open_page(browser, page, size=PHONE, hash_="transcripts") as found:
        wait_ready(found.page)
        expect(found.page.locator(".reader")).to_be_hidden()
        found.page.locator(".row").first.click()
        expect(found.page.locator(".finder")).to_be_hidden()
        expect(found.page.locator(".strip .fact").first).to_be_visible()
        found.page.locator("#back").click()
        expect(found.page.locator(".finder")).to_be_visible()


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_hostile_texts_run_nothing_and_ask_for_nothing(
    browser: Browser, hostile_page: Path, size: tuple[int, int]
) -> None:
    with open_page(browser, hostile_page, size=size) as found:
        page = found.page
        wait_ready(page)
        assert measure_overflow(page) <= 0
        for number in range(8):
            page.evaluate("(number) => { location.hash = `c${String(number).padStart(4, '0')}-0-0-p`; }", number)
            expect(page.locator(".head code").first).to_have_text(f"c{number:04}-0-0-p")
            page.keyboard.press("b")
            expect(page.locator(".talk")).to_have_count(2)
            page.evaluate("document.querySelectorAll('#talks details').forEach((part) => { part.open = true; })")
            page.locator(".hl").first.hover()
        assert measure_overflow(page) <= 0
        assert page.evaluate("window.pwned") is None
        assert page.locator("#talks script, #talks img, #talks iframe, #talks a, #talks base, #talks meta").count() == 0
        assert found.is_clean, (found.requests, found.errors)


def test_hostile_texts_are_shown_as_they_are(browser: Browser, hostile_page: Path) -> None:
    with open_page(browser, hostile_page, hash_="c0000-0-0-p,c0001-0-0-p") as found:
        wait_ready(found.page)
        found.page.keyboard.press("/")
        found.page.keyboard.type("<script>window.pwned=1</script>")
        assert found.page.locator(".row").count() > 0
        found.page.locator(".row").first.click()
        shown = "\n".join(found.page.locator(".bubble").all_text_contents())
        assert HOSTILE[0] in shown


def test_the_watch_sees_a_script_a_request_and_an_error(browser: Browser, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<img src='http://example.invalid/x.png'><script>window.pwned = 1; nowhere();</script>", encoding="utf-8"
    )
    with open_page(browser, bad) as found:
        expect(found.page.locator("img")).to_be_attached()
        assert found.page.evaluate("window.pwned") == 1
        assert found.requests == ["http://example.invalid/x.png"]
        assert any("nowhere" in error for error in found.errors)
