"""The page is one file that asks nothing of anyone; every figure says n, shows its SQL, and shows what that gives."""

import base64
import gzip
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicebench_data.release.report.page import SCRIPTS, STYLES, join_files, mark_code, show_cell, write_report
from servicebench_data.release.report.reading import QUERIES, ReportError
from servicebench_data.release.report.sections import SECTIONS
from servicebench_data.release.report.transcripts import pack
from tests.release.report.made import EXPERIMENT, HOSTILE
from tests.release.report.reading import Page, Shown

SPECS = {spec.name: spec for section in SECTIONS for spec in section.figures}
OTHER_QUERIES = {"agents", "experiment", "labels", "judge_status"}
# What the made experiment has nothing for, and so says in words.
ABSENT = {"simulator_faults", "invalid", "category_extremes"}


@pytest.fixture(scope="module")
def shown(page: Path) -> Page:
    return Page(page.read_text(encoding="utf-8"))


def run_sql(published: Path, script: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """What a person gets who copies a figure's SQL."""
    with duckdb.connect(str(published), read_only=True) as connection:
        for statement in script.rstrip().rstrip(";").split(";\n")[:-1]:
            connection.execute(statement).fetchall()
        result = connection.execute(script.rstrip().rstrip(";").split(";\n")[-1])
        return [column[0] for column in result.description or []], result.fetchall()


def test_every_query_is_of_a_figure_and_every_figure_has_one() -> None:
    assert {path.stem for path in QUERIES.glob("*.sql")} == set(SPECS) | OTHER_QUERIES


def test_every_query_says_what_it_asks_in_words() -> None:
    for path in QUERIES.rglob("*.sql"):
        assert path.read_text(encoding="utf-8").startswith("-- "), path


def test_every_figure_stands_on_the_page_in_order(shown: Page) -> None:
    assert list(shown.figures) == list(SPECS)


@pytest.mark.parametrize("name", SPECS)
def test_a_figure_says_n_or_what_is_missing(shown: Page, name: str) -> None:
    figure = shown.figures[name]
    if figure.missing:
        assert name in ABSENT
        assert figure.missing.strip().endswith(".")
    else:
        assert re.search(r"n = \d|\(n\)", figure.sizes), figure.sizes
        assert figure.svg or SPECS[name].layout == "journey"


@pytest.mark.parametrize("name", SPECS)
def test_a_figures_sql_gives_what_it_shows(shown: Page, published: Path, name: str) -> None:
    figure = shown.figures[name]
    columns, rows = run_sql(published, figure.sql)
    cells = [[show_cell(value) for value in row] for row in rows]
    if not rows:
        assert figure.missing
        return
    table = figure.tables[-1]
    assert len(table[0]) == len(columns)
    assert [[cell.strip() for cell in row] for row in table[1:]] == [[cell.strip() for cell in row] for row in cells]
    check_picture(figure, columns, rows)


def check_picture(figure: Shown, columns: list[str], rows: list[tuple[Any, ...]]) -> None:
    """The picture's tooltips hold each mean that the query gave, and all of its agents."""
    if not figure.svg:
        return
    found = [dict(zip(columns, row, strict=True)) for row in rows]
    if "turn" in columns:  # of a curve the words tell the end
        found = list({row["agent"]: row for row in found}.values())
    for row in found:
        if "agent" in row:
            assert row["agent"] in figure.svg
        if row.get("mean") is not None and row.get("measure", "total") == "total":
            text = f"{row['mean']:.2f}"
            assert text.replace("-", "−") in figure.svg or f"{100 * row['mean']:.0f}%" in figure.svg


def test_a_check_of_a_picture_sees_a_wrong_number(shown: Page) -> None:
    figure = shown.figures["leaderboard"]
    with pytest.raises(AssertionError):
        check_picture(figure, ["agent", "mean"], [("fair", 4.4242)])
    with pytest.raises(AssertionError):
        check_picture(figure, ["agent", "mean"], [("nobody", None)])


def test_every_justice_figure_carries_what_its_numbers_are_marked_with(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for name, spec in SPECS.items():
        article = text.split(f'id="fig-{name}"')[1].split("</article>")[0]
        is_marked = '<span class="stamp">judge not validated</span>' in article
        assert is_marked == (spec.is_justice and 'class="absent"' not in article), name


def test_the_page_runs_its_own_script_and_style_alone(shown: Page) -> None:
    policy = (
        next(tag["content"] for name, tag in shown.tags if tag.get("http-equiv") == "Content-Security-Policy") or ""
    )
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for kind, names in (("style", STYLES), ("script", SCRIPTS)):
        assert shown.blocks[kind] == join_files(names)
        digest = base64.b64encode(hashlib.sha256(shown.blocks[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_the_page_names_no_other_place(shown: Page) -> None:
    assert not [
        tag for tag, _ in shown.tags if tag in {"link", "iframe", "object", "embed", "img", "base", "form action"}
    ]
    places = [
        value or ""
        for _, tag in shown.tags
        for name, value in tag.items()
        if name in {"href", "src", "action", "style"}
    ]
    assert places
    assert all(place.startswith("#") for place in places), places
    assert not [name for _, tag in shown.tags for name in tag if name.startswith("on")]


def test_scripts_put_nothing_on_the_page_but_text() -> None:
    script = join_files(SCRIPTS)
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function|fetch\(|XMLHttp", script
    )


def test_hostile_texts_make_no_tag_and_no_attribute(hostile_page: Path, page: Path) -> None:
    hostile, plain = (Page(path.read_text(encoding="utf-8")) for path in (hostile_page, page))
    assert {tag for tag, _ in hostile.tags} <= {tag for tag, _ in plain.tags}
    assert {name for _, tag in hostile.tags for name in tag} <= {name for _, tag in plain.tags for name in tag} | {
        "transform"
    }
    assert [tag for tag, _ in hostile.tags].count("script") == 2
    assert HOSTILE[0] in hostile.figures["leaderboard"].svg


def test_a_check_of_tags_sees_a_text_that_became_one() -> None:
    tags = Page(f"<p>{HOSTILE[2]}</p>").tags
    assert ("onerror", "window.pwned=1") in tags[1][1].items()


@given(
    st.recursive(
        st.text() | st.integers() | st.booleans() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_what_is_packed_comes_out_as_it_went_in(data: Any) -> None:
    packed = pack(data)
    assert re.fullmatch(r"[A-Za-z0-9+/=]+", packed)
    assert json.loads(gzip.decompress(base64.b64decode(packed)).decode("utf-8", "surrogatepass")) == data


def test_the_same_file_gives_the_same_page(page: Path, published: Path) -> None:
    numbers = re.compile(r"svg\d+")
    again = write_report(published, EXPERIMENT)
    assert numbers.sub("svg", again) == numbers.sub("svg", page.read_text(encoding="utf-8"))


def test_an_unknown_experiment_is_named_with_those_there_are(published: Path) -> None:
    with pytest.raises(ReportError, match=r"'no-such'.*holds try"):
        write_report(published, "no-such")


def test_a_file_without_measures_still_gives_a_page_that_says_so(published: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.duckdb"
    bare.write_bytes(published.read_bytes())
    with duckdb.connect(str(bare)) as connection:
        connection.execute("DROP SCHEMA measures CASCADE")
    found = Page(write_report(bare, EXPERIMENT))
    assert "does not hold" in found.figures["leaderboard"].missing
    assert "agent_measure" in found.figures["leaderboard"].missing
    assert not [figure.name for figure in found.figures.values() if not figure.missing]


def test_code_in_a_sentence_is_code_and_markup_is_text() -> None:
    assert mark_code("say `a < b` <now>") == "say <code>a &lt; b</code> &lt;now&gt;"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (True, "yes"),
        (0.12346, "0.1235"),
        (-2.5, "−2.5"),
        (1234567.8, "1,234,568"),
        (3, "3"),
        (["a", "b"], "a, b"),
    ],
)
def test_cells_show_values_short(value: object, text: str) -> None:
    assert show_cell(value) == text
