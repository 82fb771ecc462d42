"""The report as one HTML file.

Belongs here: gathering the figures, rendering, the content security policy. Not here: any figure's content, or how the
page looks and acts (`templates/`).

What came from a model or a customer is untrusted. It reaches the page in three ways, each of which keeps it text: jinja
escapes what it renders, ElementTree what stands in pictures, and transcripts are compressed letters that the viewer's
script puts on the page as text nodes. The policy allows the one style and the one script of the page, by their digests.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, cast

import duckdb
import jinja2
from markupsafe import Markup

from servicebench_data.release.report.charts.canvas import draw_swatch
from servicebench_data.release.report.figure import AbsentError, Figure, Scene, Spec, name_it
from servicebench_data.release.report.figures.justice import show_p
from servicebench_data.release.report.reading import ReportError, ask, list_experiments, open_file, show_query
from servicebench_data.release.report.sections import SECTIONS
from servicebench_data.release.report.summary import describe_trust, list_agents, list_tiles, stamp
from servicebench_data.release.report.transcripts import pack, read_transcripts
from servicebench_data.review.html import digest_source

TEMPLATES = Path(__file__).parent / "templates"
STYLES = ("report.css", "viewer.css")
SCRIPTS = ("report.js", "marks.js", "viewer.js", "talk.js", "start.js")


@cache
def environment() -> jinja2.Environment:
    """Templates that escape what they are given and refuse what they are not."""
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    untyped = cast("Any", found)
    untyped.filters.update(words=name_it, cell=show_cell, code=mark_code)
    untyped.globals.update(draw_mark=draw_swatch, p_value=show_p)
    return found


def write_report(path: Path, experiment: str) -> str:
    """The report on an experiment.

    Args:
        path: The published file; it is opened read-only.
        experiment: Name of the experiment.

    Raises:
        ReportError: The file does not hold it.
    """
    known = list_experiments(path)
    if experiment not in known:
        raise ReportError(f"{str(path)!r} has no experiment {experiment!r}; it holds {', '.join(known)}.")
    with open_file(path, experiment) as connection:
        about = ask(connection, "experiment").rows[0]
        agents = ask(connection, "agents").rows
        scene = Scene(experiment, list_agents(about, agents))
        trust = describe_trust(ask(connection, "labels"), ask(connection, "judge_status"))
        labels = [caution.label for caution in trust.warnings if caution.is_headline]
        figures = {spec.name: draw(connection, spec, scene, labels) for section in SECTIONS for spec in section.figures}
        packed = pack(read_transcripts(connection))
    return render(
        about=about,
        agents=agents,
        scene=scene,
        tiles=list_tiles(about, agents),
        trust=trust,
        sections=SECTIONS,
        figures=figures,
        packed=packed,
    )


def draw(connection: duckdb.DuckDBPyConnection, spec: Spec, scene: Scene, labels: Sequence[str]) -> Figure:
    """A figure, or what is missing for it.

    Args:
        connection: The published file with its experiment.
        spec: The figure.
        scene: The experiment.
        labels: What the headline is marked with.
    """
    answer = ask(connection, spec.name)
    sql = show_query(spec.name, scene.experiment)
    if answer.missing:
        return Figure(spec, sql, answer, None, answer.missing)
    if not answer.rows:
        return Figure(spec, sql, answer, None, spec.absent)
    try:
        stamps = stamp(labels, answer.rows) if spec.is_justice else ()
        return Figure(spec, sql, answer, spec.draw(answer, scene), labels=stamps)
    except AbsentError as error:
        return Figure(spec, sql, answer, None, str(error))


def render(**given: Any) -> str:
    """The page's text, with a policy that allows its own style and script alone."""
    style = join_files(STYLES)
    script = join_files(SCRIPTS)
    policy = (
        f"default-src 'none'; script-src {digest_source(script)}; style-src {digest_source(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    template = environment().get_template("report.html")
    # Files of ours, in which nothing was put in.
    return template.render(style=Markup(style), script=Markup(script), policy=policy, **given)  # noqa: S704


def join_files(names: Sequence[str]) -> str:
    """Files of the templates' folder, one after the other."""
    return "".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def mark_code(text: str) -> Markup:
    """A sentence of ours in which what stands between backticks is code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else part for place, part in enumerate(parts)
    )


def show_cell(value: object) -> str:
    """A value in a table."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}".replace("-", "−") if abs(value) < 1000 else f"{value:,.0f}"
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list):
        return ", ".join(str(entry) for entry in cast("list[object]", value))
    return str(value)
