"""A rater that is blind to style places rule-based customers in the four quadrants, by what they write alone.

    python benchmarks/styles.py [--conversations 240] [--smoke]

It learns two axes (assertive or passive, warm or cold) from messages that were written by hand apart from the
customer's phrases (`styles/messages.yaml`), is held against itself by cross-validation, and then rates conversations
of the rule-based customer with agents that differ. The opening is left out: it comes from the source and has no style.
Exits with 1 below `LEAST`; a short run (`--smoke`) rates too few for a verdict.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer

from benchmarks.fictional import SCRIPTS, Setting, hold, list_parts
from schemas.experiment import STYLES
from schemas.simulation import Style
from servicebench_data.simulation.patience import load_constants

MESSAGES = Path(__file__).parent / "styles" / "messages.yaml"
LEAST = 0.8
CONVERSATIONS = 240
FOLDS = 5
SEED = 2026
WORDS = r"(?u)\b\w[\w'’]*\b|[?!]|\.\.\."


def main() -> int:
    """Learn, check, rate, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    parser.add_argument("--smoke", action="store_true", help="a short run that only shows that it works")
    options = parser.parse_args()
    texts, styles = read_messages()
    say(f"hand-written messages: {len(texts)}; placed right by cross-validation: {validate(texts, styles):.3f}")
    rated = rate(48 if options.smoke else options.conversations, texts, styles)
    right, total = count_right(rated), rated.total()
    for style in STYLES:
        row = {placed: rated[style, placed] for placed in STYLES}
        say(f"{style:>15}: " + "  ".join(f"{placed} {count}" for placed, count in row.items()))
    is_kept = right / total >= LEAST
    told = "NOT MEASURED by so few" if options.smoke else "kept" if is_kept else "BROKEN"
    say(f"conversations: {total}; placed in the right quadrant: {right / total:.3f}; least {LEAST}: {told}")
    return 0 if is_kept or options.smoke else 1


def read_messages() -> tuple[list[str], list[Style]]:
    """The hand-written messages with their styles."""
    bank: dict[Style, list[str]] = yaml.safe_load(MESSAGES.read_text(encoding="utf-8"))
    pairs: list[tuple[str, Style]] = [(text, style) for style, texts in bank.items() for text in texts]
    return [text for text, _ in pairs], [style for _, style in pairs]


def make_rater() -> Any:
    """Two axes from the same features, each by logistic regression; nothing is chosen on what is rated."""
    words = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=WORDS)
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), sublinear_tf=True)
    lengths = FunctionTransformer(measure_lengths)
    head = LogisticRegression(C=10.0, max_iter=2000, random_state=SEED)
    return make_pipeline(make_union(words, letters, lengths), MultiOutputClassifier(head))


def measure_lengths(texts: list[str]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Length of the sentences of each text, on a scale like that of the words."""
    return np.array([[min(1.0, len(text.split()) / max(1, text.count(".") + text.count("?")) / 20)] for text in texts])


def split_axes(styles: list[Style]) -> "np.ndarray[Any, np.dtype[np.int64]]":
    """Assertive and warm, each as 0 or 1."""
    return np.array([[int(style.startswith("assertive")), int(style.endswith("warm"))] for style in styles])


def validate(texts: list[str], styles: list[Style]) -> float:
    """Share of hand-written messages that are placed right by raters which did not see them."""
    axes = split_axes(styles)
    right = 0
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=SEED).split(texts, styles):
        rater = make_rater().fit([texts[place] for place in train], axes[train])
        right += int((rater.predict([texts[place] for place in test]) == axes[test]).all(axis=1).sum())
    return right / len(texts)


def rate(conversations: int, texts: list[str], styles: list[Style]) -> Counter[tuple[Style, Style]]:
    """How often customers of a style were placed in each."""
    rater = make_rater().fit(texts, split_axes(styles))
    names: dict[tuple[int, int], Style] = {
        (int(a), int(w)): s for s, (a, w) in zip(STYLES, split_axes(list(STYLES)), strict=True)
    }
    constants = load_constants()
    cases = list_parts()
    found: Counter[tuple[Style, Style]] = Counter()
    for number in range(conversations):
        style = STYLES[number % len(STYLES)]
        case, script = cases[number // len(STYLES) % len(cases)], SCRIPTS[number // len(STYLES) % len(SCRIPTS)]
        played = hold(case, Setting(script, style, constants, seed=number))
        own = [row.text for row in played.log.messages if row.role == "customer"][1:]
        assertive, warm = rater.predict([" ".join(own)])[0]
        found[style, names[int(assertive), int(warm)]] += 1
    return found


def count_right(rated: Counter[tuple[Style, Style]]) -> int:
    """How many were placed in their own style."""
    return sum(count for (style, placed), count in rated.items() if style == placed)


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    sys.exit(main())
