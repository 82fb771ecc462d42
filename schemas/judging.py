"""Records of the judging group: scores by justice with their evidence or reason, ratings by people.

Belongs here: what a judge or a person gives and what an ensemble makes of it. Not here: the rubric (`rubric.yaml`
beside the judge), or any measure over many conversations.
"""

from datetime import datetime
from typing import ClassVar, Literal

from pydantic import AwareDatetime, Field, field_validator

from schemas.records import Count, Digest, Id, Record, Reference, Strict, Table

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
    has_injection: bool = Field(description="Whether the agent's messages hold words that try to instruct a judge.")
    cost_usd: float | None = Field(ge=0, description="Price of its calls, USD; missing where unknown or offline.")


class PaddedScore(Score):
    """One row per drawn conversation, judge and dimension: the score with half as many words again that say nothing.

    It tests the judge and enters no measure of an agent; the score without padding stands in `score`.
    """

    table: ClassVar = Table(
        "padded_score",
        "judging",
        ("conversation_id", "judge", "dimension", "grading_version"),
        (_SCORE,),
        may_be_empty=True,
        per="experiment",
    )

    padding_version: Id = Field(description="Version of the padding: share of words, and digest of the sentences.")
    words: int = Field(ge=1, description="Words of the agent's messages as the judge reads them without padding.")
    padded_words: int = Field(ge=1, description="The same with padding.")


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


class RatingEntry(Strict):
    """One person's answer to one question about one conversation: a row of `ratings/<experiment>.csv` in the home."""

    experiment_id: Id = Field(description="Experiment of the conversation.")
    conversation_id: Id = Field(description="Conversation.")
    scenario_id: Id = Field(description="Scenario of the conversation; ratings go with it when it must be forgotten.")
    transcript_sha256: Digest = Field(description="Digest of the transcript that was rated.")
    rater: Id = Field(description="Who rated.")
    question: Id = Field(description="Dimension of justice, or question on the customer's realism.")
    score: int = Field(ge=1, le=5, description="1 to 5.")
    comment: str = Field("", max_length=2000, description="Remark; empty where there is none.")
    rated_at: AwareDatetime = Field(description="When, with its time zone.")

    @property
    def target(self) -> tuple[str, str, str]:
        """What it answers, and who does; of several entries on one target the latest counts."""
        return self.conversation_id, self.rater, self.question

    @field_validator("rater", "comment", mode="before")
    @classmethod
    def flatten(cls, value: object) -> object:
        """Texts are kept on one line."""
        return " ".join(value.split()) if isinstance(value, str) else value


class Rating(Record):
    """One row per person and question that the person answered about a conversation, by the latest answer."""

    table: ClassVar = Table(
        "rating",
        "judging",
        ("experiment_id", "conversation_id", "rater", "question"),
        may_be_empty=True,
        per="experiment",
    )

    experiment_id: Id = Field(description="Experiment.")
    conversation_id: Id = Field(description="Conversation that was rated; it may be gone.")
    transcript_sha256: Digest = Field(description="Digest of the transcript that was rated.")
    rater: Id = Field(description="Who rated, as it was given; use codes for people.")
    asks_about: Literal["justice", "realism"] = Field(description="The agent's justice, or the customer's realism.")
    question: Id = Field(description="Dimension of justice, or question on realism as `realism.yaml` has it.")
    score: int = Field(ge=1, le=5, description="1 to 5.")
    comment: str | None = Field(description="Remark of the person.")
    rated_at: datetime = Field(description="When, UTC.")
    state: Literal["current", "stale", "missing"] = Field(
        description="`stale`: the transcript has another text now; `missing`: the conversation is gone. Only current "
        "ones enter measures."
    )
