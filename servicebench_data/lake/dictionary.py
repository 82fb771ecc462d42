"""The data dictionary page and JSON schemas, from the records.

Belongs here: rendering what the records say. Not here: prose about the product.
"""

from typing import Any

from schemas.records import Record
from servicebench_data.lake.columns import Column, read_columns
from servicebench_data.lake.tables import RECORDS, describe_table

HEAD = """# Data dictionary

Generated from the records in `schemas/` by `make docs`; a test fails when it is out of date. Tables are in the order in
which the pipeline makes them. A column that may be missing says so; everything else is always there.
"""


def json_schema(record: type[Record]) -> dict[str, Any]:
    """JSON schema of one row."""
    return record.model_json_schema()


def write_dictionary() -> str:
    """The data dictionary as one Markdown page."""
    return HEAD + "".join(describe_record(record) for record in RECORDS)


def describe_record(record: type[Record]) -> str:
    """Section of one table."""
    table = record.table
    place = f"`{table.group}.{table.name}`" if table.is_published else f"`{table.name}` (in the lake, not published)"
    lines = [
        f"\n## {place}\n",
        f"{describe_table(record)}\n",
        f"Key: {', '.join(f'`{name}`' for name in table.key)}.",
        *(f"`{', '.join(entry.columns)}` refers to `{entry.table}`." for entry in table.references),
        "\n| column | type | holds |",
        "|---|---|---|",
        *(
            f"| `{column.name}` | {describe_type(column)} | {describe_values(column)} |"
            for column in read_columns(record)
        ),
    ]
    return "\n".join(lines) + "\n"


def describe_type(column: Column) -> str:
    """Type of a column in a reader's words."""
    names = {"str": "text", "int": "integer", "float": "number", "bool": "yes/no", "datetime": "time (UTC)"}
    name = names[column.type.__name__]
    return (f"list of {name}" if column.is_list else name) + (", may be missing" if column.is_nullable else "")


def describe_values(column: Column) -> str:
    """Description and allowed values of a column."""
    choices = f" One of {', '.join(f'`{choice}`' for choice in column.choices)}." if column.choices else ""
    return column.description.replace("|", "\\|") + choices
