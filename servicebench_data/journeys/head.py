"""The head: what turns a text and its vector into categories with probabilities, learnt from the map's own texts alone.

Belongs here: learning and applying it. Not here: which dialogues are coded and when a coding is unassigned
(`coding.py`).

It is a kernel ridge regression: a text resembles a text of the map by its embedding and by its words, and takes over
the categories of those that it resembles. Examples weigh most, what the map says of a category (name, definition,
inclusions, failures, cues) less. It learns the stage beside the category, so that the many examples of a stage help
each of its categories. The solution is in closed form: nothing is drawn, nothing iterates, training takes a second.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import yaml

from schemas.industry import Category, Industry
from servicebench_data.embeddings import prepare_text
from servicebench_data.industries import list_brand_words
from servicebench_data.journeys.arrays import (
    BLOCK_ROWS,
    Embedder,
    Floats,
    Integers,
    Vectors,
    average_groups,
    hold_one_thread,
)  # fmt: skip
from servicebench_data.journeys.maps import list_phrases, map_stages
from servicebench_data.journeys.words import Lexicon, learn_lexicon, weigh_features

CALIBRATION_FILE = Path(__file__).parent / "calibration.yaml"


@dataclass(frozen=True)
class Calibration:
    """Numbers of `calibration.yaml`, where each is explained."""

    temperature: float
    min_confidence: float
    settle_margin: float
    word_weight: float
    phrase_weight: float
    stage_weight: float
    sharpness: float
    ridge: float
    shares: tuple[float, ...]
    agreement: tuple[float, ...]

    def estimate(self, shares: Floats) -> Floats:
        """Confidence for the best category's share of the scores."""
        return np.interp(shares, np.array(self.shares), np.array(self.agreement))


@dataclass(frozen=True)
class Codes:
    """Codings of texts, a value each.

    Attributes:
        best: Place of the most likely category in the head's `category_ids`.
        rival: Place of the second.
        confidence: Calibrated probability of the most likely one.
        margin: The same less the rival's.
    """

    best: Integers
    rival: Integers
    confidence: Floats
    margin: Floats


@dataclass(frozen=True)
class Head:
    """A trained head of one industry.

    Attributes:
        industry: The industry.
        category_ids: Categories in the map's order.
        stage_ids: Stage of each category.
        map_version: Version of the map it learnt from.
        centres: Unit centre of each category's examples.
        brands: Brand words that are taken out of a text before it is read.
        calibration: How the experts are joined and calibrated.
        anchors: Unit vectors of the map's texts.
        pulls: What resemblance to each anchor adds to each category's score.
        lexicon: Words and word parts that count.
        word_pulls: What each of them adds.
    """

    industry: str
    category_ids: list[str]
    stage_ids: list[str]
    map_version: int
    centres: Floats
    brands: list[str]
    calibration: Calibration
    anchors: Floats
    pulls: Floats
    lexicon: Lexicon
    word_pulls: Floats

    def prepare(self, texts: Sequence[str]) -> list[str]:
        """Texts as they are to be embedded for `code`; empty where no word is left."""
        return [prepare_text(text, self.brands) for text in texts]

    def code(self, texts: Sequence[str], vectors: Vectors) -> Codes:
        """Code texts.

        Args:
            texts: Raw or prepared texts.
            vectors: Unit vector of each text as `prepare` returns it.
        """
        if not len(texts):
            none = np.zeros(0, dtype=np.int64)
            return Codes(none, none, np.zeros(0), np.zeros(0))
        shares = apply_softmax(self.score(texts, vectors) / self.calibration.temperature)
        order = np.argsort(-shares, axis=1, kind="stable")[:, :2].astype(np.int64)
        top = np.take_along_axis(shares, order, axis=1)
        confidence = self.calibration.estimate(top[:, 0])
        # The rival keeps its ratio to the best.
        return Codes(order[:, 0], order[:, 1], confidence, confidence * (1.0 - top[:, 1] / top[:, 0]))

    def score(self, texts: Sequence[str], vectors: Vectors) -> Floats:
        """Score of each category, about 1 for a text like the category's own and 0 for others; not calibrated."""
        scores = np.zeros((len(texts), len(self.category_ids)))
        prepared = self.prepare(texts)
        with hold_one_thread():
            for start in range(0, len(texts), BLOCK_ROWS):
                block = slice(start, start + BLOCK_ROWS)
                near = compare_vectors(vectors[block].astype(np.float64), self.anchors, self.calibration.sharpness)
                words = weigh_features(prepared[block], self.lexicon)
                scores[block] = near @ self.pulls + np.asarray(words @ self.word_pulls)
        return scores


@cache
def read_calibration(path: Path = CALIBRATION_FILE) -> Calibration:
    """The numbers that joined experts were calibrated with."""
    content = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")))
    knots = cast("list[tuple[float, float]]", content.pop("confidence"))
    return Calibration(**content, shares=tuple(knot[0] for knot in knots), agreement=tuple(knot[1] for knot in knots))


def train_head(industry: Industry, embed: Embedder, calibration: Calibration | None = None) -> Head:
    """Learn an industry's head from its journey map.

    Args:
        industry: The industry with its map.
        embed: Embeds prepared texts.
        calibration: How to join and calibrate the experts; by default as in `calibration.yaml`.
    """
    chosen = calibration or read_calibration()
    brands = list_brand_words(industry)
    texts, labels, weights = gather_texts(industry.journey.categories, brands, chosen.phrase_weight)
    vectors = embed(texts)
    lexicon = learn_lexicon(texts)
    count = len(industry.journey.categories)
    stages = map_stages(industry)
    with hold_one_thread():
        anchors = vectors.astype(np.float64)
        words = weigh_features(texts, lexicon)
        pulls = fit_pulls(measure_likeness(anchors, words, chosen), labels, weights, list(stages.values()), chosen)
        is_example = weights >= 1.0
        return Head(
            industry.id, list(stages), list(stages.values()), industry.journey.version,
            average_groups(vectors[is_example], labels[is_example], count), brands, chosen,
            anchors, pulls, lexicon, np.asarray(words.T @ pulls) * chosen.word_weight,
        )  # fmt: skip


def gather_texts(
    categories: Sequence[Category], brands: Sequence[str], phrase_weight: float
) -> tuple[list[str], Integers, Floats]:
    """Prepared texts of all categories, the place of each one's category, and its weight: 1 for an example."""
    rows = [
        (prepare_text(text, brands), place, weight)
        for place, category in enumerate(categories)
        for weight, group in ((1.0, category.examples), (phrase_weight, list_phrases(category)))
        for text in group
    ]
    kept = [row for row in rows if row[0]]
    return (
        [text for text, _, _ in kept],
        np.array([place for _, place, _ in kept], dtype=np.int64),
        np.array([weight for _, _, weight in kept]),
    )


def compare_vectors(rows: Floats, anchors: Floats, sharpness: float) -> Floats:
    """Likeness of unit vectors: 1 where they are equal, falling with the angle; 0 for a row of zeros."""
    likeness = np.exp(sharpness * (rows @ anchors.T - 1.0))
    return cast("Floats", np.where(np.abs(rows).sum(axis=1, keepdims=True) > 0, likeness, 0.0))


def measure_likeness(anchors: Floats, words: Any, calibration: Calibration) -> Floats:
    """Likeness of the map's texts among themselves, by meaning and by words."""
    return (
        compare_vectors(anchors, anchors, calibration.sharpness) + calibration.word_weight * (words @ words.T).toarray()
    )


def fit_pulls(
    likeness: Floats, labels: Integers, weights: Floats, stages: Sequence[str], calibration: Calibration
) -> Floats:
    """Solve the ridge regression for categories and stages, and join the two.

    A text's weight is its own divided by that of its whole category, so that a category with many cues is no larger
    than another.
    """
    per_category = np.bincount(labels, weights)
    share = weights / per_category[labels] * per_category.mean()
    order = {name: place for place, name in enumerate(dict.fromkeys(stages))}
    stage_of = np.array([order[name] for name in stages])
    targets = np.hstack([np.eye(len(stages))[labels], calibration.stage_weight * np.eye(len(order))[stage_of[labels]]])
    smoothed = likeness + calibration.ridge * np.diag(1 / share)
    pulls = cast("Floats", np.linalg.solve(smoothed, targets - targets.mean(axis=0)))
    return pulls[:, : len(stages)] + pulls[:, len(stages) :][:, stage_of]


def apply_softmax(scores: Floats) -> Floats:
    """Probabilities from scores, by row."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return cast("Floats", raised / raised.sum(axis=1, keepdims=True))
