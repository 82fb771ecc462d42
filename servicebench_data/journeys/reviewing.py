"""What a reviewer is shown of an industry's topics and codings, and may decide about them.

Belongs here: forms and items. Not here: page and CSV (`review/`), or what follows from a decision (`deciding.py`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from schemas.dialogues import Dialogue
from schemas.industry import Industry
from schemas.journeys import Coding, Embedding, Recoding, Topic, TopicMember
from schemas.review import Outcome, Override
from servicebench_data.journeys.decisions import (
    DIALOGUE,
    NOT_A_COMPLAINT,
    TOPIC,
    Decisions,
    digest_dialogues,
    digest_topics,
    load_decisions,
    settle_dialogues,
    settle_topics,
)
from servicebench_data.journeys.maps import map_stages
from servicebench_data.lake.arrow import to_records
from servicebench_data.lake.store import Lake
from servicebench_data.review.forms import Action, Choice, Form, Item, Sheet

INTRO = (
    "Topics come first, those that the map does not know before all others, then the least certain; after them the "
    "single dialogues whose coding was least certain, first of all those that a model settled. What you decide on a "
    "topic holds for all of its dialogues."
)
KEYWORDS_SHOWN = 4
CATEGORIES_SHOWN = 4
TITLE_WIDTH = 90


@dataclass(frozen=True)
class Evidence:
    """An industry's last build, and what people decided.

    Attributes:
        industry: The industry with its map.
        topics: Rows of `topic`.
        members: Rows of `topic_member`.
        codings: Coding of each dialogue.
        texts: The customer's side of each dialogue, masked.
        topic_digests: Digest of each topic.
        dialogue_digests: Digest of each dialogue.
        decisions: What people decided.
        outcomes: What became of each decision in that build, by kind and item.
    """

    industry: Industry
    topics: Sequence[Topic]
    members: Sequence[TopicMember]
    codings: Mapping[str, Coding]
    texts: Mapping[str, str]
    topic_digests: Mapping[str, str]
    dialogue_digests: Mapping[str, str]
    decisions: Decisions
    outcomes: Mapping[tuple[str, str], Outcome]


def read_texts(lake: Lake, industry: str) -> dict[str, str]:
    """The customer's side of each dialogue of an industry, masked."""
    dialogues = lake.read(Dialogue, industry)
    ids = cast("list[str]", dialogues["dialogue_id"].to_pylist())
    return dict(zip(ids, cast("list[str]", dialogues["customer_text"].to_pylist()), strict=True))


def read_evidence(lake: Lake, industry: Industry) -> Evidence:
    """What the lake holds of an industry.

    Raises:
        LakeError: A table has not been made yet.
    """
    topics, members = lake.read(Topic, industry.id), lake.read(TopicMember, industry.id)
    embeddings = lake.read(Embedding, industry.id)
    return Evidence(
        industry=industry,
        topics=to_records(Topic, topics),
        members=to_records(TopicMember, members),
        codings={row.dialogue_id: row for row in to_records(Coding, lake.read(Coding, industry.id))},
        texts=read_texts(lake, industry.id),
        topic_digests=digest_topics(topics, members, embeddings),
        dialogue_digests=digest_dialogues(embeddings),
        decisions=load_decisions(lake.overrides, industry.id),
        outcomes={
            (row.kind, row.item_id): row.outcome for row in to_records(Recoding, lake.read(Recoding, industry.id))
        },
    )


def read_forms(lake: Lake, industry: Industry) -> list[Form]:
    """What can be decided about an industry's last build, and what becomes of what was decided on it.

    Topics and dialogues are none where it has not been built.
    """
    topics, of_topics, of_dialogues = read_items(lake, industry.id)
    decisions, categories = load_decisions(lake.overrides, industry.id), list(map_stages(industry))
    outcomes = (
        settle_topics(decisions.topics, of_topics, categories),
        settle_dialogues(decisions.dialogues, of_dialogues, categories),
    )
    forms = make_forms(industry, topics, of_topics, of_dialogues)
    return [replace(form, outcomes=found) for form, found in zip(forms, outcomes, strict=True)]


def read_items(lake: Lake, industry: str) -> tuple[Sequence[Topic], dict[str, str], dict[str, str]]:
    """Topics of the last build, and the digests of topics and dialogues."""
    if not lake.find(TopicMember, industry) or not lake.find(Embedding, industry):
        return [], {}, {}
    topics, members, embeddings = (lake.read(record, industry) for record in (Topic, TopicMember, Embedding))
    return to_records(Topic, topics), digest_topics(topics, members, embeddings), digest_dialogues(embeddings)


def make_forms(
    industry: Industry, topics: Sequence[Topic], topic_digests: Mapping[str, str], dialogue_digests: Mapping[str, str]
) -> list[Form]:
    """What can be decided about an industry's topics and dialogues."""
    categories = tuple(
        Choice(category.id, category.name, stage.name, category.definition)
        for stage in industry.journey.stages
        for category in stage.categories
    )
    others = tuple(Choice(row.topic_id, name_topic(row)) for row in topics)
    drop = Action(NOT_A_COMPLAINT, "not a complaint", "No category: what it holds leaves the pipeline here.")
    recode = "recode", "recode to a category"
    return [
        Form(
            TOPIC,
            "topic",
            (
                Action(*recode, "All its dialogues get that category, and this coding stays.", "choice", categories),
                Action("merge", "merge with a topic", "It is the other topic, and follows it.", "choice", others),
                Action(
                    "propose",
                    "propose a new category",
                    "Recorded and reported; the map itself is edited by hand, and codings stay as they are until then.",
                    "text",
                ),
                drop,
            ),
            topic_digests,
        ),
        Form(
            DIALOGUE,
            "dialogue",
            (Action(*recode, "This dialogue alone gets that category.", "choice", categories), drop),
            dialogue_digests,
        ),
    ]


def make_sheet(evidence: Evidence, dialogue_limit: int) -> Sheet:
    """Everything on an industry's review page.

    Args:
        evidence: The industry's last build.
        dialogue_limit: How many of the least certain dialogues to show.
    """
    forms = make_forms(evidence.industry, evidence.topics, evidence.topic_digests, evidence.dialogue_digests)
    topics = sorted(evidence.topics, key=lambda row: (not row.is_novel, row.margin, row.topic_id))
    dialogues = choose_dialogues(evidence, dialogue_limit)
    items = [*(show_topic(row, evidence) for row in topics), *(show_dialogue(row, evidence) for row in dialogues)]
    title = f"Review of {evidence.industry.accounts.title}: {len(topics)} topics, {len(dialogues)} dialogues"
    return Sheet(title, evidence.industry.id, INTRO, forms, items)


def choose_dialogues(evidence: Evidence, limit: int) -> list[Coding]:
    """Dialogues whose decision no longer applies, the least certain, and the others that people decided."""
    decided = [name for name in sorted(evidence.decisions.dialogues) if name in evidence.codings]
    changed = [name for name in decided if evidence.outcomes.get((DIALOGUE, name)) in {"stale", "refused"}]
    ranked = sorted(filter(is_uncertain, evidence.codings.values()), key=rank_coding)
    shown = dict.fromkeys([*changed, *(row.dialogue_id for row in ranked[:limit]), *decided])
    return [evidence.codings[name] for name in shown]


def is_uncertain(coding: Coding) -> bool:
    """Whether nobody decided a coding, and there is a text that it can be judged by."""
    return coding.margin is not None or coding.method == "model"


def rank_coding(coding: Coding) -> tuple[bool, bool, float, str]:
    """Key that sorts the least certain first: what the head doubted and a model settled, then low margins.

    Of the former those come first for which the model found no category.
    """
    is_settled = coding.method == "model"
    return not is_settled, not (is_settled and coding.category_id is None), coding.margin or 0.0, coding.dialogue_id


def describe_sureness(coding: Coding) -> str:
    """How sure a coding is, or who decided it."""
    if coding.method == "override":
        return "decided by a person"
    if coding.method == "model":
        return "settled by a model, for the head was in doubt; it gives no confidence"
    if coding.margin is None or coding.confidence is None:
        return "none: the customer wrote no word"
    return f"confidence {coding.confidence:.2f}, margin {coding.margin:.2f}"


def show_topic(topic: Topic, evidence: Evidence) -> Item:
    """What is shown of a topic."""
    names = name_categories(evidence.industry)
    decided = evidence.decisions.topics.get(topic.topic_id)
    facts = [
        ("topic", topic.topic_id),
        ("size", f"{topic.size} dialogues, {topic.core_size} of them at its core"),
        ("keywords", ", ".join(topic.keywords)),
        ("coded to", names.get(topic.category_id or "", "no category")),
        ("proposed", f"{names[topic.nearest_category_id]} (cosine {topic.similarity:.2f}, margin {topic.margin:.2f})"),
        ("nearest rival", names.get(topic.rival_category_id or "", "none")),
        ("its dialogues", count_codings(topic, evidence, names)),
    ]
    badges = [
        *(["novel: no category is near"] if topic.is_novel else []),
        *([f"merged into {topic.merged_into}"] if topic.merged_into else []),
    ]
    return Item(
        TOPIC,
        topic.topic_id,
        evidence.topic_digests[topic.topic_id],
        name_topic(topic),
        (*badges, *flag(TOPIC, topic.topic_id, decided, evidence)),
        tuple(facts),
        tuple(evidence.texts[name] for name in topic.representative_ids if name in evidence.texts),
        decided,
        evidence.outcomes.get((TOPIC, topic.topic_id)),
    )


def name_topic(topic: Topic) -> str:
    """A topic by its first keywords and size."""
    return f"{', '.join(topic.keywords[:KEYWORDS_SHOWN]) or topic.topic_id} ({topic.size})"


def name_categories(industry: Industry) -> dict[str, str]:
    """Name of each category with its stage."""
    return {
        category.id: f"{category.name} · {stage.name}"
        for stage in industry.journey.stages
        for category in stage.categories
    }


def count_codings(topic: Topic, evidence: Evidence, names: Mapping[str, str]) -> str:
    """The categories that the topic's dialogues are coded to one by one, most frequent first."""
    counts = Counter(
        evidence.codings[row.dialogue_id].category_id or ""
        for row in evidence.members
        if row.found_topic_id == topic.topic_id
    )
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = [
        f"{names.get(category, 'unassigned').split(' · ')[0]} {count}" for category, count in ranked[:CATEGORIES_SHOWN]
    ]
    left = sum(count for _, count in ranked[CATEGORIES_SHOWN:])
    return ", ".join([*shown, *([f"others {left}"] if left else [])])


def flag(kind: str, item: str, decided: Override | None, evidence: Evidence) -> list[str]:
    """What stands out about the decision on an item."""
    outcome = evidence.outcomes.get((kind, item))
    if decided is None or outcome in {None, "applied"}:
        return []
    return [f"decision is {outcome}" if outcome in {"stale", "refused"} else str(outcome)]


def show_dialogue(coding: Coding, evidence: Evidence) -> Item:
    """What is shown of a dialogue."""
    names, name = name_categories(evidence.industry), coding.dialogue_id
    text, decided = evidence.texts.get(name, ""), evidence.decisions.dialogues.get(coding.dialogue_id)
    facts = (
        ("dialogue", name),
        ("coded to", names.get(coding.category_id or "", f"unassigned ({coding.unassigned_reason})")),
        ("sureness", describe_sureness(coding)),
        ("nearest rival", names.get(coding.rival_category_id or "", "none")),
    )
    title = text if len(text) <= TITLE_WIDTH else text[: TITLE_WIDTH - 1] + "…"
    badges = tuple(flag(DIALOGUE, name, decided, evidence))
    return Item(
        DIALOGUE, name, evidence.dialogue_digests[name], title or name, badges, facts, (text,) if text else (), decided,
        evidence.outcomes.get((DIALOGUE, name)),
    )  # fmt: skip
