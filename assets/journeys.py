"""Assets of the journeys group: maps as tables, embeddings, topics, codings.

Belongs here: which function makes which table of which inputs. Not here: how a dialogue is coded.
"""

from collections.abc import Sequence

import dagster as dg
import pyarrow as pa

from assets.plots import draw_bars
from assets.product import ProductBase
from assets.steps import Made, Results, Step, describe_step, run_step
from schemas.dialogues import Dialogue, Screening
from schemas.journeys import CategoryRow, Coding, Embedding, StageRow, Topic, TopicMember
from servicebench_data.industries import load_industry
from servicebench_data.journeys.coding import code_dialogues
from servicebench_data.journeys.embedding import embed_complaints, read_vectors, select_complaints
from servicebench_data.journeys.heads import find_head
from servicebench_data.journeys.maps import list_categories, list_stages
from servicebench_data.journeys.registry import Registry
from servicebench_data.journeys.topics import find_topics

CODE = ("journeys", "journeys.py", "embeddings", "industries")
MAPS = Step((StageRow, CategoryRow), (), CODE)
EMBEDDINGS = Step((Embedding,), (Dialogue, Screening), CODE, ("embedding_model",))
TOPICS = Step(
    (Topic, TopicMember),
    (Dialogue, Screening, Embedding),
    CODE,
    ("embedding_model", "seed", "min_topic_dialogues"),
)
CODINGS = Step((Coding,), (Dialogue, Screening, Embedding, CategoryRow), CODE, ("embedding_model",))


@dg.multi_asset(**describe_step(MAPS))
def journey_map(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Stages and categories of the journey maps that experts edit."""
    yield from run_step(context, product, MAPS, tabulate_map)


def tabulate_map(name: str) -> Made:
    """One industry's map as tables."""
    industry = load_industry(name)
    return Made({StageRow: list_stages(industry), CategoryRow: list_categories(industry)})


@dg.multi_asset(**describe_step(EMBEDDINGS))
def embeddings(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Vectors of the complaints, from the cache where the text is known."""
    yield from run_step(context, product, EMBEDDINGS, lambda name: embed(context, product, name))


def embed(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """One industry's vectors."""
    embedder = product.make_embedder(context.log.info)
    table = embed_complaints(read_complaints(product, name), load_industry(name), embedder)
    return Made({Embedding: table}, {"texts embedded anew": embedder.new, "texts from the cache": embedder.cached})


def read_complaints(product: ProductBase, name: str) -> pa.Table:
    """The dialogues of an industry that were kept, in the order of the embeddings."""
    return select_complaints(product.lake.read(Dialogue, name), product.lake.read(Screening, name))


@dg.multi_asset(**describe_step(TOPICS))
def topics(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """BERTopic's topics, coded to the map or reported as novel; ids carry over from the build before."""
    yield from run_step(
        context,
        product,
        TOPICS,
        lambda name: cluster(context, product, name),
        show=lambda partitions: {"sizes": draw_sizes(product, partitions)},
    )


def cluster(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """One industry's topics."""
    industry, lake = load_industry(name), product.lake
    before = lake.find(Topic, name) and Registry(lake.read(Topic, name), lake.read(TopicMember, name))
    found = find_topics(
        read_complaints(product, name),
        read_vectors(lake.read(Embedding, name)),
        industry,
        find_head(industry, product.make_embedder(context.log.info)),
        before or None,
        seed=product.settings.seed,
        min_dialogues=product.settings.min_topic_dialogues,
    )
    return Made({Topic: found.topic, TopicMember: found.topic_member}, dict(found.counts))


def draw_sizes(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """The largest topics with their first keywords."""
    rows = [row for name in partitions for row in product.lake.read(Topic, name).to_pylist()]
    return draw_bars(
        "Dialogues by topic", {f"{row['industry']}: {', '.join(row['keywords'][:4])}": row["size"] for row in rows}
    )


@dg.multi_asset(**describe_step(CODINGS))
def codings(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Category and stage of every complaint, or why it has none."""
    yield from run_step(
        context,
        product,
        CODINGS,
        lambda name: code(context, product, name),
        show=lambda partitions: {"categories": draw_categories(product, partitions)},
    )


def code(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """One industry's codings."""
    head = find_head(load_industry(name), product.make_embedder(context.log.info))
    vectors = read_vectors(product.lake.read(Embedding, name))
    return Made({Coding: code_dialogues(read_complaints(product, name), vectors, head)})


def draw_categories(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """The categories with the most dialogues."""
    counts: dict[str, float] = {}
    for name in partitions:
        for category in product.lake.read(Coding, name)["category_id"].to_pylist():
            key = f"{name}: {category or 'unassigned'}"
            counts[key] = counts.get(key, 0) + 1
    return draw_bars("Dialogues by category", counts)
