"""Reads a file of people's codings: a row for each item and coder.

Belongs here: finding what is wrong with such a file. Not here: the figures (`agreement.py`).

Columns: `item_id`, `coder`, `category_id`, and optionally `stage_id`, which is derived from the map and only compared
with it. Others are left unread. An empty `category_id` is a missing coding; `none` says that no category of the map
fits.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from schemas.industry import Industry
from servicebench_data.journeys.agreement import Coded
from servicebench_data.journeys.maps import map_stages
from servicebench_data.review.cells import ReviewError, bare, open_rows

COLUMNS = ("item_id", "coder", "category_id")
NONE = "none"


def read_codings(path: Path, stages: Mapping[str, str]) -> list[Coded]:
    """The codings of a file; missing ones are left out.

    Args:
        path: The file.
        stages: Stage of each category.

    Raises:
        ReviewError: A row cannot be used; every such row is named.
    """
    codings: list[Coded] = []
    faults: list[str] = []
    first: dict[tuple[str, str], int] = {}
    spelt: dict[str, str] = {}
    for place, row in open_rows(path, COLUMNS):
        values = {name: bare(value) for name, value in row.items()}
        problem = find_problem(values, stages) or find_namesake(values["coder"], spelt)
        key = values["item_id"], values["coder"]
        if problem is None and first.setdefault(key, place) != place:
            problem = (
                f"field 'coder': {key[1]!r} coded item {key[0]!r} in row {first[key]} already; keep one of the two."
            )
        if problem:
            faults.append(f"{str(path)!r} row {place}, {problem}")
        elif values["category_id"]:
            codings.append(Coded(*key, values["category_id"]))
    if faults:
        raise ReviewError(faults)
    return codings


def find_problem(row: Mapping[str, str], stages: Mapping[str, str]) -> str | None:
    """Field, value and remedy of what is wrong with a row."""
    for name in ("item_id", "coder"):
        if not row[name]:
            return f"field {name!r}: it is empty; fill it in."
    category, stage = row["category_id"], row.get("stage_id", "")
    if category and category not in stages:
        near = get_close_matches(category, list(stages), n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"write an id of the map, or {NONE!r}."
        return f"field 'category_id': {category!r} is no category of the map; {hint}"
    if stage and category and stage != stages[category]:
        return f"field 'stage_id': {stage!r} is not the stage of {category!r}, which is {stages[category]!r}; empty it."
    return None


def find_namesake(coder: str, spelt: dict[str, str]) -> str | None:
    """What is wrong with a coder who is another one but for case and spaces.

    Args:
        coder: The coder.
        spelt: Coders so far by what of their names counts; the coder is added.
    """
    other = spelt.setdefault(" ".join(coder.casefold().split()), coder)
    return None if other == coder else f"field 'coder': {coder!r} and {other!r} look like one person; write one name."


def list_codes(industry: Industry) -> dict[str, str]:
    """Stage of each category of a map, and `none` as a code of its own."""
    return {**map_stages(industry), NONE: NONE}


def guess_industry(path: Path, industries: Sequence[Industry]) -> Industry:
    """The one industry whose map has more of a file's rows than any other's.

    Raises:
        ReviewError: There is none, or several.
    """
    given = [bare(row["category_id"]) for _, row in open_rows(path, COLUMNS)]
    counts = {industry.id: sum(name in map_stages(industry) for name in given) for industry in industries}
    most = max(counts.values(), default=0)
    found = [industry for industry in industries if most and counts[industry.id] == most]
    if len(found) != 1:
        names = ", ".join(industry.id for industry in found) or "none of the industries"
        raise ReviewError([f"{str(path)!r}: its categories are in the map of {names}; name one with --industry."])
    return found[0]
