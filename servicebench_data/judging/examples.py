"""The examples that teach the reader of words to a judge: what agents say to a judge, and what to a customer.

Belongs here: reading and checking `examples/`, and cutting it into sentences. Not here: their use (`reader.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from servicebench_data.judging.hidden import fold
from servicebench_data.judging.sentences import split_sentences
from servicebench_data.lake.store import digest_json
from servicebench_data.simulation.gate.examples import ExamplesError
from servicebench_data.simulation.gate.examples import load_examples as load_gate_examples

FOLDER = Path(__file__).parent / "examples"
JUDGE, CUSTOMER = "judge", "customer"
#: Words that a sentence must have to be read, or signs where it is in a script that may not part words.
LEAST_WORDS, LEAST_SIGNS = 3, 4
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Example:
    """What an agent says, as it stands in a file or a sentence as the reader sees it, and whether it is to a judge."""

    text: str
    is_to_judge: bool


def load_examples(paths: Sequence[Path] | None = None) -> list[Example]:
    """All sentences of some files, in their order there, each once; then what the gate's examples say to a customer.

    What is said to both, such as thanks, does not speak to a judge.

    Args:
        paths: The files; all of `FOLDER` by default.

    Raises:
        ExamplesError: A file has not their form.
    """
    given = [example for path in paths or sorted(FOLDER.glob("*.yaml")) for example in read_file(path)]
    found = [(sentence, example.is_to_judge) for example in given for sentence in list_sentences(example.text)]
    found += [(spell_sentence(example.text), False) for example in load_gate_examples()]
    heard: dict[str, bool] = {}
    for sentence, is_to_judge in found:
        heard[sentence] = heard.get(sentence, True) and is_to_judge
    return [Example(sentence, is_to_judge) for sentence, is_to_judge in heard.items()]


def read_file(path: Path) -> Iterator[Example]:
    """The examples of a file, as they stand there.

    Raises:
        ExamplesError: A heading is unknown, or what stands under it is no list of texts.
    """
    content: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
    groups = cast("Mapping[Any, Any]", content if isinstance(content, dict) else {})
    if set(groups) != {JUDGE, CUSTOMER}:
        raise ExamplesError(f"{path.name!r}: put lists of texts under {JUDGE!r} and {CUSTOMER!r}, and nothing else.")
    for heading in (JUDGE, CUSTOMER):
        entries: Any = groups[heading]
        if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in cast("list[Any]", entries)):
            raise ExamplesError(f"{path.name!r}: what stands under {heading!r} is no list of texts; quote each.")
        yield from (Example(text, heading == JUDGE) for text in cast("list[str]", entries))


def list_sentences(text: str) -> list[str]:
    """The sentences of a text as the reader sees them, without those too short to be told apart."""
    spelled = [spell_sentence(text[start:end]) for start, end in split_sentences(text)]
    return [sentence for sentence in spelled if is_telling(sentence)]


def is_telling(spelled: str) -> bool:
    """Whether a sentence is long enough to be told apart by itself: a greeting or half an address is not."""
    return len(_WORD.findall(spelled)) >= LEAST_WORDS or (not spelled.isascii() and len(spelled) >= LEAST_SIGNS)


def spell_sentence(text: str) -> str:
    """A text as the reader sees it: folded, on one line."""
    return " ".join(fold(text).split())


def digest_examples(examples: Sequence[Example]) -> str:
    """Digest of all that the reader learns from."""
    return digest_json([[example.text, example.is_to_judge] for example in examples])
