"""Records of the journeys group: stages and categories as tables, embeddings, topics, codings.

Belongs here: what a coding says and how it came about. Not here: the maps as files (`schemas/industry.py`).
"""

from typing import ClassVar, Literal

from pydantic import Field

from schemas.records import Count, Digest, Id, Maybe, Record, Reference, Share, Strict, Table
from schemas.review import Decided

CodingMethod = Literal["head", "model", "override"]
UnassignedReason = Literal["low_confidence", "no_text", "not_a_complaint", "no_category_fits"]
TopicDecision = Literal["recode", "merge", "propose", "not_a_complaint"]

_CATEGORY = Reference(("industry", "category_id"), "category", ("industry", "category_id"))
_DIALOGUE = Reference(("dialogue_id",), "dialogue", ("dialogue_id",))


class StageRow(Record):
    """One row per stage of an industry's customer journey."""

    table: ClassVar = Table("stage", "journeys", ("industry", "stage_id"))

    industry: Id = Field(description="Industry of the journey map.")
    stage_id: Id = Field(description="Stage, unique within the industry.")
    position: int = Field(ge=1, description="Place in the journey, from 1.")
    name: Id = Field(description="Name of the stage.")
    description: str = Field(min_length=1, description="What the customer lives through in this stage.")


class CategoryRow(Record):
    """One row per complaint category of an industry's journey map."""

    table: ClassVar = Table(
        "category",
        "journeys",
        ("industry", "category_id"),
        (Reference(("industry", "stage_id"), "stage", ("industry", "stage_id")),),
    )

    industry: Id = Field(description="Industry of the journey map.")
    category_id: Id = Field(description="Category, unique within the industry.")
    stage_id: Id = Field(description="Stage that the category belongs to.")
    position: int = Field(ge=1, description="Place in the industry's map, from 1.")
    name: Id = Field(description="Name in the field's terms.")
    definition: str = Field(min_length=1, description="What decides membership.")
    includes: list[str] = Field(min_length=1, description="What belongs to it.")
    excludes: list[str] = Field(min_length=1, description="What does not, with the category to use instead.")
    map_version: Count = Field(description="Version of the journey map.")


class Embedding(Record):
    """One row per complaint dialogue: the vector of its customer side."""

    table: ClassVar = Table("embedding", "journeys", ("dialogue_id",), (_DIALOGUE,), is_published=False)

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Dialogue whose customer side was embedded.")
    text_sha256: Digest = Field(description="SHA-256 of the text as it was embedded; equal texts share a vector.")
    vector: list[float] = Field(min_length=1, description="Unit-length sentence embedding.")
    model: str = Field(description="Name, weights digest where it is known, and precision of the embedding model.")


class Topic(Record):
    """One row per topic that BERTopic found in an industry, with the category it was coded to."""

    table: ClassVar = Table(
        "topic",
        "journeys",
        ("industry", "topic_id"),
        (_CATEGORY, Reference(("industry", "merged_into"), "topic", ("industry", "topic_id"))),
        may_be_empty=True,
    )

    industry: Id = Field(description="Industry the topic was found in.")
    topic_id: Id = Field(
        description="Stable id: dialogues that it was found in keep it. Where topics begin anew, it goes to the topic "
        "that shares most with the old one, at least 0.3 of what either holds."
    )
    size: int = Field(
        ge=1,
        description="Dialogues in the topic after outlier reduction, those of topics merged into it among them; of a "
        "merged topic those that it had.",
    )
    core_size: Count = Field(description="Dialogues that the clustering itself put there.")
    keywords: list[str] = Field(description="Most telling words by c-TF-IDF, best first.")
    representative_ids: list[str] = Field(
        description="Up to ten dialogues with different texts, nearest to the topic's centre first; those that the "
        "clustering itself put there come before the others."
    )
    category_id: Id | None = Field(
        description="Category the topic was coded to; missing for a novel topic, or one that is no complaint."
    )
    nearest_category_id: Id = Field(description="Category with the nearest centre, whatever was decided.")
    similarity: float = Field(ge=-1, le=1, description="Cosine of the topic's centre with that nearest centre.")
    margin: float = Field(ge=0, le=2, description="Similarity less that of the nearest rival category.")
    rival_category_id: Id | None = Field(description="Next nearest category.")
    is_novel: bool = Field(description="Whether no category of the map is near enough, and nobody named one.")
    decision: TopicDecision | None = Field(
        description="What a person decided on the topic; missing where nobody did, or it no longer applies."
    )
    merged_into: Id | None = Field(description="Topic that a person merged it into, directly or by way of others.")
    fit_count: Count = Field(
        description="Complaints of the industry when topics were last sought; with a quarter more they are again."
    )
    embedding_model: str = Field(
        description="Name, weights digest where it is known, and precision of the embedding model; with another one "
        "topics begin anew."
    )


class TopicChange(Record):
    """One row per difference between an industry's topics and those before they were last made; none at first.

    A build that finds all that topics are made from unchanged leaves topics and differences as they are.
    """

    table: ClassVar = Table("topic_change", "journeys", ("industry", "change", "topic_id"), may_be_empty=True)

    industry: Id = Field(description="Industry of the topic.")
    change: Literal["new", "retired", "recoded", "moved", "joined"] = Field(
        description="The topic is new, is there no more, has another category, lost dialogues to others or to none, or "
        "was joined by dialogues that had none."
    )
    topic_id: Id = Field(description="Topic; a retired one is in earlier builds only.")
    before: str | None = Field(
        description="Its category before, missing for none; of a topic that lost dialogues how many it had."
    )
    after: str | None = Field(
        description="Its category now; of one that lost dialogues how many are elsewhere now, of one that was joined "
        "by how many."
    )


class TopicMember(Record):
    """One row per complaint dialogue: its topic, or that it has none."""

    table: ClassVar = Table("topic_member", "journeys", ("dialogue_id",), (_DIALOGUE,))

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Complaint dialogue.")
    topic_id: Id | None = Field(
        description="Topic, after merging; missing for an outlier or where no topics were sought."
    )
    found_topic_id: Id | None = Field(description="Topic that it was found in; another one where people merged topics.")
    is_core: bool = Field(description="Whether the clustering itself put it there, not the outlier reduction.")
    note: Literal["clustered", "reduced", "outlier", "too_few_dialogues"] = Field(description="How it came about.")


class Coding(Record):
    """One row per complaint dialogue: its category and stage, or an explicit unassigned with the reason."""

    table: ClassVar = Table("coding", "journeys", ("dialogue_id",), (_DIALOGUE, _CATEGORY))

    industry: Id = Field(description="Industry of the account.")
    dialogue_id: Id = Field(description="Complaint dialogue.")
    category_id: Id | None = Field(description="Category; missing when unassigned.")
    stage_id: Id | None = Field(description="Stage of that category; missing when unassigned.")
    confidence: Share | None = Field(
        description="How likely the category falls under the coarse label that a person would give: calibrated on real "
        "airline and restaurant posts that people labelled with nine, eleven or eight labels, no higher than 0.77, and "
        "only for the bundled embedding model. About one of the map's own categories it says less: below 0.5 fewer are "
        "right. Missing without text, and where a model or a person decided."
    )
    margin: Share | None = Field(
        description="Probability of the category less that of its rival; missing where there is no confidence."
    )
    rival_category_id: Id | None = Field(
        description="Second most likely category; where a model or a person decided otherwise, the most likely one."
    )
    method: CodingMethod = Field(description="What decided: the head over embeddings, a model, or a person's override.")
    unassigned_reason: UnassignedReason | None = Field(
        description="Why there is no category; missing where there is one."
    )
    map_version: Count = Field(description="Version of the journey map that it was coded with.")


class CodingChange(Record):
    """One row per dialogue that was coded otherwise before the industry's codings were last made."""

    table: ClassVar = Table("coding_change", "journeys", ("dialogue_id",), (_DIALOGUE, _CATEGORY), may_be_empty=True)

    industry: Id = Field(description="Industry of the dialogue.")
    dialogue_id: Id = Field(description="Dialogue.")
    before_category_id: Id | None = Field(description="Its category before; missing where it had none.")
    category_id: Id | None = Field(description="Its category now; missing where it has none.")


class Recoding(Decided):
    """One row per decision of a person on a topic or a dialogue of an industry, with what became of it."""

    table: ClassVar = Table("recoding", "journeys", ("industry", "kind", "item_id"), may_be_empty=True)

    dialogue_count: Count = Field(
        description="Dialogues whose coding follows from it in this build; of a merge, whose topic does."
    )


class CategoryAnswer(Strict):
    """Which of the listed categories names what mainly went wrong; a model's answer, not a table."""

    quote: Maybe = Field(description="The customer's words that decide, copied letter by letter; null where none fits.")
    category_id: Maybe = Field(description="Id of the category; null where none of them is what went wrong.")
