"""`servicebench review`: takes in what reviewers decided, and shows what has been decided.

Belongs here: the command's arguments, gathering what every group lets people decide, and printing. Not here: any rule.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.arguments import Home
from schemas.review import Override
from servicebench_data.industries import list_industries, load_industry
from servicebench_data.lake.lock import hold_lock
from servicebench_data.lake.store import Lake
from servicebench_data.review.cells import ReviewError
from servicebench_data.review.forms import Form
from servicebench_data.review.incoming import read_decisions
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


def review(
    apply: Annotated[Path | None, typer.Option(help="File of decisions, as a review page exports it.")] = None,
    home: Home = None,
) -> None:
    """Show what people decided, or take in a file of decisions; they apply at the next build."""
    lake = Lake(Settings.load(home=home).home)
    forms = gather_forms(lake)
    if apply is None:
        print_decisions(lake, forms, out)
        return
    if not apply.is_file():
        raise ReviewError([f"{str(apply)!r} does not exist; give the file that the review page exported."])
    decisions = read_decisions(apply, forms, datetime.now(UTC))
    with hold_lock(lake.home):
        merged = merge_overrides(lake.overrides, decisions)
    print_merged(merged, forms, out)


def gather_forms(lake: Lake) -> Forms:
    """Everything that can be decided about the last build, by kind and industry."""
    from servicebench_data.journeys.reviewing import read_forms  # noqa: PLC0415  (numbers that `--help` need not pay)

    industries = [load_industry(name) for name in list_industries()]
    return {(form.kind, industry.id): form for industry in industries for form in read_forms(lake, industry)}


def print_merged(merged: Merged, forms: Forms, out: Console) -> None:
    """What was added, what it replaces, and what will not apply."""
    for pair in merged.replaced:
        say(out, f"{name(pair.counts)}: {describe(pair.counts)} counts; the earlier {describe(pair.other)} does not.")
    for entry in merged.added:
        outcome = find_state(entry, forms)
        if outcome in {"stale", "missing"}:
            say(out, f"{name(entry)}: {describe(entry)} is recorded and does not apply: {MEANING[outcome]}.")
        elif entry.action == "propose":
            say(out, f"{name(entry)}: proposal {entry.value!r} recorded; a category needs an edit of the journey map.")
    say(out, f"{len(merged.added)} decisions taken in, {merged.known} were known already.")
    say(out, "They apply at the next build: servicebench build" if merged.added else "Nothing has changed.")


def print_decisions(lake: Lake, forms: Forms, out: Console) -> None:
    """The decisions that count, with their state."""
    kinds = sorted({kind for kind, _ in forms})
    latest = [entry for kind in kinds for entry in pick_latest(read_overrides(lake.overrides, kind)).values()]
    if not latest:
        out.print("Nobody has decided anything yet; write a page with `servicebench journeys review`.")
        return
    table = Table("industry", "kind", "item", "decision", "author", "reason", "decided at", "state")
    for entry in sorted(latest, key=lambda row: (row.industry, row.kind, row.item_id)):
        at = entry.decided_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M")
        cells = [entry.industry, entry.kind, entry.item_id, describe_action(entry), entry.author, entry.reason, at]
        table.add_row(*map(Text, [*cells, MEANING[find_state(entry, forms)]]))
    out.print(table)


def find_state(override: Override, forms: Forms) -> str:
    """Whether a decision holds for the item as it is in the last build."""
    form = forms.get((override.kind, override.industry))
    return settle(override, form.digests if form else {})


def name(override: Override) -> str:
    """The item that a decision is about."""
    return f"{override.kind} {override.item_id}"


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
