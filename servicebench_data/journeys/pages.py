"""A page for each industry that shows its journey map as a customer lives it.

Belongs here: rendering a map, with counts where a build is given. Not here: the map (`schemas/industries/`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import duckdb

from schemas.industry import Category, Industry, Stage

EXAMPLES_SHOWN = 4
SOURCE = "schemas/industries/{industry}/journey.yaml"
HEAD = (
    "Generated from [`{source}`](../../{source}) by `make docs`; edit that file, not this page. "
    "Version {version}: {stages} stages, {categories} categories."
)


class CategoryCount(NamedTuple):
    """What a build found of a category."""

    dialogues: int
    scenarios: int


Counts = Mapping[str, CategoryCount]


def read_counts(path: Path, industry: str) -> dict[str, CategoryCount]:
    """Dialogues and scenarios of each category in a published file."""
    with duckdb.connect(str(path), read_only=True) as connection:
        rows = connection.execute(
            "SELECT category_id, dialogues, scenarios FROM release.category_coverage WHERE industry = $industry "
            "ORDER BY category_id",
            {"industry": industry},
        ).fetchall()
    return {str(row[0]): CategoryCount(int(row[1]), int(row[2])) for row in rows}


def write_journey(industry: Industry, counts: Counts | None = None) -> str:
    """The page of an industry as Markdown.

    Args:
        industry: The industry with its map.
        counts: What the last build found of each category; the page says nothing about counts without.
    """
    journey = industry.journey
    source = SOURCE.format(industry=industry.id)
    parts = [
        f"# {industry.accounts.title}: the customer's journey",
        HEAD.format(
            source=source, version=journey.version, stages=len(journey.stages), categories=len(journey.categories)
        ),
        write_overview(industry, counts),
    ]
    names = {category.id: category.name for category in journey.categories}
    for place, stage in enumerate(journey.stages, start=1):
        parts += [f"## {place}. {stage.name}", escape(stage.description)]
        parts += [write_category(category, names, counts) for category in stage.categories]
    return "\n\n".join(parts) + "\n"


def write_overview(industry: Industry, counts: Counts | None) -> str:
    """The stages in order with their categories."""
    head = ["| stage | categories |", "|---|---|"]
    if counts is not None:
        head = ["| stage | categories | dialogues | scenarios |", "|---|---|---|---|"]
    rows = [write_stage_row(place, stage, counts) for place, stage in enumerate(industry.journey.stages, start=1)]
    return "\n".join([*head, *rows])


def write_stage_row(place: int, stage: Stage, counts: Counts | None) -> str:
    """One stage with links to its categories."""
    links = ", ".join(link(category.name) for category in stage.categories)
    cells = [f"{place}. {escape(stage.name)}", links]
    if counts is not None:
        found = [counts.get(category.id, CategoryCount(0, 0)) for category in stage.categories]
        cells += [str(sum(entry.dialogues for entry in found)), str(sum(entry.scenarios for entry in found))]
    return f"| {' | '.join(cells)} |"


def write_category(category: Category, names: Mapping[str, str], counts: Counts | None) -> str:
    """The section of one category."""
    lines = [f"### {category.name}", "", f"`{category.id}`{describe_count(category, counts)}", ""]
    lines += [escape(category.definition), ""]
    severity = category.severity
    for title, entries in (
        ("Includes", [escape(entry) for entry in category.includes]),
        ("Excludes", [f"{escape(entry.what)} (use {link(names[entry.instead])})" for entry in category.excludes]),
        ("Typical failures", [escape(entry) for entry in category.failures]),
        ("Cues", [escape(entry) for entry in category.cues]),
        ("Usual remedies", [escape(entry) for entry in category.remedies]),
        ("Severity", [f"{name}: {escape(text)}" for name, text in severity.model_dump().items()]),
    ):
        lines.append(f"- **{title}:** {'; '.join(entries)}")
    lines += ["", "\n>\n".join(f"> {escape(text)}" for text in category.examples[:EXAMPLES_SHOWN])]
    return "\n".join(lines)


def link(name: str) -> str:
    """A link to the section of a category on the same page."""
    return f"[{escape(name)}](#{anchor(name)})"


def describe_count(category: Category, counts: Counts | None) -> str:
    """What the last build found of a category, in words."""
    if counts is None:
        return ""
    found = counts.get(category.id, CategoryCount(0, 0))
    return f" · {found.dialogues} dialogues and {found.scenarios} scenarios in the last build"


def anchor(title: str) -> str:
    """The link target that a heading gets."""
    return "".join(char for char in title.lower().replace(" ", "-") if char.isalnum() or char in "-_")


def escape(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    flat = " ".join(text.split())
    for sign in ("\\", "*", "_", "`", "#", "|", "<", "[", "~", "$"):
        flat = flat.replace(sign, f"\\{sign}")
    return flat
