"""Decisions as files: whole or not at all, the later one counts, none is lost, and the same twice changes nothing."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from schemas.review import Override
from servicebench_data.review.cells import COLUMNS, ReviewError
from servicebench_data.review.incoming import read_decisions
from servicebench_data.review.overrides import (
    digest_overrides,
    merge_overrides,
    pick_latest,
    read_overrides,
    select_industry,
    write_overrides,
)
from servicebench_data.review.settling import settle
from servicebench_data.review.sheets import write_sheet
from tests.review.items import CHANGED, HOSTILE, NOW, SEEN, decide, make_form, make_item, make_sheet

FORMS = {("pot", "pottery"): make_form()}
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=30).filter(
    lambda text: text.split() != []
)


def write(folder: Path, *rows: str, name: str = "handed-in.csv", header: str = ",".join(COLUMNS)) -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def row(**given: str) -> str:
    values = {name: str(value) for name, value in decide().model_dump(mode="json").items()}
    return ",".join({**values, **given}.values())


def test_without_a_file_nothing_is_decided(tmp_path: Path) -> None:
    assert read_overrides(tmp_path, "pot") == []
    assert select_industry(tmp_path, "pot", "pottery") == {}


def test_a_decision_is_read_as_it_was_merged(tmp_path: Path) -> None:
    merged = merge_overrides(tmp_path, [decide()])
    assert merged.added == [decide()]
    assert read_overrides(tmp_path, "pot") == [decide()]


def test_the_same_decisions_again_change_nothing(tmp_path: Path) -> None:
    merge_overrides(tmp_path, [decide(), decide("p2")])
    before = (tmp_path / "pot.csv").read_bytes()
    merged = merge_overrides(tmp_path, [decide(), decide("p2")])
    assert (merged.added, merged.known, merged.replaced) == ([], 2, [])
    assert (tmp_path / "pot.csv").read_bytes() == before


def test_the_later_decision_counts_and_says_so_and_the_earlier_one_stays_on_file(tmp_path: Path) -> None:
    first, second = decide(), decide(value="blue", hours=1, author="Bo")
    merge_overrides(tmp_path, [first])
    merged = merge_overrides(tmp_path, [second])
    assert [(pair.counts, pair.other) for pair in merged.replaced] == [(second, first)]
    assert select_industry(tmp_path, "pot", "pottery") == {"p1": second}
    assert read_overrides(tmp_path, "pot") == [first, second]


def test_an_earlier_decision_that_comes_in_late_does_not_count_and_says_so(tmp_path: Path) -> None:
    later, earlier = decide(value="blue", hours=1), decide()
    merge_overrides(tmp_path, [later])
    merged = merge_overrides(tmp_path, [earlier])
    assert [(pair.counts, pair.other) for pair in merged.replaced] == [(later, earlier)]
    assert select_industry(tmp_path, "pot", "pottery") == {"p1": later}


@given(st.permutations([decide(value=value, hours=hours) for hours, value in enumerate(["red", "blue", "p1"])]))
def test_what_counts_does_not_depend_on_the_order(decisions: list[Override]) -> None:
    assert pick_latest(decisions)["pot", "p1"].value == "p1"


@given(st.lists(st.builds(decide, author=TEXTS, reason=TEXTS), max_size=4, unique=True))
def test_any_text_outlives_the_file(tmp_path_factory: pytest.TempPathFactory, decisions: list[Override]) -> None:
    folder = tmp_path_factory.mktemp("overrides")
    merge_overrides(folder, decisions)
    texts = [entry.model_dump_json() for entry in read_overrides(folder, "pot")]
    assert sorted(texts) == sorted({entry.model_dump_json() for entry in decisions})


def test_no_cell_can_be_taken_for_a_formula() -> None:
    text = write_overrides([decide(reason="=HYPERLINK(1)", author="@ann")])
    assert "'=HYPERLINK(1)" in text
    assert "'@ann" in text


def test_the_digest_changes_with_what_was_decided() -> None:
    digests = [digest_overrides({"p1": entry}) for entry in (decide(), decide(reason="else"), decide(value="blue"))]
    assert len({*digests, digest_overrides({})}) == 4
    assert digest_overrides({"p1": decide()}) == digests[0]


@pytest.mark.parametrize(
    ("override", "outcome"),
    [
        (decide(), "applied"),
        (decide(action="keep", value=""), "kept"),
        (decide(item_sha256=CHANGED), "stale"),
        (decide(action="keep", value="", item_sha256=CHANGED), "stale"),
        (decide("p9"), "missing"),
    ],
)
def test_a_decision_on_what_has_changed_is_stale(override: Override, outcome: str) -> None:
    assert settle(override, {"p1": SEEN}) == outcome


@pytest.mark.parametrize("name", ["author", "reason"])
def test_a_decision_has_an_author_and_a_reason(name: str) -> None:
    with pytest.raises(ValidationError):
        Override.model_validate({**decide().model_dump(), name: "  "})


def test_the_filled_in_sheet_is_read_and_what_was_left_empty_is_not_decided(tmp_path: Path) -> None:
    text = write_sheet(make_sheet(make_item(), make_item("p2"))).replace(
        f"p2,{SEEN},,,,,,", f"p2,{SEEN},,paint,blue,Ann,it is,"
    )
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_decisions(path, FORMS, NOW) == [decide("p2", value="blue", reason="it is")]
    assert HOSTILE[:20] in text


def test_a_spreadsheet_may_write_semicolons(tmp_path: Path) -> None:
    path = write(tmp_path, row().replace(",", ";"), header=";".join(COLUMNS))
    assert read_decisions(path, FORMS, NOW) == [decide()]


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (row(action="pain"), ["row 3", "'action'", "'pain'", "did you mean 'paint'"]),
        (row(value="rad"), ["row 3", "'value'", "'rad'", "did you mean 'red'"]),
        (row(value=""), ["row 3", "'value'", "needs one"]),
        (row(value="p1"), ["row 3", "'value'", "the item itself"]),
        (row(action="drop"), ["row 3", "'value'", "takes none"]),
        (row(author=""), ["row 3", "'author'"]),
        (row(reason=" "), ["row 3", "'reason'"]),
        (row(item_sha256="1f"), ["row 3", "'item_sha256'", "1f"]),
        (row(decided_at="yesterday"), ["row 3", "'decided_at'", "yesterday"]),
        (row(decided_at="2027-01-01T00:00:00Z"), ["row 3", "'decided_at'", "yet to come"]),
        (row(decided_at="2026-01-01T00:00:00"), ["row 3", "'decided_at'"]),
        (row(kind="jug"), ["row 3", "'kind'", "'jug'", "pot of pottery"]),
        (row(industry="glass"), ["row 3", "'kind'", "'glass'"]),
        (f"{row()},more", ["row 3", "'beyond'"]),
    ],
)
def test_a_bad_row_is_named_with_its_field_and_remedy(tmp_path: Path, bad: str, words: list[str]) -> None:
    path = write(tmp_path, row(), bad)
    with pytest.raises(ReviewError) as caught:
        read_decisions(path, FORMS, NOW)
    assert len(caught.value.faults) == 1
    for word in [path.name, *words]:
        assert word in str(caught.value)


def test_every_bad_row_is_named_and_a_long_list_ends(tmp_path: Path) -> None:
    path = write(tmp_path, *[row(action="no")] * 30)
    with pytest.raises(ReviewError, match="and 10 more") as caught:
        read_decisions(path, FORMS, NOW)
    assert len(caught.value.faults) == 30


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\xff\xfe\x00", b'kind,"item\n'])
def test_a_file_that_is_none_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.csv"
    path.write_bytes(content)
    with pytest.raises(ReviewError, match=r"odd\.csv"):
        read_decisions(path, FORMS, NOW)


def test_a_damaged_file_of_overrides_is_named(tmp_path: Path) -> None:
    merge_overrides(tmp_path, [decide(), decide("p2", hours=2)])
    path = tmp_path / "pot.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("it looks so", "", 1), encoding="utf-8")
    with pytest.raises(ReviewError, match=r"pot\.csv' row 2, field 'reason'"):
        read_overrides(tmp_path, "pot")


def test_a_decision_without_a_time_gets_that_of_taking_it_in(tmp_path: Path) -> None:
    later = NOW + timedelta(hours=5)
    assert [entry.decided_at for entry in read_decisions(write(tmp_path, row(decided_at="")), FORMS, later)] == [later]
