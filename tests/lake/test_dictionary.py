"""The generated page is what the records say, and it is up to date."""

from servicebench_data.lake.dictionary import write_dictionary
from servicebench_data.lake.tables import RECORDS
from tests.conftest import ROOT


def test_the_page_is_up_to_date() -> None:
    page = ROOT / "docs" / "data-dictionary.md"
    assert page.read_text(encoding="utf-8") == write_dictionary(), "run `make docs`"


def test_the_page_has_every_table_and_column() -> None:
    sections = write_dictionary().split("\n## ")[1:]
    assert len(sections) == len(RECORDS)
    for record, section in zip(RECORDS, sections, strict=True):
        assert record.table.name in section.splitlines()[0]
        rows = [line for line in section.splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == list(record.model_fields)
        assert all(row.replace("\\|", "").count("|") == 4 for row in rows)
