"""The base of every record, and what a table declares about itself beyond its columns.

Belongs here: `Record`, `Table`, `Reference` and types shared by several groups. Not here: what is derived from them
(Arrow, DuckDB, Great Expectations, JSON schema, dictionary page), which is made in `servicebench_data/lake/`.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

Group = Literal[
    "dialogues", "journeys", "scenarios", "simulation", "judging", "measures", "models", "release"
]  # fmt: skip

Id = Annotated[str, Field(min_length=1, max_length=200)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=0)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def read_null(value: Any) -> Any:
    """Nothing for the words that some models write in its place."""
    return None if isinstance(value, str) and value.strip().lower() in {"", "null", "none", "n/a"} else value


#: Text of a model's answer that may be missing.
Maybe = Annotated[str | None, BeforeValidator(read_null)]


@dataclass(frozen=True)
class Reference:
    """Columns of this table that must exist as a key of another one."""

    columns: tuple[str, ...]
    table: str
    to: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """What holds for the whole table and cannot be said on one column.

    Attributes:
        name: Singular table name; also the key of the asset that makes it.
        group: Group of the pipeline; the schema it is published in.
        key: Columns that identify a row.
        references: Foreign keys.
        may_be_empty: Whether zero rows are a valid outcome (failures, quarantine); otherwise they are an error.
        is_partitioned: Whether the lake keeps one file for each industry, or for each experiment.
        per: What a partitioned table is partitioned by. Tables of an experiment are there once it has run.
        is_published: Whether the table enters the published DuckDB file.
        is_raw: Whether it holds unmasked text; such tables stay in the lake's posts folder and are never previewed.
    """

    name: str
    group: Group
    key: tuple[str, ...]
    references: tuple[Reference, ...] = field(default_factory=tuple)
    may_be_empty: bool = False
    is_partitioned: bool = True
    per: Literal["industry", "experiment"] = "industry"
    is_published: bool = True
    is_raw: bool = False


class Strict(BaseModel):
    """A frozen model that refuses unknown fields and numbers that are none."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Record(Strict):
    """One row of a table; its docstring begins with "One row per"."""

    table: ClassVar[Table]
