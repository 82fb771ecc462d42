"""What lies in a home's posts folder, and what the first step makes of it."""

import itertools
import re
from pathlib import Path

import pytest

from assets.dialogues import read_sources
from assets.product import ProductBase, make_resources
from schemas.dialogues import Post
from servicebench_data.lake.sources import SourceError, list_sources, register_files
from servicebench_data.settings import Settings
from tests.dialogues.helpers import make_row, read, write_csv


@pytest.fixture
def product(tmp_path: Path) -> ProductBase:
    return make_resources(Settings.load({}, home=tmp_path / "home"))["watcher"]


def read_texts(product: ProductBase) -> list[str]:
    """Texts of the posts that the registered files hold."""
    made = read_sources(product, list_sources(product.lake))
    path = made.tables[Post]
    assert isinstance(path, Path)
    return [row["text"] for row in read(path)]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_of_corrected_exports_the_one_registered_last_wins(
    product: ProductBase, tmp_path: Path, order: tuple[int, ...]
) -> None:
    for export in order:
        path = write_csv(tmp_path / f"export-{export}.csv", [make_row(1, "501", f"text of export {export}")])
        register_files(product.lake, [path], lambda path: path)
    assert read_texts(product) == [f"text of export {order[-1]}"]


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\x1f\x8b damaged", b"PAR1", b""])
def test_a_file_in_the_folder_that_cannot_be_read_is_named_with_where_to_delete_it(
    product: ProductBase, tmp_path: Path, content: bytes
) -> None:
    register_files(product.lake, [write_csv(tmp_path / "good.csv", [make_row(1, "501", "good")])], lambda path: path)
    bad = product.lake.posts / "by hand.csv"
    bad.write_bytes(content)
    with pytest.raises(SourceError, match=rf"{re.escape(str(bad))}.*delete it there"):
        read_texts(product)
    bad.unlink()
    assert read_texts(product) == ["good"]
