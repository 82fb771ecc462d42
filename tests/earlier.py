"""What an earlier build of the sample made, for tests that would spend minutes on making it again.

Belongs here: taking it over. Not here: any test.
"""

import os
import shutil
from pathlib import Path

from servicebench_data.lake.store import Lake
from servicebench_data.lake.tables import RECORDS

#: Groups whose tables a build of the sample makes, before anything is played.
GROUPS = ("dialogues", "journeys", "scenarios")


def find_earlier() -> Lake | None:
    """The lake of the home that `TEST_HOME` names, if it does."""
    known = os.environ.get("TEST_HOME")
    return Lake(Path(known)) if known and Path(known).is_dir() else None


def copy_vectors(folder: Path) -> Path:
    """A folder for vectors, filled with those of the earlier build.

    Vectors are kept by text, model and precision, so taking them over saves minutes and hides nothing.
    """
    earlier = find_earlier()
    if earlier and (earlier.cache / "embeddings").is_dir():
        shutil.copytree(earlier.cache / "embeddings", folder)
    return folder


def copy_tables(home: Path) -> None:
    """Tables of the earlier build, which the next one uses where they were made from the same by the same code."""
    if (earlier := find_earlier()) is None:
        return
    lake = Lake(home)
    for record in RECORDS:
        if record.table.group in GROUPS:
            for partition in earlier.partitions(record):
                shutil.copytree(earlier.folder(record, partition), lake.folder(record, partition))
    if earlier.verdicts.is_dir():
        shutil.copytree(earlier.verdicts, lake.verdicts)
