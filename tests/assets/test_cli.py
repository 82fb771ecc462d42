"""The command line: what it prints, and how it refuses."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from assets.console import print_plan, print_summary
from servicebench_data.industries import list_industries
from servicebench_data.lake.lock import hold_lock
from servicebench_data.lake.sample import ROOT
from servicebench_data.lake.sources import list_sources
from servicebench_data.lake.store import Lake
from servicebench_data.scenarios.writing.plan import PlanRow
from tests.assets.experiments import write_experiment
from tests.dialogues.helpers import make_row, write_csv


def call(*arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SERVICEBENCH_")}
    environment |= {"SERVICEBENCH_HOME": str(home), "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "assets.cli", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )


def test_sql_prints_rows_of_the_published_file(built: Path) -> None:
    done = call("sql", "--csv", "SELECT count(*) AS n FROM release.build", home=built)
    assert done.stdout == "n\n1\n"


def test_sql_cannot_write(built: Path) -> None:
    done = call("sql", "DELETE FROM release.build", home=built)
    assert done.returncode == 2
    assert "read-only" in done.stderr


def test_status_and_doctor_answer(built: Path) -> None:
    status = call("status", home=built).stdout
    assert "offline" in status
    (run,) = [line for line in status.splitlines() if "scenario_build" in line]
    assert [cell.strip() for cell in run.split("│")][2:5] == [
        "scenario_build", f"{list_industries()[0]} to {list_industries()[-1]}", "success",
    ]  # fmt: skip
    diagnosis = call("doctor", home=built)
    assert diagnosis.returncode == 0, diagnosis.stdout
    assert "37 stages, 184 categories" in diagnosis.stdout


def test_diff_of_a_build_with_itself_is_empty(built: Path) -> None:
    assert "0 added, 0 removed, 0 changed" in call("diff", "current", "current", home=built).stdout


def test_an_experiment_of_the_same_name_from_elsewhere_is_not_run(played: Path, tmp_path: Path) -> None:
    done = call("run", str(write_experiment(tmp_path, title="Another one.")), home=played)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "another 'small.yaml'" in done.stderr
    assert "--replace" in done.stderr


def test_schema_is_json_schema() -> None:
    assert json.loads(call("schema", "event", home=ROOT).stdout)["title"] == "Event"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build"], ["--posts", "--sample"]),
        (["build", "--posts", "no-such.csv"], ["no-such.csv", "does not exist"]),
        (["build", "--posts", "."], ["folder"]),
        (["build", "--sample", "--posts", "README.md"], ["never pooled"]),
        (["build", "--sample", "--industry", "airlines"], ["airlines", "airline"]),
        (["build", "--sample", "--set", "sede=1"], ["sede", "seed"]),
        (["build", "--sample", "--set", "stale_rate=2"], ["stale_rate"]),
        (["build", "--sample", "--plan"], ["--plan", "--model NAME"]),
        (["build", "--sample", "--model", "openai/"], ["'openai/'", "PROVIDER/NAME"]),
        (["build", "--sample", "--model", "openai/x", "--set", "model_tasks=draw=y"], ["'draw'", "events"]),
        (["sql", "SELECT 1"], ["does not exist yet"]),
        (["diff", "nothing"], ["nothing"]),
        (["schema", "nothing"], ["nothing"]),
    ],
)
def test_bad_input_gets_one_line_that_names_it(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    done = call(*arguments, home=tmp_path / "home")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in " ".join(done.stderr.split())


def test_a_file_that_cannot_be_read_is_refused_and_stands_in_no_later_builds_way(tmp_path: Path) -> None:
    notes = tmp_path / "notes.csv"
    notes.write_text("a,b\n1,2\n")
    good = [make_row(1, "501", "my bag"), ("2", "AcmeHelp", "False", "", "Sorry!", "", "1")]
    write_csv(tmp_path / "good.csv", good)
    first = call("build", "--posts", str(notes), home=tmp_path / "home")
    second = call("build", "--posts", str(tmp_path / "good.csv"), "--posts", str(notes), home=tmp_path / "home")
    for refused in (first, second):
        assert refused.returncode == 2
        assert f"{str(notes)!r} lacks the columns" in " ".join(refused.stderr.split())
    assert list_sources(Lake(tmp_path / "home")) == []
    third = call("build", "--posts", str(tmp_path / "good.csv"), home=tmp_path / "home")
    assert "notes.csv" not in third.stdout + third.stderr
    assert third.stdout.count("no post is by a configured account") == 1
    assert "'AcmeHelp' (1)" in third.stdout
    assert "failure" in call("status", home=tmp_path / "home").stdout


def test_a_second_build_says_that_one_runs(tmp_path: Path) -> None:
    with hold_lock(tmp_path):
        done = call("build", "--sample", home=tmp_path)
    assert done.returncode == 1
    assert f"another build runs in {str(tmp_path)!r} (process {os.getpid()}); wait for it or end it" in done.stdout


def print_next(home: Path, started: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The commands that are printed after a build, by how it was started."""
    monkeypatch.setattr(sys, "argv", [started])
    console = Console(file=io.StringIO(), width=80)
    print_summary(home, console)
    assert isinstance(console.file, io.StringIO)
    return [line.strip() for line in console.file.getvalue().partition("Next:\n")[2].splitlines()]


def test_the_commands_printed_after_a_build_work_as_they_stand(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    query = print_next(built, "/any/where/cli.py", monkeypatch)[0]
    done = subprocess.run(["bash", "-c", query], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "5 rows" in done.stdout


def test_commands_are_printed_as_the_build_was_started(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "my venv" / "bin" / "servicebench"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    for path, folder, command in (
        ("/nowhere", tmp_path, "'my venv/bin/servicebench'"),
        ("/nowhere", built, f"'{program}'"),
        ("/nowhere", program.parent, "./servicebench"),
        (str(program.parent), tmp_path, "servicebench"),
    ):
        monkeypatch.setenv("PATH", path)
        monkeypatch.chdir(folder)
        monkeypatch.delenv("SERVICEBENCH_HOME", raising=False)
        lines = print_next(built, str(program), monkeypatch)
        assert len(lines) == 3
        assert all(line.startswith(f"{command} ") and f" --home {built}" in line for line in lines), lines
        monkeypatch.setenv("SERVICEBENCH_HOME", str(built))
        assert not any("--home" in line for line in print_next(built, str(program), monkeypatch))


def test_the_ui_starts_where_the_environment_is_not_activated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    done = call("dev", "--no-such-option", home=tmp_path)
    assert "dagster dev" in done.stderr, done.stderr
    assert "--no-such-option" in done.stderr


def test_a_plan_tells_tasks_calls_what_is_known_and_cost_and_an_unknown_price_is_not_nothing() -> None:
    console = Console(file=io.StringIO(), width=200)
    row = PlanRow("events", "openai/big", 9, 0, 7, 2, 1000, 500, 0.5)
    print_plan([row, row._replace(task="severity", estimated=3, calls=4, cost_usd=None)], console)
    print_plan([row], console)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    line = next(line for line in text.splitlines() if "severity" in line)
    assert [cell.strip() for cell in line.split("│")][1:-1] == [
        "severity", "openai/big", "9", "3", "4", "2", "1000", "500", "unknown",
    ]  # fmt: skip
    assert "11 calls to make, 4 in the ledger; cost: unknown." in text
    assert "7 calls to make, 2 in the ledger; cost: USD 0.50." in text
    assert "No model was asked." in text
