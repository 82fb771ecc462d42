"""Croissant metadata: `croissant.json`, which describes every file and every column for machines.

Belongs here: laying a release out as Croissant 1.1 (JSON-LD), with its extension on responsible use. Not here: texts
(`about.yaml`), or checking it, for which a test reads it with the standard's own library.
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import yaml

from servicebench_data.lake.columns import Column
from servicebench_data.release.export.about import About, Release, load_about
from servicebench_data.release.export.card import pick_loadable
from servicebench_data.release.export.files import DataFile
from servicebench_data.release.export.tables import PublishedTable

CONTEXT = Path(__file__).parent / "context.yaml"
VERSION = "http://mlcommons.org/croissant/1.1"
ENCODINGS = {"parquet": "application/x-parquet", "jsonl": "application/jsonlines"}
TYPES: dict[type, str] = {
    str: "sc:Text",
    int: "sc:Integer",
    float: "sc:Float",
    bool: "sc:Boolean",
    datetime: "sc:DateTime",
}


def describe_croissant(release: Release, files: Sequence[DataFile]) -> dict[str, Any]:
    """The metadata as a JSON-LD object."""
    parts = {table.name: [file for file in pick_loadable(files) if file.table == table.name]
             for table in release.tables}  # fmt: skip
    return {
        "@context": yaml.safe_load(CONTEXT.read_text(encoding="utf-8")),
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        **describe_release(release, load_about()),
        "distribution": [
            *(describe_file(file) for file in files),
            *(describe_set(table, parts[table.name]) for table in release.tables if is_split(parts[table.name])),
        ],
        "recordSet": [describe_records(table, parts[table.name]) for table in release.tables],
    }


def describe_release(release: Release, about: About) -> dict[str, Any]:
    """What the release is, who may use it, and for what."""
    source = about.sources[release.source]
    return {
        "name": about.name,
        "description": f"{about.summary} {source.origin}",
        "license": source.license_url,
        "usageInfo": release.license,
        "creator": {"@type": "sc:Organization", "name": about.creator},
        "datePublished": release.built_at.date().isoformat(),
        "version": f"{release.product_version}+{release.build_id}",
        "citeAs": about.citation,
        "keywords": about.keywords,
        "inLanguage": "en",
        "rai:dataCollection": " ".join(about.made),
        "rai:dataUseCases": about.uses,
        "rai:dataLimitations": [*source.limits, *about.limits],
        "rai:dataBiases": about.biases,
        "rai:personalSensitiveInformation": source.personal,
    }


def describe_file(file: DataFile) -> dict[str, Any]:
    """One file, by its path and digest."""
    return {
        "@type": "cr:FileObject",
        "@id": file.path,
        "name": file.path,
        "contentUrl": file.path,
        "contentSize": f"{file.size} B",
        "encodingFormat": ENCODINGS[file.format],
        "sha256": file.sha256,
    }


def is_split(parts: Sequence[DataFile]) -> bool:
    """Whether a table lies in several files."""
    return len(parts) > 1


def describe_set(table: PublishedTable, parts: Sequence[DataFile]) -> dict[str, Any]:
    """The files of a table that lies in several."""
    return {
        "@type": "cr:FileSet",
        "@id": f"{table.name}-files",
        "name": f"{table.name}-files",
        "encodingFormat": ENCODINGS[parts[0].format],
        "includes": [part.path for part in parts],
    }


def describe_records(table: PublishedTable, parts: Sequence[DataFile]) -> dict[str, Any]:
    """A table's rows, column by column."""
    origin = {"fileSet": {"@id": f"{table.name}-files"}} if is_split(parts) else {"fileObject": {"@id": parts[0].path}}
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        "key": [{"@id": f"{table.name}/{name}"} for name in table.key],
        "field": [describe_field(table, column, origin) for column in table.columns],
    }


def describe_field(table: PublishedTable, column: Column, origin: dict[str, Any]) -> dict[str, Any]:
    """A column with its type; a list of any length is an array of one dimension."""
    shape = {"isArray": True, "arrayShape": "-1"} if column.is_list else {}
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": column.description,
        "dataType": TYPES[column.type],
        **shape,
        "source": {**origin, "extract": {"column": column.name}},
    }
