"""`servicebench review`: the review queue of scenarios, taking in what reviewers decided, and what has been decided.

Belongs here: the command's arguments, gathering what every group lets people decide, and printing. Not here: any rule.
"""

from collections.abc import Collection, Mapping
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
}
KINDS = ("topic", "dialogue", "scenario")
PAGE = "scenarios-{industry}"


def review(
    *,
    apply: Annotated[Path | None, typer.Option(help="File of decisions, as a review page exports it.")] = None,
    industry: Annotated[
        str | None, typer.Option(help="Write the page and the CSV of this industry's review queue of scenarios.")
    ] = None,
    limit: Annotated[int, typer.Option(min=0, help="How many failed scenarios to show.")] = 200,
    sample: Annotated[int, typer.Option(min=0, help="How many valid scenarios to show.")] = 20,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the page and the CSV; default `review` in the home.")
    ] = None,
    home: Home = None,
) -> None:
    """Show what people decided; or write the review queue of an industry's scenarios; or take in a file of decisions.

    Decisions apply at the next build. Topics and codings have a page of their own: `servicebench journeys review`.
    """
    if apply and industry:
        raise ReviewError(["--apply takes in a file of any industry, --industry writes a page; give one of them."])
    settings = Settings.load(home=home)
    lake = Lake(settings.home)
    if industry:
        write_queue(lake, find_industry(industry), folder or lake.reviews, (limit, sample, settings.seed))
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


def take_in(lake: Lake, path: Path) -> None:
    """Merge a file of decisions, or refuse it as a whole."""
    if not path.is_file():
        raise ReviewError([f"{str(path)!r} does not exist; give the file that the review page exported."])
    forms = gather_forms(lake, list_items(path))
    decisions = read_decisions(path, forms, datetime.now(UTC))
    with hold_lock(lake.home):
        merged = merge_overrides(lake.overrides, decisions)
    print_merged(merged, forms, out)


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
    for entry in merged.added:
        outcome = find_state(entry, forms)
        if outcome in {"stale", "missing"}:
            effect = "stays out" if outcome == "stale" and entry.action == "take_out" else "does not apply"
            say(out, f"{name(entry)}: {describe(entry)} is recorded and {effect}: {MEANING[outcome]}.")
        elif entry.action == "propose":
            say(out, f"{name(entry)}: proposal {entry.value!r} recorded; a category needs an edit of the journey map.")
    say(out, f"{len(merged.added)} decisions taken in, {merged.known} were known already.")
    say(out, "They apply at the next build: servicebench build" if merged.added else "Nothing has changed.")


def print_decisions(lake: Lake, out: Console) -> None:
    """The decisions that count, with their state."""
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


def describe_state(override: Override, forms: Forms) -> str:
    """Whether a decision holds, and what else the last build made of it."""
    form = forms.get((override.kind, override.industry))
    note = form.notes.get(override.target) if form else None
    return "; ".join([MEANING[find_state(override, forms)], *([note] if note else [])])


def find_state(override: Override, forms: Forms) -> str:
    """Whether a decision holds for the item as it is in the last build."""
    form = forms.get((override.kind, override.industry))
    return settle(override, form.digests if form else {})


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
