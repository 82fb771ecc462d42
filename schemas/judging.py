"""Records of the judging group: scores by justice with their evidence, missing ones with their reason.

Belongs here: what a judge gives and what an ensemble makes of it. Not here: the rubric (`rubric.yaml` beside the
judge), or any measure over many conversations.
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Digest, Id, Record, Reference, Table

Dimension = Literal["interactional", "procedural", "distributive"]
#: `unscored`: the judge abstains for a reason of its own; `missing`: an answer was due and could not be had.
ScoreStatus = Literal["scored", "unscored", "missing"]

_CONVERSATION = Reference(("conversation_id",), "conversation", ("conversation_id",))
_SCORE = Reference(
    ("conversation_id", "judge", "dimension", "grading_version"),
    "score",
    ("conversation_id", "judge", "dimension", "grading_version"),
)


class Score(Record):
    """One row per conversation, judge and dimension that was due, scored or not."""

    table: ClassVar = Table(
        "score",
        "judging",
        ("conversation_id", "judge", "dimension", "grading_version"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    judge: Id = Field(description="Judge, by its name in the experiment.")
    judge_made_by: Id = Field(description="Model of the judge; `offline` for the rule engine.")
    dimension: Dimension = Field(description="Dimension of justice.")
    grading_version: Id = Field(description="Version of rubric, prompt and rules; scores of different ones never mix.")
    status: ScoreStatus = Field(description="Scored, unscored by the judge's own rule, or missing.")
    score: int | None = Field(ge=1, le=5, description="1 to 5; missing unless scored.")
    reason: str = Field(min_length=1, description="Why this score, or why there is none.")
    is_own_family: bool = Field(description="Whether judge and agent are of one model family.")
    has_injection: bool = Field(description="Whether the transcript holds words that try to instruct a judge.")
    cost_usd: float | None = Field(ge=0, description="Price of its calls, USD; missing where unknown or offline.")


class SubScore(Record):
    """One row per sub-item of the rubric under a score, with its evidence."""

    table: ClassVar = Table(
        "sub_score",
        "judging",
        ("conversation_id", "judge", "dimension", "grading_version", "item_id"),
        (_SCORE,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    judge: Id = Field(description="Judge.")
    dimension: Dimension = Field(description="Dimension of justice.")
    grading_version: Id = Field(description="Version of the rubric.")
    item_id: Id = Field(description="Sub-item of the rubric.")
    score: int = Field(ge=1, le=5, description="1 to 5.")
    quotes: list[str] = Field(description="Words of the transcript that show it; each occurs there.")
    message_indexes: list[int] = Field(description="Message in which each quote stands.")


class Judgment(Record):
    """One row per conversation and ensemble: the mean over the judges that scored all three dimensions."""

    table: ClassVar = Table(
        "judgment",
        "judging",
        ("conversation_id", "ensemble", "grading_version"),
        (_CONVERSATION,),
        may_be_empty=True,
        per="experiment",
    )

    conversation_id: Id = Field(description="Conversation.")
    ensemble: Literal["without_own_family", "all"] = Field(
        description="Whether judges of the agent's own model family are left out."
    )
    grading_version: Id = Field(description="Version of the rubric.")
    judges: list[str] = Field(description="Judges whose scores entered, by name.")
    judges_due: Count = Field(description="Judges of the ensemble.")
    interactional: float | None = Field(ge=1, le=5, description="Mean over judges; missing unless all of them scored.")
    procedural: float | None = Field(ge=1, le=5, description="Likewise.")
    distributive: float | None = Field(ge=1, le=5, description="Likewise.")
    total: float | None = Field(ge=1, le=5, description="Mean of the three dimensions.")


class RubricItem(Record):
    """One row per sub-item of the rubric in force."""

    table: ClassVar = Table("rubric_item", "judging", ("grading_version", "dimension", "item_id"), is_partitioned=False)

    grading_version: Id = Field(description="Version of the rubric.")
    rubric_sha256: Digest = Field(description="SHA-256 of the rubric file.")
    dimension: Dimension = Field(description="Dimension of justice.")
    item_id: Id = Field(description="Sub-item.")
    question: str = Field(min_length=1, description="What the judge is asked.")
    anchors: list[str] = Field(min_length=1, description="What 1 to 5 mean, in this order.")
