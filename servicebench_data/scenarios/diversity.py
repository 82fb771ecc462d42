"""How varied the released scenarios are, by category, by industry and in all, and which sets are too alike.

Belongs here: the measures with their bounds, the table and the report. Not here: near-duplicates, of which one at most
is released (`duplicates.py`).
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa

from schemas.scenarios import ScenarioDiversity
from servicebench_data.journeys.arrays import Embedder, Floats, Integers, Vectors, hold_one_thread, list_places
from servicebench_data.lake.arrow import from_records
from servicebench_data.lake.database import Limits, add_views, fetch_table, open_database
from servicebench_data.scenarios.likeness import BLOCK_CELLS
from servicebench_data.scenarios.members import Member, embed_members, list_members

QUERY = (Path(__file__).parent / "diversity.sql").read_text(encoding="utf-8")
ALL = "all"
#: Smaller sets are measured, and never called alike.
LEAST_SCENARIOS = 20
#: Characters that are compressed: as many for each set, for more of them always compress better.
COMPRESSED = 8_000

Cell = tuple[str, str]
Rows = list[tuple[str, str]]


class Measure(NamedTuple):
    """One measure.

    Attributes:
        title: What it is, in words.
        bound: Value at which a set counts as alike; None where there is none.
        is_alike_above: Whether it is alike at the bound and above, or at the bound and below.
    """

    title: str
    bound: float | None = None
    is_alike_above: bool = True


#: Bounds lie beyond what nearly every category of 2,500 scenarios from real posts shows, by the offline rules.
MEASURES: Mapping[str, Measure] = {
    "mean_cosine": Measure("Mean cosine of two scenarios of the set, told without brands, values and numbers", 0.55),
    "cosine_across": Measure("Mean cosine with the scenarios of the industry's other categories (or other industries)"),
    "nearest_cosine": Measure("Mean cosine of a scenario with the one most like it in the set", 0.75),
    "compression": Measure("How many times smaller the openings get when compressed", 3.0),
    "first_words": Measure("Distinct first words of the openings, as a share of the openings", 0.1, False),
    "top_opening": Measure("Share of the openings that begin with the most frequent three words", 0.1),
    "distinct_1": Measure("Distinct words of the openings, as a share of all; less in larger sets"),
    "distinct_2": Measure("Distinct word pairs of the openings, as a share of all; less in larger sets"),
    "distinct_3": Measure("Distinct word triples of the openings, as a share of all; less in larger sets", 0.8, False),
    "distinct_place": Measure("Distinct places among those that facts name, as a share"),
    "distinct_amount": Measure("Distinct amounts among those that facts name, as a share", 0.3, False),
    "distinct_person_role": Measure("Distinct people, by what they are, among those that facts name, as a share"),
    "distinct_product": Measure("Distinct products among those that facts name, as a share"),
    "inferred_sentences": Measure("Share of the background's sentences that nobody told", 0.5),
    "repeated_sentences": Measure("Share of the background's sentences that another scenario says word for word", 0.6),
    "top_feeling": Measure("Share of the scenarios with the most frequent sentence of feeling", 0.2),
    "told_feelings": Measure("Share of the scenarios whose feeling the customer told"),
    "feeling_anger": Measure("Share of the scenarios that speak of anger"),
    "feeling_disappointment": Measure("Share of the scenarios that speak of disappointment"),
    "feeling_worry": Measure("Share of the scenarios that speak of worry or fear"),
    "feeling_sorrow": Measure("Share of the scenarios that speak of sorrow or shame"),
    "feeling_exhaustion": Measure("Share of the scenarios that speak of exhaustion"),
}


def measure_diversity(files: Mapping[str, Sequence[Path]], limits: Limits, embedder: Embedder) -> pa.Table:
    """Table `scenario_diversity`.

    Args:
        files: Parquet files of scenarios, candidates, dialogues, backgrounds and facts, by table.
        limits: What DuckDB may take.
        embedder: Gives the vectors, by which near-duplicates were found too.
    """
    with open_database(limits) as connection:
        add_views(connection, files)
        counted = fetch_table(connection, QUERY).to_pylist()
        openings = dict(cast("Rows", connection.execute("SELECT scenario_id, opening FROM scenario").fetchall()))
        members = [member for member in list_members(connection) if member.scenario_id in openings]
    texts = [openings[member.scenario_id] for member in members]
    measured = [*counted, *measure_likeness(members, embed_members(members, embedder), texts)]
    ordered = sorted(measured, key=lambda row: (row["industry"], row["category_id"], row["measure"]))
    return from_records(ScenarioDiversity, map(judge, ordered))


def measure_likeness(members: Sequence[Member], vectors: Vectors, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Measures of vectors and compressed texts, cell by cell."""
    cells = list_cells(members)
    with hold_one_thread():
        for cell, places in cells.items():
            around = np.setdiff1d(find_around(cell, cells), places)
            values = {
                "mean_cosine": average_inside(vectors[places]),
                "cosine_across": average_between(vectors[places], vectors[around]),
                "nearest_cosine": average_nearest(vectors[places]),
                "compression": measure_compression([texts[place] for place in list_places(places)]),
            }
            for measure, value in values.items():
                if value is not None:
                    head = {"industry": cell[0], "category_id": cell[1], "scenario_count": len(places)}
                    yield {**head, "measure": measure, "value": value, "detail": None}


def list_cells(members: Sequence[Member]) -> dict[Cell, Integers]:
    """Places of the members of each category, of each industry and of all."""
    found: dict[Cell, list[int]] = {}
    for place, member in enumerate(members):
        for cell in (member.cell, (member.industry, ALL), (ALL, ALL)):
            found.setdefault(cell, []).append(place)
    return {cell: np.array(places, dtype=np.int64) for cell, places in sorted(found.items())}


def find_around(cell: Cell, cells: Mapping[Cell, Integers]) -> Integers:
    """Places of what a category or an industry is held against: its industry, or all."""
    return cells[(ALL, ALL)] if cell[1] == ALL else cells[(cell[0], ALL)]


def average_inside(vectors: Vectors) -> float | None:
    """Mean cosine of two different rows; None where there are no two."""
    wide = vectors.astype(np.float64)
    size, total = len(wide), wide.sum(axis=0)
    return float((total @ total - (wide * wide).sum()) / (size * (size - 1))) if size > 1 else None


def average_between(vectors: Vectors, others: Vectors) -> float | None:
    """Mean cosine of a row of each; None where one has no row."""
    if not len(vectors) or not len(others):
        return None
    return float(vectors.astype(np.float64).mean(axis=0) @ others.astype(np.float64).mean(axis=0))


def average_nearest(vectors: Vectors) -> float | None:
    """Mean over the rows of the cosine with the row most like it; None where there are no two."""
    if len(vectors) < 2:
        return None
    step = max(1, BLOCK_CELLS // len(vectors))
    return float(np.concatenate([find_closest(vectors, start, step) for start in range(0, len(vectors), step)]).mean())


def find_closest(vectors: Vectors, start: int, step: int) -> Floats:
    """Highest cosine of each row of a block with any other row."""
    block = vectors[start : start + step] @ vectors.T
    own = np.arange(len(block))
    block[own, start + own] = -1.0
    return block.max(axis=1).astype(np.float64)


def measure_compression(texts: Sequence[str]) -> float | None:
    """Size of the texts through their size compressed; None where they are too few to compare."""
    whole = "\n".join(texts).encode()[:COMPRESSED]
    return len(whole) / len(zlib.compress(whole, 9)) if len(whole) == COMPRESSED else None


def judge(row: Mapping[str, Any]) -> ScenarioDiversity:
    """The row with its title and bound, flagged where the set is large enough and alike."""
    measure = MEASURES[row["measure"]]
    is_flagged = False
    if measure.bound is not None and row["scenario_count"] >= LEAST_SCENARIOS:
        is_flagged = row["value"] >= measure.bound if measure.is_alike_above else row["value"] <= measure.bound
    return ScenarioDiversity(**row, title=measure.title, bound=measure.bound, is_flagged=is_flagged)


def count_flagged(table: pa.Table) -> int:
    """How many measures of how many sets are flagged."""
    return sum(bool(flag) for flag in table["is_flagged"].to_pylist())


def list_values(table: pa.Table, measure: str) -> dict[str, float]:
    """Values of one measure by category, of the sets that are large enough to be judged."""
    return {
        f"{row['industry']}: {row['category_id']}": round(row["value"], 3)
        for row in table.to_pylist()
        if row["measure"] == measure and row["category_id"] != ALL and row["scenario_count"] >= LEAST_SCENARIOS
    }


def write_report(table: pa.Table) -> str:
    """The report as Markdown: what is flagged, then all measures over all scenarios beside the categories' range."""
    rows = table.to_pylist()
    flagged = [f"- {row['industry']}: {row['category_id']}: {describe(row)}" for row in rows if row["is_flagged"]]
    lines = ["Too alike, for a person to look at:", *(flagged or ["- nothing"]), ""]
    lines += ["| measure | all | categories, lowest | middle | highest | alike at |", "|---|---|---|---|---|---|"]
    return "\n".join([*lines, *(describe_measure(name, rows) for name in MEASURES)])


def describe(row: Mapping[str, Any]) -> str:
    """What one row says, in words."""
    return f"{row['title'].lower()}: {row['value']:.2f} of {row['scenario_count']} scenarios (alike at {row['bound']})"


def describe_measure(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Line of the report: a measure over all, and over the categories that are large enough."""
    measure = MEASURES[name]
    mine = [row for row in rows if row["measure"] == name]
    whole = [f"{row['value']:.2f}" for row in mine if row["industry"] == ALL]
    large = sorted(
        row["value"] for row in mine if row["category_id"] != ALL and row["scenario_count"] >= LEAST_SCENARIOS
    )
    range_ = [f"{large[place]:.2f}" for place in (0, len(large) // 2, -1)] if large else ["", "", ""]
    bound = "" if measure.bound is None else f"{measure.bound:g}"
    return f"| {' | '.join([measure.title, *(whole or ['']), *range_, bound])} |"
