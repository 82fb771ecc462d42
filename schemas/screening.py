"""The shape of the files in `complaints/`, which teach the complaint filter: thresholds and lexicon.

Belongs here: what those files may hold. The messages lie beside them, one a line, in a text file for each kind.
Not here: the filter itself (`servicebench_data/dialogues/complaints.py`).
"""

from typing import Self

from pydantic import Field, model_validator

from schemas.records import Share, Strict


class Threshold(Strict):
    """A probability from which on a message counts, and how it was set."""

    probability: Share = Field(description="Least complaint probability.")
    how: str = Field(min_length=20, description="On what and by which rule it was set.")


class Thresholds(Strict):
    """The two thresholds of the complaint filter: to keep a dialogue, and to let its scenario into a release."""

    keep: Threshold
    release: Threshold

    @model_validator(mode="after")
    def check_order(self) -> Self:
        """What clears the release threshold clears the other one."""
        if self.release.probability < self.keep.probability:
            raise ValueError("`release` must be at least as strict as `keep`; raise it")
        return self


class LexiconFile(Strict):
    """Groups of telling words; a word that ends in `*` stands for all its endings."""

    version: int = Field(ge=1)
    groups: dict[str, list[str]] = Field(min_length=1)
