"""A logistic head: the one module that calls scikit-learn for the complaint filter, whose annotations are incomplete.

Belongs here: fitting the weights, applying them, keeping them as plain numbers. Not here: what the columns mean.
"""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float32]
Exact = NDArray[np.float64]


@dataclass(frozen=True)
class Head:
    """Weights of a multinomial logistic regression.

    Attributes:
        labels: Names of the classes, in the order of the columns of `weights`.
        weights: A row for each feature.
        intercepts: One for each class.
        mean: What is taken off each feature first.
        scale: What it is divided by then.
        slope: Calibration of the first class against all others: probability = sigmoid(slope * logit + shift).
        shift: See `slope`.
    """

    labels: tuple[str, ...]
    weights: Exact
    intercepts: Exact
    mean: Exact
    scale: Exact
    slope: float = 1.0
    shift: float = 0.0

    def apply(self, features: Numbers) -> Exact:
        """Probabilities of the classes, a row for each message, before calibration."""
        scores = ((features - self.mean) / self.scale) @ self.weights + self.intercepts
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        return odds / odds.sum(axis=1, keepdims=True)

    def calibrate(self, probability: Exact) -> Exact:
        """Calibrated probability of the first class."""
        return 1 / (1 + np.exp(-(self.slope * find_logit(probability) + self.shift)))


@dataclass(frozen=True)
class Sample:
    """Messages to learn from.

    Attributes:
        features: A row for each message.
        width: How many of the columns, from the first, are the vector.
        labels: The class of each message.
        weights: How much each counts within its class.
    """

    features: Numbers
    width: int
    labels: Sequence[str]
    weights: Sequence[float]

    def select(self, chosen: NDArray[np.bool_]) -> "Sample":
        """The messages that are chosen."""
        rows = np.flatnonzero(chosen).tolist()
        return Sample(
            self.features[chosen], self.width, [self.labels[row] for row in rows], [self.weights[row] for row in rows]
        )


def find_logit(probability: Exact) -> Exact:
    """Log odds, kept finite."""
    kept = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.log(kept / (1 - kept))


def fit_calibrated(sample: Sample, *, strength: float, folds: int = 5) -> Head:
    """Fit a head of two classes, and calibrate the first one on messages that it was not fitted on.

    Args:
        sample: Messages; message i belongs to part i modulo `folds` of the calibration.
        strength: Inverse of the penalty.
        folds: Parts for the calibration.
    """
    head = fit_head(sample, strength=strength)
    part = np.arange(len(sample.labels)) % folds
    held_out = np.zeros(len(sample.labels))
    for fold in range(folds):
        inner = fit_head(sample.select(part != fold), strength=strength)
        held_out[part == fold] = inner.apply(sample.features[part == fold])[:, 0]
    is_first = np.array([label == head.labels[0] for label in sample.labels])
    slope, shift = fit_calibration(held_out, is_first, np.array(sample.weights))
    return replace(head, slope=slope, shift=shift)


def balance_classes(labels: Sequence[str], weights: Sequence[float]) -> Exact:
    """Weights scaled so that each class has the same sum."""
    names, given = np.array(labels), np.asarray(weights, dtype=np.float64)
    sums = {label: given[names == label].sum() for label in order_labels(labels)}
    return given * given.sum() / len(sums) / np.array([sums[label] for label in labels])


def order_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Classes in a fixed order: `complaint` first, the rest by name."""
    return tuple(sorted(set(labels), key=lambda label: (label != "complaint", label)))


def fit_head(sample: Sample, *, strength: float) -> Head:
    """Weights without calibration; every class counts the same."""
    linear = cast("Any", importlib.import_module("sklearn.linear_model"))
    order = order_labels(sample.labels)
    mean, scale = scale_features(sample.features, sample.width)
    model = linear.LogisticRegression(C=strength, max_iter=2000, tol=1e-6)
    places = np.array([order.index(label) for label in sample.labels])
    counts = balance_classes(sample.labels, sample.weights)
    model.fit((sample.features - mean) / scale, places, sample_weight=counts)
    weights, intercepts = np.asarray(model.coef_).T.copy(), np.asarray(model.intercept_)
    if len(order) == 2:  # scikit-learn keeps only the second class's column then
        weights, intercepts = np.hstack([-weights, weights]) / 2, np.concatenate([-intercepts, intercepts]) / 2
    return Head(order, weights, intercepts, mean, scale)


def scale_features(features: Numbers, width: int) -> tuple[Exact, Exact]:
    """What is taken off each feature and what it is divided by.

    The first `width` columns are a unit vector, whose entries are of the size 1/sqrt(width) whatever the sample; the
    others are divided by their standard deviation, and left as they are where they never vary.
    """
    scale = features.std(axis=0, dtype=np.float64)
    scale[scale < 1e-9] = 1.0
    scale[:width] = 1 / np.sqrt(max(width, 1))
    return features.mean(axis=0, dtype=np.float64), scale


def fit_calibration(probability: Exact, truth: NDArray[np.bool_], weights: Exact) -> tuple[float, float]:
    """Slope and shift of Platt's scaling."""
    linear = cast("Any", importlib.import_module("sklearn.linear_model"))
    model = linear.LogisticRegression(C=1e6, max_iter=1000)
    model.fit(find_logit(probability).reshape(-1, 1), truth, sample_weight=weights)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def write_head(path: Path, head: Head) -> None:
    """Keep a head as plain arrays, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid4().hex}.npz")
    try:
        np.savez(
            temporary,
            labels=np.array(head.labels),
            weights=head.weights,
            intercepts=head.intercepts,
            mean=head.mean,
            scale=head.scale,
            calibration=np.array([head.slope, head.shift]),
        )
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read_head(path: Path) -> Head:
    """A head that was kept; nothing in the file is executed."""
    with np.load(path, allow_pickle=False) as kept:
        slope, shift = kept["calibration"].tolist()
        labels = tuple(str(label) for label in kept["labels"])
        return Head(labels, kept["weights"], kept["intercepts"], kept["mean"], kept["scale"], slope, shift)
