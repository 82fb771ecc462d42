"""How an asset makes its tables: skip what is unchanged, store what is new, show a person what came out.

Belongs here: fingerprints, storing and metadata, the same for every asset. Not here: any one asset.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg
import pyarrow as pa

import schemas
import servicebench_data
from assets.product import ProductBase
from schemas.records import Record
from servicebench_data.industries import list_industries
from servicebench_data.lake.store import ALL, Counts, Lake, Origin, Stored, digest_folders, digest_json
from servicebench_data.lake.tables import describe_table

INDUSTRIES = dg.StaticPartitionsDefinition(list_industries())
EXPERIMENTS = dg.DynamicPartitionsDefinition(name="experiment")
OWNERS = ["team:servicebench-data"]
PREVIEW_ROWS = 5
CANCELLED = (dg.DagsterRunStatus.CANCELING, dg.DagsterRunStatus.CANCELED)
PREVIEW_WIDTH = 160

Tables = Mapping[type[Record], pa.Table | Path]
Results = Iterator[dg.MaterializeResult]


@dataclass(frozen=True)
class Made:
    """What a computation returns: a table, or a finished file, for each record; and what it counted.

    One that `is_final` is not made again from the same; one that was cut short is, with what the caches hold by then.
    """

    tables: Tables
    counts: Counts = field(default_factory=dict)
    is_final: bool = True


@dataclass(frozen=True)
class Step:
    """What decides the outcome of an asset.

    Attributes:
        makes: Records of the tables it makes.
        reads: Records of the tables it reads.
        code: Packages or modules of `servicebench_data`, and folders of `schemas`, that compute it.
        settings: Names of the settings that matter.
    """

    makes: tuple[type[Record], ...]
    reads: tuple[type[Record], ...]
    code: tuple[str, ...]
    settings: tuple[str, ...] = ()


@cache
def digest_code(code: tuple[str, ...]) -> str:
    """Digest of the sources and knowledge files that compute a step."""
    roots = [Path(schemas.__file__).parent, Path(servicebench_data.__file__).parent]
    return digest_folders(*(path for name in code for root in roots if (path := root / name).exists()))


def describe_asset(record: type[Record]) -> dict[str, Any]:
    """Name, group, description and owners of the asset that makes a record's table."""
    return {
        "key": record.table.name,
        "group_name": record.table.group,
        "description": describe_table(record),
        "owners": OWNERS,
        "kinds": {"parquet"},
    }


def describe_step(step: Step) -> dict[str, Any]:
    """Arguments of a multi-asset that makes a step's tables, partition by partition, from those that it reads."""
    per = step.makes[0].table.per
    deps = [describe_dependency(record, per) for record in step.reads]
    return {
        "specs": [dg.AssetSpec(**describe_asset(record), deps=deps) for record in step.makes],
        "partitions_def": INDUSTRIES if per == "industry" else EXPERIMENTS,
        "backfill_policy": dg.BackfillPolicy.single_run(),
    }


def describe_dependency(record: type[Record], per: str) -> dg.AssetDep:
    """A table that is read: partition for partition, or whole where it is partitioned by something else."""
    is_alike = record.table.is_partitioned and record.table.per == per
    return dg.AssetDep(record.table.name, partition_mapping=None if is_alike else dg.AllPartitionMapping())


def run_step(
    context: dg.AssetExecutionContext, product: ProductBase, step: Step, compute: Callable[[str], Made], *,
    extra: object = None, over: Sequence[str] = (), show: Callable[[Sequence[str]], Mapping[str, Any]] | None = None,
) -> list[dg.MaterializeResult]:  # fmt: skip
    """Make a step's tables for each partition of the run, and report them.

    Args:
        context: Context of the asset.
        product: The resource.
        step: What decides the outcome.
        compute: Makes the tables of one partition.
        extra: What else decides the outcome; a function where it differs from partition to partition.
        over: Industries whose tables an asset over all of them reads.
        show: Further metadata of the first table, such as a plot, from the partitions of the run.
    """
    is_partitioned = step.makes[0].table.is_partitioned
    partitions = context.partition_keys if is_partitioned else [ALL]
    started = time.monotonic()
    reused = []
    for done, partition in enumerate(partitions):
        stop_if_cancelled(context)
        context.log.info("%s of %s (%s of %s)", step.makes[0].table.name, partition, done + 1, len(partitions))
        if make_partition(product, step, compute, (partition, over), extra):
            reused.append(partition)
    seconds = round(time.monotonic() - started, 1)
    shared = {"seconds": seconds, "unchanged": ", ".join(reused) or "none"}
    more = show(partitions) if show else {}
    return [
        report_table(product.lake, record, partitions, {**shared, **(more if record is step.makes[0] else {})})
        for record in step.makes
    ]


def stop_if_cancelled(context: dg.OpExecutionContext | dg.AssetExecutionContext) -> None:
    """End a run that a person cancelled, as Ctrl-C does.

    Dagster interrupts its process once, and where that happens inside a destructor, Python drops the interrupt.
    """
    run = context.instance.get_run_by_id(context.run.run_id)
    if run and run.status in CANCELLED:
        raise KeyboardInterrupt


def make_partition(
    product: ProductBase, step: Step, compute: Callable[[str], Made], place: tuple[str, Sequence[str]], extra: object
) -> bool:
    """Make one partition unless it is there, made from the same; returns whether it was left as it is."""
    lake, partition = product.lake, place[0]
    inputs = find_inputs(lake, step.reads, place)
    settings = {name: getattr(product.settings, name) for name in step.settings}
    more = extra(partition) if callable(extra) else extra
    fingerprint = digest_json([digest_code(step.code), inputs, settings, more])
    stored = [lake.find(record, partition) for record in step.makes]
    if all(entry and entry.pointer.fingerprint == fingerprint for entry in stored):
        return True
    made = compute(partition)
    kept = fingerprint if made.is_final else digest_json([fingerprint, "unfinished"])
    origin = Origin(fingerprint=kept, inputs=inputs, counts=made.counts)
    for record, table in made.tables.items():
        if isinstance(table, Path):
            lake.adopt(record, table, partition, made_from=origin)
        else:
            lake.write(record, table, partition, made_from=origin)
    return False


def find_inputs(lake: Lake, reads: Iterable[type[Record]], place: tuple[str, Sequence[str]]) -> dict[str, str]:
    """Digest of each table that is read, by `table/partition`."""
    keys = [(record, key) for record in reads for key in choose_keys(record, *place)]
    return {f"{record.table.name}/{key}": lake.get(record, key).pointer.sha256 for record, key in keys}


def choose_keys(record: type[Record], partition: str, over: Sequence[str]) -> Sequence[str]:
    """Partitions of a table that are read to make a partition: its own, or the industries that it reads over."""
    if not record.table.is_partitioned:
        return [ALL]
    return over if over and record.table.per == "industry" else [partition]


def report_table(
    lake: Lake, record: type[Record], partitions: Sequence[str], shared: Mapping[str, Any]
) -> dg.MaterializeResult:
    """Row counts, what was counted on the way, and a preview of a table."""
    stored = {partition: lake.get(record, partition) for partition in partitions}
    total = sum(entry.pointer.row_count for entry in stored.values())
    metadata: dict[str, Any] = {"dagster/row_count": total, **shared, **sum_counts(stored)}
    if record.table.is_partitioned:
        rows = [f"| {name} | {entry.pointer.row_count} |" for name, entry in stored.items()]
        per = record.table.per
        metadata[f"rows by {per}"] = dg.MetadataValue.md("\n".join([f"| {per} | rows |", "|---|---|", *rows]))
    if not record.table.is_raw:
        metadata["preview"] = dg.MetadataValue.md(preview(lake, record, partitions))
    return dg.MaterializeResult(asset_key=record.table.name, metadata=metadata)


def sum_counts(stored: Mapping[str, Stored]) -> dict[str, int | float | str]:
    """Counts of all partitions added up; texts are listed."""
    total: dict[str, int | float | str] = {}
    for entry in stored.values():
        for name, value in entry.pointer.counts.items():
            before = total.get(name)
            if isinstance(value, str):
                total[name] = value if before in (None, value) else f"{before}; {value}"
            else:
                total[name] = value + (before if isinstance(before, int | float) else 0)
    return total


def preview(lake: Lake, record: type[Record], partitions: Sequence[str]) -> str:
    """The first rows of a table as Markdown; everything in it is untrusted text and is escaped."""
    rows: list[dict[str, Any]] = []
    for partition in partitions:
        if len(rows) < PREVIEW_ROWS:
            rows.extend(lake.read(record, partition).slice(0, PREVIEW_ROWS - len(rows)).to_pylist())
    return tabulate(rows, [name for name in record.model_fields if name != "vector"])


def tabulate(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Rows as a Markdown table; everything in it is untrusted text and is escaped."""
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(escape(row[name]) for name in names)} |" for row in rows]
    return "\n".join(lines)


def escape(value: object) -> str:
    """A value as the text of a Markdown cell that can neither be markup nor leave its cell."""
    text = "" if value is None else str(value)
    text = text if len(text) <= PREVIEW_WIDTH else text[: PREVIEW_WIDTH - 1] + "…"
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "&#124;"), ("[", "&#91;"), ("]", "&#93;")):
        text = text.replace(sign, entity)
    for sign in ("*", "_", "`", "#", "!", "~"):
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
