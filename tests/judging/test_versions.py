"""The version of grading: whatever decides a score changes it, and what is for readers does not."""

import shutil
from pathlib import Path

import pytest
import yaml

from servicebench_data.judging import versions
from servicebench_data.judging.rubric import find_rubric
from servicebench_data.judging.versions import FILES, ROOT, digest_deciding, name_grading_version, strip_code

#: What decides, told here once more, so that none can be dropped unseen.
DECIDING = (
    *(f"servicebench_data/judging/{name}.yaml" for name in ("injections", "names", "rubric", "rules")),
    "servicebench_data/judging/judge.md",
    *(
        f"servicebench_data/judging/{name}.py"
        for name in (
            "examples", "hidden", "injections", "masking", "quotes", "reader", "rubric", "rules", "scoring",
            "screening", "sentences", "tasks", "view",
        )
    ),
    "servicebench_data/judging/reader.npz",
    "servicebench_data/models/answers.py", "servicebench_data/models/prompts.py",
    "servicebench_data/scenarios/writing/quotes.py", "servicebench_data/simulation/agents/families.py",
    "servicebench_data/simulation/gate/features.py", "servicebench_data/simulation/gate/reader.py",
    "schemas/rubric.py",
)  # fmt: skip
#: Modules and data of the group that ask, carry, count and check, and decide no score of an agent.
CARRYING = {
    "__init__.py", "cases.py", "coverage.py", "coverage.sql", "ensemble.py", "ensemble.sql", "judging.py",
    "outcomes.py", "padding.py", "padding.yaml", "versions.py", "ORDER.md",
}  # fmt: skip
CHANGES = {".py": "\nMORE = 1\n", ".yaml": "\nmore: [1]\n", ".md": "\nBe brief.\n", ".npz": "more"}
REMARKS = {".py": "# A remark.\n\n", ".yaml": "# A remark.\n\n"}
CODE = '''"""What belongs here."""
VALUE = "# no comment"  # why


def give(text: str = """as it
is""") -> str:
    """What it gives,

    over lines."""  # and why
    "another"
    return f"{text}# {VALUE}"  # fmt: skip
'''
STRIPPED = '''VALUE = "# no comment"
def give(text: str = """as it
is""") -> str:
    return f"{text}# {VALUE}"'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of all that decides."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def before() -> str:
    """The digest of all that decides as it stands."""
    return digest_deciding()


@pytest.mark.parametrize("name", DECIDING)
def test_a_change_of_whatever_decides_changes_the_version(name: str, root: Path, before: str) -> None:
    path = root / name
    path.write_bytes(path.read_bytes() + CHANGES[path.suffix].encode())
    assert digest_deciding(root) != before


@pytest.mark.parametrize("name", [name for name in DECIDING if not name.endswith((".md", ".npz"))])
def test_a_remark_changes_no_version(name: str, root: Path, before: str) -> None:
    path = root / name
    path.write_text(REMARKS[path.suffix] + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert digest_deciding(root) == before


def test_another_order_of_the_rubrics_dimensions_is_another_version(root: Path, before: str) -> None:
    path = root / "servicebench_data" / "judging" / "rubric.yaml"
    text = path.read_text(encoding="utf-8")
    second, third = text.index("  procedural:\n"), text.index("  distributive:\n")
    path.write_text(text[:second] + text[third:] + text[second:third], encoding="utf-8")
    assert yaml.safe_load(path.read_text(encoding="utf-8")) == yaml.safe_load(text)
    assert digest_deciding(root) != before


def test_every_file_of_the_group_decides_or_is_known_not_to() -> None:
    folder = Path(versions.__file__).parent
    there = {path.name for path in folder.iterdir() if path.is_file()}
    assert there == CARRYING | {Path(name).name for name in FILES if (ROOT / name).parent == folder}


def test_what_is_for_readers_is_cut_out_of_code_and_nothing_else() -> None:
    assert strip_code(CODE) == STRIPPED
    assert strip_code(STRIPPED) == STRIPPED


def test_the_version_names_the_rubrics_own_and_what_decides() -> None:
    assert name_grading_version() == f"{find_rubric().spec.version}-{digest_deciding()[:8]}"
