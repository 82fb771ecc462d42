"""Learn the gate's reader from its examples, and write the file that readings are made with.

    python benchmarks/gate_reader.py [--table] [--check]

`--table` also prints how well examples that were held out are told apart, label by label: precision and recall of
scores above nought, and the score that a tenth of the examples without the label reach (what the bounds of
`reader.yaml` are set by). `--check` writes nothing and fails where the file was not learnt from the examples as they
are.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from servicebench_data.simulation.gate.examples import LABELS, Example, digest_examples, load_examples
from servicebench_data.simulation.gate.learning import hold_out, learn_reader, mark_label
from servicebench_data.simulation.gate.reader import FILE, read_reader, write_reader


def main() -> None:
    """Read the option, learn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="also tell held-out examples apart; takes a minute or two")
    parser.add_argument("--check", action="store_true", help="only say whether the file fits the examples")
    given = parser.parse_args()
    examples = load_examples()
    if given.check:
        sys.exit(None if read_reader().digest == digest_examples(examples) else f"{FILE.name} is not of these examples")
    write_reader(FILE, learn_reader(examples))
    print(f"{len(examples)} examples, {FILE.stat().st_size / 1024:.0f} KiB written")
    if given.table:
        for label, scores in zip(LABELS, hold_out(examples).T, strict=True):
            print(tell_label(examples, label, scores))


def tell_label(examples: Sequence[Example], label: str, scores: NDArray[np.float64]) -> str:
    """Precision and recall of a label on examples that were held out."""
    marks = mark_label(examples, label)
    right = int((marks & (scores > 0)).sum())
    precision, recall = right / max(1, int((scores > 0).sum())), right / int(marks.sum())
    return f"{label:20}{precision:6.2f} / {recall:4.2f} ({marks.sum()}){np.quantile(scores[~marks], 0.9):8.2f}"


if __name__ == "__main__":
    main()
