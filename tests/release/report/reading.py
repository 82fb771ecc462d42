"""A written page taken apart, as a browser without scripts would see it.

Belongs here: figures with their texts, tables and SQL. Not here: any expectation.
"""

from dataclasses import dataclass, field
from html.parser import HTMLParser


@dataclass
class Shown:
    """A figure of the page."""

    name: str
    sizes: str = ""
    missing: str = ""
    sql: str = ""
    svg: str = ""
    tables: list[list[list[str]]] = field(default_factory=list[list[list[str]]])


class Page(HTMLParser):
    """The page's tags, and its figures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.figures: dict[str, Shown] = {}
        self.blocks: dict[str, str] = {"style": "", "script": ""}
        self._open: list[tuple[str, str]] = []
        self._now: Shown | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        kind = given.get("class") or ""
        if tag == "article":
            self._now = Shown((given.get("id") or "").removeprefix("fig-"))
            self.figures[self._now.name] = self._now
        if self._now and tag == "table":
            self._now.tables.append([])
        if self._now and tag == "tr":
            self._now.tables[-1].append([])
        if self._now and tag in {"td", "th"}:
            self._now.tables[-1][-1].append("")
        if tag not in {"meta", "input", "br"}:
            self._open.append((tag, f"{tag}.{kind}" if tag != "script" else f"script.{given.get('type') or ''}"))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag == "article":
            self._now = None

    def handle_data(self, data: str) -> None:
        names = [name for _, name in self._open]
        if names and names[-1] in {"style.", "script."}:
            self.blocks[names[-1][:-1]] += data
        if not self._now:
            return
        if "p.sizes" in names:
            self._now.sizes += data
        if "p.absent" in names:
            self._now.missing += data
        if "code." in names and "pre." in names:
            self._now.sql += data
        if "div.plot wide" in names:
            self._now.svg += data
        if {"td.", "td.num", "th."} & set(names):
            self._now.tables[-1][-1][-1] += data
