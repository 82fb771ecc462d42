"""Assets of the journeys group: maps as tables, embeddings, topics, codings.

Belongs here: which function makes which table of which inputs. Not here: how a dialogue is coded.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import dagster as dg
import pyarrow as pa

from assets.automation import PLAN_JOB_NAME
from assets.checks import judge
from assets.plots import draw_atlas, draw_bars, draw_saturation
from assets.product import ProductBase, find_payer
from assets.progress import ProgressLog
from assets.steps import Made, Results, Step, describe_step, run_step, tabulate
from schemas.dialogues import Dialogue, Screening
from schemas.industry import Industry
from schemas.journeys import (
    CategoryAnswer,
    CategoryRow,
    Coding,
    CodingChange,
    Embedding,
    Recoding,
    StageRow,
    Topic,
    TopicChange,
    TopicMember,
)
from schemas.records import Record
from servicebench_data.embeddings import describe_calibration
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.journeys.atlas import read_atlas
from servicebench_data.journeys.coding import code_dialogues
from servicebench_data.journeys.deciding import TopicTables, apply_to_codings, apply_to_topics, review_topics
from servicebench_data.journeys.decisions import load_decisions
from servicebench_data.journeys.embedding import embed_complaints, read_vectors, select_complaints
from servicebench_data.journeys.heads import find_head
from servicebench_data.journeys.maps import list_categories, list_stages, map_stages
from servicebench_data.journeys.outliers import check_outliers
from servicebench_data.journeys.registry import Registry, list_changes, list_recodings, read_codings, read_registry
from servicebench_data.journeys.saturation import measure_saturation
from servicebench_data.journeys.settling import (
    Doubt,
    describe_settling,
    find_doubts,
    has_settled,
    make_items,
    make_task,
    settle_codings,
)
from servicebench_data.journeys.topics import find_topics
from servicebench_data.lake.arrow import from_records
from servicebench_data.models.task import Door, Item, Outcome
from servicebench_data.scenarios.writing.plan import LedgerOracle

CHANGES_SHOWN = 50
CODE = ("journeys", "journeys.py", "embeddings", "industries", "review", "review.py")
MAPS = Step((StageRow, CategoryRow), (), CODE)
EMBEDDINGS = Step((Embedding,), (Dialogue, Screening), CODE, ("embedding_model",))
TOPICS = Step(
    (Topic, TopicMember, TopicChange),
    (Dialogue, Screening, Embedding),
    CODE,
    ("embedding_model", "seed", "min_topic_dialogues"),
)
CODINGS = Step(
    (Coding, Recoding, CodingChange),
    (Dialogue, Screening, Embedding, CategoryRow, Topic, TopicMember),
    CODE,
    ("embedding_model",),
)


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
    counts = {"texts embedded anew": embedder.new, "texts from the cache": embedder.cached}
    return Made({Embedding: table}, {**counts, "texts cut at what the model reads": embedder.truncated})


def read_complaints(product: ProductBase, name: str) -> pa.Table:
    """The dialogues of an industry that were kept, in the order of the embeddings."""
    return select_complaints(product.lake.read(Dialogue, name), product.lake.read(Screening, name))


@dg.multi_asset(**describe_step(TOPICS))
def topics(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """BERTopic's topics, coded to the map, to what people decided, or reported as novel; ids outlive builds."""
    yield from run_step(
        context,
        product,
        TOPICS,
        lambda name: cluster(context, product, name),
        extra=lambda name: load_decisions(product.lake.overrides, name).digest[0],
        show=lambda partitions: show_topics(product, partitions),
    )


def cluster(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """One industry's topics."""
    industry, lake = load_industry(name), product.lake
    embeddings, previous = lake.read(Embedding, name), read_registry(lake, name)
    embedder = product.make_embedder(context.log.info)
    found = find_topics(
        read_complaints(product, name),
        read_vectors(embeddings),
        industry,
        find_head(industry, embedder),
        previous,
        model=embedder.key,
        seed=product.settings.seed,
        min_dialogues=product.settings.min_topic_dialogues,
    )
    decisions = load_decisions(lake.overrides, name)
    made = apply_to_topics(TopicTables(found.topic, found.topic_member), embeddings, decisions, industry)
    changes = from_records(TopicChange, list_changes(name, previous, Registry(made.topic, made.topic_member)))
    return Made({Topic: made.topic, TopicMember: made.topic_member, TopicChange: changes}, dict(found.counts))


def show_topics(product: ProductBase, partitions: Sequence[str]) -> dict[str, Any]:
    """The largest topics, what people decided on them, and a map of each industry that has some."""
    rows = {name: product.lake.read(Topic, name).to_pylist() for name in partitions}
    sizes = {
        f"{name}: {', '.join(row['keywords'][:4])}": row["size"]
        for name, entries in rows.items() for row in entries if row["merged_into"] is None
    }  # fmt: skip
    decided = [review_topics(product.lake, load_industry(name)) for name in partitions]
    maps = {f"map of {name}": draw_map(product, name) for name, entries in rows.items() if entries}
    return {
        "sizes": draw_bars("Dialogues by topic", sizes),
        "outliers by industry": show_outliers(product, partitions),
        "changes": show_changes(product, TopicChange, partitions),
        "decisions": tabulate_decisions(decided),
        **maps,
    }


@dg.asset_check(
    asset=TopicMember.table.name,
    description="Where an industry has complaints enough to seek topics, some are found, and at most a tenth of the "
    "complaints belong to none.",
)
def topic_outliers(product: dg.ResourceParam[ProductBase]) -> dg.AssetCheckResult:
    """Warn of industries whose complaints are mostly their own."""
    files = product.lake.files([TopicMember], list_industries())
    return judge(check_outliers(files, product.limits), dg.AssetCheckSeverity.WARN)


def show_changes(product: ProductBase, record: type[Record], partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """How much of each industry's table became otherwise when it was last made, and the first of it."""
    tables = {name: product.lake.read(record, name).to_pylist() for name in partitions}
    rows = [row for table in tables.values() for row in table]
    if not rows:
        return dg.MetadataValue.md("As in the build before, or there was none.")
    counts = [
        f"- {name}: {len(table)} differences from before it was last made, {tell_time(product, record, name)}"
        for name, table in tables.items() if table
    ]  # fmt: skip
    told = tabulate(rows[:CHANGES_SHOWN], list(record.model_fields))
    return dg.MetadataValue.md("\n".join([*counts, "", "The first of them:", "", told]))


def tell_time(product: ProductBase, record: type[Record], name: str) -> str:
    """When an industry's table was last made."""
    at = product.lake.get(record, name).path.stat().st_mtime
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M UTC")


def show_outliers(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """How many dialogues of each industry no cluster took, and how many of these are in no topic."""
    names = ("industry", "dialogues", "in no cluster", "in no topic")
    rows: list[dict[str, Any]] = []
    for name in partitions:
        counts = product.lake.get(Topic, name).pointer.counts
        total, *left = (int(counts.get(key, 0)) for key in ("dialogues", "outliers_before", "outliers"))
        shares = [f"{count} ({count / total:.1%})" if total else "-" for count in left]
        rows.append(dict(zip(names, [name, total, *shares], strict=True)))
    return dg.MetadataValue.md(tabulate(rows, names))


def draw_map(product: ProductBase, name: str) -> dg.MarkdownMetadataValue:
    """One industry's dialogues by what they say, in the colour of their topic's stage."""
    return draw_atlas(read_atlas(product.lake, load_industry(name), product.settings.seed, by_topic=True))


@dg.multi_asset(**describe_step(CODINGS))
def codings(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Category and stage of every complaint, or why it has none; what people decided comes first.

    Where a model is set, it settles the codings of which the head is least sure.
    """
    settled = describe_settling(product.settings)
    with product.hold_doorway(find_payer(context.run)) as open_once:
        yield from run_step(
            context,
            product,
            CODINGS,
            lambda name: code(context, product, name, open_once),
            extra=lambda name: [load_decisions(product.lake.overrides, name).digest, *([settled] if settled else [])],
            show=lambda partitions: show_codings(product, partitions),
        )


def code(context: dg.AssetExecutionContext, product: ProductBase, name: str, open_doorway: Callable[[], Door]) -> Made:
    """One industry's codings."""
    lake, industry = product.lake, load_industry(name)
    embeddings = lake.read(Embedding, name)
    coded, doubts = code_complaints(product, context.log.info, industry, embeddings)
    counts: dict[str, int] = {}
    is_final = True
    if doubts:
        outcomes = settle_doubts(context, product, make_items(doubts, industry), open_doorway)
        coded, counts = settle_codings(coded, [outcome for outcome in outcomes if outcome], map_stages(industry))
        is_final = has_settled(outcomes)
    tables = TopicTables(lake.read(Topic, name), lake.read(TopicMember, name))
    made = apply_to_codings(coded, tables, embeddings, load_decisions(lake.overrides, name), industry)
    changes = from_records(CodingChange, list_recodings(read_codings(lake, name), made.coding))
    made_tables = {Coding: made.coding, Recoding: made.recoding, CodingChange: changes}
    note = describe_calibration(product.settings.embedding_model)
    return Made(made_tables, {**counts, **({"calibration": note} if note else {})}, is_final=is_final)


def settle_doubts(
    context: dg.AssetExecutionContext,
    product: ProductBase,
    items: Sequence[Item[CategoryAnswer]],
    open_doorway: Callable[[], Door],
) -> Sequence[Outcome[CategoryAnswer] | None]:
    """The model's answer on each doubtful coding; a plan takes those that the ledger holds and asks no model."""
    if context.run.job_name == PLAN_JOB_NAME:
        with product.make_doorway(only_recalls=True) as doorway:
            return LedgerOracle(doorway).recall(make_task(), items)
    return open_doorway().run(make_task(), items, ProgressLog(context.log.info, "doubtful codings"))


def code_complaints(
    product: ProductBase, log: Callable[..., Any], industry: Industry, embeddings: pa.Table
) -> tuple[pa.Table, list[Doubt]]:
    """The head's codings of an industry, and the dialogues that a model is to settle; none where no model is set."""
    head = find_head(industry, product.make_embedder(log))
    vectors = read_vectors(embeddings)
    complaints = read_complaints(product, industry.id)
    coded = code_dialogues(complaints, vectors, head)
    return coded, find_doubts(coded, complaints, vectors, head, industry) if product.settings.model else []


def show_codings(product: ProductBase, partitions: Sequence[str]) -> dict[str, Any]:
    """The most frequent categories, whether more reading would find more of them, and what people decided."""
    found = {name: product.lake.read(Coding, name)["category_id"].to_pylist() for name in partitions}
    counts: dict[str, float] = {}
    for name, categories in found.items():
        for category in categories:
            key = f"{name}: {category or 'unassigned'}"
            counts[key] = counts.get(key, 0) + 1
    curves = {
        name: measure_saturation(
            categories, total=len(load_industry(name).journey.categories), seed=product.settings.seed
        )
        for name, categories in found.items()
    }
    return {
        "categories": draw_bars("Dialogues by category", counts),
        "coverage": draw_saturation("Categories found by dialogues read (band: 5% to 95% of 50 orders)", curves),
        "changes": show_changes(product, CodingChange, partitions),
        "decisions": tabulate_decisions([product.lake.read(Recoding, name) for name in partitions]),
    }


def tabulate_decisions(tables: Sequence[pa.Table]) -> dg.MarkdownMetadataValue:
    """What people decided, with author and reason, and what became of it."""
    names = ("outcome", "industry", "kind", "item_id", "action", "value", "author", "reason", "dialogue_count")
    rows = [row for table in tables for row in table.to_pylist()]
    if not rows:
        return dg.MetadataValue.md("Nobody has decided anything; see `servicebench journeys review`.")
    return dg.MetadataValue.md(tabulate(rows, names))


CHECKS = [topic_outliers]
