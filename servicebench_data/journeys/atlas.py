"""A picture of an industry's dialogues: each a point, near others that say the like, coloured by stage.

Belongs here: what is in the picture, its places kept in the cache, and the interactive page. Not here: the static
picture (`assets/plots.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast
from uuid import uuid4

import numpy as np

from schemas.industry import Industry
from schemas.journeys import Coding, Embedding, Topic, TopicMember
from servicebench_data.journeys.arrays import Floats, Vectors, list_places
from servicebench_data.journeys.clusters import lay_out, sample_rows
from servicebench_data.journeys.embedding import read_vectors
from servicebench_data.lake.store import Lake, digest_json
from servicebench_data.review.html import assemble_page

TEMPLATE = Path(__file__).parent / "atlas"
# More points than this neither a page nor a person can take in.
LIMIT = 5000
LABEL_WORDS = 3
UNASSIGNED = "unassigned"
NO_TOPIC = "no topic, or a novel one"
# For the stages of a journey in their order; told apart by most colour-blind people too, and dark enough on white.
COLOURS = ("#3b6fb6", "#d1495b", "#2a9d6f", "#e09f3e", "#7b4ea3", "#17a2b8", "#a0522d", "#e377c2", "#6b8e23", "#444444")
GREY = "#b8c0c8"


@dataclass(frozen=True)
class Label:
    """A topic's name at its middle."""

    text: str
    x: float
    y: float
    size: int


@dataclass(frozen=True)
class Atlas:
    """What is in the picture; a value each for the points.

    Attributes:
        title: What it shows.
        stages: Names of the stages in the journey's order, and last that of the unassigned.
        colours: A colour for each.
        ids: Dialogues.
        places: Two numbers each, mostly between 0 and 1.
        stage_of: Place of each one's stage in `stages`.
        categories: Names of their categories.
        labels: The topics, largest first.
        total: Dialogues of the industry, of which the picture may hold a sample.
        coloured_by: What the colours say.
    """

    title: str
    stages: list[str]
    colours: list[str]
    ids: list[str]
    places: Floats
    stage_of: list[int]
    categories: list[str]
    labels: list[Label]
    total: int
    coloured_by: str


def read_atlas(lake: Lake, industry: Industry, seed: int, *, by_topic: bool = False) -> Atlas:
    """The picture of an industry's last build.

    Args:
        lake: The home's lake.
        industry: The industry with its map.
        seed: Seed of the places.
        by_topic: Whether a dialogue shows its topic's category in place of its own, which is coded later.

    Raises:
        LakeError: A table has not been made yet.
    """
    embeddings = lake.read(Embedding, industry.id)
    names = cast("list[str]", embeddings["dialogue_id"].to_pylist())
    vectors = read_vectors(embeddings)
    rows = choose_rows(vectors, seed)
    ids = [names[row] for row in rows]
    places = find_places(lake.cache / "layouts", vectors[rows], seed)
    category_of = read_topic_codes(lake, industry.id) if by_topic else read_codes(lake, industry.id)
    stages = [stage.name for stage in industry.journey.stages]
    stage_of = {
        category.id: place for place, stage in enumerate(industry.journey.stages) for category in stage.categories
    }
    title_of = {category.id: category.name for category in industry.journey.categories}
    codes = [category_of.get(name) or "" for name in ids]
    rest = NO_TOPIC if by_topic else UNASSIGNED
    return Atlas(
        industry.accounts.title,
        [*stages, rest],
        [*(COLOURS[place % len(COLOURS)] for place in range(len(stages))), GREY],
        ids,
        places,
        [stage_of.get(code, len(stages)) for code in codes],
        [title_of.get(code, rest) for code in codes],
        label_topics(lake, industry.id, ids, places),
        len(names),
        f"coloured by the stage of their {'topic' if by_topic else 'own coding'}",
    )


def read_codes(lake: Lake, industry: str) -> dict[str, str | None]:
    """Category of each dialogue."""
    coding = lake.read(Coding, industry)
    ids = cast("list[str]", coding["dialogue_id"].to_pylist())
    return dict(zip(ids, cast("list[str | None]", coding["category_id"].to_pylist()), strict=True))


def read_topic_codes(lake: Lake, industry: str) -> dict[str, str | None]:
    """Category of each dialogue's topic."""
    topics, members = lake.read(Topic, industry), lake.read(TopicMember, industry)
    names = cast("list[str]", topics["topic_id"].to_pylist())
    code = dict(zip(names, cast("list[str | None]", topics["category_id"].to_pylist()), strict=True))
    ids = cast("list[str]", members["dialogue_id"].to_pylist())
    found = cast("list[str | None]", members["topic_id"].to_pylist())
    return {dialogue: code.get(topic or "") for dialogue, topic in zip(ids, found, strict=True)}


def choose_rows(vectors: Vectors, seed: int) -> list[int]:
    """Rows to show: those with text, or where they are many a sample that does not depend on their order."""
    filled = np.flatnonzero(np.abs(vectors).sum(axis=1) > 0)
    return list_places(filled[sample_rows(vectors[filled], seed, LIMIT)].astype(np.int64))


def find_places(cache: Path, vectors: Vectors, seed: int) -> Floats:
    """Places of the vectors, equal ones at one place; from the cache where these vectors have been laid out before."""
    if not len(vectors):
        return np.zeros((0, 2))
    distinct, inverse = np.unique(vectors, axis=0, return_inverse=True)
    key = digest_json([seed, distinct.shape, distinct.tobytes().hex()])
    path = cache / f"{key}.npy"
    if path.exists():
        return np.load(path, allow_pickle=False)[inverse.reshape(-1)]
    places = lay_out(distinct, seed)
    cache.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{uuid4().hex}.npy")
    np.save(beside, places, allow_pickle=False)
    beside.replace(path)
    return places[inverse.reshape(-1)]


def label_topics(lake: Lake, industry: str, ids: Sequence[str], places: Floats) -> list[Label]:
    """Name and middle of each topic that has points in the picture, largest first."""
    topics, members = lake.read(Topic, industry), lake.read(TopicMember, industry)
    names = cast("list[str]", topics["topic_id"].to_pylist())
    words = dict(zip(names, cast("list[list[str]]", topics["keywords"].to_pylist()), strict=True))
    kept = members.filter(members["is_core"])
    dialogues = cast("list[str]", kept["dialogue_id"].to_pylist())
    core = dict(zip(dialogues, cast("list[str]", kept["topic_id"].to_pylist()), strict=True))
    rows: dict[str, list[int]] = {}
    for row, dialogue in enumerate(ids):
        if dialogue in core:
            rows.setdefault(core[dialogue], []).append(row)
    labels = [
        Label(", ".join(words[topic][:LABEL_WORDS]), *middle(places[inside]), len(inside))
        for topic, inside in rows.items()
        if words.get(topic)
    ]
    return sorted(labels, key=lambda label: (-label.size, label.text))


def middle(places: Floats) -> tuple[float, float]:
    """The middle of some points, by median."""
    found = np.median(places, axis=0)
    return float(found[0]), float(found[1])


def write_atlas(atlas: Atlas, texts: dict[str, str]) -> str:
    """The interactive page; it needs no other file and no network.

    Args:
        atlas: The picture.
        texts: The customer's side of each dialogue, masked.
    """
    data = {
        "title": f"{atlas.title}: {describe_size(atlas)} dialogues, {atlas.coloured_by}",
        "stages": atlas.stages,
        "colours": atlas.colours,
        "labels": [[label.text, round(label.x, 4), round(label.y, 4), label.size] for label in atlas.labels],
        "points": [
            [round(float(x), 4), round(float(y), 4), stage, category, dialogue, texts.get(dialogue, "")]
            for (x, y), stage, category, dialogue in zip(
                atlas.places, atlas.stage_of, atlas.categories, atlas.ids, strict=True
            )
        ],
    }
    return assemble_page(str(data["title"]), TEMPLATE, data)


def describe_size(atlas: Atlas) -> str:
    """How many dialogues are shown, and of how many."""
    return f"{len(atlas.ids)} of {atlas.total}" if len(atlas.ids) < atlas.total else str(atlas.total)
