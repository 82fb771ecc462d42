"""Where the repository's own files lie, and what the bundled sample is.

Belongs here: paths of what ships with the product. Not here: paths of a home (`store.py`).
"""

from pathlib import Path

import servicebench_data
from servicebench_data.lake.sources import Registered
from servicebench_data.lake.store import digest_file

ROOT = Path(servicebench_data.__file__).parent.parent
SAMPLE_FILES = ("posts.csv", "awkward.csv")


def list_sample() -> list[Registered]:
    """Files of the bundled fictional sample.

    Raises:
        FileNotFoundError: The product was installed without its repository.
    """
    paths = [ROOT / "sample" / name for name in SAMPLE_FILES]
    for path in paths:
        if not path.is_file():
            raise FileNotFoundError(
                f"{str(path)!r} is missing; the sample ships with the repository: install from a clone."
            )
    return [Registered(path, digest_file(path)) for path in paths]
