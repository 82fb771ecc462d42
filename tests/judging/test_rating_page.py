"""The annotation page in a browser: a person rates by key, nothing gives the agent away, and the CSV comes back."""

import json
import re
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from servicebench_data.judging.ratings.page import Draw, assign, read_cases, write_rating_page
from servicebench_data.judging.ratings.questions import find_question_ids
from servicebench_data.judging.ratings.store import read_ratings
from servicebench_data.judging.ratings.taking import take_in_ratings
from servicebench_data.lake.store import Lake
from tests.browser import PHONE, measure_overflow, needs_chromium, open_browser, open_page
from tests.judging.bench import SAID
from tests.judging.rated import AGENT, EXPERIMENT, MODEL, make_home

HOSTILE = '</script><script>document.title="owned"</script><img src=x onerror="document.title=1"> <b>bold</b> {{7*7}}'
SAID_BY = (SAID, (HOSTILE, f"I'm {AGENT}, and {HOSTILE}", "Fine."), SAID)


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return make_home(tmp_path_factory.mktemp("home"), SAID_BY)


def write_page(lake: Lake, folder: Path, rater: str = "Ann Lee") -> Path:
    made = assign(lake, EXPERIMENT, read_cases(lake, EXPERIMENT), rater, Draw(10, 10, 1))
    path = folder / "rate.html"
    path.write_text(write_rating_page(made), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(lake, tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    with open_browser() as found:
        yield found


def test_nothing_on_the_page_tells_agent_condition_end_or_score(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, flags=re.DOTALL)
    assert found
    data = json.loads(found[1])
    assert set(data["conversations"][0]) == {"id", "sha256", "loss", "events", "transcript"}
    told = json.dumps(data["conversations"])
    for word in (AGENT, MODEL, "Yolanda", "SECRET", "assertive", "progressive", "agreement", "severity"):
        assert word not in told
    assert "[agent]" in told


def test_the_page_needs_nothing_and_lets_no_other_script_run(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert re.findall(r"<(?:link|img|iframe|script src)", text.split("</style>")[1].split("<script")[0]) == []
    assert HOSTILE not in text


@needs_chromium
def test_a_person_rates_by_key_and_the_file_comes_back(
    lake: Lake, browser: Browser, page: Path, tmp_path: Path
) -> None:
    keys = "45312345"
    with open_page(browser, page) as watched:
        tab = watched.page
        first = tab.evaluate("data.conversations[0].id")
        for key in keys:
            tab.keyboard.press(key)
        assert "1 of 3 rated" in tab.locator("#progress").inner_text()
        tab.keyboard.press("c")
        tab.locator("#comment").fill("=odd, but\nkind")
        tab.keyboard.press("Escape")
        tab.keyboard.press("n")
        assert tab.locator("#place").inner_text() == "Conversation 2 of 3"
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("2")
        with tab.expect_download() as download:
            tab.keyboard.press("e")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        second = tab.evaluate("data.conversations[1].id")
        assert watched.is_clean, watched.errors
    assert path.name.startswith(f"ratings-{EXPERIMENT}-Ann-Lee-")
    take_in_ratings(lake, [path], datetime.now(UTC))
    entries = read_ratings(lake, EXPERIMENT)
    given = {(entry.conversation_id, entry.question): entry.score for entry in entries}
    wanted = {(first, name): int(key) for name, key in zip(find_question_ids(), keys, strict=True)}
    assert given == {**wanted, (second, "procedural"): 2}
    assert {entry.comment for entry in entries if entry.conversation_id == first} == {"=odd, but kind"}
    assert {entry.rater for entry in entries} == {"Ann Lee"}


@needs_chromium
def test_what_was_given_is_there_after_a_reload_and_can_be_taken_back(browser: Browser, page: Path) -> None:
    with open_page(browser, page) as watched:
        tab = watched.page
        for key in ("4", "2", "ArrowUp", "0"):
            tab.keyboard.press(key)
        tab.reload()
        pressed = tab.locator("[aria-pressed=true]")
        # The first answer; the second was given on the way and taken back, where the focus had gone up again.
        assert tab.evaluate("draftOf(data.conversations[0]).scores") == {"interactional": 4}
        assert pressed.count() == 1
        tab.keyboard.press("u")
        tab.reload()
        assert tab.locator("[aria-pressed=true]").count() == 0
        assert watched.is_clean, watched.errors


@needs_chromium
def test_enter_after_a_click_goes_on_and_gives_no_score(browser: Browser, page: Path) -> None:
    with open_page(browser, page) as watched:
        tab = watched.page
        tab.locator(".question").nth(0).get_by_role("button").nth(2).click()
        tab.keyboard.press("Enter")
        assert tab.locator("#place").inner_text() == "Conversation 2 of 3"
        assert tab.evaluate("draftOf(data.conversations[0]).scores") == {"interactional": 3}
        assert tab.evaluate("draftOf(data.conversations[1]).scores") == {}


@needs_chromium
def test_without_a_store_the_page_says_so_and_still_exports(browser: Browser, page: Path) -> None:
    with open_page(browser, page) as watched:
        tab = watched.page
        tab.add_init_script("Storage.prototype.getItem = () => { throw new Error('none'); };")
        tab.reload()
        assert "export before you close" in tab.locator("#notice").inner_text()
        tab.keyboard.press("5")
        with tab.expect_download():
            tab.locator("#export").click()
        assert tab.evaluate("isUnsaved") is False


@needs_chromium
def test_without_a_name_nothing_is_exported(lake: Lake, browser: Browser, tmp_path: Path) -> None:
    with open_page(browser, write_page(lake, tmp_path, rater="")) as watched:
        tab = watched.page
        tab.keyboard.press("5")
        tab.keyboard.press("e")
        assert "name or code first" in tab.locator("#notice").inner_text()
        assert tab.evaluate("document.activeElement.id") == "rater"
        tab.keyboard.type("B 5")
        assert tab.locator("#rater").input_value() == "B 5"
        assert tab.evaluate("Object.keys(draftOf(data.conversations[0]).scores).length") == 1


@needs_chromium
def test_hostile_words_stay_words(browser: Browser, page: Path) -> None:
    with open_page(browser, page) as watched:
        tab = watched.page
        seen = ""
        for _ in range(3):
            seen += tab.locator("#transcript").inner_text()
            tab.keyboard.press("j")
        assert "<b>bold</b> {{7*7}}" in seen
        assert tab.title() == f"Rate conversations: {EXPERIMENT}"
        assert tab.locator("#transcript img, #transcript script, #transcript b b").count() == 0
        assert watched.is_clean, (watched.requests, watched.errors)


@needs_chromium
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_control_has_a_name_and_the_phone_needs_no_scrolling_sideways(
    browser: Browser, page: Path, scheme: str
) -> None:
    with open_page(browser, page, size=PHONE, scheme="dark" if scheme == "dark" else "light") as watched:
        tab = watched.page
        assert measure_overflow(tab) == 0
        unnamed = tab.evaluate(
            "[...document.querySelectorAll('button, input, textarea')].filter((entry) => !entry.textContent.trim() "
            "&& !entry.ariaLabel && !entry.labels?.length).length"
        )
        assert unnamed == 0
        assert tab.evaluate(CONTRASTS) >= 4.5


#: Least contrast between the words of an element and what is behind them.
CONTRASTS = """() => {
  const channel = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  const parse = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const shine = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = parse(getComputedStyle(at).backgroundColor);
      if (colour.length < 4 || colour[3] > 0) return colour;
    }
    return [255, 255, 255];
  };
  const texts = [...document.body.querySelectorAll("*")].filter((element) =>
    element.checkVisibility() && !element.disabled &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const contrasts = texts.map((element) => {
    const [one, two] = [shine(parse(getComputedStyle(element).color)), shine(behind(element))];
    return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
  });
  return Math.min(...contrasts);
}"""
