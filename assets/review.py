"""`servicebench review`: the review queue of scenarios, taking in what reviewers decided, and what has been decided.

Belongs here: the command's arguments, gathering what every group lets people decide, and printing. Not here: any rule.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.arguments import Home, find_industry
from schemas.review import Override
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.lake.lock import hold_lock
from servicebench_data.lake.store import Lake, write_atomically
from servicebench_data.review.cells import ReviewError
from servicebench_data.review.forms import Form
from servicebench_data.review.incoming import list_items, read_decisions
from servicebench_data.review.overrides import Merged, merge_overrides, pick_latest, read_overrides
from servicebench_data.review.settling import settle
from servicebench_data.settings import Settings

out = Console()
Forms = Mapping[tuple[str, str], Form]

MEANING = {
    "applied": "holds",
    "kept": "kept as it is",
    "stale": "stale: the item has changed since; look at it again",
    "missing": "not in the last build",
    "refused": "refused: what it names is not there any more, or it merges in a circle",
    "proposal": "a proposal; a category needs an edit of the journey map",
}
KINDS = ("topic", "dialogue", "scenario")
PAGE = "scenarios-{industry}"
RATING_PAGE = "ratings-{experiment}"
#: How many to show where nothing else is asked for: valid scenarios, and conversations that everybody is to rate, some
#: more than the hundred that validate a judge.
SCENARIOS, CONVERSATIONS = 20, 120


def review(
    *,
    apply: Annotated[
        list[Path] | None, typer.Option(help="File of decisions or ratings, as a page exports it; repeatable.")
    ] = None,
    industry: Annotated[
        str | None, typer.Option(help="Write the page and the CSV of this industry's review queue of scenarios.")
    ] = None,
    experiment: Annotated[
        str | None, typer.Option(help="Write the page on which a person rates this experiment's conversations.")
    ] = None,
    rater: Annotated[str, typer.Option(help="Who is to rate; what this person has rated is left out.")] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="How many failed scenarios to show, or the most conversations of a page.")
    ] = 200,
    sample: Annotated[
        int | None,
        typer.Option(
            min=0, help="How many valid scenarios to show [default: 20], or conversations to be rated [default: 120]."
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the page and the CSV; default `review` in the home.")
    ] = None,
    home: Home = None,
) -> None:
    """Show what people decided; or write a page of scenarios or conversations; or take in decisions or ratings.

    Decisions apply at the next build, ratings when the experiment is run again. Topics and codings have a page of
    their own: `servicebench journeys review`.
    """
    if sum(map(bool, (apply, industry, experiment))) > 1:
        raise ReviewError(["--apply takes in files, --industry and --experiment write a page; give one of them."])
    settings = Settings.load(home=home)
    lake = Lake(settings.home)
    if industry:
        size = (limit, SCENARIOS if sample is None else sample, settings.seed)
        write_queue(lake, find_industry(industry), folder or lake.reviews, size)
    elif experiment:
        size = (limit, CONVERSATIONS if sample is None else sample, settings.seed)
        write_ratings(lake, (experiment, rater), folder or lake.reviews, size)
    elif apply:
        take_in(lake, apply)
    else:
        print_decisions(lake, out)


def write_queue(lake: Lake, industry: str, folder: Path, size: tuple[int, int, int]) -> None:
    """Write page and CSV of an industry's queue.

    Args:
        lake: The home's lake.
        industry: The industry.
        folder: Where to write.
        size: How many failed and how many valid scenarios, and the seed.
    """
    from servicebench_data.review.page import write_page  # noqa: PLC0415
    from servicebench_data.review.sheets import write_sheet  # noqa: PLC0415
    from servicebench_data.scenarios.reviewing import choose_queue, make_sheet  # noqa: PLC0415

    limit, sample, seed = size
    queue = choose_queue(lake, industry, limit=limit, sample=sample, seed=seed)
    sheet = make_sheet(lake, load_industry(industry), queue)
    page, table = (folder / f"{PAGE.format(industry=industry)}{suffix}" for suffix in (".html", ".csv"))
    write_atomically(page, write_page(sheet))
    write_atomically(table, write_sheet(sheet))
    say(out, f"{sheet.title}.")
    if queue.left_out:
        say(out, f"{queue.left_out.total()} failed scenarios left out; --limit shows more.")
    say(out, f"Open {page} in a browser, or fill in {table};")
    say(out, "then: servicebench review --apply FILE")


def write_ratings(lake: Lake, who: tuple[str, str], folder: Path, size: tuple[int, int, int]) -> None:
    """Write the page on which a person rates an experiment's conversations.

    Args:
        lake: The home's lake.
        who: The experiment and the rater, who may be unknown.
        folder: Where to write.
        size: The most conversations of the page, how many everybody is to rate, and the seed.
    """
    from servicebench_data.judging.ratings.page import Draw, assign, read_cases, write_rating_page  # noqa: PLC0415

    (experiment, rater), (limit, sample, seed) = who, size
    assignment = assign(lake, experiment, read_cases(lake, experiment), rater, Draw(sample, limit, seed))
    suffix = f"-{re.sub(r'[^a-zA-Z0-9_-]+', '-', rater)}" if rater else ""
    page = folder / f"{RATING_PAGE.format(experiment=experiment)}{suffix}.html"
    write_atomically(page, write_rating_page(assignment))
    say(out, f"{len(assignment.cases)} conversations to rate, {assignment.done} rated already by {rater or 'nobody'}.")
    say(out, f"Open {page} in a browser, rate, export the CSV;")
    say(out, "then: servicebench review --apply FILE")


def take_in(lake: Lake, paths: Sequence[Path]) -> None:
    """Merge files of decisions or of ratings, or refuse all of them."""
    from servicebench_data.judging.ratings.incoming import is_rating_file  # noqa: PLC0415

    missing = next((path for path in paths if not path.is_file()), None)
    if missing:
        raise ReviewError([f"{str(missing)!r} does not exist; give the file that the review page exported."])
    rated = [path for path in paths if is_rating_file(path)]
    if rated and len(rated) < len(paths):
        raise ReviewError([f"{str(rated[0])!r} holds ratings, and another file decisions; apply them one by one."])
    if rated:
        take_in_scores(lake, rated)
        return
    forms = gather_forms(lake, {item for path in paths for item in list_items(path)})
    now = datetime.now(UTC)
    decisions = [entry for path in paths for entry in read_decisions(path, forms, now)]
    with hold_lock(lake.home):
        merged = merge_overrides(lake.overrides, decisions)
    print_merged(merged, gather_forms(lake, {entry.item_id for entry in merged.added}), out)


def take_in_scores(lake: Lake, paths: Sequence[Path]) -> None:
    """Merge files of ratings, or refuse all of them."""
    from servicebench_data.judging.ratings.taking import take_in_ratings  # noqa: PLC0415

    taken = take_in_ratings(lake, paths, datetime.now(UTC))
    merged = taken.merged
    say(out, f"{len(merged.added)} scores taken in, {merged.known} were known already.")
    if merged.changed:
        say(out, f"{merged.changed} of them differ from what the same person gave before; the later one counts.")
    if taken.stale:
        say(out, f"{taken.stale} are recorded and stay out of measures: the transcript has another text now.")
    names = ", ".join(sorted({entry.experiment_id for entry in merged.added}))
    say(out, f"They enter the measures when the experiment is run again: {names}" if names else "Nothing has changed.")


def gather_forms(lake: Lake, items: Collection[str]) -> Forms:
    """Everything that can be decided about the last build, by kind and industry.

    Args:
        lake: The home's lake.
        items: Items that matter; of scenarios, which are many, no others are read.
    """
    from servicebench_data.journeys.reviewing import read_forms  # noqa: PLC0415  (numbers that `--help` need not pay)
    from servicebench_data.scenarios.reviewing import read_form  # noqa: PLC0415

    industries = [load_industry(name) for name in list_industries()]
    return {
        (form.kind, industry.id): form
        for industry in industries
        for form in (*read_forms(lake, industry), read_form(lake, industry, items))
    }


def print_merged(merged: Merged, forms: Forms, out: Console) -> None:
    """What was added, what it replaces, and what will not apply."""
    for pair in merged.replaced:
        say(out, f"{name(pair.counts)}: {describe(pair.counts)} counts; the earlier {describe(pair.other)} does not.")
    passed = [pair.other for pair in merged.replaced]
    for entry in (entry for entry in merged.added if entry not in passed):
        outcome = find_state(entry, forms)
        if outcome in {"stale", "missing", "refused"}:
            effect = "stays out" if outcome == "stale" and entry.action == "take_out" else "does not apply"
            say(out, f"{name(entry)}: {describe(entry)} is recorded and {effect}: {MEANING[outcome]}.")
        elif outcome == "proposal":
            say(out, f"{name(entry)}: proposal {entry.value!r} recorded; a category needs an edit of the journey map.")
    say(out, f"{len(merged.added)} decisions taken in, {merged.known} were known already.")
    say(out, "They apply at the next build: servicebench build" if merged.added else "Nothing has changed.")


def print_decisions(lake: Lake, out: Console) -> None:
    """The decisions that count, with their state."""
    print_ratings(lake, out)
    latest = [entry for kind in KINDS for entry in pick_latest(read_overrides(lake.overrides, kind)).values()]
    if not latest:
        out.print("Nobody has decided anything yet; write a page with `servicebench review --industry NAME`")
        out.print("for scenarios, or with `servicebench journeys review --industry NAME` for topics and codings.")
        return
    forms = gather_forms(lake, {entry.item_id for entry in latest})
    table = Table("industry", "kind", "item", "decision", "author", "reason", "decided at", "state")
    for entry in sorted(latest, key=lambda row: (row.industry, row.kind, row.target)):
        at = entry.decided_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
        cells = [entry.industry, entry.kind, entry.target, describe_action(entry), entry.author, entry.reason, at]
        table.add_row(*map(Text, [*cells, describe_state(entry, forms)]))
    out.print(table)


def print_ratings(lake: Lake, out: Console) -> None:
    """How much people rated, by experiment."""
    from servicebench_data.judging.ratings.store import count_ratings  # noqa: PLC0415

    for name, counts in count_ratings(lake).items():
        say(
            out,
            f"Experiment {name}: {counts.raters} people rated {counts.conversations} conversations, "
            f"{counts.by_three} of them by three or more; 100 validate a judge.",
        )


def describe_state(override: Override, forms: Forms) -> str:
    """Whether a decision holds, and what else the last build made of it."""
    form = forms.get((override.kind, override.industry))
    note = form.notes.get(override.target) if form else None
    return "; ".join([MEANING[find_state(override, forms)], *([note] if note else [])])


def find_state(override: Override, forms: Forms) -> str:
    """Whether a decision that counts holds for the last build."""
    form = forms.get((override.kind, override.industry))
    return (form and form.outcomes.get(override.target)) or settle(override, form.digests if form else {})


def name(override: Override) -> str:
    """The item or cell that a decision is about."""
    return f"{override.kind} {override.target}"


def describe_action(override: Override) -> str:
    """What was decided."""
    return f"{override.action} {override.value}".strip()


def describe(override: Override) -> str:
    """What was decided, by whom and when."""
    at = override.decided_at.astimezone(UTC)
    return f"{describe_action(override)} by {override.author} ({at:%Y-%m-%d %H:%M} UTC)"


def say(out: Console, line: str) -> None:
    """A line with texts from outside, without markup."""
    out.print(line, markup=False, highlight=False, soft_wrap=True)
