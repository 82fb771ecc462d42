"""The dataset card: `README.md` with the front matter that Hugging Face reads.

Belongs here: configurations, splits, features, and filling in the card's text (`card.md`). Not here: the texts that
card and Croissant share (`about.yaml`).
"""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import jinja2
import yaml

from schemas.scenarios import Scenario
from servicebench_data.lake.columns import Column
from servicebench_data.release.export.about import Release, load_about
from servicebench_data.release.export.files import DataFile
from servicebench_data.release.export.tables import PublishedTable

TEMPLATE = (Path(__file__).parent / "card.md").read_text(encoding="utf-8")
FIRST = Scenario.table.name
SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))
LARGEST = "100K<n<1M"
TYPES: dict[type, str] = {
    str: "string",
    int: "int64",
    float: "float64",
    bool: "bool",
    datetime: "timestamp[us, tz=UTC]",
}

_yaml = cast("Any", yaml)


def write_card(release: Release, files: Sequence[DataFile]) -> str:
    """The whole card."""
    front = _yaml.safe_dump(describe_card(release, files), sort_keys=False, default_flow_style=None, width=120)
    return f"---\n{front}---\n\n{fill_card(release, files)}"


def fill_card(release: Release, files: Sequence[DataFile]) -> str:
    """The card's text."""
    about = load_about()
    sizes = [(table, sum(file.rows for file in pick_loadable(files) if file.table == table.name))
             for table in release.tables]  # fmt: skip
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  (Markdown, not HTML; what comes from outside passes `cell`)
        keep_trailing_newline=True,
    )
    return environment.from_string(TEMPLATE).render(
        about=about,
        cell=write_cell,
        release=release,
        source=about.sources[release.source],
        sizes=sizes,
        has_lines=any(file.format == "jsonl" for file in files),
    )


def write_cell(text: str) -> str:
    """Text from outside as the content of a Markdown cell: one line, and no sign that begins markup."""
    line = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#!" else sign for sign in line)


def describe_card(release: Release, files: Sequence[DataFile]) -> dict[str, Any]:
    """Front matter."""
    about = load_about()
    source = about.sources[release.source]
    loadable = [file for file in pick_loadable(files) if file.rows]
    configs = [(table, [file for file in loadable if file.table == table.name]) for table in release.tables]
    configs = [(table, parts) for table, parts in configs if parts]
    # Parquet says its types itself; JSON does not.
    has_types = any(file.format == "parquet" for file in files)
    types = {} if has_types else {"dataset_info": [describe_features(table, parts) for table, parts in configs]}
    return {
        "pretty_name": f"{about.title} {release.build_id}",
        "license": source.license_id,
        "language": ["en"],
        "task_categories": ["text-generation"],
        "size_categories": [next((name for most, name in SIZES if release.scenario_count < most), LARGEST)],
        "tags": [keyword.lower().replace(" ", "-") for keyword in about.keywords] + ["croissant"],
        "configs": [describe_config(table, parts) for table, parts in configs],
        **types,
    }


def pick_loadable(files: Sequence[DataFile]) -> list[DataFile]:
    """Files that `load_dataset` reads: Parquet where it is there, for a folder is read in one format."""
    kind = "parquet" if any(file.format == "parquet" for file in files) else "jsonl"
    return [file for file in files if file.format == kind]


def describe_config(table: PublishedTable, parts: Sequence[DataFile]) -> dict[str, Any]:
    """A configuration: where the splits of a table lie."""
    config: dict[str, Any] = {
        "config_name": table.name,
        "data_files": [{"split": part.split, "path": part.path} for part in parts],
    }
    return {**config, "default": True} if table.name == FIRST else config


def describe_features(table: PublishedTable, parts: Sequence[DataFile]) -> dict[str, Any]:
    """Types and sizes of a configuration, so that JSON Lines load with the types of Parquet."""
    return {
        "config_name": table.name,
        "features": [describe_column(column) for column in table.columns],
        "splits": [{"name": part.split, "num_bytes": part.size, "num_examples": part.rows} for part in parts],
    }


def describe_column(column: Column) -> dict[str, str]:
    """A column in the words of `datasets`."""
    kind = "float32" if column.is_list and column.type is float else TYPES[column.type]
    return {"name": column.name, "list" if column.is_list else "dtype": kind}
