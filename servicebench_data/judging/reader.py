"""The learned reader of words to a judge: how much a sentence looks like examples of such words.

Belongs here: learning and using it. Not here: the examples (`examples.py`), patterns (`injections.py`), or the form in
which what was learnt is kept (`simulation/gate/reader.py`).

What was learnt is kept beside this module, so that a reading needs no library, no time and no home, and is the same on
every machine. The file knows the digest of the examples that it was learnt from (`benchmarks/judge_reader.py`).
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from servicebench_data.judging.examples import JUDGE, Example, digest_examples
from servicebench_data.simulation.gate.learning import learn_labels
from servicebench_data.simulation.gate.reader import Reader, read_reader

FILE = Path(__file__).parent / "reader.npz"


def learn_sentences(examples: Sequence[Example]) -> Reader:
    """A reader with one label; the same examples give the same reader."""
    marks = np.array([example.is_to_judge for example in examples])
    return learn_labels([example.text for example in examples], {JUDGE: marks}, digest_examples(examples))


@lru_cache(maxsize=16_384)  # scripted agents and the customer of the rules say the same sentences again and again
def score_sentence(spelled: str) -> float:
    """How much a sentence looks like words to a judge, above nought where it is likelier than not.

    Args:
        spelled: A sentence as `examples.spell_sentence` gives it.
    """
    return float(read_reader(FILE).score(spelled)[0])
