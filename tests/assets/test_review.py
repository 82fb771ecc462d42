"""The experts' loop from the command line: a page from a build, decisions taken in, the next build follows them."""

import csv
import io
from pathlib import Path

import dagster as dg
import duckdb
import pytest
from rich.console import Console
from typer.testing import CliRunner

from assets import review
from assets.cli import app
from assets.console import user_errors
from assets.instance import open_instance
from assets.runner import run_build
from schemas.review import Override
from servicebench_data.industries import load_industry
from servicebench_data.journeys.reviewing import read_forms
from servicebench_data.lake.store import Lake, digest_file
from servicebench_data.release.publish import FILE_NAME
from servicebench_data.review.overrides import merge_overrides, read_overrides
from servicebench_data.settings import Settings
from tests.assets.test_cli import call
from tests.journeys.stored import rebuild, store
from tests.review.items import NOW

INDUSTRY = "airline"


def run(*arguments: str | Path) -> str:
    """What a command prints, on a wide console; it must succeed."""
    review.out.width = 200
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": "200"})
    assert done.exit_code == 0, (done.output, done.exception)
    return done.output


def fetch(home: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(home / FILE_NAME), read_only=True) as connection:
        return connection.execute(query).fetchall()


def read_sheet(home: Path) -> list[dict[str, str]]:
    """The review's CSV of the industry, by rows."""
    run("journeys", "review", "--industry", INDUSTRY, "--home", home)
    text = (Lake(home).reviews / f"{INDUSTRY}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def fill_in(path: Path, rows: list[dict[str, str]]) -> Path:
    """The CSV as a reviewer hands it back."""
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def decided(copied: Path, tmp_path: Path) -> tuple[Path, dict[str, str], dict[str, str]]:
    """A home in which the largest topic was recoded and a dialogue taken out, and the two rows."""
    rows = read_sheet(copied)
    topic = next(row for row in rows if row["kind"] == "topic")
    inside = {name for (name,) in fetch(
        copied, f"SELECT dialogue_id FROM journeys.topic_member WHERE topic_id = '{topic['item_id']}'"
    )}  # fmt: skip
    dialogue = next(row for row in rows if row["kind"] == "dialogue" and row["item_id"] not in inside)
    given = {"author": "Ann Lee", "reason": "read all ten"}
    topic |= {"action": "recode", "value": "tarmac_holds", **given}
    dialogue |= {"action": "not_a_complaint", **given}
    printed = run("review", "--apply", fill_in(tmp_path / "back.csv", rows), "--home", copied)
    assert "2 decisions taken in" in printed
    return copied, topic, dialogue


def test_a_page_and_a_sheet_are_written_from_the_last_build(copied: Path) -> None:
    rows = read_sheet(copied)
    assert {row["kind"] for row in rows} == {"topic", "dialogue"}
    page = (Lake(copied).reviews / f"{INDUSTRY}.html").read_text(encoding="utf-8")
    assert all(row["item_id"] in page for row in rows)


def test_the_next_build_follows_what_was_decided(
    decided: tuple[Path, dict[str, str], dict[str, str]],
) -> None:
    home, topic, dialogue = decided
    assert run_build(Settings.load({}, home=home, source="sample"), [INDUSTRY], Console(file=io.StringIO()))
    rows = fetch(
        home,
        "SELECT DISTINCT category_id, method FROM journeys.coding JOIN journeys.topic_member USING (dialogue_id) "
        f"WHERE topic_id = '{topic['item_id']}'",
    )
    assert rows == [("tarmac_holds", "override")]
    assert fetch(
        home, f"SELECT unassigned_reason, method FROM journeys.coding WHERE dialogue_id = '{dialogue['item_id']}'"
    ) == [("not_a_complaint", "override")]
    assert fetch(
        home, "SELECT item_id, outcome, author, reason FROM journeys.recoding ORDER BY kind DESC"
    ) == [(row["item_id"], "applied", "Ann Lee", "read all ten") for row in (topic, dialogue)]  # fmt: skip
    assert fetch(
        home,
        "SELECT count(*) FROM scenarios.candidate JOIN journeys.coding USING (dialogue_id) "
        "WHERE method = 'override' AND rejection_reason LIKE 'recoded%'",
    ) == [(0,)]
    with open_instance(home) as instance:
        event = instance.get_latest_materialization_event(dg.AssetKey("coding"))
    assert event is not None
    assert event.asset_materialization is not None
    shown = str(event.asset_materialization.metadata["decisions"].value)
    assert "Ann Lee" in shown
    assert "read all ten" in shown
    assert "holds" in run("review", "--home", home)


def test_what_is_said_of_a_decision_is_what_the_build_makes_of_it(tmp_path: Path) -> None:
    lake = store(tmp_path / "home")
    first, second, gone, new, kept = sorted(read_forms(lake, load_industry(INDUSTRY))[0].digests)[:5]
    rows = read_sheet(lake.home)
    topics = {row["item_id"]: row for row in rows if row["kind"] == "topic"}
    dialogue = next(row for row in rows if row["kind"] == "dialogue")
    given = {"author": "Ann Lee", "reason": "read it"}
    topics[first] |= {"action": "merge", "value": second, **given}
    assert "refused" not in run("review", "--apply", fill_in(tmp_path / "1.csv", rows), "--home", lake.home)
    topics[first] |= dict.fromkeys(("action", "value", "author", "reason"), "")
    topics[second] |= {"action": "merge", "value": first, **given}
    topics[new] |= {"action": "propose", "value": "Lounge Access", **given}
    topics[kept] |= {"action": "keep", **given}
    printed = run("review", "--apply", fill_in(tmp_path / "2.csv", rows), "--home", lake.home)
    assert f"topic {second}: merge {first} by Ann Lee" in printed
    assert "does not apply: refused" in printed
    assert "proposal 'Lounge Access' recorded" in printed

    # The map has lost a category since these were taken in.
    lost = [
        Override.model_validate(
            {**row, "industry": INDUSTRY, "kind": kind, "action": "recode", "value": "gone", **given, "decided_at": NOW}
        )
        for kind, row in (("topic", pick_keys(topics[gone])), ("dialogue", pick_keys(dialogue)))
    ]
    merge_overrides(lake.overrides, lost)
    made = {row["item_id"]: row["outcome"] for row in rebuild(lake).recoding.to_pylist()}
    assert made == {
        first: "refused", second: "refused", gone: "refused", new: "proposal", kept: "kept",
        dialogue["item_id"]: "refused",
    }  # fmt: skip
    forms = review.gather_forms(lake, [])
    decided = [entry for kind in ("topic", "dialogue") for entry in read_overrides(lake.overrides, kind)]
    assert {entry.item_id: review.find_state(entry, forms) for entry in decided} == made
    listed = " ".join(run("review", "--home", lake.home).split())
    assert "holds" not in listed
    assert listed.count("refused:") == 4
    assert "a proposal;" in listed


def pick_keys(row: dict[str, str]) -> dict[str, str]:
    """What a decision on a row's item holds of it."""
    return {name: row[name] for name in ("item_id", "item_sha256")}


def test_a_file_with_one_bad_row_changes_nothing(copied: Path, tmp_path: Path) -> None:
    rows = read_sheet(copied)
    for row in rows[:2]:
        row |= {"action": "keep", "author": "Ann", "reason": "fine"}
    rows[1]["action"] = "recod"
    done = call("review", "--apply", str(fill_in(tmp_path / "bad.csv", rows)), home=copied)
    assert done.returncode == 2
    for word in ("bad.csv", "row 3", "'action'", "'recode'"):
        assert word in done.stderr
    assert read_overrides(Lake(copied).overrides, "topic") == []


def test_agreement_prints_figures_and_writes_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    rows = ["k,ann,tarmac_holds", "k,bo,tarmac_holds"]
    for place in range(6):
        other = "delayed_baggage" if place else "tarmac_holds"
        rows += [f"i{place},ann,tarmac_holds", f"i{place},bo,"]
        rows += [f"j{place},ann,delayed_baggage", f"j{place},bo,{other}"]
    path.write_text("\n".join(["item_id,coder,category_id", *rows]) + "\n", encoding="utf-8")
    printed = run("journeys", "agreement", path, "--differences", tmp_path / "differences.csv")
    for word in ("Cohen's kappa of 2 coders: ann, bo", "all categories", "delayed_baggage", "1 items differ"):
        assert word in printed
    text = (tmp_path / "differences.csv").read_text(encoding="utf-8")
    assert text == "item_id,ann,bo\nj0,delayed_baggage,tarmac_holds\n"


def test_a_map_is_written_that_needs_nothing_else(built: Path, tmp_path: Path) -> None:
    run("journeys", "map", "--industry", INDUSTRY, "--out", tmp_path / "map.html", "--home", built)
    page = (tmp_path / "map.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    ids = fetch(
        built, f"SELECT dialogue_id FROM journeys.coding WHERE industry = '{INDUSTRY}' AND category_id IS NOT NULL"
    )
    assert all(str(name) in page for (name,) in ids)


def test_pages_of_a_home_have_the_counts_of_its_last_build(built: Path, tmp_path: Path) -> None:
    run("docs", tmp_path, "--home", built)
    page = (tmp_path / "journeys" / f"{INDUSTRY}.md").read_text(encoding="utf-8")
    assert "in the last build" in page
    query = f"SELECT * FROM journeys.coding WHERE industry = '{INDUSTRY}' AND category_id IS NOT NULL"
    total = len(fetch(built, query))
    cells = [line.split(" | ")[2] for line in page.splitlines() if line.startswith("| ") and line[2].isdigit()]
    assert sum(map(int, cells)) == total


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["journeys", "review", "--industry", "airlines"], "airlines"),
        (["journeys", "review", "--industry", INDUSTRY], "not in the lake"),
        (["journeys", "agreement", "no-such.csv"], "no-such.csv"),
        (["review", "--apply", "no-such.csv"], "no-such.csv"),
    ],
)
def test_bad_input_gets_one_line_that_names_it(arguments: list[str], word: str, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, arguments, env={"SERVICEBENCH_HOME": str(tmp_path / "home")})
    # What `main` prints as one line.
    assert isinstance(done.exception, user_errors(()))
    assert word in str(done.exception)


def read_queue(home: Path) -> list[dict[str, str]]:
    """The CSV of the industry's review queue of scenarios, by rows."""
    run("review", "--industry", INDUSTRY, "--home", home)
    text = (Lake(home).reviews / f"scenarios-{INDUSTRY}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_scenarios_are_edited_accepted_and_taken_out_at_the_next_build(copied: Path, tmp_path: Path) -> None:
    rows = read_queue(copied)
    edited, wrong, out = [row["item_id"] for row in rows if not row["cell"] and row["badges"] == "valid"][:3]
    recoded = next(row for row in rows if row["cell"].startswith("failure.recoding."))
    given = {"author": "Ann Lee", "reason": "read it all"}
    for row in rows:
        if (row["item_id"], row["cell"]) == (edited, "expectation.explanation"):
            row |= {"action": "edit", "value": "Why nobody told the customer.", **given}
        elif (row["item_id"], row["cell"]) == (wrong, "background.0.text"):
            row |= {"action": "edit", "value": "They owe me $98765.", **given}
        elif (row["item_id"], row["cell"]) == (out, ""):
            row |= {"action": "take_out", **given}
    recoded |= {"action": "accept", **given}
    assert "4 decisions taken in" in run("review", "--apply", fill_in(tmp_path / "back.csv", rows), "--home", copied)
    settings = Settings.load({}, home=copied, source="sample")
    assert run_build(settings, [INDUSTRY], Console(file=io.StringIO()))

    query = "SELECT edited_parts, accepted_failures, expectation FROM scenarios.scenario WHERE scenario_id = "
    ((parts, accepted, text),) = fetch(copied, f"{query}'{edited}'")
    assert (parts, accepted) == (["expectation"], [])
    assert str(text).startswith("Why nobody told the customer.")
    assert [row[0] for row in fetch(copied, f"{query}'{recoded['item_id']}'")] in ([[]], [])
    assert fetch(copied, f"{query}'{wrong}'") == fetch(copied, f"{query}'{out}'") == []
    assert fetch(
        copied, "SELECT item_id, outcome, len(open_failures) > 0 FROM scenarios.scenario_decision ORDER BY item_id"
    ) == sorted([(edited, "applied", False), (wrong, "applied", True), (out, "applied", False),
                 (recoded["item_id"], "applied", False)])  # fmt: skip
    assert fetch(
        copied, "SELECT entered - passed FROM release.gate_pass_rate WHERE gate = 'not_taken_out' AND \"by\" = 'all'"
    ) == [(1,)]
    shown = run("review", "--home", copied)
    assert "the scenario fails" in " ".join(shown.split())

    before = digest_file(copied / FILE_NAME)
    assert run_build(settings, [INDUSTRY], Console(file=io.StringIO()))
    assert digest_file(copied / FILE_NAME) == before
    again = read_queue(copied)
    assert again[0]["item_id"] == wrong
    assert "fails with its edits" in again[0]["badges"]
