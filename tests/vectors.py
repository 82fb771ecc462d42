"""Vectors that an earlier build made, for tests that embed many real texts.

Belongs here: taking them over. Not here: any test.
"""

import os
import shutil
from pathlib import Path


def copy_vectors(folder: Path) -> Path:
    """A folder for vectors, filled from the one that `TEST_VECTORS` names, where it does.

    Vectors are kept by text, model and precision, so taking them over saves minutes and hides nothing.
    """
    if (known := os.environ.get("TEST_VECTORS")) and Path(known).is_dir():
        shutil.copytree(known, folder)
    return folder
