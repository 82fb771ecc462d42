"""Assets of the dialogues group: posts, turns, dialogues, and which of them are complaints.

Belongs here: which function makes which table of which inputs. Not here: any rule about posts.
"""

from collections.abc import Sequence
from dataclasses import asdict

import dagster as dg

from assets.plots import draw_stacks
from assets.product import ProductBase
from assets.steps import INDUSTRIES, Made, Results, Step, describe_asset, describe_step, run_step
from schemas.dialogues import Dialogue, Post, QuarantinedPost, Screening, Turn
from servicebench_data.dialogues.accounts import Forget, list_accounts
from servicebench_data.dialogues.dialogues import DialogueFiles, build_dialogues
from servicebench_data.dialogues.posts import PostFiles, load_posts
from servicebench_data.dialogues.screening import count_outcomes, screen_industry
from servicebench_data.industries import load_industries, load_industry
from servicebench_data.lake.forget import read_forget_list
from servicebench_data.lake.sample import list_sample
from servicebench_data.lake.slices import Slices
from servicebench_data.lake.sources import Registered, SourceError, list_sources
from servicebench_data.lake.store import flatten_counts
from servicebench_data.release.forgetting import forget_traces

CODE = ("dialogues", "dialogues.py", "industries")
POSTS = Step((Post, QuarantinedPost), (), CODE, ("source",))
DIALOGUES = Step((Turn, Dialogue), (Post,), CODE, ("source",))
SCREENING = Step((Screening,), (Dialogue,), (*CODE, "embeddings", "complaints"), ("embedding_model",))


@dg.multi_asset(specs=[dg.AssetSpec(**describe_asset(record)) for record in POSTS.makes])
def posts(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Posts as they were read, and the rows that could not be used."""
    sources = list_sample() if product.settings.source == "sample" else list_sources(product.lake)
    decides = [[source.sha256 for source in sources], read_forget_list(product.lake).digest]
    yield from run_step(context, product, POSTS, lambda _: read_sources(product, sources), extra=decides)


def read_sources(product: ProductBase, sources: Sequence[Registered]) -> Made:
    """Load all source files."""
    files = PostFiles(product.lake.new_file(Post), product.lake.new_file(QuarantinedPost))
    forget = read_forget_list(product.lake)
    forgotten = forget_traces(product.lake, forget, product.settings.locate_ledger())
    try:
        counts = load_posts(
            [source.path for source in sources],
            files,
            accounts=list_accounts(load_industries(), is_sample=product.settings.source == "sample"),
            forget=Forget(*forget),
            limits=product.limits,
        )
    except SourceError as error:
        raise SourceError(
            f"{error}; every build reads all files in {str(product.lake.posts)!r}: mend this one, or delete it there"
        ) from error
    noted = {
        **flatten_counts(asdict(counts)),
        **flatten_counts(forgotten._asdict(), "forgotten."),
        "source_sha256s": " ".join(source.sha256 for source in sources),
    }
    return Made({Post: files.posts, QuarantinedPost: files.quarantine}, noted)


@dg.multi_asset(**describe_step(DIALOGUES))
def dialogues(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Threads rebuilt, text cleaned, people masked; all industries in one pass over the posts."""
    with Slices(product.lake.scratch, (Turn, Dialogue)) as slices:
        yield from run_step(context, product, DIALOGUES, lambda name: rebuild(product, slices, name))


def rebuild(product: ProductBase, slices: Slices, industry: str) -> Made:
    """The tables of one industry; the first call makes those of all."""
    if not slices.is_made:
        counts = build_dialogues(
            product.lake.get(Post).path,
            DialogueFiles(slices.path(Turn), slices.path(Dialogue)),
            accounts=list_accounts(load_industries(), is_sample=product.settings.source == "sample"),
            limits=product.limits,
        )
        slices.counts = flatten_counts(asdict(counts))
    return Made({record: slices.read(record, industry) for record in DIALOGUES.makes}, slices.take_counts())


@dg.asset(
    **describe_asset(Screening),
    deps=["dialogue"],
    partitions_def=INDUSTRIES,
    backfill_policy=dg.BackfillPolicy.single_run(),
)
def screening(context: dg.AssetExecutionContext, product: dg.ResourceParam[ProductBase]) -> Results:
    """Language and kind of every dialogue, and which are complaints."""
    yield from run_step(
        context,
        product,
        SCREENING,
        lambda name: screen(context, product, name),
        show=lambda partitions: {"funnel": draw_funnel(product, partitions)},
    )


def screen(context: dg.AssetExecutionContext, product: ProductBase, name: str) -> Made:
    """Screen the dialogues of one industry."""
    table = screen_industry(
        product.lake.read(Dialogue, name),
        load_industry(name),
        load_industries(),
        embedder=product.make_embedder(context.log.info),
        cache=product.lake.cache,
    )
    return Made({Screening: table})


def draw_funnel(product: ProductBase, partitions: Sequence[str]) -> dg.MarkdownMetadataValue:
    """What became of the dialogues of each industry."""
    counts = {name: count_outcomes(product.lake.read(Screening, name)) for name in partitions}
    outcomes = sorted(
        {outcome for entry in counts.values() for outcome in entry}, key=lambda name: (name != "kept", name)
    )
    parts = {outcome: [float(counts[name].get(outcome, 0)) for name in partitions] for outcome in outcomes}
    return draw_stacks("Dialogues by outcome of the screening", partitions, parts)
