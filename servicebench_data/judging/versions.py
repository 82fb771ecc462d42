"""The version that scores carry, so that those of different rubrics, prompts or rules never mix.

Belongs here: naming it, and the table of the rubric in force. Not here: the rubric (`rubric.py`).

The version follows from what decides a score: rubric, prompt and rules as they are read, and the code by which a view
is made, an answer is refused and a score comes of it. A comment, a docstring or a blank line decides nothing and leaves
the version as it is; any other change of these files, also one that moves no score, makes a new one. Judging again
under a new version asks a model only what it was not asked yet: the ledger has the rest.
"""

import io
import json
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow as pa
import yaml

from schemas.judging import RubricItem
from servicebench_data.judging.rubric import find_rubric
from servicebench_data.lake.arrow import from_records, sort_rows
from servicebench_data.lake.store import digest_file, digest_json

ROOT = Path(__file__).parents[2]
#: What decides a score: what a judge is asked and sees, which answers are refused, and what is made of them.
FILES = (
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
    "servicebench_data/models/answers.py",
    "servicebench_data/models/prompts.py",
    "servicebench_data/scenarios/writing/quotes.py",
    "servicebench_data/simulation/agents/families.py",
    *(f"servicebench_data/simulation/gate/{name}.py" for name in ("features", "reader")),
    "schemas/rubric.py",
)  # fmt: skip
#: What may stand before a statement.
_BEFORE = (tokenize.ENCODING, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


@cache
def name_grading_version() -> str:
    """The version, such as `1-0a1b2c3d`: of the rubric, and a digest of all that decides."""
    return f"{find_rubric().spec.version}-{digest_deciding()[:8]}"


def digest_deciding(root: Path = ROOT) -> str:
    """Digest of what decides a score, under the folder that holds `schemas` and `servicebench_data`."""
    return digest_json([[name, tell_content(root / name)] for name in FILES])


def tell_content(path: Path) -> str:
    """What a file says to the program: data in their order, text as it is, code without what is for readers.

    What was learnt stands for itself by the digest of its bytes.
    """
    if path.suffix == ".npz":
        return digest_file(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".yaml":
        return json.dumps(yaml.safe_load(text), ensure_ascii=False)
    return strip_code(text) if path.suffix == ".py" else text


def strip_code(source: str) -> str:
    """Code without comments, docstrings and blank lines; cut out of the text, for Pythons read it differently."""
    lines = source.splitlines()
    for token in sorted(list_remarks(source), key=lambda token: token.start, reverse=True):
        (first, start), (last, end) = token.start, token.end
        lines[first - 1 : last] = [lines[first - 1][:start] + lines[last - 1][end:]]
    return "\n".join(line.rstrip() for line in lines if line.strip())


def list_remarks(source: str) -> Iterator[tokenize.TokenInfo]:
    """Comments, and texts that are statements."""
    before = tokenize.ENCODING
    held: tokenize.TokenInfo | None = None
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token
        elif token.type != tokenize.NL:
            if held and token.type == tokenize.NEWLINE:
                yield held
            held = token if token.type == tokenize.STRING and before in _BEFORE else None
            before = token.type


def make_rubric_table() -> pa.Table:
    """One row per item of the rubric in force."""
    rubric = find_rubric()
    rows = [
        RubricItem(
            grading_version=name_grading_version(),
            rubric_sha256=rubric.sha256,
            dimension=name,
            item_id=item_id,
            question=item.question,
            anchors=[item.anchors[point] for point in sorted(item.anchors)],
        )
        for name, dimension in rubric.spec.dimensions.items()
        for item_id, item in dimension.items.items()
    ]
    return sort_rows(from_records(RubricItem, rows), *RubricItem.table.key)
