"""What the command line prints.

Belongs here: tables and sentences for a person. Not here: arguments, or running anything.

Everything that comes from a published file is untrusted text: it is printed without markup.
"""

import csv
import platform
import shlex
import shutil
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from schemas.simulation import Conversation
from servicebench_data.industries import IndustryError, list_industries, load_industry
from servicebench_data.lake.database import fetch_table
from servicebench_data.lake.lock import BuildRunningError, is_locked
from servicebench_data.lake.sources import list_sources
from servicebench_data.lake.store import Lake, LakeError
from servicebench_data.release.diff import UnknownBuildError, compare_builds, find_build
from servicebench_data.release.publish import FILE_NAME, list_builds
from servicebench_data.release.steps import find_left_out
from servicebench_data.review.cells import ReviewError
from servicebench_data.settings import Settings
from servicebench_data.simulation.outcomes import SHORTFALL, count_ends

if TYPE_CHECKING:
    from servicebench_data.scenarios.writing.plan import PlanRow

FREE_GB = 2
DIVERSITY = (
    "SELECT title, round(value, 2) AS value, bound FROM scenarios.scenario_diversity "
    "WHERE industry = 'all' ORDER BY ALL"
)
ALIKE = (
    "SELECT industry, category_id AS category, scenario_count AS scenarios, title, round(value, 2) AS value, bound, "
    "detail FROM scenarios.scenario_diversity WHERE is_flagged ORDER BY ALL"
)
NEXT = (
    'sql "FROM release.scenario_card LIMIT 5"{home}',
    "dev{home}  # the lineage, every step, schedule and sensor, in a browser",
    "build --posts FILE.csv{home}",
)


def user_errors(more: tuple[type[Exception], ...]) -> tuple[type[Exception], ...]:
    """Errors that a user can mend."""
    known = (
        IndustryError,
        LakeError,
        BuildRunningError,
        UnknownBuildError,
        ReviewError,
        FileNotFoundError,
        duckdb.Error,
    )
    return (*more, *known)


@contextmanager
def count_progress(what: str, out: Console) -> Generator[Callable[[int, int], None]]:
    """A progress bar, moved by a callback with what is done and all of it."""
    with Progress(console=out, transient=True) as progress:
        task = progress.add_task(what)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def open_published(home: Path) -> duckdb.DuckDBPyConnection:
    """The published file, read-only.

    Raises:
        LakeError: Nothing has been published.
    """
    path = home / FILE_NAME
    if not path.exists():
        raise LakeError(f"{str(path)!r} does not exist yet; run `servicebench build --sample` or `--posts FILE` first.")
    return duckdb.connect(str(path), read_only=True)


def print_summary(home: Path, out: Console) -> None:
    """Where the file is, what it holds, and what a person would want next."""
    with open_published(home) as connection:
        row = connection.execute(
            "SELECT count(*), count(DISTINCT (industry, category_id)), count(DISTINCT industry), "
            "(SELECT made_by FROM release.build) FROM scenarios.scenario"
        ).fetchone()
    scenarios, categories, industries, made_by = row or (0, 0, 0, "")
    out.print(f"\nPublished [bold]{home / FILE_NAME}[/bold]", soft_wrap=True)
    out.print(f"{scenarios} scenarios of {categories} categories in {industries} industries, made by: {made_by}\n")
    if left_out := find_left_out(Lake(home)):
        out.print(
            f"Left out: {', '.join(left_out)}. What they are made of is missing or out of date; "
            "build without --industry to have them in.\n",
            soft_wrap=True,
        )
    out.print("Next:")
    command, option = name_command(), name_home(home)
    for line in NEXT:
        out.print(f"  {command} {line.format(home=option)}", markup=False, highlight=False, soft_wrap=True)


def name_command() -> str:
    """How this command line was started, so that what is printed can be typed as it stands."""
    started = Path(sys.argv[0]).absolute()
    if started.suffix == ".py":
        return f"{shlex.quote(sys.executable)} -m assets.cli"
    if (found := shutil.which(started.name)) and Path(found) == started:
        return started.name
    if started.parent == Path.cwd():
        return f"./{shlex.quote(started.name)}"
    near = started.relative_to(Path.cwd()) if started.is_relative_to(Path.cwd()) else started
    return shlex.quote(str(near))


def name_home(home: Path) -> str:
    """The option that names the home, where it is not the default."""
    return "" if home == Settings.load().home else f" --home {shlex.quote(str(home))}"


def print_experiment(home: Path, name: str, out: Console) -> None:
    """How an experiment's conversations ended, agent by agent, and what it asks for that is not there."""
    with open_published(home) as connection:
        query = "FROM simulation.conversation WHERE experiment_id = $name"
        ends = count_ends(fetch_table(connection, query, {"name": name}))
    heads = ("agent", "held", "agreed", "left", "capped", "failed", "invalid", "turns")
    print_table(out, heads, [list(row.values())[: len(heads)] for row in ends], f"Experiment {name}")
    missing = Lake(home).get(Conversation, name).pointer.counts.get(SHORTFALL)
    if missing:
        out.print(f"Not all that it asks for is there: {missing}.", markup=False, highlight=False, soft_wrap=True)


def print_status(home: Path, out: Console) -> None:
    """The last runs, the last build, its funnel, how varied its scenarios are, and whether a build runs."""
    out.print(f"Home {home}: {'a build is running' if is_locked(home) else 'no build is running'}", soft_wrap=True)
    out.print(f"Registered posts: {len(list_sources(Lake(home)))} files; builds kept: {len(list_builds(home))}")
    from assets.instance import list_runs  # noqa: PLC0415  (Dagster takes a second that `--help` need not pay)

    names = ["run", "job", "over", "status", "started (UTC)", "minutes"]
    print_table(out, names, list_runs(home), "Last runs")
    with open_published(home) as connection:
        for title, query in (
            ("Build", "SELECT build_id, built_at, source, made_by, product_version FROM release.build"),
            ("Steps", "SELECT step, industry, outcome, row_count, round(share, 3) AS share FROM release.funnel"),
            ("Diversity of all scenarios", DIVERSITY),
            ("Too alike", ALIKE),
        ):
            result = connection.execute(query)
            print_table(out, [column[0] for column in result.description], result.fetchall(), title)


def print_plan(rows: "Sequence[PlanRow]", out: Console) -> None:
    """What the model's work would take, task by task, and how sure that is."""
    names = ["task", "model", "items", "est.", "calls", "known", "tokens in", "out", "USD"]
    costs = ["unknown" if row.cost_usd is None else f"{row.cost_usd:.2f}" for row in rows]
    print_table(out, names, [[*row[:-1], cost] for row, cost in zip(rows, costs, strict=True)], "Plan")
    calls, total = sum(row.calls for row in rows), sum(row.cost_usd or 0 for row in rows)
    known = "unknown" if any(row.cost_usd is None and row.calls for row in rows) else f"USD {total:.2f}"
    out.print(f"{calls} calls to make, {sum(row.cached for row in rows)} in the ledger; cost: {known}.")
    if any(row.estimated for row in rows):
        out.print(
            "Estimated items (est.) lean on answers that are not there yet: the offline rules' parts stand in for "
            "them, and each counts as passing the tasks before."
        )
    out.print("One try for each call is counted; a refused answer is asked for again. No model was asked.")


def print_query(home: Path, query: str, out: Console, *, as_csv: bool) -> None:
    """The rows of a query."""
    with open_published(home) as connection:
        result = connection.execute(query)
        names = [column[0] for column in result.description or []]
        rows = result.fetchall()
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([names, *rows])
        return
    print_table(out, names, rows)
    out.print(f"{len(rows)} rows")


def print_table(out: Console, names: Sequence[str], rows: Sequence[Sequence[object]], title: str | None = None) -> None:
    """Rows as a table; cells are plain text."""
    table = Table(title=title, title_justify="left")
    for name in names:
        table.add_column(Text(name))
    for row in rows:
        table.add_row(*(Text("" if value is None else str(value)) for value in row))
    out.print(table)


def print_diff(home: Path, before: str, after: str, out: Console) -> None:
    """Scenarios that differ between two builds."""
    changes = compare_builds(find_build(home, before), find_build(home, after))
    print_table(out, ["scenario", "industry", "change", "what"], changes)
    counts = {kind: sum(change.change == kind for change in changes) for kind in ("added", "removed", "changed")}
    out.print(", ".join(f"{count} {kind}" for kind, count in counts.items()))


def print_schema(table: str, out: Console) -> None:
    """JSON schema of a table's rows.

    Raises:
        LakeError: There is no such table.
    """
    from servicebench_data.lake.dictionary import json_schema  # noqa: PLC0415
    from servicebench_data.lake.tables import record_of  # noqa: PLC0415

    try:
        record = record_of(table)
    except KeyError as error:
        raise LakeError(str(error.args[0])) from error
    out.print_json(data=json_schema(record))


def write_pages(folder: Path, home: Path | None) -> None:
    """The generated pages: the data dictionary, and a page of each journey map with counts where a home is given."""
    from servicebench_data.journeys.pages import read_counts, write_journey  # noqa: PLC0415
    from servicebench_data.lake.dictionary import write_dictionary  # noqa: PLC0415
    from servicebench_data.lake.store import write_atomically  # noqa: PLC0415

    write_atomically(folder / "data-dictionary.md", write_dictionary())
    if home is not None:
        open_published(home).close()
    for name in list_industries():
        counts = None if home is None else read_counts(home / FILE_NAME, name)
        write_atomically(folder / "journeys" / f"{name}.md", write_journey(load_industry(name), counts))


def print_diagnosis(settings: Settings, out: Console) -> bool:
    """Each check with its verdict and remedy; returns whether all passed."""
    checks: list[tuple[str, Callable[[Settings], str]]] = [
        ("Python", check_python),
        ("disk", check_disk),
        ("industries", check_industries),
        ("embedding model", check_embedding),
        ("published file", check_published),
        ("build lock", check_lock),
    ]
    passed = True
    for name, check in checks:
        try:
            verdict, mark = check(settings), "[green]ok[/green]  "
        except (OSError, ValueError, RuntimeError, duckdb.Error) as error:
            verdict, mark, passed = str(error), "[red]mend[/red]", False
        out.print(f"{mark} {name}:", end=" ")
        out.print(verdict, markup=False, highlight=False)
    return passed


def check_python(settings: Settings) -> str:  # noqa: ARG001
    """Version of Python."""
    return platform.python_version()


def check_disk(settings: Settings) -> str:
    """Free space where the home is, and whether it can be written."""
    settings.home.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(settings.home).free / 2**30
    if free < FREE_GB:
        raise ValueError(f"{free:.1f} GiB free at {settings.home}; free at least {FREE_GB} GiB or set another --home.")
    probe = settings.home / ".probe"
    probe.write_text("")
    probe.unlink()
    return f"{free:.0f} GiB free at {settings.home}"


def check_industries(settings: Settings) -> str:  # noqa: ARG001
    """Whether every industry folder can be used."""
    industries = [load_industry(name) for name in list_industries()]
    stages = sum(len(industry.journey.stages) for industry in industries)
    categories = sum(len(industry.journey.categories) for industry in industries)
    return f"{len(industries)} industries, {stages} stages, {categories} categories"


def check_embedding(settings: Settings) -> str:
    """Whether the embedding model is there with the right weights."""
    from servicebench_data.embeddings import describe_calibration, find_model  # noqa: PLC0415

    model = find_model(settings.embedding_model)
    next(iter(model.encode(["does it answer?"])))
    return "; ".join(filter(None, [model.key, describe_calibration(settings.embedding_model)]))


def check_published(settings: Settings) -> str:
    """Whether the published file opens."""
    path = settings.home / FILE_NAME
    if not path.exists():
        return "none yet; run `servicebench build --sample`"
    with open_published(settings.home) as connection:
        row = connection.execute("SELECT build_id FROM release.build").fetchone()
    return f"build {row[0]}" if row else "no build in it"


def check_lock(settings: Settings) -> str:
    """Whether a build runs."""
    return "a build is running" if is_locked(settings.home) else "free"
