"""The version that scores carry, so that those of different rubrics, prompts or rules never mix.

Belongs here: naming it, and the table of the rubric in force. Not here: the rubric (`rubric.py`).
"""

from functools import cache
from pathlib import Path

import pyarrow as pa

from schemas.judging import RubricItem
from servicebench_data.judging.rubric import find_rubric
from servicebench_data.lake.arrow import from_records, sort_rows
from servicebench_data.lake.store import digest_file, digest_json

FOLDER = Path(__file__).parent
#: Raised whenever code changes what a judge sees, which answers are refused, or how scores are made of them.
CHECKS_VERSION = 1
#: Beside the rubric, what decides a score: the prompt, the rules of the engine, what is left out and masked.
FILES = ("rubric.yaml", "judge.md", "rules.yaml", "injections.yaml", "names.yaml")


@cache
def name_grading_version() -> str:
    """The version, such as `1-1-0a1b2c3d`: of the rubric, of the checks, and a digest of all files that decide."""
    digests = [digest_file(FOLDER / name) for name in FILES]
    return f"{find_rubric().spec.version}-{CHECKS_VERSION}-{digest_json(digests)[:8]}"


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
