"""Records of what people decide when they review: one form for topics, dialogues, scenarios and ratings.

Belongs here: a decision as it is stored, and the columns of every table that tells what became of decisions. Not here:
which actions an item takes, which the group that owns the item says.
"""

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field, field_validator

from schemas.records import Digest, Id, Record, Strict

# What every kind of item can be given: a person looked and leaves it as it is, which also undoes an earlier decision.
KEEP = "keep"

Outcome = Literal["applied", "kept", "proposal", "stale", "missing", "refused"]


class Override(Strict):
    """One decision of one person on one item: a row of `overrides/<kind>.csv`."""

    kind: str = Field(pattern=r"^[a-z][a-z_]*$", description="Kind of item, such as `topic` or `dialogue`.")
    industry: Id = Field(description="Industry that the item belongs to.")
    item_id: Id = Field(description="The item.")
    item_sha256: Digest = Field(description="Digest of what the reviewer saw; with another one the decision is stale.")
    cell: str = Field(
        "",
        max_length=200,
        description="Cell of the item that it is about, such as `event.0.text`; empty where it is the whole item.",
    )
    action: str = Field(pattern=r"^[a-z][a-z_]*$", description="What is to be done with the item.")
    value: str = Field("", max_length=2000, description="What the action needs, such as a category; else empty.")
    author: str = Field(min_length=1, max_length=200, description="Who decided.")
    reason: str = Field(min_length=1, max_length=2000, description="Why.")
    decided_at: AwareDatetime = Field(description="When, with its time zone.")

    @property
    def target(self) -> str:
        """What it is about: the item, or a cell of it; of several decisions on one target the latest counts."""
        return f"{self.item_id}/{self.cell}" if self.cell else self.item_id

    @field_validator("value", "author", "reason", mode="before")
    @classmethod
    def flatten(cls, value: object) -> object:
        """Texts are kept on one line; one of blanks alone is empty, and then refused where it must not be."""
        return " ".join(value.split()) if isinstance(value, str) else value


class Decided(Record):
    """Columns of every table that tells what became of decisions."""

    industry: Id = Field(description="Industry that the item belongs to.")
    kind: Id = Field(description="Kind of item.")
    item_id: Id = Field(description="The item that a person decided on.")
    item_sha256: Digest = Field(description="Digest of what the person saw.")
    action: Id = Field(description="What was to be done with it.")
    value: str | None = Field(description="What the action needed; missing where nothing.")
    author: Id = Field(description="Who decided.")
    reason: str = Field(min_length=1, description="Why.")
    decided_at: datetime = Field(description="When, UTC.")
    outcome: Outcome = Field(
        description="`applied`; `kept` as it was; `proposal`, which needs an edit of the map; `stale`, for the item "
        "has changed since; `missing`, for it is not in this build; `refused`, for its value can no longer be used. "
        "Only the first changes anything, but what was taken out stays out when that is `stale`."
    )
