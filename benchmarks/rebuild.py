"""A rebuild of 2,500 scenarios of which everything is kept, against the build that paid for the model's calls.

Run by hand: `python benchmarks/rebuild.py` (`--smoke` for 40 scenarios; `--profile` shows where the cached run's time
goes). A server on loopback answers the five tasks at once, with what the offline rules make of an industry's sample
dialogues; each dialogue is repeated with a number of its own in the opening, so that no two calls are the same. Each
run is a process of its own, imports not counted. `first` asks; `replayed` has the ledger's answers alone, as after a
change of a check, and checks every answer and verifies every scenario; `cached` finds the finished parts too, as when
other dialogues came in. In all of them every scenario is coded again by its own text and compared with all others.
"""

import argparse
import cProfile
import itertools
import json
import os
import pstats
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from servicebench_data.embeddings import BUNDLED
from servicebench_data.embeddings.embedder import Embedder
from servicebench_data.industries import list_brand_words, load_industry
from servicebench_data.journeys.heads import find_head
from servicebench_data.models.doorway import open_doorway
from servicebench_data.models.options import ModelOptions
from servicebench_data.scenarios.assembly import build_parts, tabulate
from servicebench_data.scenarios.candidates import Recoder, recode_candidates
from servicebench_data.scenarios.duplicates import find_groups
from servicebench_data.scenarios.kept import write_new
from servicebench_data.scenarios.members import Member, embed_members, tell_plainly
from servicebench_data.scenarios.parts import Chance, Knowledge, Parts, Source, prepare
from servicebench_data.scenarios.reading import SourceTurn
from servicebench_data.scenarios.writing.stages import write_parts

ROOT = Path(__file__).resolve().parents[1]
BOUND_SECONDS = 20.0
CHANCE = Chance(1, 0.1)
MODEL = "openai/scripted"
_HANDLE = re.compile(r"@\{?\w+\}? ?")


def main() -> int:
    """Run both and print the comparison, or run one as a child."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--smoke", action="store_true", help="40 scenarios; no verdict")
    parser.add_argument("--scenarios", type=int, default=2500)
    parser.add_argument("--industry", default="airline")
    parser.add_argument("--profile", action="store_true", help="print where the cached run's time goes")
    parser.add_argument("--child", choices=("first", "replayed", "cached"), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.smoke:
        options.scenarios = 40
    if options.child:
        run_child(options)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        results = {name: run_apart(name, folder, options) for name in ("first", "replayed", "cached")}
    print(f"{'':8s} {'scenarios':>9s} {'valid':>6s} {'rows':>7s} {'seconds':>8s} {'CPU s':>7s} {'peak MB':>8s}")
    for name, row in results.items():
        print(f"{name:8s} {row['scenarios']:9d} {row['valid']:6d} {row['rows']:7d} {row['seconds']:8.2f} "
              f"{row['cpu']:7.2f} {row['peak_mb']:8.0f}")  # fmt: skip
    valid = {row["valid"] for row in results.values()}
    if len(valid) > 1 or not all(valid):
        print("not every run has as many valid scenarios, or there is none: nothing is measured")
        return 1
    if options.smoke or results["cached"]["seconds"] <= BOUND_SECONDS:
        return 0
    print(f"the cached rebuild takes more than {BOUND_SECONDS:g} s")
    return 1


def run_apart(name: str, folder: str, options: argparse.Namespace) -> dict[str, Any]:
    """Run one in its own process, which finds the scripted answers of the tests."""
    size = ["--scenarios", str(options.scenarios), "--industry", options.industry]
    command = [sys.executable, __file__, "--child", name, "--folder", folder, *size]
    command += ["--profile"] if options.profile and name == "cached" else []
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "none"}
    done = subprocess.run(command, check=True, env=environment, stdout=subprocess.PIPE, text=True)
    *printed, last = done.stdout.strip().splitlines()
    print("\n".join(printed), end="\n" if printed else "")
    return json.loads(last)


def run_child(options: argparse.Namespace) -> None:
    """Time one and print its figures as JSON."""
    with ExitStack() as stack:
        knowledge = prepare(load_industry(options.industry))
        sources = list(itertools.islice(vary_sample(knowledge), options.scenarios))
        address = options.folder / "address"  # the cached run asks for the same endpoint, and nobody is there
        if options.child == "first":
            address.write_text(stack.enter_context(serve(sources, knowledge)), encoding="utf-8")
        os.environ["OPENAI_API_BASE"] = address.read_text(encoding="utf-8")
        profile = stack.enter_context(cProfile.Profile()) if options.profile else None
        start = time.perf_counter(), time.process_time()
        result = rebuild(sources, knowledge, options.folder, options.child)
        seconds, cpu = time.perf_counter() - start[0], time.process_time() - start[1]
    if profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(40)
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({**result, "seconds": seconds, "cpu": cpu, "peak_mb": peak}))


def serve(sources: list[Source], knowledge: Knowledge) -> AbstractContextManager[str]:
    """The base URL of a server that answers as the tests' script does."""
    from tests.scenarios import scripted  # noqa: PLC0415

    script = scripted.Script()
    script.learn(sources, knowledge)
    return scripted.serve(script)


def vary_sample(knowledge: Knowledge) -> Iterator[Source]:
    """The usable dialogues of an industry's sample, over and over, each time with another number in the opening."""
    usable = [source for source in read_sample(knowledge) if is_usable(source, knowledge)]
    for copy in itertools.count():
        for source in usable:
            first, *rest = source.turns
            turns = (replace(first, text=f"{first.text}\nI was number {copy + 2} in the queue."), *rest)
            yield replace(source, dialogue_id=f"{source.dialogue_id}-{copy}", turns=turns)


def is_usable(source: Source, knowledge: Knowledge) -> bool:
    """Whether the rules make a whole scenario of a dialogue."""
    return build_parts(source, knowledge, seed=CHANCE.seed, stale_rate=0.0).candidate.is_valid


def read_sample(knowledge: Knowledge) -> Iterator[Source]:
    """The complaints of an industry's sample."""
    account = next(entry.handle for entry in knowledge.industry.accounts.accounts if entry.is_sample)
    path = ROOT / "sample" / f"{knowledge.industry.id}.yaml"
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        if entry["kind"] == "complaint" and entry["category"] in knowledge.categories:
            yield Source(entry["id"], account, entry["category"], make_turns(entry["posts"]))


def make_turns(posts: list[dict[str, Any]]) -> tuple[SourceTurn, ...]:
    """Turns of customer and account; posts of others are left out, consecutive ones of one side are one turn."""
    said = [(role, _HANDLE.sub("", post[role])) for post in posts for role in ("customer", "account") if role in post]
    groups = [
        (role, [text for _, text in group]) for role, group in itertools.groupby(said, key=lambda entry: entry[0])
    ]
    return tuple(
        SourceTurn(index, role, "\n".join(texts), (f"p{index}",), (0,)) for index, (role, texts) in enumerate(groups)
    )


def rebuild(sources: list[Source], knowledge: Knowledge, folder: Path, name: str) -> dict[str, int]:
    """Write, check, code again and compare all scenarios; what the folder holds is not made again."""
    embedder = Embedder(BUNDLED, folder / "embeddings")
    ledger = f"sqlite:///{folder / 'ledger.sqlite'}"
    with open_doorway(ModelOptions(model=MODEL, concurrency=16), ledger, replay=name != "first") as doorway:
        write = partial(write_parts, knowledge=knowledge, chance=CHANCE, doorway=doorway)
        made = write(sources) if name == "replayed" else write_new(sources, write, folder / "parts.parquet", MODEL)
    recode = Recoder(knowledge.industry, find_head(knowledge.industry, embedder), embedder)
    tables = tabulate(recode_candidates(made, sources, recode))
    kept = [parts for parts in made if parts.candidate.is_valid]
    brands = list_brand_words(knowledge.industry)
    members = [make_member(parts, brands) for parts in kept]
    find_groups(members, embed_members(members, embedder))
    return {"scenarios": len(sources), "valid": len(kept), "rows": sum(table.num_rows for table in tables.values())}


def make_member(parts: Parts, brands: list[str]) -> Member:
    """A scenario as duplicates see it."""
    lived = " ".join(row.text for row in parts.background if not row.is_inferred)
    values = {fact.value for fact in parts.facts if fact.value}
    row = parts.candidate
    told = tell_plainly(lived, values, brands)
    return Member(row.scenario_id, row.industry, row.category_id, row.fact_count, row.scenario_id, lived, told)


if __name__ == "__main__":
    sys.exit(main())
