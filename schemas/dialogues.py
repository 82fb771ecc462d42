"""Records of the dialogues group: posts as read, turns, dialogues, and what was screened out and why.

Belongs here: the shape of posts and dialogues and the vocabularies of reasons. Not here: how they are computed.
"""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Digest, Id, Record, Reference, Share, Table

Role = Literal["customer", "account"]
Opener = Literal["customer", "account"]
QuarantineReason = Literal[
    "missing_id", "bad_id", "missing_author", "missing_text", "bad_inbound", "bad_line", "duplicate_id", "forgotten"
]
Kind = Literal["complaint", "praise", "question", "spam", "marketing", "other"]
ExclusionReason = Literal["language", "no_text", "praise", "question", "spam", "marketing", "other", "below_threshold"]


class Post(Record):
    """One row per post that was read, with its text as it came; it never leaves the lake's posts folder."""

    table: ClassVar = Table("post", "dialogues", ("post_id",), is_partitioned=False, is_published=False, is_raw=True)

    post_id: Id = Field(description="Id of the post, exactly as digits or text; never a floating-point number.")
    author_id: Id = Field(description="Handle or numeric id of the author.")
    is_inbound: bool = Field(description="Whether the source flags the post as coming from a customer.")
    created_at: datetime | None = Field(description="Time of the post in UTC; missing where the source had none.")
    text: str = Field(description="Text as it came, unmasked.")
    parent_id: Id | None = Field(description="Id of the post that this one answers.")
    response_ids: list[str] = Field(description="Ids of the posts that answer this one, in the order of the source.")
    source: str = Field(description="Name of the file the row was read from.")


class QuarantinedPost(Record):
    """One row per row of an input file that could not be used, with the reason; rows in = posts + quarantined."""

    table: ClassVar = Table(
        "quarantined_post", "dialogues", ("source", "row_number"), may_be_empty=True, is_partitioned=False
    )

    source: str = Field(description="Name of the file the row was read from.")
    row_number: Count = Field(description="Row of that file, from 1, header not counted.")
    post_id: str | None = Field(description="Id of the post where it could be read.")
    reason: QuarantineReason = Field(description="Why the row was set aside.")


class Turn(Record):
    """One row per turn of a dialogue: the consecutive posts of one author, cleaned and masked."""

    table: ClassVar = Table("turn", "dialogues", ("dialogue_id", "turn_index"))

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Dialogue that the turn belongs to.")
    turn_index: Count = Field(description="Place of the turn in the dialogue, from 0.")
    role: Role = Field(description="Who speaks: the customer or the account.")
    post_ids: list[str] = Field(min_length=1, description="Posts that make up the turn, in reading order.")
    post_offsets: list[int] = Field(
        min_length=1, description="Where each post's text begins in `text`, in characters from 0."
    )
    created_at: datetime | None = Field(description="Time of the turn's first post in UTC.")
    text: str = Field(
        description="Text of the turn: entities decoded, signature removed, people and references masked."
    )
    signature: str | None = Field(description="Agent signature that was removed, as the typed token that replaces it.")


class Dialogue(Record):
    """One row per dialogue: all posts of one customer and one account in one reply tree."""

    table: ClassVar = Table("dialogue", "dialogues", ("dialogue_id",))

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Hash of root post, customer and account.")
    account: Id = Field(description="Handle of the care account.")
    is_sample: bool = Field(description="Whether the account is a fictional one of the bundled sample.")
    customer_id: Digest = Field(description="SHA-256 of the customer's author id; the id itself stays in the posts.")
    root_post_id: Id = Field(description="First post of the reply tree, or of what is left of it.")
    opened_by: Opener = Field(description="Whose post opens the thread.")
    is_truncated: bool = Field(description="Whether the thread's first post answers one that is not in the input.")
    account_count: int = Field(ge=1, description="Care accounts that posted in the same reply tree.")
    post_count: int = Field(ge=2, description="Posts of the dialogue.")
    turn_count: int = Field(ge=2, description="Turns of the dialogue.")
    started_at: datetime | None = Field(description="Time of the first dated post in UTC.")
    opening: str = Field(description="What the customer posted before the account's first reply, masked.")
    customer_text: str = Field(description="The customer's whole side of the dialogue, masked.")
    mask_count: Count = Field(description="Distinct masked values in the dialogue.")


class Screening(Record):
    """One row per dialogue: language and kind, and whether it is kept as a complaint."""

    table: ClassVar = Table(
        "screening", "dialogues", ("dialogue_id",), (Reference(("dialogue_id",), "dialogue", ("dialogue_id",)),)
    )

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Dialogue that was screened.")
    language: str = Field(description="ISO 639-1 code of the dialogue's main language, `und` where it cannot be told.")
    kind: Kind | None = Field(description="Most likely kind of the opening; missing where there is no text to judge.")
    complaint_probability: Share | None = Field(
        description="Calibrated probability that the customer reports a service failure; missing without text."
    )
    is_kept: bool = Field(description="Whether the dialogue goes on as a complaint.")
    is_release_grade: bool = Field(
        description="Whether it clears the stricter threshold that scenarios of a release must clear."
    )
    exclusion_reason: ExclusionReason | None = Field(description="Why it was set aside; missing where it was kept.")
    method: str = Field(description="What decided: the filter's name and version.")
