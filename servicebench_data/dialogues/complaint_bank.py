"""What teaches the complaint filter: messages of every kind that were written for the product, lexicon, thresholds.

Belongs here: reading `schemas/complaints/` and the examples of the journey maps into one bank. Not here: training.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar, get_args

import yaml
from pydantic import ValidationError

import schemas
from schemas.dialogues import Kind
from schemas.industry import Industry
from schemas.records import Strict
from schemas.screening import LexiconFile, Thresholds
from servicebench_data.dialogues.complaint_features import Lexicon
from servicebench_data.embeddings import prepare_text
from servicebench_data.industries import list_brand_words
from servicebench_data.lake.store import digest_json

T = TypeVar("T", bound=Strict)
BANK_FOLDER = Path(schemas.__file__).parent / "complaints"
COMPLAINT: Final[Kind] = "complaint"
# The maps hold five times as many complaints as the bank, of five industries only: each counts that much less.
JOURNEY_WEIGHT = 0.1


class ComplaintBankError(ValueError):
    """A bank that cannot be used; the message names the file and the remedy."""


@dataclass(frozen=True)
class ComplaintBank:
    """Everything that teaches the filter.

    Attributes:
        texts: Messages as people read them.
        prepared: The same as the embedding model reads them.
        kinds: The kind of each.
        weights: How much each counts within its kind.
        is_to_care: Whether each is said to a care account by where it stands, though it shows no handle.
        lexicon: Telling words.
        thresholds: Where the probability is cut.
    """

    texts: tuple[str, ...]
    prepared: tuple[str, ...]
    kinds: tuple[Kind, ...]
    weights: tuple[float, ...]
    is_to_care: tuple[bool, ...]
    lexicon: Lexicon
    thresholds: Thresholds

    @property
    def digest(self) -> str:
        """Digest of what decides the weights; the thresholds do not."""
        groups = {name: list(words) for name, words in self.lexicon.groups.items()}
        return digest_json([self.texts, self.prepared, self.kinds, self.weights, self.is_to_care, groups])


def load_bank(industries: Sequence[Industry], folder: Path = BANK_FOLDER) -> ComplaintBank:
    """Read the bank.

    Args:
        industries: Their maps' example messages are complaints.
        folder: Holds a text file for each kind, one message a line, and the lexicon and thresholds.

    Raises:
        ComplaintBankError: A file is missing, is empty, repeats a message or holds what it must not.
    """
    rows = [
        (text, prepare_text(text), kind, 1.0, False) for kind in get_args(Kind) for text in read_messages(folder, kind)
    ]
    rows += [
        (text, prepare_text(text, list_brand_words(industry)), COMPLAINT, JOURNEY_WEIGHT, True)
        for industry in industries
        for category in industry.journey.categories
        for text in category.examples
    ]
    texts, prepared, kinds, weights, is_to_care = zip(*[row for row in rows if row[1]], strict=True)
    lexicon = read_record(folder / "lexicon.yaml", LexiconFile)
    return ComplaintBank(
        texts, prepared, kinds, weights, is_to_care,
        Lexicon(lexicon.groups), read_record(folder / "thresholds.yaml", Thresholds),
    )  # fmt: skip


def read_messages(folder: Path, kind: Kind) -> list[str]:
    """Messages of a kind.

    Raises:
        ComplaintBankError: There are none, or one occurs twice.
    """
    path = folder / f"{kind}.txt"
    if not path.is_file():
        raise ComplaintBankError(f"{str(path)!r} is missing; write messages of kind {kind!r} into it, one a line.")
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    repeated = sorted({line for line in lines if lines.count(line) > 1})
    if repeated or not lines:
        raise ComplaintBankError(f"{str(path)!r} is empty or repeats {repeated[:3]!r}; each message stands there once.")
    return lines


def read_record(path: Path, record: type[T]) -> T:
    """Read a YAML file into its checked form.

    Raises:
        ComplaintBankError: The file is missing or does not hold what it must.
    """
    try:
        return record.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except FileNotFoundError as error:
        raise ComplaintBankError(f"{str(path)!r} is missing; take it from the product's sources again.") from error
    except (ValidationError, yaml.YAMLError) as error:
        raise ComplaintBankError(f"{str(path)!r} cannot be used: {error}. Mend it at the place named.") from error
