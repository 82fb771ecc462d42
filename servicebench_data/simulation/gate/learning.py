"""Learning a reader from examples: the one module of the gate that calls scikit-learn, which is untyped.

Belongs here: fitting the weights, and what the gate's examples say of a text that was held out. Not here: their use.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from servicebench_data.journeys.arrays import load_library
from servicebench_data.simulation.gate.examples import LABELS, Example, digest_examples
from servicebench_data.simulation.gate.features import BUCKETS, Numbers, weigh_text
from servicebench_data.simulation.gate.reader import Reader

#: Inverse of the penalty on the weights.
STRENGTH = 10.0
#: Examples that are written one after the other resemble each other, so they are held out together.
BLOCK, FOLDS = 20, 5


def learn_reader(examples: Sequence[Example]) -> Reader:
    """The gate's reader; the same examples give the same reader."""
    marks = {label: mark_label(examples, label) for label in LABELS}
    return learn_labels([example.text for example in examples], marks, digest_examples(examples))


def learn_labels(texts: Sequence[str], marks: Mapping[str, NDArray[np.bool_]], digest: str) -> Reader:
    """Fit the weights of some labels.

    Args:
        texts: What to learn from, in one spelling.
        marks: For each label whether each text bears it.
        digest: Of the texts and their marks.
    """
    rarity = find_rarity(texts)
    features = make_matrix(texts, rarity)
    fitted = [fit_label(features, borne) for borne in marks.values()]
    weights = np.stack([column for column, _ in fitted], axis=1)
    steps = (np.abs(weights).max(axis=0) / 127).astype(np.float32)
    intercepts = np.array([intercept for _, intercept in fitted], dtype=np.float32)
    whole = np.rint(weights / steps).astype(np.int8)
    return Reader(tuple(marks), rarity, whole, steps, intercepts, digest)


def hold_out(examples: Sequence[Example], labels: Sequence[str] = LABELS) -> NDArray[np.float64]:
    """Score of each example for each label, a column each, by a fit that has not seen it, nor its neighbours."""
    texts = [example.text for example in examples]
    features = make_matrix(texts, find_rarity(texts))
    part = np.arange(len(examples)) // BLOCK % FOLDS
    scores = np.zeros((len(examples), len(labels)))
    for column, label in enumerate(labels):
        marks = mark_label(examples, label)
        for fold in range(FOLDS):
            weights, intercept = fit_label(features[part != fold], marks[part != fold])
            scores[part == fold, column] = features[part == fold] @ weights + intercept
    return scores


def mark_label(examples: Sequence[Example], label: str) -> NDArray[np.bool_]:
    """Whether each example bears a label."""
    return np.array([label in example.labels for example in examples])


def find_rarity(texts: Sequence[str]) -> Numbers:
    """How rare each feature is among texts: about one for the most common, more for others."""
    present = np.zeros(BUCKETS)
    for text in texts:
        present[np.unique(weigh_text(text, np.ones(BUCKETS, dtype=np.float32))[0])] += 1
    rarity = 1 + np.log((1 + len(texts)) / (1 + present))
    return rarity.astype(np.float16).astype(np.float32)  # as they are kept


def make_matrix(texts: Sequence[str], rarity: Numbers) -> Any:
    """Sparse matrix of the texts' features, a row each."""
    sparse = load_library("scipy.sparse")
    rows = [weigh_text(text, rarity) for text in texts]
    ends = np.cumsum([0, *(len(places) for places, _ in rows)])
    data = np.concatenate([amounts for _, amounts in rows]), np.concatenate([places for places, _ in rows]), ends
    matrix = sparse.csr_matrix(data, shape=(len(texts), BUCKETS))
    matrix.sum_duplicates()
    return matrix


def fit_label(features: Any, marks: NDArray[np.bool_]) -> tuple[NDArray[np.float64], float]:
    """Weights and intercept of a logistic regression; the few examples of a label count as much as all others."""
    linear = load_library("sklearn.linear_model")
    model = linear.LogisticRegression(
        C=STRENGTH, solver="liblinear", dual=True, class_weight="balanced", tol=1e-2, max_iter=500, random_state=0
    )
    model.fit(features, marks)
    return np.asarray(model.coef_[0]), float(model.intercept_[0])
