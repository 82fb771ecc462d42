"""Items with cells: several decisions on one item count, and each row is held against the cell that it names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from schemas.review import Override
from servicebench_data.review.cells import COLUMNS, ReviewError
from servicebench_data.review.forms import Action, Cell, Choice, Form, Sheet
from servicebench_data.review.incoming import read_decisions
from servicebench_data.review.overrides import merge_overrides, read_overrides, select_industry, write_overrides
from servicebench_data.review.page import write_page
from servicebench_data.review.settling import settle
from servicebench_data.review.sheets import write_sheet
from tests.review.items import CHANGED, HOSTILE, NOW, SEEN, decide, make_form, make_item
from tests.review.test_page import Tags

LID = Cell("lid.text", "Lid", "what it says", HOSTILE, SEEN, (Action("edit", "edit", "", "text"),), marks=("script",))
SIZE = Cell("size", "Lid", "size", "3", SEEN, (Action("edit", "edit", "", "number", bounds=(0, 5)),))
KIND = Cell("kind", "Lid", "kind", "flat", SEEN, (Action("edit", "edit", "", "choice", (Choice("round", "Round"),)),))
SEAL = Cell("seal", "Seal", "seal", "as it came")
CELLS = (LID, SIZE, KIND, SEAL)
FORM = Form("pot", "pot", make_form().actions, {"p1": SEEN, "p1/size": SEEN}, {"p1": CELLS})
FORMS = {("pot", "pottery"): FORM}


def make_sheet() -> Sheet:
    return Sheet("Pots", "pottery", "Look.", [FORM], [make_item(cells=CELLS)])


def write(folder: Path, *decisions: Override) -> Path:
    path = folder / "handed-in.csv"
    path.write_text(write_overrides(decisions), encoding="utf-8")
    return path


def on(cell: str, action: str = "edit", value: str = "2", **given: Any) -> Override:
    return decide("p1", action, value, cell=cell, **given)


def test_decisions_on_an_item_and_on_its_cells_all_count(tmp_path: Path) -> None:
    decisions = [decide(), on("size"), on("lid.text", value="none")]
    merged = merge_overrides(tmp_path, decisions)
    assert (len(merged.added), merged.replaced) == (3, [])
    assert set(select_industry(tmp_path, "pot", "pottery")) == {"p1", "p1/size", "p1/lid.text"}
    later = on("size", value="4", hours=1)
    assert [(pair.counts, pair.other) for pair in merge_overrides(tmp_path, [later]).replaced] == [(later, on("size"))]
    assert select_industry(tmp_path, "pot", "pottery")["p1/size"].value == "4"


def test_a_decision_on_a_cell_is_settled_by_the_cells_digest() -> None:
    digests = {"p1": CHANGED, "p1/size": SEEN}
    assert [settle(entry, digests) for entry in (on("size"), decide(), on("gone"))] == ["applied", "stale", "missing"]


def test_a_file_that_knows_no_cells_is_read(tmp_path: Path) -> None:
    header = [name for name in COLUMNS if name != "cell"]
    row = decide().model_dump(mode="json")
    lines = [",".join(header), ",".join(str(row[name]) for name in header)]
    (tmp_path / "pot.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert read_overrides(tmp_path, "pot") == [decide()]


def test_rows_that_fit_their_cell_are_taken(tmp_path: Path) -> None:
    good = [on("size"), on("kind", value="round"), on("lid.text", value="none"), on("lid.text", "keep", "", hours=1)]
    assert read_decisions(write(tmp_path, *good), FORMS, NOW) == good


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (decide("p7", cell="size"), ["'item_id'", "'p7'", "write the page again"]),
        (decide("p7"), ["'item_id'", "'p7'"]),
        (on("sice"), ["'cell'", "'sice'", "did you mean 'size'"]),
        (on("seal"), ["'cell'", "'seal'"]),
        (on("size", "paint", "red"), ["'action'", "'paint'"]),
        (on("size", value="six"), ["'value'", "'six'", "from 0 to 5"]),
        (on("size", value="6"), ["'value'", "'6'", "from 0 to 5"]),
        (on("size", value="nan"), ["'value'", "'nan'", "from 0 to 5"]),
        (on("kind", value="square"), ["'value'", "'square'", "use one of round"]),
        (on("lid.text", value=""), ["'value'", "needs one"]),
    ],
)
def test_a_row_that_does_not_fit_its_cell_is_named_with_a_remedy(
    tmp_path: Path, bad: Override, words: list[str]
) -> None:
    with pytest.raises(ReviewError) as caught:
        read_decisions(write(tmp_path, on("size"), bad), FORMS, NOW)
    assert len(caught.value.faults) == 1
    for word in ["row 3", *words]:
        assert word in str(caught.value)


def test_a_kind_without_cells_takes_no_decision_on_one(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match="field 'cell': 'size'"):
        read_decisions(write(tmp_path, on("size")), {("pot", "pottery"): make_form()}, NOW)


def test_the_sheet_has_a_row_for_each_cell_that_can_be_decided_on(tmp_path: Path) -> None:
    text = write_sheet(make_sheet())
    path = tmp_path / "sheet.csv"
    path.write_text(text.replace(f"{SEEN},size,,,,,", f"{SEEN},size,edit,2,Ann,it is,"), encoding="utf-8")
    assert read_decisions(path, FORMS, NOW) == [on("size", reason="it is")]
    for word in ("edit (value: 0 to 5)", "edit (value: round)", "look at: script", "Seal, seal: as it came"):
        assert word in text
    assert f"{SEEN},seal," not in text


def test_the_page_shows_cells_and_their_text_becomes_no_tag() -> None:
    page = write_page(make_sheet())
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, flags=re.DOTALL)
    assert found
    data = json.loads(found[1])
    cells = data["items"][0]["cells"]
    assert [(cell["name"], cell["text"]) for cell in cells] == [(cell.name, cell.text) for cell in CELLS]
    names = [[action["name"] for action in data["actions"][cell["actions"]]] for cell in cells]
    assert names == [["keep", "edit"], ["keep", "edit"], ["keep", "edit"], []]
    assert [tag for tag, _ in Tags(page).found].count("script") == 2
