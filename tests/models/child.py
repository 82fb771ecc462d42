"""Runs the small task in a process of its own: `python -m tests.models.child LEDGER FOLDER COUNT CONCURRENCY`.

Belongs here: what is started and killed by tests. Not here: tests.
"""

import sys
from pathlib import Path

from servicebench_data.models.doorway import open_doorway
from tests.models.tasks import make_items, make_options, make_task


def main() -> None:
    url, folder, count, concurrency = sys.argv[1:]
    options = make_options(concurrency=int(concurrency), lease_seconds=20)
    with open_doorway(options, url) as doorway:
        outcomes = doorway.run(make_task(Path(folder)), make_items(int(count)))
    sys.stdout.write(f"{sum(outcome.answer is not None for outcome in outcomes)}\n")


if __name__ == "__main__":
    main()
