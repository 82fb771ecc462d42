"""How fast posts become dialogues, as ratios to DuckDB scanning the same file as text.

Run `python -m benchmarks.ingest` for the full table (3 million posts) or with `--posts 30000` for a smoke run;
`--peers` adds a pandas notebook, and `--peer-python PATH` ConvoKit by a Python that has it. Each run is a process of
its own, so that its peak memory is its own; times leave out the start of Python and the imports.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks import peers
from benchmarks.made_posts import HANDLES, generate_posts
from servicebench_data.dialogues.accounts import CareAccount, Forget
from servicebench_data.dialogues.dialogues import DialogueFiles, build_dialogues
from servicebench_data.dialogues.engine import open_engine
from servicebench_data.dialogues.posts import PostFiles, load_posts
from servicebench_data.dialogues.sources import COLUMNS
from servicebench_data.dialogues.threads import thread_posts
from servicebench_data.lake.database import Limits

ACCOUNTS = [CareAccount(handle, industry) for industry, handles in HANDLES.items() for handle in handles]
MEMORY_GB = 1.4
THREADS = 2
TARGETS = {"read and thread": 7.0, "all": 25.0}
PEER_TARGETS = {"pandas": 4.0, "convokit": 10.0}
MEMORY_TARGET_MB = 2048


class Run(NamedTuple):
    """What one run took."""

    seconds: float
    cpu_seconds: float
    peak_mb: float


def get_limits(folder: Path) -> Limits:
    """Return the limits of all stages."""
    return Limits(MEMORY_GB, THREADS, folder / "scratch")


def scan_text(folder: Path) -> None:
    """Let DuckDB read all seven columns as text."""
    types = ", ".join(f"'{name}': 'VARCHAR'" for name in COLUMNS)
    lengths = ", ".join(f"sum(strlen({name}))" for name in COLUMNS)
    with open_engine(get_limits(folder)) as connection:
        connection.execute(
            f"SELECT {lengths} FROM read_csv($path, auto_detect = false, header = true, delim = ',', quote = '\"', "
            f"escape = '\"', columns = {{{types}}})",
            {"path": str(folder / "posts.csv")},
        ).fetchall()


def read_posts(folder: Path) -> None:
    """Read the file into the Post table."""
    files = PostFiles(folder / "post.parquet", folder / "quarantine.parquet")
    load_posts([folder / "posts.csv"], files, accounts=ACCOUNTS, forget=Forget(), limits=get_limits(folder))


def read_and_thread(folder: Path) -> None:
    """Read the file and rebuild its threads."""
    read_posts(folder)
    with open_engine(get_limits(folder)) as connection:
        thread_posts(connection, folder / "post.parquet", ACCOUNTS)


def read_and_build(folder: Path) -> None:
    """Read the file, rebuild its threads, and write cleaned and masked turns and dialogues."""
    read_posts(folder)
    files = DialogueFiles(folder / "turn.parquet", folder / "dialogue.parquet")
    build_dialogues(folder / "post.parquet", files, accounts=ACCOUNTS, limits=get_limits(folder))


STAGES: dict[str, Callable[[Path], None]] = {
    "scan": scan_text,
    "read": read_posts,
    "read and thread": read_and_thread,
    "all": read_and_build,
}


def generate_apart(folder: Path, count: int) -> None:
    """Make the file in a process of its own: a child's peak memory begins with its parent's."""
    command = [sys.executable, "-m", "benchmarks.ingest", "--generate", str(count), "--folder", str(folder)]
    subprocess.run(command, check=True)


def run_stage(stage: str, folder: Path) -> Run:
    """Run a stage in a process of its own."""
    return run_apart([sys.executable, "-m", "benchmarks.ingest", "--stage", stage, "--folder", str(folder)])


def run_peer(peer: str, folder: Path, python: str) -> Run:
    """Run a peer by a Python that has it."""
    return run_apart([python, peers.__file__, peer, str(folder)])


def run_apart(command: list[str]) -> Run:
    """Run a process and read what it took from its last line."""
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return Run(*json.loads(done.stdout.splitlines()[-1]))


def measure(stages: list[str], folder: Path, runs: int) -> dict[str, list[Run]]:
    """Run the stages in turns, so that a busy machine is busy for all of them."""
    results: dict[str, list[Run]] = {stage: [] for stage in stages}
    for _ in range(runs):
        for stage in stages:
            results[stage].append(run_stage(stage, folder))
    return results


def get_median(runs: list[Run]) -> Run:
    """Return the median of each figure."""
    return Run(*(statistics.median(values) for values in zip(*runs, strict=True)))


def print_table(count: int, results: dict[str, list[Run]]) -> None:
    """Print times, ratios to the scan, and peak memory of each stage."""
    scan = get_median(results["scan"])
    print(f"\n{count:,} posts, median of {len(results['scan'])} runs, {THREADS} threads")
    print(f"{'stage':<18}{'seconds':>9}{'x scan':>8}{'cpu s':>8}{'x scan':>8}{'peak MB':>9}{'target':>8}")
    for stage, runs in results.items():
        run = get_median(runs)
        target = f"{TARGETS[stage]:.0f}x" if stage in TARGETS else ""
        print(
            f"{stage:<18}{run.seconds:>9.2f}{run.seconds / scan.seconds:>8.1f}{run.cpu_seconds:>8.2f}"
            f"{run.cpu_seconds / scan.cpu_seconds:>8.1f}{run.peak_mb:>9.0f}{target:>8}"
        )


def print_peers(results: dict[str, list[Run]], folder: Path, pythons: dict[str, str]) -> None:
    """Print how many times as long peers take for reading and threading."""
    ours = get_median(results["read and thread"]).seconds
    for peer, target in PEER_TARGETS.items():
        if peer not in pythons:
            print(f"{peer}: not measured; name a Python that has it")
            continue
        run = run_peer(peer, folder, pythons[peer])
        ratio = f"{run.seconds / ours:.1f} times ours (target {target:.0f})"
        print(f"{peer}: {run.seconds:.1f} s, {ratio}, {run.peak_mb:.0f} MB")


def run_benchmark(count: int, runs: int, pythons: dict[str, str]) -> None:
    """Measure a file of `count` posts and one of a tenth, and print both."""
    stages = ["scan", "read", "read and thread", "all"]
    per_post: dict[int, float] = {}
    for size in (count // 10, count):
        with tempfile.TemporaryDirectory(prefix="ingest-") as name:
            folder = Path(name)
            generate_apart(folder, size)
            results = measure(stages, folder, runs)
            print_table(size, results)
            per_post[size] = get_median(results["all"]).seconds / size
            if pythons and size == count:
                print_peers(results, folder, pythons)
    growth = per_post[count] / per_post[count // 10]
    print(f"\ntime per post, {count:,} against {count // 10:,} posts: {growth:.2f} (1 is linear)")


def main() -> None:
    """Parse the command line and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--posts", type=int, default=3_000_000, help="size of the larger file")
    parser.add_argument("--runs", type=int, default=5, help="runs of each stage")
    parser.add_argument("--peers", action="store_true", help="measure a pandas notebook too")
    parser.add_argument("--peer-python", help="Python with convokit, to measure it too")
    parser.add_argument("--stage", choices=sorted(STAGES), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--generate", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.generate is not None:
        generate_posts(arguments.folder / "posts.csv", arguments.generate)
    elif arguments.stage:
        peers.measure(STAGES[arguments.stage], arguments.folder)
    else:
        pythons = {"pandas": sys.executable} if arguments.peers else {}
        if arguments.peer_python:
            pythons["convokit"] = arguments.peer_python
        run_benchmark(arguments.posts, arguments.runs, pythons)


if __name__ == "__main__":
    main()
