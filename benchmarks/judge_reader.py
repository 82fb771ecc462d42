"""Learn the reader of words to a judge from its examples, and write the file that readings are made with.

    python benchmarks/judge_reader.py [--table] [--check]

`--table` also tells how well files of examples are told apart by a reader that has not seen them (each file is by
another writer): how many texts to a judge are seen, and how many to a customer are mistaken, by the score from which a
sentence speaks to a judge (what the bounds of `injections.yaml` are set by). `--check` writes nothing and fails where
the file was not learnt from the examples as they are.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from servicebench_data.judging.examples import FOLDER, digest_examples, list_sentences, load_examples, read_file
from servicebench_data.judging.reader import FILE, learn_sentences
from servicebench_data.simulation.gate.reader import Reader, read_reader, write_reader

NONE = -9.0
BOUNDS = (-0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


def main() -> None:
    """Read the options, learn, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="also tell held-out files apart; takes a minute or two")
    parser.add_argument("--check", action="store_true", help="only say whether the file fits the examples")
    given = parser.parse_args()
    examples = load_examples()
    if given.check:
        sys.exit(None if read_reader(FILE).digest == digest_examples(examples) else f"{FILE.name} is not of these")
    write_reader(FILE, learn_sentences(examples))
    told = sum(example.is_to_judge for example in examples)
    print(f"{len(examples)} sentences, {told} of them to a judge; {FILE.stat().st_size / 1024:.0f} KiB written")
    if given.table:
        print_table(sorted(FOLDER.glob("*.yaml")))


def print_table(paths: Sequence[Path]) -> None:
    """Shares of seen and mistaken texts, each scored by a reader that was learnt from the other files."""
    seen: list[NDArray[np.float64]] = []
    mistaken: list[NDArray[np.float64]] = []
    for path in paths:
        reader = learn_sentences(load_examples(paths=[other for other in paths if other != path]))
        examples = list(read_file(path))
        seen.append(score_texts(reader, [example.text for example in examples if example.is_to_judge]))
        mistaken.append(score_texts(reader, [example.text for example in examples if not example.is_to_judge]))
    for bound in BOUNDS:
        shares = [float((np.concatenate(scores) > bound).mean()) for scores in (seen, mistaken)]
        print(f"{bound:6.2f}: {shares[0]:.2f} of the texts to a judge are seen, {shares[1]:.3f} of the others mistaken")


def score_texts(reader: Reader, texts: Sequence[str]) -> NDArray[np.float64]:
    """The highest score of a sentence in each text; a very low one where none can be told apart."""
    return np.array([max([NONE, *(float(reader.score(each)[0]) for each in list_sentences(text))]) for text in texts])


if __name__ == "__main__":
    main()
