"""How long the report takes: to write, and to open with 1,000 conversations in Chromium.

Run by hand: `python -m benchmarks.report` (`--smoke` for 100 conversations). The page is opened in a fresh browser
context each time; "ready" is when all transcripts are unpacked and can be searched. Beside it: what the same data would
take as plain JSON, which needs no unpacking and makes a larger file.
"""

import argparse
import base64
import gzip
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import Browser, CDPSession

from servicebench_data.release.report.page import write_report
from servicebench_data.review.html import embed_data
from tests.browser import CHROMIUM, Watched, open_browser, open_page
from tests.release.report.made import EXPERIMENT, Size, make_file

AGENTS = ("a", "b", "c", "d")
#: A made message is short; real ones have about this many letters.
PADDING = ("and so on, as people write when they are let down and somebody listens at last, or so it seems to them",)
PARSE = """(text) => { const start = performance.now(); JSON.parse(text); return performance.now() - start; }"""


class Times(NamedTuple):
    """Milliseconds until the first picture, until all can be searched, and of work for it."""

    first: float
    ready: float
    work: float


def main() -> None:
    """Print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="100 conversations, opened once")
    smoke = parser.parse_args().smoke
    scenarios, runs = (25, 1) if smoke else (250, 5)
    with tempfile.TemporaryDirectory() as folder:
        file = make_file(Path(folder) / "made.duckdb", Size(scenarios=scenarios, agents=AGENTS, texts=PADDING))
        start = time.perf_counter()
        text = write_report(file, EXPERIMENT)
        written = time.perf_counter() - start
        page = Path(folder) / "report.html"
        page.write_text(text, encoding="utf-8")
        print(f"{scenarios * len(AGENTS)} conversations: written in {written:.2f} s, {len(text) / 1e6:.2f} MB")
        print_packing(text)
        if CHROMIUM is None:
            print("Chromium is not here, so the page is not opened.")
            return
        with open_browser() as browser:
            times = [measure(browser, page) for _ in range(runs)]
            print_times("first picture", [entry.first for entry in times])
            print_times("ready", [entry.ready for entry in times])
            print_times("work of the main thread until then", [entry.work for entry in times])
            with open_page(browser, page) as found:
                taken = found.page.evaluate(PARSE, unpack(text))
                print(f"plain JSON instead: parsed in {taken:.0f} ms")


def measure(browser: Browser, page: Path) -> Times:
    """Times of one opening; the main thread's own time is from a second one, for it counts what came before."""
    with open_page(browser, page) as found:
        wait_ready(found)
        first = found.page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
        ready = found.page.evaluate("Number(document.documentElement.dataset.ready)")
        session = found.page.context.new_cdp_session(found.page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before = read_thread_time(session)
        found.page.reload()
        wait_ready(found)
        return Times(float(first), float(ready), read_thread_time(session) - before)


def wait_ready(found: Watched) -> None:
    """Wait until the transcripts are unpacked."""
    found.page.wait_for_selector("html[data-ready]", state="attached")


def read_thread_time(session: CDPSession) -> float:
    """Milliseconds that the page's main thread has worked; what other processes take does not count."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(entry["value"] for entry in metrics if entry["name"] == "ThreadTime")


def unpack(text: str) -> str:
    """The transcripts of a page, as JSON."""
    return gzip.decompress(base64.b64decode(find_packed(text))).decode()


def find_packed(text: str) -> str:
    """The packed letters of a page."""
    return text.partition('id="packed">')[2].partition("<")[0]


def print_packing(text: str) -> None:
    """What packing saves."""
    plain, packed = embed_data(json.loads(unpack(text))), find_packed(text)
    print(f"transcripts: {len(plain) / 1e6:.2f} MB as JSON in HTML, {len(packed) / 1e6:.2f} MB packed")


def print_times(what: str, times: list[float]) -> None:
    """Median and worst."""
    print(f"{what}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms of {len(times)}")


if __name__ == "__main__":
    main()
