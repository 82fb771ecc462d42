"""`servicebench journeys`: review pages, agreement between coders, and the map picture of an industry.

Belongs here: the commands' arguments and what they print. Not here: any figure or page.
"""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assets.arguments import Home, find_industry
from servicebench_data.industries import load_industries, load_industry
from servicebench_data.journeys.agreement import FEWEST_ITEMS, FEWEST_USES, Agreement, Figure, measure_agreement
from servicebench_data.journeys.codings_file import guess_industry, list_codes, read_codings
from servicebench_data.lake.store import Lake, write_atomically
from servicebench_data.review.cells import ReviewError, guard
from servicebench_data.settings import Settings

app = typer.Typer(help="Review topics and codings, measure how coders agree, draw a map.", no_args_is_help=True)
out = Console()

IndustryName = Annotated[str, typer.Option("--industry", help="Industry to show.")]
DIFFERENCES_SHOWN = 20


@app.command()
def review(
    *,
    industry: IndustryName,
    dialogues: Annotated[int, typer.Option(min=0, help="How many of the least certain dialogues to show.")] = 50,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the page and the CSV; default `review` in the home.")
    ] = None,
    home: Home = None,
) -> None:
    """Write the review page of an industry's topics and codings, and the same as CSV."""
    from servicebench_data.journeys.reviewing import make_sheet, read_evidence  # noqa: PLC0415  (numbers)
    from servicebench_data.review.page import write_page  # noqa: PLC0415
    from servicebench_data.review.sheets import write_sheet  # noqa: PLC0415

    known, lake = find_industry(industry), Lake(Settings.load(home=home).home)
    sheet = make_sheet(read_evidence(lake, load_industry(known)), dialogues)
    base = folder or lake.reviews
    write_atomically(base / f"{known}.html", write_page(sheet))
    write_atomically(base / f"{known}.csv", write_sheet(sheet))
    say(f"{sheet.title}.")
    say(f"Open {base / f'{known}.html'} in a browser, or fill in {base / f'{known}.csv'};")
    say("then: servicebench review --apply FILE")


@app.command()
def agreement(
    file: Annotated[Path, typer.Argument(help="CSV with item_id, coder, category_id; empty is missing.")],
    industry: Annotated[str | None, typer.Option(help="Industry of the map; else told by the categories.")] = None,
    differences: Annotated[Path | None, typer.Option(help="Where to write the items that differ, as CSV.")] = None,
) -> None:
    """How well two or more people's codings agree, by stage and category, and where they differ."""
    if not file.is_file():
        raise ReviewError([f"{str(file)!r} does not exist; give a CSV with the columns item_id, coder, category_id."])
    known = load_industry(find_industry(industry)) if industry else guess_industry(file, load_industries())
    codes = list_codes(known)
    try:
        found = measure_agreement(read_codings(file, codes), codes, Settings.load().seed)
    except ValueError as error:
        raise ReviewError([f"{str(file)!r}: {error}"]) from error
    print_agreement(found, out)
    if differences:
        write_atomically(differences, write_differences(found))
        say(f"All {len(found.differences)} differences: {differences}")


@app.command("map")
def draw_map(
    *,
    industry: IndustryName,
    file: Annotated[Path, typer.Option("--out", help="HTML file to write.")],
    home: Home = None,
) -> None:
    """Write an interactive map of an industry's dialogues, coloured by stage; it needs no network."""
    from servicebench_data.journeys.atlas import read_atlas, write_atlas  # noqa: PLC0415  (numbers)
    from servicebench_data.journeys.reviewing import read_texts  # noqa: PLC0415

    settings, known = Settings.load(home=home), find_industry(industry)
    lake = Lake(settings.home)
    atlas = read_atlas(lake, load_industry(known), settings.seed)
    write_atomically(file, write_atlas(atlas, read_texts(lake, known)))
    say(f"{len(atlas.ids)} of {atlas.total} dialogues: {file}")


def print_agreement(found: Agreement, out: Console) -> None:
    """The figures, and where people differ."""
    say(f"{found.measure} of {len(found.coders)} coders: {', '.join(found.coders)}")
    say(
        f"95% intervals are bootstrapped over the items; there is none with fewer than {FEWEST_ITEMS} items that two "
        f"people coded, for what was said of fewer than {FEWEST_USES} of them, or where all resamples agree."
    )
    out.print(tabulate("All", found.overall, ()))
    out.print(tabulate("Each stage against the others", found.stages, found.coders))
    out.print(tabulate("Each category against the others", found.categories, found.coders))
    if found.confusions:
        pairs = Table("category", "and", "times", title="Told apart otherwise, most often first", title_justify="left")
        for first, second, count in found.confusions[:DIFFERENCES_SHOWN]:
            pairs.add_row(Text(first), Text(second), str(count))
        out.print(pairs)
    shown = found.differences[:DIFFERENCES_SHOWN]
    table = Table("item", *found.coders, title=f"{len(found.differences)} items differ", title_justify="left")
    for entry in shown:
        table.add_row(*map(Text, [entry.item_id, *entry.categories]))
    if shown:
        out.print(table)
    if len(found.differences) > len(shown):
        say(f"… and {len(found.differences) - len(shown)} more; write all with --differences FILE.")


def tabulate(title: str, figures: Sequence[Figure], coders: Sequence[str]) -> Table:
    """Figures as a table; a dash where there is no value."""
    table = Table("", "agreement", "95% interval", "items", title=title, title_justify="left")
    for coder in coders:
        table.add_column(Text(coder))
    for entry in figures:
        value = "-" if entry.value is None else f"{entry.value:.3f}"
        interval = "-" if entry.low is None or entry.high is None else f"{entry.low:.3f} to {entry.high:.3f}"
        table.add_row(Text(entry.name), value, interval, str(entry.items), *map(str, entry.uses))
    return table


def write_differences(found: Agreement) -> str:
    """Every item that differs, as CSV text."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["item_id", *map(guard, found.coders)])
    writer.writerows([guard(entry.item_id), *entry.categories] for entry in found.differences)
    return buffer.getvalue()


def say(line: str) -> None:
    """A line without markup."""
    out.print(line, markup=False, highlight=False, soft_wrap=True)
