"""A published file that has something for every question of an analyst: an experiment, its statistics, its pipeline."""

from pathlib import Path

import duckdb
import pytest

from servicebench_data.lake.arrow import from_records
from servicebench_data.measures.facts import FACTS
from servicebench_data.measures.leaderboard import ANSWERS
from servicebench_data.release.publish import VIEWS, insert_rows
from tests.release.report.made import Size, make_file, run_script
from tests.tables import make_tables

PIPELINE = ("dialogues", "journeys", "scenarios")


@pytest.fixture(scope="session")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file; to be read only."""
    path = make_file(tmp_path_factory.mktemp("analysed") / "servicebench.duckdb", Size(scenarios=54, both_ways=True))
    with duckdb.connect(str(path)) as connection:
        for record, rows in make_tables().items():
            if record.table.is_published and record.table.group in PIPELINE:
                insert_rows(connection, record, from_records(record, rows))
        run_script(connection, "".join(script for script in VIEWS if script not in {FACTS, ANSWERS}))
    return path
