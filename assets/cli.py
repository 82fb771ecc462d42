"""The command line `servicebench`: it runs the same graph as `dagster dev` and reads what was published.

Belongs here: parsing arguments and printing. Not here: any computation, or running outside the graph.
"""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

from assets import console as show
from assets.arguments import Home, find_industry
from assets.experts import app as journeys_app
from assets.export import export
from assets.ledger import app as ledger_app
from assets.power import power
from assets.report import report
from assets.review import review
from servicebench_data.industries import list_industries, load_industries
from servicebench_data.lake.database import Limits
from servicebench_data.lake.forget import ForgetError, add_to_forget_list
from servicebench_data.lake.sources import SourceError, list_sources, register_files
from servicebench_data.lake.store import Lake
from servicebench_data.measures.power import PowerError
from servicebench_data.models.options import OptionsError
from servicebench_data.release.export.export import ExportError
from servicebench_data.release.report.reading import ReportError
from servicebench_data.settings import Settings, SettingsError
from servicebench_data.simulation.experiment import ExperimentError

app = typer.Typer(
    help="Turns raw customer-care dialogues into checked scenarios for testing how LLM agents handle complaints.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(ledger_app, name="ledger")
app.add_typer(journeys_app, name="journeys")
out = Console()
err = Console(stderr=True)


class UsageError(ValueError):
    """The command cannot do what was asked; the message says why and what to do."""


MENDABLE = (
    UsageError,
    SettingsError,
    SourceError,
    ForgetError,
    OptionsError,
    ExperimentError,
    ExportError,
    ReportError,
    PowerError,
)


@app.command()
def build(
    *,
    posts: Annotated[list[Path] | None, typer.Option("--posts", help="File of posts to register; repeatable.")] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Build from the bundled fictional posts.")] = False,
    industry: Annotated[list[str] | None, typer.Option(help="Only this industry; repeatable.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE; repeatable.")] = None,
    model: Annotated[
        str | None, typer.Option(help="Model that writes the scenarios, as litellm names it; else offline rules do.")
    ] = None,
    plan: Annotated[
        bool, typer.Option("--plan", help="Tell what the model's work would take, by task; asks no model.")
    ] = False,
    home: Home = None,
    more_posts: Annotated[list[Path] | None, typer.Argument(help="More files, so that a shell's *.csv works.")] = None,
) -> None:
    """Build scenarios from registered posts (or the sample) and publish them."""
    files = [*(posts or []), *(more_posts or [])]
    settings = resolve(home, setting, source="sample" if sample else "posts", model=model)
    check_model(settings, is_needed=plan)
    register(settings, files, is_sample=sample)
    from assets.runner import run_build, run_plan  # noqa: PLC0415  (Dagster takes a second that `--help` need not pay)

    industries = check_industries(industry or [])
    if plan:
        rows = run_plan(settings, industries, out)
        if rows is None:
            raise typer.Exit(1)
        show.print_plan(rows, out)
        return
    if not run_build(settings, industries, out):
        end_failed("build")
    show.print_summary(settings.home, out)


def end_failed(what: str) -> NoReturn:
    """Say that a build or run failed, and end."""
    err.print(f"[red]The {what} failed.[/red] What was published before is as it was.")
    raise typer.Exit(1)


def check_model(settings: Settings, *, is_needed: bool) -> None:
    """Refuse a model that cannot be asked as it is named, before anything is made.

    Raises:
        UsageError: It is needed, and none is set.
        OptionsError: A setting of the model cannot be used.
    """
    if settings.model:
        from servicebench_data.scenarios.writing.stages import describe_writing  # noqa: PLC0415

        describe_writing(settings)
    elif is_needed:
        raise UsageError("--plan tells what a model's work would take, and none is set; name one with --model NAME.")


def register(settings: Settings, files: list[Path], *, is_sample: bool) -> None:
    """Register the files that were named, and refuse a build that has nothing to read."""
    lake = Lake(settings.home)
    if is_sample and files:
        raise UsageError("the fictional sample is never pooled with posts; give --sample or --posts, not both.")
    if files:
        from servicebench_data.dialogues.accounts import list_accounts  # noqa: PLC0415
        from servicebench_data.dialogues.posts import check_readable  # noqa: PLC0415

        accounts = list_accounts(load_industries(), is_sample=False)
        limits = Limits(settings.memory_gb, settings.threads, lake.scratch)
        register_files(lake, files, partial(check_readable, accounts=accounts, limits=limits))
    if not is_sample and not list_sources(lake):
        raise UsageError(
            "no posts are registered; name a file with --posts, or build the bundled sample with --sample."
        )


def check_industries(names: list[str]) -> list[str]:
    """The industries asked for, in order; all where none is.

    Raises:
        IndustryError: One is not configured.
    """
    wanted = {find_industry(name) for name in names}
    return [name for name in list_industries() if name in wanted or not wanted]


def resolve(home: Path | None, pairs: list[str] | None = None, **given: Any) -> Settings:
    """Settings from the environment, the home, and NAME=VALUE pairs.

    Raises:
        UsageError: A pair has no `=`.
    """
    values = dict(given)
    for pair in pairs or []:
        name, sign, value = pair.partition("=")
        if not sign:
            raise UsageError(f"--set {pair!r} is not of the form NAME=VALUE.")
        values[name] = value
    return Settings.load(home=home, **values)


@app.command()
def run(
    experiment: Annotated[Path, typer.Argument(help="File of the experiment, in YAML.")],
    *,
    sample: Annotated[bool, typer.Option("--sample", help="Build the bundled fictional posts first.")] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of another experiment of the same name.")
    ] = False,
    setting: Annotated[list[str] | None, typer.Option("--set", help="A setting as NAME=VALUE; repeatable.")] = None,
    home: Home = None,
) -> None:
    """Hold an experiment's conversations over the released scenarios, judge them and publish; only what is missing."""
    # Dagster takes a second that `--help` need not pay.
    from assets.runner import run_build, run_experiment  # noqa: PLC0415
    from servicebench_data.simulation.files import register_experiment  # noqa: PLC0415

    settings = resolve(home, setting, **({"source": "sample"} if sample else {}))
    say = partial(out.print, markup=False, highlight=False, soft_wrap=True)
    loaded = register_experiment(Lake(settings.home), experiment, may_replace=replace, tell=say)
    if sample:
        register(settings, [], is_sample=True)
        if not run_build(settings, list_industries(), out):
            end_failed("build")
    if not run_experiment(settings, loaded.experiment_id, out):
        end_failed("run")
    show.print_experiment(settings.home, loaded.experiment_id, out)
    if sample:
        show.print_summary(settings.home, out)


@app.command()
def warm(home: Home = None) -> None:
    """Embed the product's own texts (journey maps, complaint bank), so that the first build need not."""
    from servicebench_data.embeddings import Embedder  # noqa: PLC0415
    from servicebench_data.industries import load_industries  # noqa: PLC0415
    from servicebench_data.journeys.heads import warm_up  # noqa: PLC0415

    settings = resolve(home)
    cache = Lake(settings.home).cache
    with show.count_progress("embedding the product's own texts", out) as progress:
        warm_up(load_industries(), Embedder(settings.embedding_model, cache / "embeddings", progress), cache)


@app.command()
def status(home: Home = None) -> None:
    """Show the last build, what each step made, and the last runs."""
    show.print_status(resolve(home).home, out)


@app.command()
def doctor(home: Home = None) -> None:
    """Check the machine, the installation and the home; says what to mend."""
    if not show.print_diagnosis(resolve(home), out):
        raise typer.Exit(1)


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="SQL for the published file, which is opened read-only.")],
    home: Home = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV in place of a table.")] = False,
) -> None:
    """Query the published DuckDB file."""
    show.print_query(resolve(home).home, query, out, as_csv=csv)


@app.command()
def diff(
    before: Annotated[str, typer.Argument(help="Id of a build, the beginning of it, or `previous`.")] = "previous",
    after: Annotated[str, typer.Argument(help="Id of a build, the beginning of it, or `current`.")] = "current",
    home: Home = None,
) -> None:
    """Tell which scenarios were added, removed and changed between two builds."""
    show.print_diff(resolve(home).home, before, after, out)


@app.command()
def forget(
    post: Annotated[list[str] | None, typer.Option(help="Id of a post to forget; repeatable.")] = None,
    author: Annotated[list[str] | None, typer.Option(help="Id or handle of an author to forget; repeatable.")] = None,
    home: Home = None,
) -> None:
    """Leave posts and authors out of every later build; the next one also removes kept builds that hold them."""
    if not post and not author:
        raise UsageError("name at least one --post ID or --author ID.")
    known = add_to_forget_list(Lake(resolve(home).home), post or [], author or [])
    out.print(f"The list has {len(known.post_ids)} posts and {len(known.author_ids)} authors; build again to apply it.")


@app.command()
def schema(table: Annotated[str, typer.Argument(help="Name of a table.")]) -> None:
    """Print the JSON schema of a table's rows."""
    show.print_schema(table, out)


@app.command()
def docs(
    folder: Annotated[Path, typer.Argument(help="Where to write.")] = Path("docs"),
    home: Annotated[
        Path | None, typer.Option("--home", help="Home whose last build is counted; else no counts.")
    ] = None,
) -> None:
    """Write the generated pages: the data dictionary and the journey maps."""
    show.write_pages(folder, home)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def dev(context: typer.Context, home: Home = None) -> None:
    """Start `dagster dev` on the home, with schedule and sensor on; further options go to Dagster."""
    from assets.instance import start_ui  # noqa: PLC0415

    start_ui(resolve(home).home, context.args)


app.command()(review)
app.command()(power)
app.command()(export)
app.command()(report)


def main() -> None:
    """Run the command line; what the user can mend is one line, not a traceback."""
    try:
        app()
    except show.user_errors(MENDABLE) as error:
        err.print("[red]Error:[/red]", end=" ")
        err.print(str(error), markup=False, highlight=False)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
