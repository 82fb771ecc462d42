"""Pages in the system's Chromium, cut off from every network and watched.

Belongs here: the browser, and a page that records what it asked for and what went wrong. Not here: any page of ours.
"""

import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DESKTOP, PHONE = (1280, 900), (390, 844)
# A container has no user namespaces to make a sandbox of; and little shared memory.
OPTIONS = ("--no-sandbox", "--disable-dev-shm-usage")

#: Patience with a busy machine, in ms; nothing here says how fast a page must be.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium (Debian's package `chromium`)")


@dataclass
class Watched:
    """A page with what it did that it should not.

    Attributes:
        page: The page.
        requests: Addresses other than the page itself that it asked for; each was refused.
        errors: Errors of scripts, and complaints of the content security policy.
    """

    page: Page
    requests: list[str] = field(default_factory=list[str])
    errors: list[str] = field(default_factory=list[str])

    @property
    def is_clean(self) -> bool:
        """Whether nothing was asked for and nothing went wrong."""
        return not self.requests and not self.errors


@contextmanager
def open_browser() -> Generator[Browser]:
    """The system's browser, headless."""
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=CHROMIUM, args=list(OPTIONS), timeout=2 * PATIENCE)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(
    browser: Browser,
    file: Path,
    *,
    size: tuple[int, int] = DESKTOP,
    scheme: Literal["light", "dark"] = "light",
    hash_: str = "",
    permissions: Sequence[str] = (),
) -> Generator[Watched]:
    """A file in a fresh context: no history, no store, no network.

    Args:
        browser: See `open_browser`.
        file: The page.
        size: Width and height of the window.
        scheme: Colours that the system asks for.
        hash_: What follows `#` in the address.
        permissions: What the page may do, such as `clipboard-read`.
    """
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, permissions=list(permissions)
    )
    context.set_default_timeout(PATIENCE)
    try:
        watched = Watched(context.new_page())
        watch(watched, file.as_uri())
        watched.page.goto(file.as_uri() + (f"#{hash_}" if hash_ else ""))
        yield watched
    finally:
        context.close()


def watch(watched: Watched, address: str) -> None:
    """Refuse and record every request but that for the file, and record errors."""
    page = watched.page
    page.route("**/*", Guard(watched, address))
    page.on("pageerror", lambda error: watched.errors.append(str(error)))
    page.on("console", lambda message: watched.errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: watched.errors.append(f"dialog: {dialog.message}"))
    page.on("popup", lambda popup: watched.requests.append(popup.url))


@dataclass
class Guard:
    """Lets the page itself through, and nothing else."""

    watched: Watched
    address: str

    def __call__(self, route: Route) -> None:
        """Decide on one request."""
        if route.request.url.partition("#")[0] == self.address:
            route.continue_()
            return
        self.watched.requests.append(route.request.url)
        route.abort()


def measure_overflow(page: Page) -> int:
    """By how many px the page is wider than its window."""
    found: Any = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return int(found)
